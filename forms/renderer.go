package forms

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/themes"
)

// renderer draws the rows at their positions in the layout.
type renderer struct {
	theme     *themes.Theme
	model     *rowModel
	layout    *layout
	nameInput *nameInput // a name is being asked for in place of the focused row's value
	actions   *actions
	focus     int // the row drawn as focused; -1 for none
}

// heights returns how many lines each row takes.
func (p *renderer) heights() []int {
	out := make([]int, len(p.model.rows))
	for i, r := range p.model.rows {
		if i == p.focus {
			out[i] = len(p.row(i))
			continue
		}
		out[i] = p.linesAbove(i) + 1
		if p.model.problems.forRow(r) != nil {
			out[i]++
		}
	}
	return out
}

// linesAbove returns how many lines a row has above the first line of its value.
func (p *renderer) linesAbove(i int) int {
	n := 0
	if p.layout.isNarrow() && p.model.rows[i].group != groupAdder {
		n++
	}
	if p.model.heading(i) != "" {
		n++
	}
	return n
}

// rowAt returns the row on line y of the last drawn form, and the line within the row, counted from the first
// line of its value.
func (p *renderer) rowAt(y int) (i, within int, ok bool) {
	i, line, ok := p.layout.rowAt(y)
	if !ok {
		return 0, 0, false
	}
	return i, line - p.linesAbove(i), true
}

// form draws everything visible.
func (p *renderer) form() string {
	out := p.header()
	p.layout.headerHeight = len(out)
	if len(p.model.rows) == 0 {
		out = append(out, p.theme.Faint.Render("This section has no fields."))
	}
	for i := range p.layout.spans {
		if from, to := p.layout.visibleLines(i); from < to {
			drawn := p.row(i)
			out = append(out, drawn[min(from, len(drawn)):min(to, len(drawn))]...)
		}
	}
	if more := p.layout.moreText(); more != "" {
		out = append(out, p.theme.Faint.Render(more))
	}
	out = out[:min(len(out), p.layout.height)]
	for i := range out {
		out[i] = cutLine(out[i], p.layout.width)
	}
	return strings.Join(out, "\n")
}

// header returns the lines above the rows: the last error, why the form is locked, and problems of the object
// itself. They take at most a third of the form.
func (p *renderer) header() []string {
	var out []string
	add := func(style lipgloss.Style, text string) {
		for _, l := range strings.Split(ansi.Wrap(oneLine(text), max(p.layout.width, 1), ""), "\n") {
			out = append(out, style.Render(l))
		}
	}
	if p.model.failure != "" {
		add(p.theme.Danger, "! "+p.model.failure)
	}
	if why := p.model.builder.lockedReason(); why != "" {
		add(p.theme.Warning, why)
	}
	if len(p.model.rows) > 0 {
		own := p.model.problems.unshown(p.model.rows, p.model.inlined)
		for _, problem := range own[:min(len(own), 2)] {
			add(p.model.problems.style(problem), "! "+p.model.problems.formMessage(problem))
		}
	}
	return out[:min(len(out), max(p.layout.height/3, 1), max(p.layout.height-1, 0))]
}

// row draws a row with the heading above it.
func (p *renderer) row(i int) []string {
	r, t := p.model.rows[i], p.theme
	var out []string
	if h := p.model.heading(i); h != "" {
		out = append(out, t.Title.Render(h))
	}
	if i == p.focus {
		return append(out, p.focused(r)...)
	}
	style := t.Muted
	if r.group == groupUnused || r.group == groupUnknown || r.group == groupResponseOnly {
		style = t.Faint
	}
	out = append(out, p.withLabel(r, "  ", style, p.valueLine(r))...)
	if problem := p.model.problems.forRow(r); problem != nil {
		out = append(out, "  "+p.model.problems.style(*problem).Render(wrapMax("! "+p.model.problems.text(r, problem), p.layout.width-2, 1)[0]))
	}
	return out
}

