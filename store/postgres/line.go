package postgres

import (
	"context"
	"runtime"
	"sync"
	"time"

	"bugle/store"
)

// line gathers calls: the first one goes at once, and those that come while it is under way go together as the next batch.
type line[T any] struct {
	do   func(context.Context, []T) // answers a batch
	most int                        // calls of one batch
	slow time.Duration              // after how long a batch no longer holds up the next one
	// pause is how long the next batch waits at most after one of several calls, so that the callers that were answered
	// can call again. Otherwise half of them would be in each of two batches that take turns.
	pause time.Duration

	mu      sync.Mutex
	waiting []T
	enough  int           // waiting calls that end the pause
	came    chan struct{} // closed when they are there; nil without a pause
	workers int
	busy    int // batches under way that are not slow
}

const (
	// slowBatch is how long a batch usually holds up the next one at most: it may wait for a lock, or for a network that has
	// failed.
	slowBatch   = 50 * time.Millisecond
	mostBatches = 8 // under way at once
	// gathering is how often a batch lets other goroutines run before it begins, so that requests that have already
	// arrived are in it. Where there are none, that takes no time.
	gathering = 3
)

// join adds a call to the next batch.
func (l *line[T]) join(d *DB, call T) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, call)
	if l.came != nil && len(l.waiting) >= l.enough {
		close(l.came)
		l.came = nil
	}
	if !l.hire(d) && l.workers == 0 {
		l.waiting = nil
		return store.ErrClosed
	}
	return nil
}

// hire starts a worker if the next batch may begin. It reports false only where the store is closed. mu is held.
func (l *line[T]) hire(d *DB) bool {
	if l.busy > 0 || len(l.waiting) == 0 || l.workers == mostBatches {
		return true
	}
	l.busy++
	l.workers++
	if !d.start(func(ctx context.Context) { l.work(ctx, d) }) {
		l.busy--
		l.workers--
		return false
	}
	return true
}

// work answers one batch after another. It begins counted as busy.
func (l *line[T]) work(ctx context.Context, d *DB) {
	for {
		for range gathering {
			runtime.Gosched()
		}
		l.mu.Lock()
		if l.busy > 1 || len(l.waiting) == 0 {
			l.busy--
			l.workers--
			l.mu.Unlock()
			return
		}
		n := min(len(l.waiting), l.most)
		batch := l.waiting[:n:n]
		if l.waiting = l.waiting[n:]; len(l.waiting) == 0 {
			l.waiting = nil
		}
		l.mu.Unlock()
		slow, done := false, false
		timer := time.AfterFunc(l.slow, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if !done {
				slow = true
				l.busy--
				l.hire(d)
			}
		})
		began := time.Now()
		l.do(ctx, batch)
		took := time.Since(began)
		timer.Stop()
		l.mu.Lock()
		done = true
		wait := !slow && n > 1 && l.pause > 0
		if slow {
			l.busy++
		}
		l.mu.Unlock()
		if wait {
			l.gather(ctx, n, min(took, l.pause))
		}
	}
}

// gather waits until as many calls as the last batch had have joined those that wait already, but not for long.
func (l *line[T]) gather(ctx context.Context, n int, pause time.Duration) {
	l.mu.Lock()
	came := make(chan struct{})
	l.enough = min(n+len(l.waiting), l.most)
	if len(l.waiting) < l.enough {
		l.came = came
	} else {
		close(came)
	}
	l.mu.Unlock()
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-came:
	case <-t.C:
	case <-ctx.Done():
	}
	l.mu.Lock()
	l.came = nil
	l.mu.Unlock()
}
