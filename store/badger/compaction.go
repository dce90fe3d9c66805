package badger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"

	"bugle/store/badger/internal/files"
)

// A compaction that comes to a block which it cannot read leaves out the rest of that table without a word
// (badger/v4/levels.go, subcompact, and table/iterator.go), and one that cannot write a table forgets the
// error (compactBuildTables). Both would lose records for good, as the tables that went in are removed.
//
// So every compaction is counted: the entries of the tables that went in must be those that it has read,
// and the entries that it has kept must be in the tables that came out. Until that is known, the tables
// that went in are pinned. Where the count is wrong, they are examined entry by entry: what is whole and
// missing is written again, and what cannot be read is noted as lost.

// heldFolder holds, in the database's folder, the tables that a process which ended has left to be examined.
const heldFolder = "held"

// noContext is for log lines that belong to no call.
var noContext = context.Background()

// compactionCounts is what a compaction has read so far.
type compactionCounts struct {
	kept, skipped int
	unpin         func()
	early         bool // it began before the database was open
}

// compactions checks the compactions of one open database.
type compactions struct {
	d    *DB
	path string // of the tables that were left

	mu        sync.Mutex
	running   map[int]*compactionCounts   // by the number of the compactor
	known     knownTables                 // the tables that there are, or are not let go yet
	list      files.ManifestLog           // what was read of the list of tables
	pending   []files.ManifestChange      // compactions that the list names, and that were not checked
	closing   bool                        // what is wrong from now on is examined when the store is opened again
	postponed bool                        // something was
	unpinAll  func()                      // unpins what was there when closing began
	examining int                         // how many examinations are going on
	idle      *sync.Cond                  // there is none
	unchecked map[*compactionCounts]int64 // where the list ended as each compaction began that is not checked
	checked   []uint64                    // a table of each that was checked since the first of these began
	unpins    []func()                    // of tables that are being examined

	complete, examined int // compactions so far
}

// knownTables are tables by their ids. It is safe for concurrent use.
type knownTables struct {
	mu  sync.Mutex
	all map[uint64]badger.TableInfo
}

func (k *knownTables) add(t badger.TableInfo) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[uint64]badger.TableInfo{}
	}
	k.all[t.ID] = t
}

func (k *knownTables) remove(id uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.all, id)
}

func (k *knownTables) of(id uint64) (badger.TableInfo, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t, ok := k.all[id]
	return t, ok
}

func (k *knownTables) has(id uint64) bool {
	_, ok := k.of(id)
	return ok
}

// ids returns the ids of all of them.
func (k *knownTables) ids() []uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Collect(maps.Keys(k.all))
}

func newCompactions() *compactions {
	c := &compactions{running: map[int]*compactionCounts{}, unchecked: map[*compactionCounts]int64{}}
	c.idle = sync.NewCond(&c.mu)
	return c
}

// begin starts checking. What is compacted before, while the database opens, was proved just before that (see
// [inspection.compacted]). What a process that ended has left to be examined is examined now.
func (c *compactions) begin(d *DB) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.d, c.path = d, filepath.Join(d.path, heldFolder)
	c.list = files.ManifestLog{Name: filepath.Join(d.path, badger.ManifestFilename)}
	if _, err := c.list.Read(); err != nil {
		return fmt.Errorf("reading the list of tables: %w", err)
	}
	all, err := c.heldTables()
	if err != nil {
		return err
	}
	var left, foreign []uint64
	for _, id := range all {
		if c.isForeign(id) {
			foreign = append(foreign, id)
		} else {
			left = append(left, id)
		}
	}
	c.release(foreign)
	if len(left) > 0 {
		d.tables.holdReplaced(c.path, left)
		c.startExamination(left)
	}
	return nil
}

