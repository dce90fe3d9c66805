package local

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/store"
)

// estimatedTypes are the delivery types with a reachability estimate (CONTRACT.md, Records).
var estimatedTypes = []engine.DeliveryType{catalog.OneTime, catalog.BusinessEventTriggered, catalog.EventTriggered}

// reachLifetime is how long an estimate is valid (CONTRACT.md, Limits).
const reachLifetime = 24 * time.Hour

// reachWait is how long a response waits for due estimates. They are completed in any case, and the next
// response has them.
const reachWait = 2 * time.Second

// reachability estimates how many users campaigns reach, one estimate after the other, and caches them for a
// day.
type reachability struct {
	*reader
	tasks     *tasks
	audiences *audiences

	mu      sync.Mutex
	day     map[string]engine.Reachability // by campaign
	running *estimate                      // nil if there is none
}

// estimate is one pass over all users for some campaigns.
type estimate struct {
	ids  []string
	done chan struct{} // closed at its end
	err  error
}

// of returns a campaign's valid estimate, or false.
func (re *reachability) of(id string, now time.Time) (engine.Reachability, bool) {
	re.mu.Lock()
	defer re.mu.Unlock()
	e, ok := re.day[id]
	age := now.Sub(e.LastUpdated)
	return e, ok && age >= 0 && age < reachLifetime
}

// keep adds estimates and removes outdated ones.
func (re *reachability) keep(made map[string]engine.Reachability, now time.Time) {
	re.mu.Lock()
	defer re.mu.Unlock()
	if re.day == nil {
		re.day = map[string]engine.Reachability{}
	}
	for id, e := range re.day {
		if now.Sub(e.LastUpdated) >= reachLifetime {
			delete(re.day, id)
		}
	}
	maps.Copy(re.day, made)
}

// attach adds to scheduled campaigns how many users match their audience and can be reached on their channel.
// Campaigns with due estimates share one pass over the users. A campaign whose audience cannot be evaluated
// has none, and one whose estimate takes long has none yet.
func (re *reachability) attach(ctx context.Context, rows []engine.Meta) error {
	now := re.now()
	var due []string
	for _, m := range rows {
		if _, ok := re.of(m.ID, now); !ok && hasReach(m) {
			due = append(due, m.ID)
		}
	}
	if err := re.wait(ctx, due, now); err != nil {
		return err
	}
	for i, m := range rows {
		if e, ok := re.of(m.ID, now); ok && hasReach(m) {
			rows[i].Reachability = &e
		}
	}
	return nil
}

// wait waits for the estimates of campaigns for a limited time.
func (re *reachability) wait(ctx context.Context, due []string, now time.Time) error {
	patience := time.NewTimer(reachWait)
	defer patience.Stop()
	for len(due) > 0 {
		r := re.start(due, now)
		if r == nil {
			return nil // the service has ended
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return ctx.Err()
		case <-patience.C:
			return nil
		}
		if r.err != nil && re.tasks.ctx.Err() == nil {
			return r.err
		}
		due = slices.DeleteFunc(due, func(id string) bool {
			_, ok := re.of(id, now)
			return ok || slices.Contains(r.ids, id) // or it cannot be made
		})
	}
	return nil
}

// start starts estimates, or returns the running one. It returns nil after the service has ended.
func (re *reachability) start(due []string, now time.Time) *estimate {
	re.mu.Lock()
	defer re.mu.Unlock()
	if r := re.running; r != nil {
		return r
	}
	r := &estimate{ids: slices.Clone(due), done: make(chan struct{})}
	if !re.tasks.start(func(ctx context.Context) {
		defer close(r.done)
		var made map[string]engine.Reachability
		r.err = re.view(ctx, func(sp store.WorkspaceTx) error {
			var err error
			made, err = re.count(ctx, sp, r.ids, now)
			return err
		})
		re.keep(made, now)
		re.mu.Lock()
		re.running = nil
		re.mu.Unlock()
	}) {
		return nil
	}
	re.running = r
	return r
}

func hasReach(m engine.Meta) bool {
	return m.Status == catalog.Scheduled && slices.Contains(estimatedTypes, m.DeliveryType)
}

// countedCampaign is a campaign whose users are being counted.
type countedCampaign struct {
	engine.Summary
	audience *audience.Audience
	count    int
}

// count counts the users that campaigns reach in one pass.
func (re *reachability) count(ctx context.Context, sp store.WorkspaceTx, ids []string, now time.Time) (map[string]engine.Reachability, error) {
	var due []*countedCampaign
	for _, id := range ids {
		c, err := sp.Campaign(id)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		a, done, err := re.audiences.audience(ctx, sp, engine.AudienceRequest{Filters: c.Body.Get(string(catalog.SegmentationDetails))})
		defer done() // all of them are asked together, below
		if err != nil {
			if engine.AsError(err) != nil {
				continue // what the audience lacks is the campaign's problem, not this list's
			}
			return nil, err
		}
		due = append(due, &countedCampaign{Summary: engine.Summarize(c), audience: a})
	}
	if len(due) == 0 {
		return nil, nil
	}
	seen := 0
	for p, err := range everyProfile(sp, "") {
		if seen++; err == nil && seen%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for _, c := range due {
			if audience.Reachable(&p, c.Channel, c.Platforms) && c.audience.Match(&p) {
				c.count++
			}
		}
	}
	made := make(map[string]engine.Reachability, len(due))
	for _, c := range due {
		made[c.ID] = engine.Reachability{Count: c.count, LastUpdated: now}
	}
	return made, nil
}
