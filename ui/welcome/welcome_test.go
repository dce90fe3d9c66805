package welcome_test

import (
	"context"
	"errors"
	"testing"

	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/welcome"
)

// fakeStarter creates workspaces, or fails to.
type fakeStarter struct {
	asked []bool // for each start, whether it was the sample
	fail  error
}

func (s *fakeStarter) start(_ context.Context, sample bool) (screen.Deps, error) {
	s.asked = append(s.asked, sample)
	deps := uitest.Deps(nil)
	deps.Workspace = "MADE"
	return deps, s.fail
}

func open(t *testing.T, w, h int) (*uitest.Harness, *fakeStarter) {
	t.Helper()
	s := &fakeStarter{}
	return uitest.New(t, welcome.New(uitest.Deps(nil), s.start), w, h), s
}

func TestGolden(t *testing.T) {
	h, s := open(t, 80, 24)
	h.GoldenSizes("sample")
	h.Resize(80, 24)
	h.WantFits()
	h.Press("down")
	h.Golden("empty-80x24")
	s.fail = errors.New("The folder cannot be written: give another one with --data.")
	h.Press("enter")
	h.Golden("failed-80x24")
	h.WantFits()
}

func TestStartSample(t *testing.T) {
	h, s := open(t, 80, 24)
	h.Press("enter")
	if len(s.asked) != 1 || !s.asked[0] {
		t.Errorf("started %v", s.asked)
	}
	if h.LastRoute().Name != screen.Campaigns {
		t.Errorf("it leads to %v", h.LastRoute())
	}
	h.Want("MADE")
}

func TestStartEmptyWorkspace(t *testing.T) {
	h, s := open(t, 80, 24)
	h.Press("j")
	h.Want("No campaigns, no users.")
	h.Press("k", "down", "enter")
	if len(s.asked) != 1 || s.asked[0] {
		t.Errorf("started %v", s.asked)
	}
}

func TestFailedStartCanBeRetried(t *testing.T) {
	h, s := open(t, 80, 24)
	s.fail = errors.New("The disk is full.")
	h.Press("enter")
	h.Want("The disk is full. Press enter to try again.")
	s.fail = nil
	h.Press("enter")
	if len(s.asked) != 2 || h.LastRoute().Name != screen.Campaigns {
		t.Errorf("started %v, led to %v", s.asked, h.LastRoute())
	}
}

func TestClickChooses(t *testing.T) {
	for _, size := range uitest.Sizes { // the text above the list takes more lines in a narrow window
		h, s := open(t, size.W, size.H)
		h.ClickOn("Empty workspace")
		h.Want("No campaigns, no users.")
		h.Press("enter")
		if len(s.asked) != 1 || s.asked[0] {
			t.Errorf("%d×%d: started %v", size.W, size.H, s.asked)
		}
	}
}
