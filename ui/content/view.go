package content

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
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
	headerHeight    = 2
	footerHeight    = 3  // what is under the cursor, and its state
	footerMinHeight = 10 // the least height of a grid with a footer
)

// namesWidth returns the width of the column of locales.
func (g *Grid) namesWidth() int {
	w := len("100 of 100") + 2
	for _, l := range g.grid.Locales {
		w = max(w, widget.Width(widget.Clean(grid.LocaleName(l.Name)))+2)
	}
	for _, f := range g.fields {
		w = max(w, widget.Width(fieldName(f))+2)
	}
	return min(w, maxNamesWidth, max(g.cfg.Width/3, 6))
}

// columns returns the width of a variation and the number of visible ones.
func (g *Grid) columns() (width, shown int) {
	room := max(g.cfg.Width-g.namesWidth(), 1) + 1 // no gap after the last one
	shown = max(min(room/(minColumnWidth+1), len(g.grid.Variations)), 1)
	return min(max(room/shown-1, 1), maxColumnWidth), shown
}

// bodyHeight returns the number of lines for locales and fields.
func (g *Grid) bodyHeight() int {
	h := g.cfg.Height - headerHeight
	if g.cfg.Height >= footerMinHeight {
		h -= footerHeight
	}
	return max(h, 1)
}

// bodyLen returns the number of lines of the body: the locales, a line with what can be added, a rule, and the fields.
func (g *Grid) bodyLen() int { return len(g.grid.Locales) + 2 + len(g.fields) }

// scroll scrolls to the cursor.
func (g *Grid) scroll() {
	g.win.Resize(g.bodyLen(), g.bodyHeight())
	line := max(g.row, 0)
	if g.row >= len(g.grid.Locales) {
		line += 2
	}
	g.win.Select(line)
	_, shown := g.columns()
	if g.col >= 0 {
		g.firstColumn = max(min(g.firstColumn, g.col), g.col-shown+1)
	}
	g.firstColumn = max(0, min(g.firstColumn, len(g.grid.Variations)-shown))
}

// View draws exactly the size set by SetSize.
func (g *Grid) View() string {
	return widget.Fit(strings.Join(g.lines(), "\n"), g.cfg.Width, g.cfg.Height)
}

// lines draws the grid.
func (g *Grid) lines() []string {
	sum, tone := g.sum()
	lines := []string{
		g.line(g.cfg.Theme.Faint.Render(g.moreSigns()), g.headerCell),
		g.line(g.cfg.Theme.Paint(tone, sum), g.shareCell),
	}
	if _, shown := g.columns(); g.firstColumn+shown < len(g.grid.Variations) {
		lines[0] = widget.PadRight(strings.TrimSuffix(lines[0], " "), g.cfg.Width-1) + g.cfg.Theme.Faint.Render("›")
	}
	from, to := g.win.Visible()
	for i := from; i < to; i++ {
		lines = append(lines, g.bodyLine(i))
	}
	if g.cfg.Height >= footerMinHeight {
		for len(lines) < g.cfg.Height-footerHeight {
			lines = append(lines, "")
		}
		lines = append(lines, g.footer()...)
	}
	return lines
}

// line draws a line of the grid: what is in the column of names, and what cell draws in each visible column.
func (g *Grid) line(name string, cell func(col, width int) string) string {
	width, shown := g.columns()
	var b strings.Builder
	b.WriteString(widget.PadRight(name, g.namesWidth()))
	for j := g.firstColumn; j < g.firstColumn+shown && j < len(g.grid.Variations); j++ {
		b.WriteString(widget.PadRight(cell(j, width), width) + " ")
	}
	return b.String()
}

// moreSigns indicates that there are lines above or below the visible ones, and columns to the left.
func (g *Grid) moreSigns() string {
	from, to := g.win.Visible()
	text := ""
	if from > 0 {
		text = "↑ "
	}
	if to < g.win.Len {
		text += "↓"
	}
	if g.firstColumn > 0 {
		text = widget.PadRight(text, g.namesWidth()-1) + "‹"
	}
	return text
}

// headerCell draws the name of a variation.
func (g *Grid) headerCell(col, width int) string {
	text := widget.PadRight(widget.Clean(g.variation(col)), width)
	switch {
	case g.row < 0 && col == g.col:
		return g.cursor(text)
	case g.grid.Variations[col].Unlisted:
		return g.cfg.Theme.Warning.Render(text)
	}
	return g.cfg.Theme.Header.Render(text)
}

