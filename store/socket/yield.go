package socket

import (
	"context"
	"fmt"
	"time"
)

// Yield leaves the folder before the process is suspended: if the process owns the store, it closes the store, and
// another process takes over. Later transactions wait for [DB.Rejoin] as long as their contexts allow. Yield waits for
// running transactions until ctx ends; if some are still running then, it changes nothing and returns an error.
// Yielding twice, or after Close, does nothing.
func (d *DB) Yield(ctx context.Context) error {
	d.joinMu.Lock()
	defer d.joinMu.Unlock()
	if d.yielded || d.closed {
		return nil
	}
	d.mu.Lock()
	d.joined = make(chan struct{})
	d.mu.Unlock()
	if err := idle(ctx, d.calls.close()); err != nil {
		d.admit()
		return err
	}
	// From here on, nothing else changes the owner.
	d.stop()
	d.mu.Lock()
	h, l := d.host, d.link
	d.mu.Unlock()
	if h != nil {
		if err := idle(ctx, h.calls.close()); err != nil {
			h.calls.open()
			d.start()
			d.admit()
			return err
		}
	}
	d.mu.Lock()
	d.host, d.link, d.state = nil, nil, State{}
	d.stateChanged()
	d.mu.Unlock()
	d.yielded = true
	if l != nil {
		l.close()
	}
	if h != nil {
		return h.close(d.o.Grace)
	}
	return nil
}

// Rejoin takes part in the folder again after [DB.Yield]: it attaches to the process that has the store open, or opens
// it. It does not wait for that; transactions do, as they do when an owner is lost. Without a Yield, or after Close, it
// does nothing.
func (d *DB) Rejoin() {
	d.joinMu.Lock()
	defer d.joinMu.Unlock()
	if !d.yielded || d.closed {
		return
	}
	d.yielded = false
	d.start()
	d.admit()
}

// admit allows transactions again.
func (d *DB) admit() {
	d.calls.open()
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.joined)
}

func idle(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	begun := time.Now()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("transactions go on after %v: %w", time.Since(begun).Round(time.Millisecond), ctx.Err())
	}
}

// servedKey marks the context of a request to [Options].Handler.
type servedKey struct{}

// enter waits until the process takes part in the folder, and counts a transaction; the caller must call d.calls.leave
// afterwards. It does not wait in a request to [Options].Handler, whose client finds the next owner sooner.
func (d *DB) enter(ctx context.Context) error {
	for !d.calls.enter() {
		d.mu.Lock()
		back := d.joined
		d.mu.Unlock()
		select {
		case <-d.closing:
			return ErrClosed
		default:
		}
		if ctx.Value(servedKey{}) != nil {
			return ErrClosed
		}
		select {
		case <-back:
		case <-d.closing:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
