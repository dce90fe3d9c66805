package newdraft

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/x/ansi"

	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/widget"
)

// huhTheme returns the styles of the questions: the focused one is marked, and so is the answer of each.
func huhTheme(t *themes.Theme) *huh.Theme {
	styles := func(title, mark string) huh.FieldStyles {
		return huh.FieldStyles{
			Base: t.NewStyle(), Title: t.Muted.SetString(title), Description: t.Faint.PaddingLeft(2),
			SelectSelector: t.Accent.SetString(mark), SelectedOption: t.Strong, UnselectedOption: t.Text,
			TextInput: huh.TextInputStyles{Prompt: t.NewStyle().SetString("  ")}, ErrorMessage: t.Danger.PaddingLeft(2),
		}
	}
	focused, blurred := styles("›", "  ▌ "), styles(" ", "  ✓ ")
	focused.Title = t.Accent.SetString("›")
	return &huh.Theme{Focused: focused, Blurred: blurred, FieldSeparator: t.NewStyle().SetString("\n\n")}
}

// SetSize sets the size of the screen.
func (s *Screen) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.build(s.at())
}

// View draws the questions.
func (s *Screen) View() string {
	return s.panes.View(func(int) panes.Content {
		info := ""
		if !s.source.Empty() {
			info = "from a template or file"
		}
		return panes.Content{Title: "New draft", Info: info, Body: strings.Join(s.formLines(), "\n")}
	})
}

// formLines draws the form, scrolled so that the whole focused question is seen.
func (s *Screen) formLines() []string {
	_, h := s.panes.Size(0)
	lines := strings.Split(strings.TrimRight(s.form.View(), "\n "), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(ansi.Strip(l), "›") })
	from := max(min(at+strings.Count(s.questions[s.at()].View(), "\n")+1-h, at), 0)
	return lines[from:min(from+h, len(lines))]
}

// mouse handles a click: on a question, which opens it, or on an answer; a second click goes on.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, inside := s.panes.Mouse(msg)
	lines := s.formLines()
	if !widget.Pressed(msg) || pane != 0 || inside.Y < 0 || inside.Y >= len(lines) {
		return nil
	}
	line := strings.TrimRight(ansi.Strip(lines[inside.Y]), " ")
	for i, q := range s.questions {
		at := slices.IndexFunc(strings.Split(ansi.Strip(q.View()), "\n"), func(l string) bool { return strings.TrimRight(l, " ") == line })
		answer := slices.IndexFunc(q.lines, func(l string) bool { return strings.HasSuffix(line, strings.TrimRight(l, " ")) })
		switch {
		case at < 0 || line == "":
			continue
		case at > 0 && answer >= 0 && s.at() == i && strings.Contains(line, "▌"):
			return s.next()
		case at > 0 && answer >= 0:
			*q.answer = q.options[answer].Value
			s.build(s.at())
		}
		return s.focus(i)
	}
	return nil
}
