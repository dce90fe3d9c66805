package widget

import (
	"fmt"
	"strings"

	"bugle/themes"
)

// spinner has the frames of the spinner, one cell each.
var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Spinner returns frame n of a spinner; the caller counts.
func Spinner(n int) string {
	return spinner[((n%len(spinner))+len(spinner))%len(spinner)]
}

// Progress is a progress bar with "12 of 40" beside it.
type Progress struct {
	// Label describes the work.
	Label string
	// Done and Total count the work; no bar is drawn if Total is 0, that is, not known.
	Done, Total int
	// Frame is the frame of the spinner while work is running; negative for no spinner.
	Frame int

	theme *themes.Theme
	width int
}

// NewProgress returns a progress bar.
func NewProgress(t *themes.Theme, label string) Progress { return Progress{theme: t, Label: label} }

// SetSize sets the width; the bar is always one line high.
func (p *Progress) SetSize(width, _ int) { p.width = max(width, 0) }

// The minimum and maximum width of the bar.
const (
	barMin = 6
	barMax = 40
)

// View draws the line in exactly its width. If it is narrow the bar is dropped first, then the label is cut.
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
		if label != "" {
			line += " "
		}
		line += p.bar(min(room-1, barMax))
	}
	if count != "" {
		line += " " + p.theme.Muted.Render(count)
	}
	return fitLine(line, p.width)
}

// bar draws only the bar. It is full only if everything is done, and empty only if nothing is.
func (p *Progress) bar(w int) string {
	done := clamp(p.Done, 0, p.Total)
	full := done * w / p.Total
	if done > 0 && full == 0 {
		full = 1
	}
	return p.theme.Accent.Render(strings.Repeat("━", full)) + p.theme.Border.Render(strings.Repeat("╌", w-full))
}
