package badger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/y"

	"bugle/store"
	"bugle/store/badger/internal/files"
)

// lostMark is a set of keys whose records may be unreadable, up to a version. There is one mark for each damaged table.
// A record that exists and is intact is not lost, whatever a mark says.
type lostMark struct {
	Table string       `json:"table,omitempty"` // empty if it is not about a table
	Spans []files.Span `json:"spans,omitempty"`
	Bloom []byte       `json:"bloom,omitempty"` // the table's filter; without it, any key of the spans may be lost
	// Unknown means that the keys are unknown: the loss is reported, and no key counts as lost.
	Unknown bool      `json:"unknown,omitempty"`
	Version uint64    `json:"version"`
	Why     string    `json:"why"`
	At      time.Time `json:"at"`

	// From and To were used by earlier versions instead of Spans.
	From []byte `json:"from,omitempty"`
	To   []byte `json:"to,omitempty"`
}

// spanOf returns the range of a table's keys.
func spanOf(t badger.TableInfo) files.Span {
	return files.Span{From: y.ParseKey(y.Copy(t.Left)), To: append(y.ParseKey(y.Copy(t.Right)), 0)}
}

// The size of a mark is limited, so that a store with damage in many places can still store its marks and open: beyond
// maxSpans, neighboring spans are merged, and a filter of more than maxBloom bytes is omitted.
const (
	maxSpans = 500
	maxBloom = 256 << 10
)

// spansOf returns the gaps of a table as merged spans.
func spansOf(gaps []files.Span) []files.Span { return mergeSpans(append([]files.Span(nil), gaps...)) }

// mergeSpans returns sorted spans, merges adjacent ones, and returns at most maxSpans.
func mergeSpans(spans []files.Span) []files.Span {
	slices.SortFunc(spans, func(a, b files.Span) int { return bytes.Compare(a.From, b.From) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out) - 1; n >= 0 && (out[n].To == nil || bytes.Compare(s.From, out[n].To) <= 0) {
			if out[n].To != nil && (s.To == nil || bytes.Compare(s.To, out[n].To) > 0) {
				out[n].To = s.To
			}
			continue
		}
		out = append(out, s)
	}
	for len(out) > maxSpans {
		half := out[:0]
		for i := 0; i < len(out); i += 2 {
			s := out[i]
			if i+1 < len(out) {
				s.To = out[i+1].To
			}
			half = append(half, s)
		}
		out = half
	}
	return out
}

// markKey returns the mark of one key.
func markKey(key []byte, why string) lostMark {
	key = bytes.Clone(key)
	return lostMark{Spans: []files.Span{{From: key, To: append(bytes.Clone(key), 0)}}, Why: why}
}

func (l lostMark) touches(key []byte) bool {
	return !l.Unknown && (l.Bloom == nil || y.Filter(l.Bloom).MayContainKey(key)) &&
		slices.ContainsFunc(l.Spans, func(s files.Span) bool { return s.Has(key) })
}

// Marks are internal records that sort before all others; scans do not return them.
var lostPrefix = []byte("\x00lost")

func lostKey(n int) []byte { return fmt.Appendf(nil, "%s%06d", lostPrefix, n) }

// isInternal reports whether a key belongs to this package's own records.
func isInternal(key []byte) bool { return len(key) > 0 && key[0] == 0 }

