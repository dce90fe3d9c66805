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

// Prompt is a line to type in, with a label before it: the filter, a quick input. The editing keys are
// those of bubbles' text input, save that moving and deleting take whole characters, however many code
// points they have, and that the clipboard is left to the terminal's paste.
type Prompt struct {
	// Label stands before the text: "/", "Name:".
	Label string
	// Placeholder is shown while the text is empty.
	Placeholder string

	theme themes.Theme
	input textinput.Model
	width int
}

// NewPrompt makes an empty line that does not have the keyboard yet.
func NewPrompt(t themes.Theme, label, placeholder string) Prompt {
	in := textinput.New()
	in.KeyMap.Paste.SetEnabled(false)
	return Prompt{Label: label, Placeholder: placeholder, theme: t, input: in}
}

// SetTheme changes the theme.
func (p *Prompt) SetTheme(theme themes.Theme) { p.theme = theme }

// SetSize sets the width; it is one line high, whatever the height says.
func (p *Prompt) SetSize(width, _ int) { p.width = max(width, 0) }

// Focus moves the keyboard to the line.
func (p *Prompt) Focus() { p.input.Focus() }

// Blur takes the keyboard away.
func (p *Prompt) Blur() { p.input.Blur() }

// Focused reports whether the line has the keyboard.
func (p *Prompt) Focused() bool { return p.input.Focused() }

// Value is the text.
func (p *Prompt) Value() string { return p.input.Value() }

// SetValue replaces the text; the cursor goes to its end.
func (p *Prompt) SetValue(s string) {
	p.input.SetValue(Clean(s))
	p.input.CursorEnd()
}

// Update takes a key while the line has the keyboard. It says whether the text changed; keys that mean
// nothing to a line of text (enter, esc, up, down, tab) are the screen's.
func (p *Prompt) Update(msg tea.KeyMsg) bool {
	if !p.input.Focused() {
		return false
	}
	before := p.input.Value()
	switch msg.Type { //nolint:exhaustive // the rest is bubbles'
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

// typed makes pasted text fit for a line, and keeps all of it that a person would see: unlike Clean it
// leaves marks and variation selectors, which belong to the text being written.
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

// join sets the text, with the cursor between head and tail.
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

// View draws the line, exactly as wide as SetSize said. Of a long text the part around the cursor is
// in sight, with "…" where something is cut off.
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

// Click puts the cursor where column x of the line is pressed.
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
