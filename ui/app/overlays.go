package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// overlay is what lies over the screen and has the keyboard.
type overlay interface {
	// key takes a key. When done, the overlay is taken away before cmd runs.
	key(tea.KeyMsg) (cmd tea.Cmd, done bool)
	mouse(msg tea.MouseMsg, width, height int) (cmd tea.Cmd, done bool)
	view(width, height int) string
}

func (m *Model) lay(o overlay) { m.overlays = append(m.overlays, o) }

func (m *Model) overlayKey(msg tea.KeyMsg) tea.Cmd {
	return m.overlayDone(m.overlays[len(m.overlays)-1].key(msg))
}

func (m *Model) overlayMouse(msg tea.MouseMsg) tea.Cmd {
	return m.overlayDone(m.overlays[len(m.overlays)-1].mouse(msg, m.width, m.height))
}

func (m *Model) overlayDone(cmd tea.Cmd, done bool) tea.Cmd {
	if done {
		m.overlays = m.overlays[:len(m.overlays)-1]
	}
	return cmd
}

// question is a dialog that answers with a command.
type question struct {
	dialog widget.Dialog
	then   func(widget.Answer) tea.Cmd
}

func newQuestion(t themes.Theme, q screen.Question) *question {
	if len(q.Buttons) == 0 {
		q.Buttons = []widget.Button{{Label: "Yes", Key: "y", Danger: q.Danger}, {Label: "No", Key: "n"}}
		if q.Danger {
			q.Focus = 1
		}
	}
	d := widget.NewDialog(t, q.Title, q.Body, q.Buttons...)
	d.Danger, d.Focus = q.Danger, q.Focus
	return &question{dialog: d, then: q.Then}
}

func (q *question) answer(a widget.Answer, done bool) (tea.Cmd, bool) {
	if !done || q.then == nil {
		return nil, done
	}
	return q.then(a), true
}

func (q *question) key(msg tea.KeyMsg) (tea.Cmd, bool) { return q.answer(q.dialog.Update(msg)) }

func (q *question) mouse(msg tea.MouseMsg, width, height int) (tea.Cmd, bool) {
	if !clicked(msg) {
		return nil, false
	}
	x, y := widget.CenterAt(q.view(width, height), width, height)
	return q.answer(q.dialog.Click(msg.X-x, msg.Y-y))
}

func (q *question) view(width, height int) string {
	q.dialog.SetSize(width, height)
	return q.dialog.View()
}

// choice is a list of options that answers with a command.
type choice struct {
	widget widget.Choice
	then   func(widget.Answer) tea.Cmd
}

func newChoice(t themes.Theme, msg screen.ChooseMsg) *choice {
	return &choice{widget: widget.NewChoice(t, msg.Title, msg.Body, msg.Options...), then: msg.Then}
}

func (c *choice) answer(a widget.Answer, done bool) (tea.Cmd, bool) {
	if !done || a.Cancelled() || c.then == nil {
		return nil, done
	}
	return c.then(a), true
}

func (c *choice) key(msg tea.KeyMsg) (tea.Cmd, bool) { return c.answer(c.widget.Update(msg)) }

func (c *choice) mouse(msg tea.MouseMsg, width, height int) (tea.Cmd, bool) {
	if !clicked(msg) {
		return nil, false
	}
	_, y := widget.CenterAt(c.view(width, height), width, height)
	return c.answer(c.widget.Click(msg.Y - y))
}

func (c *choice) view(width, height int) string {
	c.widget.SetSize(width, height)
	return c.widget.View()
}

// input asks for one line of text.
type input struct {
	msg    screen.InputMsg
	prompt widget.Prompt
	theme  themes.Theme
	wrong  string
}

func newInput(t themes.Theme, msg screen.InputMsg) *input {
	in := &input{msg: msg, theme: t, prompt: widget.NewPrompt(t, "", msg.Placeholder)}
	in.prompt.SetValue(msg.Value)
	in.prompt.Focus()
	return in
}

func (in *input) key(msg tea.KeyMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "esc":
		return nil, true
	case "enter":
		if in.msg.Check != nil {
			if in.wrong = in.msg.Check(in.prompt.Value()); in.wrong != "" {
				return nil, false
			}
		}
		return in.msg.Then(in.prompt.Value()), true
	}
	in.wrong = ""
	in.prompt.Update(msg)
	return nil, false
}

func (in *input) mouse(tea.MouseMsg, int, int) (tea.Cmd, bool) { return nil, false }

func (in *input) view(width, _ int) string {
	w := min(width-4, 60)
	panel := widget.NewPanel(in.theme, in.msg.Title)
	panel.Focused = true
	panel.Footer = "enter ok · esc cancel"
	panel.SetSize(w, 4)
	inner, _ := panel.Inner()
	in.prompt.SetSize(inner, 1)
	return panel.View(in.prompt.View() + "\n" + in.theme.Danger.Render(widget.Truncate(in.wrong, inner)))
}

// helpBox shows every key that works now.
type helpBox struct {
	help  widget.HelpView
	theme themes.Theme
	title string
}

func (m *Model) help() tea.Cmd {
	m.lay(&helpBox{help: widget.NewHelpView(m.theme, helpGroups(m.live())...), theme: m.theme, title: "Keys — " + widget.Clean(m.top().Title())})
	return nil
}

func (h *helpBox) key(msg tea.KeyMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "esc", "q", "?", "f1", "enter":
		return nil, true
	}
	h.help.Update(msg)
	return nil, false
}

func (h *helpBox) mouse(msg tea.MouseMsg, _, _ int) (tea.Cmd, bool) {
	h.help.Mouse(msg)
	return nil, false
}

func (h *helpBox) view(width, height int) string {
	panel := widget.NewPanel(h.theme, h.title)
	panel.Focused, panel.Footer = true, "esc close"
	w := min(width-4, 100)
	panel.SetSize(w, height)
	inner, _ := panel.Inner()
	h.help.SetSize(inner, height)
	tall := min(h.help.Lines()+2, height-2)
	panel.SetSize(w, tall)
	inner, lines := panel.Inner()
	h.help.SetSize(inner, lines)
	return panel.View(h.help.View())
}

func clicked(msg tea.MouseMsg) bool {
	return msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
}
