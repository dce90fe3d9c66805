package content

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit/grid"
)

// shares sets the percentages of a table's variations.
type shares struct {
	*table
	keys keyMap
}

func (g *Grid) shares() shares { return shares{g.table, g.keys} }

// share is a percentage that is being typed.
type share struct {
	text  string
	fresh bool // nothing is typed yet: a digit takes the place of what is there
}

func isDigit(msg tea.KeyMsg) bool {
	return msg.Type == tea.KeyRunes && !msg.Alt && len(msg.Runes) == 1 && msg.Runes[0] >= '0' && msg.Runes[0] <= '9'
}

// splitWhy says why percentages cannot be typed, or "".
func (t *table) splitWhy() string {
	switch {
	case t.grid.Split == grid.Automatic:
		return "The optimizer splits the audience. To set percentages yourself, choose Manual in the A/B test below."
	case len(t.grid.Variations) < 2:
		return "There is one message, and everyone gets it. Press A to add a variation."
	}
	return ""
}

// open begins to type the percentage of the variation that the cursor is on.
func (s shares) open(msg tea.KeyMsg) {
	if why := s.splitWhy(); why != "" {
		s.failure = why
		return
	}
	if s.grid.Variations[s.col].Unlisted {
		s.failure = "The A/B test does not have this variation. Press x to remove it."
		return
	}
	s.share = &share{text: s.grid.Variations[s.col].Share, fresh: true}
	if isDigit(msg) {
		s.key(msg)
	}
}

// key takes a key while a percentage is typed.
func (s shares) key(msg tea.KeyMsg) {
	k := s.keys
	switch {
	case isDigit(msg):
		text := string(msg.Runes)
		if !s.share.fresh {
			text = s.share.text + text
		}
		if n, err := strconv.Atoi(text); err != nil || n > 100 {
			s.failure = "Type a whole number from 0 to 100."
			return
		}
		s.set(text)
	case msg.Type == tea.KeyBackspace:
		if n := len(s.share.text); n > 0 {
			s.set(s.share.text[:n-1])
		}
	case key.Matches(msg, k.Erase):
		s.set("")
	case key.Matches(msg, k.Done):
		s.share = nil
	case key.Matches(msg, k.Rest):
		s.rest()
	case key.Matches(msg, k.Even):
		s.even()
	case msg.String() == "tab", msg.String() == "right", msg.String() == ",":
		s.turn(1)
	case msg.String() == "shift+tab", msg.String() == "left":
		s.turn(-1)
	case msg.String() == "down", msg.String() == "up":
		s.share = nil
		s.moveKey(msg)
	default:
		s.failure = "Type a whole number. Press r to use what is left, = to split evenly, enter when done."
	}
}

// turn goes on to the percentage of the next variation.
func (s shares) turn(n int) {
	of := 0
	for _, v := range s.grid.Variations {
		if !v.Unlisted {
			of++
		}
	}
	s.place(-1, (s.col+n+of)%of)
	s.share = &share{text: s.grid.Variations[s.col].Share, fresh: true}
}

// set writes what is typed, so that the sum is that of what is there.
func (s shares) set(text string) {
	percent := text
	if n, err := strconv.Atoi(text); err == nil {
		percent = strconv.Itoa(n)
	} else if text != "" {
		percent = "" // what stood there is no whole number
	}
	root, err := grid.SetShare(s.root, s.grid.Variations[s.col].Name, percent)
	if err != nil {
		s.failure = sentence(err)
		return
	}
	if s.share != nil {
		s.share.text, s.share.fresh = percent, false
	}
	s.take(root)
}

// rest sets the variation under the cursor to what the others leave of a hundred.
func (s shares) rest() {
	if why := s.splitWhy(); why != "" {
		s.failure = why
		return
	}
	s.set(strconv.Itoa(grid.RemainingShare(s.root, s.grid.Variations[s.col].Name)))
}

// even gives every variation the same percentage.
func (s shares) even() {
	if why := s.splitWhy(); why != "" {
		s.failure = why
		return
	}
	root, err := grid.SplitEvenly(s.root)
	if err != nil {
		s.failure = sentence(err)
		return
	}
	s.take(root)
	if s.share != nil {
		s.share.text = s.grid.Variations[s.col].Share
	}
}
