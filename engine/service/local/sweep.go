package local

import (
	"context"
	"sync/atomic"
	"time"

	"bugle/store"
)

// sweepEvery is the shortest time between sweeps. Writing an idempotency key starts them.
const sweepEvery = 10 * time.Minute

// sweeper removes expired idempotency keys and request ids.
type sweeper struct {
	*writer
	tasks *tasks
	swept atomic.Int64 // start of the last sweep in Unix seconds
}

// start sweeps one batch, and the rest in the background.
func (s *sweeper) start(ctx context.Context) {
	s.swept.Store(s.now().Unix())
	if s.once(ctx) {
		s.tasks.start(s.sweep)
	}
}

// soon starts a sweep in the background if the last one was long enough ago.
func (s *sweeper) soon() {
	now, last := s.now(), s.swept.Load()
	if age := now.Sub(time.Unix(last, 0)); age >= 0 && age < sweepEvery || !s.swept.CompareAndSwap(last, now.Unix()) {
		return
	}
	s.tasks.start(s.sweep)
}

// sweep sweeps everything, batch by batch.
func (s *sweeper) sweep(ctx context.Context) {
	for s.once(ctx) {
	}
}

// once sweeps one batch, and reports whether there is more. Errors are left to the next sweep; they do not
// fail the caller.
func (s *sweeper) once(ctx context.Context) (more bool) {
	err := s.update(ctx, func(sp store.WorkspaceTx) (err error) {
		more, err = sp.Sweep(s.now())
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("expired records were not removed", "error", err)
	}
	return more && err == nil
}
