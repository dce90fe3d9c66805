package widget

import (
	"strings"

	"bugle/themes"
)

// Hint is a key and what it does.
type Hint struct {
	// Key is the key as shown to the user: "enter", "ctrl+k", "↑/↓".
	Key string
	// Label describes what the key does, in a word or two.
	Label string
	// Dim marks a key that is disabled now; DisabledReason tells the user why.
	Dim            bool
	DisabledReason string
}

// helpHint is the last hint of a status bar; it opens the list of all keys.
var helpHint = Hint{Key: "?", Label: "help"}

// width returns the width of the hint in cells.
func (h Hint) width() int { return Width(Clean(h.Key)) + 1 + Width(Clean(h.Label)) }

// HintLine renders hints side by side, for the lower border of a panel.
func HintLine(hints []Hint) string {
	parts := make([]string, len(hints))
	for i, h := range hints {
		parts[i] = h.Key + " " + h.Label
	}
	return strings.Join(parts, " · ")
}

// render draws the hint on one line.
func (h Hint) render(t *themes.Theme) string {
	if h.Dim {
		return t.Faint.Render(Clean(h.Key) + " " + Clean(h.Label))
	}
	return t.Key.Render(Clean(h.Key)) + " " + t.KeyLabel.Render(Clean(h.Label))
}
