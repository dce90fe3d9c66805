package widget

import (
	"regexp"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// Pager shows a text that may be longer than the window: wrapped, or JSON with colors and numbered lines that scroll sideways. It
// colors only the visible lines, so the length of a document does not matter.
type Pager struct {
	window        Window
	text          string
	styled, json  bool
	lines         []string
	column        int // the first visible column of JSON
	theme         *themes.Theme
	width, height int
}

// NewPager returns an empty pager.
func NewPager(t *themes.Theme) Pager { return Pager{theme: t} }

// SetSize sets the size of the pager.
func (p *Pager) SetSize(width, height int) {
	width, height = max(width, 0), max(height, 0)
	again := width != p.width
	p.width, p.height = width, height
	if again {
		p.wrap()
	}
	p.window.Resize(len(p.lines), height)
}

// SetText cleans a text and shows it from the start.
func (p *Pager) SetText(text string) { p.set(CleanLines(text), false) }

// SetStyled shows text with styles that the program has rendered. Text from documents must have been cleaned.
func (p *Pager) SetStyled(text string) { p.set(text, true) }

func (p *Pager) set(text string, styled bool) {
	if text == p.text && styled == p.styled && !p.json {
		return
	}
	p.text, p.styled, p.json = text, styled, false
	p.wrap()
	p.window = Window{}
	p.window.Resize(len(p.lines), p.height)
}

// SetJSON shows indented JSON. The scroll position is kept if possible.
func (p *Pager) SetJSON(text string) {
	p.text, p.json, p.lines = text, true, nil
	if text != "" {
		p.lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	p.column = min(p.column, p.longest())
	p.window.Resize(len(p.lines), p.height)
}

// longest returns the bytes of the longest line, which is at least its width.
func (p *Pager) longest() (n int) {
	for _, line := range p.lines {
		n = max(n, len(line))
	}
	return n
}

// Text returns the whole text.
func (p *Pager) Text() string { return p.text }

// Update handles the keys that scroll and reports whether msg was one of them.
func (p *Pager) Update(msg tea.KeyMsg) bool {
	switch key := msg.String(); {
	case p.json && (key == "left" || key == "h"):
		p.column = max(p.column-8, 0)
	case p.json && (key == "right" || key == "l"):
		p.column = clamp(p.column+8, 0, p.longest()-p.width/2)
	default:
		return p.window.UpdateScroll(msg)
	}
	return true
}

// Mouse handles the mouse wheel and reports whether msg was a wheel event.
func (p *Pager) Mouse(msg tea.MouseMsg) bool { return p.window.Wheel(msg) }

// Scroll moves the text by n lines.
func (p *Pager) Scroll(n int) { p.window.Scroll(n) }

// Lines returns the number of lines of the text at the current width.
func (p *Pager) Lines() int { return len(p.lines) }

// Position returns the last visible line and the number of lines, for "18 of 40".
func (p *Pager) Position() (last, total int) {
	_, last = p.window.Visible()
	return last, p.window.Len
}

// View draws exactly the size set by SetSize.
func (p *Pager) View() string {
	if !p.json {
		return viewLines(p.theme, &p.window, p.lines, p.width, p.height)
	}
	room := p.width
	if p.window.Overflows() {
		room -= 2
	}
	lines := make([]string, len(p.lines))
	from, to := p.window.Visible()
	for i := from; i < to; i++ {
		lines[i] = p.jsonLine(i, room)
	}
	return viewLines(p.theme, &p.window, lines, p.width, p.height)
}

func (p *Pager) wrap() {
	if p.json {
		return
	}
	p.lines = p.lines[:0:0]
	if p.width == 0 || p.text == "" {
		return
	}
	for line := range strings.SplitSeq(p.text, "\n") {
		p.lines = append(p.lines, Wrap(line, max(p.width-2, 1))...)
	}
}

// jsonLine draws a line of JSON behind its number. Only the part that may be visible is colored: a base64 picture is one line of
// a megabyte.
func (p *Pager) jsonLine(i, width int) string {
	digits := len(strconv.Itoa(len(p.lines)))
	number := p.theme.Faint.Render(PadLeft(strconv.Itoa(i+1), digits)) + "  "
	text := Truncate(clean(p.lines[i], newlineMark, "  "), p.column+max(width-digits-2, 0))
	return number + TruncateLeft(jsonToken.ReplaceAllStringFunc(text, p.color), p.column)
}

// jsonToken matches a token of a line of JSON: a key with its colon, a string, punctuation, and numbers and words. In indented
// JSON no string spans lines.
var jsonToken = regexp.MustCompile(`"(\\.|[^"\\])*"?( *:)?|[{}\[\]:,]+|[^ "{}\[\]:,]+`)

// color renders a token of JSON.
func (p *Pager) color(token string) string {
	switch ch := token[0]; {
	case ch == '"' && strings.HasSuffix(token, ":"):
		return p.theme.JSONKey.Render(token[:len(token)-1]) + p.theme.JSONPunct.Render(":")
	case ch == '"':
		return p.theme.JSONString.Render(token)
	case ch == '-' || ch >= '0' && ch <= '9':
		return p.theme.JSONNumber.Render(token)
	case strings.IndexByte("{}[]:,", ch) >= 0:
		return p.theme.JSONPunct.Render(token)
	}
	return p.theme.JSONLiteral.Render(token)
}

// viewLines draws the lines of a window, with a scroll bar if they do not all fit. Two cells at the right are
// reserved for it.
func viewLines(t *themes.Theme, w *Window, lines []string, width, height int) string {
	if width == 0 || height == 0 {
		return ""
	}
	bar := ScrollBar(t, w, height)
	from, to := w.Visible()
	out := make([]string, 0, height)
	for i := from; i < to && i < len(lines); i++ {
		line := lines[i]
		if bar != nil && width > 2 {
			line = fitLine(line, width-2) + " " + bar[i-from]
		}
		out = append(out, line)
	}
	return Fit(strings.Join(out, "\n"), width, height)
}
