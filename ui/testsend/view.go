package testsend

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// box is a size in cells, frame included.
type box struct{ w, h int }

// sideFrom is the width from which the grid stands beside the form, not below it.
const sideFrom = 76

// divide returns the sizes of the form and of what will go out.
func divide(width, height int) (form, grid box) {
	if width >= sideFrom {
		w := min(max(width*2/5, 34), 60)
		return box{width - w, height}, box{w, height}
	}
	h := max(min(height/3, 6), 3)
	return box{width, height - h}, box{width, h}
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.refusal.list.SetSize(width-4, height-2-len(s.refusalHead())-1)
}

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.theme, s.deps.Theme = t, t
	s.form.prompt.SetTheme(t)
	for i := range s.form.overrides {
		s.form.overrides[i].prompt.SetTheme(t)
	}
	s.refusal.list.SetTheme(t)
	s.groups.list.SetTheme(t)
	s.past.list.SetTheme(t)
	s.run.read.view.SetTheme(t)
}

// View draws the stage.
func (s *Screen) View() string {
	switch {
	case s.failed != nil:
		return s.words("Can't read this draft.\n\n" + problems.Sentence(s.failed.Error()) + "\n\nPress r to try again or esc to go back.")
	case !s.loaded:
		return s.words("Reading the draft…")
	case s.why() != "":
		return s.words("You can't test this campaign.\n\n" + s.why() + "\n\nPress esc to go back.")
	}
	switch s.stage {
	case stageSending, stageDone:
		return s.runView()
	case stageRefused:
		return s.refusalView()
	case stageGroups:
		return s.groupsView()
	case stageEarlier:
		return s.earlierView()
	}
	return s.formView()
}

func (s *Screen) words(text string) string {
	p := widget.NewPager(s.theme)
	p.SetSize(s.width-4, s.height-2)
	p.SetText(text)
	panel := s.panel(s.name(), box{s.width, s.height}, true)
	return panel.View(p.View())
}

func (s *Screen) panel(title string, b box, focused bool) *widget.Panel {
	p := widget.NewPanel(s.theme, title)
	p.Focused = focused
	p.SetSize(b.w, b.h)
	return &p
}

// name is what the campaign is called.
func (s *Screen) name() string {
	if s.campaign.Channel == "" {
		return "Test send"
	}
	return engine.Summarize(s.campaign).Title()
}

// sendHeight is what the button takes at the foot of the form, the line above it included.
const sendHeight = 2

func (s *Screen) formView() string {
	form, grid := divide(s.width, s.height)
	panel := s.panel(s.name(), form, true)
	w, h := panel.Inner()
	lines := s.inSight(s.rows(w), h-sendHeight)
	if s.form.more > 0 {
		panel.Footer = fmt.Sprintf("%d more below", s.form.more)
	}
	lines = append(lines, "")
	left := panel.View(strings.Join(append(lines, s.sendRow(w).lines...), "\n"))
	right := s.gridView(grid)
	if s.width >= sideFrom {
		return lipgloss.JoinHorizontal(lipgloss.Top, left, right)
	}
	return lipgloss.JoinVertical(lipgloss.Left, left, right)
}

// inSight returns the lines that fit, the row under the cursor among them.
func (s *Screen) inSight(rows []row, h int) []string {
	var lines []string
	from, to := 0, 0
	for _, r := range rows {
		if r.spot == s.form.at && r.place != onNothing {
			from, to = len(lines), len(lines)+len(r.lines)
		}
		lines = append(lines, r.lines...)
	}
	h = max(h, 0)
	s.form.top = max(min(s.form.top, from), to-h, 0)
	s.form.top = min(s.form.top, from, max(len(lines)-h, 0))
	if s.form.at.place == onSend {
		s.form.top = 0 // who it goes to is seen before it is sent
	}
	to = min(s.form.top+h, len(lines))
	s.form.more = len(lines) - to
	return lines[s.form.top:to:to]
}

// spotAt returns the row on a line inside the form's frame, and the line within the row.
func (s *Screen) spotAt(y int) (at spot, line int, ok bool) {
	form, _ := divide(s.width, s.height)
	w, h := s.panel("", form, true).Inner()
	all := s.rows(w)
	shown := len(s.inSight(all, h-sendHeight))
	switch {
	case y == shown+sendHeight-1:
		return spot{onSend, 0}, 0, true
	case y < 0 || y >= shown:
		return spot{}, 0, false
	}
	y += s.form.top
	for _, r := range all {
		if y < len(r.lines) {
			return r.spot, y, r.place != onNothing
		}
		y -= len(r.lines)
	}
	return spot{}, 0, false
}

// refusalHead is what the service said.
func (s *Screen) refusalHead() []string {
	w := max(s.width-4, 1)
	var out []string
	for _, l := range widget.Wrap("Not sent. "+widget.CleanLines(s.refusal.message), w) {
		out = append(out, s.theme.Danger.Render(l))
	}
	hint := "Press enter to go to the field, esc to go back to the form."
	if s.refusal.list.Len() == 0 {
		hint = "Press esc to go back to the form."
	}
	for _, l := range widget.Wrap(hint, w) {
		out = append(out, s.theme.Muted.Render(l))
	}
	return out
}

func (s *Screen) refusalView() string {
	panel := s.panel(s.name(), box{s.width, s.height}, true)
	panel.Footer = s.refusal.list.Position()
	return panel.View(strings.Join(s.refusalHead(), "\n") + "\n\n" + s.refusal.list.View())
}
