package outbox

import "bugle/ui/screen"

// Read says the messages, or reads the one that is open.
func (s *Screen) Read() screen.Page { return s.list.Read() }
