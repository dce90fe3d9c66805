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

// overlay is a box over the screen that has the keyboard.
type overlay interface {
	// key handles a key. If done, the overlay is closed before cmd runs.
	key(tea.KeyMsg) (cmd tea.Cmd, done bool)
	mouse(msg tea.MouseMsg, width, height int) (cmd tea.Cmd, done bool)
	view(width, height int) string
}

// hinter is an overlay with keys of its own, which the status bar shows instead of the screen's.
type hinter interface{ hints() []widget.Hint }

// pushOverlay opens an overlay and dismisses the errors that the user has seen.
func (m *Model) pushOverlay(o overlay) {
	m.toasts.RemoveLevel(widget.LevelInfo)
	m.overlays.boxes = append(m.overlays.boxes, o)
}

// positioned is an overlay that is not centered.
type positioned interface {
	at(box string, width, height int) (x, y int)
}

// pointerOverlay is an overlay with a sign beside it that points at something.
type pointerOverlay interface {
	pointer(height int) (sign string, x, y int, ok bool)
}

// inputHolder is an overlay with typed input, which a click outside must not close.
type inputHolder interface{ hasInput() bool }

// overlayAt returns the position of an overlay.
func overlayAt(o overlay, box string, width, height int) (x, y int) {
	if a, ok := o.(positioned); ok {
		return a.at(box, width, height)
	}
	return widget.CenterAt(box, width, height)
}

// overlays is the stack of overlays, the last one on top.
type overlays struct {
	boxes         []overlay
	width, height int // of the window
}

// top returns the top overlay; nil if there is none.
func (ov *overlays) top() overlay {
	if len(ov.boxes) == 0 {
		return nil
	}
	return ov.boxes[len(ov.boxes)-1]
}

// drawTop draws the top overlay and returns its area.
func (ov *overlays) drawTop() (box string, at area) {
	o := ov.top()
	box = o.view(ov.width, ov.height)
	x, y := overlayAt(o, box, ov.width, ov.height)
	return box, area{x, y, widget.Width(firstLine(box)), strings.Count(box, "\n") + 1}
}

// draw draws the overlays over the window.
func (ov *overlays) draw(out string) string {
	for _, o := range ov.boxes {
		box := o.view(ov.width, ov.height)
		x, y := overlayAt(o, box, ov.width, ov.height)
		out = strings.ReplaceAll(out, themes.CaretMark, "") // the overlay has the keyboard
		out = widget.Cover(out, box, x, y, ov.width, ov.height)
		if p, ok := o.(pointerOverlay); ok {
			if sign, x, y, ok := p.pointer(ov.height); ok {
				out = widget.Overlay(out, sign, x, y, ov.width, ov.height)
			}
		}
	}
	return out
}

// key passes a key to the top overlay.
func (ov *overlays) key(msg tea.KeyMsg) tea.Cmd {
	return ov.updateTop(func(o overlay) (tea.Cmd, bool) { return o.key(msg) })
}

// mouse passes a mouse event to the top overlay. A click on a hint in its lower border or in the status bar
// presses that key; a click outside closes it, as esc does.
func (ov *overlays) mouse(msg tea.MouseMsg, bar widget.StatusBar) tea.Cmd {
	return ov.updateTop(func(o overlay) (tea.Cmd, bool) {
		box, at := ov.drawTop()
		inside := at.contains(msg.X, msg.Y)
		if inside && widget.Pressed(msg) && msg.Y == at.y+at.h-1 {
			if key, ok := keymap.KeyMsg(widget.HintAt(box[strings.LastIndexByte(box, '\n')+1:], msg.X-at.x)); ok {
				return o.key(key)
			}
		}
		if inside || !widget.Pressed(msg) {
			return o.mouse(msg, ov.width, ov.height)
		}
		if _, ok := o.(hinter); ok && msg.Y == ov.height-1 {
			if i, ok := bar.HintAt(msg.X); ok {
				if key, ok := keymap.KeyMsg(bar.Hints[i].Key); ok {
					return o.key(key)
				}
			}
			return nil, false
		}
		if h, ok := o.(inputHolder); ok && h.hasInput() {
			return nil, false
		}
		return o.key(tea.KeyMsg{Type: tea.KeyEsc})
	})
}

