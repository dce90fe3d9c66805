package badger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/y"

	"bugle/store"
	"bugle/store/badger/internal/files"
	"bugle/store/kv"
)

// Badger finds a block that is not what was written when it reads it, and then ends the scan, or goes on to
// an older version of the record, without a word. So the blocks that a read comes to are proved here: read
// from the file and compared with their checksums. A block that was proved a short time ago is not proved
// again, as long as nobody asks for it; a record that is not found is never believed without.

const (
	// reverifyAge is the age from which a table is proved again while the store is open.
	reverifyAge = 24 * time.Hour
	// verifyDelay is how long a large store is left in peace after it was opened, before that begins;
	// pause is between two steps of it, each of which takes about a millisecond.
	verifyDelay = 2 * time.Second
	pause       = 20 * time.Millisecond
	// stride is how many blocks of a table are proved at a time: a megabyte.
	stride = 64
	// trustScan is how long a block that was proved is trusted where a scan comes past it, and trustRead where a
	// filter says that it may have a newer version of a record. A few records are read with every request.
	trustScan = 10 * time.Second
	trustRead = 100 * time.Millisecond
	// listInterval is how often the list of tables is checked for new ones, which takes some microseconds. It is checked
	// every rarely once there were none for calm.
	listInterval = 50 * time.Millisecond
	rarely       = 5 * listInterval
	quietTime    = 2 * time.Second
	// idleIndex is how long the index of a table is kept in memory after it was last needed.
	idleIndex = time.Minute
)

// processStart is when the times of proofs begin.
var processStart = time.Now()

// moment is a time, in milliseconds since the program began; 0 is never.
type moment int64

func now() moment { return moment(time.Since(processStart)/time.Millisecond) + 1 }

// ago returns the moment that is d before now, and not before the first.
func ago(d time.Duration) moment { return max(1, now()-moment(d/time.Millisecond)) }

// fresh reports whether a table that was proved then need not be proved again now.
func fresh(since, now time.Time) bool {
	age := now.Sub(since)
	return age >= 0 && age < reverifyAge
}

// tables are the tables of an open database, and what is known of their blocks.
type tables struct {
	d       *DB
	mu      sync.Mutex // one refresh at a time
	list    atomic.Pointer[tableList]
	size    atomic.Int64  // of the database's list of tables as list was made
	last    atomic.Int64  // the moment at which that was looked at last
	changed chan struct{} // there may be new tables

	prints map[string]files.Fingerprint // of the tables as the store was opened
	listed map[string]files.Fingerprint // what the file has that lists them; nil: that is not known
}

// tableList is the tables at one time.
type tableList struct {
	all  []*openTable // by their first key
	last [][]byte     // of the tables up to each one, the highest last key
	byID map[uint64]*openTable
	// replaced is the tables whose compaction has not been checked: what it has lost is only in them.
	replaced []*openTable
}

// begin notes the tables of a database that was just opened, after found was found of its files.
func (p *tables) begin(d *DB, found inspection) {
	p.d, p.changed, p.prints = d, make(chan struct{}, 1), found.prints
	if !found.older {
		p.listed = found.listed
	}
	p.list.Store(&tableList{})
	p.refresh()
	if p.listed == nil {
		p.mu.Lock()
		p.saveList(p.list.Load().all, true)
		p.mu.Unlock()
	}
	for _, u := range p.list.Load().all {
		if found.verified {
			u.verified.Store(int64(now()))
		}
		u.since = found.closed[u.name].proved
	}
}

// refresh notes which tables there are now.
func (p *tables) refresh() {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.list.Load()
	next := &tableList{byID: map[uint64]*openTable{}}
	same := true
	for _, t := range p.d.db.Tables() {
		u, ok := old.byID[t.ID]
		if !ok {
			u, same = newOpenTable(p.d.path, t), false
			u.print = p.prints[u.name]
		}
		next.byID[t.ID] = u
		next.all = append(next.all, u)
	}
	for _, u := range slices.Concat(old.all, old.replaced) {
		if next.byID[u.id] == nil && p.d.compactions.known.has(u.id) {
			next.replaced = append(next.replaced, u)
		}
	}
	if same && len(next.all) == len(old.all) && len(next.replaced) == len(old.replaced) {
		return
	}
	p.saveList(next.all, len(old.all) == 0)
	slices.SortFunc(next.all, func(a, b *openTable) int { return bytes.Compare(a.left, b.left) })
	var last []byte
	for _, u := range next.all {
		if bytes.Compare(u.right, last) > 0 {
			last = u.right
		}
		next.last = append(next.last, last)
	}
	p.list.Store(next)
}

