package local

import (
	"context"
	"math"

	"bugle/engine/search/index"
)

// Restored reports whether the store keeps an index that fits, and how many rows it has.
func (s *Service) Restored(ctx context.Context) (rows int, ok bool) {
	ix := index.New(index.Options{Now: s.now})
	err := s.writer.index.restore(ctx, ix)
	return ix.Len(), err == nil
}

// Scanning makes searches read the store, as they do while there is no index.
func (s *Service) Scanning() {
	s.writer.index.mu.Lock()
	defer s.writer.index.mu.Unlock()
	s.writer.index.misses = math.MinInt
}
