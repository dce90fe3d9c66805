// Package pictures draws a terminal screen as an SVG for the README. The pictures in this folder show the real
// screens; `go generate ./...` updates them.
package pictures

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

//go:generate go test -run TestPictures -update .

// The cell size in pixels, and the margin.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 12
)

// Terminal has the default colors of a terminal.
type Terminal struct{ Background, Foreground string }

// The terminals of the pictures.
var (
	DarkTerminal  = Terminal{"#0d1117", "#e6edf3"}
	LightTerminal = Terminal{"#ffffff", "#1f2328"}
)

// SVG draws a screen of width × height cells, given as lines with color sequences.
func SVG(screen string, width, height int, around Terminal) string {
	term := vt.NewEmulator(width, height)
	defer term.Close()
	_, _ = term.WriteString(strings.ReplaceAll(screen, "\n", "\r\n"))

	var b strings.Builder
	w, h := float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`+"\n", w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", around.Background)
	for y := range height {
		drawLine(&b, term, y, width, around)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run is a sequence of cells in one style.
type run struct {
	text  strings.Builder
	from  int
	cells int
	style uv.Style
}

func drawLine(b *strings.Builder, term *vt.Emulator, y, width int, around Terminal) {
	var r run
	for x := 0; x < width; {
		content, style, wide := " ", uv.Style{}, 1
		if c := term.CellAt(x, y); c != nil {
			style, wide = c.Style, max(c.Width, 1)
			if c.Content != "" {
				content = c.Content
			}
		}
		if r.cells > 0 && !r.style.Equal(&style) {
			r.draw(b, y, around)
			r = run{}
		}
		if r.cells == 0 {
			r.from, r.style = x, style
		}
		r.text.WriteString(content)
		r.cells += wide
		x += wide
	}
	r.draw(b, y, around)
}

func (r *run) draw(b *strings.Builder, y int, around Terminal) {
	fg, bg := hex(r.style.Fg, around.Foreground), hex(r.style.Bg, "")
	if r.style.Attrs&uv.AttrReverse != 0 {
		if bg == "" {
			bg = around.Background
		}
		fg, bg = bg, fg
	}
	x, top := margin+float64(r.from)*cellWidth, margin+y*cellHeight
	if bg != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, top, float64(r.cells)*cellWidth, cellHeight, bg)
	}
	text := strings.TrimRight(r.text.String(), " ")
	if text == "" {
		return
	}
	var extra string
	if r.style.Attrs&uv.AttrBold != 0 {
		extra += ` font-weight="bold"`
	}
	if r.style.Underline != 0 {
		extra += ` text-decoration="underline"`
	}
	lead := len(text) - len(strings.TrimLeft(text, " "))
	length := float64(r.cells-(len(r.text.String())-len(text))-lead) * cellWidth
	fmt.Fprintf(b, `<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve">%s</text>`+"\n",
		x+float64(lead)*cellWidth, top+13, fg, extra, length, html.EscapeString(text[lead:]))
}

func hex(c color.Color, otherwise string) string {
	if c == nil {
		return otherwise
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