// saveList writes the list of tables, so that a table of another store is not taken for one of them; first says
// that the store was just opened. p.mu is held.
func (p *tables) saveList(all []*openTable, first bool) {
	if p.d.identity == nil {
		return
	}
	prints := map[string]files.Fingerprint{}
	for _, u := range all {
		if u.print == (files.Fingerprint{}) {
			u.print = p.fingerprintOf(u.name, u.id)
		}
		if u.print != (files.Fingerprint{}) {
			prints[u.name] = u.print
		}
	}
	// The database uses a number again only after it was opened anew: by then nothing else may be listed with it.
	reused := false
	for name := range p.listed {
		_, ok := prints[name]
		reused = reused || first && !ok
	}
	p.write(prints, reused)
}

// fingerprintOf returns the fingerprint of a table; the zero one where it cannot be read or is gone.
func (p *tables) fingerprintOf(name string, id uint64) files.Fingerprint {
	t, _, err := files.ReadTableHead(join(p.d.path, name), p.d.vault.tableFormat(p.d.named, id), nil)
	if err != nil || !t.Indexed {
		return files.Fingerprint{}
	}
	return t.Fingerprint
}

// write writes the list where it has changed. That it fails means more work for the next to open the store.
func (p *tables) write(prints map[string]files.Fingerprint, synced bool) {
	if p.listed != nil && maps.Equal(prints, p.listed) {
		return
	}
	if err := writeTables(p.d.path, p.d.identity, p.d.sequence.reachedVersion(), prints, synced); err != nil {
		p.d.log.Warn("cannot write the list of fingerprints", "error", err)
		return
	}
	p.listed = prints
}

// listClosed lists the tables of a database that was just closed, which has made a table of its log.
func (p *tables) listClosed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	entries, err := os.ReadDir(p.d.path)
	if err != nil || p.d.identity == nil {
		return
	}
	prints := map[string]files.Fingerprint{}
	for _, f := range entries {
		id, err := strconv.ParseUint(strings.TrimSuffix(f.Name(), ".sst"), 10, 64)
		if err != nil || filepath.Ext(f.Name()) != ".sst" {
			continue
		}
		print, ok := p.listed[f.Name()]
		if !ok {
			print = p.fingerprintOf(f.Name(), id)
		}
		if print != (files.Fingerprint{}) {
			prints[f.Name()] = print
		}
	}
	p.write(prints, false)
}

// signalChange says that there may be new tables.
func (p *tables) signalChange() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// overlapping returns the tables that may have keys of a range; nil ends are open.
func (l *tableList) overlapping(from, to []byte) []*openTable {
	n := len(l.all)
	if to != nil {
		n = sort.Search(n, func(i int) bool { return bytes.Compare(l.all[i].left, to) >= 0 })
	}
	var out []*openTable
	for i := n - 1; i >= 0 && bytes.Compare(l.last[i], from) >= 0; i-- {
		if u := l.all[i]; bytes.Compare(u.right, from) >= 0 {
			out = append(out, u)
		}
	}
	return out
}

// Verify reads every part of the store's tables and compares it with its checksums. What is damaged is among
// [DB.Lost] then. It first waits for compactions that are being examined.
func (d *DB) Verify(ctx context.Context) {
	d.compactions.wait()
	d.tables.refresh()
	from := now()
	for _, u := range d.tables.list.Load().all {
		if ctx.Err() != nil {
			return
		}
		_ = u.verify(d, nil, nil, from) // who reads there is told
	}
}

// current returns the tables, those of the last millisecond among them: the database lists a table before it reads
// from it.
func (p *tables) current() *tableList {
	if at := int64(now()); p.last.Swap(at) == at {
		return p.list.Load()
	}
	info, err := os.Stat(join(p.d.path, badger.ManifestFilename))
	if err == nil && info.Size() != p.size.Load() {
		p.refresh()
		p.size.Store(info.Size())
		p.signalChange()
	}
	return p.list.Load()
}

