package check_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/check"
)

// asked is a service that records how it was asked for other campaigns.
type asked struct {
	engine.Service
	queries []engine.ListQuery
	rows    []engine.Summary
	read    func(id string)
}

func (a *asked) List(_ context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	a.queries = append(a.queries, q)
	return a.rows, nil
}

func (a *asked) Get(_ context.Context, id string) (engine.Campaign, error) {
	a.read(id)
	return engine.Campaign{}, nil
}

// Opening a campaign of a large workspace must not list it, and ends when the user has left.
func TestOthersOfASchedule(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	own := engine.Campaign{Head: engine.Head{Channel: catalog.Email, DeliveryType: catalog.OneTime, Status: catalog.Draft}}
	svc := &asked{}
	for _, id := range []string{"a", "b", "c"} {
		svc.rows = append(svc.rows, engine.Summary{
			Head: engine.Head{ID: id, Channel: catalog.Email, DeliveryType: catalog.OneTime, Status: catalog.Scheduled}, Start: now.Add(time.Hour),
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	svc.read = func(string) { reads++; cancel() }
	if _, err := (check.Facts{Now: now}).WithOthers(ctx, svc, own); !errors.Is(err, context.Canceled) || reads != 1 {
		t.Errorf("%d campaigns were read after leaving: %v", reads, err)
	}
	if q := svc.queries[0]; len(q.Channels) != 1 || len(q.Status) == 0 || q.Start != (engine.DateRange{From: now.Add(-24 * time.Hour), To: now.Add(24 * time.Hour)}) {
		t.Errorf("asked for %+v", q)
	}
	own.DeliveryType = catalog.EventTriggered
	if f, err := (check.Facts{Now: now}).WithOthers(t.Context(), svc, own); err != nil || f.Others == nil || len(svc.queries) != 1 {
		t.Errorf("a campaign without a schedule asked %d times: %v", len(svc.queries)-1, err)
	}
}
