package activity_test

import (
	"testing"
	"time"

	"bugle/engine"
	"bugle/ui/activity"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// limited is a service that keeps to limits.
type limited struct {
	engine.Service
	quotas []engine.Quota
}

func (limited) Connection() engine.Connection { return engine.Connection{} }
func (limited) CancelWaits()                  {}
func (l limited) Quotas() []engine.Quota      { return l.quotas }
func per(most, left int, d time.Duration) engine.Quota {
	return engine.Quota{Limit: most, Remaining: left, Window: d}
}

// quotas are those of three operations and of new campaigns.
func quotas() []engine.Quota {
	all := []engine.Quota{
		per(5, 5, time.Second), per(25, 23, time.Minute), per(100, 97, time.Hour),
		per(10, 9, time.Second), per(100, 88, time.Minute), per(6000, 5960, time.Hour),
		per(10_000, 10_000, time.Minute),
		per(5, 3, time.Minute), per(25, 22, time.Hour), per(100, 97, 24*time.Hour),
	}
	for i, operation := range []string{"create", "create", "create", "get", "get", "get", "preview"} {
		all[i].Operation = operation
	}
	return all
}

func onLimits(t *testing.T, qs []engine.Quota) *uitest.Harness {
	t.Helper()
	deps := uitest.Deps(limited{quotas: qs})
	return uitest.New(t, still{activity.New(deps, screen.Route{Name: "activity"}, filled(t))}, 80, 24)
}

// The line tells of each operation that was used the limit it comes closest to.
func TestTheLimitsAreTold(t *testing.T) {
	h := onLimits(t, quotas())
	h.Want("Limits: new campaigns 2/5 min · get 12/100 min · create 2/25 min", "u limits")
	h.WantNot("preview")
	h.Press("u")
	h.Want("create         0/5 s · 2/25 min · 3/100 h", "get            1/10 s · 12/100 min · 40/6000 h", "preview        0/10000 min", "new campaigns  2/5 min · 3/25 h · 3/100 day")
	h.GoldenSizes("limits")
	h.Press("esc")
	h.WantNot("preview")
	h.WantFits()
	h.ClickOn("400")
	h.Want("2 of 6")
}

func TestLimitsThatAreNotUsed(t *testing.T) {
	h := onLimits(t, []engine.Quota{per(5, 5, time.Second)})
	h.Want("Limits: nothing used")
}

// A store on this machine has no limits, and no line of them.
func TestWithoutLimits(t *testing.T) {
	for _, h := range []*uitest.Harness{open(t, filled(t)), onLimits(t, nil)} {
		h.WantNot("Limits", "u limits")
		h.Press("u")
		h.WantNot("Limits")
	}
}
