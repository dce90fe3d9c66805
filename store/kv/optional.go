package kv

// Versioned is a [Tx] that knows the version of the store which it sees. Each change makes a higher one.
type Versioned interface{ Version() uint64 }

// LeaseChecker is a [Tx] of a store that several processes have. Held reports whether a process that has the store holds a
// lease, see [store.Idempotency].
type LeaseChecker interface {
	LeaseHeld(lease string) (bool, error)
}

// HiddenKey returns the key of a record that no scan returns, so that it is neither checked nor backed up: what a driver
// notes for itself.
func HiddenKey(name string) []byte { return append([]byte{0}, name...) }

// IsHidden reports whether a key is one that no scan returns.
func IsHidden(key string) bool { return key != "" && key[0] == 0 }