// withLabel puts a label before the lines of a value, or above them in a narrow form.
func (p *renderer) withLabel(r row, mark string, style lipgloss.Style, lines ...string) []string {
	label, star := r.label, ""
	if r.required {
		star = " *"
	}
	w := p.layout.labelWidth
	if p.layout.isNarrow() {
		w = max(p.layout.width-4, 1)
	}
	label = cutLine(label, w-len(star))
	pad := strings.Repeat(" ", max(w-ansi.StringWidth(label)-len(star), 0))
	first := mark + style.Render(label)
	if star != "" {
		first += p.theme.Danger.Render(star)
	}
	var out []string
	indent := strings.Repeat(" ", w+3)
	switch {
	case r.group == groupAdder && p.nameInput == nil:
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
func (p *renderer) valueLine(r row) string {
	t, w := p.theme, p.layout.valueWidth()
	if r.group == groupAdder {
		return ""
	}
	if r.shape == shapeSubform {
		text := "› " + summary(r.Node, r.Value) + p.reason(r)
		style := t.Text
		if r.Value.Empty() {
			style = t.Faint
		}
		tail := ""
		if n := p.model.problems.errors(r); n > 0 {
			tail = "  " + phrase.Count(n, "problem")
		}
		return style.Render(cutLine(text, max(w-len(tail), 4))) + t.Danger.Render(tail)
	}
	text := valueText(r.FieldState)
	if r.shape == shapeTimespan || r.input != nil && r.shape != shapeChoice && r.shape != shapeReadOnly {
		text = oneLine(r.text)
	}
	if r.shape == shapeCommaList && r.input == nil {
		text = oneLine(firstRunes(commaText(r.Value), 300))
	}
	switch {
	case r.group != groupFields:
		return t.Faint.Render(cutLine(text+p.reason(r), w))
	case r.Value.Kind() == doc.Absent && r.Node.Default != "":
		return t.Faint.Render(cutLine("default "+defaultValue(r.Node), w))
	case r.Value.Kind() == doc.Absent && text == "":
		return t.Faint.Render("—")
	case r.Value.Empty() && r.Value.Kind() != doc.Null:
		return t.Faint.Render(string(r.Value.Encode()))
	case r.Value.Kind() == doc.Null:
		return t.Faint.Render("null")
	}
	if block := p.swatch(r, r.Value.Text()); block != "" {
		return block + t.Text.Render(cutLine(text, w-swatchWidth))
	}
	if p.model.problems.forRow(r) == nil && p.model.builder.names.unknown(r) {
		note := "  " + unknownNote
		return t.Text.Render(cutLine(text, max(w-ansi.StringWidth(note), 4))) + t.Warning.Render(note)
	}
	moment, off := p.model.clock.describe(p.model.draft.root, r)
	if moment == "" {
		if text = cutLine(text, w); r.Node == nil || !r.Node.Template {
			return t.Text.Render(text)
		}
		return HighlightExpressions(text, func(s string) string { return t.Text.Render(s) }, func(s string) string { return t.Info.Render(s) })
	}
	if ansi.StringWidth(moment+off)+2 <= w {
		return t.Text.Render(moment) + "  " + t.Faint.Render(off)
	}
	return t.Text.Render(cutLine(moment, w))
}

// reason returns why the value of a row is not used.
func (p *renderer) reason(r row) string {
	if r.group != groupUnused || r.Why == "" {
		return ""
	}
	return "  (" + r.Why + ")"
}

// focused draws the focused row: its editor, its problem, its help.
func (p *renderer) focused(r row) []string {
	t := p.theme
	lines := []string{p.valueLine(r)}
	switch {
	case p.nameInput != nil:
		lines = []string{t.Muted.Render("name: ") + p.nameInput.in.view(max(p.layout.valueWidth()-6, 1), 1)}
	case p.model.field.editor != nil:
		lines = p.editorLines(r)
	case r.shape == shapeExternalText, r.shape == shapeExternalJSON:
		lines = p.preview(r)
	}
	out := p.withLabel(r, t.Accent.Render("▸ "), t.Accent, lines...)
	field := &p.model.field
	words, notes, refused := p.model.clock.explain(field.before, r, field.text(r))
	switch {
	case r.input != nil:
		words, refused = p.model.readInput(r)
	case r.shape == shapeInput && r.Node != nil && r.Node.Unit != "" && field.text(r) != r.Value.Text():
		words = r.Node.WithUnit(r.Value.Text())
	case r.shape == shapeTimespan:
		words, refused = field.parseTimespan(r, p.model.builder.names.timespanDates(r))
	}
	if words != "" {
		out = append(out, indented(t.Info, p.layout.width, "= "+words, 2)...)
	}
	for _, note := range notes {
		out = append(out, indented(t.Warning, p.layout.width, "! "+sentence(note), 2)...)
	}
	if refused != "" {
		out = append(out, indented(t.Danger, p.layout.width, "! "+sentence(refused), 3)...)
	} else if problem := p.model.problems.forRow(r); problem != nil && openCompletion(field.editor) == nil && !field.hasPendingChoice(r) {
		out = append(out, indented(p.model.problems.style(*problem), p.layout.width, "! "+p.model.problems.text(r, problem), 3)...)
	}
	return append(out, indented(t.Faint, p.layout.width, p.hint(r), 3)...)
}

// editorLines draws the editor of the focused row, after a swatch of its color.
func (p *renderer) editorLines(r row) []string {
	text := ""
	if in, ok := p.model.field.editor.(*textEditor); ok {
		text = in.Text()
	}
	block := p.swatch(r, text)
	w := p.layout.valueWidth()
	if block != "" {
		w = max(w-swatchWidth, 1)
	}
	unit := ""
	if r.Node != nil && r.Node.Unit != "" && r.shape == shapeInput {
		unit = " " + r.Node.Unit
		w = max(w-ansi.StringWidth(unit), 1)
	}
	lines := strings.Split(p.model.field.editor.view(w, p.layout.menuHeight()), "\n")
	lines[0] = block + lines[0] + p.theme.Faint.Render(unit)
	return lines
}

// indented wraps a text below a row, in at most n lines.
func indented(style lipgloss.Style, width int, text string, n int) []string {
	if text == "" {
		return nil
	}
	var out []string
	for _, l := range wrapMax(text, max(width-4, 1), n) {
		out = append(out, "    "+style.Render(l))
	}
	return out
}
