package testsend

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/operation"
	"bugle/ui/screen"
)

// The headings of the screen's keys in the help.
const (
	groupMove    = "Move"
	groupTest    = "Test"
	groupGroups  = "Groups"
	groupEarlier = "Earlier tests"
	groupMessage = "Delivered message"
)

// Typing reports whether a text is being typed.
func (s *Screen) Typing() bool {
	if !s.ready() || s.stage != stageForm {
		return false
	}
	return s.offering() || s.form.at.place == onOverride
}

// Actions are what can be done, by stage.
func (s *Screen) Actions() []screen.Action {
	switch {
	case s.failed != nil:
		return []screen.Action{{Keys: []string{"r"}, Label: "try again", Group: groupTest, Bar: 9, Run: s.load}}
	case !s.ready():
		return nil
	}
	switch s.stage {
	case stageSending:
		return []screen.Action{
			{Keys: []string{"esc", "ctrl+x"}, Label: "cancel", Help: "cancel the remaining messages", Group: groupTest, Bar: 9, Run: s.cancel},
		}
	case stageDone:
		if s.run.read.open {
			return s.readActions()
		}
		return s.afterwards()
	case stageGroups:
		return s.groupActions()
	case stageEarlier:
		return s.earlierActions()
	case stageRefused:
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "go to field", Group: groupTest, Bar: 9, Run: s.toProblem},
			s.upKey(groupTest),
			s.copying("y"),
		}
	}
	return append(s.formActions(), s.moves()...)
}

func (s *Screen) afterwards() []screen.Action {
	none := ""
	if s.run.FailedKeys() == 0 {
		none = "Every message was sent."
	}
	bar := 9
	if none != "" {
		bar = 0
	}
	return []screen.Action{
		{Keys: []string{"r"}, Label: "retry failed", Help: "send failed messages again, only to recipients who missed them", Group: groupTest, Bar: bar, Why: none, Run: s.again},
		{Name: "read-message", Keys: []string{"enter"}, Label: "read", Help: "read the delivered message", Group: groupTest, Bar: 8, Run: s.openMessage},
		s.upKey(groupTest),
		{Keys: []string{"f"}, Label: "form", Help: "go back to the form", Group: groupTest, Run: s.toForm},
		{Keys: []string{"a"}, Label: "send all again", Help: "send all messages again", Group: groupTest, Bar: 6, Run: s.anew},
		{Keys: []string{"o"}, Label: "outbox", Help: "open all delivered messages", Group: groupTest, Bar: 5, Run: s.outbox},
		s.copying("y"),
		s.zoomKey(),
		{Keys: []string{"down", "up"}, Label: "move", Help: "go to the next or previous message or recipient", Group: groupMove, Info: true},
	}
}

func (s *Screen) copying(key string) screen.Action {
	return screen.Action{Keys: []string{key}, Label: "copy curl", Help: "copy the request as a curl command", Group: groupTest, Bar: 3, Run: s.copy}
}

func (s *Screen) copy() tea.Cmd {
	ask := s.ask()
	if s.stage == stageDone {
		ask = s.run.Ask
	}
	return screen.Copy(operation.TestCurl(s.deps.Workspace, engine.DraftTest(s.id, ask)), "the request as a curl command")
}

func (s *Screen) outbox() tea.Cmd {
	return screen.Open(screen.Route{Name: screen.Outbox, ID: s.id})
}

func (s *Screen) formActions() []screen.Action {
	acts := []screen.Action{
		{Keys: []string{"ctrl+s"}, Label: "send", Help: "send the test", Group: groupTest, Bar: 8, Typing: true, Why: s.sendWhy(), Run: s.send},
	}
	enter := screen.Action{Keys: []string{"enter"}, Group: groupTest, Bar: 9, Typing: true}
	switch s.form.at.place {
	case onPrompt:
		enter.Label, enter.Help, enter.Run = "add", "add the highlighted recipient", s.enterTyped
		if s.form.list.At() < 0 {
			enter.Label, enter.Help = "next", "go to the next field"
		}
		if s.form.prompt.Value() != "" || s.form.list.At() >= 0 { // nothing that was typed is thrown away
			acts = append(acts, s.leaveField())
		}
	case onValue:
		enter.Label, enter.Help, enter.Run = "edit", "edit the recipient", s.edit
		acts = append(acts, screen.Action{Keys: []string{"x", "delete", "backspace"}, Label: "remove", Help: "remove the recipient", Group: groupTest, Bar: 7, Run: s.remove})
	case onSend:
		enter.Label, enter.Help, enter.Why, enter.Run = "send", "send the test", s.sendWhy(), s.send
		acts[0].Bar = 0
	case onGrid:
		enter = s.upKey(groupTest)
		acts[0].Bar = 6
	case onOverride:
		enter.Label, enter.Help, enter.Run = "next", "go to the next field", func() tea.Cmd { s.move(1); return nil }
		acts = append(acts, s.leaveField())
	default:
		enter.Label, enter.Run = "choose", s.choose
		acts = append(acts,
			screen.Action{Keys: []string{"right", "l", " "}, Label: "next value", Help: "choose the next value", Group: groupTest, Bar: 7, Run: func() tea.Cmd { return s.turnChoice(1) }},
			screen.Action{Keys: []string{"left", "h"}, Label: "previous value", Help: "choose the previous value", Group: groupTest, Run: func() tea.Cmd { return s.turnChoice(-1) }})
	}
	return append([]screen.Action{enter}, acts...)
}

