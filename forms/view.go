package forms

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms/textfield"
	"bugle/themes"
)

// layout has the positions of the rows in a form, and which are visible.
type layout struct {
	width, height int
	labelWidth    int      // width of the label column
	header        []string // the lines above the rows
	starts        []int    // the first line of each row, and the end of the last one
	top           int      // the first visible line
}

// narrowWidth is the width below which a value is below its label.
const narrowWidth = 44

func (l *layout) isNarrow() bool { return l.width < narrowWidth }

// valueWidth returns the available width of a value.
func (l *layout) valueWidth() int {
	if l.isNarrow() {
		return max(l.width-4, 1)
	}
	return max(l.width-l.labelWidth-3, 1)
}

// step returns how many rows a page has.
func (l *layout) step() int { return max(l.height-3, 1) }

// menuHeight returns the available height of an open list.
func (l *layout) menuHeight() int { return max(l.height-5, 3) }

// body returns the number of lines available for rows, and whether a line below them counts those that are hidden.
func (l *layout) body() (lines int, counted bool) {
	n := l.height - len(l.header)
	if l.starts[len(l.starts)-1] > n && n > 4 {
		return n - 1, true
	}
	return max(n, 1), false
}

// moreText returns how many rows are hidden.
func (l *layout) moreText() string {
	body, counted := l.body()
	if !counted {
		return ""
	}
	above, below := 0, 0
	for i, start := range l.starts[:len(l.starts)-1] {
		if start < l.top {
			above++
		}
		if l.starts[i+1] > l.top+body {
			below++
		}
	}
	text := ""
	if above > 0 {
		text = fmt.Sprintf("  ↑ %d", above)
	}
	if below > 0 {
		text += fmt.Sprintf("  ↓ %d", below)
	}
	return text + " more"
}

// arrange positions the rows, and scrolls to the focused one. A row that is too high is shown from the line after its
// heading.
func (f *Form) arrange() {
	l := &f.layout
	l.labelWidth = 8
	for _, r := range f.rows {
		l.labelWidth = max(l.labelWidth, ansi.StringWidth(r.Label)+2)
	}
	l.labelWidth = min(l.labelWidth, 30, max(l.width*12/25, 8))
	l.header, l.starts = f.header(), append(l.starts[:0], 0)
	line := 0
	for i, r := range f.rows {
		switch {
		case i == f.shownFocus():
			line += len(f.rowLines(i))
		case f.problemAt(r) != nil:
			line += f.linesAbove(i) + 2
		default:
			line += f.linesAbove(i) + 1
		}
		l.starts = append(l.starts, line)
	}
	body, _ := l.body()
	if f.cursor < len(f.rows) {
		from, to := l.starts[f.cursor], l.starts[f.cursor+1]
		if to-from > body && f.heading(f.cursor) != "" {
			from++
		}
		l.top = max(min(l.top, from), min(to-body, from))
	}
	l.top = max(min(l.top, line-body), 0)
}

// shownFocus returns the index of the row that is drawn as focused; -1 if none is.
func (f *Form) shownFocus() int {
	if f.inactive && !f.Modal() {
		return -1
	}
	return f.cursor
}

// linesAbove returns how many lines a row has above the first line of its value.
func (f *Form) linesAbove(i int) int {
	n := 0
	if f.layout.isNarrow() && f.rows[i].group != groupAdder {
		n++
	}
	if f.heading(i) != "" {
		n++
	}
	return n
}

// rowAt returns the row on line y of the form, and the line within the row, counted from the first line of its value.
func (f *Form) rowAt(y int) (i, within int, ok bool) {
	l := &f.layout
	body, _ := l.body()
	if y -= len(l.header); y < 0 || y >= body {
		return 0, 0, false
	}
	line := l.top + y
	i = slices.IndexFunc(l.starts, func(start int) bool { return start > line }) - 1
	if i < 0 {
		return 0, 0, false
	}
	return i, line - l.starts[i] - f.linesAbove(i), true
}

