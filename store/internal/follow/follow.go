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
	changed chan struct{} // closed when anything about a follower changes; nil if nobody waits
}

// follower is one call of [Followers.Follow].
type follower struct {
	news []store.Change
	busy bool // its function is running
}

// maxQueued is how many changes are queued for a slow follower before they are replaced with the zero Change.
const maxQueued = 50_000

// Follow calls deliver with every change that is published after it has called ready, until ctx ends. Calls of deliver do
// not overlap.
func (s *Followers) Follow(ctx context.Context, ready func(), deliver func([]store.Change)) {
	f := &follower{}
	s.mu.Lock()
	if s.all == nil {
		s.all = map[*follower]struct{}{}
	}
	s.all[f] = struct{}{}
	s.mu.Unlock()
	ready()
	for s.until(ctx, func() bool { return len(f.news) > 0 }) {
		s.mu.Lock()
		news := f.news
		f.news, f.busy = nil, true
		s.mu.Unlock()
		deliver(news)
		s.change(func() { f.busy = false })
	}
	s.change(func() { delete(s.all, f) })
}

// Publish queues changes for all followers. It does not block.
func (s *Followers) Publish(changes ...store.Change) {
	s.change(func() {
		for f := range s.all {
			f.news = append(f.news, changes...)
			if len(f.news) > maxQueued {
				f.news = []store.Change{{}}
			}
		}
	})
}

// Drain waits until all followers have received the changes that were published before the call.
func (s *Followers) Drain(ctx context.Context) error {
	s.until(ctx, func() bool {
		for f := range s.all {
			if f.busy || len(f.news) > 0 {
				return false
			}
		}
		return true
	})
	return ctx.Err()
}

// change changes something, and wakes those that wait for it.
func (s *Followers) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// until waits until something is so, and reports whether it is before ctx ends.
func (s *Followers) until(ctx context.Context, is func() bool) bool {
	for ctx.Err() == nil {
		s.mu.Lock()
		ok := is()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return false
}
