package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/forms/typeahead"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// box is what the root model's boxes have in common: a frame around a text that scrolls, and lines below it that do not.
type box struct {
	screen.Box
	theme  *themes.Theme
	title  string
	text   string
	danger bool // the frame has the danger color
	keys   []hint
	window widget.Window // the visible lines of the text
}

// hints returns the keys of the box.
func (b *box) hints() []hint { return b.keys }

// Mouse scrolls the text.
func (b *box) Mouse(msg tea.MouseMsg) tea.Cmd {
	b.window.Wheel(msg)
	return nil
}

// boxWidth is the maximum width of the lines of a question.
const boxWidth = 60

// lines wraps the text for a window of that width.
func (b *box) lines(width, most int) []string {
	if b.text == "" {
		return nil
	}
	return widget.Styled(b.theme.Text, widget.WrapLines(b.text, max(min(width-6, most), 1)))
}

// fit returns the width inside a box that shows lines in a window of that width.
func (b *box) fit(width int, lines ...string) int {
	w := max(widget.Width(widget.Clean(b.title)), widget.Width(hintLine(b.keys))) + 4
	for _, line := range lines {
		w = max(w, widget.Width(line))
	}
	return max(min(w, width-4), 1)
}

// draw draws lines that scroll above a foot that does not, in a box that is w cells wide inside, and wider with a scroll bar.
func (b *box) draw(width, height, w int, lines, foot []string) string {
	b.window.Resize(len(lines), min(len(lines), max(height-2-len(foot), 0)))
	from, to := b.window.Visible()
	shown := slices.Clone(lines[from:to])
	if bar := widget.ScrollBar(b.theme, &b.window, len(shown)); bar != nil {
		w = max(min(w+2, width-4), 3)
		for i := range shown {
			shown[i] = widget.Fit(shown[i], w-2, 1) + " " + bar[i]
		}
	}
	panel := widget.NewPanel(b.theme, b.title)
	panel.Focused, panel.Danger, panel.Footer = true, b.danger, hintLine(b.keys)
	panel.SetSize(w+4, min(len(shown)+len(foot)+2, height))
	return panel.View(strings.Join(append(shown, foot...), "\n"))
}

// textBox shows a text that may be longer than the window.
type textBox struct{ box }

func newTextBox(t *themes.Theme, title, text string) *textBox {
	return &textBox{box{theme: t, title: title, text: text, keys: []hint{{Key: "esc", Label: "close"}, {Key: "y", Label: "copy"}}}}
}

// Key scrolls, copies the text or closes the box.
func (b *textBox) Key(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "esc", "q", "enter":
		return b.Close()
	case "y":
		return screen.Copy(b.text, "the text")
	}
	b.window.UpdateScroll(msg)
	return nil
}

// View draws the box.
func (b *textBox) View(width, height int) string {
	lines := b.lines(width, 120)
	return b.draw(width, height-2, b.fit(width, lines...), lines, nil)
}

// inputBox asks for one line of text.
type inputBox struct {
	box
	msg    screen.InputMsg
	prompt widget.Prompt
	list   typeahead.List // suggestions, and the text itself
	wrong  string
}

func newInput(t *themes.Theme, msg screen.InputMsg) *inputBox {
	keys := []hint{{Key: "enter", Label: "ok"}, {Key: "esc", Label: "cancel"}}
	in := &inputBox{box: box{theme: t, title: msg.Title, text: msg.Body, keys: keys}, msg: msg, prompt: widget.NewPrompt(t, "", msg.Placeholder)}
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

// Mouse takes the suggestion that is clicked.
func (in *inputBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	const above = 3 // the frame, the prompt and what is wrong
	if i, ok := in.list.RowAt(msg.Y - in.window.Height - above); ok && widget.Pressed(msg) && in.list.Highlight(i) {
		return in.Key(tea.KeyMsg{Type: tea.KeyEnter})
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

func (in *inputBox) typing() bool { return true }

func (in *inputBox) hasInput() bool { return in.prompt.Value() != in.msg.Value }

// View draws the box.
func (in *inputBox) View(width, height int) string {
	w := max(min(width-4, boxWidth)-4, 1)
	in.prompt.SetSize(w, 1)
	foot := []string{in.prompt.View(), in.theme.Danger.Render(widget.Truncate(in.wrong, w))}
	foot = append(foot, in.list.Lines(in.theme, w, typeahead.MaxRows)...)
	return in.draw(width, height, w, in.lines(width, w), foot)
}

// keyCapture asks for one key, which is captured even if it is bound.
type keyCapture struct {
	box
	then func(key string) tea.Cmd
}

func newCapture(t *themes.Theme, msg screen.CaptureKeyMsg) *keyCapture {
	return &keyCapture{box{theme: t, title: msg.Title, text: msg.Body, keys: []hint{{Key: "esc", Label: "cancel"}}}, msg.Then}
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
	return c.then(msg.String())
}

// View draws the box.
func (c *keyCapture) View(width, height int) string {
	lines := append(c.lines(width, boxWidth), "", c.theme.Muted.Render("Press a key."))
	return c.draw(width, height, c.fit(width, lines...), lines, nil)
}
