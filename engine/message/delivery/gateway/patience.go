package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"bugle/engine/message/delivery"
	"bugle/engine/publicnet"
)

const (
	defaultLimit = 30 * time.Second
	attempts     = 3
)

// Retry configures how a message is retried. The zero value is ready for use.
type Retry struct {
	Limit time.Duration // total time including delays; 0 is 30 seconds
	// Wait waits for a delay. Nil uses a timer.
	Wait func(ctx context.Context, d time.Duration) error
}

// Do calls once until it succeeds, fails permanently, or the limit is reached. A temporary error is retried
// after the delay that the gateway requests. A server error without a delay is retried after one second, and
// then two (FCM and Apple both ask clients to back off). Throttling without a delay is not retried, because
// it takes longer than a test.
func (p Retry) Do(ctx context.Context, name string, once func(context.Context) error) error {
	limit := p.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	end := time.Now().Add(limit)
	for attempt := 1; ; attempt++ {
		err := once(limited)
		if err == nil {
			return nil
		}
		if ended := ctx.Err(); ended != nil && !errors.Is(err, delivery.ErrUnknown) {
			return delivery.WasCanceled(name, ended)
		}
		var e *delivery.Error
		if !errors.As(err, &e) || !e.Temporary || e.Reason == delivery.Unreachable || attempt == attempts {
			return err
		}
		pause := e.After
		if pause == 0 && e.Reason == delivery.Throttled {
			return err
		}
		if pause == 0 {
			pause = time.Second << (attempt - 1)
		}
		if time.Until(end) < pause {
			late := *e
			late.Message = fmt.Sprintf("%s; it asks to wait %s, but a test waits at most %s", e.Message, pause.Round(time.Second), limit)
			return &late
		}
		if err := p.wait(limited, pause); err != nil {
			return delivery.WasCanceled(name, err)
		}
	}
}

func (p Retry) wait(ctx context.Context, d time.Duration) error {
	if p.Wait != nil {
		return p.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// NoResponse returns the error for an address from a user's data that did not respond: the same for all
// causes, and after about the same time since start.
func (p Retry) NoResponse(ctx context.Context, name string, start time.Time, cause error) error {
	if lost := (lostError{}); errors.As(cause, &lost) { // it was sent to a public address, which is no secret
		return delivery.Unconfirmed(name, lost)
	}
	var whole *url.Error
	if errors.As(cause, &whole) {
		cause = whole.Err // its own text holds the address
	}
	if left := time.Second - time.Since(start); left > 0 {
		_ = p.wait(ctx, left) // whose end Do looks at
	}
	return &delivery.Error{Reason: delivery.Unreachable, Temporary: true, Message: name + " cannot be reached: its address " + publicnet.NoResponse, Err: cause}
}
