package welcome_test

import (
	"context"
	"errors"
	"testing"

	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/welcome"
)

// The keys create the sample or an empty workspace and open its campaigns; what failed can be tried again.
func TestStart(t *testing.T) {
	var asked []bool // for each start, whether it was the sample
	var fail error
	start := func(_ context.Context, sample bool) (screen.Deps, error) {
		asked = append(asked, sample)
		deps := uitest.Deps(nil)
		deps.Workspace = "MADE"
		return deps, fail
	}
	for key, sample := range map[string]bool{"enter": true, "n": false} {
		h := uitest.New(t, welcome.New(uitest.Deps(nil), start), 80, 24)
		h.GoldenSizes("welcome")
		h.WantFits()
		asked, fail = nil, errors.New("The folder cannot be written: give another one with --data.")
		h.Press(key)
		h.Resize(80, 24)
		h.Golden("failed-80x24")
		fail = nil
		h.Press(key)
		if len(asked) != 2 || asked[0] != sample || asked[1] != sample || h.LastRoute().Name != screen.Campaigns {
			t.Errorf("%s started %v and led to %v", key, asked, h.LastRoute())
		}
		h.Want("MADE")
	}
}
