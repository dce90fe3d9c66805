package app

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

func TestBackAsksGuardedScreen(t *testing.T) {
	d := newHarness(t)
	top := d.open("top")
	d.want("home › top", "(top body)")
	d.log = nil
	top.leaveQuestion = &screen.Question{Title: "Leave?"}
	d.press("esc")
	d.want("Leave?")
	d.press("n")
	d.want("(top body)")
	d.wantLog()
	d.press("esc", "y")
	d.want("(home body)")
	d.wantLog("closed top")
	if d.pages["home"].resumed != 1 {
		t.Error("the screen below is not told that it is on top again")
	}
	d.press("esc") // the first screen stays
	d.want("(home body)")
}

func TestQuitClosesFromTheTopAndWaits(t *testing.T) {
	d := newHarness(t)
	d.open("middle").saving = d.record("saved middle")
	d.open("top").saving = d.record("saved top")
	d.log = nil
	d.press("q")
	d.wantLog("saved top", "closed top", "saved middle", "closed middle", "closed home", "quit")
	if d.model.View() != "" {
		t.Error("a program that ends still draws")
	}
}

func TestQuitAsksScreenBelow(t *testing.T) {
	d := newHarness(t)
	d.open("middle").leaveQuestion = &screen.Question{Title: "Leave without applying?"}
	d.open("top")
	d.log = nil
	d.press("q")
	d.want("Leave without applying?")
	d.press("n")
	if d.quit {
		t.Fatal("it ended all the same")
	}
	d.press("ctrl+c")
	d.want("Leave without applying?")
	d.press("ctrl+c") // pressing it twice skips the question
	d.wantLog("closed top", "closed middle", "closed home", "quit")
}

func TestResultGoesToItsScreen(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	task := func(p *page, v string) tea.Cmd {
		return screen.Go(&p.Base, "load", func(context.Context) (string, error) { return v, nil }, func(v string, _ error) tea.Cmd {
			p.accepted = append(p.accepted, v)
			return nil
		})
	}
	old := task(home, "old")
	fresh := task(home, "new")
	top := d.open("top")
	gone := task(top, "gone")
	d.run(fresh)
	d.run(old)
	if !slices.Equal(home.accepted, []string{"new"}) {
		t.Errorf("the screen below took %v", home.accepted)
	}
	if d.model.Idle() {
		t.Error("idle while a task runs")
	}
	d.press("esc")
	d.run(gone)
	if len(top.accepted) != 0 || len(home.accepted) != 1 {
		t.Errorf("a result outlived its screen: %v %v", top.accepted, home.accepted)
	}
	if !d.model.Idle() {
		t.Error("not idle though nothing runs")
	}
}

// A spinner turns on while another screen is on top.
func TestTicksReachScreenBelow(t *testing.T) {
	d := newHarness(t)
	home, ticks := d.pages["home"], 0
	tick := screen.Every(&home.Base, "spin", time.Nanosecond, func() tea.Cmd { ticks++; return nil })
	d.open("top")
	for range 2 * 3 { // each asks for a timer first
		_, tick = d.model.Update(tick())
	}
	if ticks != 3 {
		t.Errorf("%d of 3 ticks arrived", ticks)
	}
}

func TestOpenReturnsToOpenRoute(t *testing.T) {
	d := newHarness(t)
	middle := d.open("middle")
	d.open("top")
	d.log = nil
	d.send(screen.OpenMsg{Route: screen.Route{Name: "middle"}})
	d.wantLog("closed top")
	d.want("(middle body)", "home › middle")
	if len(middle.visited) != 1 {
		t.Errorf("it was led to %v", middle.visited)
	}
	d.send(screen.ReplaceMsg{Route: screen.Route{Name: "other"}})
	d.want("home › other")
	d.wantLog("closed middle", "init other")
	d.send(screen.OpenMsg{Route: screen.Route{Name: "broken"}})
	d.want("there is no screen broken", "(other body)")
	d.send(screen.BackMsg{})
	d.want("(home body)")
}

