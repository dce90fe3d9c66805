package badger

import (
	"bytes"
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/y"

	"bugle/store"
)

const (
	// proveAgain is the age from which a table is proved again while the store is open, as a compaction
	// reads it in trust.
	proveAgain = 24 * time.Hour
	// restBefore is how long a large store is left in peace after it was opened, before that begins;
	// pause is between two steps of it, each of which takes about a millisecond.
	restBefore = 2 * time.Second
	pause      = 20 * time.Millisecond
	// stride is how many blocks of a table are proved at a time: a megabyte.
	stride = 64
)

// fresh reports whether a table that was proved then need not be proved again now.
func fresh(since, now time.Time) bool {
	age := now.Sub(since)
	return age >= 0 && age < proveAgain
}

// proof is the tables of a large store that are still to be proved: block by block as they are read, and
// whole in their time.
type proof struct {
	d      *DB
	tables []*unproved // by their first key
	last   [][]byte    // of the tables up to each one, the last key
}

// Prove reads every part of the store's files that was not proved as it was opened. What is damaged
// is among [DB.Lost] then.
func (d *DB) Prove(ctx context.Context) {
	p := d.proof.Load()
	for _, u := range p.tables {
		if ctx.Err() != nil {
			return
		}
		_ = u.prove(d, nil, nil) // who reads there is told
	}
	p.settle()
}

// settle ends the proof where nothing is left of it.
func (p *proof) settle() {
	if !slices.ContainsFunc(p.tables, func(u *unproved) bool { return !u.done.Load() }) {
		p.d.proof.CompareAndSwap(p, &proof{d: p.d})
	}
}

// proving gives what is still to be proved of an open store.
func (d *DB) proving(found inspection) *proof {
	p := &proof{d: d}
	if found.proved {
		return p
	}
	now := time.Now()
	for _, t := range d.db.Tables() {
		u := &unproved{name: tableName(t.ID), id: t.ID, left: y.ParseKey(t.Left), right: y.ParseKey(t.Right)}
		u.since = found.closed[u.name].proved
		u.fresh = fresh(u.since, now)
		p.tables = append(p.tables, u)
	}
	slices.SortFunc(p.tables, func(a, b *unproved) int { return bytes.Compare(a.left, b.left) })
	var last []byte
	for _, u := range p.tables {
		if bytes.Compare(u.right, last) > 0 {
			last = u.right
		}
		p.last = append(p.last, last)
	}
	return p
}

// of gives the tables that may have keys of a range; nil ends are open.
func (p *proof) of(from, to []byte) []*unproved {
	n := len(p.tables)
	if to != nil {
		n = sort.Search(n, func(i int) bool { return bytes.Compare(p.tables[i].left, to) >= 0 })
	}
	var out []*unproved
	for i := n - 1; i >= 0 && bytes.Compare(p.last[i], from) >= 0; i-- {
		if u := p.tables[i]; bytes.Compare(u.right, from) >= 0 && !u.done.Load() {
			out = append(out, u)
		}
	}
	return out
}

// reads proves what may have keys of a range before they are read; nil ends are open. What cannot be
// proved is not to be read.
func (p *proof) reads(from, to []byte) error {
	for _, u := range p.of(from, to) {
		if err := u.prove(p.d, from, to); err != nil {
			return err
		}
	}
	return nil
}

// ahead proves what a scan comes to, some of it at a time: first little, as many a scan ends soon.
type ahead struct {
	p        *proof
	from, to []byte // what is not proved yet
	reverse  bool
	stride   int
	bound    []byte // what is proved: up to before it, or down to it; nil: all
	err      error  // why the rest cannot be
	detour
}

// scans proves the beginning of a scan.
func (p *proof) scans(prefix []byte, o store.ScanOptions) *ahead {
	a := &ahead{p: p, from: prefix, to: store.After(prefix), reverse: o.Reverse, stride: stride / 16}
	switch {
	case o.Reverse && o.From != nil && (a.to == nil || bytes.Compare(o.From, a.to) < 0):
		a.to = append(bytes.Clone(o.From), 0)
	case !o.Reverse && bytes.Compare(o.From, prefix) > 0:
		a.from = o.From
	}
	a.detour = detour{all: &p.d.gaps, from: a.from, to: a.to, reverse: o.Reverse}
	if len(p.tables) > 0 {
		a.step()
	}
	return a
}

