package app_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/ui/app"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// questions ask in each way, and record the answer.
func (d *world) questions() (ask func(danger bool), choose, input, capture func()) {
	options := []widget.Option{{Label: "one"}, {Label: "two", Dim: true, DisabledReason: "It is taken."}, {Label: "three"}}
	ask = func(danger bool) {
		d.Send(screen.AskMsg{Question: screen.Question{Title: "Sure?", Danger: danger, Then: func(a widget.Answer) tea.Cmd {
			return d.record(map[int]string{-1: "canceled", 0: "yes", 1: "no"}[a.Index])
		}}})
	}
	choose = func() {
		d.Send(screen.ChooseMsg{Title: "Which?", Options: options, Then: func(a widget.Answer) tea.Cmd { return d.record(options[a.Index].Label) }})
	}
	input = func() {
		d.Send(screen.InputMsg{Title: "Name", Value: "ab", Then: d.record, Validate: func(s string) string {
			if s == "abc" {
				return "That name is taken."
			}
			return ""
		}})
	}
	capture = func() { d.Send(screen.CaptureKeyMsg{Title: "Which key?", Then: d.record}) }
	return ask, choose, input, capture
}

func TestQuestions(t *testing.T) {
	d := newWorld(t)
	ask, choose, input, capture := d.questions()
	yesOrNo, danger := func() { ask(false) }, func() { ask(true) }
	outside := func() { d.Click(1, 5) }
	press := func(keys ...string) func() { return func() { d.Press(keys...) } }
	for _, c := range []struct {
		open, answer func()
		shows        string // before the answer
		log          []string
	}{
		{yesOrNo, press("enter"), "Yes", []string{"yes"}},
		{danger, press("enter"), "Sure?", []string{"no"}}, // an irreversible answer takes more than enter
		{danger, press("y"), "Sure?", []string{"yes"}},
		{yesOrNo, press("esc"), "Sure?", []string{"canceled"}},
		{yesOrNo, outside, "Sure?", []string{"canceled"}},
		{choose, press("3"), "not available", []string{"three"}},
		{choose, press("down", "enter", "down", "enter"), "Which?", []string{"three"}},
		{choose, func() { d.Wheel(40, 12, true); d.Wheel(40, 12, true); d.Press("enter") }, "Which?", []string{"three"}},
		{choose, press("esc"), "Which?", nil},
		{choose, outside, "Which?", nil},
		{input, press("c", "enter", "d", "enter"), "ab", []string{"abcd"}}, // the first one is not valid
		{input, func() { d.Press("c"); outside(); d.Press("d", "enter") }, "Typing", []string{"abcd"}},
		{input, press("esc"), "Name", nil},
		{input, outside, "Name", nil},
		{capture, press("ctrl+k"), "Press a key.", []string{"ctrl+k"}},
		{capture, press("esc"), "Which key?", nil},
	} {
		c.open()
		d.Want(c.shows)
		c.answer()
		d.wantLog(c.log...)
		d.WantNot("Sure?", "Which?", "Name", "Which key?")
	}
	d.wantReceived(d.home)

	choose()
	d.Script("down", "?Not available: It is taken.", "esc")
	input()
	d.Script("c enter", "?That name is taken.", "esc", "?Discarded “abc”.")
}

// note is an overlay with an action, as a screen shows it.
type note struct {
	screen.Box
	keys []string
}

func (n *note) Actions() []screen.Action {
	return []screen.Action{{Keys: []string{"esc"}, Label: "close note", Group: "Note", BarPriority: 5, Run: n.Close}}
}
func (n *note) Typing() bool               { return false }
func (n *note) Mouse(tea.MouseMsg) tea.Cmd { return nil }
func (n *note) View(int, int) string       { return "[a note]" }
func (n *note) Key(msg tea.KeyMsg) tea.Cmd { n.keys = append(n.keys, msg.String()); return nil }

// An overlay belongs to the screen that shows it: it has the keyboard and the status bar there, waits while another screen is
// on top, and goes with the screen.
func TestOverlayBelongsToItsScreen(t *testing.T) {
	d := newWorld(t)
	list, n := d.open("list", ""), &note{}
	d.Send(list.Show(n, nil)())
	d.Script("j", "?[a note]", "?esc close note")
	d.open("other", "")
	d.Script("k", "![a note]")
	d.Send(screen.BackMsg{})
	d.Script("?[a note]", "esc")
	if d.WantNot("[a note]"); len(n.keys) != 1 || list.Covered() {
		t.Errorf("the note received %q", n.keys)
	}
	d.Send(list.Show(&note{}, nil)())
	d.Send(screen.BackMsg{})
	d.WantNot("[a note]")
}

func TestPaletteRunsActions(t *testing.T) {
	d := newWorld(t)
	d.home.add("alpha", "a")
	d.home.add("publish", "p").Help = "send it to everybody"
	d.home.add("archive", "A").DisabledReason = "Nothing is selected."
	d.home.add("just told", "↑/↓").HelpOnly = true
	d.home.add("its own", "i").HelpOnly = true
	d.Script("ctrl+k", "?home", "?alpha", "?publish — send it to everybody", "?archive", "?its own")
	d.Script("!just told", "!find an action, a screen", ">evrybd", "!quit — quit", "enter")
	d.wantLog("publish")
	d.FromPalette("zzzz")
	d.Script("?Nothing found.", "esc")
	d.FromPalette("archive")
	d.wantLog()
	d.Want("! Nothing is selected.")
	d.FromPalette("every key")
	d.Script("?Keys — home", "!Palette", "esc")
	d.FromPalette("its own")
	d.wantReceived(d.home, "i")
}

func TestPaletteOpensScreensAndRemembers(t *testing.T) {
	d := newWorld(t, func(o *app.Options) { o.First.Name, o.Deps.Service = screen.Campaigns, struct{ engine.Service }{} })
	d.home.add("alpha", "a")
	d.home.add("beta", "b")
	d.open(screen.History, "7")
	d.Script("ctrl+k", "?Go to", "?builder — edit this campaign", "?campaigns — the list of all campaigns")
	d.Script("!history — earlier", "!Recent", "esc")
	d.FromPalette("list of all")
	d.wantLog("closed history", "resumed campaigns") // the list is open already
	d.FromPalette("beta")
	d.wantLog("beta")
	d.Script("ctrl+k", "?Recent")
	d.Press("enter") // the action that was run last is first
	d.wantLog("beta")
}
