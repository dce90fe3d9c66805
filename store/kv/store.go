// Package kv keeps the records of workspaces, see [store.DB], in an ordered key space.
//
// [DB] is an ordered key-value store with transactions; bugle/store/badger keeps one on disk,
// bugle/store/mem in memory. [Workspace] returns a [WorkspaceTx], which knows the records of one workspace and
// reads and writes them within one transaction. Every record carries a checksum over its key
// and its value: what was damaged on disk is reported as a [CorruptError], never handed out.
package kv

import (
	"context"
)

// DB is an ordered key-value store with transactions. It is safe for concurrent use.
type DB interface {
	// View runs fn on an unchanging picture of the store.
	View(ctx context.Context, fn func(Tx) error) error
	// Update runs fn in one transaction. Where another transaction changed what fn has read, fn
	// runs again, so it must have no effect but on its Tx; it must not start another Update.
	// When Update returns nil, the changes are durable; when it fails, none of them is.
	Update(ctx context.Context, fn func(Tx) error) error
	// Close ends the store. Closing twice is no error.
	Close() error
}

// Tx is one transaction. It belongs to the goroutine that got it, and ends with its function.
type Tx interface {
	// Get returns a copy of the value, or [ErrNotFound], or [ErrLost].
	Get(key []byte) ([]byte, error)
	// Set keeps both slices until the transaction ends; they must not change before.
	Set(key, value []byte) error
	// Delete of a key that is not there is no error.
	Delete(key []byte) error
	// Scan calls fn with the records whose key begins with prefix, in the order of their keys, as
	// they were when Scan was called. Key and value are valid only until fn returns. An error
	// of fn ends the scan and is returned, but for [Stop], which ends it well. A record that was
	// lost has an empty value.
	Scan(prefix []byte, o ScanOptions, fn func(key, value []byte) error) error
}

// ScanOptions narrows a [Tx.Scan].
type ScanOptions struct {
	Reverse  bool
	From     []byte // a whole key to begin at, inclusive; nil begins at the end of the range
	KeysOnly bool   // value is nil: cheaper
	Limit    int    // at most that many records; 0 for all
	// Since leaves out records that were not written after that version, where the store is a [Keeper]; 0 for none.
	Since uint64
	// Proved has everything that is read compared with its checksums, also what was a moment ago: for
	// those who copy the store, or judge it.
	Proved bool
}

// PrefixEnd returns the first key that sorts after all keys with a prefix, and nil where there is
// no such key. Implementations of [Tx] begin a reverse scan at it.
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
