package forms

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/themes"
)

// painter draws the rows of a sheet where the layout has them.
type painter struct {
	theme   themes.Theme
	sheet   *sheet
	layout  *layout
	naming  *naming // a name is asked for in the place of the focused row's value
	actions *actions
	focus   int // the row that looks focused; -1: none
}

// heights returns how many lines each row takes.
func (p *painter) heights() []int {
	out := make([]int, len(p.sheet.rows))
	for i, r := range p.sheet.rows {
		if i == p.focus {
			out[i] = len(p.row(i))
			continue
		}
		out[i] = p.above(i) + 1
		if p.sheet.problems.direct(r) != nil {
			out[i]++
		}
	}
	return out
}

// above returns how many lines stand in a row over the first of its value.
func (p *painter) above(i int) int {
	n := 0
	if p.layout.isNarrow() && p.sheet.rows[i].group != adder {
		n++
	}
	if p.sheet.heading(i) != "" {
		n++
	}
	return n
}

// rowAt returns the row on line y of the form as it was drawn last, and the line within the row,
// from the first line of its value on.
func (p *painter) rowAt(y int) (i, within int, ok bool) {
	i, line, ok := p.layout.rowAt(y)
	if !ok {
		return 0, 0, false
	}
	return i, line - p.above(i), true
}

// form draws all that is in sight.
func (p *painter) form() string {
	out := p.head()
	p.layout.head = len(out)
	if len(p.sheet.rows) == 0 {
		out = append(out, p.theme.Faint.Render("This section has no fields."))
	}
	for i := range p.layout.spans {
		if from, to := p.layout.sight(i); from < to {
			drawn := p.row(i)
			out = append(out, drawn[min(from, len(drawn)):min(to, len(drawn))]...)
		}
	}
	if more := p.layout.more(); more != "" {
		out = append(out, p.theme.Faint.Render(more))
	}
	out = out[:min(len(out), p.layout.height)]
	for i := range out {
		out[i] = fit(out[i], p.layout.width)
	}
	return strings.Join(out, "\n")
}

// head returns the lines over the rows: what went wrong, why nothing here may be changed, and what is
// wrong with the object itself. They take at most a third of the form.
func (p *painter) head() []string {
	var out []string
	add := func(style lipgloss.Style, text string) {
		for _, l := range strings.Split(ansi.Wrap(oneLine(text), max(p.layout.width, 1), ""), "\n") {
			out = append(out, style.Render(l))
		}
	}
	if p.sheet.failure != "" {
		add(p.theme.Danger, "! "+p.sheet.failure)
	}
	if why := p.sheet.source.lockedHere(); why != "" {
		add(p.theme.Warning, why)
	}
	if len(p.sheet.rows) > 0 {
		own := p.sheet.problems.own(p.sheet.rows, p.sheet.flats)
		for _, problem := range own[:min(len(own), 2)] {
			add(p.sheet.problems.style(problem), "! "+p.sheet.problems.about(problem))
		}
	}
	return out[:min(len(out), max(p.layout.height/3, 1), max(p.layout.height-1, 0))]
}

// row draws a row with the heading over it.
func (p *painter) row(i int) []string {
	r, t := p.sheet.rows[i], p.theme
	var out []string
	if h := p.sheet.heading(i); h != "" {
		out = append(out, t.Title.Render(h))
	}
	if i == p.focus {
		return append(out, p.focused(r)...)
	}
	style := t.Muted
	if r.group == unused || r.group == unknown || r.group == received {
		style = t.Faint
	}
	out = append(out, p.labelled(r, "  ", style, p.valueLine(r))...)
	if problem := p.sheet.problems.direct(r); problem != nil {
		out = append(out, "  "+p.sheet.problems.style(*problem).Render(wrapMost("! "+p.sheet.problems.text(r, problem), p.layout.width-2, 1)[0]))
	}
	return out
}

// labelled puts a label before the lines of a value, or over them in a narrow form.
func (p *painter) labelled(r row, mark string, style lipgloss.Style, lines ...string) []string {
	label, star := r.label, ""
	if r.starred {
		star = " *"
	}
	w := p.layout.labels
	if p.layout.isNarrow() {
		w = max(p.layout.width-4, 1)
	}
	label = fit(label, w-len(star))
	pad := strings.Repeat(" ", max(w-ansi.StringWidth(label)-len(star), 0))
	first := mark + style.Render(label)
	if star != "" {
		first += p.theme.Danger.Render(star)
	}
	var out []string
	indent := strings.Repeat(" ", w+3)
	switch {
	case r.group == adder && p.naming == nil:
		return []string{first}
	case p.layout.isNarrow():
		out, indent = append(out, first), "    "
	default:
		lines[0] = first + pad + " " + lines[0]
		out, lines = append(out, lines[0]), lines[1:]
	}
	for _, l := range lines {
		out = append(out, indent+l)
	}
	return out
}