func TestSwitchWorkspace(t *testing.T) {
	d := newHarness(t)
	d.open("top")
	d.log = nil
	deps := d.model.opts.Deps
	deps.Workspace = "OTHER"
	d.send(screen.SwitchWorkspaceMsg{Deps: deps, Route: screen.Route{Name: "broken"}})
	d.want("there is no screen broken", "(top body)", "DEMO")
	d.wantNot("OTHER")
	d.wantLog()
	d.send(screen.OpenMsg{Route: screen.Route{Name: "next"}})
	if w := d.pages["next"].workspace; w != "DEMO" {
		t.Errorf("a screen that is opened then is of the workspace %s", w)
	}
	d.press("esc")
	d.log = nil
	d.send(screen.SwitchWorkspaceMsg{Deps: deps, Route: screen.Route{Name: "list"}})
	d.want("OTHER", "(list body)")
	d.wantLog("closed top", "closed home", "init list")
}

// Whatever closes a screen asks what the screen wants to ask, of each that it closes, and closes none before all agreed.
func TestEveryWayOutAsks(t *testing.T) {
	for name, leave := range map[string]tea.Msg{
		"a link to an open screen": screen.OpenMsg{Route: screen.Route{Name: "home"}},
		"the breadcrumb":           tea.MouseMsg{X: 13, Y: 0, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress},
		"another workspace":        screen.SwitchWorkspaceMsg{Route: screen.Route{Name: "there"}},
		"quit":                     tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q")},
	} {
		d := newHarness(t)
		d.open("record").leaveQuestion = &screen.Question{Title: "Discard changes?"}
		d.open("test").leaveQuestion = &screen.Question{Title: "Stop the test?"}
		if msg, ok := leave.(screen.SwitchWorkspaceMsg); ok {
			msg.Deps = d.model.opts.Deps
			leave = msg
		}
		d.log = nil
		d.send(leave)
		d.want("Stop the test?")
		d.press("y")
		d.want("Discard changes?")
		d.press("n")
		d.want("(test body)")
		d.wantLog()
		d.send(leave)
		d.press("y", "y")
		if d.wantNot("(test body)", "Discard changes?"); len(d.log) < 2 || d.log[0] != "closed test" && d.log[1] != "closed test" {
			t.Errorf("%s: what happened is %q", name, d.log)
		}
	}
}

// A screen that takes the place of another asks what that asks, and the one below, which stays covered, reads nothing.
func TestReplaceAsksAndResumesNothing(t *testing.T) {
	d := newHarness(t)
	d.open("top").leaveQuestion = &screen.Question{Title: "Leave?"}
	d.log = nil
	d.send(screen.ReplaceMsg{Route: screen.Route{Name: "broken"}})
	d.press("y")
	d.want("there is no screen broken", "(top body)")
	d.wantLog()
	d.send(screen.ReplaceMsg{Route: screen.Route{Name: "other"}})
	d.want("Leave?")
	d.press("y")
	d.want("home › other")
	d.wantLog("closed top", "init other")
	if n := d.pages["home"].resumed; n != 0 {
		t.Errorf("the screen below was resumed %d times", n)
	}
}

func TestHeaderKeepsEndOfBreadcrumb(t *testing.T) {
	d := newHarness(t)
	d.open("a campaign with a very long name indeed")
	d.open("here")
	d.send(tea.WindowSizeMsg{Width: 60, Height: 20})
	line, _, _ := strings.Cut(d.model.View(), "\n")
	if !strings.Contains(line, "… › ") || !strings.Contains(line, "› here") || widget.Width(line) != 60 {
		t.Errorf("the header is %q", line)
	}
}

func TestDeletedCampaignClosesScreens(t *testing.T) {
	d := newHarness(t)
	for _, name := range []string{"builder", "validate"} {
		d.send(screen.OpenMsg{Route: screen.Route{Name: name, ID: "7"}})
	}
	d.pages["builder"].leaveQuestion = &screen.Question{Title: "Leave?"} // there is nothing left to save
	d.send(screen.DeletedMsg{ID: "8"})
	d.want("(validate body)")
	d.log = nil
	d.send(screen.DeletedMsg{ID: "7"})
	d.want("(home body)")
	d.wantLog("closed validate", "closed builder")
}
