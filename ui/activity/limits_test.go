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

// The line shows, for each operation that was used, the limit that is closest to being reached. A local store has none.
func TestLimits(t *testing.T) {
	open := func(quotas ...engine.Quota) *uitest.Harness {
		return uitest.New(t, idleScreen{activity.New(uitest.Deps(limited{quotas: quotas}), screen.Route{}, newFilledLog(t))}, 80, 24)
	}
	quota := func(operation string, most, left int, d time.Duration) engine.Quota {
		return engine.Quota{Operation: operation, Limit: most, Remaining: left, Window: d}
	}
	open().WantNot("Limits")
	open(quota("", 5, 5, time.Second)).Want("Limits: nothing used")
	h := open(
		quota("create", 5, 5, time.Second), quota("create", 25, 23, time.Minute), quota("create", 100, 97, time.Hour),
		quota("get", 10, 9, time.Second), quota("get", 100, 88, time.Minute), quota("get", 6000, 5960, time.Hour),
		quota("preview", 10_000, 10_000, time.Minute),
		quota("", 5, 3, time.Minute), quota("", 25, 22, time.Hour), quota("", 100, 97, 24*time.Hour),
	)
	h.Want("Limits: new campaigns 2/5 minute · get 12/100 minute · create 2/25 minute")
	h.WantNot("preview")
	h.Golden("limits-80x24")
	h.ClickOn("400")
	h.Want("2 of 6")
}
