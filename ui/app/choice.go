package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// choiceBox asks the user to choose one of several options. An option that is not allowed can be highlighted, which
// shows the reason, but not chosen.
type choiceBox struct {
	screen.Box
	theme *themes.Theme
	msg   screen.ChooseMsg
	list  *list.List[widget.Option]
	head  int // lines above the options
}

// notAvailable marks an option that is not allowed in themes without faint text.
const notAvailable = "not available"

func newChoice(t *themes.Theme, msg screen.ChooseMsg) *choiceBox {
	c := &choiceBox{theme: t, msg: msg}
	c.list = list.Items(t, "option", func(o widget.Option) widget.Item {
		item := widget.Item{Icon: o.Icon, IconTone: o.IconTone, Text: o.Label, Dim: o.Dim}
		if o.Dim {
			item.Info = notAvailable
		}
		return item
	})
	c.list.Focused = true
	c.list.Set(msg.Options)
	allowed := func(o widget.Option) bool { return !o.Dim }
	if c.list.SelectIndex(msg.Cursor); msg.Cursor == 0 {
		c.list.SelectIndex(max(slices.IndexFunc(msg.Options, allowed), 0))
	}
	return c
}

func (c *choiceBox) hints() []widget.Hint {
	return []widget.Hint{{Key: "enter", Label: "choose"}, {Key: "esc", Label: "close"}}
}

// Key moves in the options, or chooses one.
func (c *choiceBox) Key(msg tea.KeyMsg) tea.Cmd {
	switch key := msg.String(); key {
	case "esc":
		c.Close()
		if c.msg.OnCancel != nil {
			return c.msg.OnCancel()
		}
		return nil
	case "enter", " ":
		return c.choose(c.list.Index())
	case "tab":
		msg = tea.KeyMsg{Type: tea.KeyDown}
	case "shift+tab":
		msg = tea.KeyMsg{Type: tea.KeyUp}
	default:
		if i := strings.Index("123456789", key); len(key) == 1 && i >= 0 && i < len(c.msg.Options) {
			c.list.SelectIndex(i)
			return c.choose(i)
		}
	}
	if c.list.Key(msg) == list.Moved && c.msg.Moved != nil {
		return c.msg.Moved(c.list.Index())
	}
	return nil
}

func (c *choiceBox) choose(i int) tea.Cmd {
	if i >= len(c.msg.Options) || c.msg.Options[i].Dim {
		return nil
	}
	if c.Close(); c.msg.Then == nil {
		return nil
	}
	return c.msg.Then(widget.Answer{Index: i})
}

// Mouse moves in the options, or chooses one.
func (c *choiceBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		return c.Key(tea.KeyMsg{Type: tea.KeyUp})
	case msg.Button == tea.MouseButtonWheelDown:
		return c.Key(tea.KeyMsg{Type: tea.KeyDown})
	case !widget.Pressed(msg):
		return nil
	}
	msg.Y -= 1 + c.head
	if hit, _ := c.list.Mouse(msg); hit {
		return c.choose(c.list.Index())
	}
	return nil
}

// choiceWidth is the maximum width of the lines of a question, and optionWidth that to which the help of an option widens
// the box.
const (
	choiceWidth = 60
	optionWidth = 44
)

// View draws the box as large as it needs to be. The help of the options takes precedence over the question, which the user
// has already read.
func (c *choiceBox) View(width, height int) string {
	panel := widget.NewPanel(c.theme, c.msg.Title)
	panel.Focused, panel.Footer = true, widget.HintLine(c.hints())
	most, inner := max(min(width-4, choiceWidth), 1), max(height-2, 0)
	head := widget.WrapLines(c.msg.Body, most)
	w := max(widget.Width(widget.Clean(c.msg.Title)), widget.Width(panel.Footer)) + 4
	for _, line := range head {
		w = max(w, widget.Width(line))
	}
	for _, o := range c.msg.Options {
		w = max(w, widget.Width(widget.Clean(o.Icon+o.Label))+len(notAvailable)+8, min(widget.Width(optionHelp(o)), optionWidth))
	}
	w = min(w, most)
	rows := len(c.msg.Options)
	foot := c.foot(w)
	foot = foot[:max(min(len(foot), inner-min(rows, 3)), 0)]
	if spare := inner - rows - len(foot) - 1; c.msg.Body == "" || spare < 1 {
		head = nil
	} else {
		head = append(head[:min(len(head), spare)], "")
	}
	c.head = len(head)
	c.list.SetSize(w, max(min(inner-len(head)-len(foot), rows), 1))
	lines := slices.Concat(widget.Styled(c.theme.Text, head), strings.Split(c.list.View(), "\n"), foot)
	panel.SetSize(min(w+4, width), min(len(lines)+2, height))
	return panel.View(strings.Join(lines, "\n"))
}

// optionHelp returns the help of an option, or why it is not allowed.
func optionHelp(o widget.Option) string {
	if o.Dim && o.DisabledReason != "" {
		return widget.Clean("Not available: " + o.DisabledReason)
	}
	return widget.Clean(o.Help)
}

// foot returns the help of the highlighted option, below a blank line. It has the same height for every option, so that the
// box does not jump.
func (c *choiceBox) foot(width int) []string {
	height := 0
	for _, o := range c.msg.Options {
		if help := optionHelp(o); help != "" {
			height = max(height, len(widget.Wrap(help, width)))
		}
	}
	if height == 0 {
		return nil
	}
	foot := make([]string, height+1)
	if o, ok := c.list.Selected(); ok {
		style := c.theme.Muted
		if o.Dim {
			style = c.theme.Warning
		}
		copy(foot[1:], widget.WrapStyled(style, optionHelp(o), width))
	}
	return foot
}
