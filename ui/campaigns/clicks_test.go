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
		h.ClickOn("  Winter clearance")
		wantCursor(t, h, 9, "Winter")
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
			wantCursor(t, h, 6, "Black Friday")
		} else {
			h.Press("esc")
		}
		h.Press("shift+tab")
		h.Want("─ Selected")
		h.Wheel(size.W-6, size.H/2, true)

		h, f := fresh() // the bulk menu, and the report of its action
		f.Fail("Archive "+id(9), errors.New("the disk is full"))
		f.Fail("Archive "+id(7), errors.New("something broke"))
		h.Press("*", "b")
		h.ClickOn("Archive")
		h.ClickOn("▌ Archive 2")
		h.Want("Not all campaigns are archived", "omething broke", "he disk is full")
		h.ClickOn("Close")
		h.WantNot("Not all campaigns are archived")
	}
}
