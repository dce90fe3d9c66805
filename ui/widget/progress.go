package widget

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/spinner"

	"bugle/themes"
)

// Spinner returns frame n of a spinner, counted from 0; the caller counts.
func Spinner(n int) string {
	frames := spinner.MiniDot.Frames
	return frames[n%len(frames)]
}

// The minimum and maximum width of a progress bar.
const (
	barMin = 6
	barMax = 40
)

// Progress draws a line of that width for work that is running: frame of the spinner, the label, and if the total is known a bar
// and "12 of 40". In a narrow line the bar is dropped first, then the label is cut.
func Progress(t *themes.Theme, label string, frame, done, total, width int) string {
	head := t.Accent.Render(Spinner(frame)) + " "
	if total <= 0 {
		return fitLine(head+t.Text.Render(Clean(label)), width)
	}
	count := fmt.Sprintf(" %d of %d", done, total)
	label = Truncate(Clean(label), width-2-len(count))
	line := head + t.Text.Render(label)
	if room := width - 4 - Width(label) - len(count); room >= barMin {
		full := min(room, barMax) * done / total
		line += " " + t.Accent.Render(strings.Repeat("━", full)) + t.Border.Render(strings.Repeat("╌", min(room, barMax)-full))
	}
	return fitLine(line+t.Muted.Render(count), width)
}
