package local

import (
	"context"
	"sync"
	"time"

	"bugle/store"
)

// follower receives the changes of other processes if the store has a feed. It starts when the service first
// caches something that they can change.
type follower struct {
	feed      store.Feed // nil: no other process writes to the store
	tasks     *tasks
	onChanges func([]store.Change)

	begin sync.Once
	ready chan struct{} // closed when the feed has started
}

func newFollower(db store.DB, t *tasks, tell func([]store.Change)) *follower {
	feed, _ := db.(store.Feed)
	return &follower{feed: feed, tasks: t, onChanges: tell, ready: make(chan struct{})}
}

// wait starts the feed, and returns when it receives all later changes.
func (f *follower) wait(ctx context.Context) error {
	if f.feed == nil {
		return nil
	}
	f.begin.Do(func() {
		f.tasks.start(func(ctx context.Context) {
			f.feed.Follow(ctx, sync.OnceFunc(func() { close(f.ready) }), f.onChanges)
		})
	})
	select {
	case <-f.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sync returns when every change committed before the call has been received.
func (f *follower) sync(ctx context.Context) error {
	if f.feed == nil {
		return nil
	}
	return f.feed.Sync(ctx)
}

// Sync implements [index.Indexed].
func (s *Service) Sync(ctx context.Context) error { return s.writer.index.follow.sync(ctx) }

// settingsLifetime is how long cached settings are valid if other processes can change them. An API key that
// another process revokes stops working within this time, even if the change feed is interrupted.
const settingsLifetime = time.Second

// current reports whether settings read at a time are still valid, unless this process changed them.
func (f *follower) current(read time.Time) bool {
	return f.feed == nil || time.Since(read) < settingsLifetime
}

// changed applies changes of other processes to the caches.
func (s *Service) changed(changes []store.Change) {
	var campaigns []change
	for _, c := range changes {
		switch {
		case c == store.Change{}:
			s.Reindex()
			return
		case c.Workspace != s.workspace:
		case c.Kind == store.ChangedSettings:
			s.settingsChanges.Add(1)
		case c.Kind == store.ChangedCampaign:
			next := change{}
			next.row.ID = c.ID
			campaigns = append(campaigns, next)
		}
	}
	if len(campaigns) > 0 {
		s.writer.index.reread(campaigns)
	}
}
