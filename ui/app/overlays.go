package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/forms/typeahead"
	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// hinter is an overlay with keys of its own, which the status bar shows instead of the screen's.
type hinter interface{ hints() []widget.Hint }

// inputHolder is an overlay with typed input, which a click outside must not close.
type inputHolder interface{ hasInput() bool }

// shownOverlay is an overlay and the screen that it is over; it is not shown while another one is on top. The root model's
// own overlays are over any.
type shownOverlay struct {
	screen.Overlay
	over screen.ID // 0: any
}

// pushOverlay opens an overlay of the root model and dismisses the errors that the user has seen.
func (m *Model) pushOverlay(o screen.Overlay) { m.showOverlay(o, 0) }

// showOverlay opens an overlay over a screen.
func (m *Model) showOverlay(o screen.Overlay, over screen.ID) {
	m.toasts.RemoveLevel(widget.LevelInfo)
	m.overlays = append(m.overlays, shownOverlay{o, over})
}

// dropOverlays removes the overlays that were closed, and those of screens that were.
func (m *Model) dropOverlays() {
	m.overlays = slices.DeleteFunc(m.overlays, func(o shownOverlay) bool {
		return o.Closed() || o.over != 0 && !slices.ContainsFunc(m.stack, func(s stackEntry) bool { return s.ID() == o.over })
	})
}

// visibleOverlays returns the overlays that are shown, the top one last.
func (m *Model) visibleOverlays() []screen.Overlay {
	var out []screen.Overlay
	for _, o := range m.overlays {
		if !o.Closed() && (o.over == 0 || o.over == m.top().ID()) {
			out = append(out, o.Overlay)
		}
	}
	return out
}

// topOverlay returns the overlay that has the keyboard; nil if there is none.
func (m *Model) topOverlay() screen.Overlay {
	shown := m.visibleOverlays()
	if len(shown) == 0 {
		return nil
	}
	return shown[len(shown)-1]
}

// actor returns what has the actions: the topmost overlay with actions, or else the screen.
func (m *Model) actor() screen.Actor {
	for _, o := range slices.Backward(m.visibleOverlays()) {
		if a, ok := o.(screen.Actor); ok {
			return a
		}
	}
	return m.top()
}

// Actions returns the actions of the topmost overlay that has some, or else of the screen.
func (m *Model) Actions() []screen.Action { return m.actor().Actions() }

// drawOverlay draws an overlay and returns its area.
func (m *Model) drawOverlay(o screen.Overlay) (box string, at area) {
	box = o.View(m.width, m.height)
	x, y := o.At(box, m.width, m.height)
	return box, area{x, y, widget.Width(firstLine(box)), strings.Count(box, "\n") + 1}
}

// coverWithOverlays draws the overlays over the window.
func (m *Model) coverWithOverlays(out string) string {
	for _, o := range m.visibleOverlays() {
		box, at := m.drawOverlay(o)
		out = strings.ReplaceAll(out, themes.CaretMark, "") // the overlay has the keyboard
		out = widget.Cover(out, box, at.x, at.y, m.width, m.height)
	}
	return out
}

// mouseOverlay handles a mouse event while an overlay is on top. A click on a hint in its lower border or in the status bar
// presses that key; a click outside closes it, as esc does.
func (m *Model) mouseOverlay(o screen.Overlay, msg tea.MouseMsg) tea.Cmd {
	box, at := m.drawOverlay(o)
	inside, pressed := at.contains(msg.X, msg.Y), widget.Pressed(msg)
	if inside && pressed && msg.Y == at.y+at.h-1 {
		if key, ok := keymap.KeyMsg(widget.HintAt(box[strings.LastIndexByte(box, '\n')+1:], msg.X-at.x)); ok {
			return m.handleKey(key)
		}
	}
	if inside {
		msg.X, msg.Y = msg.X-at.x, msg.Y-at.y
		return o.Mouse(msg)
	}
	_, hasHints := o.(hinter)
	_, acts := o.(screen.Actor)
	input, holdsInput := o.(inputHolder)
	switch {
	case !pressed:
		return nil
	case msg.Y == m.height-1 && (hasHints || acts):
		return m.pressHint(msg.X)
	case holdsInput && input.hasInput():
		return nil
	}
	return m.handleKey(tea.KeyMsg{Type: tea.KeyEsc})
}

