package kv

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"

	"bugle/store"
)

// Driver is an ordered key-value store that is read through snapshots and changed by commits. It is safe for concurrent
// use. [NewStore] makes transactions of it.
type Driver interface {
	// Snapshot returns what the store contains now. The caller must release it.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Commit makes all writes of a change durable, or none. It fails with [ErrConflict] if something that the change
	// has read is different by now. The counts are right only if the change has read what it writes.
	Commit(ctx context.Context, c Change) error
	// Verify reads everything that the store has on disk. It returns an error that says what is damaged.
	Verify(ctx context.Context) error
	// Suspect is called when somebody has found damage: everything is soon read again.
	Suspect(damage error)
	// Close closes the store, when no snapshot is in use and no commit is running. Closing it twice is not an error.
	Close() error
}

// Snapshot is the contents of a store at one moment.
type Snapshot interface {
	// Get returns the record under a key, or one with the version 0 if there is none. Its value is the caller's.
	Get(ctx context.Context, key []byte) (Item, error)
	// Versions returns the versions of records, 0 of those that do not exist.
	Versions(ctx context.Context, keys [][]byte) ([]uint64, error)
	// Scan calls fn with the records whose keys begin with prefix, in key order. An item is valid until fn returns. Scan
	// stops at the first error of fn and returns it.
	Scan(ctx context.Context, prefix []byte, o ScanOptions, fn func(Item) error) error
	// Release ends the use of the snapshot.
	Release()
}

// Item is one record.
type Item struct {
	Key, Value []byte
	// Version is different after each write of the record, also after the store was opened again, and never 0.
	Version uint64
}

// Change is what one transaction has read and written.
type Change struct {
	Reads  []Read
	Ranges []Range
	Writes []Write
	Counts []Count
	// Refused is how often earlier attempts were refused. Of several changes, the one that was refused most goes first.
	Refused int
}

// Read is a record that was read.
type Read struct {
	Key     []byte
	Version uint64 // 0 if it did not exist
}

// Range is the keys from From to To, exclusive, that were scanned. An empty To is the end of all keys.
type Range struct {
	From, To []byte
	Digest   uint64 // of the records in it, see [Range.add]
}

// Write is a record that is set or deleted.
type Write struct {
	Key, Value []byte
	Delete     bool
}

// Count is an amount by which the counter under a key changes; see [AddCount].
type Count struct {
	Key   []byte
	Delta int64
}

var (
	// ErrConflict reports that another transaction has changed what a change has read. Nothing was written.
	ErrConflict = errors.New("another process changed the same records")
	// ErrSnapshotLost reports that a snapshot can no longer be read, because its store has another owner now. Nothing
	// was written, and the transaction can run again.
	ErrSnapshotLost = errors.New("the process that had the store open has quit")
)

// has reports whether a key is in the range.
func (r Range) has(key []byte) bool {
	return bytes.Compare(r.From, key) <= 0 && (len(r.To) == 0 || bytes.Compare(key, r.To) < 0)
}

// add adds a record to the digest of what a range contains. The order of the records does not matter. Key and version are
// hashed together: two records that change in one commit must not cancel each other out.
func (r *Range) add(i Item) {
	r.Digest += xxhash.Sum64(binary.BigEndian.AppendUint64(bytes.Clone(i.Key), i.Version))
}

// Check returns [ErrConflict] if the change has read something that is different in now, or that is among the keys that
// were written since.
func (c Change) Check(ctx context.Context, now Snapshot, written map[string]struct{}) error {
	keys := make([][]byte, len(c.Reads))
	for i, r := range c.Reads {
		if _, ok := written[string(r.Key)]; ok {
			return ErrConflict
		}
		keys[i] = r.Key
	}
	versions, err := now.Versions(ctx, keys)
	if err != nil {
		return err
	}
	for i, v := range versions {
		if v != c.Reads[i].Version {
			return ErrConflict
		}
	}
	for _, r := range c.Ranges {
		for key := range written {
			if r.has([]byte(key)) {
				return ErrConflict
			}
		}
		seen := Range{From: r.From, To: r.To}
		err := now.Scan(ctx, nil, ScanOptions{From: r.From, KeysOnly: true}, func(i Item) error {
			if !r.has(i.Key) {
				return store.Stop
			}
			if !isHidden(i.Key) {
				seen.add(i)
			}
			return nil
		})
		if err != nil && !errors.Is(err, store.Stop) {
			return err
		}
		if seen.Digest != r.Digest {
			return ErrConflict
		}
	}
	return nil
}
