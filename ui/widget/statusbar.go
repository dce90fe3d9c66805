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
	// LeftTone and RightTone color them.
	LeftTone, RightTone themes.Tone
	// Hints are the keys of the moment, the most wanted first. Help is added at the end.
	Hints []Hint
	// Help leads to all the other keys. It is "? help", or another key where "?" is text; without a key it is
	// left out.
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

// barLayout is what of the bar there is room for.
type barLayout struct {
	left, right string
	start       int // the column of the first hint
	hints       int // how many of the hints are shown, before that of the help
}

// layout reserves what must be there first: the way to the help, then where one is, then the rest.
func (s *StatusBar) layout() barLayout {
	l := barLayout{left: Clean(s.Left), right: Clean(s.Right)}
	room := s.width
	if s.Help.Key != "" {
		room -= s.Help.width()
	}
	if l.left != "" {
		l.left = Truncate(l.left, room-len(hintGap)-1)
	}
	if l.left != "" {
		l.start = Width(l.left) + len(hintGap) + 1
		room -= l.start
	}
	if l.right != "" && Width(l.right)+len(hintGap) > room/2 {
		l.right = ""
	}
	if l.right != "" {
		room -= Width(l.right) + len(hintGap)
	}
	for _, h := range s.Hints {
		if h.width()+len(hintGap) > room {
			break
		}
		room -= h.width() + len(hintGap)
		l.hints++
	}
	return l
}

// HintAt returns the number of the hint at column x, that of the help being len(Hints); false where there is
// none.
func (s *StatusBar) HintAt(x int) (int, bool) {
	for i := range len(s.Hints) + 1 {
		if start, w, ok := s.HintSpan(i); ok && x >= start && x < start+w && x < s.width {
			return i, true
		}
	}
	return 0, false
}

// HintSpan returns the column where a hint begins and its width, that of the help being the one after Hints;
// false where it is not in sight.
func (s *StatusBar) HintSpan(i int) (x, width int, ok bool) {
	l := s.layout()
	x = l.start
	for _, h := range s.Hints[:min(i, l.hints)] {
		x += h.width() + len(hintGap)
	}
	switch {
	case i == len(s.Hints) && s.Help.Key == "":
		return 0, 0, false
	case i == len(s.Hints):
		return x, s.Help.width(), true
	case i < 0 || i >= l.hints:
		return 0, 0, false
	}
	return x, s.Hints[i].width(), true
}

// View draws the bar, exactly as wide as SetSize said. As many hints are shown as fit, each whole.
func (s *StatusBar) View() string {
	if s.width == 0 {
		return ""
	}
	l := s.layout()
	hints := make([]string, 0, l.hints+1)
	for _, h := range s.Hints[:l.hints] {
		hints = append(hints, h.render(s.theme))
	}
	if s.Help.Key != "" {
		hints = append(hints, s.Help.render(s.theme))
	}

	var b strings.Builder
	if l.left != "" {
		b.WriteString(" " + s.theme.Paint(s.LeftTone, l.left) + hintGap)
	}
	b.WriteString(strings.Join(hints, hintGap))
	if l.right != "" {
		start := s.width - Width(l.right) - 1
		line := fitLine(b.String(), max(start, 0))
		return fitLine(line+s.theme.Paint(s.RightTone, l.right), s.width)
	}
	return fitLine(b.String(), s.width)
}
