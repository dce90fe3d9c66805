package local

import (
	"context"
	"math"

	"bugle/engine/index"
)

// Restored reports whether the store keeps an index that fits, and how many rows it has.
func (s *Service) Restored(ctx context.Context) (rows int, ok bool) {
	ix := index.New(index.Options{Now: s.now})
	err := s.restore(ctx, ix)
	return ix.Len(), err == nil
}

// Scanning makes searches read the store, as they do while there is no index.
func (s *Service) Scanning() {
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	s.rows.asked = math.MinInt
}
