package forms

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// span is where a row stands among the lines of the form.
type span struct{ from, to int }

// narrow is the width under which a value stands below its label.
const narrow = 44

func (f *Form) isNarrow() bool { return f.cfg.Width < narrow }

// valueWidth returns the cells that a value may take.
func (f *Form) valueWidth() int {
	if f.isNarrow() {
		return max(f.cfg.Width-4, 1)
	}
	return max(f.cfg.Width-f.labels-3, 1)
}

// menuHeight returns the lines that an open list may take.
func (f *Form) menuHeight() int { return max(f.cfg.Height-5, 3) }

// heading returns the line over the first row of a group.
func (f *Form) heading(i int) string {
	r := f.rows[i]
	if i > 0 && f.rows[i-1].group == r.group && f.rows[i-1].more == r.more {
		return ""
	}
	switch r.group {
	case shown:
		if r.more {
			return "More"
		}
	case unused:
		return "Not used here"
	case unknown:
		if len(r.Path) > len(f.cfg.Path) {
			return "Not in the specification"
		}
	case received:
		return "Read-only"
	}
	return ""
}

// arrange finds out where each row stands, and scrolls so that the focused one is in sight.
func (f *Form) arrange() {
	f.labels = 8
	for _, r := range f.rows {
		f.labels = max(f.labels, ansi.StringWidth(r.label)+2)
	}
	f.labels = min(f.labels, 30, max(f.cfg.Width*12/25, 8))

	f.spans = f.spans[:0]
	line := 0
	for i := range f.rows {
		n := len(f.lines(i))
		f.spans = append(f.spans, span{line, line + n})
		line += n
	}
	body := f.body(line)
	if f.at < len(f.spans) {
		s := f.spans[f.at]
		if s.to-s.from > body && f.heading(f.at) != "" {
			s.from++ // rather the field than what stands over it
		}
		f.top = max(min(f.top, s.from), min(s.to-body, s.from))
	}
	f.top = max(min(f.top, line-body), 0)
}

// body returns the lines left for rows, of a form that has total lines of them.
func (f *Form) body(total int) int {
	n := f.cfg.Height - len(f.head())
	if total > n && n > 4 {
		n-- // the line that says how much more there is
	}
	return max(n, 1)
}

// isFocused reports whether row i is drawn as the focused one.
func (f *Form) isFocused(i int) bool { return i == f.at && (!f.resting || f.Modal()) }

// lines draws the unstyled measure of a row that has not the focus, or the focused row. Both are
// cheap: the first makes no text, the second is one row.
func (f *Form) lines(i int) []string {
	if f.isFocused(i) {
		return f.drawFocused(i)
	}
	n := 1
	if f.isNarrow() && f.rows[i].group != adder {
		n++
	}
	if f.heading(i) != "" {
		n++
	}
	if f.directProblem(f.rows[i]) != nil {
		n++
	}
	return make([]string, n)
}

// View draws the form: never wider nor taller than its size, scrolled to the focused field.
func (f *Form) View() string {
	if f.cfg.Width <= 0 || f.cfg.Height <= 0 {
		return ""
	}
	if f.picking != nil {
		return f.pickingView()
	}
	out := f.head()
	if len(f.rows) == 0 {
		out = append(out, f.cfg.Theme.Faint.Render("This section has no fields."))
	}
	total := 0
	if n := len(f.spans); n > 0 {
		total = f.spans[n-1].to
	}
	body := f.body(total)
	for i, s := range f.spans {
		if s.to <= f.top || s.from >= f.top+body {
			continue
		}
		drawn := f.draw(i)
		out = append(out, drawn[max(f.top-s.from, 0):min(len(drawn), f.top+body-s.from)]...)
	}
	if total > body && f.cfg.Height-len(f.head()) > 4 {
		out = append(out, f.cfg.Theme.Faint.Render(f.more(body)))
	}
	out = out[:min(len(out), f.cfg.Height)]
	for i := range out {
		out[i] = fit(out[i], f.cfg.Width)
	}
	return strings.Join(out, "\n")
}

