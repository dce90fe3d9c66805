package activity_test

import (
	"testing"
	"time"

	"bugle/engine"
	"bugle/ui/activity"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// limited is a service with rate limits.
type limited struct {
	engine.Service
	quotas []engine.Quota
}

func (limited) Connection() engine.Connection { return engine.Connection{} }
func (limited) CancelWaits()                  {}
func (l limited) Quotas() []engine.Quota      { return l.quotas }

func newQuota(most, left int, d time.Duration) engine.Quota {
	return engine.Quota{Limit: most, Remaining: left, Window: d}
}

// quotas returns the limits of three operations and of new campaigns.
func quotas() []engine.Quota {
	all := []engine.Quota{
		newQuota(5, 5, time.Second), newQuota(25, 23, time.Minute), newQuota(100, 97, time.Hour),
		newQuota(10, 9, time.Second), newQuota(100, 88, time.Minute), newQuota(6000, 5960, time.Hour),
		newQuota(10_000, 10_000, time.Minute),
		newQuota(5, 3, time.Minute), newQuota(25, 22, time.Hour), newQuota(100, 97, 24*time.Hour),
	}
	for i, operation := range []string{"create", "create", "create", "get", "get", "get", "preview"} {
		all[i].Operation = operation
	}
	return all
}

func openWithLimits(t *testing.T, qs []engine.Quota) *uitest.Harness {
	t.Helper()
	deps := uitest.Deps(limited{quotas: qs})
	return uitest.New(t, idleScreen{activity.New(deps, screen.Route{Name: "activity"}, newFilledLog(t))}, 80, 24)
}

// The line shows, for each operation that was used, the limit that is closest to being reached.
func TestLimitsAreShown(t *testing.T) {
	h := openWithLimits(t, quotas())
	h.Want("Limits: new campaigns 2/5 minute · get 12/100 minute · create 2/25 minute")
	h.WantNot("preview")
	h.Golden("limits-80x24")
	h.WantFits()
	h.ClickOn("400")
	h.Want("2 of 6")
}

func TestUnusedLimits(t *testing.T) {
	h := openWithLimits(t, []engine.Quota{newQuota(5, 5, time.Second)})
	h.Want("Limits: nothing used")
}

// A local store has no limits, and no line for them.
func TestWithoutLimits(t *testing.T) {
	for _, h := range []*uitest.Harness{open(t, newFilledLog(t)), openWithLimits(t, nil)} {
		h.WantNot("Limits")
	}
}
