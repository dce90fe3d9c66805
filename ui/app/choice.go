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

// choiceBox asks a question: the user chooses one of several options. One that is not allowed can be highlighted, which
// shows the reason, but not chosen.
type choiceBox struct {
	box
	msg  screen.ChooseMsg
	list *list.List[widget.Option]
}

// notAvailable marks an option that is not allowed in themes without faint text.
const notAvailable = "not available"

func newChoice(t *themes.Theme, msg screen.ChooseMsg) *choiceBox {
	c := &choiceBox{box: box{theme: t, title: msg.Title, text: msg.Body, keys: []hint{{Key: "enter", Label: "choose"}, {Key: "esc", Label: "close"}}}, msg: msg}
	c.list = list.Items(t, "option", func(o widget.Option) widget.Item {
		item := widget.Item{Icon: o.Icon, IconTone: o.IconTone, Text: o.Label, Info: o.Key, InfoTone: themes.ToneAccent, Dim: o.Dim}
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

// newQuestion returns a choice of a few answers.
func newQuestion(t *themes.Theme, q screen.Question) *choiceBox {
	if len(q.Buttons) == 0 {
		q.Buttons = []widget.Option{{Label: "Yes", Key: "y"}, {Label: "No", Key: "n"}}
		if q.Danger {
			q.Focus = 1
		}
	}
	msg := screen.ChooseMsg{Title: q.Title, Body: q.Body, Options: q.Buttons, Cursor: q.Focus, Then: q.Then}
	if q.Then != nil {
		msg.OnCancel = func() tea.Cmd { return q.Then(widget.Answer{Index: -1}) }
	}
	c := newChoice(t, msg)
	c.danger = q.Danger
	return c
}

// Key moves in the options, or chooses one.
func (c *choiceBox) Key(msg tea.KeyMsg) tea.Cmd {
	key := msg.String()
	byKey := func(o widget.Option) bool { return o.Key != "" && strings.EqualFold(o.Key, key) }
	if i := slices.IndexFunc(c.msg.Options, byKey); i >= 0 {
		return c.choose(i)
	}
	switch key {
	case "esc":
		c.Close()
		if c.msg.OnCancel != nil {
			return c.msg.OnCancel()
		}
		return nil
	case "enter", " ":
		return c.choose(c.list.Index())
	case "tab", "right":
		msg = tea.KeyMsg{Type: tea.KeyDown}
	case "shift+tab", "left":
		msg = tea.KeyMsg{Type: tea.KeyUp}
	case "pgup", "pgdown":
		if c.window.Overflows() {
			c.window.UpdateScroll(msg)
			return nil
		}
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

// Mouse scrolls, moves in the options, or chooses one.
func (c *choiceBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	if c.window.Overflows() && c.window.Wheel(msg) {
		return nil
	}
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		return c.Key(tea.KeyMsg{Type: tea.KeyUp})
	case msg.Button == tea.MouseButtonWheelDown:
		return c.Key(tea.KeyMsg{Type: tea.KeyDown})
	case !widget.Pressed(msg):
		return nil
	}
	msg.Y -= 1 + c.window.Height
	if c.text != "" {
		msg.Y-- // the blank line
	}
	if hit, _ := c.list.Mouse(msg); hit {
		return c.choose(c.list.Index())
	}
	return nil
}

// optionWidth is the width to which the help of an option widens the box.
const optionWidth = 44

// View draws the box. The options and their help take precedence over the text, which scrolls.
func (c *choiceBox) View(width, height int) string {
	lines := c.lines(width, boxWidth)
	w := c.fit(width, lines...)
	for _, o := range c.msg.Options {
		w = max(w, widget.Width(widget.Clean(o.Icon+o.Label))+len(notAvailable)+8, min(widget.Width(optionHelp(o)), optionWidth))
	}
	w = max(min(w, boxWidth, width-4), 1)
	help := c.help(w)
	inner, rows := height-2, len(c.msg.Options)
	help = help[:max(min(len(help), inner-min(rows, 3)), 0)]
	c.list.SetSize(w, max(min(inner-len(help)-min(len(lines), 2), rows), 1))
	foot := append(strings.Split(c.list.View(), "\n"), help...)
	if len(lines) > 0 {
		foot = append([]string{""}, foot...)
	}
	return c.draw(width, height, w, lines, foot)
}

// optionHelp returns the help of an option, or why it is not allowed.
func optionHelp(o widget.Option) string {
	if o.Dim && o.DisabledReason != "" {
		return widget.Clean("Not available: " + o.DisabledReason)
	}
	return widget.Clean(o.Help)
}

// help returns the help of the highlighted option, below a blank line. It has the same height for every option, so that the
// box does not jump.
func (c *choiceBox) help(width int) []string {
	height := 0
	for _, o := range c.msg.Options {
		if help := optionHelp(o); help != "" {
			height = max(height, len(widget.Wrap(help, width)))
		}
	}
	if height == 0 {
		return nil
	}
	help := make([]string, height+1)
	if o, ok := c.list.Selected(); ok {
		style := c.theme.Muted
		if o.Dim {
			style = c.theme.Warning
		}
		copy(help[1:], widget.WrapStyled(style, optionHelp(o), width))
	}
	return help
}
