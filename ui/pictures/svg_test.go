// Package pictures draws a terminal screen as an SVG for the README. The pictures in this folder show the real
// screens; `go generate ./...` updates them.
package pictures

import (
	"cmp"
	"fmt"
	"html"
	"image/color"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

//go:generate go test -run "TestPictures|TestFilm" -update .

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
	return Film([]Frame{{Screen: screen}}, width, height, around)
}

// Frame is a screen of a film, and how long it is shown.
type Frame struct {
	Screen string
	For    time.Duration
}

// Film draws screens of one size one after the other, and begins again after the last. Rows that several screens have are
// in it once.
func Film(frames []Frame, width, height int, around Terminal) string {
	var strip, rows, times strings.Builder
	known := map[string]int{} // the numbers of rows
	w, h := float64(width)*cellWidth+2*margin, height*cellHeight+2*margin
	var all, at time.Duration
	for _, f := range frames {
		all += f.For
	}
	for n, f := range frames {
		for y, row := range draw(f.Screen, width, height, around) {
			number, ok := known[row]
			if !ok {
				number = len(known)
				known[row] = number
				fmt.Fprintf(&rows, `<g id="r%d">%s</g>`+"\n", number, row)
			}
			if row != "" {
				fmt.Fprintf(&strip, `<use href="#r%d" y="%d"/>`, number, n*h+margin+y*cellHeight)
			}
		}
		strip.WriteByte('\n')
		if all > 0 {
			fmt.Fprintf(&times, "%.3f%%{transform:translateY(%dpx)}", 100*at.Seconds()/all.Seconds(), -n*h)
		}
		at += f.For
	}
	style := ""
	if all > 0 {
		style = fmt.Sprintf("<style>@keyframes film{%s}#film{animation:film %.1fs step-end infinite}</style>\n", times.String(), all.Seconds())
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
%s<rect width="100%%" height="100%%" rx="8" fill="%s"/>
<defs>
%s</defs>
<g id="film" stroke-linecap="square">
%s</g>
</svg>
`, w, h, style, around.Background, rows.String(), strip.String())
}

// draw returns the rows of a screen, each at the top.
func draw(screen string, width, height int, around Terminal) []string {
	term := vt.NewEmulator(width, height)
	defer term.Close()
	_, _ = term.WriteString(strings.ReplaceAll(screen, "\n", "\r\n"))
	rows := make([]string, height)
	for y := range rows {
		var b strings.Builder
		drawRow(&b, term, y, width, around)
		rows[y] = b.String()
	}
	return rows
}

// arms has the box-drawing characters that are drawn as lines: fonts leave gaps between them. The lines go from the middle
// of the cell up, down, left and right.
var arms = map[string]string{
	"│": "ud", "─": "lr", "╭": "dr", "╮": "dl", "╰": "ur", "╯": "ul", "┌": "dr", "┐": "dl", "└": "ur", "┘": "ul",
	"├": "udr", "┤": "udl", "┬": "lrd", "┴": "lru", "┼": "udlr", "┃": "ud", "━": "lr",
}

// run is a sequence of cells in one style: text, or a frame.
type run struct {
	cells []string
	from  int
	width int // in cells
	frame bool
	style uv.Style
}

func drawRow(b *strings.Builder, term *vt.Emulator, y, width int, around Terminal) {
	var r run
	for x := 0; x < width; {
		content, style, wide := " ", uv.Style{}, 1
		if c := term.CellAt(x, y); c != nil {
			style, wide = c.Style, max(c.Width, 1)
			if c.Content != "" {
				content = c.Content
			}
		}
		frame := arms[content] != ""
		if r.width > 0 && (!r.style.Equal(&style) || r.frame != frame) {
			r.draw(b, around)
			r = run{}
		}
		if r.width == 0 {
			r.from, r.style, r.frame = x, style, frame
		}
		r.cells = append(r.cells, content)
		r.width += wide
		x += wide
	}
	r.draw(b, around)
}

func (r *run) draw(b *strings.Builder, around Terminal) {
	fg, bg := hex(r.style.Fg, around.Foreground), hex(r.style.Bg, "")
	if r.style.Attrs&uv.AttrReverse != 0 {
		fg, bg = cmp.Or(bg, around.Background), fg
	}
	x := margin + float64(r.from)*cellWidth
	if bg != "" {
		fmt.Fprintf(b, `<rect x="%.1f" width="%.1f" height="%d" fill="%s"/>`, x, float64(r.width)*cellWidth, cellHeight, bg)
	}
	if r.frame {
		fmt.Fprintf(b, `<path d="%s" stroke="%s"/>`, lines(r.cells, x), fg)
		return
	}
	all := strings.Join(r.cells, "")
	text := strings.TrimRight(all, " ")
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
	length := float64(r.width-(len(all)-len(text))-lead) * cellWidth
	fmt.Fprintf(b, `<text x="%.1f" y="13" fill="%s"%s textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve">%s</text>`,
		x+float64(lead)*cellWidth, fg, extra, length, html.EscapeString(text[lead:]))
}

// lines returns the path of a frame that begins at x. Lines that continue one another are one.
func lines(cells []string, x float64) string {
	var b strings.Builder
	const middle = cellHeight / 2
	for i, cell := range cells {
		left := x + float64(i)*cellWidth
		center := left + cellWidth/2
		if strings.Contains(arms[cell], "l") {
			if i == 0 || !strings.Contains(arms[cells[i-1]], "r") {
				fmt.Fprintf(&b, "M%.1f %d", left, middle)
			}
			if !strings.Contains(arms[cell], "r") {
				fmt.Fprintf(&b, "H%.1f", center)
			}
		} else if strings.Contains(arms[cell], "r") {
			fmt.Fprintf(&b, "M%.1f %d", center, middle)
		}
		if last := i == len(cells)-1; strings.Contains(arms[cell], "r") && (last || !strings.Contains(arms[cells[i+1]], "l")) {
			fmt.Fprintf(&b, "H%.1f", left+cellWidth)
		}
	}
	for i, cell := range cells {
		top, bottom := middle, middle
		if strings.Contains(arms[cell], "u") {
			top = 0
		}
		if strings.Contains(arms[cell], "d") {
			bottom = cellHeight
		}
		if top < bottom {
			fmt.Fprintf(&b, "M%.1f %dV%d", x+float64(i)*cellWidth+cellWidth/2, top, bottom)
		}
	}
	return b.String()
}

func hex(c color.Color, otherwise string) string {
	if c == nil {
		return otherwise
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
