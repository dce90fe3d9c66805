// Package kv implements the records of [store.DB] over an ordered key-value store. [DB] is the key-value store, with
// transactions; bugle/store/badger implements it on disk, bugle/store/mem in memory. [NewWorkspaceTx] returns a
// [WorkspaceTx], which reads and writes the records of one workspace within one transaction. Every record has a
// checksum over its key and its value: damage is reported as a [store.CorruptError] and damaged data is never returned.
package kv

import (
	"context"
)

// DB is an ordered key-value store with transactions. It is safe for concurrent use.
type DB interface {
	// View runs fn on a snapshot of the store.
	View(ctx context.Context, fn func(Tx) error) error
	// Update runs fn in one transaction. If another transaction changes what fn has read, fn runs again, so it must
	// have no effects except on its Tx, and it must not start another Update. If Update returns nil, the changes are
	// durable; if it fails, none of them is stored.
	Update(ctx context.Context, fn func(Tx) error) error
	// Close closes the store. Closing it twice is not an error.
	Close() error
}

// Tx is one transaction. It must only be used by the goroutine that runs its function, and ends with it.
type Tx interface {
	// Get returns a copy of the value, or [store.ErrNotFound], or [store.ErrDataLost].
	Get(key []byte) ([]byte, error)
	// Set stores a value. It keeps both slices, which must not change until the transaction ends.
	Set(key, value []byte) error
	// Delete removes a key, if it exists.
	Delete(key []byte) error
	// Scan calls fn with the records whose keys begin with prefix, in key order, as they were when Scan was called. Key
	// and value are valid only until fn returns. Scan stops at the first error of fn and returns it, except
	// [store.Stop], for which it returns nil. A lost record has an empty value.
	Scan(prefix []byte, o ScanOptions, fn func(key, value []byte) error) error
}

// ScanOptions narrows a [Tx.Scan].
type ScanOptions struct {
	Reverse  bool
	From     []byte // the full key to start at, inclusive; nil starts at the end of the range if Reverse is set, else at the beginning
	KeysOnly bool   // leave value nil, which is cheaper
	Limit    int    // at most that many records; 0 means all
	// Proved makes the scan verify the checksums of everything that it reads, including blocks that were verified a
	// moment ago. It is for copying and checking the store.
	Proved bool
}

// PrefixEnd returns the first key that sorts after all keys with a prefix, or nil if there is no such key.
// Implementations of [Tx] start a reverse scan at it.
func PrefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xFF {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}
