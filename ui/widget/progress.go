package widget

import (
	"fmt"
	"strings"

	"bugle/themes"
)

// spinner are the pictures of a wheel that turns, one cell each.
var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Spinner returns picture n of a wheel that turns; the caller counts.
func Spinner(n int) string {
	return spinner[((n%len(spinner))+len(spinner))%len(spinner)]
}

// Progress is a bar that fills, with "12 of 40" beside it.
type Progress struct {
	// Label says what is being done.
	Label string
	// Done of Total are done; a Total of 0 draws no bar: how much there is is not known.
	Done, Total int
	// Frame is the picture of the spinner while work goes on; negative: no spinner.
	Frame int

	theme themes.Theme
	width int
}

// NewProgress makes a bar.
func NewProgress(t themes.Theme, label string) Progress { return Progress{theme: t, Label: label} }

// SetTheme changes the theme.
func (p *Progress) SetTheme(theme themes.Theme) { p.theme = theme }

// SetSize tells the bar its width; it is one line high, whatever the height says.
func (p *Progress) SetSize(width, _ int) { p.width = max(width, 0) }

// The least a bar says anything with, and what is enough.
const (
	barMin = 6
	barMax = 40
)

// View draws the line, exactly as wide as SetSize said. When it is narrow the bar goes first, then the
// label is cut.
func (p *Progress) View() string {
	head := ""
	if p.Frame >= 0 {
		head = p.theme.Accent.Render(Spinner(p.Frame)) + " "
	}
	count := ""
	if p.Total > 0 {
		count = fmt.Sprintf("%d of %d", clamp(p.Done, 0, p.Total), p.Total)
	}
	room := p.width - Width(head)
	if count != "" {
		room -= len(count) + 1
	}
	label := Truncate(Clean(p.Label), room)
	line := head + p.theme.Text.Render(label)
	room -= Width(label) + 1
	if p.Total > 0 && room > barMin {
		line += gap(label) + p.bar(min(room-1, barMax))
	}
	if count != "" {
		line += " " + p.theme.Muted.Render(count)
	}
	return fitLine(line, p.width)
}

// bar draws the bar alone. It is full only when all is done, and empty only when nothing is.
func (p *Progress) bar(w int) string {
	done := clamp(p.Done, 0, p.Total)
	full := done * w / p.Total
	if done > 0 && full == 0 {
		full = 1
	}
	return p.theme.Accent.Render(strings.Repeat("━", full)) + p.theme.Border.Render(strings.Repeat("╌", w-full))
}
