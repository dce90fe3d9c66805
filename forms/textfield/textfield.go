// Package textfield is the field of every text that a user types: one line, or several.
//
// It is built on the text input and the text area of Bubbles. Unlike those it keeps every byte
// of its text, moves and deletes by grapheme clusters, always draws its cursor, and writes into nothing outside itself.
package textfield

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atotto/clipboard"
	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"bugle/themes"
)

// Field is a text field. Create one with [New] or [NewArea].
type Field struct {
	Placeholder string // shown while the text is empty
	// Tall draws a field of several lines at its whole height; otherwise it has as many lines as its text, up to a few.
	Tall bool

	theme         *themes.Theme
	line          textinput.Model
	area          *textarea.Model // the text of several lines; nil for one line
	width, height int
}

// New returns an empty field of one line, without focus.
func New(t *themes.Theme, placeholder string) *Field {
	f := &Field{Placeholder: placeholder, theme: t, line: textinput.New()}
	f.line.KeyMap.Paste.SetEnabled(false)
	f.line.Cursor.SetMode(cursor.CursorStatic)
	return f
}

// NewArea returns an empty field of several lines, without focus.
func NewArea(t *themes.Theme, placeholder string) *Field {
	area := textarea.New()
	area.Prompt, area.ShowLineNumbers, area.CharLimit, area.MaxHeight, area.MaxWidth = "", false, 0, 0, 0
	area.KeyMap.Paste.SetEnabled(false)
	area.KeyMap.InsertNewline.SetKeys("alt+enter", "ctrl+j")
	area.Cursor.SetMode(cursor.CursorStatic)
	return &Field{Placeholder: placeholder, theme: t, area: &area}
}

// Accepts reports whether a field can keep a text byte for byte. Nearly all texts can be kept.
func Accepts(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, isSubstitute)
}

// Focused reports whether the field has the focus.
func (f *Field) Focused() bool {
	if f.area != nil {
		return f.area.Focused()
	}
	return f.line.Focused()
}

// Focus focuses the field. The cursor does not blink.
func (f *Field) Focus() tea.Cmd {
	if f.area != nil {
		return f.area.Focus()
	}
	return f.line.Focus()
}

// Blur removes the focus.
func (f *Field) Blur() tea.Cmd {
	if f.area != nil {
		f.area.Blur()
	} else {
		f.line.Blur()
	}
	return nil
}

// raw returns the text with substitutes for hidden characters.
func (f *Field) raw() string {
	if f.area != nil {
		return f.area.Value()
	}
	return f.line.Value()
}

// Text returns the text.
func (f *Field) Text() string { return decodeHidden(f.raw()) }

// SetText replaces the text and moves the cursor to its end.
func (f *Field) SetText(text string) {
	text = encodeHidden(text, f.area != nil)
	if f.area != nil {
		f.area.SetValue(text)
		return
	}
	f.line.SetValue(text)
	f.line.CursorEnd()
}

// Start moves the cursor to the beginning of the text.
func (f *Field) Start() {
	if f.area == nil {
		f.line.CursorStart()
		return
	}
	f.send(tea.KeyMsg{Type: tea.KeyCtrlHome})
}

// split returns the raw text before and after the cursor.
func (f *Field) split() (before, after string) {
	text := f.raw()
	at := 0
	if f.area == nil {
		at = runes(text, f.line.Position())
		return text[:at], text[at:]
	}
	for range f.area.Line() {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	info := f.area.LineInfo()
	at += runes(text[at:], info.StartColumn+info.ColumnOffset)
	return text[:at], text[at:]
}

// runes returns the length of the first n runes of s in bytes.
func runes(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// Split returns the text before and after the cursor.
func (f *Field) Split() (before, after string) {
	before, after = f.split()
	return decodeHidden(before), decodeHidden(after)
}

// Insert inserts a text at the cursor. A text that the field could not keep byte for byte changes nothing: see [Accepts].
func (f *Field) Insert(text string) {
	if Accepts(text) {
		f.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(encodeHidden(text, f.area != nil)), Paste: true})
	}
}

// Delete deletes n characters (code points) before the cursor.
func (f *Field) Delete(n int) { f.press(tea.KeyBackspace, n) }

// Left moves the cursor n characters (code points) to the left.
func (f *Field) Left(n int) { f.press(tea.KeyLeft, n) }

// Paste inserts a pasted text: on one line if the field has one. Terminals send a line break as a carriage return.
func (f *Field) Paste(text string) {
	if f.area != nil {
		f.Insert(Lines(text))
		return
	}
	f.Insert(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(strings.TrimRight(text, "\r\n")))
}

// ReadClipboard returns the text in the clipboard as if the terminal had pasted it; nil if it cannot be read.
func ReadClipboard() tea.Msg {
	text, err := clipboard.ReadAll()
	if err != nil {
		return nil
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true}
}

// Lines returns a pasted text with the line ends of a document.
func Lines(pasted string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(pasted)
}

// press presses a key n times.
func (f *Field) press(k tea.KeyType, n int) {
	for range n {
		f.send(tea.KeyMsg{Type: k})
	}
}

// send passes a message to the model of Bubbles.
func (f *Field) send(msg tea.Msg) {
	if f.area != nil {
		*f.area, _ = f.area.Update(msg)
		return
	}
	f.line, _ = f.line.Update(msg)
}

