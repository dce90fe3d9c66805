package preview

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// textStyle is how a piece of text looks. The zero value is ordinary text.
type textStyle struct {
	tone   themes.Tone
	fg, bg string // #rrggbb of a document, which count before the tone; "" for none
	edge   string // #rrggbb of the edge of a ground: drawn as it is

	bold, italic, underline, strike bool
}

// run is a piece of text of one line, clean, in one look.
type run struct {
	text string
	style  textStyle
}

// line is what stands on one line.
type line []run

// width is the number of cells that the line takes.
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

// sgrPair is what a look writes before and after a text.
type sgrPair struct{ on, off string }

// painter turns lines into what a terminal shows, in the colors of a theme.
type painter struct {
	theme themes.Theme
	// noColors says that the colors of documents are not drawn: there are none, or so few that theirs
	// would become others, in which texts may be lost.
	noColors bool
	// background is the background of what is being drawn, "" for the terminal's own.
	background string
	sgr   map[textStyle]sgrPair
}

func newPainter(t themes.Theme) *painter {
	_, none := t.Tokens.Accent.(lipgloss.NoColor)
	return &painter{theme: t, noColors: none || t.Renderer().ColorProfile() >= termenv.ANSI, sgr: map[textStyle]sgrPair{}}
}

const (
	black = "#000000"
	white = "#ffffff"
)

// minContrast is what a color has to have on its ground to be drawn as it is.
const minContrast = 2

// terminalBackground is the background that the theme was made for.
func (c *painter) terminalBackground() string {
	if c.theme.DarkBackground {
		return black
	}
	return white
}

// withBackground says what is drawn next stands on a ground of the document.
func (c *painter) withBackground(ground string) func() {
	before := c.background
	if !c.noColors {
		c.background = ground
	}
	return func() { c.background = before }
}

// resolve returns the look in which a pen is drawn on the present ground.
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

// readableColor returns a color that is read on the pen's ground: that of its tone where it can be told from it,
// else black or white.
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

// paint draws a clean text of one line.
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

// draw draws a line exactly w cells wide.
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

// cut returns the line at most w cells wide, with "…" where something was cut.
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
	// Runs that join where they meet take other cells together than each alone.
	for len(out) > 0 && out.width() > w {
		out = out[:len(out)-1]
	}
	return out
}

// joinSides puts a line at the left and one at the right of w cells; the left one gives way.
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

// centered puts a line in the middle of w cells.
func centered(l line, w int) line {
	l = l.cut(w)
	return append(line{{text: strings.Repeat(" ", max(w-l.width(), 0)/2)}}, l...)
}

// textLine is a line of one text, cleaned.
func textLine(text string, p textStyle) line { return line{{text: widget.Clean(text), style: p}} }
