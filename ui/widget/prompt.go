package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/visible"
	"bugle/forms/textfield"
	"bugle/themes"
)

// Prompt is a text field of one line behind a label: a filter, a quick input. Hidden characters are not typed into it.
type Prompt struct {
	// Label is shown before the text: "/", "Name:".
	Label string

	*textfield.Field
	theme *themes.Theme
	width int
}

// NewPrompt returns an empty field without focus.
func NewPrompt(t *themes.Theme, label, placeholder string) Prompt {
	return Prompt{Label: label, Field: textfield.New(t, placeholder), theme: t}
}

// SetSize sets the width; the field is always one line high.
func (p *Prompt) SetSize(width, _ int) { p.width = max(width, 0) }

// Value returns the text.
func (p *Prompt) Value() string { return p.Text() }

// SetValue replaces the text and moves the cursor to its end.
func (p *Prompt) SetValue(s string) { p.SetText(Clean(s)) }

// Update handles a key and reports whether the text changed; keys that do not edit a line (enter, esc, up,
// down, tab) are left to the screen.
func (p *Prompt) Update(msg tea.KeyMsg) bool {
	if !p.Focused() {
		return false
	}
	before := p.Text()
	switch {
	case msg.Type == tea.KeyRunes && !msg.Alt:
		p.Insert(typed(string(msg.Runes)))
	case msg.String() == "ctrl+e":
		p.Key(tea.KeyMsg{Type: tea.KeyEnd})
	default:
		p.Key(msg)
	}
	return p.Text() != before
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

// label returns the drawn label.
func (p *Prompt) label() string {
	if p.Label == "" {
		return ""
	}
	return Truncate(Clean(p.Label), max(p.width/2, 1)) + " "
}

// View draws the line in exactly its width. Of a long text it shows the part around the cursor, with "…" where
// it is cut.
func (p *Prompt) View() string {
	label := p.label()
	p.Field.SetSize(p.width-Width(label), 1)
	return fitLine(p.theme.Accent.Render(label)+p.Field.View(), p.width)
}

// Click moves the cursor to column x of the line.
func (p *Prompt) Click(x int) { p.Field.Click(x - Width(p.label())) }
