package preview

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// pen is how a piece of text looks. The zero value is ordinary text.
type pen struct {
	tone   themes.Tone
	fg, bg string // #rrggbb of a document, which count before the tone; "" for none
	edge   string // #rrggbb of the edge of a ground: drawn as it is

	bold, italic, underline, strike bool
}

// run is a piece of text of one line, clean, in one look.
type run struct {
	text string
	pen  pen
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

// ink is what a look writes before and after a text.
type ink struct{ on, off string }

// canvas turns lines into what a terminal shows, in the colors of a theme.
type canvas struct {
	theme themes.Theme
	// bare says that the colors of documents are not drawn: there are none, or so few that theirs
	// would become others, in which texts may be lost.
	bare bool
	// ground is the background of what is being drawn, "" for the terminal's own.
	ground string
	inks   map[pen]ink
}

func newCanvas(t themes.Theme) *canvas {
	_, none := t.Tokens.Accent.(lipgloss.NoColor)
	return &canvas{theme: t, bare: none || t.Renderer().ColorProfile() >= termenv.ANSI, inks: map[pen]ink{}}
}

const (
	black = "#000000"
	white = "#ffffff"
)

// leastContrast is what a color has to have on its ground to be drawn as it is.
const leastContrast = 2

// terminalGround is the background that the theme was made for.
func (c *canvas) terminalGround() string {
	if c.theme.DarkBackground {
		return black
	}
	return white
}

// on says what is drawn next stands on a ground of the document.
func (c *canvas) on(ground string) func() {
	before := c.ground
	if !c.bare {
		c.ground = ground
	}
	return func() { c.ground = before }
}

// settle returns the look in which a pen is drawn on the present ground.
func (c *canvas) settle(p pen) pen {
	if c.bare {
		p.fg, p.bg = "", ""
		return p
	}
	if p.bg == "" {
		p.bg = c.ground
	}
	switch {
	case p.edge != "":
		p.fg = p.edge
	case p.bg == "":
		if p.fg != "" && render.Contrast(p.fg, c.terminalGround()) < leastContrast {
			p.fg = ""
		}
	case p.fg == "" || render.Contrast(p.fg, p.bg) < leastContrast:
		p.fg = c.inkOn(p)
	}
	return p
}

// inkOn returns a color that is read on the pen's ground: that of its tone where it can be told from it,
// else black or white.
func (c *canvas) inkOn(p pen) string {
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
func (c *canvas) paint(text string, p pen) string {
	if text == "" {
		return ""
	}
	p = c.settle(p)
	i, ok := c.inks[p]
	if !ok {
		i = c.ink(p)
		c.inks[p] = i
	}
	return i.on + text + i.off
}

func (c *canvas) ink(p pen) ink {
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
	return ink{on, off}
}

// draw draws a line exactly w cells wide.
func (c *canvas) draw(l line, w int) string {
	width := l.width()
	if width > w {
		l = l.cut(w)
		width = l.width()
	}
	var b strings.Builder
	for _, r := range l {
		b.WriteString(c.paint(r.text, r.pen))
	}
	if width < w {
		b.WriteString(c.paint(strings.Repeat(" ", w-width), pen{}))
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

// beside puts a line at the left and one at the right of w cells; the left one gives way.
func beside(left, right line, w int) line {
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

// centred puts a line in the middle of w cells.
func centred(l line, w int) line {
	l = l.cut(w)
	return append(line{{text: strings.Repeat(" ", max(w-l.width(), 0)/2)}}, l...)
}

// words is a line of one text, cleaned.
func words(text string, p pen) line { return line{{text: widget.Clean(text), pen: p}} }