// edits reports whether a key edits a line of text.
func edits(msg tea.KeyMsg) bool {
	switch msg.Type {
	case tea.KeyRunes, tea.KeySpace:
		return !msg.Alt || slices.Contains([]string{"alt+b", "alt+f", "alt+d"}, msg.String())
	}
	switch msg.String() {
	case "backspace", "ctrl+h", "delete", "ctrl+d", "left", "right", "home", "end", "ctrl+a", "ctrl+b", "ctrl+f",
		"ctrl+left", "ctrl+right", "alt+left", "alt+right", "ctrl+w", "alt+backspace", "alt+delete", "ctrl+u":
		return true
	}
	return false
}

// Key handles a key and reports whether the field used it: whether it edits, or moves the cursor. In a field of several
// lines, up and down on its first and last line are not used.
func (f *Field) Key(msg tea.KeyMsg) bool {
	switch pressed := msg.String(); {
	case f.area != nil && slices.Contains([]string{"up", "down", "alt+enter", "ctrl+j"}, pressed):
		info := f.area.LineInfo()
		if pressed == "up" && f.area.Line() == 0 && info.RowOffset == 0 ||
			pressed == "down" && f.area.Line() == f.area.LineCount()-1 && info.RowOffset == info.Height-1 {
			return false
		}
		f.send(msg)
		return true
	case !edits(msg):
		return false
	}
	f.edit(msg)
	return true
}

// edit handles a key that edits. Characters are moved over and deleted whole.
func (f *Field) edit(msg tea.KeyMsg) {
	before, after := f.split()
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(after, -1)
	n := 1
	switch msg.Type {
	case tea.KeyBackspace, tea.KeyCtrlH, tea.KeyLeft, tea.KeyCtrlB:
		n = lastCharacter(before)
	case tea.KeyDelete, tea.KeyCtrlD, tea.KeyRight, tea.KeyCtrlF:
		n = utf8.RuneCountInString(first)
	case tea.KeyRunes:
		if !msg.Alt {
			f.Insert(string(msg.Runes))
			return
		}
	}
	if msg.Alt {
		n = 1
	}
	for range max(n, 1) {
		f.send(msg)
	}
}

// lastCharacter returns the number of code points of the last grapheme cluster of s.
func lastCharacter(s string) int {
	n := 0
	for g := uniseg.NewGraphemes(s[strings.LastIndexByte(s, '\n')+1:]); g.Next(); {
		n = len(g.Runes())
	}
	return n
}

// Click moves the cursor of a line to column x.
func (f *Field) Click(x int) {
	if f.area == nil {
		f.line.SetCursor(f.drawn().at(x, f.width))
	}
}

// drawn returns the line as it is drawn.
func (f *Field) drawn() line {
	return line{text: showSubstitutes(f.line.Value()), cursor: f.line.Position(), placeholder: f.Placeholder}
}

// SetSize sets the width, and the greatest height of a field of several lines.
func (f *Field) SetSize(w, h int) {
	f.width, f.height = max(w, 0), max(h, 1)
	if f.area != nil && f.area.Width() != w {
		f.area.SetWidth(w)
	}
}

// maxLines is how many lines of a text of several lines are drawn at once.
const maxLines = 6

// View draws the text: a line, or as many as the text needs and the height has.
func (f *Field) View() string {
	switch {
	case f.area != nil:
		return f.areaView()
	case f.Focused():
		return f.drawn().view(f.theme, f.width)
	case f.line.Value() == "":
		return f.theme.Faint.Render(ansi.Truncate(OneLine(f.Placeholder), f.width, "…"))
	}
	return f.theme.Text.Render(ansi.Truncate(showSubstitutes(f.line.Value()), f.width, "…"))
}

// areaView draws the lines of a field of several lines, and marks the cell of the cursor.
func (f *Field) areaView() string {
	t := f.theme
	style := textarea.Style{
		Base: t.NewStyle(), Text: t.Text, CursorLine: t.Text, Placeholder: t.Faint, EndOfBuffer: t.Text, Prompt: t.Text,
	}
	f.area.FocusedStyle, f.area.BlurredStyle = style, style
	f.area.Cursor.Style, f.area.Cursor.TextStyle = t.Cursor, t.Text
	f.area.Placeholder = OneLine(f.Placeholder)
	lines := f.height
	if !f.Tall {
		lines = max(min(f.rows(), f.height, maxLines), 1)
	}
	f.area.SetHeight(lines)
	f.send(nil) // keeps the line of the cursor visible
	view := showSubstitutes(f.area.View())
	mark, _, _ := strings.Cut(t.Cursor.Render("x"), "x")
	if i := strings.Index(view, mark); mark != "" && i >= 0 {
		view = view[:i] + t.Caret() + view[i:]
	}
	return view
}

// rows returns how many lines the text takes at the current width, plus one: a text area that is briefly too low
// scrolls, and does not scroll back when it grows.
func (f *Field) rows() int {
	if f.raw() == "" {
		return 1
	}
	n := 1
	for l := range strings.SplitSeq(f.raw(), "\n") {
		n += 1 + strings.Count(ansi.Wrap(l, max(f.width-1, 1), " "), "\n")
	}
	return n
}
