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

// When Badger reads a damaged block, it silently ends the scan, or falls back to an older version of the record. So
// this file verifies the blocks that a read uses: it reads them from the file and compares them with their checksums. A
// block that was verified a short time ago is not verified again, and a record that was not found is never trusted to
// be missing without verification.

const (
	// reverifyAge is the age after which a table is verified again while the store is open.
	reverifyAge = 24 * time.Hour
	// verifyDelay is how long after opening a large store the background verification begins. pause is the time between
	// two of its steps, each of which takes about a millisecond.
	verifyDelay = 2 * time.Second
	pause       = 20 * time.Millisecond
	// stride is the number of blocks of a table that are verified at a time: a megabyte.
	stride = 64
	// trustScan is how long a verified block is trusted by scans, and trustRead by reads whose filter matches a block
	// that may have a newer version. A few records are read with every request.
	trustScan = 10 * time.Second
	trustRead = 100 * time.Millisecond
	// listInterval is how often the list of tables is checked for new ones, which takes some microseconds. The interval
	// grows when there were none for quietTime.
	listInterval = 50 * time.Millisecond
	rarely       = 5 * listInterval
	quietTime    = 2 * time.Second
	// idleIndex is how long an unused table index stays in memory.
	idleIndex = time.Minute
)

// processStart is the origin of moments.
var processStart = time.Now()

// moment is a time in milliseconds since the program began; 0 means never.
type moment int64

func now() moment { return moment(time.Since(processStart)/time.Millisecond) + 1 }

// ago returns the moment d before now, at least the first moment.
func ago(d time.Duration) moment { return max(1, now()-moment(d/time.Millisecond)) }

// fresh reports whether a table verified at since does not need to be verified again at now.
func fresh(since, now time.Time) bool {
	age := now.Sub(since)
	return age >= 0 && age < reverifyAge
}

// tables is the tables of an open database, and the verification state of their blocks.
type tables struct {
	d       *DB
	mu      sync.Mutex // serializes refresh
	list    atomic.Pointer[tableList]
	size    atomic.Int64  // size of the manifest when list was made
	last    atomic.Int64  // moment of the last check of that size
	changed chan struct{} // there may be new tables

	prints map[string]files.Fingerprint // of the tables when the store was opened
	listed map[string]files.Fingerprint // the contents of the TABLES file; nil if unknown
}

// tableList is the set of tables at one time.
type tableList struct {
	all  []*openTable // by first key
	last [][]byte     // for each table, the highest last key up to it
	byID map[uint64]*openTable
	// replaced is the input tables of unchecked compactions: entries that a compaction has lost are only in them.
	replaced []*openTable
}

// begin records the tables of a database that was just opened; found is the inspection of its files.
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

// refresh updates the list of tables.
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

// saveList writes the TABLES file, so that a table of another store is not mistaken for ours. first reports that the
// store was just opened. The caller holds p.mu.
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
	// The database reuses a number only after it was reopened. By then, no other table may be listed with it.
	reused := false
	for name := range p.listed {
		_, ok := prints[name]
		reused = reused || first && !ok
	}
	p.write(prints, reused)
}

// fingerprintOf returns the fingerprint of a table, or zero if it cannot be read or was removed.
func (p *tables) fingerprintOf(name string, id uint64) files.Fingerprint {
	t, _, err := files.ReadTableHead(join(p.d.path, name), p.d.vault.tableFormat(p.d.named, id), nil)
	if err != nil || !t.Indexed {
		return files.Fingerprint{}
	}
	return t.Fingerprint
}

// write writes the TABLES file if it has changed. If it fails, the next process has to verify more.
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

// listClosed lists the tables of a database that was just closed, including the table made from its log.
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

// signalChange signals that there may be new tables.
func (p *tables) signalChange() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// overlapping returns the tables that may have keys of a range; nil bounds are open.
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

// Verify reads all blocks of the store's tables and compares them with their checksums. [DB.Lost] describes the damage
// afterwards. Verify first waits for the examination of compactions.
func (d *DB) Verify(ctx context.Context) {
	d.compactions.wait()
	d.tables.refresh()
	from := now()
	for _, u := range d.tables.list.Load().all {
		if ctx.Err() != nil {
			return
		}
		_ = u.verify(d, nil, nil, from) // readers of damaged blocks get an error
	}
}

// current returns the tables, including new ones: the database lists a table before it reads from it.
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

// checkNewer returns an error that wraps [store.ErrDataLost] if a table has, or may have, a newer version of a record
// than version, which is 0 if the record was not found.
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
		return nil // a checked compaction has dropped or moved it
	}
	if found, err := newestVersion(txn, key); err == nil && found >= newest.Version {
		return nil // deleted since
	}
	p.d.damaged.Store(true)
	return fmt.Errorf("%w: the table %s has a record that cannot be found in it", store.ErrDataLost, newestIn.name)
}

// holdReplaced makes reads use the held tables of a previous process until they are examined.
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

// keyAfter returns the next possible key after key.
func keyAfter(key []byte) []byte { return append(slices.Clip(key), 0) }

// scanVerifier verifies the blocks ahead of a scan in growing steps, because many scans end soon.
type scanVerifier struct {
	d        *DB
	list     *tableList
	after    moment // blocks verified later than this are not verified again
	from, to []byte // the range that is not verified yet
	reverse  bool
	stride   int
	bound    []byte // end of the verified range, exclusive, or inclusive if reverse; nil: everything
	err      error  // why the rest cannot be verified
	gapSkipper
}

// newScanVerifier verifies the beginning of a scan.
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