// at is called before a record with that key is used, or with nil before the scan ends. It gives where
// the scan has to go on instead, nil where it is right.
func (a *ahead) at(key []byte) (instead []byte) {
	for a.bound != nil && (key == nil || !a.reverse && bytes.Compare(key, a.bound) >= 0 || a.reverse && bytes.Compare(key, a.bound) < 0) {
		if a.reverse {
			a.to = append(bytes.Clone(a.bound), 0)
		} else {
			a.from = a.bound
		}
		a.step()
	}
	return a.around(key)
}

func (a *ahead) step() {
	a.bound = nil
	tables := a.p.of(a.from, a.to)
	for _, u := range tables {
		b := u.bound(a.p.d, a.from, a.to, a.stride, a.reverse)
		switch {
		case b == nil:
		case a.bound == nil, !a.reverse && bytes.Compare(b, a.bound) < 0, a.reverse && bytes.Compare(b, a.bound) > 0:
			a.bound = b
		}
	}
	from, to := a.from, a.to
	switch {
	case a.bound == nil:
	case a.reverse:
		from = a.bound
	default:
		to = a.bound
	}
	for _, u := range tables {
		if err := u.prove(a.p.d, from, to); err != nil && a.err == nil {
			a.err = err
		}
	}
	a.stride = min(2*a.stride, 4*stride)
}

// later proves the tables that were not for a while, when the store has been open for some time, a little
// at a time, until stop is closed.
func (p *proof) later(stop <-chan struct{}) {
	timer := time.NewTimer(restBefore)
	defer timer.Stop()
	for _, u := range p.tables {
		for from := []byte{}; !u.fresh && !u.done.Load(); {
			select {
			case <-stop:
				return
			case <-timer.C:
			}
			timer.Reset(pause)
			to := u.bound(p.d, from, nil, stride, false)
			if u.prove(p.d, from, to) != nil || to == nil {
				break
			}
			from = to
		}
	}
	p.settle()
}

// provedSince gives when a table was last proved. One that this process has written counts as proved.
func (d *DB) provedSince() func(name string) time.Time {
	now, before := time.Now(), map[string]time.Time{}
	for _, u := range d.proof.Load().tables {
		if !u.done.Load() {
			before[u.name] = u.since
		}
	}
	return func(name string) time.Time {
		if at, ok := before[name]; ok {
			return at
		}
		return now
	}
}

// unproved is a table whose blocks were not all proved.
type unproved struct {
	name        string
	id          uint64
	left, right []byte
	since       time.Time // when it was last proved; zero where that is not known
	fresh       bool      // that is a short time ago

	done atomic.Bool // nothing is left to be proved
	mu   sync.Mutex  // guards what follows
	index
	proved []bool // of each block
	rest   int
	gaps   []gap
}

// index is where the blocks of a table lie.
type index struct {
	blocks *fb.TableIndex
	key    cipher.Block
}

// first gives the first key of a block.
func (u *unproved) first(n int) []byte {
	var at fb.BlockOffset
	u.blocks.Offsets(&at, n)
	return y.ParseKey(at.KeyBytes())
}

// span gives which blocks may have keys of a range. Versions of one key may lie in two blocks.
func (u *unproved) span(from, to []byte) (begin, end int) {
	n := len(u.proved)
	begin = max(0, sort.Search(n, func(i int) bool { return bytes.Compare(u.first(i), from) >= 0 })-1)
	if to == nil {
		return begin, n
	}
	return begin, sort.Search(n, func(i int) bool { return bytes.Compare(u.first(i), to) >= 0 })
}

// bound gives a key that is a stride of blocks away from the beginning of a range, or from its end; nil
// where the range has no more of them.
func (u *unproved) bound(d *DB, from, to []byte, stride int, reverse bool) []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	if ok, _ := u.load(d); !ok { // prove says why
		return nil
	}
	begin, end := u.span(from, to)
	switch {
	case end-begin <= stride:
		return nil
	case reverse:
		return bytes.Clone(u.first(end - stride))
	}
	// Of a key that begins several blocks the last one: a range must go on.
	for n := begin + stride; n < end; n++ {
		if key := u.first(n); bytes.Compare(key, from) > 0 {
			return bytes.Clone(key)
		}
	}
	return nil
}

