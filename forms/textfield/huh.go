package textfield

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/x/ansi"
)

// question is what a form of huh shows with a field, and the keys that leave it there.
type question struct {
	title, description string
	check              func(text string) error
	err                error
	keys               huh.InputKeyMap
	theme              *huh.Theme
}

var _ huh.Field = (*Field)(nil)

// Ask sets what a form of huh shows above the text, and what is wrong with a text; check may be nil.
func (f *Field) Ask(title, description string, check func(text string) error) *Field {
	f.question = question{title: title, description: description, check: check, theme: &huh.Theme{}}
	return f
}

// asked draws the text below its title and description, and above what is wrong with it.
func (f *Field) asked(text string) string {
	q := f.question
	styles := q.theme.Blurred
	if f.Focused() {
		styles = q.theme.Focused
	}
	w := f.width + ansi.StringWidth(styles.TextInput.Prompt.String())
	lines := []string{styles.Title.Render(q.title)}
	if q.description != "" {
		lines = append(lines, styles.Description.Width(w).Render(q.description))
	}
	lines = append(lines, styles.TextInput.Prompt.String()+text)
	if q.err != nil {
		lines = append(lines, styles.ErrorMessage.Width(w).Render(q.err.Error()))
	}
	return strings.Join(lines, "\n")
}

// Check checks the text, and shows what is wrong with it until it is changed.
func (f *Field) Check() error {
	f.question.err = nil
	if f.question.check != nil {
		f.question.err = f.question.check(f.Text())
	}
	return f.question.err
}

// Init returns nil: there is nothing to load.
func (f *Field) Init() tea.Cmd { return nil }

// Focus focuses the field. The cursor does not blink.
func (f *Field) Focus() tea.Cmd {
	if f.area != nil {
		f.area.Focus()
	} else {
		f.line.Focus()
	}
	return nil
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

// Update handles a key, as [Field.Key] and [Field.Paste] do. Keys of the key map lead to the next field of huh's form, from
// a text that is right, or to the previous one.
func (f *Field) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	pressed, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
	case key.Matches(pressed, f.question.keys.Prev):
		return f, huh.PrevField
	case key.Matches(pressed, f.question.keys.Next, f.question.keys.Submit):
		if f.Check() == nil {
			return f, huh.NextField
		}
	case pressed.Paste:
		f.Paste(string(pressed.Runes))
		f.question.err = nil
	case f.Key(pressed):
		f.question.err = nil
	}
	return f, nil
}

// Error returns what is wrong with the text, once that was checked.
func (f *Field) Error() error { return f.question.err }

// Run asks for the text alone, in a program of its own.
func (f *Field) Run() error { return huh.Run(f) }

// RunAccessible asks for the text by a line of output, and reads a line of input.
func (f *Field) RunAccessible(w io.Writer, r io.Reader) error {
	if _, err := fmt.Fprintf(w, "%s: ", f.question.title); err != nil {
		return err
	}
	in := bufio.NewScanner(r)
	if !in.Scan() {
		return in.Err()
	}
	f.SetText(in.Text())
	return f.Check()
}

// Skip reports false: a text can always be typed.
func (f *Field) Skip() bool { return false }

// Zoom reports false: the field does not take the place of others.
func (f *Field) Zoom() bool { return false }

// KeyBinds returns the keys that leave the field.
func (f *Field) KeyBinds() []key.Binding {
	return []key.Binding{f.question.keys.Prev, f.question.keys.Submit, f.question.keys.Next}
}

// WithTheme sets the styles of the title, the description and the error, and of a prompt before the text.
func (f *Field) WithTheme(t *huh.Theme) huh.Field {
	f.question.theme = t
	return f
}

// WithAccessible returns the field unchanged: see [Field.RunAccessible].
func (f *Field) WithAccessible(bool) huh.Field { return f }

// WithKeyMap sets the keys that leave the field.
func (f *Field) WithKeyMap(k *huh.KeyMap) huh.Field {
	f.question.keys = k.Input
	return f
}

// WithWidth sets the width.
func (f *Field) WithWidth(w int) huh.Field {
	prompt := ansi.StringWidth(f.question.theme.Focused.TextInput.Prompt.String())
	f.SetSize(w-prompt, maxLines)
	return f
}

// WithHeight returns the field unchanged: it takes the lines that its text needs.
func (f *Field) WithHeight(int) huh.Field { return f }

// WithPosition returns the field unchanged: its keys are the same at each place.
func (f *Field) WithPosition(huh.FieldPosition) huh.Field { return f }

// GetKey returns "".
func (f *Field) GetKey() string { return "" }

// GetValue returns the text.
func (f *Field) GetValue() any { return f.Text() }