// check must be called before a record with that key is used, or with nil before the scan ends. It returns the key at
// which the scan has to continue instead, or nil.
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
		// Blocks beyond the bound are left to a later step: most scans end before, and do not need their index.
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

// verifyInBackground verifies tables until stop is closed: new ones soon after they were written, all others once a
// day, in small steps.
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

// watch looks for new tables and limits mapped memory until stop is closed.
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

// verifiedTimes returns a function that returns when a table was last fully verified, by name, or the zero time.
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
	left, right []byte // first and last key; nil if the last is unknown
	newest      uint64 // highest version in it
	print       files.Fingerprint
	since       time.Time // when another process verified it; zero if unknown

	verified atomic.Int64 // moment since which every block is verified
	index    atomic.Pointer[tableIndex]

	mu   sync.Mutex // serializes verification; guards the fields below
	gaps []files.Span
	lost bool // all of it is lost
}

func newOpenTable(path string, t badger.TableInfo) *openTable {
	u := &openTable{name: files.TableName(t.ID), id: t.ID, left: y.ParseKey(y.Copy(t.Left)), right: y.ParseKey(y.Copy(t.Right)), newest: t.MaxVersion}
	u.path = join(path, u.name)
	if info, err := os.Stat(u.path); err == nil {
		u.size = info.Size()
	}
	return u
}

// tableIndex is the index of a table, and when each block was verified.
type tableIndex struct {
	*files.Index
	bloom  y.Filter
	proved []atomic.Int64
	used   atomic.Int64
}

// due reports whether the table must be verified in the background.
func (u *openTable) due(at time.Time) bool {
	if u.verified.Load() > 0 {
		return now()-moment(u.verified.Load()) > moment(reverifyAge/time.Millisecond)
	}
	return !fresh(u.since, at)
}

// dueAfter returns the moment after which blocks need no background verification.
func (u *openTable) dueAfter() moment { return ago(reverifyAge / 2) }

func (u *openTable) verifiedAt() time.Time {
	if m := u.verified.Load(); m > 0 {
		return processStart.Add(time.Duration(m) * time.Millisecond)
	}
	return u.since
}

// freeIndex frees the memory of an index that was not used for a while.
func (u *openTable) freeIndex() {
	if x := u.index.Load(); x != nil && moment(x.used.Load()) < now()-moment(idleIndex/time.Millisecond) && u.verified.Load() > 0 {
		u.index.CompareAndSwap(x, nil)
	}
}

// nextBound returns a key that is stride blocks away from the beginning of a range, or from its end; nil if the range
// has fewer blocks left or was verified after that moment.
func (u *openTable) nextBound(d *DB, from, to []byte, stride int, reverse bool, after moment) []byte {
	if moment(u.verified.Load()) >= after {
		return nil
	}
	x, err := u.load(d)
	if x == nil || err != nil { // verify reports the error
		return nil
	}
	begin, end := x.Span(from, to)
	switch {
	case end-begin <= stride:
		return nil
	case reverse:
		return bytes.Clone(x.First(end - stride))
	}
	// If a key begins several blocks, use the last one, so that the range advances.
	for n := begin + stride; n < end; n++ {
		if key := x.First(n); bytes.Compare(key, from) > 0 {
			return bytes.Clone(key)
		}
	}
	return nil
}

// verifyKey verifies the blocks that may have a key with that hash unless they were verified since that moment, and
// calls fn with their entries.
func (u *openTable) verifyKey(d *DB, key []byte, hash uint32, since moment, fn func(files.Entry) error) error {
	x, err := u.load(d)
	if err != nil || x == nil || len(x.bloom) > 0 && !x.bloom.MayContain(hash) {
		return err
	}
	begin, end := x.Span(key, keyAfter(key))
	return u.verifyBlocks(d, x, begin, end, since, fn)
}

// verify verifies the blocks that may have keys of a range unless they were verified after that moment. It fails if
// they cannot be read at the moment, for example because too many files are open.
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

// readers pools read buffers: false positives of the filters cause reads for some of all records.
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

// updateVerified sets the moment since which every block is verified.
func (u *openTable) updateVerified(x *tableIndex) {
	oldest := int64(math.MaxInt64)
	for n := range x.proved {
		oldest = min(oldest, x.proved[n].Load())
	}
	u.verified.Store(oldest)
}

// removed reports whether a table was removed because a compaction has replaced it. Badger truncates the file before it
// removes it.
func (u *openTable) removed(f *os.File) bool {
	info, err := f.Stat()
	return err != nil || info.Size() < u.size
}

// unlessRemoved returns nil if a table was removed, and err otherwise.
func (u *openTable) unlessRemoved(d *DB, err error) error {
	if d.hasTable(u.id) {
		return fmt.Errorf("proving a table: %w", err)
	}
	return u.replacedError(d)
}

// replacedError returns an error if the compaction that has replaced the table is not checked: it may have lost records
// in the unreadable parts.
func (u *openTable) replacedError(d *DB) error {
	if !d.compactions.known.has(u.id) {
		return nil
	}
	return fmt.Errorf("%w: the table %s is being examined", store.ErrDataLost, u.name)
}

// load returns the index of the table and reads it if necessary. It returns nil if the table was removed or its index
// is damaged.
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

// hasTable reports whether a table is still part of the database, rather than replaced by a compaction.
func (d *DB) hasTable(id uint64) bool {
	return slices.ContainsFunc(d.db.Tables(), func(t badger.TableInfo) bool { return t.ID == id })
}

// addLost marks the unreadable parts of the table as lost.
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