// prove proves the blocks that may have keys of a range. It fails where they cannot be read now, as when
// the process has too many files open.
func (u *unproved) prove(d *DB, from, to []byte) error {
	if u.done.Load() {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if ok, err := u.load(d); !ok {
		return err
	}
	begin, end := u.span(from, to)
	for begin < end && u.proved[begin] {
		begin++
	}
	if begin >= end {
		return nil
	}
	f, err := os.Open(join(d.path, u.name))
	if err != nil {
		return u.unless(d, err)
	}
	defer f.Close()
	bad, err := u.blocksBetween(f, d, begin, end)
	if (err != nil || len(bad) > 0) && !d.has(u.id) {
		u.end() // it was rewritten meanwhile, and is cut off before it is removed
		return nil
	}
	u.lose(d, bad, u.blocks.MaxVersion(), u.blocks.BloomFilterBytes())
	if u.rest == 0 {
		u.end()
	}
	return err
}

// blocksBetween proves some blocks, and gives those that are not what was written.
func (u *unproved) blocksBetween(f *os.File, d *DB, begin, end int) (bad []gap, err error) {
	r := blockReader{packed: d.vault.how(d.named, u.id).packed, key: u.key}
	for n := begin; n < end; n++ {
		if u.proved[n] {
			continue
		}
		var at fb.BlockOffset
		u.blocks.Offsets(&at, n)
		if err := r.readAt(f, &at); errors.Is(err, errBlock) {
			g := gap{from: bytes.Clone(u.first(n))}
			if n+1 < len(u.proved) {
				g.to = append(bytes.Clone(u.first(n+1)), 0) // that key may have a version here as well
			}
			bad = append(bad, g)
		} else if err != nil {
			return bad, err
		}
		u.proved[n] = true
		u.rest--
	}
	return bad, nil
}

// unless ends the proof of a table that was rewritten, and gives err otherwise.
func (u *unproved) unless(d *DB, err error) error {
	if d.has(u.id) {
		return fmt.Errorf("proving a table: %w", err)
	}
	u.end()
	return nil
}

// load reads the index when it is first needed; false where nothing can be proved any more, or now.
func (u *unproved) load(d *DB) (ok bool, err error) {
	if u.done.Load() || u.blocks != nil {
		return !u.done.Load(), nil
	}
	f, err := os.Open(join(d.path, u.name))
	if err != nil {
		return false, u.unless(d, err)
	}
	defer f.Close()
	blocks, key, _, err := readTail(f, d.vault.how(d.named, u.id), nil)
	if err != nil {
		return false, u.unless(d, err)
	}
	if blocks == nil {
		if d.has(u.id) {
			u.lose(d, []gap{{from: u.left, to: append(bytes.Clone(u.right), 0)}}, d.opened, nil)
		}
		u.end()
		return false, nil
	}
	u.index = index{blocks, key}
	u.rest = blocks.OffsetsLength()
	u.proved = make([]bool, u.rest)
	return true, nil
}

// has reports whether a table is part of the database now: not any more when a compaction has put its
// records into others.
func (d *DB) has(id uint64) bool {
	return slices.ContainsFunc(d.db.Tables(), func(t badger.TableInfo) bool { return t.ID == id })
}

// end says that the table needs no proof any more.
func (u *unproved) end() {
	u.done.Store(true)
	u.index, u.proved = index{}, nil
}

// lose notes what cannot be read.
func (u *unproved) lose(d *DB, bad []gap, newest uint64, bloom []byte) {
	if len(bad) == 0 {
		return
	}
	before, first := u.why(), len(u.gaps) == 0
	u.gaps = append(u.gaps, bad...)
	d.gaps.add(bad)
	marks := make([]lost, len(bad))
	for i, g := range bad {
		marks[i] = lost{From: g.from, To: g.to, Bloom: bytes.Clone(bloom), Version: newest, Why: u.why(), At: time.Now()}
	}
	d.addLost(before, marks...)
	d.unsound.Store(true)
	if tell := d.found.Load(); first && tell != nil {
		(*tell)(d.lossy(fmt.Sprintf("a part of the table %s is not what was written", u.name)))
	}
}

func (u *unproved) why() string {
	return fmt.Sprintf("%d blocks of the table %s are not what was written", len(u.gaps), u.name)
}
