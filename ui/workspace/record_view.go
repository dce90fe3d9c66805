package workspace

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// infoWidth is from how many cells the form has the view beside it.
const infoWidth = 100

func (s *Record) both() bool { return s.width >= infoWidth }

func (s *Record) formWidth() int {
	if s.both() {
		return s.width * 3 / 5
	}
	return s.width
}

// SetSize divides the screen.
func (s *Record) SetSize(width, height int) {
	s.width, s.height = width, height
	s.layout()
}

func (s *Record) layout() {
	h := max(s.height-2, 1)
	if s.form != nil {
		s.form.SetSize(max(s.formWidth()-4, 1), h)
	}
	w := s.width
	if s.both() {
		w = s.width - s.formWidth()
	}
	s.info.setSize(max(w-4, 1), h)
}

// SetTheme changes the theme.
func (s *Record) SetTheme(t themes.Theme) {
	s.theme, s.deps.Theme = t, t
	s.info.setTheme(t)
	if s.form != nil {
		s.openAgain()
	}
}

// View draws the form and what stands beside it.
func (s *Record) View() string {
	if s.width == 0 || s.height == 0 {
		return ""
	}
	if !s.loaded || s.form == nil {
		return s.waiting()
	}
	if !s.both() {
		if s.info.focused {
			return s.infoPanel(s.width)
		}
		return s.formPanel()
	}
	return lipgloss.JoinHorizontal(lipgloss.Top, s.formPanel(), s.infoPanel(s.width-s.formWidth()))
}

func (s *Record) waiting() string {
	panel := widget.NewPanel(s.theme, s.Title())
	panel.SetSize(s.width, s.height)
	text := s.theme.Muted.Render("Reading…")
	if s.failed != nil {
		text = strings.Join(widget.Wrap(widget.Clean(sentence(s.failed.Error())), max(s.width-4, 1)), "\n")
		text = s.theme.Danger.Render(text) + "\n" + s.theme.Muted.Render("Press r to try again.")
	}
	return panel.View(text)
}

func (s *Record) formPanel() string {
	panel := widget.NewPanel(s.theme, s.trail())
	panel.Focused = !s.info.focused
	panel.SetSize(s.formWidth(), s.height)
	return panel.View(s.form.View())
}

func (s *Record) infoPanel(width int) string {
	panel := widget.NewPanel(s.theme, s.info.title())
	panel.Focused = s.info.focused
	panel.SetSize(width, s.height)
	return panel.View(s.info.view())
}

func (s *Record) mouse(msg tea.MouseMsg) tea.Cmd {
	if s.form == nil {
		return nil
	}
	if s.both() && msg.X >= s.formWidth() || !s.both() && s.info.focused {
		if s.both() {
			msg.X -= s.formWidth()
		}
		press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
		if press && msg.Y == 0 {
			s.pressTab(msg.X)
			return nil
		}
		msg.X, msg.Y = msg.X-2, msg.Y-1
		switch {
		case s.info.tab == tabAudience && s.info.aside != nil:
			return s.info.aside.Update(msg)
		case s.info.tab == tabJSON:
			s.info.json.Mouse(msg)
		default:
			s.info.pager.Mouse(msg)
		}
		return nil
	}
	msg.X, msg.Y = msg.X-2, msg.Y-1
	if s.info.focused && msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress {
		s.toForm()
	}
	return s.fromForm(s.form.Update(msg))
}

// Typing says that letters are text.
func (s *Record) Typing() bool { return s.form != nil && !s.info.focused && s.form.Typing() }

// Actions are what can be done, by where the keyboard is.
func (s *Record) Actions() []screen.Action {
	if s.failed != nil {
		return []screen.Action{{Keys: []string{"r"}, Label: "try again", Group: groupRecord, Bar: 9, Run: s.Init}}
	}
	if !s.loaded || s.form == nil {
		return nil
	}
	acts := s.recordMoves()
	saved := ""
	if s.was != "" && !s.dirty() {
		saved = "No changes to save."
	}
	next := "the record as JSON"
	if s.both() {
		next = "the next view beside the form"
	}
	acts = append(acts, []screen.Action{
		{Keys: []string{"ctrl+s"}, Label: "save", Help: "save the record", Group: groupRecord, Bar: 10, Typing: true, Why: saved, Run: s.save},
		{Keys: []string{"f3"}, Label: "next view", Help: next, Group: groupMove, Bar: 3, Typing: true, Run: s.nextInfo},
		{Keys: []string{"alt+e"}, Label: "as JSON", Help: "edit the record as JSON in your editor", Group: groupRecord, Bar: 2, Typing: true, Run: s.editAll},
	}...)
	for i, a := range acts {
		if a.Run == nil {
			continue
		}
		if s.Typing() && !a.Info {
			acts[i].Keys = withoutLetters(a.Keys)
		}
		acts[i].Run = func() tea.Cmd { return tea.Batch(a.Run(), s.grant()) }
	}
	return acts
}

// withoutLetters gives the keys that are no text.
func withoutLetters(keys []string) []string {
	var out []string
	for _, k := range keys {
		if len(k) > 1 {
			out = append(out, k)
		}
	}
	return out
}

func (s *Record) recordMoves() []screen.Action {
	if s.info.focused {
		return append(s.infoKeys(), screen.Action{Keys: []string{"esc", "tab"}, Label: "form", Help: "back to the form", Group: groupMove, Bar: 8, Run: s.toForm})
	}
	acts := s.formKeys()
	switch {
	case s.form.Modal():
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "close", Help: "cancel and keep the field as it was", Group: groupMove, Bar: 8, Typing: true,
			Run: func() tea.Cmd { return s.fromForm(s.form.Update(tea.KeyMsg{Type: tea.KeyEsc})) }})
	case len(s.path) > 0:
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "back", Help: "back to the outer form", Group: groupMove, Bar: 8, Typing: true, Run: s.up})
	}
	if s.info.aside != nil {
		acts = append(acts, screen.Action{Keys: []string{"alt+p"}, Label: "audience", Help: "see who matches, and why", Group: groupMove, Bar: 4, Typing: true, Run: s.toAudience})
	}
	return acts
}

// formKeys tells the help which keys the form takes at the focused field.
func (s *Record) formKeys() []screen.Action {
	rank := []int{9, 7, 6, 5}
	bar := map[string]int{}
	for i, b := range s.form.Hints() {
		if i < len(rank) {
			bar[b.Help().Key] = rank[i]
		}
	}
	acts := told(s.form.Bindings(), 0)
	for i, a := range acts {
		acts[i].Bar = bar[a.Keys[0]]
	}
	return acts
}

// told tells the help of keys that are taken without being dispatched; the first ones are shown in the
// status bar, where bar is not 0.
func told(bindings []key.Binding, bar int) []screen.Action {
	var acts []screen.Action
	for i, b := range bindings {
		h := b.Help()
		if h.Key == "esc" {
			continue // the screen's own entry says what it does
		}
		a := screen.Action{Keys: []string{h.Key}, Label: h.Desc, Group: "Form", Typing: true, Info: true}
		if i < 3 && bar > 0 {
			a.Bar = bar - i
		}
		acts = append(acts, a)
	}
	return acts
}
