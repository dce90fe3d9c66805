package kv

// LeaseChecker is a [Tx] of a store that several processes share. LeaseHeld reports whether one of these processes
// holds a lease, see [store.Idempotency].
type LeaseChecker interface {
	LeaseHeld(lease string) (bool, error)
}

// HiddenKey returns the key of a driver's internal record. Scans do not return such records, so they are neither
// checked nor backed up.
func HiddenKey(name string) []byte { return append([]byte{0}, name...) }

// IsHidden reports whether key was made by [HiddenKey].
func IsHidden(key string) bool { return key != "" && key[0] == 0 }
