// Package follow delivers the changes of a store to its followers, each at its own pace.
package follow

import (
	"context"
	"sync"

	"bugle/store"
)

// Followers are the followers of one handle of a store. The zero value is ready to use. It is safe for concurrent use.
type Followers struct {
	mu      sync.Mutex
	all     map[*follower]struct{}
	ready   bool
	changed chan struct{} // closed when a follower has received its changes; nil if nobody is waiting
}

// follower is one call of [Followers.Follow].
type follower struct {
	ready   func()
	deliver func([]store.Change)
	news    []store.Change
	busy    bool          // deliver is running
	more    chan struct{} // holds an element when changes are queued
}

// maxQueued is how many changes are queued for a slow follower before they are replaced with the zero Change.
const maxQueued = 50_000

// Follow calls deliver with every change that is published from now on, until ctx ends. It calls ready once the source
// of the changes is ready, see [Followers.MarkReady]. Calls of deliver do not overlap.
func (s *Followers) Follow(ctx context.Context, ready func(), deliver func([]store.Change)) {
	f := &follower{ready: ready, deliver: deliver, more: make(chan struct{}, 1)}
	s.mu.Lock()
	if s.all == nil {
		s.all = map[*follower]struct{}{}
	}
	s.all[f] = struct{}{}
	at := s.ready
	s.mu.Unlock()
	if at {
		ready()
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, f)
		s.notifyDrained()
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.more:
		}
		s.mu.Lock()
		news := f.news
		f.news, f.busy = nil, true
		s.mu.Unlock()
		deliver(news)
		s.mu.Lock()
		f.busy = false
		s.notifyDrained()
		s.mu.Unlock()
	}
}

// MarkReady records that every later change will be published, and calls ready of all followers that wait for it.
func (s *Followers) MarkReady() {
	s.mu.Lock()
	var ready []func()
	if !s.ready {
		for f := range s.all {
			ready = append(ready, f.ready)
		}
	}
	s.ready = true
	s.mu.Unlock()
	for _, fn := range ready {
		fn()
	}
}

// Ready reports whether [Followers.MarkReady] was called.
func (s *Followers) Ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// Publish queues changes for all followers. It does not block.
func (s *Followers) Publish(changes ...store.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.all {
		f.news = append(f.news, changes...)
		if len(f.news) > maxQueued {
			f.news = []store.Change{{}}
		}
		select {
		case f.more <- struct{}{}:
		default:
		}
	}
}

// Drain waits until all followers have received the changes that were published before the call.
func (s *Followers) Drain(ctx context.Context) error {
	for {
		s.mu.Lock()
		behind := false
		for f := range s.all {
			behind = behind || f.busy || len(f.news) > 0
		}
		if behind && s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		if !behind {
			return ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// notifyDrained wakes the goroutines in Drain. The caller holds mu.
func (s *Followers) notifyDrained() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}
