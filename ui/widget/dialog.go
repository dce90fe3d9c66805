package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// Button is one answer to a Dialog.
type Button struct {
	// Label is the button's text.
	Label string
	// Key presses the button at once; "" if only the focus can reach it.
	Key string
	// Danger marks a destructive answer.
	Danger bool
}

// Answer is the outcome of a Dialog or a Choice.
type Answer struct {
	// Index is the button or option, from 0; -1 if the user pressed esc.
	Index int
}

// Canceled reports whether the user canceled.
func (a Answer) Canceled() bool { return a.Index < 0 }

// Yes reports whether the first button was pressed; in a Confirm, that is the one that confirms.
func (a Answer) Yes() bool { return a.Index == 0 }

// Dialog asks a question with a few buttons. Left, right and tab move the focus, enter presses the focused
// button, each button's own key presses that button, and esc cancels; up and down scroll a long text.
type Dialog struct {
	// Title and Body are the question.
	Title, Body string
	// Buttons are the answers from left to right.
	Buttons []Button
	// Focus is the index of the focused button.
	Focus int
	// Danger draws the frame in the danger color.
	Danger bool

	theme         *themes.Theme
	window        Window
	width, height int
}

// NewDialog returns a dialog with the first button focused.
func NewDialog(t *themes.Theme, title, body string, buttons ...Button) Dialog {
	return Dialog{Title: title, Body: body, Buttons: buttons, theme: t, width: 80, height: 24}
}

// SetSize sets the size of the screen that the dialog is drawn over; the box is as large as it needs to be.
func (d *Dialog) SetSize(width, height int) { d.width, d.height = max(width, 0), max(height, 0) }

// Update handles a key. It returns the answer and true if the key answers the question.
func (d *Dialog) Update(msg tea.KeyMsg) (Answer, bool) {
	key := msg.String()
	for i, b := range d.Buttons {
		if b.Key != "" && strings.EqualFold(key, b.Key) {
			return Answer{i}, true
		}
	}
	switch key {
	case "esc":
		return Answer{-1}, true
	case "enter", " ":
		return Answer{clamp(d.Focus, 0, len(d.Buttons)-1)}, true
	case "left", "shift+tab", "h":
		d.moveFocus(-1)
	case "right", "tab", "l":
		d.moveFocus(1)
	default:
		d.measure()
		d.window.UpdateScroll(msg)
	}
	return Answer{}, false
}

func (d *Dialog) moveFocus(n int) {
	if len(d.Buttons) > 0 {
		d.Focus = (d.Focus + n + len(d.Buttons)) % len(d.Buttons)
	}
}

// Click handles a click at column x and line y of the box. It returns the answer and true if a button is there.
func (d *Dialog) Click(x, y int) (Answer, bool) {
	lines, width := d.measure()
	rows := d.buttonRows(width)
	y -= 1 + min(len(lines), d.window.Height) + 1 // frame, body, blank line
	x -= 2
	if y < 0 || y >= len(rows) {
		return Answer{}, false
	}
	start := width - rowWidth(rows[y], d.Buttons)
	for _, i := range rows[y] {
		w := buttonWidth(d.Buttons[i])
		if x >= start && x < start+w {
			return Answer{i}, true
		}
		start += w + 1
	}
	return Answer{}, false
}

// Wheel scrolls a long text with the mouse wheel and reports whether msg was a wheel event.
func (d *Dialog) Wheel(msg tea.MouseMsg) bool {
	d.measure()
	return d.window.Wheel(msg)
}

// dialogWidth is the maximum line width of a body.
const dialogWidth = 60

// measure wraps the body and returns its lines and the inner width. It updates the size of the window.
func (d *Dialog) measure() (lines []string, width int) {
	most := max(min(d.width-4, dialogWidth), 1)
	lines = WrapLines(d.Body, most)
	width = Width(Clean(d.Title)) + 4
	for _, line := range lines {
		width = max(width, Width(line))
	}
	all := make([]int, len(d.Buttons))
	for i := range all {
		all[i] = i
	}
	width = clamp(max(width, rowWidth(all, d.Buttons)), 1, max(d.width-4, 1)) // wider than the body for a long title
	chrome := 3 + len(d.buttonRows(width))
	d.window.Resize(len(lines), clamp(d.height-chrome, 1, max(len(lines), 1)))
	return lines, width
}

// Hints returns the keys of the dialog: those of its buttons, then those that every dialog has.
func (d *Dialog) Hints() []Hint {
	hints := []Hint{{Key: "enter", Label: "choose"}}
	for _, b := range d.Buttons {
		if b.Key != "" {
			hints = append(hints, Hint{Key: b.Key, Label: strings.ToLower(Clean(b.Label))})
		}
	}
	return append(hints, Hint{Key: "esc", Label: "close"})
}

// buttonRows arranges the buttons side by side, or in a column if they do not fit.
func (d *Dialog) buttonRows(width int) [][]int {
	var rows [][]int
	for i := range d.Buttons {
		last := len(rows) - 1
		if last < 0 || rowWidth(append(rows[last], i), d.Buttons) > width {
			rows = append(rows, []int{i})
			continue
		}
		rows[last] = append(rows[last], i)
	}
	return rows
}

func buttonWidth(b Button) int { return Width(b.text()) }

func rowWidth(row []int, buttons []Button) int {
	w := max(len(row)-1, 0)
	for _, i := range row {
		w += buttonWidth(buttons[i])
	}
	return w
}

// text returns the button's text: its label, and its key if the label does not begin with it.
func (b Button) text() string {
	label := Clean(b.Label)
	if b.Key != "" && !strings.HasPrefix(strings.ToLower(label), strings.ToLower(b.Key)) {
		label += " (" + b.Key + ")"
	}
	return "  " + label + "  "
}

func (b Button) render(t *themes.Theme, focused bool) string {
	text := b.text()
	switch {
	case !focused:
		return t.Button.Render(text)
	case t.IsPlain():
		return "[ " + text[2:len(text)-2] + " ]"
	case b.Danger:
		return t.ButtonDanger.Render(text)
	default:
		return t.ButtonFocus.Render(text)
	}
}

// View draws the box as large as it needs to be, at most as large as SetSize allows.
func (d *Dialog) View() string {
	lines, width := d.measure()
	content := viewWindow(d.theme, &d.window, lines, width)
	content = append(content, "")
	for _, row := range d.buttonRows(width) {
		parts := make([]string, len(row))
		for n, i := range row {
			parts[n] = d.Buttons[i].render(d.theme, i == d.Focus)
		}
		content = append(content, spaces(width-rowWidth(row, d.Buttons))+strings.Join(parts, " "))
	}
	return d.frame(content, width)
}

func (d *Dialog) frame(content []string, width int) string {
	p := Panel{Title: d.Title, Focused: true, Danger: d.Danger, theme: d.theme}
	p.SetSize(min(width+4, d.width), min(len(content)+2, d.height))
	return p.View(strings.Join(content, "\n"))
}

// viewWindow returns the visible lines, with a scroll bar in the last cell if there are more.
func viewWindow(t *themes.Theme, w *Window, lines []string, width int) []string {
	from, to := w.Visible()
	bar := ScrollBar(t, w, w.Height)
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		line := t.Text.Render(lines[i])
		if bar != nil {
			line = fitLine(line, width-1) + bar[i-from]
		}
		out = append(out, line)
	}
	return out
}