// View draws the form, at most as large as its size, scrolled to the focused field.
func (f *Form) View() string {
	l := &f.layout
	if l.width <= 0 || l.height <= 0 {
		return ""
	}
	out := []string{}
	switch {
	case f.calendar != nil:
		out = f.calendarView()
	case f.page:
		out = f.pageView()
	default:
		f.arrange()
		out = append(out, l.header...)
		if len(f.rows) == 0 {
			out = append(out, f.cfg.Theme.Faint.Render("This section has no fields."))
		}
		body, _ := l.body()
		for i := range f.rows {
			if from, to := max(l.top, l.starts[i])-l.starts[i], min(l.top+body, l.starts[i+1])-l.starts[i]; from < to {
				out = append(out, f.rowLines(i)[from:to]...)
			}
		}
		if more := l.moreText(); more != "" {
			out = append(out, f.cfg.Theme.Faint.Render(more))
		}
	}
	out = out[:min(len(out), l.height)]
	for i := range out {
		out[i] = cutLine(out[i], l.width)
	}
	return strings.Join(out, "\n")
}

// header returns the lines above the rows: the last error, why the form is locked, and problems of the object
// itself. They take at most a third of the form.
func (f *Form) header() []string {
	var out []string
	add := func(style lipgloss.Style, text string) {
		for l := range strings.SplitSeq(ansi.Wrap(oneLine(text), max(f.layout.width, 1), ""), "\n") {
			out = append(out, style.Render(l))
		}
	}
	if f.failure != "" {
		add(f.cfg.Theme.Danger, "! "+f.failure)
	}
	if why := f.lockedReason(); why != "" {
		add(f.cfg.Theme.Warning, why)
	}
	if len(f.rows) > 0 {
		own := f.unshown()
		for _, problem := range own[:min(len(own), 2)] {
			add(f.problemStyle(problem), "! "+f.formMessage(problem))
		}
	}
	return out[:min(len(out), max(f.layout.height/3, 1), max(f.layout.height-1, 0))]
}

// rowLines draws a row with the heading above it.
func (f *Form) rowLines(i int) []string {
	r, t := f.rows[i], f.cfg.Theme
	var out []string
	if h := f.heading(i); h != "" {
		out = append(out, t.Title.Render(h))
	}
	if i == f.shownFocus() {
		return append(out, f.focusedLines(r)...)
	}
	style := t.Muted
	if r.group == groupUnused || r.group == groupUnknown || r.group == groupResponseOnly {
		style = t.Faint
	}
	out = append(out, f.withLabel(r, "  ", style, f.valueLine(r))...)
	if problem := f.problemAt(r); problem != nil {
		out = append(out, "  "+f.problemStyle(*problem).Render(wrapMax("! "+f.problemText(r, problem), f.layout.width-2, 1)[0]))
	}
	return out
}

// heading returns the heading above the first row of a group.
func (f *Form) heading(i int) string {
	r := f.rows[i]
	if i > 0 && f.rows[i-1].group == r.group && f.rows[i-1].secondary == r.secondary {
		return ""
	}
	switch {
	case r.group == groupFields && r.secondary:
		return "More"
	case r.group == groupUnused:
		return "Not used here"
	case r.group == groupUnknown && len(r.Path) > len(f.cfg.Path):
		return "Not in the specification"
	case r.group == groupResponseOnly:
		return "Read-only"
	}
	return ""
}

// withLabel puts a label before the lines of a value, or above them in a narrow form.
func (f *Form) withLabel(r row, mark string, style lipgloss.Style, lines ...string) []string {
	star := ""
	if r.required {
		star = " *"
	}
	w := f.layout.labelWidth
	if f.layout.isNarrow() {
		w = max(f.layout.width-4, 1)
	}
	label := cutLine(r.Label, w-len(star))
	pad := strings.Repeat(" ", max(w-ansi.StringWidth(label)-len(star), 0))
	first := mark + style.Render(label) + f.cfg.Theme.Danger.Render(star)
	if r.group == groupAdder && f.name == nil {
		return []string{first}
	}
	var out []string
	indent := "    "
	if f.layout.isNarrow() {
		out = append(out, first)
	} else {
		indent = strings.Repeat(" ", w+3)
		out, lines = append(out, first+pad+" "+lines[0]), lines[1:]
	}
	for _, l := range lines {
		out = append(out, indent+l)
	}
	return out
}

