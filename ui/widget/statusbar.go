package widget

import (
	"strings"

	"bugle/themes"
)

// StatusBar is the line at the foot of a screen: where one is, the keys of the moment, and something
// at the right edge.
type StatusBar struct {
	// Left says where one is; Right is the first to go when the line is narrow, after the hints.
	Left, Right string
	// LeftTone and RightTone colour them.
	LeftTone, RightTone themes.Tone
	// Hints are the keys of the moment, the most wanted first. Help is added at the end.
	Hints []Hint
	// Help leads to all the other keys. It is "? help", or another key where "?" is text.
	Help Hint

	theme themes.Theme
	width int
}

// NewStatusBar makes an empty bar.
func NewStatusBar(t themes.Theme) StatusBar {
	return StatusBar{theme: t, Help: helpHint, LeftTone: themes.ToneStrong, RightTone: themes.ToneMuted}
}

// SetTheme changes the theme.
func (s *StatusBar) SetTheme(theme themes.Theme) { s.theme = theme }

// SetSize tells the bar its width; it is one line high, whatever the height says.
func (s *StatusBar) SetSize(width, _ int) { s.width = max(width, 0) }

// hintGap stands between two hints.
const hintGap = "  "

// View draws the bar, exactly as wide as SetSize said. As many hints are shown as fit, each whole.
func (s *StatusBar) View() string {
	if s.width == 0 {
		return ""
	}
	left, right := Clean(s.Left), Clean(s.Right)
	help := s.Help.width()

	// What must be there is reserved first: the way to the help, then where one is, then the rest.
	room := s.width - help
	if left != "" {
		left = Truncate(left, room-len(hintGap)-2)
	}
	if left != "" {
		room -= Width(left) + len(hintGap) + 2
	}
	if right != "" && Width(right)+len(hintGap) > room/2 {
		right = ""
	}
	if right != "" {
		room -= Width(right) + len(hintGap)
	}

	var hints []string
	for _, h := range s.Hints {
		if h.width()+len(hintGap) > room {
			break
		}
		room -= h.width() + len(hintGap)
		hints = append(hints, h.render(s.theme))
	}
	hints = append(hints, s.Help.render(s.theme))

	var b strings.Builder
	if left != "" {
		b.WriteString(" " + s.theme.Paint(s.LeftTone, left) + " " + hintGap)
	}
	b.WriteString(strings.Join(hints, hintGap))
	if right != "" {
		start := s.width - Width(right) - 1
		line := fitLine(b.String(), max(start, 0))
		return fitLine(line+s.theme.Paint(s.RightTone, right), s.width)
	}
	return fitLine(b.String(), s.width)
}
