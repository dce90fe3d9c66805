package preview

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// textStyle is the style of a piece of text. The zero value is ordinary text.
type textStyle struct {
	tone   themes.Tone
	fg, bg string // #rrggbb colors of a document, which override the tone; "" for none
	edge   string // #rrggbb color of the edge of a background, drawn unchanged

	bold, italic, underline, strike bool
}

// run is a piece of clean text in one style.
type run struct {
	text  string
	style textStyle
}

// line is the runs of one line.
type line []run

// width returns the width of the line in cells.
func (l line) width() int {
	if len(l) == 1 {
		return widget.Width(l[0].text)
	}
	var b strings.Builder
	for _, r := range l {
		b.WriteString(r.text)
	}
	return widget.Width(b.String())
}

// sgrPair has the sequences before and after a text in a style.
type sgrPair struct{ on, off string }

// painter renders lines for a terminal in the colors of a theme.
type painter struct {
	theme *themes.Theme
	// noColors disables the colors of documents, because the terminal has none, or too few to show them without
	// making text unreadable.
	noColors bool
	// background is the current background, "" for the terminal's own.
	background string
	sgr        map[textStyle]sgrPair
}

func newPainter(t *themes.Theme) *painter {
	_, none := t.Tokens.Accent.(lipgloss.NoColor)
	return &painter{theme: t, noColors: none || t.Renderer().ColorProfile() >= termenv.ANSI, sgr: map[textStyle]sgrPair{}}
}

const (
	black = "#000000"
	white = "#ffffff"
)

// minContrast is the minimum contrast at which a color is drawn unchanged.
const minContrast = 2

// terminalBackground returns the background that the theme was made for.
func (c *painter) terminalBackground() string {
	if c.theme.DarkBackground {
		return black
	}
	return white
}

// withBackground sets the background for what is drawn next, and returns a function that restores it.
func (c *painter) withBackground(ground string) func() {
	before := c.background
	if !c.noColors {
		c.background = ground
	}
	return func() { c.background = before }
}

// resolve returns the style in which text is drawn on the current background.
func (c *painter) resolve(p textStyle) textStyle {
	if c.noColors {
		p.fg, p.bg = "", ""
		return p
	}
	if p.bg == "" {
		p.bg = c.background
	}
	switch {
	case p.edge != "":
		p.fg = p.edge
	case p.bg == "":
		if p.fg != "" && render.Contrast(p.fg, c.terminalBackground()) < minContrast {
			p.fg = ""
		}
	case p.fg == "" || render.Contrast(p.fg, p.bg) < minContrast:
		p.fg = c.readableColor(p)
	}
	return p
}

// readableColor returns a readable color on the style's background: that of its tone if the contrast is
// sufficient, else black or white.
func (c *painter) readableColor(p textStyle) string {
	if tone := hex(c.theme.Tone(p.tone).GetForeground()); p.tone != themes.ToneText && render.Contrast(tone, p.bg) >= 3 {
		return tone
	}
	if render.Contrast(white, p.bg) > render.Contrast(black, p.bg) {
		return white
	}
	return black
}

func hex(color lipgloss.TerminalColor) string {
	if c, ok := color.(lipgloss.CompleteColor); ok {
		return c.TrueColor
	}
	return ""
}

// paint renders a clean text of one line.
func (c *painter) paint(text string, p textStyle) string {
	if text == "" {
		return ""
	}
	p = c.resolve(p)
	i, ok := c.sgr[p]
	if !ok {
		i = c.sgrFor(p)
		c.sgr[p] = i
	}
	return i.on + text + i.off
}

func (c *painter) sgrFor(p textStyle) sgrPair {
	style := c.theme.Tone(p.tone)
	if p.fg != "" {
		style = style.Foreground(lipgloss.Color(p.fg))
	}
	if p.bg != "" {
		style = style.Background(lipgloss.Color(p.bg))
	}
	if p.bold {
		style = style.Bold(true)
	}
	if p.italic {
		style = style.Italic(true)
	}
	if p.underline {
		style = style.Underline(true)
	}
	if p.strike {
		style = style.Strikethrough(true)
	}
	on, off, _ := strings.Cut(style.Render("x"), "x")
	return sgrPair{on, off}
}

// draw renders a line exactly w cells wide.
func (c *painter) draw(l line, w int) string {
	width := l.width()
	if width > w {
		l = l.cut(w)
		width = l.width()
	}
	var b strings.Builder
	for _, r := range l {
		b.WriteString(c.paint(r.text, r.style))
	}
	if width < w {
		b.WriteString(c.paint(strings.Repeat(" ", w-width), textStyle{}))
	}
	return b.String()
}

// cut returns the line cut to w cells, with "…" if something was cut.
func (l line) cut(w int) line {
	if l.width() <= w {
		return l
	}
	var out line
	left := w
	for i, r := range l {
		n := widget.Width(r.text)
		if n > left || n == left && i < len(l)-1 {
			r.text = widget.Truncate(r.text+" …", left)
			if left > 0 {
				out = append(out, r)
			}
			break
		}
		out, left = append(out, r), left-n
	}
	// Joined runs can have another width than the sum of their widths.
	for len(out) > 0 && out.width() > w {
		out = out[:len(out)-1]
	}
	return out
}

// joinSides puts one line at the left and one at the right of w cells; the left one is cut if needed.
func joinSides(left, right line, w int) line {
	room := w - right.width()
	if len(right) > 0 {
		room--
	}
	if room < 4 {
		return left.cut(w)
	}
	left = left.cut(room)
	gap := max(w-left.width()-right.width(), 0)
	out := append(append(line{}, left...), run{text: strings.Repeat(" ", gap)})
	return append(out, right...)
}

// centered centers a line in w cells.
func centered(l line, w int) line {
	l = l.cut(w)
	return append(line{{text: strings.Repeat(" ", max(w-l.width(), 0)/2)}}, l...)
}

// textLine returns a line of one text, cleaned.
func textLine(text string, p textStyle) line { return line{{text: widget.Clean(text), style: p}} }
