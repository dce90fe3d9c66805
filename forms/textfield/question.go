package textfield

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/x/ansi"

	"bugle/themes"
)

// Question is a text that a form of huh asks for: a line below a title and a description, and above what is wrong with it. The
// keys that leave it are those of the screen around the form.
type Question struct {
	*Field
	input // all that the form wants of a field besides

	title, description string
	check              func(text string) error
	err                error
	theme              *huh.Theme
}

type input interface{ huh.Field }

var _ huh.Field = (*Question)(nil)

// NewQuestion returns a question without an answer. check returns what is wrong with one, and may be nil.
func NewQuestion(t *themes.Theme, title, description, placeholder string, check func(text string) error) *Question {
	return &Question{Field: New(t, placeholder), input: huh.NewInput(), title: title, description: description, check: check, theme: &huh.Theme{}}
}

// Focus focuses the text. Its cursor does not blink.
func (q *Question) Focus() tea.Cmd { return q.Field.Focus() }

// Blur removes the focus.
func (q *Question) Blur() tea.Cmd { return q.Field.Blur() }

// Update handles a key, as [Field.Key] and [Field.Paste] do.
func (q *Question) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if pressed, ok := msg.(tea.KeyMsg); ok {
		if q.err = nil; pressed.Paste {
			q.Paste(string(pressed.Runes))
		} else {
			q.Key(pressed)
		}
	}
	return q, nil
}

// Check checks the text, and shows what is wrong with it until a key is pressed.
func (q *Question) Check() error {
	if q.check != nil {
		q.err = q.check(q.Text())
	}
	return q.err
}

// Error returns what is wrong with the text, once that was checked.
func (q *Question) Error() error { return q.err }

// View draws the question.
func (q *Question) View() string {
	styles := q.theme.Blurred
	if q.Focused() {
		styles = q.theme.Focused
	}
	w := q.width + ansi.StringWidth(styles.TextInput.Prompt.String())
	lines := []string{styles.Title.Render(q.title)}
	if q.description != "" {
		lines = append(lines, styles.Description.Width(w).Render(q.description))
	}
	lines = append(lines, styles.TextInput.Prompt.String()+q.Field.View())
	if q.err != nil {
		lines = append(lines, styles.ErrorMessage.Width(w).Render(q.err.Error()))
	}
	return strings.Join(lines, "\n")
}

// WithTheme sets the styles of the title, the description and the error, and of a prompt before the text.
func (q *Question) WithTheme(t *huh.Theme) huh.Field {
	q.theme = t
	return q
}

// WithWidth sets the width.
func (q *Question) WithWidth(w int) huh.Field {
	q.SetSize(w-ansi.StringWidth(q.theme.Focused.TextInput.Prompt.String()), 1)
	return q
}
