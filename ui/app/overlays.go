package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/keymap"
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

// hinting is an overlay with keys of its own, which the status bar shows instead of the screen's.
type hinting interface{ hints() []widget.Hint }

// lay puts an overlay over the screen. Who opens one has read the news.
func (m *Model) lay(o overlay) {
	m.toasts.Drop(widget.LevelInfo)
	m.overlays.boxes = append(m.overlays.boxes, o)
}

// anchored is an overlay that does not lie in the middle.
type anchored interface {
	at(box string, width, height int) (x, y int)
}

// pointing is an overlay with a sign beside it that points at something.
type pointing interface {
	pointer(height int) (sign string, x, y int, ok bool)
}

// held is an overlay that a click beside it may not close: something was typed.
type held interface{ hold() bool }

// overlayAt returns where an overlay lies.
func overlayAt(o overlay, box string, width, height int) (x, y int) {
	if a, ok := o.(anchored); ok {
		return a.at(box, width, height)
	}
	return widget.CenterAt(box, width, height)
}

// overlays lie over the screen, the last one on top.
type overlays struct {
	boxes         []overlay
	width, height int // of the window
}

// over returns the overlay on top; nil where there is none.
func (ov *overlays) over() overlay {
	if len(ov.boxes) == 0 {
		return nil
	}
	return ov.boxes[len(ov.boxes)-1]
}

// where draws the overlay on top, and returns where it lies.
func (ov *overlays) where() (box string, at area) {
	o := ov.over()
	box = o.view(ov.width, ov.height)
	x, y := overlayAt(o, box, ov.width, ov.height)
	return box, area{x, y, widget.Width(firstLine(box)), strings.Count(box, "\n") + 1}
}

// cover draws the overlays over what lies below them.
func (ov *overlays) cover(out string) string {
	for _, o := range ov.boxes {
		box := o.view(ov.width, ov.height)
		x, y := overlayAt(o, box, ov.width, ov.height)
		out = strings.ReplaceAll(out, themes.CaretMark, "") // the keyboard is the overlay's
		out = widget.Cover(out, box, x, y, ov.width, ov.height)
		if p, ok := o.(pointing); ok {
			if sign, x, y, ok := p.pointer(ov.height); ok {
				out = widget.Overlay(out, sign, x, y, ov.width, ov.height)
			}
		}
	}
	return out
}

// key passes a key to the overlay on top.
func (ov *overlays) key(msg tea.KeyMsg) tea.Cmd {
	return ov.do(func(o overlay) (tea.Cmd, bool) { return o.key(msg) })
}

// mouse passes the mouse to the overlay on top. A click on a hint in its lower edge or in the status bar presses the
// key; one beside it closes it, as esc does.
func (ov *overlays) mouse(msg tea.MouseMsg, bar widget.StatusBar) tea.Cmd {
	return ov.do(func(o overlay) (tea.Cmd, bool) {
		box, at := ov.where()
		inside := at.has(msg.X, msg.Y)
		if inside && clicked(msg) && msg.Y == at.y+at.h-1 {
			if key, ok := keymap.Msg(widget.HintAt(box[strings.LastIndexByte(box, '\n')+1:], msg.X-at.x)); ok {
				return o.key(key)
			}
		}
		if inside || !clicked(msg) {
			return o.mouse(msg, ov.width, ov.height)
		}
		if _, ok := o.(hinting); ok && msg.Y == ov.height-1 {
			if i, ok := bar.At(msg.X); ok {
				if key, ok := keymap.Msg(bar.Hints[i].Key); ok {
					return o.key(key)
				}
			}
			return nil, false
		}
		if h, ok := o.(held); ok && h.hold() {
			return nil, false
		}
		return o.key(tea.KeyMsg{Type: tea.KeyEsc})
	})
}

