package remote

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"bugle/engine"
)

// Reason is why a call waits.
type Reason int

// The reasons.
const (
	Limited     Reason = iota // the service returned 429
	ClientLimit               // the request would exceed a documented limit
	Retrying                  // there was no response, or a 5xx
)

// Wait is a call that is waiting before its first or its next attempt.
type Wait struct {
	Operation string
	Call      engine.Call
	Attempt   int // number of attempts so far
	Reason    Reason
	Why       string // one clause, such as "the service takes 5 creates per minute"
	For       time.Duration
	Until     time.Time
	Done      bool // the wait has ended or was canceled
}

// pause waits and notifies the observer. It fails with the context's error if that ends first.
func (c *callState) pause(ctx context.Context, d time.Duration, reason Reason, why string) error {
	w := Wait{
		Operation: c.req.Name, Call: c.req.Call, Attempt: c.attempt, Reason: reason, Why: why,
		For: d, Until: c.s.cfg.Clock().Add(d),
	}
	tell := c.s.cfg.Waiting
	if tell == nil {
		return sleep(ctx, d)
	}
	tell(ctx, w)
	err := sleep(ctx, d)
	w.Done = true
	tell(ctx, w)
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// admit takes a slot of a quota, and waits for it if the call may.
func (c *callState) admit(ctx context.Context, q *quota) (*slot, error) {
	for {
		t, hold := q.take()
		if t != nil || q == nil {
			return t, nil
		}
		if hold.ended == nil {
			if !c.spendWait(hold.wait) {
				return nil, c.exhausted(hold)
			}
		}
		wait := func() error { return hold.until(ctx) }
		if hold.ended == nil {
			wait = func() error { return c.pause(ctx, hold.wait, ClientLimit, hold.why()) }
		}
		if err := wait(); err != nil {
			return nil, c.final(ctx, outcome{err: err, noResponse: true})
		}
	}
}

func (c *callState) exhausted(h blocked) error {
	e := engine.Errorf(engine.RateLimited, http.StatusTooManyRequests, "%s, and all are used; try again in %s", h.why(), formatWait(h.wait))
	e.RetryAfter, e.RequestID = h.wait, c.req.RequestID
	return e
}

// formatWait formats a wait, rounded up.
func formatWait(d time.Duration) string {
	up := func(unit time.Duration) int { return int((d + unit - 1) / unit) }
	switch {
	case d <= 2*time.Minute:
		return fmt.Sprintf("%d s", up(time.Second))
	case d <= 2*time.Hour:
		return fmt.Sprintf("%d min", up(time.Minute))
	}
	return fmt.Sprintf("%d h", up(time.Hour))
}
