package main

import (
	"strings"
	"testing"

	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// everyScreen are the routes of the program, but for Activity: it waits for calls for as long as it is open.
var everyScreen = []string{
	screen.Campaigns, screen.NewDraft, screen.Builder, screen.Validate, screen.TestSend, screen.Outbox, screen.Welcome,
	screen.History, screen.Settings, screen.Workspace,
}

// On every screen, ctrl+z undoes or reports that there is nothing to undo, and the status bar shows what letter keys
// do.
func TestScreensShareOneKeyGrammar(t *testing.T) {
	t.Parallel()
	for _, route := range everyScreen {
		for _, size := range uitest.Sizes {
			h := onSample(t, route)
			h.Send(screen.ThemeMsg{}) // the plain one
			h.Resize(size.W, size.H)
			h.Press("ctrl+z")
			h.Want("Nothing to undo")
			h.Press("ctrl+y")
			h.Want("Nothing to redo")
			h.WantNot("Nothing to undo")
			h.Press("ctrl+y")
			h.Want("Nothing to redo")
			lines := strings.Split(h.Text(), "\n")
			if bar := lines[len(lines)-1]; !strings.HasPrefix(bar, " Keys  ") && !strings.HasPrefix(bar, " Typing  ") {
				t.Errorf("the status bar does not say what letters do: %q", bar)
			}
			if t.Failed() {
				t.Fatalf("%s at %d×%d", route, size.W, size.H)
			}
		}
	}
}

// esc leaves each screen for the one that led to it, and no other.
func TestEscGoesUpOneBreadcrumb(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{
		{"enter"}, {"v"}, {"t"}, {"n"}, {"O"}, {"M"}, {"f9"}, {"enter", "v"}, {"enter", "H"}, {"enter", "t"}, {"enter", "O"},
	} {
		h := onSample(t, screen.Campaigns)
		h.Send(screen.ThemeMsg{})
		crumbs := func() int {
			header, _, _ := strings.Cut(h.Text(), "\n")
			return strings.Count(header, " › ")
		}
		h.Press(keys...)
		if crumbs() != len(keys) {
			t.Fatalf("%q opened:\n%s", keys, h.Text())
		}
		for n := len(keys); n > 0; {
			before := n
			for range 6 { // panes and fields of the screen are left first
				h.Press("esc")
				if n = crumbs(); n != before {
					break
				}
			}
			if n != before-1 {
				t.Fatalf("%q, then esc: %d names are left of %d:\n%s", keys, n, before, h.Text())
			}
		}
	}
}
