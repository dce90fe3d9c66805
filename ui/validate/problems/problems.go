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
	"bugle/engine/edit/grid"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// View is the list with a cursor.
type View struct {
	// Focused reports whether the list has the keyboard.
	Focused bool

	theme         *themes.Theme
	problems      []section
	warnings      []section
	notes         []string      // below the rows
	rows          []row         // those of all sections
	window        widget.Window // over lines; its cursor is not used
	lines         []line
	cursor        int // index in rows
	width, height int
}

// section is a heading and the rows below it.
type section struct {
	title string
	rows  []row
}

// row is one problem or warning.
type row struct {
	problem   schema.Problem
	warning   *check.Finding // nil if the row is a problem
	sign      string
	signTone  themes.Tone
	place     string // empty if the heading names it
	placeTone themes.Tone
	text      []string // below the place
}

// line is one line of the list; row is -1 for headings, blanks and notes.
type line struct {
	text string
	tone themes.Tone
	row  int
}

// New returns an empty list.
func New(t *themes.Theme) View { return View{theme: t} }

// Set sets the problems of a campaign of the channel. The cursor keeps its index.
func (v *View) Set(ch engine.Channel, problems []schema.Problem) {
	v.problems = nil
	for _, sev := range []schema.Severity{schema.Error, schema.Notice} {
		sign, tone := "✗", themes.ToneDanger
		if sev == schema.Notice {
			sign, tone = "i", themes.ToneInfo
		}
		for _, name := range componentOrder(ch, problems) {
			g := section{title: componentTitle(ch, name)}
			for _, p := range problems {
				if p.Severity != sev || component(p.Path) != name {
					continue
				}
				r := row{problem: p, sign: sign, signTone: tone, text: []string{phrase.Capitalize(p.Text())}}
				if field := Field(ch, p.Path); field != g.title {
					r.place = field
				}
				g.rows = append(g.rows, r)
			}
			if len(g.rows) > 0 {
				g.title += " — " + Count(len(g.rows), sev)
				v.problems = append(v.problems, g)
			}
		}
	}
	v.arrange()
}

// SetWarnings sets the warnings of the campaign, which follow its problems, and lines below everything, such as why
// some checks were not made. The cursor keeps its index.
func (v *View) SetWarnings(found check.Result, notes ...string) {
	v.warnings, v.notes = nil, notes
	for _, s := range []check.Severity{check.Warning, check.Note} {
		g := section{title: phrase.Count(found.Count(s), string(s))}
		for _, f := range found.Findings {
			if f.Severity == s {
				g.rows = append(g.rows, warningRow(f))
			}
		}
		v.warnings = append(v.warnings, g)
	}
	dismissed := section{title: phrase.Count(len(found.Dismissed), "dismissed warning")}
	for _, f := range found.Dismissed {
		dismissed.rows = append(dismissed.rows, warningRow(f))
	}
	v.warnings = slices.DeleteFunc(append(v.warnings, dismissed), func(g section) bool { return len(g.rows) == 0 })
	v.arrange()
}

// warningRow returns the row of a warning: its place, its message and what to do; of one that was dismissed, who did
// so and why.
func warningRow(f check.Finding) row {
	r := row{warning: &f, sign: "!", signTone: themes.ToneWarning, place: cmp.Or(f.Place(), "Campaign"), text: []string{f.Text() + ".", f.Remedy}}
	switch d := f.Dismissed; {
	case d != nil:
		by := ""
		if d.By != "" {
			by = " by " + d.By
		}
		r.sign, r.signTone, r.placeTone = "–", themes.ToneMuted, themes.ToneMuted
		r.text = []string{f.Text() + ".", "Dismissed" + by + ": " + d.Reason}
	case f.Severity == check.Note:
		r.sign, r.signTone = "i", themes.ToneInfo
	}
	return r
}

// arrange lists the rows of all sections.
func (v *View) arrange() {
	v.rows = nil
	for _, g := range slices.Concat(v.problems, v.warnings) {
		v.rows = append(v.rows, g.rows...)
	}
	v.cursor = max(min(v.cursor, len(v.rows)-1), 0)
	v.layout()
}

// component returns the component that a path is in; "" for the whole campaign.
func component(p doc.Path) string {
	if len(p) == 0 || engine.IsHeadField(p[0].Name) {
		return ""
	}
	return p[0].Name
}