// valueLine draws the value of a row in one line.
func (f *Form) valueLine(r row) string {
	t, w := f.cfg.Theme, f.layout.valueWidth()
	if r.group == groupAdder {
		return ""
	}
	if r.Shape == shapeSubform {
		style := t.Text
		if r.Value.Empty() {
			style = t.Faint
		}
		tail, alarm := "", t.Warning
		if n, wrong := f.countErrors(r); n > 0 {
			if tail = "  " + phrase.Count(n, "problem"); wrong {
				alarm = t.Danger
			}
		}
		return style.Render(cutLine("› "+summary(r.Node, r.Value)+unusedReason(r), max(w-len(tail), 4))) + alarm.Render(tail)
	}
	text := valueText(r.FieldState)
	if r.Shape == ShapeList || r.Write != nil && r.Shape != ShapeChoice {
		text = oneLine(firstRunes(r.Text, 300))
	}
	kind := r.Value.Kind()
	switch {
	case r.group != groupFields:
		return t.Faint.Render(cutLine(text+unusedReason(r), w))
	case kind == doc.Absent && r.Node.Default != "":
		return t.Faint.Render(cutLine("default "+defaultValue(r.Node), w))
	case kind == doc.Absent && text == "":
		return t.Faint.Render("—")
	case r.Value.Exists() && r.Value.Empty() || kind == doc.Null:
		return t.Faint.Render(string(r.Value.Encode()))
	}
	if block := f.swatch(r, r.Value.Text()); block != "" {
		return block + t.Text.Render(cutLine(text, w-swatchWidth))
	}
	if f.problemAt(r) == nil && f.isUnknown(r) {
		note := "  " + unknownNote
		return t.Text.Render(cutLine(text, max(w-ansi.StringWidth(note), 4))) + t.Warning.Render(note)
	}
	moment, off := f.describeTime(r)
	switch {
	case moment != "" && ansi.StringWidth(moment+off)+2 <= w:
		return t.Text.Render(moment) + "  " + t.Faint.Render(off)
	case moment != "":
		if ansi.StringWidth(moment) > w {
			moment, _, _ = strings.Cut(moment, " (") // the local time
		}
		return t.Text.Render(cutLine(moment, w))
	case r.Node == nil || !r.Node.Template:
		return t.Text.Render(cutLine(text, w))
	}
	return HighlightExpressions(cutLine(text, w), func(s string) string { return t.Text.Render(s) }, func(s string) string { return t.Info.Render(s) })
}

// unusedReason returns why the value of a row is not used.
func unusedReason(r row) string {
	if r.group != groupUnused || r.Why == "" {
		return ""
	}
	return "  (" + r.Why + ")"
}

// focusedLines draws the focused row: its editor, what its text means or why it is wrong, its help.
func (f *Form) focusedLines(r row) []string {
	t, w := f.cfg.Theme, f.layout.width
	lines := []string{f.valueLine(r)}
	switch {
	case f.name != nil:
		lines = []string{t.Muted.Render("name: ") + f.name.view(max(f.layout.valueWidth()-6, 1), 1)}
	case f.editor != nil:
		lines = f.editorLines(r)
	case r.Shape == shapeExternalText, r.Shape == shapeExternalJSON:
		lines = f.preview(r)
	}
	out := f.withLabel(r, t.Accent.Render("▸ "), t.Accent, lines...)
	words, notes, refused := f.meaning(r)
	if words != "" {
		out = append(out, indented(t.Info, w, "= "+words, 2)...)
	}
	for _, note := range notes {
		out = append(out, indented(t.Warning, w, "! "+sentence(note), 2)...)
	}
	if refused != "" {
		out = append(out, indented(t.Danger, w, "! "+sentence(refused), 3)...)
	} else if problem := f.problemAt(r); problem != nil && !f.isCompleting(r) {
		out = append(out, indented(f.problemStyle(*problem), w, "! "+f.problemText(r, problem), 3)...)
	}
	return append(out, indented(t.Faint, w, f.hint(r), 3)...)
}

