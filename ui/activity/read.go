package activity

import "bugle/ui/screen"

// Read says the calls, or reads the one that is open.
func (s *Screen) Read() screen.Page { return s.list.Read() }