// shareCell draws the percentage of a variation.
func (g *Grid) shareCell(col, _ int) string {
	v, tone := g.grid.Variations[col], themes.ToneMuted
	if v.Unlisted {
		tone = themes.ToneWarning
	}
	return g.cfg.Theme.Paint(tone, g.shareText(v))
}

func (g *Grid) shareText(v grid.Variation) string {
	switch {
	case v.Unlisted:
		return "not in the test"
	case g.grid.Split == grid.Automatic:
		return "optimized"
	case len(g.grid.Variations) < 2:
		return "everyone"
	case v.Share == "":
		return "–%"
	}
	return widget.Clean(v.Share) + "%"
}

// sum returns the sum of the percentages.
func (g *Grid) sum() (string, themes.Tone) {
	sum, ok := g.grid.Sum()
	switch text := percent(sum) + " of 100"; {
	case g.shareLocked(-1) != "":
		return "", themes.ToneMuted
	case !ok:
		return "? of 100", themes.ToneWarning
	case sum != 100:
		return text, themes.ToneWarning
	default:
		return text, themes.ToneSuccess
	}
}

func percent(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Texts for what can be added, which can be clicked.
const (
	addLocaleText    = "+ locale (a)"
	addVariationText = "+ variation (A)"
)

func (g *Grid) bodyLine(i int) string {
	n, t := len(g.grid.Locales), g.cfg.Theme
	switch {
	case i < n:
		return g.line(g.localeName(i), func(col, width int) string { return g.cellView(i, col, width) })
	case i == n && g.locked() != "":
		return ""
	case i == n:
		return t.Faint.Render(widget.Truncate(addLocaleText+"   "+addVariationText, g.cfg.Width))
	case i == n+1:
		return t.Border.Render(strings.Repeat("─", g.cfg.Width))
	}
	f, names := g.fields[i-n-2], g.namesWidth()
	text := t.Muted.Render(widget.PadRight(widget.Clean(fieldSummary(f)), max(g.cfg.Width-names, 0)))
	if g.row == i-2 {
		return g.cursor(" "+widget.PadRight(fieldName(f), names-1)) + text
	}
	return t.Text.Render(" "+widget.PadRight(fieldName(f), names-1)) + text
}

func (g *Grid) localeName(row int) string {
	l := g.grid.Locales[row]
	text := widget.PadRight(widget.Clean(grid.LocaleName(l.Name)), g.namesWidth()-1)
	switch {
	case g.onLocale() && g.row == row:
		return g.cursor(text)
	case l.Unlisted:
		return g.cfg.Theme.Warning.Render(text)
	}
	return g.cfg.Theme.Strong.Render(text)
}

// cellView draws a cell: an icon for its state, and a short text from its message.
func (g *Grid) cellView(row, col, width int) string {
	t, c := g.cfg.Theme, g.cell(row, col)
	sign, tone, text := g.state(c)
	text = widget.PadRight(widget.Clean(text), max(width-2-widget.Width(sign), 0))
	if g.inCell() && g.row == row && g.col == col {
		return g.cursor(widget.PadRight(" "+sign+" "+text, width))
	}
	style := themes.ToneText
	if sign == iconDuplicate || !g.grid.Value(c).Exists() {
		style = themes.ToneMuted
	}
	return " " + t.Paint(tone, sign) + " " + forms.HighlightExpressions(text,
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
func (g *Grid) state(c grid.Cell) (sign string, tone themes.Tone, text string) {
	n := len(g.wrong[idOf(c)])
	_, same := g.duplicates.Find(c)
	if text = g.grid.Excerpt(c); text == "" {
		text = "untitled"
	}
	switch exists := g.grid.Value(c).Exists(); {
	case !exists && n == 0:
		return iconEmpty, themes.ToneFaint, "empty"
	case !exists:
		return iconEmpty, themes.ToneWarning, "empty"
	case n > 0:
		return iconProblem + strconv.Itoa(n), themes.ToneWarning, text
	case same:
		return iconDuplicate, themes.ToneInfo, text
	}
	return iconDone, themes.ToneSuccess, text
}

// cursor draws what is under the cursor.
func (g *Grid) cursor(text string) string {
	t := g.cfg.Theme
	switch {
	case g.inactive:
		return t.SelectedBlur.Render(text)
	case t.IsPlain():
		r := []rune(text)
		return "▸" + string(r[min(1, len(r)):])
	}
	return t.Selected.Render(text)
}

func fieldName(f schema.FieldState) string {
	if f.Node == nil {
		return widget.Clean(f.Path.Last().Name)
	}
	return f.Node.Label()
}

// fieldSummary describes the value of a field in a few words.
func fieldSummary(f schema.FieldState) string {
	if f.Path.Equal(grid.Path()) {
		return "open as a form"
	}
	return forms.Summary(f)
}

// footer describes what is under the cursor and its state, or what the last key did.
func (g *Grid) footer() []string {
	t := g.cfg.Theme
	head, text, tone := g.about()
	locked := g.locked()
	if said := cmp.Or(g.failure, g.notice, locked); said != "" {
		text, tone = said, themes.ToneWarning
		if said == g.notice {
			tone = themes.ToneSuccess
		}
	}
	lines := widget.WrapMax(widget.Clean(text), g.cfg.Width, footerHeight-1)
	return append([]string{t.Strong.Render(widget.Truncate(widget.Clean(head), g.cfg.Width))}, widget.Styled(t.Tone(tone), lines)...)
}

// about returns the heading and the state of what is under the cursor.
func (g *Grid) about() (head, text string, tone themes.Tone) {
	switch f, ok := g.onField(); {
	case ok && f.Node == nil:
		return fieldName(f), "Unknown field. It is kept. Press x to remove it.", themes.ToneInfo
	case ok:
		return fieldName(f), f.Node.Help, themes.ToneMuted
	case g.onVariation():
		text, tone = g.aboutShare()
		return "Variation " + g.variation(g.col), text, tone
	case g.onLocale():
		text, tone = g.aboutLocale()
		name := g.grid.Locales[g.row].Name
		head = grid.LocaleName(name)
		if grid.LanguageName(name) != "" {
			head += " · " + name
		}
		return head, text, tone
	}
	c := g.cell(g.row, g.col)
	text, tone = g.aboutCell(c)
	return g.grid.Name(c), text, tone
}

func (g *Grid) aboutShare() (string, themes.Tone) {
	if why := g.shareLocked(g.col); g.grid.Variations[g.col].Unlisted {
		return why, themes.ToneWarning
	} else if why != "" {
		return why, themes.ToneMuted
	}
	switch sum, ok := g.grid.Sum(); {
	case !ok:
		return "Not every percentage is a number.", themes.ToneWarning
	case sum < 100:
		return percent(100-sum) + "% is left. Press + to add it here, = to split evenly.", themes.ToneWarning
	case sum > 100:
		return percent(sum-100) + "% too much. Press + to lower this one to fit, = to split evenly.", themes.ToneWarning
	}
	return "The percentages add up to 100. Type a number to change this one.", themes.ToneMuted
}

func (g *Grid) aboutLocale() (string, themes.Tone) {
	if g.grid.Locales[g.row].Unlisted {
		return "This locale has messages but is not in the list of locales. Press a to add it, x to remove it.", themes.ToneWarning
	}
	return fmt.Sprintf("%d of %s written. Press x to remove the locale.",
		g.selectedMessages(), phrase.Count(len(g.grid.Variations), "message")), themes.ToneMuted
}

func (g *Grid) aboutCell(c grid.Cell) (string, themes.Tone) {
	wrong := g.wrong[idOf(c)]
	tone := themes.ToneMuted
	if len(wrong) > 0 {
		tone = themes.ToneWarning
	}
	switch exists := g.grid.Value(c).Exists(); {
	case !exists:
		return "Empty. Press enter to write it, or alt+y to copy another message.", tone
	case len(wrong) > 0:
		name, count := "Message", ""
		if node := g.cfg.Schema.At(wrong[0].Path); node != nil && node.Name != "" {
			name = node.Label()
		}
		if len(wrong) > 1 {
			count = fmt.Sprintf("%d problems. ", len(wrong))
		}
		return count + name + ": " + wrong[0].Text() + ".", tone
	}
	if twin, ok := g.duplicates.Find(c); ok {
		return "Same as " + g.grid.Name(twin) + ".", themes.ToneInfo
	}
	return "No problems.", themes.ToneSuccess
}
