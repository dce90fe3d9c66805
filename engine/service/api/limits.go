package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/operation"
	"bugle/engine/service/api/limit"
)

// limits guard the API for each workspace and credential (CONTRACT.md, Limits).
//
// What counts is every request that the limit let through, whatever becomes of it afterwards, so
// that wrong bodies are no way around. What does not count is what was refused for the limit
// itself, or before it: waiting as long as Retry-After says always helps, also a client that did
// not stop asking meanwhile. A nil *limits refuses nothing.
type limits struct {
	now     func() time.Time
	counter Counter

	mu          sync.Mutex
	createLocks map[requester]createLock
}

// Counter counts the requests that limits let through. One that several servers share counts by a clock of its own.
type Counter interface {
	// Take counts one request under a name if all windows let it through. Otherwise it returns how long to wait, and which
	// window is full. The time at which it was counted is for Return.
	Take(ctx context.Context, workspace, name string, windows []limit.Window) (taken time.Time, wait time.Duration, full limit.Window, err error)
	// Return takes back the last request that was counted under a name, at the time that Take returned.
	Return(ctx context.Context, workspace, name string, taken time.Time) error
}

// requester is what one credential's requests are counted by.
type requester struct{ workspace, key string }

// newLimits returns limits that counter counts for; nil: they are counted in memory.
func newLimits(now func() time.Time, counter Counter) *limits {
	if counter == nil {
		counter = &memory{now: now, logs: map[[2]string]*limit.Log{}}
	}
	return &limits{now: now, counter: counter, createLocks: map[requester]createLock{}}
}

// memory is a [Counter] of one process. It has as many logs as there are valid credentials and operations.
type memory struct {
	now  func() time.Time
	mu   sync.Mutex
	logs map[[2]string]*limit.Log // by workspace and name
}

func (m *memory) log(workspace, name string, windows []limit.Window) *limit.Log {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]string{workspace, name}
	log, ok := m.logs[key]
	if !ok {
		log = limit.NewLog(windows...)
		m.logs[key] = log
	}
	return log
}

// Take implements [Counter].
func (m *memory) Take(_ context.Context, workspace, name string, windows []limit.Window) (taken time.Time, wait time.Duration, full limit.Window, err error) {
	now := m.now()
	wait, full = m.log(workspace, name, windows).Allow(now)
	return now, wait, full, nil
}

// Return implements [Counter].
func (m *memory) Return(_ context.Context, workspace, name string, _ time.Time) error {
	m.log(workspace, name, nil).Undo()
	return nil
}

// admit counts the request, or refuses it.
func (l *limits) admit(x *exchange) error {
	if l == nil {
		return nil
	}
	_, wait, full, err := l.counter.Take(x.r.Context(), x.tenant.Workspace, x.tenant.KeyID+" "+x.op.Name, x.op.Limits)
	if err == nil && wait > 0 {
		err = limited(wait, "rate limit of %s exceeded for the %s operation with this API key", full, x.op.Name)
	}
	return err
}

// createLock lets the creates of one credential run one at a time: whether the next one may depends on what becomes of it. It
// holds an element while one runs.
type createLock chan struct{}

// createReplayer is a service that knows which creates it has answered. A request that repeats one creates nothing, and gets its
// answer also when no creation is left.
type createReplayer interface {
	// Answered reports whether a create with that Idempotency-Key has an answer.
	Answered(ctx context.Context, key string) (bool, error)
}

// create runs a create request if the limits of creations let it, and counts what it created. It is counted before,
// and taken back if nothing was created, so that another server does not create one too many meanwhile.
func (l *limits) create(ctx context.Context, x *exchange, run func() (result, error)) (result, error) {
	if l == nil {
		return run()
	}
	c := l.createLock(x.tenant)
	select {
	case c <- struct{}{}:
		defer func() { <-c }()
	case <-ctx.Done():
		return result{}, ctx.Err()
	}
	name := x.tenant.KeyID + " created"
	taken, wait, full, err := l.counter.Take(ctx, x.tenant.Workspace, name, operation.Create.Creations)
	if err != nil {
		return result{}, err
	}
	if wait > 0 {
		if a, ok := x.tenant.Service.(createReplayer); ok {
			if repeats, err := a.Answered(ctx, x.key); err == nil && repeats {
				return run()
			}
		}
		return result{}, limited(wait, "rate limit of %s exceeded for new campaigns with this API key", full)
	}
	res, err := run()
	if err != nil || res.answer.Replayed {
		// If this fails as well, one creation too few is left until it no longer counts.
		_ = l.counter.Return(context.WithoutCancel(ctx), x.tenant.Workspace, name, taken)
	}
	return res, err
}

func (l *limits) createLock(t Tenant) createLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	who := requester{t.Workspace, t.KeyID}
	c, ok := l.createLocks[who]
	if !ok {
		c = make(createLock, 1)
		l.createLocks[who] = c
	}
	return c
}

func limited(wait time.Duration, format string, args ...any) error {
	args = append(args, limit.Seconds(wait))
	e := engine.Errorf(engine.RateLimited, http.StatusTooManyRequests, format+"; try again in %d s", args...)
	e.RetryAfter = wait
	return e
}
