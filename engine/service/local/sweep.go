package local

import (
	"context"
	"sync/atomic"
	"time"

	"bugle/store"
)

// sweepEvery is how often a sweep begins at most, when an idempotency key is written.
const sweepEvery = 10 * time.Minute

// sweeper removes what nobody needs any more: idempotency keys and request ids whose time is over, and what
// deleted campaigns have left.
type sweeper struct {
	*writer
	tasks *tasks
	swept atomic.Int64 // when the last sweep began, in Unix seconds
}

// start does one batch of a sweep, and the rest in the background.
func (s *sweeper) start(ctx context.Context) {
	s.swept.Store(s.now().Unix())
	if s.once(ctx) {
		s.tasks.start(s.sweep)
	}
}

// soon begins a sweep in the background, where the last one is long enough ago.
func (s *sweeper) soon() {
	now, last := s.now(), s.swept.Load()
	if age := now.Sub(time.Unix(last, 0)); age >= 0 && age < sweepEvery || !s.swept.CompareAndSwap(last, now.Unix()) {
		return
	}
	s.tasks.start(s.sweep)
}

// sweep removes all of it, a batch at a time.
func (s *sweeper) sweep(ctx context.Context) {
	for s.once(ctx) {
	}
}

// once does one batch of a sweep, and reports whether there is more. What fails is tried again by the
// next sweep: it is no failure of what began it.
func (s *sweeper) once(ctx context.Context) (more bool) {
	err := s.update(ctx, func(sp store.WorkspaceTx) error {
		expired, err := sp.Sweep(s.now())
		if err != nil {
			return err
		}
		deleted, err := sp.FinishDeletes()
		more = expired || deleted
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("expired records were not removed", "error", err)
	}
	return more && err == nil
}

// finishDeletes removes what the deletion of campaigns has left.
func (s *sweeper) finishDeletes(ctx context.Context) {
	for more := true; more; {
		err := s.update(ctx, func(sp store.WorkspaceTx) (err error) {
			more, err = sp.FinishDeletes()
			return err
		})
		if err != nil {
			s.log.Warn("the history of a deleted campaign is removed later", "error", err)
			return
		}
	}
}
