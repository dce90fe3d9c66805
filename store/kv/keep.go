package kv

// Dated is a [Tx] that knows the version of the store which it sees. Each change makes a higher one.
type Dated interface{ Version() uint64 }

// Holder is a [Tx] of a store that several processes have. Held reports whether a process that has the store holds a
// lease, see [store.Idempotency].
type Holder interface {
	LeaseHeld(lease string) (bool, error)
}

// Hidden returns the key of a record that no scan returns, so that it is neither checked nor backed up: what a driver
// notes for itself.
func Hidden(name string) []byte { return append([]byte{0}, name...) }

// IsHidden reports whether a key is one that no scan returns.
func IsHidden(key string) bool { return key != "" && key[0] == 0 }
