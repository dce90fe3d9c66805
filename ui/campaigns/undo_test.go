package campaigns_test

import (
	"strings"
	"testing"

	"bugle/ui/campaigns"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// Clearing, filtering, searching, sorting and arranging are undone and redone one by one.
func TestUndoListState(t *testing.T) {
	deps := uitest.Deps(newFake(sample()...))
	deps.Prefs = prefs.NewInMemory()
	h := uitest.New(t, campaigns.New(deps, screen.Route{}), 120, 40)
	h.Press("ctrl+z")
	h.Want("Nothing to undo")
	h.Press("f")
	h.Want("/ status:draft", "2 of 11")
	h.Press("/")
	h.Type("spring")
	h.Press("enter")
	h.Want("/ status:draft spring", "1 of 11")
	h.Press("esc")
	h.Want("11 of 11")
	h.Press("o", "down", "enter")
	h.Want("Name ↑")
	h.Press("C", "down", "down", " ", "esc")
	h.WantNot("Channel   ")

	h.Press("ctrl+z")
	h.Want("Undone: changed the columns", "Channel  ")
	h.Press("ctrl+z")
	h.Want("Undone: changed the sorting", "Updated ↓")
	h.Press("ctrl+z")
	h.Want("Undone: cleared “status:draft spring”", "/ status:draft spring", "1 of 11")
	h.Press("ctrl+z")
	h.Want("Undone: searched for “status:draft spring”", "/ status:draft", "2 of 11")
	h.Press("ctrl+y")
	h.Want("Redone: searched for “status:draft spring”", "1 of 11")
	h.Press("ctrl+z", "ctrl+z")
	h.Want("Undone: searched for “status:draft”", "11 of 11")
	h.Press("ctrl+z")
	h.Want("Nothing to undo")
	h.Press("ctrl+r", "ctrl+r", "ctrl+r", "ctrl+r")
	h.Want("Redone: changed the sorting", "Name ↑", "11 of 11")

	h.Press("/")
	h.Type("digest")
	h.Press("ctrl+z") // while typing
	h.Want("Undone: searched for “digest”", "11 of 11")
}

// Archiving and restoring undo each other, also in bulk; the cursor goes to the campaign.
func TestUndoArchive(t *testing.T) {
	h, f := open(t, 120, 40, sample()...)
	h.ClickOn("Winter")
	h.Press("s", "5", "y")
	h.Want("“Winter clearance” is now archived", "10 of 10")
	h.Press("home", "ctrl+z")
	h.Want("Undone: archived “Winter clearance”", "11 of 11")
	h.WantNot("is now archived")
	h.Press("y")
	if h.Copied[0] != id(9) {
		t.Errorf("the cursor is on %s", h.Copied[0])
	}
	h.Press("ctrl+y")
	h.Want("Redone: archived “Winter clearance”", "10 of 10")
	want := []string{"Archive " + id(9), "Restore " + id(9), "Archive " + id(9)}
	if got := callsNamed(f.Calls(), "Archive", "Restore"); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("the service was asked for %q, want %q", got, want)
	}

	h.Press("/")
	h.Type("status:stopped,archived")
	h.Press("enter", "*", "b", "7", "y")
	h.Want("1 campaign archived")
	h.Press("ctrl+z")
	h.Want("Undone: archived “Near the")
}

// An irreversible action is named with the reason, and does not block undoing earlier changes.
func TestIrreversibleActions(t *testing.T) {
	h, _ := open(t, 120, 40, sample()...)
	h.Press("F", "esc", "down", "s", "3", "y")
	h.Want("“Cart reminder after an hour” is now paused")
	h.Press("ctrl+z")
	h.Want("was paused, which can't", "Press s to resume.")
	h.Press("ctrl+z")
	h.Want("Undone: cleared “channel:push”")
	h.Press("esc", "home", "x", "y")
	h.Want("Deleted “Spring sale, first wave”")
	h.Press("ctrl+z")
	h.Want("“Spring sale, first wave” was deleted")
	h.Press("*", "b", "1")
	h.Type("vip")
	h.Press("enter", "y")
	h.Press("ctrl+z")
	h.Want("tagged, which can't be", "remove vip.")
}

func callsNamed(calls []string, names ...string) []string {
	var out []string
	for _, c := range calls {
		for _, n := range names {
			if strings.HasPrefix(c, n+" ") {
				out = append(out, strings.Join(strings.Fields(c)[:2], " "))
			}
		}
	}
	return out
}
