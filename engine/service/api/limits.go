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
	now      func() time.Time
	shared   Counter // nil: this process counts alone
	mu       sync.Mutex
	requests map[requester]*limit.Log
	creators map[requester]*creator
}

// requester is what one log counts. There are as many as valid credentials and operations.
type requester struct{ workspace, key, operation string }

// Counter counts for several servers together, by the clock that they share.
type Counter interface {
	// Take counts one under a name where all windows let it pass, or returns how long to wait, and which window is full.
	// When it was counted is for Return.
	Take(ctx context.Context, workspace, name string, windows []limit.Window) (taken time.Time, wait time.Duration, full limit.Window, err error)
	// Return takes back what was counted at a time.
	Return(ctx context.Context, workspace, name string, taken time.Time) error
}

func newLimits(now func() time.Time, shared Counter) *limits {
	return &limits{now: now, shared: shared, requests: map[requester]*limit.Log{}, creators: map[requester]*creator{}}
}

// admit counts the request, or refuses it.
func (l *limits) admit(x *exchange) error {
	if l == nil {
		return nil
	}
	const why = "rate limit of %s exceeded for the %s operation with this API key"
	who := requester{x.tenant.Workspace, x.tenant.KeyID, x.op.Name}
	if l.shared != nil {
		_, wait, full, err := l.shared.Take(x.r.Context(), who.workspace, who.key+" "+who.operation, x.op.Limits)
		if err == nil && wait > 0 {
			err = limited(wait, why, full, x.op.Name)
		}
		return err
	}
	l.mu.Lock()
	log, ok := l.requests[who]
	if !ok {
		log = limit.NewLog(x.op.Limits...)
		l.requests[who] = log
	}
	l.mu.Unlock()
	if wait, full := log.Take(l.now()); wait > 0 {
		return limited(wait, why, full, x.op.Name)
	}
	return nil
}

// creator counts the campaigns that one credential created.
type creator struct {
	// turn lets one create at a time run: whether the next one may depends on what becomes of it.
	turn chan struct{}
	made *limit.Log
	// keys are the Idempotency-Keys of what was counted. A request with one of them creates
	// nothing, it repeats, and gets its answer also where no creation is left.
	keys map[string]time.Time
}

// keyLife is how long an Idempotency-Key is remembered (CONTRACT.md, Idempotency).
const keyLife = 24 * time.Hour

// create runs a create request where the limits of creations let it, and counts what it created.
func (l *limits) create(ctx context.Context, x *exchange, run func() (result, error)) (result, error) {
	if l == nil {
		return run()
	}
	c := l.creator(x.tenant)
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return result{}, ctx.Err()
	}
	if l.shared != nil {
		return l.createShared(ctx, x, c, run)
	}
	now := l.now()
	for key, at := range c.keys {
		if now.Sub(at) >= keyLife {
			delete(c.keys, key)
		}
	}
	if _, repeat := c.keys[x.key]; !repeat {
		if wait, full := c.made.Wait(now); wait > 0 {
			return result{}, limited(wait, creationsFull, full)
		}
	}
	res, err := run()
	if err == nil && !res.answer.Replayed {
		c.made.Add(now)
		c.keys[x.key] = now
	}
	return res, err
}

const creationsFull = "rate limit of %s exceeded for new campaigns with this API key"

// createShared is create where several servers count. A creation is counted before it is made, and taken back where none
// came of it: another server must not make one too many meanwhile.
func (l *limits) createShared(ctx context.Context, x *exchange, c *creator, run func() (result, error)) (result, error) {
	if _, repeat := c.keys[x.key]; repeat {
		return run()
	}
	name := x.tenant.KeyID + " created"
	taken, wait, full, err := l.shared.Take(ctx, x.tenant.Workspace, name, operation.Create.Creations)
	if err == nil && wait > 0 {
		err = limited(wait, creationsFull, full)
	}
	if err != nil {
		return result{}, err
	}
	res, err := run()
	if err != nil || res.answer.Replayed {
		// Where that fails, too, one creation too few is left for a while.
		_ = l.shared.Return(context.WithoutCancel(ctx), x.tenant.Workspace, name, taken)
		return res, err
	}
	c.keys[x.key] = l.now()
	return res, nil
}

func (l *limits) creator(t Tenant) *creator {
	l.mu.Lock()
	defer l.mu.Unlock()
	who := requester{workspace: t.Workspace, key: t.KeyID}
	c, ok := l.creators[who]
	if !ok {
		c = &creator{turn: make(chan struct{}, 1), made: limit.NewLog(operation.Create.Creations...), keys: map[string]time.Time{}}
		l.creators[who] = c
	}
	return c
}

func limited(wait time.Duration, format string, args ...any) error {
	args = append(args, limit.Seconds(wait))
	e := engine.Errorf(engine.RateLimited, http.StatusTooManyRequests, format+"; try again in %d s", args...)
	e.RetryAfter = wait
	return e
}
