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

// If a compaction cannot read a block, Badger silently skips the rest of that table (badger/v4/levels.go, subcompact,
// and table/iterator.go), and if it cannot write a table, it ignores the error (compactBuildTables). Both would lose
// records for good, because the input tables are removed. So every compaction is checked by counting: the entries in
// the input tables must match those that it read, and the entries that it kept must be in the output tables. Until
// then, the input tables are pinned. If the counts differ, the input tables are examined entry by entry: missing
// entries that can be read are written again, and those that cannot be read are recorded as lost.

// heldFolder is the folder in the database's folder for tables that the next process must examine.
const heldFolder = "held"

// noContext is for log entries outside of any call.
var noContext = context.Background()

// compactionCounts is what a compaction has read so far.
type compactionCounts struct {
	kept, skipped int
	unpin         func()
	early         bool // it began before the database was open
}

// compactions checks the compactions of an open database.
type compactions struct {
	d    *DB
	path string // folder of the held tables

	mu        sync.Mutex
	running   map[int]*compactionCounts   // by compactor number
	known     knownTables                 // tables that exist or are still pinned
	list      files.ManifestLog           // progress in reading the manifest
	pending   []files.ManifestChange      // compactions in the manifest that are not checked yet
	closing   bool                        // from now on, problems are examined when the store is opened again
	postponed bool                        // a problem was found while closing
	unpinAll  func()                      // unpins the tables that existed when closing began
	examining int                         // number of running examinations
	idle      *sync.Cond                  // signaled when there are none
	unchecked map[*compactionCounts]int64 // end of the manifest when each unchecked compaction began
	checked   []uint64                    // an input table of each checked compaction since the first unchecked one
	unpins    []func()                    // unpin functions of the tables being examined

	complete, examined int // number of compactions so far
}

// knownTables is a set of tables by id. It is safe for concurrent use.
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

// ids returns the ids of all tables.
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

// begin starts checking. Tables that are compacted while the database opens were verified just before (see
// [inspection.compacted]). Tables that a previous process left are examined now.
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

// heldTables returns the ids of the tables that a previous process left for examination.
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

// iterated records that a compactor has finished reading a part of its tables. The tables still exist at this point.
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

// pin records the existing tables, and prevents their removal until unpin.
func (c *compactions) pin() (unpin func()) {
	for _, t := range c.d.db.Tables() {
		c.known.add(t)
	}
	c.d.tables.refresh() // tables that are about to be replaced stay readable until the compaction is checked
	if c.closing {       // after this, end has a single pin for everything
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

// forgetUnchecked removes a compaction from the unchecked ones. The caller holds c.mu.
func (c *compactions) forgetUnchecked(t *compactionCounts) {
	delete(c.unchecked, t)
	c.noteUnchecked()
}

// done checks the compaction that a compactor has just finished.
func (c *compactions) done(compactor int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.running[compactor]
	delete(c.running, compactor)
	if c.d == nil {
		return
	}
	if t == nil { // its log lines were missed, so examine whatever the manifest lists
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
	// No compaction in the manifest matches this compactor's counts, so it was incomplete. One that matches another
	// compactor, which will be done soon, is left to that.
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
	if len(ids) == 0 { // its compaction is being examined already
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

// countedByAny reports whether the counts of an unfinished compactor match a compaction.
func (c *compactions) countedByAny(change files.ManifestChange, there map[uint64]badger.TableInfo) bool {
	for _, t := range c.running {
		if !t.early && c.countsMatch(change, t, there) {
			return true
		}
	}
	return false
}

// unpinIfIdle unpins tables when nothing is being examined. The caller holds c.mu.
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

// startExamination examines tables in a new goroutine. The caller holds c.mu.
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

// countsMatch reports whether the input tables have as many entries as the compaction read, and the output tables as
// many as it kept.
func (c *compactions) countsMatch(change files.ManifestChange, t *compactionCounts, there map[uint64]badger.TableInfo) bool {
	in, out, ok := c.entries(change, there)
	return ok && in == t.kept+t.skipped && out == t.kept
}

// entries returns the number of entries in the input and in the output tables, or false if unknown.
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
			// The table may have been the input of a later compaction, which recorded it.
			if info, ok = c.known.of(id); !ok {
				return 0, 0, false
			}
		}
		out += int(info.KeyCount)
	}
	return in, out, true
}

// countsMatchWithDuplicates reports whether all input tables were read although the compaction read fewer entries than
// they contain: after a process was killed, two tables may contain the same entries.
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

// pin prevents the removal of the existing tables until unpin, by opening an iterator on them. It does not begin a new
// Badger transaction, because that would wait for commits, which may wait for a compaction.
func (d *DB) pin() (unpin func()) {
	at := d.commits.acquire()
	it := at.txn.NewIterator(badger.IteratorOptions{})
	return func() {
		it.Close()
		d.commits.release(at)
	}
}

// release removes held tables that are no longer needed.
func (c *compactions) release(ids []uint64) {
	for _, id := range ids {
		c.known.remove(id)
		if err := os.Remove(join(c.path, files.TableName(id))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.d.log.Warn("cannot remove a table after checking it", "table", files.TableName(id), "error", err)
		}
	}
	_ = os.Remove(c.path) // only succeeds if it is empty
}

// file returns the path of a table to examine.
func (c *compactions) file(id uint64) string {
	if name := join(c.path, files.TableName(id)); exists(name) {
		return name
	}
	return join(c.d.path, files.TableName(id))
}

// wait waits for running examinations.
func (c *compactions) wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.examining > 0 {
		c.idle.Wait()
	}
}

// close ends the examinations after the last commit. Compactions may continue until the database is closed.
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

// end unpins the tables that were replaced while the database was closing, before another process may open it. Tables
// of an incomplete compaction are held for that process. It reports whether there were any pinned tables.
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
