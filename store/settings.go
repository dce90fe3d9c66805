package store

import (
	"bugle/engine"
)

// KnownSettings are settings with the record that they were read from. They are shared by who reads
// them, and never change.
type KnownSettings struct {
	Workspace engine.Workspace
	Mark      []byte
}
