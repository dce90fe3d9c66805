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
		h.Script(
			"@Name", "?Name ↑", "@Name ↑", "?Name ↓", "@State      ", "?State ↑",
			"@Sending 1", "?SENDING 1", "?/ status:sending",
			"@status:sending", "?Typing", // the search
			">sta", "@start:", "?start:_", "?Typing", "@Use “", "?Keys",
		)

		h, _ = fresh() // the filters
		h.Script("tab", "@◔ Scheduled", "?/ status:scheduled", "?1 of 11")
		if size.W > 60 {
			h.Script("@Black Friday", "!─ Filters") // outside the menu
			wantCursor(t, h, 6, "Black Friday")
		} else {
			h.Press("esc")
		}
		h.Script("shift+tab", "?─ Selected")
		h.Wheel(size.W-6, size.H/2, true)

		h, f := fresh() // the bulk menu, and the report of its action
		f.Fail("Archive "+id(9), errors.New("the disk is full"))
		f.Fail("Archive "+id(7), errors.New("something broke"))
		h.Script(
			"* b", "@Archive", "@▌ Archive 2", "?Not all campaigns are archived", "?omething broke",
			"?he disk is full", "@Close", "!Not all campaigns are archived",
		)
	}
}