// componentOrder returns the components in the order in which users fill them in, then any others.
func componentOrder(ch engine.Channel, problems []schema.Problem) []string {
	names, seen := []string{""}, map[string]bool{"": true}
	for _, c := range catalog.Components(ch) {
		names, seen[string(c.Name)] = append(names, string(c.Name)), true
	}
	for _, p := range problems {
		if name := component(p.Path); !seen[name] {
			names, seen[name] = append(names, name), true
		}
	}
	return names
}

func componentTitle(ch engine.Channel, name string) string {
	if name == "" {
		return "Campaign"
	}
	if n := node(ch, doc.P(name)); n != nil && n.Name != "" {
		return n.Label()
	}
	return name
}

// node returns the schema of a place in a campaign, or in a test request.
func node(ch engine.Channel, p doc.Path) *schema.Node {
	if n := catalog.Campaign(ch).At(p); n != nil {
		return n
	}
	return catalog.TestRequest(ch).At(p)
}

// Field names the place of a problem within its component by the titles in the schema.
func Field(ch engine.Channel, p doc.Path) string {
	var words []string
	cell, steps := grid.CellAt(p)
	for i := range p {
		at := p[:i+1]
		n := node(ch, at)
		switch {
		case i == 0 && component(p) != "" && len(p) > 1:
			continue // the heading names it
		case i == 2 && steps > 0:
			words = append(words, cell)
		case i == 3 && steps > 1:
		case n != nil && n.Name != "":
			words = append(words, n.Label())
		case at.Last().IsIndex:
			words = append(words, fmt.Sprint(at.Last().Index+1))
		default:
			words = append(words, at.Last().Name)
		}
	}
	if len(words) == 0 {
		return "All of it"
	}
	return strings.Join(words, " › ")
}

// Place names a place of a campaign, including its component, by the titles in the schema; "" if it is not in
// the schema.
func Place(ch engine.Channel, p doc.Path) string {
	switch {
	case len(p) == 0 || node(ch, p) == nil:
		return ""
	case len(p) == 1:
		return componentTitle(ch, component(p))
	}
	return componentTitle(ch, component(p)) + " › " + Field(ch, p)
}

// Details describes the details of a refusal, each with its place named as in the builder. A place that is not in the
// schema keeps its path.
func Details(ch engine.Channel, e *engine.Error) []string {
	out := make([]string, len(e.Details))
	for i, d := range e.Details {
		p, _ := doc.ParsePath(d.Target)
		if out[i] = d.Message; len(e.Problems) == len(e.Details) {
			out[i] = e.Problems[i].Text()
		}
		if d.Target != "" {
			out[i] = cmp.Or(Place(ch, p), d.Target) + ": " + out[i]
		}
	}
	return out
}

// Len returns the number of problems and warnings.
func (v *View) Len() int { return len(v.rows) }

// Position describes the selected row: "3 of 7"; empty if there is none.
func (v *View) Position() string {
	if len(v.rows) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", v.cursor+1, len(v.rows))
}

// Selected returns the problem under the cursor; false if there is none, as on a warning.
func (v *View) Selected() (schema.Problem, bool) {
	if v.cursor >= len(v.rows) || v.rows[v.cursor].warning != nil {
		return schema.Problem{}, false
	}
	return v.rows[v.cursor].problem, true
}

// SelectedWarning returns the warning under the cursor; false if there is none.
func (v *View) SelectedWarning() (check.Finding, bool) {
	if v.cursor >= len(v.rows) || v.rows[v.cursor].warning == nil {
		return check.Finding{}, false
	}
	return *v.rows[v.cursor].warning, true
}

// SelectWarning moves the cursor to the warning with that ID, if it is listed.
func (v *View) SelectWarning(id string) {
	for i, r := range v.rows {
		if r.warning != nil && r.warning.ID() == id {
			v.cursor = i
			v.scrollToCursor()
			return
		}
	}
}

// SetSize sets the size of the list.
func (v *View) SetSize(width, height int) {
	v.width, v.height = max(width, 0), max(height, 0)
	v.layout()
}