// valueLine draws the value of a row in one line.
func (p *painter) valueLine(r row) string {
	t, w := p.theme, p.layout.valueWidth()
	if r.group == adder {
		return ""
	}
	if r.shape == entry {
		text := "› " + summary(r.Node, r.Value) + p.reason(r)
		style := t.Text
		if r.Value.Empty() {
			style = t.Faint
		}
		tail := ""
		if n := p.sheet.problems.errors(r); n > 0 {
			tail = "  " + phrase.Count(n, "problem")
		}
		return style.Render(fit(text, max(w-len(tail), 4))) + t.Danger.Render(tail)
	}
	text := valueText(r.FieldState)
	if r.shape == timespan {
		text = oneLine(r.text)
	}
	if r.shape == commas {
		text = oneLine(head(commaText(r.Value), 300))
	}
	switch {
	case r.group != shown:
		return t.Faint.Render(fit(text+p.reason(r), w))
	case r.Value.Kind() == doc.Absent && r.Node.Default != "":
		return t.Faint.Render(fit("default "+defaultValue(r.Node), w))
	case r.Value.Kind() == doc.Absent && text == "":
		return t.Faint.Render("—")
	case r.Value.Empty() && r.Value.Kind() != doc.Null:
		return t.Faint.Render(string(r.Value.Encode()))
	case r.Value.Kind() == doc.Null:
		return t.Faint.Render("null")
	}
	if block := p.swatch(r, r.Value.Text()); block != "" {
		return block + t.Text.Render(fit(text, w-swatchWidth))
	}
	if p.sheet.problems.direct(r) == nil && p.sheet.source.names.unknown(r) {
		note := "  " + notKnown
		return t.Text.Render(fit(text, max(w-ansi.StringWidth(note), 4))) + t.Warning.Render(note)
	}
	moment, off := p.sheet.clock.atRest(p.sheet.draft.root, r)
	if moment == "" {
		return p.marked(r, fit(text, w), t.Text)
	}
	if ansi.StringWidth(moment+off)+2 <= w {
		return t.Text.Render(moment) + "  " + t.Faint.Render(off)
	}
	return t.Text.Render(fit(moment, w))
}

// reason returns after a value that is kept why nothing reads it.
func (p *painter) reason(r row) string {
	if r.group != unused || r.Why == "" {
		return ""
	}
	return "  (" + r.Why + ")"
}

// focused draws the focused row: its editor, what is wrong with it, what it is for.
func (p *painter) focused(r row) []string {
	t := p.theme
	lines := []string{p.valueLine(r)}
	switch {
	case p.naming != nil:
		lines = []string{t.Muted.Render("name: ") + p.naming.in.view(max(p.layout.valueWidth()-6, 1), 1)}
	case p.sheet.field.ed != nil:
		lines = p.editorLines(r)
	case r.shape == long, r.shape == raw:
		lines = p.preview(r)
	}
	out := p.labelled(r, t.Accent.Render("▸ "), t.Accent, lines...)
	field := &p.sheet.field
	words, notes, refused := p.sheet.clock.understood(field.before, r, field.text(r))
	if r.shape == timespan {
		words, refused = field.spanUnderstood(r, p.sheet.source.names.spanDates(r))
	}
	if words != "" {
		out = append(out, indented(t.Info, p.layout.width, "= "+words, 2)...)
	}
	for _, note := range notes {
		out = append(out, indented(t.Warning, p.layout.width, "! "+sentence(note), 2)...)
	}
	if refused != "" {
		out = append(out, indented(t.Danger, p.layout.width, "! "+sentence(refused), 3)...)
	} else if problem := p.sheet.problems.direct(r); problem != nil && completing(field.ed) == nil && !field.choosing(r) {
		out = append(out, indented(p.sheet.problems.style(*problem), p.layout.width, "! "+p.sheet.problems.text(r, problem), 3)...)
	}
	return append(out, indented(t.Faint, p.layout.width, p.hint(r), 3)...)
}

// editorLines draws the editor of the focused row, a swatch of its color before it.
func (p *painter) editorLines(r row) []string {
	text := ""
	if in, ok := p.sheet.field.ed.(*input); ok {
		text = unpack(in.text)
	}
	block := p.swatch(r, text)
	w := p.layout.valueWidth()
	if block != "" {
		w = max(w-swatchWidth, 1)
	}
	unit := ""
	if r.Node != nil && r.Node.Unit != "" && r.shape == oneline {
		unit = " " + r.Node.Unit
		w = max(w-ansi.StringWidth(unit), 1)
	}
	lines := strings.Split(p.sheet.field.ed.view(w, p.layout.menuHeight()), "\n")
	lines[0] = block + lines[0] + p.theme.Faint.Render(unit)
	return lines
}

// indented wraps a text below a row, in at most n lines.
func indented(style lipgloss.Style, width int, text string, n int) []string {
	if text == "" {
		return nil
	}
	var out []string
	for _, l := range wrapMost(text, max(width-4, 1), n) {
		out = append(out, "    "+style.Render(l))
	}
	return out
}
