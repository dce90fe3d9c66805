package accessible

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// item is an item of a menu.
type item struct {
	label          string
	state          string // its state in words; may be empty
	word           string // a word that chooses it besides its number; may be empty
	disabledReason string // why it is disabled; empty if it is not
	run            func(context.Context) error
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

// menu is a list of items to choose from repeatedly.
type menu struct {
	// header returns sentences about the choice, which are printed each time.
	header func() []string
	items  func() []item
	help   func() []string
	// listAlways prints the items each time, not only at first and on request.
	listAlways bool
	// once leaves the menu after an item was run.
	once bool
	// leaveOnEmpty makes an empty line leave the menu instead of listing it.
	leaveOnEmpty bool
	// find handles an answer that is not an item; nil if there are no other answers.
	find func(context.Context, string) error
	ask  string // what else can be typed, for the prompt, such as "a search"
}

// choose asks for an item and runs it. It returns when the menu is left; nil if that was by an empty line or
// because of once.
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
				if _, number := strconv.Atoi(text); m.find != nil && number != nil { // a search never opens what it finds
					if i := slices.IndexFunc(items, func(i item) bool { return i.word == strings.ToLower(text) }); i >= 0 {
						picked = &items[i]
					}
					return nil
				}
				picked, err = pickItem(items, text)
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
			err = m.find(ctx, strings.TrimPrefix(text, "/"))
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

// errList reports that the items have been listed again.
var errList = errors.New("the items were told")

// errLeave is returned by an item that leaves its menu.
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
		if it.word != "" && !slices.Contains(c.commands, it.word) {
			c.commands = append(c.commands, it.word, strings.ToLower(it.label))
		}
	}
}

// pickItem finds an item by its number, its word, its name or the beginning of its name.
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
	if found < 0 && len(low) > 1 { // a single letter is more often a slip
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

// option is one of a few answers.
type option struct {
	label          string
	help           string // a clause; may be empty
	disabledReason string // why it is disabled; empty if it is not
}

// chooseOption asks for one of a few answers and returns its index. An empty line means instead; if that is
// negative, the user must choose.
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