// updateTop lets the top overlay handle an event, and removes it when it is done; overlays that it has opened
// stay.
func (ov *overlays) updateTop(updateTop func(overlay) (cmd tea.Cmd, done bool)) tea.Cmd {
	at := len(ov.boxes) - 1
	cmd, done := updateTop(ov.boxes[at])
	if done {
		ov.boxes = slices.Delete(ov.boxes, at, at+1)
	}
	return cmd
}

// questionBox is a dialog whose answer runs a command.
type questionBox struct {
	dialog widget.Dialog
	then   func(widget.Answer) tea.Cmd
}

func newQuestion(t *themes.Theme, q screen.Question) *questionBox {
	if len(q.Buttons) == 0 {
		q.Buttons = []widget.Button{{Label: "Yes", Key: "y", Danger: q.Danger}, {Label: "No", Key: "n"}}
		if q.Danger {
			q.Focus = 1
		}
	}
	d := widget.NewDialog(t, q.Title, q.Body, q.Buttons...)
	d.Danger, d.Focus = q.Danger, q.Focus
	return &questionBox{dialog: d, then: q.Then}
}

func (q *questionBox) answer(a widget.Answer, done bool) (tea.Cmd, bool) {
	if !done || q.then == nil {
		return nil, done
	}
	return q.then(a), true
}

func (q *questionBox) hints() []widget.Hint { return q.dialog.Hints() }

func (q *questionBox) key(msg tea.KeyMsg) (tea.Cmd, bool) { return q.answer(q.dialog.Update(msg)) }

func (q *questionBox) mouse(msg tea.MouseMsg, width, height int) (tea.Cmd, bool) {
	if q.dialog.Wheel(msg) || !widget.Pressed(msg) {
		return nil, false
	}
	x, y := widget.CenterAt(q.view(width, height), width, height)
	return q.answer(q.dialog.Click(msg.X-x, msg.Y-y))
}

func (q *questionBox) view(width, height int) string {
	q.dialog.SetSize(width, height)
	return q.dialog.View()
}

// choiceBox is a list of options whose answer runs a command.
type choiceBox struct {
	widget widget.Choice
	then   func(widget.Answer) tea.Cmd
}

func newChoice(t *themes.Theme, msg screen.ChooseMsg) *choiceBox {
	return &choiceBox{widget: widget.NewChoice(t, msg.Title, msg.Body, msg.Options...), then: msg.Then}
}

func (c *choiceBox) answer(a widget.Answer, done bool) (tea.Cmd, bool) {
	if !done || a.Canceled() || c.then == nil {
		return nil, done
	}
	return c.then(a), true
}

func (c *choiceBox) hints() []widget.Hint { return c.widget.Hints() }

func (c *choiceBox) key(msg tea.KeyMsg) (tea.Cmd, bool) { return c.answer(c.widget.Update(msg)) }

func (c *choiceBox) mouse(msg tea.MouseMsg, width, height int) (tea.Cmd, bool) {
	if c.widget.Wheel(msg) || !widget.Pressed(msg) {
		return nil, false
	}
	_, y := widget.CenterAt(c.view(width, height), width, height)
	return c.answer(c.widget.Click(msg.Y - y))
}

func (c *choiceBox) view(width, height int) string {
	c.widget.SetSize(width, height)
	return c.widget.View()
}

// inputBox asks for one line of text.
type inputBox struct {
	msg    screen.InputMsg
	prompt widget.Prompt
	theme  *themes.Theme
	wrong  string
}

