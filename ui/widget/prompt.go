package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"bugle/engine/visible"
	"bugle/forms/typeahead"
	"bugle/themes"
)

// Prompt is a one-line text field with a label: a filter, a quick input. Its keys are those of the textinput of
// Bubbles, except that moving and deleting work on grapheme clusters, and that pasting is left to the terminal.
type Prompt struct {
	// Label is shown before the text: "/", "Name:".
	Label string
	// Placeholder is shown while the text is empty.
	Placeholder string

	theme *themes.Theme
	input textinput.Model
	width int
}

// NewPrompt returns an empty field without focus.
func NewPrompt(t *themes.Theme, label, placeholder string) Prompt {
	in := textinput.New()
	in.KeyMap.Paste.SetEnabled(false)
	return Prompt{Label: label, Placeholder: placeholder, theme: t, input: in}
}

// SetSize sets the width; the field is always one line high.
func (p *Prompt) SetSize(width, _ int) { p.width = max(width, 0) }

// Focus focuses the field.
func (p *Prompt) Focus() { p.input.Focus() }

// Blur removes the focus.
func (p *Prompt) Blur() { p.input.Blur() }

// Focused reports whether the field has the focus.
func (p *Prompt) Focused() bool { return p.input.Focused() }

// Value returns the text.
func (p *Prompt) Value() string { return p.input.Value() }

// SetValue replaces the text and moves the cursor to its end.
func (p *Prompt) SetValue(s string) {
	p.input.SetValue(Clean(s))
	p.input.CursorEnd()
}

// Update handles a key and reports whether the text changed; keys that do not edit a line (enter, esc, up,
// down, tab) are left to the screen.
func (p *Prompt) Update(msg tea.KeyMsg) bool {
	if !p.input.Focused() {
		return false
	}
	before := p.input.Value()
	switch msg.Type { //nolint:exhaustive // Bubbles handles the rest
	case tea.KeyBackspace, tea.KeyCtrlH:
		if !msg.Alt {
			head, tail := p.split()
			head = head[:len(head)-len(lastCluster(head))]
			p.join(head, tail)
			return p.input.Value() != before
		}
	case tea.KeyDelete, tea.KeyCtrlD:
		if !msg.Alt {
			head, tail := p.split()
			p.join(head, tail[len(firstCluster(tail)):])
			return p.input.Value() != before
		}
	case tea.KeyLeft, tea.KeyCtrlB:
		if !msg.Alt {
			head, _ := p.split()
			p.input.SetCursor(p.input.Position() - utf8.RuneCountInString(lastCluster(head)))
			return false
		}
	case tea.KeyRight, tea.KeyCtrlF:
		if !msg.Alt {
			_, tail := p.split()
			p.input.SetCursor(p.input.Position() + utf8.RuneCountInString(firstCluster(tail)))
			return false
		}
	case tea.KeyRunes:
		if msg.Paste || len(msg.Runes) > 1 {
			msg.Runes = []rune(typed(string(msg.Runes)))
		}
	}
	p.input, _ = p.input.Update(msg)
	return p.input.Value() != before
}

// typed turns pasted text into a single line without removing anything visible: unlike Clean it keeps combining
// marks and variation selectors.
func typed(s string) string {
	s = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(ansi.Strip(s))
	var out strings.Builder
	for r, drawn := range visible.Runes(s) {
		if drawn {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// split returns the text before and after the cursor.
func (p *Prompt) split() (head, tail string) {
	runes := []rune(p.input.Value())
	at := clamp(p.input.Position(), 0, len(runes))
	return string(runes[:at]), string(runes[at:])
}

// join sets the text to head and tail, with the cursor between them.
func (p *Prompt) join(head, tail string) {
	p.input.SetValue(head + tail)
	p.input.SetCursor(utf8.RuneCountInString(head))
}

func firstCluster(s string) string {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return cluster
}

func lastCluster(s string) string {
	last := ""
	for state := -1; s != ""; {
		last, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
	}
	return last
}

// View draws the line in exactly its width. Of a long text it shows the part around the cursor, with "…" where
// it is cut.
func (p *Prompt) View() string {
	label := ""
	if p.Label != "" {
		label = Truncate(Clean(p.Label), max(p.width/2, 1)) + " "
	}
	room := max(p.width-Width(label), 0)
	label = p.theme.Accent.Render(label)
	switch {
	case p.input.Focused():
		label += p.line().View(p.theme, room)
	case p.input.Value() == "":
		label += p.theme.Faint.Render(Truncate(Clean(p.Placeholder), room))
	default:
		label += p.theme.Text.Render(Truncate(Clean(p.input.Value()), room))
	}
	return fitLine(label, p.width)
}

// Click moves the cursor to column x of the line.
func (p *Prompt) Click(x int) {
	label := 0
	if p.Label != "" {
		label = Width(Truncate(Clean(p.Label), max(p.width/2, 1))) + 1
	}
	p.input.SetCursor(p.line().At(x-label, max(p.width-label, 0)))
}

func (p *Prompt) line() typeahead.Line {
	return typeahead.Line{Text: p.input.Value(), Cursor: p.input.Position(), Placeholder: p.Placeholder, Clean: Clean}
}
