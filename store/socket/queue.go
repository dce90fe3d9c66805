package socket

import (
	"context"
	"sync"
)

// queue buffers values until they are taken. merge adds a value, and may drop others.
type queue[T any] struct {
	merge func(pending []T, v T) []T

	mu      sync.Mutex
	pending []T
	wake    chan struct{} // has capacity 1; signals that there may be values
}

func newQueue[T any](merge func([]T, T) []T) *queue[T] {
	return &queue[T]{merge: merge, wake: make(chan struct{}, 1)}
}

func (q *queue[T]) put(v T) {
	q.mu.Lock()
	q.pending = q.merge(q.pending, v)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take returns and removes all pending values.
func (q *queue[T]) take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.pending
	q.pending = nil
	return out
}

// feed sends values to its subscribers, each at its own pace.
type feed[T any] struct {
	merge func([]T, T) []T

	mu      sync.Mutex
	readers map[*queue[T]]struct{}
	closed  bool
	done    chan struct{}
	pumps   sync.WaitGroup
}

func newFeed[T any](merge func([]T, T) []T) *feed[T] {
	return &feed[T]{merge: merge, readers: map[*queue[T]]struct{}{}, done: make(chan struct{})}
}

func (f *feed[T]) send(v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for q := range f.readers {
		q.put(v)
	}
}

// subscribe returns a channel that receives first, and then the values sent from now on. It is closed when ctx or the
// feed ends.
func (f *feed[T]) subscribe(ctx context.Context, first ...T) <-chan T {
	q, out := newQueue(f.merge), make(chan T)
	for _, v := range first {
		q.put(v)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		close(out)
		return out
	}
	f.readers[q] = struct{}{}
	f.pumps.Go(func() {
		defer close(out)
		defer f.unsubscribe(q)
		f.pump(ctx, q, out)
	})
	return out
}

func (f *feed[T]) unsubscribe(q *queue[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.readers, q)
}

func (f *feed[T]) pump(ctx context.Context, q *queue[T], out chan<- T) {
	for {
		for _, v := range q.take() {
			select {
			case out <- v:
			case <-ctx.Done():
				return
			case <-f.done:
				return
			}
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return
		case <-f.done:
			return
		}
	}
}

// close ends all subscriptions, and returns when they have ended.
func (f *feed[T]) close() {
	f.mu.Lock()
	if !f.closed {
		f.closed = true
		close(f.done)
	}
	f.mu.Unlock()
	f.pumps.Wait()
}

// keepAll is a merge that keeps all values.
func keepAll[T any](pending []T, v T) []T { return append(pending, v) }

// keepNewest is a merge that keeps only the last value.
func keepNewest[T any](_ []T, v T) []T { return []T{v} }

// gate counts running calls. While it is shut, no new calls can start.
type gate struct {
	mu     sync.Mutex
	shut   bool
	inside int
	idle   []chan struct{} // closed when no call is running
}

// enter reports whether the call may run. If so, the caller must call leave when it ends.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 {
		for _, c := range g.idle {
			close(c)
		}
		g.idle = nil
	}
}

// close shuts the gate. The channel is closed when all running calls have ended.
func (g *gate) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
	idle := make(chan struct{})
	if g.inside == 0 {
		close(idle)
	} else {
		g.idle = append(g.idle, idle)
	}
	return idle
}

// open opens the gate again.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = false
}
