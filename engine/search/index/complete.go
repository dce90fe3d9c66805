package index

import (
	"context"
	"errors"
	"math"
	"time"

	"bugle/engine"
)

// Complete returns an index of all campaigns of a service, the archived ones too: the one that the service keeps, once it is
// loaded and has what anybody had written before the call, or else a new one.
func Complete(ctx context.Context, service engine.Service, now time.Time) (*Index, error) {
	if ix, ok := Synced(ctx, service); ok {
		_, _, err := ix.Wait(ctx, math.MaxInt)
		if !errors.Is(err, ErrClosed) {
			return ix, err
		}
		return Complete(ctx, service, now) // the store has changed hands
	}
	ix := New(Options{Now: func() time.Time { return now }})
	return ix, ix.Fill(ctx, service)
}

// Fill loads all campaigns of a service, the archived ones too, as [Index.Load] does.
func (ix *Index) Fill(ctx context.Context, service engine.Service) error {
	return ix.Load(ctx, func(yield func(engine.Summary, error) bool) {
		rows, err := engine.List(ctx, service, engine.ListQuery{Archived: true})
		if err != nil {
			yield(engine.Summary{}, err)
			return
		}
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
}