// questionBox is a dialog whose answer runs a command.
type questionBox struct {
	screen.Box
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

func (q *questionBox) answer(a widget.Answer, done bool) tea.Cmd {
	if !done {
		return nil
	}
	q.Close()
	if q.then == nil {
		return nil
	}
	return q.then(a)
}

func (q *questionBox) hints() []widget.Hint { return q.dialog.Hints() }

// Key answers the question.
func (q *questionBox) Key(msg tea.KeyMsg) tea.Cmd { return q.answer(q.dialog.Update(msg)) }

// Mouse scrolls the text, and presses buttons.
func (q *questionBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	if q.dialog.Wheel(msg) || !widget.Pressed(msg) {
		return nil
	}
	return q.answer(q.dialog.Click(msg.X, msg.Y))
}

// View draws the box.
func (q *questionBox) View(width, height int) string {
	q.dialog.SetSize(width, height)
	return q.dialog.View()
}

// inputBox asks for one line of text.
type inputBox struct {
	screen.Box
	msg    screen.InputMsg
	prompt widget.Prompt
	list   typeahead.List // suggestions, and the text itself
	listAt int            // the line of the box where the suggestions begin
	theme  *themes.Theme
	wrong  string
}

func newInput(t *themes.Theme, msg screen.InputMsg) *inputBox {
	in := &inputBox{msg: msg, theme: t, prompt: widget.NewPrompt(t, "", msg.Placeholder)}
	in.prompt.SetValue(msg.Value)
	in.prompt.Focus()
	in.suggest()
	return in
}

// suggest lists the suggestions for the text.
func (in *inputBox) suggest() {
	if in.msg.Suggest != nil {
		text := strings.TrimSpace(in.prompt.Value())
		in.list.Show(typeahead.Options{Items: in.msg.Suggest(text), Text: text, Typed: true, Free: true})
	}
}

// Key edits the text, accepts it or cancels.
func (in *inputBox) Key(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		in.Close()
		var cmds []tea.Cmd
		if in.msg.OnCancel != nil {
			cmds = append(cmds, in.msg.OnCancel())
		}
		if in.hasInput() {
			cmds = append(cmds, screen.Notify(widget.LevelInfo, "Discarded “"+widget.Clean(in.prompt.Value())+"”."))
		}
		return tea.Batch(cmds...)
	case "enter":
		if row, ok := in.list.Highlighted(); ok {
			in.prompt.SetValue(row.Value)
		}
		return in.accept()
	}
	if in.list.Key(msg.String()) {
		return nil
	}
	in.wrong = ""
	if in.prompt.Update(msg) {
		in.suggest()
	}
	return nil
}

// accept takes the text as it is, unless it is not valid.
func (in *inputBox) accept() tea.Cmd {
	if in.msg.Validate != nil {
		if in.wrong = in.msg.Validate(in.prompt.Value()); in.wrong != "" {
			return nil
		}
	}
	in.Close()
	return in.msg.Then(in.prompt.Value())
}

func (in *inputBox) hints() []widget.Hint {
	return []widget.Hint{{Key: "enter", Label: "ok"}, {Key: "esc", Label: "cancel"}}
}

func (in *inputBox) typing() bool { return true }

func (in *inputBox) hasInput() bool { return in.prompt.Value() != in.msg.Value }

// Mouse takes the suggestion that is clicked.
func (in *inputBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	if i, ok := in.list.RowAt(msg.Y - in.listAt); ok && widget.Pressed(msg) && in.list.Highlight(i) {
		return in.Key(tea.KeyMsg{Type: tea.KeyEnter})
	}
	return nil
}

// View draws the box.
func (in *inputBox) View(width, _ int) string {
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
	in.prompt.SetSize(inner, 1)
	lines = append(lines, in.prompt.View(), in.theme.Danger.Render(widget.Truncate(in.wrong, inner)))
	in.listAt = 1 + len(lines)
	lines = append(lines, in.list.Lines(in.theme, inner, typeahead.MaxRows)...)
	panel.SetSize(w, len(lines)+2)
	return panel.View(strings.Join(lines, "\n"))
}

// keyCapture asks for one key, which is captured even if it is bound.
type keyCapture struct {
	screen.Box
	msg   screen.CaptureKeyMsg
	theme *themes.Theme
}

func newCapture(t *themes.Theme, msg screen.CaptureKeyMsg) *keyCapture {
	return &keyCapture{msg: msg, theme: t}
}

// Key takes the key.
func (c *keyCapture) Key(msg tea.KeyMsg) tea.Cmd {
	if msg.Paste {
		return nil
	}
	c.Close()
	if msg.Type == tea.KeyEsc {
		return nil
	}
	return c.msg.Then(msg.String())
}

func (c *keyCapture) hints() []widget.Hint { return []widget.Hint{{Key: "esc", Label: "cancel"}} }

// Mouse does nothing.
func (c *keyCapture) Mouse(tea.MouseMsg) tea.Cmd { return nil }

// View draws the box.
func (c *keyCapture) View(width, height int) string {
	w := min(width-4, 60)
	lines := widget.Wrap(widget.Clean(c.msg.Body), w-4)
	panel := widget.NewPanel(c.theme, widget.Clean(c.msg.Title))
	panel.Focused, panel.Footer = true, "press a key · esc cancel"
	panel.SetSize(w, min(len(lines)+2, height))
	return panel.View(c.theme.Text.Render(strings.Join(lines, "\n")))
}

// helpBox lists every key that works now.
type helpBox struct {
	screen.Box
	help   widget.HelpView
	theme  *themes.Theme
	title  string
	closes []string // the keys that opened it
}

func (m *Model) help() tea.Cmd {
	help := widget.NewHelpView(m.theme, helpGroups(m.activeActions())...)
	if f, ok := m.top().FocusedField(); ok {
		help.Title, help.Text = f.Name, f.Help
	}
	title := "Keys — " + widget.Clean(m.top().Title())
	m.pushOverlay(&helpBox{help: help, theme: m.theme, title: title, closes: keysFor(m.activeActions(), nameHelp)})
	return nil
}

// Key scrolls, or closes the help.
func (h *helpBox) Key(msg tea.KeyMsg) tea.Cmd {
	if slices.Contains(append(h.closes, "esc", "q", "enter"), msg.String()) {
		return h.Close()
	}
	h.help.Update(msg)
	return nil
}

func (h *helpBox) hints() []widget.Hint { return []widget.Hint{{Key: "esc", Label: "close"}} }

// Mouse scrolls.
func (h *helpBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	h.help.Mouse(msg)
	return nil
}

// View draws the box.
func (h *helpBox) View(width, height int) string {
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
