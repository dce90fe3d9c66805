package campaigns_test

import (
	"errors"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// wantCursor fails the test unless the cursor is on the n-th campaign, and an action names that campaign.
func wantCursor(t *testing.T, h *uitest.Harness, n int, name string) {
	t.Helper()
	before := len(h.Copied)
	h.Press("y")
	if len(h.Copied) == before || h.Copied[before] != id(n) {
		t.Errorf("the cursor is on %v, want %s:\n%s", h.Copied[before:], id(n), h.Text())
	}
	h.Want("▌ " + name)
	h.Press("s")
	h.Want("“" + name)
	h.Press("esc")
}

// wantNoCursor fails the test unless no campaign has the cursor, and every action on a campaign says why instead of
// acting on another one.
func wantNoCursor(t *testing.T, h *uitest.Harness, f *uitest.Fake, reason string) {
	t.Helper()
	h.WantNot("▌")
	copied, opened, calls := len(h.Copied), len(h.Opened), len(f.Calls())
	for _, key := range []string{"enter", "s", "p", "v", "t", "c", "x", "y", "b", " "} {
		if why := h.DisabledReason(key); why != reason {
			t.Errorf("%s is disabled by %q, want %q", key, why, reason)
		}
		h.Press(key)
	}
	h.WantNot("Cancel", "esc cancel", "selected ·")
	if len(h.Copied) != copied || len(h.Opened) != opened || len(f.Calls()) != calls {
		t.Errorf("an action did something: %v, %v, %v", h.Copied[copied:], h.Opened[opened:], f.Calls()[calls:])
	}
}

// However a campaign was opened, the cursor is on it when the list is shown again, and is then free.
func TestCursorFollowsOpenedCampaign(t *testing.T) {
	h, _ := open(t, 120, 40, sample()...)
	h.Script("ctrl+k", ">winter clearance", "enter", "@Campaigns") // leaves all screens at once
	wantCursor(t, h, 9, "Winter clearance")
	h.Press("home", "f9", "esc")
	wantCursor(t, h, 1, "Spring sale")
	h.Press("n")
	h.Send(screen.ReplaceMsg{Route: screen.Route{Name: screen.Builder, ID: id(9)}})
	h.ClickOn("Campaigns")
	wantCursor(t, h, 9, "Winter clearance")
	h.Send(screen.OpenMsg{Route: screen.Route{Name: screen.Builder, ID: id(3)}}, screen.OpenMsg{Route: screen.Route{Name: screen.TestSend, ID: id(5)}})
	h.Press("esc", "esc") // by way of the builder, which was open last
	wantCursor(t, h, 3, "Weekly digest")
}

func openBuilder(h *uitest.Harness, n int) {
	h.Send(screen.OpenMsg{Route: screen.Route{Name: screen.Builder, ID: id(n)}})
	h.Press("esc")
}

// A search that hides the campaign that was open last says so; no action means another campaign, and esc shows it.
func TestHiddenCampaign(t *testing.T) {
	const reason = "“Winter clearance” is hidden by the search. Press esc to show it."
	h, f := open(t, 80, 24, sample()...)
	h.Script("F", "?/ status:draft")
	openBuilder(h, 9)
	h.Script("?"+reason, "?esc show it")
	wantNoCursor(t, h, f, reason)
	h.WantFits()
	h.Script("esc", "!"+reason, "?11 of 11")
	wantCursor(t, h, 9, "Winter clearance")

	h.Press("F")
	openBuilder(h, 9)
	h.Script("?“Winter clearance” is hidden", "down", "!is hidden") // moving chooses a campaign that is shown
	wantCursor(t, h, 1, "Spring sale")
	openBuilder(h, 9)
	h.Script("@Untitled Email", "!is hidden")
	wantCursor(t, h, 5, "Untitled Email")

	h.Press("home", " ")
	openBuilder(h, 9)
	h.Script("esc", "?1 selected", "?▌  Winter clearance") // shows the campaign first, and keeps the selection
}

// An archived campaign is not in the list, with and without a search.
func TestArchivedCampaignIsShown(t *testing.T) {
	h, f := open(t, 120, 40, sample()...)
	for _, search := range []string{"", "status:draft"} {
		h.Script("/", ">"+search)
		h.Press("enter")
		openBuilder(h, 12)
		wantNoCursor(t, h, f, "“Easter 2024” is archived. Press esc to show it.")
		h.Script("esc", "?12 of 12", "?/ is:all")
		wantCursor(t, h, 12, "Easter 2024")
		h.Press("esc", "home")
	}
}

// A campaign that leaves the list because of what was done to it does not pass the cursor on to the next one.
func TestCampaignLeavesFilter(t *testing.T) {
	h, f := open(t, 120, 40, sample()...)
	h.Script("F F F", "?/ status:active", "s 3 y", "?“Cart reminder after an hour” is now paused")
	wantNoCursor(t, h, f, "“Cart reminder after an hour” is hidden by the search. Press esc to show it.")
	h.Press("down")
	wantCursor(t, h, 4, "Price drop")
	h.Press("esc")
	wantCursor(t, h, 4, "Price drop")

	h.Script("@Winter clearance", "s 5 y")
	wantNoCursor(t, h, f, "“Winter clearance” is archived. Press esc to show it.")
	h.Press("up")
	wantCursor(t, h, 10, "Order shipped") // the one in its place

	f.UpdateRows(func(rows []engine.Summary) []engine.Summary { // somebody else
		rows[9].Status = catalog.Archived
		return rows
	})
	h.Press("r")
	wantNoCursor(t, h, f, "“Order shipped” is archived. Press esc to show it.")
}

// A campaign that the list does not know yet is read.
func TestOpenedCampaignIsNew(t *testing.T) {
	h, f := open(t, 120, 40, sample()...)
	f.UpdateRows(func(rows []engine.Summary) []engine.Summary {
		return append(rows, row(99, "Newcomer", catalog.Push, catalog.OneTime, catalog.Draft, 48*time.Hour))
	})
	openBuilder(h, 99)
	wantCursor(t, h, 99, "Newcomer")
}

// Keys and clicks before the list has caught up never act on the campaign that had the cursor before.
func TestActingBeforeRowsArrive(t *testing.T) {
	h, f := open(t, 120, 40, sample()...)
	h.Hold()
	openBuilder(h, 9)
	wantNoCursor(t, h, f, "The campaign that was open last is not loaded yet.")
	h.FinishHeld()
	wantCursor(t, h, 9, "Winter clearance")

	h.Hold()
	openBuilder(h, 4)
	h.ClickOn("Weekly digest") // a click meanwhile counts
	h.FinishHeld()
	wantCursor(t, h, 3, "Weekly digest")

	h.Hold()
	h.Script("@Active 4", "@Price drop") // a filter whose rows arrive after a click
	h.FinishHeld()
	h.Want("/ status:active")
	wantCursor(t, h, 4, "Price drop")
}

// While the rows cannot be loaded, nothing is known about the campaign that was opened.
func TestOpenedCampaignBeforeFirstLoad(t *testing.T) {
	f := uitest.NewFake(sample()...)
	f.Fail("List", errors.New("the store is closed"))
	h := uitest.New(t, campaigns.New(uitest.Deps(f), screen.Route{}), 120, 40)
	openBuilder(h, 9)
	f.Fail("List", nil)
	h.Script("r", "?11 of 11")
	wantCursor(t, h, 9, "Winter clearance")
}
