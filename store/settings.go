package store

import (
	"bugle/engine"
)

// CachedSettings are settings together with the encoded record that they were read from. They are shared between
// callers and must not be modified.
type CachedSettings struct {
	Workspace engine.Workspace
	Record    []byte
}