// do has the overlay on top do something, and takes it away where it is done; what it laid over the screen meanwhile
// stays.
func (ov *overlays) do(do func(overlay) (cmd tea.Cmd, done bool)) tea.Cmd {
	at := len(ov.boxes) - 1
	cmd, done := do(ov.boxes[at])
	if done {
		ov.boxes = slices.Delete(ov.boxes, at, at+1)
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

func (q *question) hints() []widget.Hint { return q.dialog.Hints() }

func (q *question) key(msg tea.KeyMsg) (tea.Cmd, bool) { return q.answer(q.dialog.Update(msg)) }

func (q *question) mouse(msg tea.MouseMsg, width, height int) (tea.Cmd, bool) {
	if q.dialog.Wheel(msg) || !clicked(msg) {
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
	if !done || a.Canceled() || c.then == nil {
		return nil, done
	}
	return c.then(a), true
}

func (c *choice) hints() []widget.Hint { return c.widget.Hints() }

func (c *choice) key(msg tea.KeyMsg) (tea.Cmd, bool) { return c.answer(c.widget.Update(msg)) }

func (c *choice) mouse(msg tea.MouseMsg, width, height int) (tea.Cmd, bool) {
	if c.widget.Wheel(msg) || !clicked(msg) {
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
		if in.msg.Left != nil {
			return in.msg.Left(), true
		}
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

func (in *input) hints() []widget.Hint {
	return []widget.Hint{{Key: "enter", Label: "ok"}, {Key: "esc", Label: "cancel"}}
}

func (in *input) writing() bool { return true }

func (in *input) hold() bool { return in.prompt.Value() != in.msg.Value }

func (in *input) mouse(tea.MouseMsg, int, int) (tea.Cmd, bool) { return nil, false }

func (in *input) view(width, _ int) string {
	w := min(width-4, 60)
	panel := widget.NewPanel(in.theme, in.msg.Title)
	panel.Focused = true
	panel.Footer = widget.HintLine(in.hints())
	panel.SetSize(w, 4)
	inner, _ := panel.Inner()
	in.prompt.SetSize(inner, 1)
	return panel.View(in.prompt.View() + "\n" + in.theme.Danger.Render(widget.Truncate(in.wrong, inner)))
}

// capture asks for one key, whatever it does otherwise.
type capture struct {
	msg   screen.KeyMsg
	theme themes.Theme
}

func newCapture(t themes.Theme, msg screen.KeyMsg) *capture { return &capture{msg, t} }

func (c *capture) key(msg tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case msg.Type == tea.KeyEsc:
		return nil, true
	case msg.Paste:
		return nil, false
	}
	return c.msg.Then(msg.String()), true
}

func (c *capture) hints() []widget.Hint { return []widget.Hint{{Key: "esc", Label: "cancel"}} }

func (c *capture) mouse(tea.MouseMsg, int, int) (tea.Cmd, bool) { return nil, false }

func (c *capture) view(width, height int) string {
	w := min(width-4, 60)
	lines := widget.Wrap(widget.Clean(c.msg.Body), w-4)
	panel := widget.NewPanel(c.theme, widget.Clean(c.msg.Title))
	panel.Focused, panel.Footer = true, "press a key · esc cancel"
	panel.SetSize(w, min(len(lines)+2, height))
	return panel.View(c.theme.Text.Render(strings.Join(lines, "\n")))
}

// helpBox shows every key that works now.
type helpBox struct {
	help   widget.HelpView
	theme  themes.Theme
	title  string
	closes []string // the keys that opened it
}

func (m *Model) help() tea.Cmd {
	m.lay(&helpBox{help: widget.NewHelpView(m.theme, helpGroups(m.live())...), theme: m.theme, title: "Keys — " + widget.Clean(m.top().Title()), closes: keysOf(m.live(), nameHelp)})
	return nil
}

func (h *helpBox) key(msg tea.KeyMsg) (tea.Cmd, bool) {
	if slices.Contains(h.closes, msg.String()) {
		return nil, true
	}
	switch msg.String() {
	case "esc", "q", "enter":
		return nil, true
	}
	h.help.Update(msg)
	return nil, false
}

func (h *helpBox) hints() []widget.Hint { return []widget.Hint{{Key: "esc", Label: "close"}} }

func (h *helpBox) mouse(msg tea.MouseMsg, _, _ int) (tea.Cmd, bool) {
	h.help.Mouse(msg)
	return nil, false
}

func (h *helpBox) view(width, height int) string {
	panel := widget.NewPanel(h.theme, h.title)
	panel.Focused, panel.Footer = true, widget.HintLine(h.hints())
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
