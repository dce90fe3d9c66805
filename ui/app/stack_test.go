package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

func TestBackAsksGuardedScreen(t *testing.T) {
	d := newWorld(t)
	d.open("top", "").guard = &screen.Question{Title: "Leave?"}
	d.Script("?home › top", "?(top body)", "esc", "?Leave?", "n", "?(top body)")
	d.wantLog()
	d.Press("esc", "y")
	d.wantLog("closed top", "resumed home")
	d.Press("esc") // the first screen stays
	d.open("middle", "")
	d.open("top", "")
	d.Press("alt+esc") // two escapes in one read
	d.Want("(home body)")
}

func TestQuit(t *testing.T) {
	d := newWorld(t)
	d.open("middle", "").guard = &screen.Question{Title: "Leave without applying?"}
	d.open("top", "")
	d.Script("q", "?Leave without applying?", "n")
	if d.Quit {
		t.Fatal("it ended all the same")
	}
	d.Script("ctrl+c", "?Leave without applying?")
	d.Press("ctrl+c") // pressing it twice skips the question
	d.wantLog("closed top", "closed middle", "closed home")
	if !d.Quit || d.View() != "" {
		t.Error("the program goes on")
	}
}

func TestResultGoesToItsScreen(t *testing.T) {
	d := newWorld(t)
	task := func(p *page, v string) tea.Cmd {
		return screen.Go(&p.Base, "load", func(context.Context) (string, error) { return v, nil }, func(v string, _ error) tea.Cmd {
			return d.record(p.title + " took " + v)
		})
	}
	old, fresh := task(d.home, "old"), task(d.home, "new")
	gone := task(d.open("top", ""), "gone")
	d.Send(fresh(), old())
	d.wantLog("home took new")
	d.Press("esc")
	d.Send(gone())
	d.wantLog("closed top", "resumed home")
}

func TestOpenReturnsToOpenRoute(t *testing.T) {
	d := newWorld(t)
	d.open("middle", "")
	d.open("top", "")
	d.Send(screen.OpenMsg{Route: screen.Route{Name: "middle"}})
	d.wantLog("closed top", "went to middle")
	d.Want("(middle body)", "home › middle")
	d.Send(screen.OpenMsg{Route: screen.Route{Name: "broken"}})
	d.Want("there is no screen broken", "(middle body)")
}

// A screen that takes the place of another asks what that asks, and the one below, which stays covered, reads nothing.
func TestReplace(t *testing.T) {
	d := newWorld(t)
	d.open("top", "").guard = &screen.Question{Title: "Leave?"}
	d.Send(screen.ReplaceMsg{Route: screen.Route{Name: "broken"}})
	d.Script("y", "?there is no screen broken", "?(top body)")
	d.wantLog()
	d.Send(screen.ReplaceMsg{Route: screen.Route{Name: "other"}})
	d.Script("y", "?home › other")
	d.wantLog("closed top", "init other")
	d.Send(screen.BackMsg{})
	d.Want("(home body)")
}

func TestSwitchWorkspace(t *testing.T) {
	d := newWorld(t)
	d.open("top", "")
	deps := d.deps
	deps.Workspace = "OTHER"
	d.Send(screen.SwitchWorkspaceMsg{Deps: deps, Route: screen.Route{Name: "broken"}})
	d.Want("there is no screen broken", "(top body)", "DEMO")
	d.wantLog()
	if w := d.open("next", "").deps.Workspace; w != "DEMO" {
		t.Errorf("a screen that is opened then is of the workspace %s", w)
	}
	d.Send(screen.SwitchWorkspaceMsg{Deps: deps, Route: screen.Route{Name: "list"}})
	d.Want("OTHER", "(list body)")
	d.wantLog("closed next", "closed top", "closed home", "init list")
}

// Whatever closes a screen asks what the screen wants to ask, of each that it closes, and closes none before all agreed.
func TestEveryWayOutAsks(t *testing.T) {
	for name, leave := range map[string]func(*world){
		"a link to an open screen": func(d *world) { d.Send(screen.OpenMsg{Route: screen.Route{Name: "home"}}) },
		"the breadcrumb":           func(d *world) { d.ClickOn("home ›") },
		"another workspace": func(d *world) {
			d.Send(screen.SwitchWorkspaceMsg{Deps: d.deps, Route: screen.Route{Name: "there"}})
		},
		"quit": func(d *world) { d.Press("q") },
	} {
		d := newWorld(t)
		d.open("record", "").guard = &screen.Question{Title: "Discard changes?"}
		d.open("test", "").guard = &screen.Question{Title: "Stop the test?"}
		leave(d)
		d.Script("?Stop the test?", "y", "?Discard changes?", "n", "?(test body)")
		d.wantLog()
		leave(d)
		d.Press("y", "y")
		if d.WantNot("(test body)", "Discard changes?"); !slices.Contains(d.log, "closed test") || !slices.Contains(d.log, "closed record") {
			t.Errorf("%s: what happened is %q", name, d.log)
		}
	}
}

func TestHeaderKeepsEndOfBreadcrumb(t *testing.T) {
	d := newWorld(t)
	d.open("first", "")
	d.open("a campaign with a very long name indeed", "")
	d.open("here", "")
	d.Resize(60, 20)
	if line := d.line(0); !strings.Contains(line, "… › ") || !strings.Contains(line, "› here") || widget.Width(line) > 60 {
		t.Errorf("the header is %q", line)
	}
	d.Resize(80, 20)
	d.ClickOn("a campaign with")
	d.wantLog("closed here", "resumed a campaign with a very long name indeed")
}

func TestDeletedCampaignClosesScreens(t *testing.T) {
	d := newWorld(t)
	d.open("builder", "7").guard = &screen.Question{Title: "Leave?"} // there is nothing left to save
	d.open("validate", "7")
	d.Send(screen.DeletedMsg{ID: "8"})
	d.Want("(validate body)")
	d.Send(screen.DeletedMsg{ID: "7"})
	d.wantLog("closed validate", "closed builder", "resumed home")
}
