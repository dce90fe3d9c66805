package local

import "math"

// Scanning makes searches read the store, as they do while there is no index.
func (s *Service) Scanning() {
	s.writer.index.mu.Lock()
	defer s.writer.index.mu.Unlock()
	s.writer.index.misses = math.MinInt
}