// leftOpen returns the tables that a process which ended has left to be examined.
func (c *compactions) heldTables() (ids []uint64, err error) {
	files, err := os.ReadDir(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for tables to check: %w", err)
	}
	for _, f := range files {
		if id, err := strconv.ParseUint(strings.TrimSuffix(f.Name(), ".sst"), 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// iterated notes that a compactor has come to the end of a part of its tables. They are still there.
func (c *compactions) iterated(compactor, kept, skipped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.running[compactor]
	switch {
	case t == nil && c.d == nil:
		c.running[compactor] = &compactionCounts{early: true}
		return
	case t == nil:
		t = &compactionCounts{unpin: c.pin()}
		c.running[compactor] = t
		c.unchecked[t] = c.list.Offset
		c.noteUnchecked()
	}
	t.kept += kept
	t.skipped += skipped
}

// pin notes the tables that there are, and keeps them from being removed until unpin.
func (c *compactions) pin() (unpin func()) {
	for _, t := range c.d.db.Tables() {
		c.known.add(t)
	}
	c.d.tables.refresh() // those that are about to be replaced are read until the compaction is checked
	if c.closing {       // end has one pin for all that is compacted then
		return func() {}
	}
	return c.d.pin()
}

func (c *compactions) failed(compactor int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.running[compactor]; t != nil {
		delete(c.running, compactor)
		if !t.early {
			t.unpin()
			c.forgetUnchecked(t)
		}
	}
}

// freeIndex notes that nothing is left to be checked of a compaction. c.mu is held.
func (c *compactions) forgetUnchecked(t *compactionCounts) {
	delete(c.unchecked, t)
	c.noteUnchecked()
}

// done checks what a compactor has just done.
func (c *compactions) done(compactor int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.running[compactor]
	delete(c.running, compactor)
	if c.d == nil {
		return
	}
	if t == nil { // its lines were not seen: whatever the list says of it has to be examined
		t = &compactionCounts{unpin: c.d.pin()}
	}
	changes, err := c.list.Read()
	if err != nil {
		c.d.log.Warn("cannot read the list of tables to verify a compaction", "error", err)
	}
	c.pending = append(c.pending, changes...)
	defer c.d.tables.refresh()
	there := map[uint64]badger.TableInfo{}
	for _, info := range c.d.db.Tables() {
		there[info.ID] = info
	}
	for i, change := range c.pending {
		if !t.early && (c.countsMatch(change, t, there) || c.countsMatchWithDuplicates(change, t, there)) {
			c.pending = slices.Delete(c.pending, i, i+1)
			c.release(change.In)
			c.complete++
			c.checked = append(c.checked, change.In[0])
			c.forgetUnchecked(t)
			t.unpin()
			return
		}
	}
	// Nothing that is in the list is what this compactor has counted: it is not complete. What another one has
	// counted, which is about to be done as well, waits for that.
	var ids []uint64
	others := c.pending[:0]
	for _, change := range c.pending {
		if c.countedByAny(change, there) {
			others = append(others, change)
		} else {
			ids = append(ids, change.In...)
		}
	}
	c.pending = others
	if t.early {
		return
	}
	if err != nil || c.list.Restarted {
		c.list.Restarted = false
		ids = ids[:0]
		for _, id := range c.known.ids() {
			if _, ok := there[id]; !ok {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 { // what it has done is being examined already
		c.unpins = append(c.unpins, func() { c.forgetUnchecked(t); t.unpin() })
		c.unpinIfIdle()
		return
	}
	c.examined++
	if c.closing {
		c.postponed = true
		c.d.damaged.Store(true)
		return
	}
	c.unpins = append(c.unpins, func() { c.forgetUnchecked(t); t.unpin() })
	c.startExamination(ids)
}

// countedByAny reports whether a compactor that is not done has counted a change.
func (c *compactions) countedByAny(change files.ManifestChange, there map[uint64]badger.TableInfo) bool {
	for _, t := range c.running {
		if !t.early && c.countsMatch(change, t, there) {
			return true
		}
	}
	return false
}

// finishSwap lets go of what was pinned, when nothing is being examined. c.mu is held.
func (c *compactions) unpinIfIdle() {
	if c.examining > 0 {
		return
	}
	for _, unpin := range c.unpins {
		unpin()
	}
	c.unpins = nil
	c.idle.Broadcast()
}

// seekStart examines tables in a goroutine of its own. c.mu is held.
func (c *compactions) startExamination(ids []uint64) {
	c.examining++
	go func() {
		c.examine(ids)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.release(ids)
		c.examining--
		c.unpinIfIdle()
	}()
}

// countsMatch reports whether the tables that went into a compaction had as many entries as it has read, and
// those that came out have as many as it has kept.
func (c *compactions) countsMatch(change files.ManifestChange, t *compactionCounts, there map[uint64]badger.TableInfo) bool {
	in, out, ok := c.entries(change, there)
	return ok && in == t.kept+t.skipped && out == t.kept
}

// entries returns how many entries the tables have that went into a compaction, and that came out; false where
// that is not known.
func (c *compactions) entries(change files.ManifestChange, there map[uint64]badger.TableInfo) (in, out int, ok bool) {
	for _, id := range change.In {
		info, ok := c.known.of(id)
		if !ok {
			return 0, 0, false
		}
		in += int(info.KeyCount)
	}
	for _, id := range change.Out {
		info, ok := there[id]
		if !ok {
			// It may have gone into another compaction since, which has noted it first.
			if info, ok = c.known.of(id); !ok {
				return 0, 0, false
			}
		}
		out += int(info.KeyCount)
	}
	return in, out, true
}

// countsMatchWithDuplicates reports whether the tables that went into a compaction were all read, although it has read less
// than they have: after a process was killed two tables may have the same entries.
func (c *compactions) countsMatchWithDuplicates(change files.ManifestChange, t *compactionCounts, there map[uint64]badger.TableInfo) bool {
	if in, out, ok := c.entries(change, there); !ok || out != t.kept || in <= t.kept+t.skipped {
		return false
	}
	type version struct{ key, n uint64 }
	seen := map[version]struct{}{}
	for _, id := range change.In {
		table, err := files.ReadTable(c.file(id), c.d.vault.tableFormat(c.d.named, id), func(e files.Entry) error {
			seen[version{xxhash.Sum64(e.Key), e.Version}] = struct{}{}
			return nil
		})
		if err != nil || !table.Indexed || len(table.Gaps) > 0 {
			return false
		}
	}
	return len(seen) == t.kept+t.skipped
}

// pin keeps the tables that there are from being removed, until unpin: an iterator uses them. It begins no
// transaction of its own: that would wait for commits, which may wait for a compaction.
func (d *DB) pin() (unpin func()) {
	at := d.commits.acquire()
	it := at.txn.NewIterator(badger.IteratorOptions{})
	return func() {
		it.Close()
		d.commits.release(at)
	}
}

// release lets go of tables that nobody needs any more.
func (c *compactions) release(ids []uint64) {
	for _, id := range ids {
		c.known.remove(id)
		if err := os.Remove(join(c.path, files.TableName(id))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.d.log.Warn("cannot remove a table after checking it", "table", files.TableName(id), "error", err)
		}
	}
	_ = os.Remove(c.path) // where it is empty
}

// file returns where a table is that is to be examined.
func (c *compactions) file(id uint64) string {
	if name := join(c.path, files.TableName(id)); exists(name) {
		return name
	}
	return join(c.d.path, files.TableName(id))
}

// wait waits for what is being examined.
func (c *compactions) wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.examining > 0 {
		c.idle.Wait()
	}
}

// close ends the examinations, when all commits are over. Compactions may go on until the database is closed.
func (c *compactions) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return
	}
	c.closing = true
	for c.examining > 0 {
		c.idle.Wait()
	}
	txn := c.d.db.NewTransaction(false)
	it := txn.NewIterator(badger.IteratorOptions{})
	c.unpinAll = func() {
		it.Close()
		txn.Discard()
	}
}

// end lets go of the tables that were replaced as the database was closed, before another process may open it.
// Those of a compaction that was not complete stay for that one. It reports whether there was anything to let go.
func (c *compactions) end() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unpinAll == nil || c.postponed {
		return false
	}
	c.unpinAll()
	c.unpinAll = nil
	return true
}
