package badger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"

	"bugle/store/kv"
)

// The store counts its records by workspace and kind, in the transaction that writes them. So it can detect missing
// records, whatever has lost them. The counts of each workspace are an internal record. A store of an earlier version
// gets them when it is opened.
var countPrefix = []byte("\x00count")

func countKey(workspace string) []byte { return append(slices.Clone(countPrefix), workspace...) }

// encodeCounts encodes the counts of one workspace: each kind with its number, and a checksum over all of them and the
// key.
func encodeCounts(key []byte, kinds map[byte]int64) []byte {
	var b []byte
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		b = binary.AppendVarint(append(b, kind), kinds[kind])
	}
	return binary.BigEndian.AppendUint64(b, xxhash.Sum64(append(slices.Clone(key), b...)))
}

func decodeCounts(key, b []byte) (map[byte]int64, error) {
	at := len(b) - 8
	if at < 0 || binary.BigEndian.Uint64(b[at:]) != xxhash.Sum64(append(slices.Clone(key), b[:at]...)) {
		return nil, errors.New("its checksum does not match")
	}
	kinds := map[byte]int64{}
	for b = b[:at]; len(b) > 0; {
		n, size := binary.Varint(b[1:])
		if size <= 0 {
			return nil, errors.New("it is cut short")
		}
		kinds[b[0]] = n
		b = b[1+size:]
	}
	return kinds, nil
}

// readCounts returns the counts in a transaction's snapshot, or nil if there are none or they cannot be read.
func readCounts(txn *badger.Txn) (kv.Counts, error) {
	it := txn.NewIterator(badger.IteratorOptions{Prefix: countPrefix})
	defer it.Close()
	var out kv.Counts
	err := recoverMove(func() { it.Rewind() })
	for ; err == nil && it.Valid(); err = recoverMove(it.Next) {
		item := it.Item()
		err := item.Value(func(v []byte) error {
			kinds, err := decodeCounts(item.Key(), v)
			if err != nil {
				return err
			}
			if out == nil {
				out = kv.Counts{}
			}
			out[string(item.Key()[len(countPrefix):])] = kinds
			return nil
		})
		if err != nil {
			return nil, nil
		}
	}
	return out, err
}

// countAll counts the records in a transaction's snapshot.
func countAll(txn *badger.Txn) (kv.Counts, error) {
	counts := kv.Counts{"": {}}
	it := txn.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	err := recoverMove(func() { it.Rewind() })
	for ; err == nil && it.Valid(); err = recoverMove(it.Next) {
		if key := it.Item().Key(); !isInternal(key) && !bytes.HasPrefix(key, []byte("!badger!")) {
			counts.Add(key, 1)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("counting the records: %w", err)
	}
	return counts, nil
}

// setCounts writes counts, and removes those of other workspaces.
func setCounts(txn *badger.Txn, of *identity, counts kv.Counts) error {
	old, err := readCounts(txn)
	if err != nil {
		return err
	}
	for workspace := range old {
		if _, ok := counts[workspace]; !ok {
			if err := txn.Delete(countKey(workspace)); err != nil {
				return err
			}
		}
	}
	for workspace, kinds := range counts {
		if err := txn.SetEntry(of.entry(countKey(workspace), encodeCounts(countKey(workspace), kinds))); err != nil {
			return err
		}
	}
	return nil
}

// recount replaces the counts with the actual numbers of records.
func recount(db *badger.DB, of *identity) error {
	return db.Update(func(txn *badger.Txn) error {
		counts, err := countAll(txn)
		if err != nil {
			return err
		}
		return setCounts(txn, of, counts)
	})
}

// Counts implements [kv.Counter].
func (t *tx) Counts() (kv.Counts, error) {
	counts, err := readCounts(t.txn)
	if err != nil {
		return nil, t.db.explain(err)
	}
	return counts, nil
}

// existed reports whether a record that is about to be written exists. A lost record counts as existing, because it was
// counted when it was saved.
func (t *tx) existed(key []byte, print uint64) (bool, error) {
	if place, ok := t.written[string(key)]; ok && place < 0 {
		return place == present, nil
	}
	t.change.reads = append(t.change.reads, print)
	switch _, err := t.txn.Get(key); {
	case err == nil:
		return true, nil
	case errors.Is(err, badger.ErrKeyNotFound):
		return t.db.mayBeLost(t.txn, key), nil
	default:
		return false, t.db.explain(err)
	}
}
