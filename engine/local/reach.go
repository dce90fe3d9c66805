package local

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/store"
)

// estimated are the delivery types that a reachability is computed for (CONTRACT.md, Records).
var estimated = []engine.DeliveryType{catalog.OneTime, catalog.BusinessEventTriggered, catalog.EventTriggered}

// reachLife is how long an estimate counts before it is made anew (CONTRACT.md, Limits).
const reachLife = 24 * time.Hour

// reachWait is how long an answer waits for estimates that are due. They are made to their end even so, and
// the next answer has them.
const reachWait = 2 * time.Second

// reaches keeps the day's estimates, by campaign. They are made one after the other.
type reaches struct {
	mu      sync.Mutex
	day     map[string]engine.Reachability
	running *reckoning // nil where none is
}

// reckoning is one look at all profiles, for some campaigns.
type reckoning struct {
	ids  []string
	done chan struct{} // closed at its end
	err  error
}

// of gives the estimate of a campaign that still counts; false where it is to be made.
func (r *reaches) of(id string, now time.Time) (engine.Reachability, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.day[id]
	age := now.Sub(e.LastUpdated)
	return e, ok && age >= 0 && age < reachLife
}

// keep adds estimates, and drops those of other days.
func (r *reaches) keep(made map[string]engine.Reachability, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.day == nil {
		r.day = map[string]engine.Reachability{}
	}
	for id, e := range r.day {
		if now.Sub(e.LastUpdated) >= reachLife {
			delete(r.day, id)
		}
	}
	for id, e := range made {
		r.day[id] = e
	}
}

// reach attaches to scheduled campaigns how many users they reach: those whom their audience picks and
// to whom their channel leads. Campaigns whose estimate is due share one look at the profiles. One
// whose audience cannot be evaluated has none, and one whose estimate takes long has none yet.
func (s *Service) reach(ctx context.Context, rows []engine.Meta) error {
	now := s.now()
	var due []string
	for _, m := range rows {
		if _, ok := s.reached.of(m.ID, now); !ok && hasReach(m) {
			due = append(due, m.ID)
		}
	}
	if err := s.reckoned(ctx, due, now); err != nil {
		return err
	}
	for i, m := range rows {
		if e, ok := s.reached.of(m.ID, now); ok && hasReach(m) {
			rows[i].Reachability = &e
		}
	}
	return nil
}

// reckoned waits for the estimates of campaigns, a while.
func (s *Service) reckoned(ctx context.Context, due []string, now time.Time) error {
	patience := time.NewTimer(reachWait)
	defer patience.Stop()
	for len(due) > 0 {
		r := s.reckon(due, now)
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
		if r.err != nil && s.rows.ctx.Err() == nil {
			return r.err
		}
		due = slices.DeleteFunc(due, func(id string) bool {
			_, ok := s.reached.of(id, now)
			return ok || slices.Contains(r.ids, id) // or it cannot be made
		})
	}
	return nil
}

// reckon begins to make estimates, or gives what is being made already; nil once the service has ended.
func (s *Service) reckon(due []string, now time.Time) *reckoning {
	s.reached.mu.Lock()
	defer s.reached.mu.Unlock()
	if r := s.reached.running; r != nil {
		return r
	}
	r := &reckoning{ids: slices.Clone(due), done: make(chan struct{})}
	if !s.rows.background(func(ctx context.Context) {
		defer close(r.done)
		var made map[string]engine.Reachability
		r.err = s.view(ctx, func(sp store.Space) error {
			var err error
			made, err = s.estimates(ctx, sp, r.ids, now)
			return err
		})
		s.reached.keep(made, now)
		s.reached.mu.Lock()
		s.reached.running = nil
		s.reached.mu.Unlock()
	}) {
		return nil
	}
	s.reached.running = r
	return r
}

func hasReach(m engine.Meta) bool {
	return m.Status == catalog.Scheduled && slices.Contains(estimated, m.DeliveryType)
}

// counted is one campaign whose users are being counted.
type counted struct {
	engine.Summary
	audience *audience.Audience
	count    int
}

// estimates counts whom campaigns reach, each profile looked at once.
func (s *Service) estimates(ctx context.Context, sp store.Space, ids []string, now time.Time) (map[string]engine.Reachability, error) {
	var due []*counted
	for _, id := range ids {
		c, err := sp.Campaign(id)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		a, done, err := s.audience(ctx, sp, engine.AudienceRequest{Filters: c.Body.Get(string(catalog.SegmentationDetails))})
		defer done() // all of them are asked together, below
		if err != nil {
			if engine.AsError(err) != nil {
				continue // what the audience lacks is the campaign's problem, not this list's
			}
			return nil, err
		}
		due = append(due, &counted{Summary: engine.Summarize(c), audience: a})
	}
	if len(due) == 0 {
		return nil, nil
	}
	seen := 0
	for p, err := range everyProfile(sp) {
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

// inSegment gives at most limit members of a segment that is made by filters, by id.
func (s *Service) inSegment(ctx context.Context, sp store.Space, name string, limit int) ([]engine.Profile, error) {
	a, done, err := s.audience(ctx, sp, engine.AudienceRequest{Filters: audience.OfSegment(name)})
	defer done()
	if err != nil {
		return nil, err
	}
	var out []engine.Profile
	for p, err := range everyProfile(sp) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if a.Match(&p) {
			if out = append(out, p); len(out) == limit {
				break
			}
		}
	}
	return out, nil
}
