package campaigns_test

import (
	"errors"
	"testing"

	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// Everything clickable works at every window size.
func TestEveryClick(t *testing.T) {
	for _, size := range uitest.Sizes {
		fresh := func() (*uitest.Harness, *fake) { return open(t, size.W, size.H, sample()...) }
		h, _ := fresh()
		chosen := func(want int, what string) {
			t.Helper()
			n := len(h.Copied)
			h.Press("y")
			if len(h.Copied) != n+1 || h.Copied[n] != id(want) {
				t.Errorf("%d×%d, %s: the cursor is on %v, want %s", size.W, size.H, what, h.Copied, id(want))
			}
		}
		h.ClickOn("  Winter clearance")
		chosen(9, "a row")
		h.ClickOn("▌ Winter clearance")
		if h.LastRoute().Name != screen.Builder || h.LastRoute().ID != id(9) {
			t.Errorf("%d×%d: a second click opens %+v", size.W, size.H, h.LastRoute())
		}

		h, _ = fresh() // the headers and the counts
		h.ClickOn("Name")
		h.Want("Name ↑")
		h.ClickOn("Name ↑")
		h.Want("Name ↓")
		h.ClickOn("State      ")
		h.Want("State ↑")
		h.ClickOn("Sending 1")
		h.Want("SENDING 1", "/ status:sending")
		h.ClickOn("status:sending") // the search
		h.Want("Typing")
		h.Type("sta")
		h.ClickOn("start:")
		h.Want("start:_", "Typing")
		h.ClickOn("Use “")
		h.Want("Keys")

		h, _ = fresh() // the filters
		h.Press("tab")
		h.ClickOn("◔ Scheduled")
		h.Want("/ status:scheduled", "1 of 11")
		if size.W > 60 {
			h.ClickOn("Black Friday") // outside the menu
			h.WantNot("─ Filters")
			chosen(6, "a row beside the filters")
		} else {
			h.Press("esc")
		}
		h.Press("shift+tab")
		h.Want("─ Selected")
		h.Wheel(size.W-6, size.H/2, true)

		h, _ = fresh() // the overlays
		h.Press("w")
		h.ClickOn("Save this view")
		h.Want("enter ok · esc cancel")
		h.ClickOn("esc cancel")
		h.WantNot("esc cancel")
		h.Press("w")
		h.ClickOn("Live")
		h.Want("/ is:live")
		h.Press("w")
		h.Click(0, 2) // outside the overlay
		h.WantNot("─ Views")
		h.Press("B")
		h.ClickOn("  Team")
		h.WantNot("Sort by")
		h.Press("s")
		h.ClickOn("Pause  ")
		h.ClickOn("Cancel (n)")
		h.WantNot("Cancel (n)")

		h, f := fresh() // the report of a bulk action
		f.failCampaign(id(9), errors.New("the disk is full"))
		f.failCampaign(id(7), errors.New("something broke"))
		h.Press("*", "b")
		h.ClickOn("Archive")
		h.ClickOn("Archive 2 (y)")
		h.Want("Not all campaigns are archived", "omething broke", "he disk is full")
		h.ClickOn("[ Close ]")
		h.WantNot("Not all campaigns are archived")
	}
}
