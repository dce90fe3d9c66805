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

// limits enforces the limits per workspace and credential (CONTRACT.md, Limits).
//
// Every request that a limit allows is counted, whatever its result, so that invalid requests are no way
// around. Requests that a limit or an earlier check refused are not counted: waiting for Retry-After always
// helps, even a client that did not stop meanwhile. A nil *limits refuses nothing.
type limits struct {
	now     func() time.Time
	counter Counter

	mu          sync.Mutex
	createLocks map[requester]createLock
}

// Counter counts requests for limits. A counter shared by several servers uses its own clock.
type Counter interface {
	// Take counts one request under a name if all windows allow it. Otherwise it returns how long to wait,
	// and which window is full. taken is the argument for Return.
	Take(ctx context.Context, workspace, name string, windows []limit.Window) (taken time.Time, wait time.Duration, full limit.Window, err error)
	// Return removes the last request counted under a name, at the time that Take returned.
	Return(ctx context.Context, workspace, name string, taken time.Time) error
}

// requester identifies a credential for limits.
type requester struct{ workspace, key string }

// newLimits returns limits that use counter, or memory if it is nil.
func newLimits(now func() time.Time, counter Counter) *limits {
	if counter == nil {
		counter = &memory{now: now, logs: map[[2]string]*limit.Log{}}
	}
	return &limits{now: now, counter: counter, createLocks: map[requester]createLock{}}
}

// memory is a [Counter] of one process, with one log per credential and operation.
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

// createLock serializes the creates of one credential, because whether the next one is allowed may depend on
// the result of the current one. It holds an element while one runs.
type createLock chan struct{}

// createReplayer is a service that knows which creates it has answered. A repeated request creates nothing,
// so it gets its response even if the limit of creations is reached.
type createReplayer interface {
	// Answered reports whether a create with that Idempotency-Key has a response.
	Answered(ctx context.Context, key string) (bool, error)
}

// create runs a create request if the limits of creations allow it. It is counted before and uncounted if
// nothing was created, so that another server does not create one too many meanwhile.
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
