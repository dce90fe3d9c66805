package content

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/content"
)

// share is a percentage that is being typed.
type share struct {
	text  string
	fresh bool // nothing is typed yet: a digit takes the place of what is there
}

func isDigit(msg tea.KeyMsg) bool {
	return msg.Type == tea.KeyRunes && !msg.Alt && len(msg.Runes) == 1 && msg.Runes[0] >= '0' && msg.Runes[0] <= '9'
}

// splitWhy says why percentages cannot be typed, or "".
func (g *Grid) splitWhy() string {
	switch {
	case g.grid.Split == content.Automatic:
		return "The optimizer splits the audience. To set percentages yourself, choose Manual in the A/B test below."
	case len(g.grid.Variations) < 2:
		return "There is one message, and everyone gets it. Press A to add a variation."
	}
	return ""
}

// openShare begins to type the percentage of the variation that the cursor is on.
func (g *Grid) openShare(msg tea.KeyMsg) {
	if why := g.splitWhy(); why != "" {
		g.failure = why
		return
	}
	if g.grid.Variations[g.col].Stray {
		g.failure = "The A/B test does not have this variation. Press x to remove it."
		return
	}
	g.share = &share{text: g.grid.Variations[g.col].Share, fresh: true}
	if isDigit(msg) {
		g.shareKey(msg)
	}
}

func (g *Grid) shareKey(msg tea.KeyMsg) tea.Cmd {
	k := g.keys
	switch {
	case isDigit(msg):
		text := string(msg.Runes)
		if !g.share.fresh {
			text = g.share.text + text
		}
		if n, err := strconv.Atoi(text); err != nil || n > 100 {
			g.failure = "Type a whole number from 0 to 100."
			return nil
		}
		g.setShare(text)
	case msg.Type == tea.KeyBackspace:
		if n := len(g.share.text); n > 0 {
			g.setShare(g.share.text[:n-1])
		}
	case key.Matches(msg, k.Erase):
		g.setShare("")
	case key.Matches(msg, k.Done):
		g.share = nil
	case key.Matches(msg, k.Rest):
		g.rest()
	case key.Matches(msg, k.Even):
		g.even()
	case msg.String() == "tab", msg.String() == "right", msg.String() == ",":
		g.turnShare(1)
	case msg.String() == "shift+tab", msg.String() == "left":
		g.turnShare(-1)
	case msg.String() == "down", msg.String() == "up":
		g.share = nil
		g.moveKey(msg)
	default:
		g.failure = "Type a whole number. Press r to take what is left, = to split evenly, enter when done."
	}
	return nil
}

// turnShare goes on to the percentage of the next variation.
func (g *Grid) turnShare(n int) {
	of := 0
	for _, v := range g.grid.Variations {
		if !v.Stray {
			of++
		}
	}
	g.place(-1, (g.col+n+of)%of)
	g.share = &share{text: g.grid.Variations[g.col].Share, fresh: true}
}

// setShare writes what is typed, so that the sum is that of what is there.
func (g *Grid) setShare(text string) {
	percent := text
	if n, err := strconv.Atoi(text); err == nil {
		percent = strconv.Itoa(n)
	} else if text != "" {
		percent = "" // what stood there is no whole number
	}
	root, err := content.SetShare(g.root, g.grid.Variations[g.col].Name, percent)
	if err != nil {
		g.failure = sentence(err)
		return
	}
	if g.share != nil {
		g.share.text, g.share.fresh = percent, false
	}
	g.take(root)
}

// rest gives the variation under the cursor what the others leave of a hundred.
func (g *Grid) rest() {
	if why := g.splitWhy(); why != "" {
		g.failure = why
		return
	}
	g.setShare(strconv.Itoa(content.Rest(g.root, g.grid.Variations[g.col].Name)))
}

// even gives every variation the same percentage.
func (g *Grid) even() {
	if why := g.splitWhy(); why != "" {
		g.failure = why
		return
	}
	root, err := content.SplitEvenly(g.root)
	if err != nil {
		g.failure = sentence(err)
		return
	}
	g.take(root)
	if g.share != nil {
		g.share.text = g.grid.Variations[g.col].Share
	}
}