// leaveField leaves the field with what is typed in it; esc leaves the screen from there.
func (s *Screen) leaveField() screen.Action {
	return screen.Action{Keys: []string{"esc"}, Label: "leave field", Help: "leave the field and keep its text", Group: groupMove, Bar: 6, Typing: true, Run: func() tea.Cmd {
		s.form.waiting = false
		s.focus(spot{onIdentifier, 0})
		return nil
	}}
}

func (s *Screen) moves() []screen.Action {
	by := func(n int) func() tea.Cmd { return func() tea.Cmd { s.move(n); return nil } }
	noEarlier, bar := "", 3
	if len(s.past.all) == 0 {
		noEarlier, bar = "No tests yet.", 0
	}
	unchanged := ""
	if s.changed() == 0 {
		unchanged = "No personalization values are set."
	}
	acts := []screen.Action{
		{Keys: []string{"alt+e"}, Label: "earlier", Help: "list earlier tests, to send one again", Group: groupTest, Bar: bar, Typing: true, Why: noEarlier, Run: s.openEarlier},
		{Keys: []string{"ctrl+g"}, Label: "groups", Help: "open saved groups of recipients", Group: groupTest, Bar: 4, Typing: true, Run: s.openGroups},
		{Keys: []string{"ctrl+x"}, Label: "clear values", Help: "clear the personalization values", Group: groupTest, Typing: true, Why: unchanged, Run: s.clearOverrides},
		{Keys: []string{"pgdown"}, Label: "scroll", Help: "scroll the messages down", Group: groupMove, Typing: true, Run: func() tea.Cmd { return s.scrollGrid(1) }},
		{Keys: []string{"pgup"}, Label: "scroll back", Help: "scroll the messages up", Group: groupMove, Typing: true, Run: func() tea.Cmd { return s.scrollGrid(-1) }},
		{Keys: []string{"down"}, Label: "next row", Group: groupMove, Typing: true, Run: by(1)},
		{Keys: []string{"up"}, Label: "previous row", Group: groupMove, Typing: true, Run: by(-1)},
		{Keys: []string{"tab"}, Label: "next section", Help: "go to the next section, last the messages", Group: groupMove, Bar: 5, Typing: true, Run: s.tab},
		{Keys: []string{"shift+tab"}, Label: "previous section", Group: groupMove, Typing: true, Run: func() tea.Cmd { s.jump(-1); return nil }},
		{Keys: []string{"ctrl+o"}, Label: "outbox", Help: "open all delivered messages", Group: groupTest, Typing: true, Run: s.outbox},
		{Keys: []string{"alt+y"}, Label: "copy curl", Help: "copy the request as a curl command", Group: groupTest, Typing: true, Run: s.copy},
	}
	if !s.Typing() { // while a text is typed, letters are letters
		acts[len(acts)-1].Keys = []string{"y", "alt+y"}
		acts[1].Keys = []string{"g", "ctrl+g"}
		acts[0].Keys = []string{"e", "alt+e"}
	}
	acts = append(acts, s.zoomKey())
	if s.form.at.place == onPrompt {
		acts = append(acts, screen.Action{Keys: []string{"ctrl+@"}, Label: "suggestions", Help: "highlight the first suggestion (ctrl+space)", Group: groupMove, Typing: true, Run: s.suggest})
	}
	return acts
}

// tab goes on to the next part of the form, with what is highlighted once something was typed.
func (s *Screen) tab() tea.Cmd {
	if r, ok := s.form.list.Highlighted(); ok && s.offering() && !r.Free && s.text() != "" {
		s.accept()
		s.jump(1)
		return s.refresh()
	}
	s.jump(1)
	return nil
}
