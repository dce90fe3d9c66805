package local

import "math"

// Scanning makes searches read the store, as they do while there is no index.
func (s *Service) Scanning() {
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	s.rows.asked = math.MinInt
}
