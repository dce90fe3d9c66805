package testsend

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// Help headings.
const (
	groupMove    = "Move"
	groupTest    = "Test"
	groupMessage = "Delivered message"
)

// Typing reports whether a text field has the keyboard.
func (s *Screen) Typing() bool {
	return s.ready() && s.stage == stageForm && s.form.typing()
}

// Actions returns what the user can do in the current stage.
func (s *Screen) Actions() []screen.Action {
	switch {
	case s.failed != nil:
		return []screen.Action{{Keys: []string{"r"}, Label: "reload", Group: groupTest, BarPriority: 9, Run: s.load}}
	case !s.ready():
		return nil
	}
	switch s.stage {
	case stageSending:
		return []screen.Action{
			{Keys: []string{"esc", "X"}, Label: "cancel", Help: "cancel the remaining messages", Group: groupTest, BarPriority: 9, Run: s.cancel},
		}
	case stageDone:
		if s.onSide() {
			return s.readActions()
		}
		return s.resultsActions()
	}
	return s.formActions()
}

// formActions returns the actions of the form: those of the row under the cursor, then those of every row.
func (s *Screen) formActions() []screen.Action {
	f := &s.form
	f.divide()
	send := screen.Action{Keys: []string{"ctrl+s"}, Label: "send", Help: "send the test", Group: groupTest, BarPriority: 8, WhileTyping: true, DisabledReason: f.missing(), Run: s.send}
	row := f.row()
	enter := row.enter
	switch f.at {
	case sendRow:
		enter, send.BarPriority = send, 0
	case forecastRow:
		enter, send.BarPriority = s.upAction(groupTest), 6
	}
	if f.at != forecastRow {
		enter.Keys, enter.Group, enter.BarPriority, enter.WhileTyping = []string{"enter"}, groupTest, 9, true
	}
	acts := append([]screen.Action{enter, send}, row.more...)
	earlier := screen.Action{Keys: []string{"H", "alt+H"}, Label: "history", Help: "list earlier tests, to send one again", Group: groupTest, BarPriority: 3, WhileTyping: true, Run: f.openEarlier}
	if len(f.past) == 0 {
		earlier.DisabledReason, earlier.BarPriority = "No tests yet.", 0
	}
	sendAs := screen.Action{Keys: []string{"u", "alt+u"}, Label: "view as", Help: "send the message with the data of another user", Group: groupTest, BarPriority: 3, WhileTyping: true, Run: f.chooseAs}
	if f.typing() { // letters are text
		earlier.Keys, sendAs.Keys = earlier.Keys[1:], sendAs.Keys[1:]
	}
	move := func(n int) func() tea.Cmd { return func() tea.Cmd { return f.move(n) } }
	return append(acts, earlier, sendAs,
		screen.Action{Keys: []string{"down"}, Label: "next row", Group: groupMove, WhileTyping: true, Run: move(1)},
		screen.Action{Keys: []string{"up"}, Label: "previous row", Group: groupMove, WhileTyping: true, Run: move(-1)},
		screen.Action{Keys: []string{"tab"}, Label: "next section", Help: "go to the next section, last the messages", Group: groupMove, BarPriority: 5, WhileTyping: true, Run: f.tab},
		screen.Action{Keys: []string{"shift+tab"}, Label: "previous section", Group: groupMove, WhileTyping: true, Run: func() tea.Cmd { return f.nextSection(-1) }},
		s.copyAction(f.request()), s.zoomAction(),
	)
}

// zoomAction zooms the focused pane, or shows all panes again.
func (s *Screen) zoomAction() screen.Action { return s.panes.ZoomAction("z", groupMove, func() {}) }

// up goes up one level: from a zoomed pane to all panes, from a pane to its parent, from a page to the form.
func (s *Screen) up() tea.Cmd {
	switch {
	case s.panes.Zoomed():
		s.panes.Zoom(false)
	case s.stage == stageDone && s.onSide():
		s.panes.Focus(paneMain)
	case s.stage == stageForm:
		s.form.focus(promptRow)
	default:
		return s.toForm()
	}
	return nil
}

// upAction returns the action that goes up one level.
func (s *Screen) upAction(heading string) screen.Action {
	label, help := "test send", "go back to the test send"
	switch {
	case s.panes.Zoomed():
		label, help = "unzoom", "show all panes"
	case s.stage == stageDone && s.onSide():
		label, help = "results", "go back to the results"
	}
	return screen.Action{Name: "back", Keys: []string{"esc"}, Label: label, Help: help, Group: heading, BarPriority: 7, Run: s.up}
}

// toForm returns to the form, with the cursor off the button, so that pressing enter twice sends nothing.
func (s *Screen) toForm() tea.Cmd {
	s.show(stageForm)
	s.form.focus(promptRow)
	return s.form.refresh()
}
