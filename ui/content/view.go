package content

import (
	"strconv"
	"strings"

	"bugle/engine/content"
	"bugle/engine/doc"
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
func (g *Grid) namesWidth() int {
	w := len("100 of 100") + 2
	for _, l := range g.grid.Locales {
		w = max(w, widget.Width(widget.Clean(content.LocaleName(l.Name)))+2)
	}
	for _, f := range g.fields {
		w = max(w, widget.Width(fieldName(f))+2)
	}
	return min(w, mostNames, max(g.cfg.Width/3, 6))
}

// columns gives the width of a variation, and how many are in sight.
func (g *Grid) columns() (width, shown int) {
	room := max(g.cfg.Width-g.namesWidth(), 1) + 1 // no gap after the last one
	shown = max(min(room/(leastColumn+1), len(g.grid.Variations)), 1)
	return min(max(room/shown-1, 1), mostColumn), shown
}

// footLines is how many lines there are below the grid. They depend on the height and on how much
// there is, never on what is said there: the grid does not jump as the cursor moves.
func (g *Grid) footLines() int {
	h := g.cfg.Height
	switch {
	case h < footFrom:
		return 0
	case h >= footRoomy, headLines+g.bodyLen()+mostFoot <= h:
		return mostFoot
	}
	return leastFoot
}

// bodyHeight is how many lines there are for locales and fields. A blank one parts them from the foot,
// unless it is all that keeps the last of them out of sight.
func (g *Grid) bodyHeight() int {
	h := g.cfg.Height - headLines - g.footLines()
	if g.footLines() > 0 && g.bodyLen() != h {
		h--
	}
	return max(h, 1)
}

// The body is the locales, a line that says what can be added, and the fields.
func (g *Grid) bodyLen() int { return len(g.grid.Locales) + 2 + len(g.fields) }

// lineOf gives the line of the body that a row is on.
func (g *Grid) lineOf(row int) int {
	if row >= len(g.grid.Locales) {
		return row + 2
	}
	return max(row, 0)
}

// scroll brings the cursor into sight.
func (g *Grid) scroll() {
	g.win.Resize(g.bodyLen(), g.bodyHeight())
	g.win.Select(g.lineOf(g.row))
	_, shown := g.columns()
	if g.col >= 0 {
		g.left = min(g.left, g.col)
		g.left = max(g.left, g.col-shown+1)
	}
	g.left = max(0, min(g.left, len(g.grid.Variations)-shown))
}

// View draws the grid: exactly as wide and as high as SetSize said.
func (g *Grid) View() string {
	w, h := g.cfg.Width, g.cfg.Height
	switch {
	case w <= 0 || h <= 0:
		return ""
	case g.adding != nil:
		return g.addView(w, h)
	case g.compare != nil:
		return g.compareView(w, h)
	}
	lines := append(make([]string, 0, h), g.headNames(), g.headShares())
	from, to := g.win.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, g.bodyLine(i))
	}
	if foot := g.footLines(); foot > 0 {
		for len(lines) < h-foot {
			lines = append(lines, "")
		}
		lines = append(lines, g.foot(foot)...)
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// headNames names the variations in sight.
func (g *Grid) headNames() string {
	t := g.cfg.Theme
	width, shown := g.columns()
	var b strings.Builder
	more := " "
	if g.left > 0 {
		more = "‹"
	}
	b.WriteString(t.Faint.Render(widget.PadRight(g.beyond(), g.namesWidth()-1) + more))
	for j := g.left; j < g.left+shown && j < len(g.grid.Variations); j++ {
		v := g.grid.Variations[j]
		text := widget.PadRight(widget.Clean(g.variation(j)), width)
		switch {
		case g.row < 0 && j == g.col && g.share == nil:
			b.WriteString(g.cursor(text))
		case v.Stray:
			b.WriteString(t.Warning.Render(text))
		default:
			b.WriteString(t.Header.Render(text))
		}
		b.WriteString(" ")
	}
	if g.left+shown < len(g.grid.Variations) {
		return widget.PadRight(strings.TrimSuffix(b.String(), " "), g.cfg.Width-1) + t.Faint.Render("›")
	}
	return b.String()
}

// beyond says that there are lines above or below those in sight.
func (g *Grid) beyond() string {
	from, to := g.win.Visible()
	text := ""
	if from > 0 {
		text = "↑ "
	}
	if to < g.win.Len {
		text += "↓"
	}
	return text
}

// headShares gives each variation in sight its percentage, and before them their sum.
func (g *Grid) headShares() string {
	t := g.cfg.Theme
	width, shown := g.columns()
	var b strings.Builder
	sum, tone := g.sum()
	b.WriteString(t.Paint(tone, widget.PadRight(sum, g.namesWidth())))
	for j := g.left; j < g.left+shown && j < len(g.grid.Variations); j++ {
		v := g.grid.Variations[j]
		text, style := g.shareWords(v), t.Muted
		if v.Stray {
			style = t.Warning
		}
		if g.share != nil && j == g.col {
			caret := " "
			if t.IsPlain() {
				caret = "_"
			}
			b.WriteString(t.Strong.Render(g.share.text) + t.Cursor.Render(caret) + t.Muted.Render(widget.PadRight("%", width-widget.Width(g.share.text)-1)))
		} else {
			b.WriteString(style.Render(widget.PadRight(text, width)))
		}
		b.WriteString(" ")
	}
	return b.String()
}

func (g *Grid) shareWords(v content.Variation) string {
	switch {
	case v.Stray:
		return "not in the test"
	case g.grid.Split == content.Automatic:
		return "optimized"
	case len(g.grid.Variations) < 2:
		return "everyone"
	case v.Share == "":
		return "–%"
	}
	return widget.Clean(v.Share) + "%"
}

// sum gives what the percentages add up to.
func (g *Grid) sum() (string, themes.Tone) {
	if g.splitWhy() != "" {
		return "", themes.ToneMuted
	}
	sum, ok := g.grid.Sum()
	text := strconv.FormatFloat(sum, 'f', -1, 64) + " of 100"
	switch {
	case !ok:
		return "? of 100", themes.ToneWarning
	case sum != 100:
		return text, themes.ToneWarning
	}
	return text, themes.ToneSuccess
}

func (g *Grid) bodyLine(i int) string {
	n := len(g.grid.Locales)
	switch {
	case i < n:
		return g.localeLine(i)
	case i == n:
		if g.locked() != "" {
			return ""
		}
		return g.cfg.Theme.Faint.Render(widget.Truncate(addWords, g.cfg.Width))
	case i == n+1:
		return g.cfg.Theme.Border.Render(strings.Repeat("─", g.cfg.Width))
	}
	return g.fieldLine(i - n - 2)
}

// addWords say what can be added, and are pressed with the mouse.
const (
	addLocaleWords    = "+ locale (a)"
	addVariationWords = "+ variation (A)"
	addWords          = addLocaleWords + "   " + addVariationWords
)

func (g *Grid) localeLine(i int) string {
	t := g.cfg.Theme
	l := g.grid.Locales[i]
	var b strings.Builder
	text := widget.PadRight(widget.Clean(content.LocaleName(l.Name)), g.namesWidth()-1)
	switch {
	case g.onLocale() && g.row == i:
		b.WriteString(g.cursor(text))
	case l.Stray:
		b.WriteString(t.Warning.Render(text))
	default:
		b.WriteString(t.Strong.Render(text))
	}
	b.WriteString(" ")
	width, shown := g.columns()
	for j := g.left; j < g.left+shown && j < len(g.grid.Variations); j++ {
		b.WriteString(g.cellView(i, j, width) + " ")
	}
	return b.String()
}

// cellView draws a cell: a sign for its state, and what it is known by.
func (g *Grid) cellView(i, j, width int) string {
	t := g.cfg.Theme
	c := g.cell(i, j)
	sign, tone, text := g.state(c)
	mark := " "
	if g.mem.marks[keyOf(c.Locale, c.Variation)] {
		mark = "▪"
	}
	room := max(width-2-widget.Width(sign), 0)
	text = widget.PadRight(widget.Clean(text), room)
	if g.inCell() && g.row == i && g.col == j {
		return g.cursor(widget.PadRight(mark+sign+" "+text, width))
	}
	style := themes.ToneText
	if sign == signTwin || !g.grid.Value(c).Exists() {
		style = themes.ToneMuted
	}
	return t.Paint(themes.ToneAccent, mark) + t.Paint(tone, sign) + " " + g.marked(style, text)
}

// marked draws a text with its expressions in another tone.
func (g *Grid) marked(tone themes.Tone, text string) string {
	t := g.cfg.Theme
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
func (g *Grid) state(c content.Cell) (sign string, tone themes.Tone, text string) {
	text = g.grid.Excerpt(c)
	n := g.faults[keyOf(c.Locale, c.Variation)]
	switch {
	case !g.grid.Value(c).Exists():
		if n == 0 {
			return signEmpty, themes.ToneFaint, "empty"
		}
		return signEmpty, themes.ToneWarning, "empty"
	case n > 0:
		sign, tone = signFault+itoa(n), themes.ToneWarning
	default:
		sign, tone = signDone, themes.ToneSuccess
		if _, ok := g.twins.Of(c); ok {
			sign, tone = signTwin, themes.ToneInfo
		}
	}
	if text == "" {
		text = "untitled"
	}
	return sign, tone, text
}

// cursor draws what the cursor is on.
func (g *Grid) cursor(text string) string {
	t := g.cfg.Theme
	switch {
	case g.resting:
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

func (g *Grid) fieldLine(i int) string {
	t, f := g.cfg.Theme, g.fields[i]
	names := g.namesWidth()
	name := widget.PadRight(fieldName(f), names)
	room := max(g.cfg.Width-names, 0)
	text := widget.PadRight(f.summary, room)
	if g.row == len(g.grid.Locales)+i {
		return g.cursor(" "+widget.PadRight(fieldName(f), names-1)) + t.Muted.Render(text)
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
			words = append(words, n.Label()+": "+n.Counted(m.Literal()))
		}
	}
	if len(words) == 0 {
		return "as a form"
	}
	return widget.Clean(strings.Join(words, " · "))
}