// layout wraps the rows into lines.
func (v *View) layout() {
	v.lines = nil
	w := max(v.width-4, 1)
	add := func(row int, tone themes.Tone, text string) {
		v.lines = append(v.lines, line{widget.Clean(text), tone, row})
	}
	i := 0
	for _, g := range slices.Concat(v.problems, v.warnings) {
		if i > 0 {
			add(-1, themes.ToneText, "")
		}
		add(-1, themes.ToneStrong, g.title)
		for _, r := range g.rows {
			tone := themes.ToneText
			if r.place != "" {
				add(i, cmp.Or(r.placeTone, themes.ToneText), fit(r.place, w))
				tone = themes.ToneMuted
			}
			for _, text := range r.text {
				for _, l := range widget.Wrap(widget.Clean(text), w) {
					add(i, tone, l)
				}
			}
			i++
		}
	}
	for j, note := range v.notes {
		if j == 0 && len(v.lines) > 0 {
			add(-1, themes.ToneText, "")
		}
		for _, l := range widget.Wrap(widget.Clean(note), max(v.width, 1)) {
			add(-1, themes.ToneMuted, l)
		}
	}
	v.window.Resize(len(v.lines), v.height)
	v.scrollToCursor()
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

// Count formats a number of problems.
func Count(n int, sev schema.Severity) string {
	noun := "problem"
	if sev == schema.Notice {
		noun = "notice"
	}
	return phrase.Count(n, noun)
}

// Update handles the keys that move, and reports whether msg was one of them.
func (v *View) Update(msg tea.KeyMsg) bool {
	switch msg.String() {
	case "up", "k":
		v.move(-1)
	case "down", "j":
		v.move(1)
	case "pgup", "ctrl+u":
		v.move(-v.page())
	case "pgdown", "ctrl+d":
		v.move(v.page())
	case "home", "g":
		v.move(-len(v.rows))
	case "end", "G":
		v.move(len(v.rows))
	default:
		return false
	}
	return true
}

// page returns roughly how many rows are visible.
func (v *View) page() int { return max(v.height/3, 1) }

func (v *View) move(n int) {
	v.cursor = max(min(v.cursor+n, len(v.rows)-1), 0)
	v.scrollToCursor()
}

// scrollToCursor scrolls as little as possible to show the selected row, with its heading if that is next to it, and
// below the last row the notes.
func (v *View) scrollToCursor() {
	from, to := -1, -1
	for i, l := range v.lines {
		if l.row == v.cursor {
			if from < 0 {
				from = i
			}
			to = i
		}
	}
	if from < 0 {
		return
	}
	if from > 0 && v.lines[from-1].row < 0 {
		from--
	}
	if v.cursor == len(v.rows)-1 {
		v.window.Select(len(v.lines) - 1)
	}
	v.window.Select(to)
	v.window.Select(from)
}

// Mouse handles the wheel, and a click on line y, which selects the row there. chosen reports whether the row was
// already selected.
func (v *View) Mouse(msg tea.MouseMsg, y int) (chosen bool) {
	if v.window.Wheel(msg) || !widget.Pressed(msg) {
		return false
	}
	i, ok := v.window.At(y)
	if !ok || v.lines[i].row < 0 {
		return false
	}
	chosen = v.lines[i].row == v.cursor
	v.cursor = v.lines[i].row
	return chosen
}

// View draws exactly the size set by SetSize.
func (v *View) View() string {
	from, to := v.window.Visible()
	out := make([]string, 0, v.height)
	for i := from; i < to; i++ {
		out = append(out, v.draw(i))
	}
	return widget.Fit(strings.Join(out, "\n"), v.width, v.height)
}

func (v *View) draw(i int) string {
	l := v.lines[i]
	if l.row < 0 {
		return v.theme.Paint(l.tone, l.text)
	}
	bar, sign := " ", " "
	selected := l.row == v.cursor && v.Focused
	if selected {
		bar = v.theme.Accent.Render("▌")
	}
	first := i == 0 || v.lines[i-1].row != l.row
	if first {
		r := v.rows[l.row]
		sign = v.theme.Paint(r.signTone, r.sign)
	}
	text := v.theme.Paint(l.tone, l.text)
	if first && selected {
		text = v.theme.Selected.Render(widget.PadRight(l.text, max(v.width-4, 1)))
	}
	return bar + " " + sign + " " + text
}