func newInput(t *themes.Theme, msg screen.InputMsg) *inputBox {
	in := &inputBox{msg: msg, theme: t, prompt: widget.NewPrompt(t, "", msg.Placeholder)}
	in.prompt.SetValue(msg.Value)
	in.prompt.Focus()
	return in
}

func (in *inputBox) key(msg tea.KeyMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "esc":
		var cmds []tea.Cmd
		if in.msg.OnCancel != nil {
			cmds = append(cmds, in.msg.OnCancel())
		}
		if in.hasInput() {
			cmds = append(cmds, screen.Notify(widget.LevelInfo, "Discarded “"+widget.Clean(in.prompt.Value())+"”."))
		}
		return tea.Batch(cmds...), true
	case "enter":
		if in.msg.Validate != nil {
			if in.wrong = in.msg.Validate(in.prompt.Value()); in.wrong != "" {
				return nil, false
			}
		}
		return in.msg.Then(in.prompt.Value()), true
	}
	in.wrong = ""
	in.prompt.Update(msg)
	return nil, false
}

func (in *inputBox) hints() []widget.Hint {
	return []widget.Hint{{Key: "enter", Label: "ok"}, {Key: "esc", Label: "cancel"}}
}

func (in *inputBox) typing() bool { return true }

func (in *inputBox) hasInput() bool { return in.prompt.Value() != in.msg.Value }

func (in *inputBox) mouse(tea.MouseMsg, int, int) (tea.Cmd, bool) { return nil, false }

func (in *inputBox) view(width, _ int) string {
	w := min(width-4, 60)
	panel := widget.NewPanel(in.theme, in.msg.Title)
	panel.Focused = true
	panel.Footer = widget.HintLine(in.hints())
	panel.SetSize(w, 4)
	inner, _ := panel.Inner()
	var lines []string
	if in.msg.Body != "" {
		lines = append(lines, widget.WrapStyled(in.theme.Muted, in.msg.Body, inner)...)
	}
	panel.SetSize(w, len(lines)+4)
	in.prompt.SetSize(inner, 1)
	lines = append(lines, in.prompt.View(), in.theme.Danger.Render(widget.Truncate(in.wrong, inner)))
	return panel.View(strings.Join(lines, "\n"))
}

// keyCapture asks for one key, which is captured even if it is bound.
type keyCapture struct {
	msg   screen.CaptureKeyMsg
	theme *themes.Theme
}

func newCapture(t *themes.Theme, msg screen.CaptureKeyMsg) *keyCapture { return &keyCapture{msg, t} }

func (c *keyCapture) key(msg tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case msg.Type == tea.KeyEsc:
		return nil, true
	case msg.Paste:
		return nil, false
	}
	return c.msg.Then(msg.String()), true
}

func (c *keyCapture) hints() []widget.Hint { return []widget.Hint{{Key: "esc", Label: "cancel"}} }

func (c *keyCapture) mouse(tea.MouseMsg, int, int) (tea.Cmd, bool) { return nil, false }

func (c *keyCapture) view(width, height int) string {
	w := min(width-4, 60)
	lines := widget.Wrap(widget.Clean(c.msg.Body), w-4)
	panel := widget.NewPanel(c.theme, widget.Clean(c.msg.Title))
	panel.Focused, panel.Footer = true, "press a key · esc cancel"
	panel.SetSize(w, min(len(lines)+2, height))
	return panel.View(c.theme.Text.Render(strings.Join(lines, "\n")))
}

// helpBox lists every key that works now.
type helpBox struct {
	help   widget.HelpView
	theme  *themes.Theme
	title  string
	closes []string // the keys that opened it
}

func (m *Model) help() tea.Cmd {
	m.pushOverlay(&helpBox{help: widget.NewHelpView(m.theme, helpGroups(m.activeActions())...), theme: m.theme, title: "Keys — " + widget.Clean(m.top().Title()), closes: keysFor(m.activeActions(), nameHelp)})
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
