package content

import (
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/widget"
)

// Widths in the grid, in cells.
const (
	minColumnWidth = 11 // of a variation's name
	maxColumnWidth = 44
	maxNamesWidth  = 18 // of the locale names
)

// Lines that are not messages.
const (
	headerHeight        = 2
	minFooterHeight     = 2  // what is under the cursor, and one line about its state
	maxFooterHeight     = 3  // the same with two lines
	footerMinHeight     = 7  // the minimum height for a footer
	tallFooterMinHeight = 14 // the minimum height for a tall footer regardless of content
)

func itoa(n int) string { return strconv.Itoa(n) }

// namesWidth returns the width of the column of locales.
func (t *table) namesWidth() int {
	w := len("100 of 100") + 2
	for _, l := range t.grid.Locales {
		w = max(w, widget.Width(widget.Clean(grid.LocaleName(l.Name)))+2)
	}
	for _, f := range t.fields {
		w = max(w, widget.Width(fieldName(f))+2)
	}
	return min(w, maxNamesWidth, max(t.cfg.Width/3, 6))
}

// columns returns the width of a variation and the number of visible ones.
func (t *table) columns() (width, shown int) {
	room := max(t.cfg.Width-t.namesWidth(), 1) + 1 // no gap after the last one
	shown = max(min(room/(minColumnWidth+1), len(t.grid.Variations)), 1)
	return min(max(room/shown-1, 1), maxColumnWidth), shown
}

// footerHeight returns the number of lines below the grid. It depends on the height and the amount of content,
// never on the text, so that the grid does not jump as the cursor moves.
func (t *table) footerHeight() int {
	h := t.cfg.Height
	switch {
	case h < footerMinHeight:
		return 0
	case h >= tallFooterMinHeight, headerHeight+t.bodyLen()+maxFooterHeight <= h:
		return maxFooterHeight
	}
	return minFooterHeight
}

// bodyHeight returns the number of lines for locales and fields. A blank line separates them from the footer
// unless the body needs it.
func (t *table) bodyHeight() int {
	h := t.cfg.Height - headerHeight - t.footerHeight()
	if t.footerHeight() > 0 && t.bodyLen() != h {
		h--
	}
	return max(h, 1)
}

// bodyLen returns the number of lines of the body: the locales, a line with what can be added, and the fields.
func (t *table) bodyLen() int { return len(t.grid.Locales) + 2 + len(t.fields) }

// lineOf returns the line of the body that a row is on.
func (t *table) lineOf(row int) int {
	if row >= len(t.grid.Locales) {
		return row + 2
	}
	return max(row, 0)
}

// scroll scrolls to the cursor.
func (t *table) scroll() {
	t.win.Resize(t.bodyLen(), t.bodyHeight())
	t.win.Select(t.lineOf(t.row))
	_, shown := t.columns()
	if t.col >= 0 {
		t.firstColumn = min(t.firstColumn, t.col)
		t.firstColumn = max(t.firstColumn, t.col-shown+1)
	}
	t.firstColumn = max(0, min(t.firstColumn, len(t.grid.Variations)-shown))
}

// renderer draws a table.
type renderer struct{ *table }

