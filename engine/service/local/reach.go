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

// estimatedTypes are the delivery types that a reachability is computed for (CONTRACT.md, Records).
var estimatedTypes = []engine.DeliveryType{catalog.OneTime, catalog.BusinessEventTriggered, catalog.EventTriggered}

// reachLifetime is how long an estimate counts before it is made anew (CONTRACT.md, Limits).
const reachLifetime = 24 * time.Hour

// reachWait is how long an answer waits for estimates that are due. They are made to their end even so, and
// the next answer has them.
const reachWait = 2 * time.Second

// reachability estimates how many users campaigns reach, and keeps the estimates for a day. They are made one
// after the other.
type reachability struct {
	*reader
	tasks     *tasks
	audiences *audiences

	mu      sync.Mutex
	day     map[string]engine.Reachability // by campaign
	running *estimate                      // nil where none is
}

// estimate is one look at all profiles, for some campaigns.
type estimate struct {
	ids  []string
	done chan struct{} // closed at its end
	err  error
}

// of returns the estimate of a campaign that still counts; false where it is to be made.
func (re *reachability) of(id string, now time.Time) (engine.Reachability, bool) {
	re.mu.Lock()
	defer re.mu.Unlock()
	e, ok := re.day[id]
	age := now.Sub(e.LastUpdated)
	return e, ok && age >= 0 && age < reachLifetime
}

// keep adds estimates, and drops those of other days.
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

// attach adds to scheduled campaigns how many users they reach: those that their audience matches and
// that their channel can reach. Campaigns whose estimate is due share one look at the profiles. One
// whose audience cannot be evaluated has none, and one whose estimate takes long has none yet.
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

// wait waits for the estimates of campaigns, a while.
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

// start begins to make estimates, or returns what is being made already; nil once the service has ended.
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

// countedCampaign is one campaign whose users are being counted.
type countedCampaign struct {
	engine.Summary
	audience *audience.Audience
	count    int
}

// count counts the users that campaigns reach, each profile looked at once.
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