// readLost reads the marks of the store.
func (d *DB) readLost() error {
	var marks []lostMark
	err := d.db.View(func(t *badger.Txn) error {
		it := t.NewIterator(badger.IteratorOptions{Prefix: lostPrefix})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			err := it.Item().Value(func(v []byte) error {
				var l lostMark
				if err := json.Unmarshal(v, &l); err != nil {
					return fmt.Errorf("reading the record of data loss: %w", err)
				}
				if len(l.Spans) == 0 && !l.Unknown {
					l.Spans = []files.Span{{From: l.From, To: l.To}}
				}
				l.From, l.To = nil, nil
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

// writeLost stores marks in the database, each in a transaction of its own, so that one failure does not affect the
// others.
func writeLost(db *badger.DB, of *identity, marks []lostMark) error {
	var failed []error
	n := 0
	for _, l := range marks {
		if len(l.Bloom) > maxBloom {
			l.Bloom = nil
		}
		b, err := json.Marshal(l)
		if err == nil {
			key := lostKey(n)
			err = db.Update(func(t *badger.Txn) error { return t.SetEntry(of.entry(key, b)) })
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("writing the record of data loss: %w", err))
			continue
		}
		n++
	}
	return errors.Join(failed...)
}

// saveLost stores the marks found while the store is open: a compaction may have replaced a damaged table, so a later
// verification would not find the damage.
func (d *DB) saveLost() error {
	d.lostMu.Lock()
	defer d.lostMu.Unlock()
	return writeLost(d.db, d.identity, *d.lost.Load())
}

// addLost adds marks found while the store is open, and merges them with earlier ones of the same table.
func (d *DB) addLost(marks ...lostMark) {
	d.updateLost(func(all []lostMark) []lostMark {
		for _, l := range marks {
			i := slices.IndexFunc(all, func(o lostMark) bool {
				return l.Table != "" && o.Table == l.Table && o.Unknown == l.Unknown
			})
			if i < 0 {
				all = append(all, l)
				continue
			}
			l.Spans = mergeSpans(slices.Concat(all[i].Spans, l.Spans))
			l.Version = max(l.Version, all[i].Version)
			all[i] = l
		}
		return all
	})
}

func (d *DB) updateLost(change func([]lostMark) []lostMark) {
	for {
		old := d.lost.Load()
		all := change(slices.Clone(*old))
		if d.lost.CompareAndSwap(old, &all) {
			return
		}
	}
}

// mayBeLost reports whether a record that txn does not find may be lost. A record that was deleted since is not.
func (d *DB) mayBeLost(txn *badger.Txn, key []byte) bool {
	for _, l := range *d.lost.Load() {
		if !l.touches(key) {
			continue
		}
		if newest, err := newestVersion(txn, key); err != nil || newest <= l.Version {
			return true
		}
	}
	return false
}

// MayBeStale implements [kv.StaleChecker].
func (t *tx) MayBeStale(key []byte) bool {
	marks := *t.db.lost.Load()
	if !slices.ContainsFunc(marks, func(l lostMark) bool { return l.touches(key) }) {
		return false
	}
	version, err := newestVersion(t.txn, key)
	return err == nil && slices.ContainsFunc(marks, func(l lostMark) bool { return version <= l.Version && l.touches(key) })
}

// Lost describes what the store has lost, one sentence per loss, until [DB.AcknowledgeLoss]. It returns nil if nothing
// is lost.
func (d *DB) Lost() []string {
	var out []string
	seen := map[string]bool{}
	for _, l := range *d.lost.Load() {
		text := fmt.Sprintf("part of the store was lost on %s: %s", l.At.Local().Format("2006-01-02 15:04"), l.Why)
		if !seen[text] {
			out, seen[text] = append(out, text), true
		}
	}
	return out
}

// AcknowledgeLoss clears [DB.Lost]: from then on, lost records count as missing, and the counts are those of the
// existing records.
func (d *DB) AcknowledgeLoss() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return store.ErrClosed
	}
	if err := d.checkWriteSpace(); err != nil {
		return err
	}
	d.lostMu.Lock()
	defer d.lostMu.Unlock()
	err := d.db.Update(func(t *badger.Txn) error {
		it := t.NewIterator(badger.IteratorOptions{Prefix: lostPrefix})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			if err := t.Delete(it.Item().KeyCopy(nil)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return d.explain(err)
	}
	d.lost.Store(new([]lostMark))
	return d.explain(d.commits.recount())
}

// Notices describes the problems found when the store was opened and how they were repaired, and losses, one sentence
// each. Usually there are none.
func (d *DB) Notices() []string {
	out := append([]string(nil), d.openNotices...)
	if lost := d.Lost(); len(lost) > 0 && len(d.openNotices) == 0 {
		out = append(out, d.lossNotice(lost[0]))
	}
	return out
}

// FullNotice says that the store is read-only because the disk was full when it was opened; empty if it was not.
func (d *DB) FullNotice() string { return d.fullNotice }

func (d *DB) lossNotice(why string) string {
	return fmt.Sprintf("part of the store in %s was lost (%s); run `bugle doctor` to see what, and to repair it", d.dir, why)
}

// reportDamage reports damage that was found while the store is open, once.
func (d *DB) reportDamage(why string) {
	if tell := d.onDamage.Load(); tell != nil {
		(*tell)(d.lossNotice(why))
	}
}
