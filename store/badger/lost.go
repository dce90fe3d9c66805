package badger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
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

// addLost notes what was found while the store is open.
func (d *DB) addLost(l ...lost) {
	for {
		old := d.lost.Load()
		all := append(append([]lost(nil), *old...), l...)
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
		out = append(out, fmt.Sprintf("the store in %s has lost something (%s); `bugle doctor` tells what, and mends what can be mended", d.dir, lost[0]))
	}
	return out
}

// Prove reads every part of the store's files that was not proved as it was opened. What is damaged
// is among [DB.Lost] then.
func (d *DB) Prove(ctx context.Context) {
	d.proof.Load().all(ctx.Done())
}

// proof is the tables of a large store that are still to be proved.
type proof struct {
	d      *DB
	tables []*unproved
}

type unproved struct {
	name        string
	id          uint64
	left, right []byte
	turn        chan struct{} // holds one token until the table is proved
}

// proving gives what is still to be proved of an open store.
func (d *DB) proving(proved bool) *proof {
	p := &proof{d: d}
	if proved {
		return p
	}
	for _, t := range d.db.Tables() {
		u := &unproved{name: tableName(t.ID), id: t.ID, left: y.ParseKey(t.Left), right: y.ParseKey(t.Right), turn: make(chan struct{}, 1)}
		u.turn <- struct{}{}
		p.tables = append(p.tables, u)
	}
	return p
}

// reads proves the tables that may have keys of a range before they are read; nil ends are open.
func (p *proof) reads(from, to []byte) {
	for _, t := range p.tables {
		if (to == nil || bytes.Compare(t.left, to) < 0) && bytes.Compare(t.right, from) >= 0 {
			p.prove(t)
		}
	}
}

// restBefore is how long a large store is left in peace after it was opened, before the tables that
// nobody has read are proved.
const restBefore = 2 * time.Second

// later proves every table when the store has been open for a while, until stop is closed.
func (p *proof) later(stop <-chan struct{}) {
	rest := time.NewTimer(restBefore)
	defer rest.Stop()
	select {
	case <-stop:
	case <-rest.C:
		p.all(stop)
	}
}

// all proves every table, until stop is closed.
func (p *proof) all(stop <-chan struct{}) {
	for _, t := range p.tables {
		select {
		case <-stop:
			return
		default:
			p.prove(t)
		}
	}
	if p.d != nil {
		p.d.proof.Store(new(proof))
	}
}

func (p *proof) prove(u *unproved) {
	if _, first := <-u.turn; !first {
		return
	}
	defer close(u.turn)
	t, err := readTable(filepath.Join(p.d.path, u.name), p.d.vault.how(p.d.named, u.id), nil)
	if err != nil || t.whole() { // a table that is gone was rewritten
		return
	}
	if !t.indexed {
		t.gaps, t.newest = []gap{{from: u.left}}, math.MaxUint64
	}
	why := fmt.Sprintf("%d blocks of the table %s are not what was written", len(t.gaps), u.name)
	for _, g := range t.gaps {
		p.d.addLost(lost{From: g.from, To: g.to, Bloom: t.bloom, Version: t.newest, Why: why, At: time.Now()})
	}
	p.d.unsound.Store(true)
}
