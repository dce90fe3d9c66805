package badger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/y"

	"bugle/store"
)

// lost says that records cannot be read any more: which keys they may have had, and up to which
// version. A record that is newer was written since.
type lost struct {
	From    []byte    `json:"from,omitempty"`
	To      []byte    `json:"to,omitempty"` // nil: to the end
	Bloom   []byte    `json:"bloom,omitempty"`
	Unknown bool      `json:"unknown,omitempty"` // which keys is not known: it is told, and no record is held back
	Version uint64    `json:"version"`
	Why     string    `json:"why"`
	At      time.Time `json:"at"`
}

// exactly gives the mark of one key.
func exactly(key []byte, why string) lost {
	key = bytes.Clone(key)
	return lost{From: key, To: append(bytes.Clone(key), 0), Why: why}
}

func (l lost) touches(key []byte) bool {
	return !l.Unknown && bytes.Compare(key, l.From) >= 0 && (l.To == nil || bytes.Compare(key, l.To) < 0) &&
		(l.Bloom == nil || y.Filter(l.Bloom).MayContainKey(key))
}

// Marks are records of their own, before all others; scans do not give them.
var lostPrefix = []byte("\x00lost")

func lostKey(n int) []byte { return fmt.Appendf(nil, "%s%06d", lostPrefix, n) }

// own reports whether a key is one of this package's.
func own(key []byte) bool { return len(key) > 0 && key[0] == 0 }

// readLost reads the marks of the store.
func (d *DB) readLost() error {
	var marks []lost
	err := d.db.View(func(t *badger.Txn) error {
		it := t.NewIterator(badger.IteratorOptions{Prefix: lostPrefix})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			err := it.Item().Value(func(v []byte) error {
				var l lost
				if err := json.Unmarshal(v, &l); err != nil {
					return fmt.Errorf("reading what is lost: %w", err)
				}
				marks = append(marks, l)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.lost.Store(&marks)
	return nil
}

func writeLost(db *badger.DB, marks []lost) error {
	return db.Update(func(t *badger.Txn) error {
		for n, l := range marks {
			b, err := json.Marshal(l)
			if err != nil {
				return fmt.Errorf("keeping what is lost: %w", err)
			}
			if err := t.Set(lostKey(n), b); err != nil {
				return fmt.Errorf("keeping what is lost: %w", err)
			}
		}
		return nil
	})
}

// keepLost keeps what was found while the store is open: a compaction may have put a damaged table into
// others, and then no later proof finds it. That it fails is no reason not to close.
func (d *DB) keepLost() { _ = writeLost(d.db, *d.lost.Load()) }

// addLost notes what was found while the store is open. What was lost for another reason before is lost
// for this one now: more was found of the same.
func (d *DB) addLost(before string, l ...lost) {
	for {
		old := d.lost.Load()
		all := append(append([]lost(nil), *old...), l...)
		for i := range *old {
			if all[i].Why == before {
				all[i].Why, all[i].At = l[0].Why, l[0].At
			}
		}
		if d.lost.CompareAndSwap(old, &all) {
			return
		}
	}
}

// missing reports whether a record of key is lost, where the one that is there has that version; 0
// where none is there.
func (d *DB) missing(key []byte, version uint64) bool {
	for _, l := range *d.lost.Load() {
		if version <= l.Version && l.touches(key) {
			return true
		}
	}
	return false
}

// Lost tells what the store has lost, a sentence each, until [DB.Forget]; nil where nothing is.
func (d *DB) Lost() []string {
	var out []string
	seen := map[string]bool{}
	for _, l := range *d.lost.Load() {
		text := fmt.Sprintf("on %s a part of the store was lost: %s", l.At.Local().Format("2006-01-02 15:04"), l.Why)
		if !seen[text] {
			out, seen[text] = append(out, text), true
		}
	}
	return out
}

// Forget ends what [DB.Lost] tells: from then on a record that is lost is not there.
func (d *DB) Forget() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return store.ErrClosed
	}
	if err := d.checkSpace(); err != nil {
		return err
	}
	marks := *d.lost.Load()
	err := d.db.Update(func(t *badger.Txn) error {
		for n := range marks {
			if err := t.Delete(lostKey(n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return d.explain(err)
	}
	d.lost.Store(new([]lost))
	return nil
}

// Notices tells what was wrong with the store as it was opened and what was done about it, and what
// it has lost: a sentence each, for people. Mostly there is none.
func (d *DB) Notices() []string {
	out := append([]string(nil), d.said...)
	if lost := d.Lost(); len(lost) > 0 && len(d.said) == 0 {
		out = append(out, d.lossy(lost[0]))
	}
	return out
}

func (d *DB) lossy(why string) string {
	return fmt.Sprintf("the store in %s has lost something (%s); `bugle doctor` tells what, and mends what can be mended", d.dir, why)
}
