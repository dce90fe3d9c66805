package content

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit/grid"
)

// shareLocked returns why the percentage of a column, or of any one if it is -1, cannot be changed, or "".
func (g *Grid) shareLocked(col int) string {
	switch {
	case g.grid.Split == grid.Automatic:
		return "The optimizer splits the audience. To set percentages yourself, choose Manual in the A/B test below."
	case len(g.grid.Variations) < 2:
		return "There is one message, and everyone gets it. Press A to add a variation."
	case col >= 0 && g.grid.Variations[col].Unlisted:
		return "The A/B test does not have this variation. Press x to remove it."
	}
	return ""
}

// shareKey handles a key that types the percentage of the variation under the cursor: the first digit replaces it, and others
// follow. It reports whether msg was one.
func (g *Grid) shareKey(msg tea.KeyMsg, typing bool) bool {
	text := ""
	if typing {
		text = g.grid.Variations[g.col].Share
	}
	switch {
	case msg.Type == tea.KeyBackspace:
		text = g.grid.Variations[g.col].Share
		text = text[:max(len(text)-1, 0)]
	case msg.Type == tea.KeyRunes && !msg.Alt && strings.Trim(string(msg.Runes), "0123456789") == "":
		text += string(msg.Runes)
	default:
		return false
	}
	if g.failure = g.locked(); g.failure == "" {
		g.setShare(text)
		g.typing = true
	}
	return true
}

// setShare writes a percentage of the variation under the cursor.
func (g *Grid) setShare(text string) {
	if g.failure = g.shareLocked(g.col); g.failure != "" {
		return
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 100 {
		text = strconv.Itoa(n)
	} else if text != "" {
		g.failure = "Type a whole number from 0 to 100."
		return
	}
	g.setRoot(grid.SetShare(g.root, g.grid.Variations[g.col].Name, text))
}

// splitEvenly sets all variations to equal percentages.
func (g *Grid) splitEvenly() {
	if g.failure = g.shareLocked(-1); g.failure == "" {
		g.setRoot(grid.SplitEvenly(g.root))
	}
}
