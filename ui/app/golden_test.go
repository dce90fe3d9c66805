package app_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/ui/app"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

func TestGoldens(t *testing.T) {
	d := newWorld(t, func(o *app.Options) {
		o.First.Name, o.Suspend, o.Deps.Service = screen.Campaigns, true, struct{ engine.Service }{}
	})
	d.home.add("open", "enter").Help = "open it in the builder"
	d.home.add("search", "/").Help = "search as you type"
	d.home.add("test", "t").DisabledReason = "Only drafts can be test-sent."
	d.home.add("move", "↑/↓").HelpOnly = true
	d.home.actions[0].Group = "The selected campaign"
	d.Press("?")
	d.Golden("help-80x24")
	d.Press("esc")
	d.FromPalette("redraw")
	d.Press("ctrl+k")
	d.GoldenSizes("palette")
	d.Resize(80, 24)
	d.Type("draft")
	d.Golden("palette-found-80x24")
	d.Press("esc")
	d.notify(widget.LevelError, "The disk is full: free some room, then press ctrl+s.")
	d.Send(screen.AskMsg{Question: screen.Question{Title: "Leave without applying?", Body: "Your changes stay on this machine."}})
	d.Golden("notice-and-question-80x24")
}

// Everything clickable around the screens works at every window size, and the status bar says whether letters are typed.
func TestEveryClick(t *testing.T) {
	for _, size := range uitest.Sizes {
		d := newWorld(t)
		d.Resize(size.W, size.H)
		ask, choose, input, _ := d.questions()
		mode := func(want string) {
			t.Helper()
			if got := d.line(-1); !strings.HasPrefix(got, " "+want+" ") {
				t.Errorf("the status bar is %q, want %q first", got, want)
			}
		}
		d.home.add("alpha", "a")
		d.home.add("turn", "tab").HelpOnly = true
		mode("Keys")
		d.Script("@a alpha", "@tab turn")
		d.wantReceived(d.home, "tab")
		ask(false)
		mode("Keys")
		d.ClickOn(" No ")
		choose()
		d.ClickOn("three")
		input()
		mode("Typing")
		d.Click(strings.Index(d.line(-1), "enter ok"), size.H-1)
		d.wantLog("alpha", "no", "three", "ab")
		input()
		d.Click(strings.Index(d.line(-1), "esc cancel"), size.H-1)
		d.WantNot("esc cancel")

		d.Script("@? help", "?Keys — home", "?esc close")
		d.Click(0, size.H-2)
		d.WantNot("esc close")
		d.FromPalette("choose a theme")
		d.Script("@light", "!high-contrast")
		d.notify(widget.LevelError, "The disk is full.")
		d.Script("@The disk is full.", "!The disk is full.", "@Keys")
		d.home.typing = true
		mode("Typing")
	}
}