// more returns how many fields are out of sight.
func (f *Form) more(body int) string {
	above, below := 0, 0
	for _, s := range f.spans {
		if s.from < f.top {
			above++
		}
		if s.to > f.top+body {
			below++
		}
	}
	switch {
	case above == 0:
		return fmt.Sprintf("  ↓ %d more", below)
	case below == 0:
		return fmt.Sprintf("  ↑ %d more", above)
	}
	return fmt.Sprintf("  ↑ %d  ↓ %d more", above, below)
}

// head returns the lines over the rows: what went wrong, why nothing here may be changed, and what is
// wrong with the object itself. They take at most a third of the form.
func (f *Form) head() []string {
	var out []string
	add := func(style lipgloss.Style, text string) {
		for _, l := range strings.Split(ansi.Wrap(oneLine(text), max(f.cfg.Width, 1), ""), "\n") {
			out = append(out, style.Render(l))
		}
	}
	if f.failure != "" {
		add(f.cfg.Theme.Danger, "! "+f.failure)
	}
	if why := f.lockedHere(); why != "" {
		add(f.cfg.Theme.Warning, why)
	}
	shown := 0
	for _, p := range f.problems {
		if shown < 2 && f.isOwn(p) && len(f.rows) > 0 {
			add(f.problemStyle(p), "! "+f.about(p))
			shown++
		}
	}
	return out[:min(len(out), max(f.cfg.Height/3, 1), max(f.cfg.Height-1, 0))]
}

func (f *Form) draw(i int) []string {
	if f.isFocused(i) {
		return f.drawFocused(i)
	}
	r, t := f.rows[i], f.cfg.Theme
	var out []string
	if h := f.heading(i); h != "" {
		out = append(out, t.Title.Render(h))
	}
	style := t.Muted
	if r.group == unused || r.group == unknown || r.group == received {
		style = t.Faint
	}
	out = append(out, f.labelled(r, "  ", style, f.valueLine(r))...)
	if p := f.directProblem(r); p != nil {
		out = append(out, "  "+f.problemStyle(*p).Render(wrapMost("! "+f.problemText(r, p), f.cfg.Width-2, 1)[0]))
	}
	return out
}

