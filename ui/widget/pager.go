package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// Pager shows a wrapped text that may be longer than the window.
type Pager struct {
	window        Window
	text          string
	styled        bool
	lines         []string
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
	if text == p.text && styled == p.styled {
		return
	}
	p.text, p.styled = text, styled
	p.wrap()
	p.window = Window{}
	p.window.Resize(len(p.lines), p.height)
}

// Text returns the whole text.
func (p *Pager) Text() string { return p.text }

// Update handles the keys that scroll and reports whether msg was one of them.
func (p *Pager) Update(msg tea.KeyMsg) bool { return p.window.UpdateScroll(msg) }

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
	return viewLines(p.theme, &p.window, p.lines, p.width, p.height)
}

func (p *Pager) wrap() {
	p.lines = p.lines[:0:0]
	if p.width == 0 || p.text == "" {
		return
	}
	for line := range strings.SplitSeq(p.text, "\n") {
		p.lines = append(p.lines, Wrap(line, max(p.width-2, 1))...)
	}
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
