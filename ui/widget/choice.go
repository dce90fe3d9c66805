package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// Option is one entry of a Choice.
type Option struct {
	// Label is the option's text, Help a sentence that explains it.
	Label, Help string
	// Icon is shown before the label.
	Icon     string
	IconTone themes.Tone
	// Dim marks an option that is not allowed now; DisabledReason tells the user why.
	Dim            bool
	DisabledReason string
}

// Choice asks the user to choose one of several options. An option that is not allowed can be focused, which
// shows the reason, but not chosen.
type Choice struct {
	// Title and Body are the question; Body may be empty.
	Title, Body string

	theme         *themes.Theme
	options       []Option
	list          List
	width, height int
}

// notAvailable marks an option that is not allowed in themes without faint text.
const notAvailable = "not available"

// NewChoice returns a choice with the cursor on the first allowed option.
func NewChoice(t *themes.Theme, title, body string, options ...Option) Choice {
	c := Choice{Title: title, Body: body, theme: t, options: options, list: NewList(t), width: 80, height: 24}
	items := make([]Item, len(options))
	first := -1
	for i, o := range options {
		items[i] = Item{Icon: o.Icon, IconTone: o.IconTone, Text: o.Label, Dim: o.Dim}
		if o.Dim {
			items[i].Info = notAvailable
		}
		if first < 0 && !o.Dim {
			first = i
		}
	}
	c.list.SetItems(items)
	c.list.Focused = true
	c.Select(max(first, 0))
	return c
}

// Options returns the options.
func (c *Choice) Options() []Option { return c.options }

// SetSize sets the size of the screen that the choice is drawn over; the box is as large as it needs to be.
func (c *Choice) SetSize(width, height int) { c.width, c.height = max(width, 0), max(height, 0) }

// Select puts the cursor on option i.
func (c *Choice) Select(i int) { c.list.SelectItem(i) }

// Cursor returns the index of the option under the cursor.
func (c *Choice) Cursor() int { return c.list.Cursor }

// Update handles a key. It returns the answer and true if the key answers; enter on an option that is not
// allowed does not.
func (c *Choice) Update(msg tea.KeyMsg) (Answer, bool) {
	switch key := msg.String(); key {
	case "esc":
		return Answer{-1}, true
	case "enter", " ":
		return c.accept()
	case "tab":
		c.list.Down()
	case "shift+tab":
		c.list.Up()
	default:
		if n := len(key); n == 1 && key[0] >= '1' && key[0] <= '9' && int(key[0]-'0') <= len(c.options) {
			c.Select(int(key[0] - '1'))
			return c.accept()
		}
		c.measure()
		c.list.Update(msg)
	}
	return Answer{}, false
}

func (c *Choice) accept() (Answer, bool) {
	i := c.list.Cursor
	if i >= len(c.options) || c.options[i].Dim {
		return Answer{}, false
	}
	return Answer{i}, true
}

// Click chooses the option on line y of the box.
func (c *Choice) Click(y int) (Answer, bool) {
	head, _, _ := c.measure()
	if !c.list.Click(y - 1 - len(head)) {
		return Answer{}, false
	}
	return c.accept()
}

// Wheel moves the cursor with the mouse wheel and reports whether msg was a wheel event.
func (c *Choice) Wheel(msg tea.MouseMsg) bool {
	c.measure()
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		c.list.Up()
	case tea.MouseButtonWheelDown:
		c.list.Down()
	default:
		return false
	}
	return true
}

// Hints returns the keys of the dialog.
func (c *Choice) Hints() []Hint {
	return []Hint{{Key: "enter", Label: "choose"}, {Key: "esc", Label: "close"}}
}

// measure returns the lines above and below the options and the inner width. It updates the size of the list.
func (c *Choice) measure() (head, foot []string, width int) {
	most := max(min(c.width-4, dialogWidth), 1)
	width = max(Width(Clean(c.Title)), Width(HintLine(c.Hints()))) + 4
	for _, o := range c.options {
		width = max(width, Width(Clean(o.Label))+Width(Clean(o.Icon))+len(notAvailable)+8, min(Width(Clean(o.Help)), 44), min(Width(Clean(o.DisabledReason)), 44))
	}
	if c.Body != "" {
		head = wrapText(c.Body, most)
		for _, line := range head {
			width = max(width, Width(line))
		}
	}
	width = clamp(width, 1, most)
	// The help of the options takes precedence over the question, which the user has already read.
	rows, inner := len(c.options), max(c.height-2, 0)
	foot = trim(c.footer(width), inner-min(rows, 3))
	if spare := inner - rows - len(foot); spare < len(head)+1 {
		head = head[:clamp(spare-1, 0, len(head))]
	}
	if len(head) > 0 {
		head = append(head, "")
	}
	c.list.SetSize(width, clamp(inner-len(head)-len(foot), 1, max(rows, 1)))
	return head, foot, width
}

// trim shortens lines, whose first one is blank, to at most n.
func trim(lines []string, n int) []string {
	if len(lines) <= max(n, 0) {
		return lines
	}
	if len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return lines[:clamp(n, 0, len(lines))]
}

// footer returns the help of the option under the cursor, or why it is not allowed. It has the same height for
// every option, so that the box does not jump.
func (c *Choice) footer(width int) []string {
	height := 0
	for _, o := range c.options {
		height = max(height, len(o.helpLines(width)))
	}
	if height == 0 {
		return nil
	}
	foot := make([]string, height+1)
	if i := c.list.Cursor; i < len(c.options) {
		style := c.theme.Muted
		if c.options[i].Dim {
			style = c.theme.Warning
		}
		for n, line := range c.options[i].helpLines(width) {
			foot[n+1] = style.Render(line)
		}
	}
	return foot
}

func (o Option) helpLines(width int) []string {
	switch {
	case o.Dim && o.DisabledReason != "":
		return Wrap(Clean("Not available: "+o.DisabledReason), width)
	case o.Help != "":
		return Wrap(Clean(o.Help), width)
	default:
		return nil
	}
}

// View draws the box as large as it needs to be, at most as large as SetSize allows.
func (c *Choice) View() string {
	head, foot, width := c.measure()
	content := make([]string, 0, len(head)+len(foot)+c.list.Height)
	for _, line := range head {
		content = append(content, c.theme.Text.Render(line))
	}
	content = append(content, strings.Split(c.list.View(), "\n")...)
	content = append(content, foot...)
	p := Panel{Title: c.Title, Focused: true, Footer: HintLine(c.Hints()), theme: c.theme}
	p.SetSize(min(width+4, c.width), min(len(content)+2, c.height))
	return p.View(strings.Join(content, "\n"))
}
