package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// box is a size in cells, frame included.
type box struct{ w, h int }

// sideFrom is the width from which the second pane stands beside the first, not below it.
const sideFrom = 76

// boxes returns the sizes of the form or list, and of the pane beside or below it. A pane that is not shown has no
// size. The pane below gets more room while it has the keyboard.
func (s *Screen) boxes() (main, side box) {
	whole := box{s.width, s.height}
	switch {
	case s.zoom && s.beside():
		return box{}, whole
	case s.zoom:
		return whole, box{}
	case s.width >= sideFrom:
		w := min(max(s.width*2/5, 34), 60)
		return box{s.width - w, s.height}, box{w, s.height}
	}
	h := s.height / 2
	least := max(min(s.height/3, 6), 3)
	switch {
	case s.beside() && s.stage == stageForm:
		lines := s.gridLines(s.going(), s.names(s.ask()), s.width-4, s.height)
		h = max(min(s.height*3/5, len(lines)+2), least)
	case s.beside():
		h = s.height * 3 / 5
	case s.stage == stageForm:
		h = least
	}
	return box{s.width, s.height - h}, box{s.width, h}
}

// beside reports whether the pane beside or below the first one has the keyboard.
func (s *Screen) beside() bool {
	switch s.stage {
	case stageForm:
		return s.form.at.place == onGrid
	case stageGroups, stageEarlier:
		return s.details
	}
	return false
}

// onSide reports whether a cell is in the second pane.
func (s *Screen) onSide(x, y int) bool {
	main, side := s.boxes()
	switch {
	case main.w == 0 || side.w == 0:
		return side.w > 0
	case s.width >= sideFrom:
		return x >= main.w
	}
	return y >= main.h
}

// joined puts two panes beside or below one another; a pane that is not shown is empty.
func (s *Screen) joined(main, side string) string {
	switch {
	case main == "" || side == "":
		return main + side
	case s.width >= sideFrom:
		return lipgloss.JoinHorizontal(lipgloss.Top, main, side)
	}
	return lipgloss.JoinVertical(lipgloss.Left, main, side)
}

// show goes to a stage, with all its panes.
func (s *Screen) show(st stage) {
	s.stage, s.zoom, s.details, s.detailTop = st, false, false, 0
}

// zoomKey returns the action that zooms the focused pane to the whole screen, or back. Where a text is typed, z is a
// letter.
func (s *Screen) zoomKey() screen.Action {
	label, help := "zoom", "show only the focused pane"
	if s.zoom {
		label, help = "unzoom", "show all panes"
	}
	a := screen.Action{Name: "zoom", Keys: []string{"z", "alt+z"}, Label: label, Help: help, Group: groupMove, Bar: 2, Typing: true, Run: s.toggleZoom}
	if s.Typing() {
		a.Keys = a.Keys[1:]
	}
	return a
}

func (s *Screen) toggleZoom() tea.Cmd {
	s.zoom = !s.zoom
	return nil
}

// up goes up one level: from the whole screen to all panes, from a pane to the one it belongs to, from a page to the
// form.
func (s *Screen) up() tea.Cmd {
	switch {
	case s.zoom:
		return s.toggleZoom()
	case s.stage == stageDone && s.run.read.open:
		return s.closeMessage()
	case s.stage == stageDone:
		return s.toForm()
	case s.stage == stageRefused:
		return s.leaveRefusal()
	case s.details:
		s.details = false
	case s.stage == stageGroups || s.stage == stageEarlier:
		return s.backToForm()
	case s.beside():
		s.focus(spot{onPrompt, 0})
	}
	return nil
}

// upKey returns the action that goes up one level.
func (s *Screen) upKey(heading string) screen.Action {
	label, help := "test send", "go back to the test send"
	switch {
	case s.zoom:
		label, help = "unzoom", "show all panes"
	case s.stage == stageDone && s.run.read.open:
		label, help = "results", "go back to the results"
	case s.details:
		label, help = "list", "go back to the list"
	}
	return screen.Action{Name: "back", Keys: []string{"esc"}, Label: label, Help: help, Group: heading, Bar: 7, Run: s.up}
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
	s.glance.of = "" // drawn anew
}

// View draws the stage.
func (s *Screen) View() string {
	switch {
	case s.failed != nil:
		return s.words("Can't read this draft.\n\n" + problems.Sentence(s.failed.Error()) + "\n\nPress r to try again or esc to go back.")
	case !s.loaded:
		return s.words("Reading the draft…")
	case s.draft.WhyNot() != "":
		return s.words("You can't test this campaign.\n\n" + s.draft.WhyNot() + "\n\nPress esc to go back.")
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
	if s.draft.Campaign.Channel == "" {
		return "Test send"
	}
	return engine.Summarize(s.draft.Campaign).Title()
}

// crumb stands between the name of the campaign and those of the pages over the form.
const crumb = " › "

// crumbs names the way to a page in a panel of w cells; where there is no room, without its beginning.
func (s *Screen) crumbs(w int, pages ...string) string {
	words := append([]string{s.name()}, pages...)
	for len(words) > 2 && widget.Width(strings.Join(words, crumb)) > w-6 {
		words = append([]string{"…"}, words[2:]...)
	}
	s.way = widget.Width(strings.Join(words[:len(words)-1], crumb))
	return strings.Join(words, crumb)
}

// sendHeight is what the button takes at the foot of the form, the line above it included.
const sendHeight = 2

func (s *Screen) formView() string {
	form, grid := s.boxes()
	if form.w == 0 {
		return s.gridView(grid)
	}
	panel := s.panel(s.name(), form, !s.beside())
	w, h := panel.Inner()
	lines := s.inSight(s.rows(w), h-sendHeight)
	if s.form.more > 0 {
		panel.Footer = fmt.Sprintf("%d more below", s.form.more)
	}
	lines = append(lines, "")
	left := panel.View(strings.Join(append(lines, s.sendRow(w).lines...), "\n"))
	if grid.w == 0 {
		return left
	}
	return s.joined(left, s.gridView(grid))
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
	form, _ := s.boxes()
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
	message := "Not sent. " + strings.TrimSuffix(widget.CleanLines(s.refusal.message), ".") + "."
	if s.refusal.list.Len() == 1 { // it says the same
		message = "Not sent. This needs to be fixed first:"
	}
	for _, l := range widget.Wrap(message, w) {
		out = append(out, s.theme.Danger.Render(l))
	}
	hint := "Press enter to go to the field or esc to go back to the form."
	if s.refusal.list.Len() == 0 {
		hint = "Press esc to go back to the form."
	}
	for _, l := range widget.Wrap(hint, w) {
		out = append(out, s.theme.Muted.Render(l))
	}
	return out
}

func (s *Screen) refusalView() string {
	panel := s.panel(s.crumbs(s.width, "Not sent"), box{s.width, s.height}, true)
	panel.Footer = s.refusal.list.Position()
	return panel.View(strings.Join(s.refusalHead(), "\n") + "\n\n" + s.refusal.list.View())
}
