package content

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
)

// shareEditor sets the percentages of a table's variations.
type shareEditor struct {
	*table
	keys keyMap
}

func (g *Grid) shareEditor() shareEditor { return shareEditor{g.table, g.keys} }

// shareInput is a percentage being typed.
type shareInput struct {
	text  string
	fresh bool // nothing has been typed: the next digit replaces the value
}

func isDigit(msg tea.KeyMsg) bool {
	return msg.Type == tea.KeyRunes && !msg.Alt && len(msg.Runes) == 1 && msg.Runes[0] >= '0' && msg.Runes[0] <= '9'
}

// shareLockedReason returns why percentages cannot be typed, or "".
func (t *table) shareLockedReason() string {
	switch {
	case t.grid.Split == grid.Automatic:
		return "The optimizer splits the audience. To set percentages yourself, choose Manual in the A/B test below."
	case len(t.grid.Variations) < 2:
		return "There is one message, and everyone gets it. Press A to add a variation."
	}
	return ""
}

// open starts typing the percentage of the variation under the cursor.
func (s shareEditor) open(msg tea.KeyMsg) {
	if why := s.shareLockedReason(); why != "" {
		s.failure = why
		return
	}
	if s.grid.Variations[s.col].Unlisted {
		s.failure = "The A/B test does not have this variation. Press x to remove it."
		return
	}
	s.share = &shareInput{text: s.grid.Variations[s.col].Share, fresh: true}
	if isDigit(msg) {
		s.key(msg)
	}
}

// key handles a key while a percentage is typed.
func (s shareEditor) key(msg tea.KeyMsg) {
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
		s.setToRemainder()
	case key.Matches(msg, k.Even):
		s.splitEvenly()
	case msg.String() == "tab", msg.String() == "right", msg.String() == ",":
		s.next(1)
	case msg.String() == "shift+tab", msg.String() == "left":
		s.next(-1)
	case msg.String() == "down", msg.String() == "up":
		s.share = nil
		s.moveKey(msg)
	default:
		s.failure = "Type a whole number. Press r to use what is left, = to split evenly, enter when done."
	}
}

// next moves to the percentage of another variation.
func (s shareEditor) next(n int) {
	of := 0
	for _, v := range s.grid.Variations {
		if !v.Unlisted {
			of++
		}
	}
	s.moveTo(-1, (s.col+n+of)%of)
	s.share = &shareInput{text: s.grid.Variations[s.col].Share, fresh: true}
}

// set writes the typed percentage, so that the shown sum is current.
func (s shareEditor) set(text string) {
	percent := text
	if n, err := strconv.Atoi(text); err == nil {
		percent = strconv.Itoa(n)
	} else if text != "" {
		percent = "" // the old value is not a whole number
	}
	root, err := grid.SetShare(s.root, s.grid.Variations[s.col].Name, percent)
	if err != nil {
		s.failure = phrase.Sentence(err.Error())
		return
	}
	if s.share != nil {
		s.share.text, s.share.fresh = percent, false
	}
	s.setRoot(root)
}

// setToRemainder sets the variation under the cursor to what the others leave of 100.
func (s shareEditor) setToRemainder() {
	if why := s.shareLockedReason(); why != "" {
		s.failure = why
		return
	}
	s.set(strconv.Itoa(grid.RemainingShare(s.root, s.grid.Variations[s.col].Name)))
}

// splitEvenly sets all variations to equal percentages.
func (s shareEditor) splitEvenly() {
	if why := s.shareLockedReason(); why != "" {
		s.failure = why
		return
	}
	root, err := grid.SplitEvenly(s.root)
	if err != nil {
		s.failure = phrase.Sentence(err.Error())
		return
	}
	s.setRoot(root)
	if s.share != nil {
		s.share.text = s.grid.Variations[s.col].Share
	}
}
