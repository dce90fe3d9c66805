package widget

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"bugle/themes"
)

// Panel is a box with a title and a shorter info text in its upper border.
type Panel struct {
	// Title is shown at the left of the upper border.
	Title string
	// Info is shown at the right of the upper border: "3 of 40".
	Info string
	// Footer is shown at the right of the lower border.
	Footer string
	// Focused reports whether the box has the keyboard.
	Focused bool
	// Danger draws the frame in the danger color.
	Danger bool

	theme         *themes.Theme
	width, height int
}

// NewPanel returns a box with a title.
func NewPanel(t *themes.Theme, title string) Panel { return Panel{Title: title, theme: t} }

// SetSize sets the size of the box, including its frame.
func (p *Panel) SetSize(width, height int) { p.width, p.height = max(width, 0), max(height, 0) }

// Inner returns the size inside the frame, without a blank at either side.
func (p *Panel) Inner() (width, height int) {
	return max(p.width-4, 0), max(p.height-2, 0)
}

// View draws the box around content, which is cut or padded to fit. A box too small for a frame is blank.
func (p *Panel) View(content string) string {
	if p.width < 4 || p.height < 2 {
		return Fit("", p.width, p.height)
	}
	border, title := p.styles()
	lines := make([]string, 0, p.height)
	lines = append(lines, p.edge("╭", "╮", Clean(p.Title), Clean(p.Info), title))
	w, h := p.Inner()
	if h > 0 {
		side := border.Render("│")
		if w == 0 {
			content = strings.Repeat("\n", h-1) // Fit returns nothing for width 0
		} else {
			content = Fit(content, w, h)
		}
		for line := range strings.SplitSeq(content, "\n") {
			lines = append(lines, side+" "+line+" "+side)
		}
	}
	lines = append(lines, p.edge("╰", "╯", "", Clean(p.Footer), title))
	return strings.Join(lines, "\n")
}

func (p *Panel) styles() (border, title lipgloss.Style) {
	switch {
	case p.Danger:
		return p.theme.BorderDanger, p.theme.Danger.Bold(true)
	case p.Focused:
		return p.theme.BorderFocus, p.theme.TitleFocus
	default:
		return p.theme.Border, p.theme.Title
	}
}

// edge draws the upper or lower border, with a text at the left and one at the right. The right one is dropped
// if they do not both fit.
func (p *Panel) edge(left, right, title, info string, style lipgloss.Style) string {
	border, _ := p.styles()
	room := p.width - 4 // corners, and a line beside each
	title = Truncate(title, room-2)
	if info != "" && Width(info)+2 > room-labelWidth(title)-1 {
		info = ""
	}
	line := max(room-labelWidth(title)-labelWidth(info), 0)
	var b strings.Builder
	b.WriteString(border.Render(left + "─"))
	if title != "" {
		b.WriteString(" " + style.Render(title) + " ")
	}
	b.WriteString(border.Render(strings.Repeat("─", line)))
	if info != "" {
		b.WriteString(" " + p.theme.Muted.Render(info) + " ")
	}
	b.WriteString(border.Render("─" + right))
	return b.String()
}

// labelWidth returns the width of a text in a border, including a blank at either side.
func labelWidth(s string) int {
	if s == "" {
		return 0
	}
	return Width(s) + 2
}