// labelled puts a label before the lines of a value, or over them in a narrow form.
func (f *Form) labelled(r row, mark string, style lipgloss.Style, lines ...string) []string {
	label, star := r.label, ""
	if r.Required {
		star = " *"
	}
	w := f.labels
	if f.isNarrow() {
		w = max(f.cfg.Width-4, 1)
	}
	label = fit(label, w-len(star))
	pad := strings.Repeat(" ", max(w-ansi.StringWidth(label)-len(star), 0))
	first := mark + style.Render(label)
	if star != "" {
		first += f.cfg.Theme.Danger.Render(star)
	}
	var out []string
	indent := strings.Repeat(" ", w+3)
	switch {
	case r.group == adder && f.naming == nil:
		return []string{first}
	case f.isNarrow():
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
func (f *Form) valueLine(r row) string {
	t, w := f.cfg.Theme, f.valueWidth()
	if r.group == adder {
		return ""
	}
	if r.shape == entry {
		text := "› " + summary(r.Node, r.Value) + f.reason(r)
		style := t.Text
		if r.Value.Empty() {
			style = t.Faint
		}
		tail := ""
		if n := len(schema.Errors(f.problemsOf(r))); n > 0 {
			tail = "  " + plural(n, "problems")
		}
		return style.Render(fit(text, max(w-len(tail), 4))) + t.Danger.Render(tail)
	}
	text := valueText(f.shownState(r))
	if r.shape == phrase {
		text = oneLine(r.text)
	}
	if r.shape == commas {
		text = oneLine(head(commaText(r.Value), 300))
	}
	switch {
	case r.group != shown:
		return t.Faint.Render(fit(text+f.reason(r), w))
	case r.Value.Kind() == doc.Absent && r.Node.Default != "":
		return t.Faint.Render(fit(defaultText(r.Node), w))
	case r.Value.Kind() == doc.Absent && text == "":
		return t.Faint.Render("—")
	case r.Value.Empty() && r.Value.Kind() != doc.Null:
		return t.Faint.Render(string(r.Value.Encode()))
	case r.Value.Kind() == doc.Null:
		return t.Faint.Render("null")
	}
	if block := f.swatch(r, r.Value.Text()); block != "" {
		return block + t.Text.Render(fit(text, w-swatchWidth))
	}
	if f.unknownName(r) {
		note := "  " + notKnown
		return t.Text.Render(fit(text, max(w-ansi.StringWidth(note), 4))) + t.Warning.Render(note)
	}
	moment, off := f.atRest(r)
	if moment == "" {
		return f.marked(r, fit(text, w), t.Text)
	}
	if ansi.StringWidth(moment+off)+2 <= w {
		return t.Text.Render(moment) + "  " + t.Faint.Render(off)
	}
	return t.Text.Render(fit(moment, w))
}

// reason returns after a value that is kept why nothing reads it.
func (f *Form) reason(r row) string {
	if r.group != unused || r.Why == "" {
		return ""
	}
	return "  (" + r.Why + ")"
}

func (f *Form) shownState(r row) schema.FieldState {
	if f.list && r.Node != nil {
		r.Options = optionStates(r.Node)
	}
	return r.FieldState
}

// drawFocused draws the focused row: its editor, what is wrong with it, what it is for.
func (f *Form) drawFocused(i int) []string {
	r, t := f.rows[i], f.cfg.Theme
	var out []string
	if h := f.heading(i); h != "" {
		out = append(out, t.Title.Render(h))
	}
	lines := []string{f.valueLine(r)}
	switch {
	case f.naming != nil:
		lines = []string{t.Muted.Render("name: ") + f.ed.view(max(f.valueWidth()-6, 1), 1)}
	case f.ed != nil:
		lines = f.editorLines(r)
	case r.shape == long, r.shape == raw:
		lines = f.preview(r)
	}
	out = append(out, f.labelled(r, t.Accent.Render("▸ "), t.Accent, lines...)...)
	words, notes, refused := f.understood(r)
	if r.shape == phrase {
		words, refused = f.spanUnderstood(r)
	}
	if words != "" {
		out = append(out, f.indented(t.Info, "= "+words, 2)...)
	}
	for _, note := range notes {
		out = append(out, f.indented(t.Warning, "! "+f.sentence(note), 2)...)
	}
	if refused != "" {
		out = append(out, f.indented(t.Danger, "! "+f.sentence(refused), 3)...)
	} else if p := f.directProblem(r); p != nil && !f.completing() && !f.choosing(r) {
		out = append(out, f.indented(f.problemStyle(*p), "! "+f.problemText(r, p), 3)...)
	}
	return append(out, f.indented(t.Faint, f.hint(r), 3)...)
}

// editorLines draws the editor of the focused row, a swatch of its color before it.
func (f *Form) editorLines(r row) []string {
	text := ""
	if in, ok := f.ed.(*input); ok {
		text = unpack(in.text)
	}
	block := f.swatch(r, text)
	w := f.valueWidth()
	if block != "" {
		w = max(w-swatchWidth, 1)
	}
	unit := ""
	if r.Node != nil && r.Node.Unit != "" && r.shape == oneline {
		unit = " " + r.Node.Unit
		w = max(w-ansi.StringWidth(unit), 1)
	}
	lines := strings.Split(f.ed.view(w, f.menuHeight()), "\n")
	lines[0] = block + lines[0] + f.cfg.Theme.Faint.Render(unit)
	return lines
}

// indented wraps a text below a row, in at most n lines.
func (f *Form) indented(style lipgloss.Style, text string, n int) []string {
	if text == "" {
		return nil
	}
	var out []string
	w := max(f.cfg.Width-4, 1)
	for _, l := range wrapMost(text, w, n) {
		out = append(out, "    "+style.Render(l))
	}
	return out
}
