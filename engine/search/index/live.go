package index

import (
	"context"
	"errors"

	"bugle/engine"
)

// Indexed is a service with an index of its workspace in this process. Writes of this process are in the
// index before they return.
type Indexed interface {
	// Index returns the index, which includes archived rows. It may still be loading, see [Index.Wait], and
	// is kept current until [Index.Closed] is closed; call Index again then. It returns false if the service
	// is closed.
	Index(ctx context.Context) (*Index, bool)
	// Sync returns once the index includes everything written before the call, also by other processes.
	Sync(ctx context.Context) error
}

// For returns the index of a service, or false if it has none; see [Indexed].
func For(ctx context.Context, service any) (*Index, bool) {
	if s, ok := service.(Indexed); ok {
		return s.Index(ctx)
	}
	return nil, false
}

// Synced is [For] with the guarantee that the index includes everything written before the call, also by
// other processes. It returns false if that cannot be guaranteed.
func Synced(ctx context.Context, service any) (*Index, bool) {
	ix, ok := For(ctx, service)
	if !ok || service.(Indexed).Sync(ctx) != nil {
		return nil, false
	}
	return ix, true
}

// ErrClosed reports that the index is no longer kept current.
var ErrClosed = errors.New("the index is not kept current any more")

// Close marks the index as no longer kept current, for a reason that may be nil. Its owner calls it; only the
// first call has an effect.
func (ix *Index) Close(why error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	select {
	case <-ix.closed:
	default:
		ix.closeErr = why
		close(ix.closed)
	}
}

// Closed returns a channel that is closed when the index is no longer kept current.
func (ix *Index) Closed() <-chan struct{} { return ix.closed }

// Wait waits until the load has added more than beyond rows or is complete, and returns the progress. It
// fails when ctx ends, or if the index was closed: with the reason, or else with [ErrClosed].
func (ix *Index) Wait(ctx context.Context, beyond int) (rows int, complete bool, err error) {
	for {
		ix.mu.RLock()
		grew := ix.grew
		rows, complete = ix.Progress()
		ix.mu.RUnlock()
		if rows > beyond || complete {
			return rows, complete, nil
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return rows, false, ctx.Err()
		case <-ix.closed:
			if ix.closeErr != nil {
				return rows, false, ix.closeErr
			}
			return rows, false, ErrClosed
		}
	}
}

// Current returns the current head of the row with an id, according to the index's clock. It returns false if
// there is no such row, or if the index may be outdated: before it is completely loaded, and after it was
// closed.
func (ix *Index) Current(id string) (engine.Head, bool) {
	if !ix.filled.Load() {
		return engine.Head{}, false
	}
	select {
	case <-ix.closed:
		return engine.Head{}, false
	default:
	}
	s := ix.current()
	slot, ok := ix.slot(s, id)
	if !ok {
		return engine.Head{}, false
	}
	sum := engine.Summary{Head: s.head(slot)}
	b, i := s.at(slot)
	sum.Start, sum.End = b.times[start].at(i), b.times[end].at(i)
	return engine.HeadAt(sum, ix.idleClock()), true
}

// grow wakes goroutines that wait for a load.
func (ix *Index) grow() {
	close(ix.grew)
	ix.grew = make(chan struct{})
}
