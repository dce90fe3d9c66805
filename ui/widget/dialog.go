package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// Button is one answer to a Dialog.
type Button struct {
	// Label is what it says.
	Label string
	// Key returns this answer at once; "" when only the focus leads to it.
	Key string
	// Danger marks the answer that does harm.
	Danger bool
}

// Answer is how a Dialog or a Choice ended.
type Answer struct {
	// Index is the button or option, from 0; -1 when the question was left with esc.
	Index int
}

// Canceled reports whether the question was left without an answer.
func (a Answer) Canceled() bool { return a.Index < 0 }

// Yes reports whether the first button was pressed: in a Confirm, the one that does it.
func (a Answer) Yes() bool { return a.Index == 0 }

// Dialog asks a question with a few buttons. Keys: left, right and tab move the focus, enter takes it,
// a button's own key takes that, esc leaves; up and down scroll a long text.
type Dialog struct {
	// Title and Body are the question.
	Title, Body string
	// Buttons are the answers from left to right.
	Buttons []Button
	// Focus is the button that enter takes.
	Focus int
	// Danger draws the frame of something that does harm.
	Danger bool

	theme         themes.Theme
	window        Window
	width, height int
}

// NewDialog makes a question; the first button has the focus.
func NewDialog(t themes.Theme, title, body string, buttons ...Button) Dialog {
	return Dialog{Title: title, Body: body, Buttons: buttons, theme: t, width: 80, height: 24}
}

// Confirm makes a question with two answers, that y and n give as well. One that does harm starts with
// the focus on no.
func Confirm(t themes.Theme, title, body, yes, no string, danger bool) Dialog {
	d := NewDialog(t, title, body, Button{Label: yes, Key: "y", Danger: danger}, Button{Label: no, Key: "n"})
	d.Danger = danger
	if danger {
		d.Focus = 1
	}
	return d
}

// SetTheme changes the theme.
func (d *Dialog) SetTheme(theme themes.Theme) { d.theme = theme }

// SetSize tells the dialog the cells of the screen it is drawn over; it takes what it needs of them.
func (d *Dialog) SetSize(width, height int) { d.width, d.height = max(width, 0), max(height, 0) }

// Update takes a key. It returns the answer and true when the key was one.
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

// Click takes a press at column x and line y of the box. It returns the answer and true when a button is
// there.
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

// Wheel takes the mouse wheel, which scrolls a long text, and says whether msg was one.
func (d *Dialog) Wheel(msg tea.MouseMsg) bool {
	d.measure()
	return d.window.Wheel(msg)
}

// dialogWidth is the longest line of a body that still reads well.
const dialogWidth = 60

// measure breaks the body into lines and gives the width inside the frame. It brings the window up to
// date.
func (d *Dialog) measure() (lines []string, width int) {
	most := max(min(d.width-4, dialogWidth), 1)
	lines = wrapText(d.Body, most)
	width = Width(Clean(d.Title)) + 4
	for _, line := range lines {
		width = max(width, Width(line))
	}
	all := make([]int, len(d.Buttons))
	for i := range all {
		all[i] = i
	}
	width = clamp(max(width, rowWidth(all, d.Buttons)), 1, most)
	chrome := 3 + len(d.buttonRows(width))
	d.window.Resize(len(lines), clamp(d.height-chrome, 1, max(len(lines), 1)))
	return lines, width
}

// Hints are the keys of the question: those of its buttons, and those that every question has.
func (d *Dialog) Hints() []Hint {
	hints := []Hint{{Key: "enter", Label: "choose"}}
	for _, b := range d.Buttons {
		if b.Key != "" {
			hints = append(hints, Hint{Key: b.Key, Label: strings.ToLower(Clean(b.Label))})
		}
	}
	return append(hints, Hint{Key: "esc", Label: "close"})
}

// buttonRows puts the buttons side by side, or below each other where they do not fit.
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

// text is the button as it is written: its label, and its key where the label does not begin with it.
func (b Button) text() string {
	label := Clean(b.Label)
	if b.Key != "" && !strings.HasPrefix(strings.ToLower(label), strings.ToLower(b.Key)) {
		label += " (" + b.Key + ")"
	}
	return "  " + label + "  "
}

func (b Button) render(t themes.Theme, focused bool) string {
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

// View draws the box, as large as it needs, at most as large as SetSize said.
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

// wrapText cleans a text of several lines and breaks it to a width.
func wrapText(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(CleanLines(text), "\n") {
		lines = append(lines, Wrap(line, width)...)
	}
	return lines
}

// viewWindow returns the lines in sight; where there are more, the last cell of each is the scroll bar.
func viewWindow(t themes.Theme, w *Window, lines []string, width int) []string {
	from, to := w.Visible()
	bar := scrollbar(t, w, w.Height)
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