// checkNewer returns an error that wraps [store.ErrDataLost] where a table has a newer version of a record than the one
// that was read, or may have it; 0 is the version of a record that was not found.
func (p *tables) checkNewer(txn *badger.Txn, key []byte, version uint64) error {
	list, since := p.list.Load(), ago(trustRead)
	if version == 0 {
		list, since = p.current(), math.MaxInt64
	}
	var hash uint32
	var newest files.Entry
	var newestIn *openTable
	holders := list.overlapping(key, keyAfter(key))
	if len(list.replaced) > 0 {
		holders = append(holders, list.replacedWith(key)...)
	}
	for _, u := range holders {
		if u.newest <= version {
			continue
		}
		if hash == 0 {
			hash = y.Hash(key)
		}
		err := u.verifyKey(p.d, key, hash, since, func(e files.Entry) error {
			if e.Version <= txn.ReadTs() && e.Version > newest.Version && bytes.Equal(e.Key, key) {
				newest, newestIn = files.Entry{Version: e.Version, Meta: e.Meta}, u
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if newest.Version <= version || version == 0 && newest.Meta&files.MetaDeleted != 0 {
		return nil
	}
	if !p.d.hasTable(newestIn.id) && !p.d.compactions.known.has(newestIn.id) {
		return nil // a compaction that was checked has dropped it, or put it elsewhere
	}
	if found, err := newestVersion(txn, key); err == nil && found >= newest.Version {
		return nil // it was deleted since
	}
	p.d.damaged.Store(true)
	return fmt.Errorf("%w: the table %s has a record that cannot be found in it", store.ErrDataLost, newestIn.name)
}

// holdReplaced has tables that a process which ended has left to be examined read until they were.
func (p *tables) holdReplaced(folder string, ids []uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := *p.list.Load()
	for _, id := range ids {
		p.d.compactions.known.add(badger.TableInfo{ID: id})
		list.replaced = append(list.replaced, &openTable{name: files.TableName(id), id: id, path: join(folder, files.TableName(id)), newest: math.MaxUint64})
	}
	p.list.Store(&list)
}

// replacedWith returns the replaced tables that may have a key.
func (l *tableList) replacedWith(key []byte) (out []*openTable) {
	for _, u := range l.replaced {
		if bytes.Compare(u.left, key) <= 0 && (u.right == nil || bytes.Compare(key, u.right) <= 0) {
			out = append(out, u)
		}
	}
	return out
}

// keyAfter returns the key that follows another.
func keyAfter(key []byte) []byte { return append(slices.Clip(key), 0) }

// scanVerifier proves what a scan comes to, some of it at a time: first little, as many a scan ends soon.
type scanVerifier struct {
	d        *DB
	list     *tableList
	after    moment // what was proved since is not proved again
	from, to []byte // what is not proved yet
	reverse  bool
	stride   int
	bound    []byte // what is proved: up to before it, or down to it; nil: all
	err      error  // why the rest cannot be
	gapSkipper
}

// newScanVerifier proves the beginning of a scan.
func (p *tables) newScanVerifier(prefix []byte, o kv.ScanOptions) *scanVerifier {
	a := &scanVerifier{d: p.d, list: p.list.Load(), after: ago(trustScan), from: prefix, to: kv.PrefixEnd(prefix), reverse: o.Reverse, stride: stride / 16}
	if o.Proved {
		a.after = now()
	}
	switch {
	case o.Reverse && o.From != nil && (a.to == nil || bytes.Compare(o.From, a.to) < 0):
		a.to = append(bytes.Clone(o.From), 0)
	case !o.Reverse && bytes.Compare(o.From, prefix) > 0:
		a.from = o.From
	}
	a.gapSkipper = gapSkipper{all: &p.d.gaps, from: a.from, to: a.to, reverse: o.Reverse}
	a.step()
	return a
}

// check is called before a record with that key is used, or with nil before the scan ends. It returns where the
// scan has to go on instead, nil where it is right.
func (a *scanVerifier) check(key []byte) (instead []byte) {
	for a.bound != nil && (key == nil || !a.reverse && bytes.Compare(key, a.bound) >= 0 || a.reverse && bytes.Compare(key, a.bound) < 0) {
		if a.reverse {
			a.to = append(bytes.Clone(a.bound), 0)
		} else {
			a.from = a.bound
		}
		a.step()
	}
	return a.skip(key)
}

func (a *scanVerifier) step() {
	a.bound = nil
	tables := a.list.overlapping(a.from, a.to) // the last one first
	if !a.reverse {
		slices.Reverse(tables)
	}
	for _, u := range tables {
		// What lies beyond the bound is for a later step: most scans end before, and need no index of these.
		if a.bound != nil && (!a.reverse && bytes.Compare(u.left, a.bound) >= 0 || a.reverse && bytes.Compare(u.right, a.bound) < 0) {
			continue
		}
		b := u.nextBound(a.d, a.from, a.to, a.stride, a.reverse, a.after)
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
	for _, u := range a.list.overlapping(from, to) {
		if err := u.verify(a.d, from, to, a.after); err != nil && a.err == nil {
			a.err = err
		}
	}
	a.stride = min(2*a.stride, 4*stride)
}

// verifyInBackground proves tables in the background until stop is closed: new ones soon after they were written, all
// others once a day, a little at a time.
func (p *tables) verifyInBackground(stop <-chan struct{}) {
	timer := time.NewTimer(verifyDelay)
	defer timer.Stop()
	wait := func(d time.Duration) bool {
		timer.Reset(d)
		select {
		case <-stop:
			return false
		case <-timer.C:
			return true
		}
	}
	if !wait(verifyDelay) {
		return
	}
	for {
		p.refresh()
		for _, u := range p.list.Load().all {
			u.freeIndex()
			for from := []byte{}; u.due(time.Now()); {
				if !wait(pause) {
					return
				}
				to := u.nextBound(p.d, from, nil, stride, false, u.dueAfter())
				if u.verify(p.d, from, to, u.dueAfter()) != nil || to == nil {
					break
				}
				from = to
			}
		}
		timer.Reset(idleIndex)
		select {
		case <-stop:
			return
		case <-p.changed:
			if !wait(time.Second) {
				return
			}
		case <-timer.C:
		}
	}
}

// watch notes new tables soon after they were written, and keeps mapped memory in bounds, until stop is closed.
func (p *tables) watch(stop <-chan struct{}) {
	timer := time.NewTimer(listInterval)
	defer timer.Stop()
	news, trimmed := time.Now(), time.Now()
	for before := p.list.Load(); ; {
		select {
		case <-stop:
			return
		case <-timer.C:
		}
		at := time.Now()
		if list := p.current(); list != before {
			before, news = list, at
		}
		if at.Sub(trimmed) >= rarely {
			p.d.trim()
			trimmed = at
		}
		if at.Sub(news) > quietTime {
			timer.Reset(rarely)
		} else {
			timer.Reset(listInterval)
		}
	}
}

// verifiedTimes returns when a table was last proved as a whole, by its name; the zero time where it was not.
func (d *DB) verifiedTimes() func(name string) time.Time {
	d.tables.refresh()
	at := map[string]time.Time{}
	for _, u := range d.tables.list.Load().all {
		at[u.name] = u.verifiedAt()
	}
	return func(name string) time.Time { return at[name] }
}

// openTable is a table of an open database.
type openTable struct {
	name        string
	id          uint64
	path        string // of its file
	size        int64  // of its file
	left, right []byte // its first and last key; nil: the last is not known
	newest      uint64 // the highest version in it
	print       files.Fingerprint
	since       time.Time // when it was proved by another process; zero where that is not known

	verified atomic.Int64 // the moment since which every block was proved
	index    atomic.Pointer[tableIndex]

	mu   sync.Mutex // one proof at a time; guards what follows
	gaps []files.Span
	lost bool // all of it is
}

func newOpenTable(path string, t badger.TableInfo) *openTable {
	u := &openTable{name: files.TableName(t.ID), id: t.ID, left: y.ParseKey(y.Copy(t.Left)), right: y.ParseKey(y.Copy(t.Right)), newest: t.MaxVersion}
	u.path = join(path, u.name)
	if info, err := os.Stat(u.path); err == nil {
		u.size = info.Size()
	}
	return u
}

// tableIndex is where the blocks of a table lie, and when each was proved.
type tableIndex struct {
	*files.Index
	bloom  y.Filter
	proved []atomic.Int64
	used   atomic.Int64
}

// due reports whether the table has to be proved in the background.
func (u *openTable) due(at time.Time) bool {
	if u.verified.Load() > 0 {
		return now()-moment(u.verified.Load()) > moment(reverifyAge/time.Millisecond)
	}
	return !fresh(u.since, at)
}

// dueAfter is what a proof in the background need not prove again.
func (u *openTable) dueAfter() moment { return ago(reverifyAge / 2) }

func (u *openTable) verifiedAt() time.Time {
	if m := u.verified.Load(); m > 0 {
		return processStart.Add(time.Duration(m) * time.Millisecond)
	}
	return u.since
}

// freeIndex frees the memory of an index that was not needed for a while.
func (u *openTable) freeIndex() {
	if x := u.index.Load(); x != nil && moment(x.used.Load()) < now()-moment(idleIndex/time.Millisecond) && u.verified.Load() > 0 {
		u.index.CompareAndSwap(x, nil)
	}
}

// nextBound returns a key that is a stride of blocks away from the beginning of a range, or from its end; nil
// where the range has no more of them, or was proved after that moment.
func (u *openTable) nextBound(d *DB, from, to []byte, stride int, reverse bool, after moment) []byte {
	if moment(u.verified.Load()) >= after {
		return nil
	}
	x, err := u.load(d)
	if x == nil || err != nil { // prove says why
		return nil
	}
	begin, end := x.Span(from, to)
	switch {
	case end-begin <= stride:
		return nil
	case reverse:
		return bytes.Clone(x.First(end - stride))
	}
	// Of a key that begins several blocks the last one: a range must go on.
	for n := begin + stride; n < end; n++ {
		if key := x.First(n); bytes.Compare(key, from) > 0 {
			return bytes.Clone(key)
		}
	}
	return nil
}

// verifyKey proves the blocks that may have a key with that hash, where they were not since that moment, and calls
// fn with their entries.
func (u *openTable) verifyKey(d *DB, key []byte, hash uint32, since moment, fn func(files.Entry) error) error {
	x, err := u.load(d)
	if err != nil || x == nil || len(x.bloom) > 0 && !x.bloom.MayContain(hash) {
		return err
	}
	begin, end := x.Span(key, keyAfter(key))
	return u.verifyBlocks(d, x, begin, end, since, fn)
}

// verify proves the blocks that may have keys of a range, where they were not since that moment. It fails
// where they cannot be read now, as when the process has too many files open.
func (u *openTable) verify(d *DB, from, to []byte, after moment) error {
	if moment(u.verified.Load()) >= after {
		return nil
	}
	x, err := u.load(d)
	if err != nil || x == nil {
		return err
	}
	begin, end := x.Span(from, to)
	return u.verifyBlocks(d, x, begin, end, after, nil)
}

// readers keeps what blocks are read into: a filter lets a block be read for some of all records.
var readers = sync.Pool{New: func() any { return new(files.BlockReader) }}

func (u *openTable) verifyBlocks(d *DB, x *tableIndex, begin, end int, after moment, fn func(files.Entry) error) error {
	due := func(n int) bool { m := moment(x.proved[n].Load()); return m == 0 || m < after }
	for begin < end && !due(begin) {
		begin++
	}
	if begin >= end {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	f, err := os.Open(u.path)
	if err != nil {
		return u.unlessRemoved(d, err)
	}
	defer f.Close()
	var bad []files.Span
	r := readers.Get().(*files.BlockReader)
	defer readers.Put(r)
	r.Compression, r.Key = d.vault.tableFormat(d.named, u.id).Compression, x.Key
	for n := begin; n < end; n++ {
		if !due(n) {
			continue
		}
		at := now()
		if err := r.ReadAt(f, x.Index, n, fn); errors.Is(err, files.ErrBlock) {
			if u.removed(f) {
				return nil
			}
			if !d.hasTable(u.id) {
				return u.replacedError(d)
			}
			bad = append(bad, x.Gap(n))
		} else if err != nil {
			return err
		}
		x.proved[n].Store(int64(at))
	}
	u.addLost(d, bad, x.bloom)
	if begin == 0 || end == len(x.proved) || u.verified.Load() == 0 {
		u.updateVerified(x)
	}
	return nil
}

// updateVerified notes since when every block was proved.
func (u *openTable) updateVerified(x *tableIndex) {
	oldest := int64(math.MaxInt64)
	for n := range x.proved {
		oldest = min(oldest, x.proved[n].Load())
	}
	u.verified.Store(oldest)
}

// removed reports whether a table was removed: a compaction has put its records into others. Badger cuts the file
// off before it removes it.
func (u *openTable) removed(f *os.File) bool {
	info, err := f.Stat()
	return err != nil || info.Size() < u.size
}

// unlessRemoved returns nil where a table was removed, and err otherwise.
func (u *openTable) unlessRemoved(d *DB, err error) error {
	if d.hasTable(u.id) {
		return fmt.Errorf("proving a table: %w", err)
	}
	return u.replacedError(d)
}

// replacedError returns an error where the compaction that has replaced the table is not checked: what it may have
// lost of what cannot be read of the table is not known yet.
func (u *openTable) replacedError(d *DB) error {
	if !d.compactions.known.has(u.id) {
		return nil
	}
	return fmt.Errorf("%w: the table %s is being examined", store.ErrDataLost, u.name)
}

// load returns the index of the table, which it reads when it is first needed; nil where the table is gone, or
// has no index that is what was written.
func (u *openTable) load(d *DB) (*tableIndex, error) {
	if x := u.index.Load(); x != nil {
		x.used.Store(int64(now()))
		return x, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if x := u.index.Load(); x != nil || u.lost {
		return x, nil
	}
	f, err := os.Open(u.path)
	if err != nil {
		return nil, u.unlessRemoved(d, err)
	}
	defer f.Close()
	blocks, _, err := files.ReadTail(f, d.vault.tableFormat(d.named, u.id), nil)
	if err != nil {
		return nil, u.unlessRemoved(d, err)
	}
	if blocks == nil {
		if !u.removed(f) && !d.hasTable(u.id) {
			return nil, u.replacedError(d)
		}
		if !u.removed(f) {
			u.lost = true
			u.addLost(d, []files.Span{{From: u.left, To: append(bytes.Clone(u.right), 0)}}, nil)
		}
		return nil, nil
	}
	x := &tableIndex{Index: blocks, bloom: y.Filter(blocks.Blocks.BloomFilterBytes()), proved: make([]atomic.Int64, blocks.Len())}
	x.used.Store(int64(now()))
	for n := range x.proved {
		x.proved[n].Store(u.verified.Load())
	}
	u.index.Store(x)
	return x, nil
}

// hasTable reports whether a table is part of the database now: not any more when a compaction has put its
// records into others.
func (d *DB) hasTable(id uint64) bool {
	return slices.ContainsFunc(d.db.Tables(), func(t badger.TableInfo) bool { return t.ID == id })
}

// addMark notes what cannot be read.
func (u *openTable) addLost(d *DB, bad []files.Span, bloom []byte) {
	bad = slices.DeleteFunc(bad, func(s files.Span) bool {
		return slices.ContainsFunc(u.gaps, func(o files.Span) bool { return bytes.Equal(o.From, s.From) && bytes.Equal(o.To, s.To) })
	})
	if len(bad) == 0 {
		return
	}
	first := len(u.gaps) == 0
	u.gaps = append(u.gaps, bad...)
	d.gaps.add(bad)
	why := fmt.Sprintf("%d blocks of the table %s are damaged", len(u.gaps), u.name)
	d.addLost(lostMark{Table: u.name, Spans: spansOf(bad), Bloom: bytes.Clone(bloom), Version: u.newest, Why: why, At: time.Now()})
	d.damaged.Store(true)
	if first {
		d.reportDamage(fmt.Sprintf("part of the table %s is damaged", u.name))
	}
}
