package content

import (
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// The widths of the grid, in cells.
const (
	leastColumn = 11 // of a variation: its name
	mostColumn  = 44
	mostNames   = 18 // of the locales' names
)

// Lines that are not messages.
const (
	headLines = 2
	leastFoot = 2  // what the cursor is on, and a line of how that stands
	mostFoot  = 3  // the same with two lines of it
	footFrom  = 7  // the height from which there is a foot
	footRoomy = 14 // the height from which it is the high one, whatever else there is
)

func itoa(n int) string { return strconv.Itoa(n) }

// namesWidth is the width of the column of locales.
func (t *table) namesWidth() int {
	w := len("100 of 100") + 2
	for _, l := range t.grid.Locales {
		w = max(w, widget.Width(widget.Clean(grid.LocaleName(l.Name)))+2)
	}
	for _, f := range t.fields {
		w = max(w, widget.Width(fieldName(f))+2)
	}
	return min(w, mostNames, max(t.cfg.Width/3, 6))
}

// columns returns the width of a variation, and how many are in sight.
func (t *table) columns() (width, shown int) {
	room := max(t.cfg.Width-t.namesWidth(), 1) + 1 // no gap after the last one
	shown = max(min(room/(leastColumn+1), len(t.grid.Variations)), 1)
	return min(max(room/shown-1, 1), mostColumn), shown
}

// footLines is how many lines there are below the grid. They depend on the height and on how much
// there is, never on what is said there: the grid does not jump as the cursor moves.
func (t *table) footLines() int {
	h := t.cfg.Height
	switch {
	case h < footFrom:
		return 0
	case h >= footRoomy, headLines+t.bodyLen()+mostFoot <= h:
		return mostFoot
	}
	return leastFoot
}

// bodyHeight is how many lines there are for locales and fields. A blank one parts them from the foot,
// unless it is all that keeps the last of them out of sight.
func (t *table) bodyHeight() int {
	h := t.cfg.Height - headLines - t.footLines()
	if t.footLines() > 0 && t.bodyLen() != h {
		h--
	}
	return max(h, 1)
}

// The body is the locales, a line that says what can be added, and the fields.
func (t *table) bodyLen() int { return len(t.grid.Locales) + 2 + len(t.fields) }

// lineOf returns the line of the body that a row is on.
func (t *table) lineOf(row int) int {
	if row >= len(t.grid.Locales) {
		return row + 2
	}
	return max(row, 0)
}

// scroll brings the cursor into sight.
func (t *table) scroll() {
	t.win.Resize(t.bodyLen(), t.bodyHeight())
	t.win.Select(t.lineOf(t.row))
	_, shown := t.columns()
	if t.col >= 0 {
		t.left = min(t.left, t.col)
		t.left = max(t.left, t.col-shown+1)
	}
	t.left = max(0, min(t.left, len(t.grid.Variations)-shown))
}

// drawing draws a table.
type drawing struct{ *table }

// View draws the grid: exactly as wide and as high as SetSize said.
func (g *Grid) View() string {
	w, h := g.cfg.Width, g.cfg.Height
	switch {
	case w <= 0 || h <= 0:
		return ""
	case g.adding != nil:
		return g.adding.view(w, h)
	case g.compare != nil:
		return g.compare.view(w, h)
	}
	d := drawing{g.table}
	lines := append(make([]string, 0, h), d.headNames(), d.headShares())
	from, to := g.win.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, d.bodyLine(i))
	}
	if foot := g.footLines(); foot > 0 {
		for len(lines) < h-foot {
			lines = append(lines, "")
		}
		lines = append(lines, d.foot(foot)...)
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// headNames names the variations in sight.
func (d drawing) headNames() string {
	t := d.cfg.Theme
	width, shown := d.columns()
	var b strings.Builder
	more := " "
	if d.left > 0 {
		more = "‹"
	}
	b.WriteString(t.Faint.Render(widget.PadRight(d.beyond(), d.namesWidth()-1) + more))
	for j := d.left; j < d.left+shown && j < len(d.grid.Variations); j++ {
		v := d.grid.Variations[j]
		text := widget.PadRight(widget.Clean(d.variation(j)), width)
		switch {
		case d.row < 0 && j == d.col && d.share == nil:
			b.WriteString(d.cursor(text))
		case v.Unlisted:
			b.WriteString(t.Warning.Render(text))
		default:
			b.WriteString(t.Header.Render(text))
		}
		b.WriteString(" ")
	}
	if d.left+shown < len(d.grid.Variations) {
		return widget.PadRight(strings.TrimSuffix(b.String(), " "), d.cfg.Width-1) + t.Faint.Render("›")
	}
	return b.String()
}

// beyond says that there are lines above or below those in sight.
func (d drawing) beyond() string {
	from, to := d.win.Visible()
	text := ""
	if from > 0 {
		text = "↑ "
	}
	if to < d.win.Len {
		text += "↓"
	}
	return text
}

// headShares draws the percentages of the variations in sight, and before them their sum.
func (d drawing) headShares() string {
	t := d.cfg.Theme
	width, shown := d.columns()
	var b strings.Builder
	sum, tone := d.sum()
	b.WriteString(t.Paint(tone, widget.PadRight(sum, d.namesWidth())))
	for j := d.left; j < d.left+shown && j < len(d.grid.Variations); j++ {
		v := d.grid.Variations[j]
		text, style := d.shareWords(v), t.Muted
		if v.Unlisted {
			style = t.Warning
		}
		if d.share != nil && j == d.col {
			caret := " "
			if t.IsPlain() {
				caret = "_"
			}
			b.WriteString(t.Strong.Render(d.share.text) + t.Cursor.Render(caret) + t.Muted.Render(widget.PadRight("%", width-widget.Width(d.share.text)-1)))
		} else {
			b.WriteString(style.Render(widget.PadRight(text, width)))
		}
		b.WriteString(" ")
	}
	return b.String()
}

func (d drawing) shareWords(v grid.Variation) string {
	switch {
	case v.Unlisted:
		return "not in the test"
	case d.grid.Split == grid.Automatic:
		return "optimized"
	case len(d.grid.Variations) < 2:
		return "everyone"
	case v.Share == "":
		return "–%"
	}
	return widget.Clean(v.Share) + "%"
}

// sum returns what the percentages add up to.
func (d drawing) sum() (string, themes.Tone) {
	if d.splitWhy() != "" {
		return "", themes.ToneMuted
	}
	sum, ok := d.grid.Sum()
	text := strconv.FormatFloat(sum, 'f', -1, 64) + " of 100"
	switch {
	case !ok:
		return "? of 100", themes.ToneWarning
	case sum != 100:
		return text, themes.ToneWarning
	}
	return text, themes.ToneSuccess
}

func (d drawing) bodyLine(i int) string {
	n := len(d.grid.Locales)
	switch {
	case i < n:
		return d.localeLine(i)
	case i == n:
		if d.locked() != "" {
			return ""
		}
		return d.cfg.Theme.Faint.Render(widget.Truncate(addWords, d.cfg.Width))
	case i == n+1:
		return d.cfg.Theme.Border.Render(strings.Repeat("─", d.cfg.Width))
	}
	return d.fieldLine(i - n - 2)
}

// addWords say what can be added, and are pressed with the mouse.
const (
	addLocaleWords    = "+ locale (a)"
	addVariationWords = "+ variation (A)"
	addWords          = addLocaleWords + "   " + addVariationWords
)

func (d drawing) localeLine(i int) string {
	t := d.cfg.Theme
	l := d.grid.Locales[i]
	var b strings.Builder
	text := widget.PadRight(widget.Clean(grid.LocaleName(l.Name)), d.namesWidth()-1)
	switch {
	case d.onLocale() && d.row == i:
		b.WriteString(d.cursor(text))
	case l.Unlisted:
		b.WriteString(t.Warning.Render(text))
	default:
		b.WriteString(t.Strong.Render(text))
	}
	b.WriteString(" ")
	width, shown := d.columns()
	for j := d.left; j < d.left+shown && j < len(d.grid.Variations); j++ {
		b.WriteString(d.cellView(i, j, width) + " ")
	}
	return b.String()
}

// cellView draws a cell: a sign for its state, and what it is known by.
func (d drawing) cellView(i, j, width int) string {
	t := d.cfg.Theme
	c := d.cell(i, j)
	sign, tone, text := d.state(c)
	mark := " "
	if d.mem.marks[keyOf(c.Locale, c.Variation)] {
		mark = "▪"
	}
	room := max(width-2-widget.Width(sign), 0)
	text = widget.PadRight(widget.Clean(text), room)
	if d.inCell() && d.row == i && d.col == j {
		return d.cursor(widget.PadRight(mark+sign+" "+text, width))
	}
	style := themes.ToneText
	if sign == signTwin || !d.grid.Value(c).Exists() {
		style = themes.ToneMuted
	}
	return t.Paint(themes.ToneAccent, mark) + t.Paint(tone, sign) + " " + d.marked(style, text)
}

// marked draws a text with its expressions in another tone.
func (d drawing) marked(tone themes.Tone, text string) string {
	t := d.cfg.Theme
	var b strings.Builder
	for text != "" {
		from := strings.Index(text, "{{")
		if from < 0 {
			from = len(text)
		}
		b.WriteString(t.Paint(tone, text[:from]))
		text = text[from:]
		to := len(text)
		if i := strings.Index(text, "}}"); i >= 0 {
			to = i + len("}}")
		}
		b.WriteString(t.Paint(themes.ToneInfo, text[:to]))
		text = text[to:]
	}
	return b.String()
}

// The signs of a cell's state.
const (
	signEmpty = "○"
	signDone  = "✓"
	signTwin  = "="
	signFault = "◐"
)

// state tells how a cell stands.
func (d drawing) state(c grid.Cell) (sign string, tone themes.Tone, text string) {
	text = d.grid.Excerpt(c)
	n := d.faults[keyOf(c.Locale, c.Variation)]
	switch {
	case !d.grid.Value(c).Exists():
		if n == 0 {
			return signEmpty, themes.ToneFaint, "empty"
		}
		return signEmpty, themes.ToneWarning, "empty"
	case n > 0:
		sign, tone = signFault+itoa(n), themes.ToneWarning
	default:
		sign, tone = signDone, themes.ToneSuccess
		if _, ok := d.twins.Find(c); ok {
			sign, tone = signTwin, themes.ToneInfo
		}
	}
	if text == "" {
		text = "untitled"
	}
	return sign, tone, text
}

// cursor draws what the cursor is on.
func (d drawing) cursor(text string) string {
	t := d.cfg.Theme
	switch {
	case d.resting:
		return t.SelectedBlur.Render(text)
	case t.IsPlain():
		r := []rune(text)
		return "▸" + string(r[min(1, len(r)):])
	}
	return t.Selected.Render(text)
}

func fieldName(f field) string {
	if f.Node == nil {
		return widget.Clean(f.Path.Last().Name)
	}
	return f.Node.Label()
}

func (d drawing) fieldLine(i int) string {
	t, f := d.cfg.Theme, d.fields[i]
	names := d.namesWidth()
	name := widget.PadRight(fieldName(f), names)
	room := max(d.cfg.Width-names, 0)
	text := widget.PadRight(f.summary, room)
	if d.row == len(d.grid.Locales)+i {
		return d.cursor(" "+widget.PadRight(fieldName(f), names-1)) + t.Muted.Render(text)
	}
	return t.Text.Render(" "+strings.TrimSuffix(name, " ")) + t.Muted.Render(text)
}

// summary says what a member holds, in a few words.
func summary(f schema.FieldState) string {
	v := f.Value
	switch {
	case f.Node == nil:
		return "unknown field · " + widget.Clean(string(v.Encode()))
	case v.Empty():
		return "—"
	case v.Kind() == doc.Array:
		return widget.Clean(strings.Join(v.Strings(), ", "))
	case v.Kind() != doc.Object:
		return widget.Clean(string(v.Encode()))
	}
	var words []string
	for _, n := range f.Node.Children {
		m := v.Get(n.Name)
		switch {
		case m.Kind() == doc.String && m.Text() != "":
			text := m.Text()
			for _, o := range n.Options {
				if o.Value == text {
					text = o.Title()
				}
			}
			words = append(words, n.Label()+": "+text)
		case m.Kind() == doc.Number:
			words = append(words, n.Label()+": "+n.WithUnit(m.Literal()))
		}
	}
	if len(words) == 0 {
		return "open as a form"
	}
	return widget.Clean(strings.Join(words, " · "))
}
