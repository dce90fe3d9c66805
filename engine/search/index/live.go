package index

import (
	"context"
	"errors"

	"bugle/engine"
)

// Indexed is a service that keeps an index of its workspace in this process: what anybody writes is in
// it before the write returns. What other processes write comes a moment later, see Sync.
type Indexed interface {
	// Index returns that index, which holds the archived rows too. It may be loading still, see
	// [Index.Wait], and is kept current until [Index.Closed] is closed: then ask again. False if the service is
	// closed.
	Index(ctx context.Context) (*Index, bool)
	// Sync returns once the index has what anybody, also in other processes, had written before the call.
	Sync(ctx context.Context) error
}

// For returns the index that a service keeps; false where it keeps none, see [Indexed].
func For(ctx context.Context, service any) (*Index, bool) {
	if s, ok := service.(Indexed); ok {
		return s.Index(ctx)
	}
	return nil, false
}

// Synced is [For] for an index that has what anybody had written before the call; false also where that cannot be known.
func Synced(ctx context.Context, service any) (*Index, bool) {
	ix, ok := For(ctx, service)
	if !ok || service.(Indexed).Sync(ctx) != nil {
		return nil, false
	}
	return ix, true
}

// ErrClosed says that nobody keeps the index current any more.
var ErrClosed = errors.New("the index is not kept current any more")

// Close says that from now on nobody keeps the index current, and why; nil where there is nothing to
// say. It is for the keeper of the index, and only its first call counts.
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

// Closed is closed when nobody keeps the index current any more. An index without a keeper is never left.
func (ix *Index) Closed() <-chan struct{} { return ix.closed }

// Wait waits until the load has taken more rows than beyond, or is complete, and tells as
// [Index.Progress] does. It fails when ctx ends, and where the index was left: with what it was left for,
// or else with [ErrClosed].
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

// Current returns the head of the row with that id as it is now, by the clock of the index: what the service
// that keeps it would give. It reports false where the row is not there, and where the index may not be
// current: before its load is complete, and once it was left.
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

// grow wakes those who wait for a load.
func (ix *Index) grow() {
	close(ix.grew)
	ix.grew = make(chan struct{})
}
