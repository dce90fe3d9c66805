package accessible

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// item is one thing to choose.
type item struct {
	label string
	state string // how it stands, in words; may be empty
	word  string // a word that chooses it besides its number; may be empty
	disabledReason   string // why it cannot be chosen now; empty where it can
	run   func(context.Context) error
}

func (i item) line(n int) string {
	text := fmt.Sprintf("%d. %s", n, i.label)
	if i.word != "" && !strings.EqualFold(i.label, i.word) {
		text += ", or type " + i.word
	}
	if i.state != "" {
		text += ": " + i.state
	}
	if i.disabledReason != "" {
		text += ". Not available: " + i.disabledReason
	}
	return text
}

// menu is things to choose from, again and again until it is left.
type menu struct {
	// header tells what the choice is about, in sentences. It is told each time.
	header  func() []string
	items func() []item
	help  func() []string
	// listAlways says that the items are told each time, not only at first and when asked for.
	listAlways bool
	// once leaves the menu after something was done.
	once bool
	// leaveOnEmpty is what an empty line does besides listing: it leaves the menu.
	leaveOnEmpty bool
	// find takes an answer that chooses none of the items; nil where there is no such answer.
	find func(context.Context, string) error
	ask  string // how the prompt says what else can be typed, such as "a search"
}

// choose asks which item to do. It ends where the menu is left, with nil where that was by an empty
// line or where something was done once.
func (c *console) choose(ctx context.Context, m menu) error {
	listed, missed := false, 0
	for {
		if m.header != nil {
			for _, l := range m.header() {
				c.println("%s", l)
			}
		}
		items := m.items()
		if !listed || m.listAlways {
			c.list(items)
			listed = true
		}
		var picked *item
		var text string
		err := c.ask(ctx, question{
			prompt: m.prompt(len(items)), words: []string{wordList}, help: m.help,
			handle: func(a answer) (err error) {
				text = strings.TrimSpace(a.text)
				if a.word == wordList || text == "" && !m.leaveOnEmpty {
					if missed++; missed > maxInvalidAnswers {
						return invalid("Type a number, or back.")
					}
					if !m.listAlways {
						c.list(items)
					}
					return errList
				}
				if text == "" {
					return nil
				}
				picked, err = pickItem(items, text)
				if _, number := strconv.Atoi(text); err != nil && m.find != nil && number != nil {
					return nil
				}
				return err
			},
		})
		switch {
		case errors.Is(err, errList):
			continue
		case err != nil:
			return err
		case picked == nil && text == "":
			return nil
		}
		if picked != nil {
			err = picked.run(ctx)
		} else {
			err = m.find(ctx, text)
		}
		switch {
		case errors.Is(err, errLeave):
			return errBack
		case isBack(err) && m.once:
			return err
		case isBack(err), err == nil && !m.once:
		default:
			return err
		}
		if err == nil {
			missed = 0
		}
	}
}

// errList says that the items were told once more.
var errList = errors.New("the items were told")

// errLeave is what an item gives that leaves its menu.
var errLeave = errors.New("the menu is left")

func (m menu) prompt(n int) string {
	var ways []string
	switch {
	case n == 1:
		ways = append(ways, "1")
	case n > 1:
		ways = append(ways, fmt.Sprintf("1 to %d", n))
	}
	if m.ask != "" {
		ways = append(ways, m.ask)
	}
	if m.leaveOnEmpty {
		ways = append(ways, "Enter to continue")
	} else {
		ways = append(ways, "list")
	}
	return "Choose " + strings.Join(append(ways, "back"), ", ") + " or ?"
}

func (c *console) list(items []item) {
	for i, it := range items {
		c.println("%s", it.line(i+1))
	}
}

// pickItem finds the item that an answer means: its number, its word, its name or the beginning of that.
func pickItem(items []item, text string) (*item, error) {
	found := -1
	if n, err := strconv.Atoi(text); err == nil {
		if len(items) == 0 {
			return nil, invalid("There is nothing to choose here.")
		}
		if n < 1 || n > len(items) {
			return nil, invalid("There is no number %d. Type one from 1 to %d.", n, len(items))
		}
		found = n - 1
	}
	low := strings.ToLower(text)
	if found < 0 {
		found = slices.IndexFunc(items, func(i item) bool { return i.word == low || strings.ToLower(i.label) == low })
	}
	if found < 0 && len(low) > 1 { // a letter alone is more often a slip
		for i, it := range items {
			if !strings.HasPrefix(strings.ToLower(it.label), low) {
				continue
			}
			if found >= 0 {
				return nil, invalid("%s can mean %s or %s. Type a number.", text, items[found].label, it.label)
			}
			found = i
		}
	}
	if found < 0 {
		return nil, invalid("%q is none of these. Type a number, list to hear them, or ? for help.", text)
	}
	if why := items[found].disabledReason; why != "" {
		return nil, invalid("%s cannot be chosen: %s", items[found].label, why)
	}
	return &items[found], nil
}

// option is one of the answers to a question with a few.
type option struct {
	label string
	help  string // a clause; may be empty
	disabledReason   string // why it cannot be chosen; empty where it can
}

// chooseOption asks for one of a few answers. An empty line is the answer instead; there it must be chosen
// where instead is negative. It gives the number of the option.
func (c *console) chooseOption(ctx context.Context, title string, options []option, instead int) (int, error) {
	items := make([]item, len(options))
	for i, o := range options {
		items[i] = item{label: o.label, state: o.help, disabledReason: o.disabledReason}
	}
	c.list(items)
	prompt := fmt.Sprintf("%s, 1 to %d", title, len(items))
	if instead >= 0 {
		prompt += ", Enter for " + options[instead].label
	}
	chosen := instead
	err := c.ask(ctx, question{
		prompt: prompt, words: []string{wordList},
		help: func() []string { return []string{"Type the number of one of these, or its name."} },
		handle: func(a answer) error {
			switch text := strings.TrimSpace(a.text); {
			case a.word == wordList:
				c.list(items)
				return invalid("Type a number.")
			case text == "" && instead >= 0:
				return nil
			case text == "":
				return invalid("Choose one: type its number.")
			default:
				found, err := pickItem(items, text)
				if err != nil {
					return err
				}
				for i := range items {
					if found == &items[i] {
						chosen = i
					}
				}
				return nil
			}
		},
	})
	return chosen, err
}
