package remote

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

// next returns whether to send the call again, and after which pause. An error response is final, except for
// a 409 while an earlier attempt may still be running: the same key gets the result in the end.
func (c *callState) next(ctx context.Context, got outcome) (time.Duration, Reason, bool) {
	if got.broken() && !got.unsent {
		c.uncertain = true
	}
	switch {
	case ctx.Err() != nil:
		return 0, 0, false
	case got.status == http.StatusTooManyRequests:
		pause := got.retryAfter
		if pause <= 0 {
			pause = backoff(c.attempt)
		}
		if !c.spendWait(pause) {
			return 0, 0, false
		}
		c.s.quotas.close(c.req.Name, pause)
		return pause, Limited, true
	case got.broken():
	case got.status == http.StatusConflict && (c.uncertain || got.inProgress()) && c.req.SendsKey():
		return c.poll()
	default:
		return 0, 0, false
	}
	if got.permanent || c.repeats >= c.s.cfg.Retries || !c.spendWait(got.retryAfter) {
		return 0, 0, false
	}
	c.repeats++
	return max(backoff(c.repeats), got.retryAfter), Retrying, true
}

// spendWait deducts a requested pause from the call's maximum wait, or returns false.
func (c *callState) spendWait(pause time.Duration) bool {
	if pause > c.s.cfg.MaxWait-c.waited {
		return false
	}
	c.waited += pause
	return true
}

// poll returns when to ask again while an earlier attempt may still be running.
func (c *callState) poll() (time.Duration, Reason, bool) {
	c.polls++
	pause := backoff(c.polls)
	c.polled += pause
	enough := c.s.attemptTimeout(c.req) / 10 // what is done at once is done by then
	if c.req.Slow {
		enough = c.s.attemptTimeout(c.req)
	}
	return pause, Retrying, c.polled <= enough
}

// backoff returns the delay before the n-th retry, from 1: a quarter of a second, doubled each time up to
// eight seconds, with a random factor between a half and one, so that clients do not retry at the same time.
func backoff(n int) time.Duration {
	const first, most = 250 * time.Millisecond, 8 * time.Second
	d := min(first<<min(n-1, 10), most)
	return d/2 + rand.N(d/2+1)
}
