package outbox

import "context"

// SetBrowser puts another way of opening a file in the place of the system's.
func (s *Screen) SetBrowser(start func(ctx context.Context, file string) error) {
	s.pages.Start = start
}
