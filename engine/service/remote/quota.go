package remote

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"bugle/engine/operation"
	"bugle/engine/service/api/limit"
)

// quota keeps one operation to its windows. The service counts a request somewhere between our
// sending it and our having its answer, so it counts here as made now while it is under way, and
// as made when its answer came afterwards: what this lets through, the service's own windows do too.
type quota struct {
	name    string // what is counted, in the plural
	now     func() time.Time
	windows []limit.Window

	mu          sync.Mutex
	ended       []time.Time // when answers came, oldest first
	inFlight    int
	closedUntil time.Time     // the service wants nothing before
	change      chan struct{} // closed when something under way ends
}

// slot is one request that was let through. A nil ticket is one that nobody counts.
type slot struct{ q *quota }

// blocked is why a quota lets nothing through, and until when.
type blocked struct {
	name   string
	window limit.Window // the one that is full; none where the service has shut the door
	wait   time.Duration
	ended  <-chan struct{} // set: until something under way has ended
}

func (h blocked) why() string {
	if h.window.N == 0 {
		return "the service asked to wait"
	}
	return fmt.Sprintf("the service allows %d %s per %s", h.window.N, h.name, unit(h.window.Per))
}

func unit(d time.Duration) string {
	switch d {
	case time.Second:
		return "second"
	case time.Minute:
		return "minute"
	case time.Hour:
		return "hour"
	case 24 * time.Hour:
		return "day"
	}
	return d.String()
}

// until waits for something under way to end.
func (h blocked) until(ctx context.Context) error {
	select {
	case <-h.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take lets one through, or says why not.
func (q *quota) take() (*slot, blocked) {
	if q == nil {
		return nil, blocked{}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	longest := blocked{name: q.name}
	if d := q.closedUntil.Sub(now); d > 0 {
		longest.wait = d
	}
	for _, w := range q.windows {
		in := q.within(w, now)
		over := len(in) + q.inFlight - w.N // so many more than may be, one that would go now left out
		switch {
		case over < 0:
		case over >= len(in):
			return nil, blocked{name: q.name, window: w, ended: q.change}
		default:
			if d := in[over].Add(w.Per).Sub(now); d > longest.wait {
				longest.wait, longest.window = d, w
			}
		}
	}
	if longest.wait > 0 {
		return nil, longest
	}
	q.inFlight++
	return &slot{q}, blocked{}
}

// within returns those that count in the window at now.
func (q *quota) within(w limit.Window, now time.Time) []time.Time {
	from := now.Add(-w.Per)
	return q.ended[sort.Search(len(q.ended), func(i int) bool { return q.ended[i].After(from) }):]
}

// end says that the request is over, and whether the service counted it.
func (t *slot) end(counted bool) {
	if t == nil {
		return
	}
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inFlight--
	if counted {
		q.add(q.now())
	}
	close(q.change)
	q.change = make(chan struct{})
}

func (q *quota) add(at time.Time) {
	if n := len(q.ended); n > 0 && at.Before(q.ended[n-1]) {
		at = q.ended[n-1] // a clock that goes back must not bring the order into disorder
	}
	most := 0
	for _, w := range q.windows {
		most = max(most, w.N)
	}
	q.ended = append(q.ended, at)
	if len(q.ended) > 2*most { // older ones are in no window that is not full anyway
		q.ended = append([]time.Time(nil), q.ended[len(q.ended)-most:]...)
	}
}

// quotas are the client's own limits. A nil *quotas has none.
type quotas struct {
	requests map[string]*quota
	made     *quota
}

func newQuotas(now func() time.Time) *quotas {
	qs := &quotas{requests: map[string]*quota{}, made: newQuota("new campaigns", now, operation.Create.Creations)}
	for _, op := range operation.All {
		qs.requests[op.Name] = newQuota(op.Name+" requests", now, op.Limits)
	}
	return qs
}

func newQuota(name string, now func() time.Time, ws []limit.Window) *quota {
	return &quota{name: name, now: now, windows: ws, change: make(chan struct{})}
}

func (qs *quotas) of(operation string) *quota {
	if qs == nil {
		return nil
	}
	return qs.requests[operation]
}

func (qs *quotas) creations() *quota {
	if qs == nil {
		return nil
	}
	return qs.made
}

// close holds all requests of an operation back for that long, because the service said so to one.
func (qs *quotas) close(operation string, d time.Duration) {
	q := qs.of(operation)
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if until := q.now().Add(d); until.After(q.closedUntil) {
		q.closedUntil = until
	}
}

// Quota is how much of a limit is left (CONTRACT.md, Limits).
type Quota struct {
	Operation string // empty for the limits of successful creations
	Window    limit.Window
	Remaining int
	// NextAt is when the next one is given back; zero where none is used.
	NextAt time.Time
}

// Quotas returns what is left of every limit, as far as this client has used it; nothing where it
// keeps to none.
func (s *Service) Quotas() []Quota {
	if s.quotas == nil {
		return nil
	}
	var out []Quota
	for _, op := range operation.All {
		out = append(out, s.quotas.of(op.Name).left(op.Name)...)
	}
	return append(out, s.quotas.made.left("")...)
}

func (q *quota) left(operation string) []Quota {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	var out []Quota
	for _, w := range q.windows {
		in := q.within(w, now)
		state := Quota{Operation: operation, Window: w, Remaining: max(w.N-len(in)-q.inFlight, 0)}
		if len(in) > 0 {
			state.NextAt = in[0].Add(w.Per)
		}
		out = append(out, state)
	}
	return out
}