// meaning returns what the text in the focused row means if that is not obvious, notes about it, and why it cannot be read.
func (f *Form) meaning(r row) (words string, notes []string, refused string) {
	_, changed := f.changedText()
	switch text := f.text(r); {
	case r.Read == nil || text == "", r.Shape == ShapeName && !changed, f.isCompleting(r):
		return "", nil, ""
	default:
		words, notes, err := r.Read(f.before, text)
		if err != nil {
			return "", nil, err.Error()
		}
		return words, notes, ""
	}
}

// isCompleting reports whether the text of the focused row is about to be continued or replaced by a highlighted
// suggestion, so that it is not an error yet.
func (f *Form) isCompleting(r row) bool {
	in, ok := f.editor.(*textEditor)
	if !ok || in.list.At() < 0 || in.list.FreeHighlighted() {
		return ok && in.completing
	}
	return in.replacing || r.Shape == ShapeWords || r.Shape == ShapeName
}

// editorLines draws the editor of the focused row, after a swatch of its color and before its unit.
func (f *Form) editorLines(r row) []string {
	w, block, unit := f.layout.valueWidth(), "", ""
	if in, ok := f.editor.(*textEditor); ok {
		block = f.swatch(r, in.Text())
	}
	if r.Node != nil && r.Node.Unit != "" && r.Shape == ShapeText {
		unit = " " + r.Node.Unit
	}
	w = max(w-ansi.StringWidth(block+unit), 1)
	lines := strings.Split(f.editor.view(w, f.layout.menuHeight()), "\n")
	lines[0] = block + lines[0] + f.cfg.Theme.Faint.Render(unit)
	return lines
}

// preview draws the first lines of a value that is edited externally.
func (f *Form) preview(r row) []string {
	t, w := f.cfg.Theme, f.layout.valueWidth()
	text := r.Value.Text()
	if r.Value.Kind() != doc.String {
		text = string(r.Value.Indent())
	}
	size := phrase.Count(utf8.RuneCountInString(text), "character")
	if n := strings.Count(text, "\n"); n > 0 {
		size += fmt.Sprintf(", %d lines", n+1)
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if len(out) == 3 {
			break
		}
		out = append(out, t.Text.Render(cutLine(oneLine(firstRunes(strings.TrimSuffix(line, "\r"), w)), w)))
	}
	return append(out, t.Faint.Render(cutLine(size+" · ", w))+t.Key.Render("ctrl+e")+t.Faint.Render(" opens the editor"))
}

// swatchWidth is the width of a swatch, including the blank after it.
const swatchWidth = 4

// swatch draws a block in the color that a text names, and a blank. It returns "" if the row is not a color, and in themes
// without colors.
func (f *Form) swatch(r row, text string) string {
	t := f.cfg.Theme
	if r.Node == nil || r.Shape != ShapeText || !hasForm(r.Node, schema.Color) || !schema.Color.Matches(text) || t.IsPlain() || t.Name == themes.None {
		return ""
	}
	color := lipgloss.Color(text[:min(len(text), len("#RRGGBB"))]) // without alpha
	return t.NewStyle().Background(color).Render(strings.Repeat(" ", swatchWidth-1)) + " "
}

// oneLine returns s as one line without control sequences.
func oneLine(s string) string { return textfield.OneLine(s) }

// cutLine cuts a line, which may be styled, to w cells.
func cutLine(line string, w int) string { return ansi.Truncate(line, max(w, 0), "…") }

// firstRunes returns the first n characters of s without reading the rest.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// wrapMax wraps a plain text to at most n lines of w cells. If there is more, the last line ends with an ellipsis after a
// whole word.
func wrapMax(text string, w, n int) []string {
	w = max(w, 1)
	lines := strings.Split(ansi.Wrap(firstRunes(text, w*(n+1)), w, ""), "\n")
	if len(lines) > n {
		last, _, _ := strings.Cut(ansi.Wrap(lines[n-1], max(w-2, 1), ""), "\n")
		lines = append(lines[:n-1], strings.TrimRight(last, " ")+" …")
	}
	return lines
}

// indented wraps a text below a row, in at most n lines.
func indented(style lipgloss.Style, width int, text string, n int) []string {
	if text == "" {
		return nil
	}
	lines := wrapMax(text, width-4, n)
	for i, l := range lines {
		lines[i] = "    " + style.Render(l)
	}
	return lines
}