// View draws exactly the size set by SetSize.
func (g *Grid) View() string {
	w, h := g.cfg.Width, g.cfg.Height
	switch {
	case w <= 0 || h <= 0:
		return ""
	case g.addDialog != nil:
		return g.addDialog.view(w, h)
	case g.compare != nil:
		return g.compare.view(w, h)
	}
	d := renderer{g.table}
	lines := append(make([]string, 0, h), d.headerNames(), d.headerShares())
	from, to := g.win.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, d.bodyLine(i))
	}
	if foot := g.footerHeight(); foot > 0 {
		for len(lines) < h-foot {
			lines = append(lines, "")
		}
		lines = append(lines, d.footer(foot)...)
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// headerNames draws the names of the visible variations.
func (d renderer) headerNames() string {
	t := d.cfg.Theme
	width, shown := d.columns()
	var b strings.Builder
	more := " "
	if d.firstColumn > 0 {
		more = "‹"
	}
	b.WriteString(t.Faint.Render(widget.PadRight(d.moreLines(), d.namesWidth()-1) + more))
	for j := d.firstColumn; j < d.firstColumn+shown && j < len(d.grid.Variations); j++ {
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
	if d.firstColumn+shown < len(d.grid.Variations) {
		return widget.PadRight(strings.TrimSuffix(b.String(), " "), d.cfg.Width-1) + t.Faint.Render("›")
	}
	return b.String()
}

// moreLines indicates that there are lines above or below the visible ones.
func (d renderer) moreLines() string {
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

// headerShares draws the percentages of the visible variations after their sum.
func (d renderer) headerShares() string {
	t := d.cfg.Theme
	width, shown := d.columns()
	var b strings.Builder
	sum, tone := d.sum()
	b.WriteString(t.Paint(tone, widget.PadRight(sum, d.namesWidth())))
	for j := d.firstColumn; j < d.firstColumn+shown && j < len(d.grid.Variations); j++ {
		v := d.grid.Variations[j]
		text, style := d.shareText(v), t.Muted
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

func (d renderer) shareText(v grid.Variation) string {
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

// sum returns the sum of the percentages.
func (d renderer) sum() (string, themes.Tone) {
	if d.shareLockedReason() != "" {
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

func (d renderer) bodyLine(i int) string {
	n := len(d.grid.Locales)
	switch {
	case i < n:
		return d.localeLine(i)
	case i == n:
		if d.locked() != "" {
			return ""
		}
		return d.cfg.Theme.Faint.Render(widget.Truncate(addText, d.cfg.Width))
	case i == n+1:
		return d.cfg.Theme.Border.Render(strings.Repeat("─", d.cfg.Width))
	}
	return d.fieldLine(i - n - 2)
}

// Texts for what can be added, which can be clicked.
const (
	addLocaleText    = "+ locale (a)"
	addVariationText = "+ variation (A)"
	addText          = addLocaleText + "   " + addVariationText
)

func (d renderer) localeLine(i int) string {
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
	for j := d.firstColumn; j < d.firstColumn+shown && j < len(d.grid.Variations); j++ {
		b.WriteString(d.cellView(i, j, width) + " ")
	}
	return b.String()
}

// cellView draws a cell: an icon for its state, and a short text from its message.
func (d renderer) cellView(i, j, width int) string {
	t := d.cfg.Theme
	c := d.cell(i, j)
	sign, tone, text := d.state(c)
	mark := " "
	if d.mem.marks[cellKey(c.Locale, c.Variation)] {
		mark = "▪"
	}
	room := max(width-2-widget.Width(sign), 0)
	text = widget.PadRight(widget.Clean(text), room)
	if d.inCell() && d.row == i && d.col == j {
		return d.cursor(widget.PadRight(mark+sign+" "+text, width))
	}
	style := themes.ToneText
	if sign == iconDuplicate || !d.grid.Value(c).Exists() {
		style = themes.ToneMuted
	}
	return t.Paint(themes.ToneAccent, mark) + t.Paint(tone, sign) + " " + forms.HighlightExpressions(text,
		func(s string) string { return t.Paint(style, s) }, func(s string) string { return t.Paint(themes.ToneInfo, s) })
}

// Icons for a cell's state.
const (
	iconEmpty     = "○"
	iconDone      = "✓"
	iconDuplicate = "="
	iconProblem   = "◐"
)

// state returns the icon, tone and description of a cell's state.
func (d renderer) state(c grid.Cell) (sign string, tone themes.Tone, text string) {
	text = d.grid.Excerpt(c)
	n := d.problemCounts[cellKey(c.Locale, c.Variation)]
	switch {
	case !d.grid.Value(c).Exists():
		if n == 0 {
			return iconEmpty, themes.ToneFaint, "empty"
		}
		return iconEmpty, themes.ToneWarning, "empty"
	case n > 0:
		sign, tone = iconProblem+itoa(n), themes.ToneWarning
	default:
		sign, tone = iconDone, themes.ToneSuccess
		if _, ok := d.duplicates.Find(c); ok {
			sign, tone = iconDuplicate, themes.ToneInfo
		}
	}
	if text == "" {
		text = "untitled"
	}
	return sign, tone, text
}

// cursor draws what is under the cursor.
func (d renderer) cursor(text string) string {
	t := d.cfg.Theme
	switch {
	case d.inactive:
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

func (d renderer) fieldLine(i int) string {
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

// summary describes a field's value in a few words.
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
