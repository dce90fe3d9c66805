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

// quota enforces the windows of one operation. The service counts a request at some time between sending it
// and receiving the response. Therefore a running request counts as made now, and a finished one as made when
// its response arrived, which never exceeds the service's windows.
type quota struct {
	name    string // plural noun for what is counted
	now     func() time.Time
	windows []limit.Window

	mu          sync.Mutex
	ended       []time.Time // times of responses, oldest first
	inFlight    int
	closedUntil time.Time     // the service asked clients to wait until then
	change      chan struct{} // closed when a running request ends
}

// slot is an allowed request. A nil slot is one that is not counted.
type slot struct{ q *quota }

// blocked is why a quota blocks a request, and until when.
type blocked struct {
	name   string
	window limit.Window // the full one; none if the service asked clients to wait
	wait   time.Duration
	ended  <-chan struct{} // not nil: until a running request ends
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

// until waits for a running request to end.
func (h blocked) until(ctx context.Context) error {
	select {
	case <-h.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take allows one request, or returns why not.
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

// within returns the times that count in the window at now.
func (q *quota) within(w limit.Window, now time.Time) []time.Time {
	from := now.Add(-w.Per)
	return q.ended[sort.Search(len(q.ended), func(i int) bool { return q.ended[i].After(from) }):]
}

// end ends the request; counted reports whether the service counted it.
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

// quotas are the client's limits. Nil has none.
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

// close blocks all requests of an operation for a time that the service asked for.
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

// Quota is the remaining part of a limit (CONTRACT.md, Limits).
type Quota struct {
	Operation string // empty for the limits of successful creations
	Window    limit.Window
	Remaining int
	// NextAt is when the next one becomes available; zero if none is used.
	NextAt time.Time
}

// Quotas returns what this client has left of every limit, or nil if it does not observe limits.
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
