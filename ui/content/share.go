package content

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit/grid"
)

// shareInput is a percentage being typed.
type shareInput struct {
	text  string
	fresh bool // nothing has been typed: the next digit replaces the value
}

func isDigits(msg tea.KeyMsg) bool {
	return msg.Type == tea.KeyRunes && !msg.Alt && strings.Trim(string(msg.Runes), "0123456789") == ""
}

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

// openShare starts typing the percentage of the variation under the cursor.
func (g *Grid) openShare() {
	if g.failure = g.shareLocked(g.col); g.failure == "" {
		g.share = &shareInput{text: g.grid.Variations[g.col].Share, fresh: true}
	}
}

// shareKey handles a key while a percentage is typed.
func (g *Grid) shareKey(msg tea.KeyMsg) {
	switch {
	case isDigits(msg):
		text := string(msg.Runes)
		if !g.share.fresh {
			text = g.share.text + text
		}
		g.setShare(text)
	case msg.Type == tea.KeyBackspace:
		if n := len(g.share.text); n > 0 {
			g.setShare(g.share.text[:n-1])
		}
	case key.Matches(msg, keyErase):
		g.setShare("")
	case key.Matches(msg, keyDone):
		g.share = nil
	case key.Matches(msg, keyRest):
		g.setToRemainder()
	case key.Matches(msg, keyEven):
		g.splitEvenly()
	case msg.String() == "tab", msg.String() == "right":
		g.nextShare(1)
	case msg.String() == "shift+tab", msg.String() == "left":
		g.nextShare(-1)
	case msg.String() == "down", msg.String() == "up":
		g.share = nil
		g.moveKey(msg)
	default:
		g.failure = "Type a whole number. Press + to use what is left, = to split evenly, enter when done."
	}
}

// nextShare moves to the percentage of another variation; those that the test does not have are the last ones.
func (g *Grid) nextShare(n int) {
	of := len(g.grid.Variations)
	for g.grid.Variations[of-1].Unlisted {
		of--
	}
	g.moveTo(-1, (g.col+n+of)%of)
	g.openShare()
}

// setShare writes a percentage of the variation under the cursor, so that the shown sum is current.
func (g *Grid) setShare(text string) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 100 {
		text = strconv.Itoa(n)
	} else if text != "" {
		g.failure = "Type a whole number from 0 to 100."
		return
	}
	if g.setRoot(grid.SetShare(g.root, g.grid.Variations[g.col].Name, text)) && g.share != nil {
		*g.share = shareInput{text: text}
	}
}

// setToRemainder sets the variation under the cursor to what the others leave of 100.
func (g *Grid) setToRemainder() {
	if g.failure = g.shareLocked(g.col); g.failure == "" {
		g.setShare(strconv.Itoa(grid.RemainingShare(g.root, g.grid.Variations[g.col].Name)))
	}
}

// splitEvenly sets all variations to equal percentages.
func (g *Grid) splitEvenly() {
	if g.failure = g.shareLocked(-1); g.failure != "" {
		return
	}
	if g.setRoot(grid.SplitEvenly(g.root)) && g.share != nil {
		g.share.text = g.grid.Variations[g.col].Share
	}
}
