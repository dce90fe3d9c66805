package widget

import (
	"strings"

	"bugle/themes"
)

// StatusBar is the bottom line of a screen: its location, the keys that work now, and a text at the right.
type StatusBar struct {
	// Left is the current location; Right is dropped first in a narrow bar, after the hints.
	Left, Right string
	// LeftTone and RightTone color them.
	LeftTone, RightTone themes.Tone
	// Hints are the keys that work now, the most important first. Help is added at the end.
	Hints []Hint
	// Help opens the list of all keys. It is "? help", or another key while "?" is text; without a key it is left
	// out.
	Help Hint

	theme *themes.Theme
	width int
}

// NewStatusBar returns an empty bar.
func NewStatusBar(t *themes.Theme) StatusBar {
	return StatusBar{theme: t, Help: helpHint, LeftTone: themes.ToneStrong, RightTone: themes.ToneMuted}
}

// SetSize sets the width of the bar; it is always one line high.
func (s *StatusBar) SetSize(width, _ int) { s.width = max(width, 0) }

// hintGap separates two hints.
const hintGap = "  "

// barLayout is the part of the bar that fits.
type barLayout struct {
	left, right string
	start       int // the column of the first hint
	hints       int // number of visible hints before the help hint
}

// layout reserves space for the help hint first, then for the left text, then for the rest.
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

// HintAt returns the index of the hint at column x, len(Hints) for the help hint; false if there is none.
func (s *StatusBar) HintAt(x int) (int, bool) {
	for i := range len(s.Hints) + 1 {
		if start, w, ok := s.HintSpan(i); ok && x >= start && x < start+w && x < s.width {
			return i, true
		}
	}
	return 0, false
}

// HintSpan returns the column and width of a hint, len(Hints) for the help hint; false if it is not visible.
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

// View draws the bar in exactly its width. It shows as many whole hints as fit.
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
