package outbox

import "context"

// SetBrowser replaces the function that opens a file in the browser.
func (s *Screen) SetBrowser(start func(ctx context.Context, file string) error) {
	s.start = start
}
