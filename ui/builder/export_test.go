package builder

import "bugle/engine/doc"

// Root returns the document with every edit; the zero value before it has been read.
func (s *Screen) Root() doc.Value { return s.edit.Root() }

// Depth returns how many steps can be undone.
func (s *Screen) Depth() int { return s.edit.Steps() }
