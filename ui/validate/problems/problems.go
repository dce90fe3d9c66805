// Package problems draws a list of the problems of a campaign, grouped by component with errors first, and of its
// warnings.
package problems

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// View is the list of problems and warnings.
type View struct {
	*list.List[row]

	theme              *themes.Theme
	open               func(doc.Path) tea.Cmd
	problems, warnings []row
}

// row is one problem or warning.
type row struct {
	group    string         // the heading of its group
	above    []string       // the drawn heading, if the row is the first of its group
	kind     string         // a word for it
	name     string         // of its place, with that of the component
	at       doc.Path       // its place in the campaign
	warning  *check.Finding // nil if the row is a problem
	sign     string
	signTone themes.Tone
	place    string // empty if the heading names it
	text     []string
}

// New returns an empty list. open opens the place of a problem or warning.
func New(t *themes.Theme, open func(doc.Path) tea.Cmd) *View {
	v := &View{theme: t, open: open}
	v.List = list.Lines(t, "problem", v.draw)
	return v
}

// Set sets the problems of a campaign of the channel. The cursor keeps its index.
func (v *View) Set(ch engine.Channel, problems []schema.Problem) {
	count, order := map[string]int{}, map[string]int{}
	for i, c := range catalog.Components(ch) {
		order[string(c.Name)] = i + 1
	}
	v.problems = nil
	for _, p := range problems {
		r := problemRow(ch, p)
		count[r.kind+r.group]++
		v.problems = append(v.problems, r)
	}
	component := func(r row) int { // in the order in which users fill them in
		if len(r.at) == 0 || engine.IsHeadField(r.at[0].Name) {
			return 0
		}
		return cmp.Or(order[r.at[0].Name], len(order)+1)
	}
	slices.SortStableFunc(v.problems, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.kind, a.kind), cmp.Compare(component(a), component(b)), cmp.Compare(a.group, b.group))
	})
	for i, r := range v.problems {
		v.problems[i].group = r.group + " — " + phrase.Count(count[r.kind+r.group], strings.ToLower(r.kind))
	}
	v.show()
}

// problemRow returns the row of a problem.
func problemRow(ch engine.Channel, p schema.Problem) row {
	names := trail(ch, p.Path)
	r := row{group: names[0], kind: "Problem", at: p.Path, name: strings.Join(names, " › "), sign: "✗", signTone: themes.ToneDanger,
		place: strings.Join(names[1:], " › "), text: []string{phrase.Capitalize(p.Text())}}
	if p.Severity == schema.Notice {
		r.kind, r.sign, r.signTone = "Notice", "i", themes.ToneInfo
	}
	if len(p.Path) == 0 {
		r.place = "All of it"
	}
	return r
}

// SetWarnings sets the warnings of the campaign, which follow its problems. The cursor keeps its index.
func (v *View) SetWarnings(found check.Result) {
	v.warnings = nil
	for _, s := range []check.Severity{check.Warning, check.Note} {
		for _, f := range found.Findings {
			if f.Severity == s {
				v.warnings = append(v.warnings, warningRow(f, phrase.Count(found.Count(s), string(s))))
			}
		}
	}
	for _, f := range found.Dismissed {
		v.warnings = append(v.warnings, warningRow(f, phrase.Count(len(found.Dismissed), "dismissed warning")))
	}
	v.show()
}

// warningRow returns the row of a warning: its place, its message and what to do; of one that was dismissed, who did
// so and why.
func warningRow(f check.Finding, group string) row {
	place := cmp.Or(f.Place(), "Campaign")
	r := row{group: group, kind: "Warning", at: f.Path, warning: &f, sign: "!", signTone: themes.ToneWarning,
		place: place, name: place, text: []string{f.Text() + ".", f.Remedy}}
	switch d := f.Dismissed; {
	case d != nil && d.By != "":
		r.sign, r.signTone, r.text[1] = "–", themes.ToneMuted, "Dismissed by "+d.By+": "+d.Reason
	case d != nil:
		r.sign, r.signTone, r.text[1] = "–", themes.ToneMuted, "Dismissed: "+d.Reason
	case f.Severity == check.Note:
		r.kind, r.sign, r.signTone = "Note", "i", themes.ToneInfo
	}
	return r
}

// show lists the rows below the headings of their groups.
func (v *View) show() {
	rows := slices.Concat(v.problems, v.warnings)
	for i := range rows {
		if i > 0 && rows[i].group == rows[i-1].group {
			continue
		}
		rows[i].above = []string{v.theme.Strong.Render(widget.Clean(rows[i].group))}
		if i > 0 {
			rows[i].above = append([]string{""}, rows[i].above...)
		}
	}
	v.List.Set(rows)
}

// Open opens the place of what is under the cursor.
func (v *View) Open() tea.Cmd {
	if r, ok := v.Selected(); ok {
		return v.open(r.at)
	}
	return nil
}

// Warning returns the warning under the cursor; false if there is none.
func (v *View) Warning() (check.Finding, bool) {
	if r, ok := v.Selected(); ok && r.warning != nil {
		return *r.warning, true
	}
	return check.Finding{}, false
}

// SelectWarning moves the cursor to the warning with that ID, if it is listed.
func (v *View) SelectWarning(id string) {
	v.Select(func(r row) bool { return r.warning != nil && r.warning.ID() == id })
}

// draw draws a row: its place and, below it, its text.
func (v *View) draw(r row, selected bool, width int) list.Drawn {
	w := max(width-4, 1)
	out := list.Drawn{Above: r.above}
	add := func(tone themes.Tone, text string) {
		bar, sign, styled := " ", " ", v.theme.Paint(tone, text)
		first := len(out.Lines) == 0
		if first {
			sign = v.theme.Paint(r.signTone, r.sign)
		}
		if selected {
			bar = v.theme.Accent.Render("▌")
		}
		if selected && first {
			styled = v.theme.Selected.Render(widget.PadRight(text, w))
		}
		out.Lines = append(out.Lines, bar+" "+sign+" "+styled)
	}
	tone := themes.ToneText
	if r.place != "" {
		if r.signTone == themes.ToneMuted {
			tone = themes.ToneMuted
		}
		add(tone, fit(r.place, w))
		tone = themes.ToneMuted
	}
	for _, text := range r.text {
		for _, l := range widget.Wrap(widget.Clean(text), w) {
			add(tone, l)
		}
	}
	return out
}

// fit drops words at the start of a place that is too long, because its end identifies it.
func fit(field string, w int) string {
	field = widget.Clean(field)
	for widget.Width(field) > w {
		_, rest, found := strings.Cut(strings.TrimPrefix(field, "… › "), " › ")
		if !found {
			return widget.Truncate(field, w)
		}
		field = "… › " + rest
	}
	return field
}

// Text returns the problems and warnings as lines of text, to copy.
func (v *View) Text() string {
	var b strings.Builder
	for _, r := range v.Shown() {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", r.kind, r.name, strings.Join(r.text, " "))
	}
	return b.String()
}

// Read says the problems and warnings.
func (v *View) Read() screen.Part {
	var rows screen.RowSlice
	for i, r := range v.Shown() {
		row := screen.Row{
			Text: list.Spoken(r.name), State: strings.Join(r.text, " "),
			Select: func() tea.Cmd { v.SelectIndex(i); return nil }, Open: func() tea.Cmd { v.SelectIndex(i); return v.open(r.at) },
		}
		if r.warning != nil {
			row.Text = r.kind + ". " + row.Text
		}
		rows = append(rows, row)
	}
	return screen.Part{Rows: rows}
}
