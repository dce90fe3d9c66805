package local

import (
	"context"
	"slices"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/store"
)

// estimated are the delivery types that a reachability is computed for (spec.md, Campaign record).
var estimated = []engine.DeliveryType{catalog.OneTime, catalog.BusinessEventTriggered, catalog.EventTriggered}

// reachLife is how long an estimate counts before it is made anew (spec.md, Limits).
const reachLife = 24 * time.Hour

// reaches keeps the day's estimates, by campaign.
type reaches struct {
	mu  sync.Mutex
	day map[string]engine.Reachability
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
// whose audience cannot be evaluated has none.
func (s *Service) reach(ctx context.Context, sp store.Space, rows []engine.Meta) error {
	now := s.now()
	made, err := s.estimates(ctx, sp, rows, now)
	if err != nil {
		return err
	}
	s.reached.keep(made, now)
	for i, m := range rows {
		if e, ok := s.reached.of(m.ID, now); ok && hasReach(m) {
			rows[i].Reachability = &e
		}
	}
	return nil
}

func hasReach(m engine.Meta) bool {
	return m.Status == catalog.Scheduled && slices.Contains(estimated, m.DeliveryType)
}

// counted is one campaign whose users are being counted.
type counted struct {
	engine.Meta
	audience *audience.Audience
	count    int
}

func (s *Service) estimates(ctx context.Context, sp store.Space, rows []engine.Meta, now time.Time) (map[string]engine.Reachability, error) {
	var due []*counted
	for _, m := range rows {
		if _, ok := s.reached.of(m.ID, now); ok || !hasReach(m) {
			continue
		}
		c, err := sp.Campaign(m.ID)
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
		due = append(due, &counted{Meta: m, audience: a})
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
