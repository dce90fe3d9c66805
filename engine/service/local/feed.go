package local

import (
	"context"
	"sync"
	"time"

	"bugle/store"
)

// follower takes what other processes write, where the store has a feed of that. It begins to follow when something is
// first kept in memory that they may change.
type follower struct {
	feed  store.Feed // nil where nobody else writes
	tasks *tasks
	tell  func([]store.Change)

	begin sync.Once
	ready chan struct{} // closed once nothing is missed any more
}

func newFollower(db store.DB, t *tasks, tell func([]store.Change)) *follower {
	feed, _ := db.(store.Feed)
	return &follower{feed: feed, tasks: t, tell: tell, ready: make(chan struct{})}
}

// wait begins to follow, and waits until every later change of others is told.
func (f *follower) wait(ctx context.Context) error {
	if f.feed == nil {
		return nil
	}
	f.begin.Do(func() {
		f.tasks.start(func(ctx context.Context) {
			f.feed.Follow(ctx, sync.OnceFunc(func() { close(f.ready) }), f.tell)
		})
	})
	select {
	case <-f.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sync waits until everything that was committed before is told.
func (f *follower) sync(ctx context.Context) error {
	if f.feed == nil {
		return nil
	}
	return f.feed.Sync(ctx)
}

// Sync implements [index.Indexed].
func (s *Service) Sync(ctx context.Context) error { return s.writer.index.follow.sync(ctx) }

// settingsLife is how long settings count that others may change: an API key that is revoked in another process ends
// within it, also while the feed is interrupted.
const settingsLife = time.Second

// current reports whether what was read at a time still counts, as nobody in this process has changed it.
func (f *follower) current(read time.Time) bool {
	return f.feed == nil || time.Since(read) < settingsLife
}

// changed takes what others have written.
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
