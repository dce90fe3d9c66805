package widget

import (
	"strings"

	"bugle/themes"
)

// Hint is a key and what it does.
type Hint struct {
	// Key as a person reads it: "enter", "ctrl+k", "↑/↓".
	Key string
	// Label is what it does, in a word or two.
	Label string
	// Dim marks a key that does nothing now; Why says the reason.
	Dim            bool
	DisabledReason string
}

// helpHint ends a status bar: it leads to all the other keys.
var helpHint = Hint{Key: "?", Label: "help"}

// width is the number of cells that the hint takes on one line.
func (h Hint) width() int { return Width(Clean(h.Key)) + 1 + Width(Clean(h.Label)) }

// HintLine puts hints side by side, as the lower edge of a panel shows them.
func HintLine(hints []Hint) string {
	parts := make([]string, len(hints))
	for i, h := range hints {
		parts[i] = h.Key + " " + h.Label
	}
	return strings.Join(parts, " · ")
}

// render draws the hint on one line.
func (h Hint) render(t themes.Theme) string {
	if h.Dim {
		return t.Faint.Render(Clean(h.Key) + " " + Clean(h.Label))
	}
	return t.Key.Render(Clean(h.Key)) + " " + t.KeyLabel.Render(Clean(h.Label))
}
