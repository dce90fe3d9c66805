package newdraft

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/validate/problems"
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

// View draws the questions, and below them why the draft was not created.
func (s *Screen) View() string {
	return s.panes.View(func(int) panes.Content {
		info := ""
		if !s.source.Empty() {
			info = "from a template or file"
		}
		return panes.Content{Title: "New draft", Info: info, Body: strings.Join(append(s.formLines(), s.refusalLines()...), "\n")}
	})
}

// formLines draws the form in the lines that the refusal leaves, scrolled so that the whole focused question is seen.
func (s *Screen) formLines() []string {
	_, h := s.panes.Size(0)
	h = max(h-len(s.refusalLines()), 1)
	lines := strings.Split(strings.TrimRight(s.form.View(), "\n "), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(ansi.Strip(l), "›") })
	from := max(min(at+strings.Count(s.questions[s.at()].View(), "\n")+1-h, at), 0)
	return lines[from:min(from+h, len(lines))]
}

// refusalLines explains why the service did not create the draft, and what can be done.
func (s *Screen) refusalLines() []string {
	if s.refused == nil {
		return nil
	}
	w, _ := s.panes.Size(0)
	words, e := s.refused.Error(), engine.AsError(s.refused)
	if e != nil {
		words = e.Message
	}
	lines := widget.WrapStyled(s.theme.Danger, "Not created: "+words, w)
	if e != nil {
		for _, text := range problems.Details(engine.Channel(s.channel), e) {
			lines = append(lines, widget.WrapStyled(s.theme.Text, "· "+text, w)...)
		}
	}
	do := "Press enter to try again; esc goes back."
	if isValidationError(s.refused) {
		do = "Press ctrl+b to create an empty draft and fill it in there."
	}
	_, h := s.panes.Size(0)
	return append(lines[:min(len(lines), max(h-5, 1))], widget.WrapStyled(s.theme.Muted, do, w)...)
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
