package campaigns

import (
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/themes"
	"bugle/ui/widget"
)

// columns are the table's columns; the sign marks the one that it is sorted by.
func (s *Screen) columns() []widget.Column {
	when := "Updated"
	if s.query.order == byStart {
		when = "Start"
	}
	cols := []widget.Column{
		{Title: "Name", Min: 18, Max: 64, Weight: 8},
		{Title: "State", Min: 11},
		{Title: "Channel", Min: 8, Max: 10, Weight: 1, Priority: 2},
		{Title: "Type", Min: 11, Max: 24, Weight: 2, Priority: 3},
		{Title: "Tags", Min: 12, Max: 30, Weight: 2, Priority: 4},
		{Title: "Team", Min: 10, Max: 16, Weight: 1, Priority: 6},
		{Title: "Platforms", Min: 12, Max: 17, Weight: 1, Priority: 5},
		{Title: when, Min: 9, Align: widget.AlignRight, Priority: 1},
		{Title: "Creator", Min: 14, Max: 28, Weight: 1, Priority: 7},
	}
	sorted := map[order]int{byName: 0, byState: 1, byUpdated: 7, byStart: 7}[s.query.order]
	sign := " ↓"
	if s.query.order == byName || s.query.order == byState {
		sign = " ↑"
	}
	cols[sorted].Title += sign
	return cols
}

// tableRows draws what is shown; the table asks for the rows in sight alone.
type tableRows struct{ s *Screen }

func (t tableRows) Len() int { return len(t.s.view.shown) }

func (t tableRows) Row(i int) widget.Cells {
	row := t.s.view.rows[t.s.view.shown[i]]
	now, loc := t.s.deps.Now(), t.s.deps.Location
	when := widget.Cell{Text: ago(now, row.UpdatedAt, loc), Tone: themes.ToneMuted}
	if t.s.query.order == byStart {
		when.Text = day(now, row.Start, loc)
	}
	name := widget.Cell{Text: row.Name}
	if row.Name == "" {
		name = widget.Cell{Text: unnamed, Tone: themes.ToneFaint}
	}
	role := themes.Role(row.Status.Role())
	return widget.Cells{
		name,
		{Text: role.Glyph() + " " + row.Status.Label(), Tone: role.Tone()},
		{Text: row.Channel.Label()},
		// Under the head Type, the rest of the word says nothing.
		{Text: strings.TrimSuffix(row.DeliveryType.Label(), "-triggered"), Tone: themes.ToneMuted},
		{Text: strings.Join(row.Tags, ", "), Tone: themes.ToneMuted},
		{Text: row.Team, Tone: themes.ToneMuted},
		{Text: platforms(row), Tone: themes.ToneMuted},
		when,
		{Text: row.CreatedBy, Tone: themes.ToneMuted},
	}
}

// unnamed stands where a campaign has no name yet.
const unnamed = "(no name)"

func platforms(row engine.Summary) string {
	labels := make([]string, len(row.Platforms))
	for i, p := range row.Platforms {
		labels[i] = catalog.Platform(p).Label()
	}
	return strings.Join(labels, ", ")
}

// rank is a state's place in the life of a campaign; unknown states come last.
func rank(st engine.State) int {
	if i := slices.Index(catalog.States, st); i >= 0 {
		return i
	}
	return len(catalog.States)
}

// empty says why there are no rows, and what to do.
func (s *Screen) empty() string {
	switch {
	case s.failed != nil && len(s.rows) == 0:
		return "The campaigns could not be loaded: " + firstLine(s.failed.Error()) + "\n\nPress r to try again."
	case !s.loaded:
		return "Loading the campaigns…"
	case len(s.rows) == 0 && !s.query.archived:
		return "There are no campaigns yet.\n\nPress n to start one, or A to see those in the archive."
	case len(s.rows) == 0:
		return "There are no campaigns yet.\n\nPress n to start one."
	}
	var with []string
	if text := strings.TrimSpace(s.query.text); text != "" {
		with = append(with, "“"+text+"” in name, tags, team or creator")
	}
	if s.query.state != "" {
		with = append(with, "the state "+s.query.state.Label())
	}
	if s.query.channel != "" {
		with = append(with, "the channel "+s.query.channel.Label())
	}
	do := "Press esc to see all of them."
	if s.query.text != "" {
		do = "Press esc to clear the filter."
	}
	return "No campaign has " + strings.Join(with, " and ") + ".\n\n" + do
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
