package campaigns

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/query"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// column is a column of the table.
type column struct {
	id   string // as stored in settings
	head widget.Column
	sort query.Key // empty if campaigns cannot be sorted by it
	// descending reports whether the first click sorts in descending order.
	descending bool
	// cell draws the cell for a time in the display zone.
	cell func(engine.Summary, time.Time) widget.Cell
}

const nameColumn = "name"

// Widths of the name column: its minimum, what it has before minor columns are added, and what the state, the channel and
// the last change need beside it.
const (
	minNameWidth     = 26
	normalNameWidth  = 44
	mainColumnsWidth = 41
)

// columns are all columns in their default order.
var columns = []column{
	{id: nameColumn, head: widget.Column{Title: "Name", Min: minNameWidth, Max: 64, Weight: 8}, sort: query.Name, cell: nameCell},
	{id: "state", head: widget.Column{Title: "State", Min: 11}, sort: query.Status, cell: stateCell},
	{id: "channel", head: widget.Column{Title: "Channel", Min: 10, Priority: 2}, sort: query.Channel,
		cell: func(r engine.Summary, _ time.Time) widget.Cell { return widget.Cell{Text: r.Channel.Label()} }},
	{id: "type", head: widget.Column{Title: "Type", Min: 11, Max: 24, Weight: 2, Priority: 3}, sort: query.Type,
		// The header says Type, so the suffix is redundant.
		cell: muted(func(r engine.Summary) string { return strings.TrimSuffix(r.DeliveryType.Label(), "-triggered") })},
	{id: "tags", head: widget.Column{Title: "Tags", Min: 12, Max: 30, Weight: 2, Priority: 4},
		cell: muted(func(r engine.Summary) string { return strings.Join(r.Tags, ", ") })},
	{id: "team", head: widget.Column{Title: "Team", Min: 10, Max: 16, Weight: 1, Priority: 6}, sort: query.Team,
		cell: muted(func(r engine.Summary) string { return r.Team })},
	{id: "platforms", head: widget.Column{Title: "Platforms", Min: 12, Max: 17, Weight: 1, Priority: 5},
		cell: muted(platforms)},
	{id: "start", head: widget.Column{Title: "Start", Min: 9, Align: widget.AlignRight, Priority: 5}, sort: query.Start, descending: true,
		cell: brief(func(r engine.Summary) time.Time { return r.Start })},
	{id: "created", head: widget.Column{Title: "Created", Min: 9, Align: widget.AlignRight, Priority: 6}, sort: query.Created, descending: true,
		cell: brief(func(r engine.Summary) time.Time { return r.CreatedAt })},
	{id: "updated", head: widget.Column{Title: "Updated", Min: 9, Align: widget.AlignRight, Priority: 1}, sort: query.Updated, descending: true,
		cell: brief(func(r engine.Summary) time.Time { return r.UpdatedAt })},
	{id: "creator", head: widget.Column{Title: "Creator", Min: 14, Max: 28, Weight: 1, Priority: 7}, sort: query.By,
		cell: muted(func(r engine.Summary) string { return r.CreatedBy })},
	{id: "version", head: widget.Column{Title: "Version", Min: 9, Align: widget.AlignRight, Priority: 8}, sort: query.Version, descending: true,
		cell: muted(func(r engine.Summary) string {
			if r.Version == 0 {
				return ""
			}
			return strconv.Itoa(r.Version)
		})},
	{id: "id", head: widget.Column{Title: "ID", Min: 24, Priority: 9},
		cell: muted(func(r engine.Summary) string { return r.ID })},
}

// defaultColumns are the columns shown by default.
var defaultColumns = []string{nameColumn, "state", "channel", "type", "tags", "team", "platforms", "updated", "creator"}

// chosenColumns returns the columns with these IDs in order, always including the name; the default columns if
// there are none. Columns further left stay longer when the table gets narrow.
func chosenColumns(ids []string) []column {
	own := len(ids) > 0
	if !own {
		ids = defaultColumns
	}
	if !slices.Contains(ids, nameColumn) {
		ids = append([]string{nameColumn}, ids...)
	}
	var out []column
	for _, id := range ids {
		if i := slices.IndexFunc(columns, func(c column) bool { return c.id == id }); i >= 0 {
			out = append(out, columns[i])
			if own {
				out[len(out)-1].head.Priority = len(out) - 1
			}
		}
	}
	return out
}

// parseColumns returns the IDs of the columns in a typed list of titles, and what is wrong with it. An empty list means
// the default columns.
func parseColumns(text string) (ids []string, problem string) {
	for _, title := range splitList(text) {
		i := slices.IndexFunc(columns, func(c column) bool { return strings.EqualFold(c.head.Title, title) })
		if i < 0 {
			return nil, "There is no column “" + title + "”."
		}
		ids = append(ids, columns[i].id)
	}
	if slices.Equal(ids, defaultColumns) {
		ids = nil
	}
	return ids, ""
}

func muted(text func(engine.Summary) string) func(engine.Summary, time.Time) widget.Cell {
	return func(r engine.Summary, _ time.Time) widget.Cell {
		return widget.Cell{Text: text(r), Tone: themes.ToneMuted}
	}
}

// brief draws a time in a few characters.
func brief(at func(engine.Summary) time.Time) func(engine.Summary, time.Time) widget.Cell {
	return func(r engine.Summary, now time.Time) widget.Cell {
		return widget.Cell{Text: timeparse.Brief(at(r), now), Tone: themes.ToneMuted}
	}
}

func nameCell(r engine.Summary, _ time.Time) widget.Cell {
	if r.Name == "" {
		return widget.Cell{Text: r.Title(), Tone: themes.ToneFaint}
	}
	return widget.Cell{Text: r.Name}
}

func stateCell(r engine.Summary, _ time.Time) widget.Cell {
	icon, tone := status.Icon(r.Status)
	return widget.Cell{Text: icon + " " + r.Status.Label(), Tone: tone}
}

func platforms(row engine.Summary) string {
	labels := make([]string, len(row.Platforms))
	for i, p := range row.Platforms {
		labels[i] = catalog.Platform(p).Label()
	}
	return strings.Join(labels, ", ")
}
