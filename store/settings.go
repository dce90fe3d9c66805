package store

import (
	"bugle/engine"
)

// CachedSettings are settings with the record that they were read from. They are shared by who reads
// them, and never change.
type CachedSettings struct {
	Workspace engine.Workspace
	Record    []byte
}
