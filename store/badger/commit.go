package badger

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4"

	"bugle/store/badger/internal/files"
	"bugle/store/kv"
)

// Badger syncs its log once per transaction, one after another, and blocks new readers meanwhile. This file implements
// group commit instead: transactions that end at the same time are committed together with one sync, and transactions
// that begin meanwhile read the last durable state. A transaction reads a snapshot and buffers its writes ([tx]). When
// it ends, it joins a queue. The first in the queue is the leader: it takes the waiting transactions, refuses those
// that conflict with later changes, writes the others in a single Badger transaction whose commit returns after the
// sync, creates the next snapshot, and only then reports the results.

// write is one record that a transaction sets or deletes.
type write struct {
	key, value []byte
	keyHash    uint64 // hash of key
	deleted    bool
	existed    bool // before the transaction
}

// change is the reads and writes of one transaction.
type change struct {
	version uint64       // version of its snapshot
	reads   []uint64     // hashes of the keys
	ranges  []files.Span // scanned ranges; reads only has the keys that existed in them
	writes  []write
	count   int64 // of records and bytes, as Badger counts them
	size    int64
	tries   int // how often it was refused before

	// exclusive, if not nil, runs instead of writing, while nobody else writes.
	exclusive func() error

	err  error
	turn chan bool // true: it becomes the leader; false: it is finished, with result err
}

// errInterrupted reports that the leader of a commit did not finish.
var errInterrupted = errors.New("the change was interrupted while it was written")

// commits implements group commit.
type commits struct {
	db      *badger.DB
	logs    *logs
	of      *identity
	prepare func() error // returns an error if nothing can be written now
	reached func(version uint64)

	mu        sync.Mutex
	waiting   []*change
	hasLeader bool // there is a leader
	newest    *snapshot
	live      []*snapshot // in use, oldest first

	// Only the leader uses these fields.
	last   map[uint64]uint64 // key hash → version that last wrote the key
	groups []group           // contents of last, oldest first
	// counts is the number of records; nil if a commit has failed and it must be read again.
	counts kv.Counts
}

// group is the changes that were committed together.
type group struct {
	version uint64
	prints  []uint64
	set     [][]byte // keys that were not deleted
}

func (c *commits) begin(db *badger.DB, logs *logs, of *identity, prepare func() error, reached func(uint64)) {
	c.db, c.logs, c.of, c.prepare, c.reached, c.last = db, logs, of, prepare, reached, map[uint64]uint64{}
	c.newest = &snapshot{txn: db.NewTransaction(false), users: 1}
	c.live = []*snapshot{c.newest}
}

// end releases the newest snapshot when nobody uses any other.
func (c *commits) end() {
	if c.newest != nil {
		c.release(c.newest)
		c.newest = nil
	}
}

// commit makes a change durable, or fails with [badger.ErrConflict] if something that it read has changed since.
func (c *commits) commit(ch *change) error {
	ch.turn = make(chan bool, 1)
	c.mu.Lock()
	c.waiting = append(c.waiting, ch)
	leads := !c.hasLeader
	c.hasLeader = true
	c.mu.Unlock()
	if !leads {
		leads = <-ch.turn
	}
	if leads {
		c.lead()
	}
	return ch.err
}

// lead commits the queued changes, including the caller's, and appoints the next leader.
func (c *commits) lead() {
	c.mu.Lock()
	batch := c.takeBatch()
	c.mu.Unlock()
	first := batch[0]
	for _, ch := range batch {
		ch.err = errInterrupted
	}
	defer func() {
		c.mu.Lock()
		var next *change
		if c.hasLeader = len(c.waiting) > 0; c.hasLeader {
			next = c.waiting[0]
		}
		c.mu.Unlock()
		if next != nil {
			next.turn <- true
		}
		for _, ch := range batch {
			if ch != first {
				ch.turn <- false
			}
		}
	}()
	c.finish(slices.Clone(batch))
}

// takeBatch takes as many queued changes as fit into one Badger transaction, at least the first.
func (c *commits) takeBatch() []*change {
	n, count, size := 0, int64(0), int64(0)
	for _, ch := range c.waiting {
		count, size = count+ch.count, size+ch.size
		if n > 0 && (ch.exclusive != nil || c.waiting[0].exclusive != nil || count >= c.db.MaxBatchCount() || size >= c.db.MaxBatchSize()) {
			break
		}
		n++
	}
	batch := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return batch
}

// finish commits a batch and reports the results.
func (c *commits) finish(batch []*change) {
	if err := c.prepare(); err != nil {
		for _, ch := range batch {
			ch.err = err
		}
		return
	}
	if do := batch[0].exclusive; do != nil {
		batch[0].err, c.counts = do(), nil
		c.publish(batch[0])
		return
	}
	sound := c.withoutConflicts(batch)
	if len(sound) == 0 {
		return
	}
	err := c.write(sound)
	if errors.Is(err, errStage) && len(sound) > 1 { // separately, so that only the failing one fails
		for _, ch := range sound {
			ch.err = c.write([]*change{ch})
			c.publish(ch)
		}
		return
	}
	for _, ch := range sound {
		ch.err = err
	}
	c.publish(sound...)
}

// withoutConflicts returns the changes that have not read anything that was changed since, including by others in the
// batch, and refuses the rest. Changes that were refused most often go first, so that none starves.
func (c *commits) withoutConflicts(batch []*change) []*change {
	slices.SortStableFunc(batch, func(a, b *change) int { return cmp.Compare(b.tries, a.tries) })
	var now map[uint64]struct{}
	var set [][]byte
	stale := func(ch *change) bool {
		for _, print := range ch.reads {
			if _, ok := now[print]; ok || c.last[print] > ch.version {
				return true
			}
		}
		return ch.scanned(set) || slices.ContainsFunc(c.groups, func(g group) bool { return g.version > ch.version && ch.scanned(g.set) })
	}
	sound := batch[:0]
	for i, ch := range batch {
		if stale(ch) {
			ch.err = badger.ErrConflict
			continue
		}
		sound = append(sound, ch)
		if i == len(batch)-1 {
			break
		}
		if now == nil {
			now = make(map[uint64]struct{}, len(batch)*len(ch.writes))
		}
		for _, w := range ch.writes {
			now[w.keyHash] = struct{}{}
		}
		set = ch.set(set)
	}
	return sound
}

// scanned reports whether the change has scanned a range that contains one of the keys.
func (ch *change) scanned(keys [][]byte) bool {
	return slices.ContainsFunc(ch.ranges, func(s files.Span) bool { return slices.ContainsFunc(keys, s.Has) })
}

// set appends the keys that the change writes and does not delete.
func (ch *change) set(keys [][]byte) [][]byte {
	for _, w := range ch.writes {
		if !w.deleted {
			keys = append(keys, w.key)
		}
	}
	return keys
}

// errStage reports that changes do not fit into one transaction; nothing was written.
var errStage = errors.New("cannot write the changes")

// write writes changes in one transaction, and returns when they are durable.
func (c *commits) write(changes []*change) error {
	txn := c.db.NewTransaction(true)
	defer txn.Discard()
	err := txn.SetEntry(c.of.chainEntry(lastCommit(c.newest.txn)))
	counts, changed, countErr := c.count(changes)
	if countErr != nil {
		return countErr
	}
	for _, workspace := range changed {
		if key := countKey(workspace); err == nil {
			err = txn.SetEntry(c.of.entry(key, encodeCounts(key, counts[workspace])))
		}
	}
	for _, ch := range changes {
		for _, w := range ch.writes {
			if err != nil {
				return errors.Join(errStage, err)
			}
			if w.deleted {
				err = txn.Delete(w.key)
			} else {
				err = txn.SetEntry(c.of.entry(w.key, w.value))
			}
		}
	}
	if err != nil {
		return errors.Join(errStage, err)
	}
	if err = c.logs.commit(txn, changes); err != nil {
		counts = nil
	}
	c.counts = counts
	return err
}

// recount counts all records again while nobody writes.
func (c *commits) recount() error {
	return c.commit(&change{exclusive: func() error { return recount(c.db, c.of) }})
}

// count returns the record counts after the changes, and the workspaces whose counts change.
func (c *commits) count(changes []*change) (counts kv.Counts, changed []string, err error) {
	if c.counts == nil {
		if c.counts, err = readCounts(c.newest.txn); err != nil {
			return nil, nil, err
		}
	}
	diff := kv.Counts{}
	for _, ch := range changes {
		for _, w := range ch.writes {
			switch {
			case isInternal(w.key):
			case w.deleted && w.existed:
				diff.Add(w.key, -1)
			case !w.deleted && !w.existed:
				diff.Add(w.key, 1)
			}
		}
	}
	counts = kv.Counts{}
	for workspace, kinds := range c.counts {
		counts[workspace] = maps.Clone(kinds)
	}
	counts.AddAll(diff, 1)
	for workspace, kinds := range diff {
		if len(kinds) > 0 {
			changed = append(changed, workspace)
		}
	}
	return counts, changed, nil
}

// publish creates the next snapshot, which includes the changes. If the outcome of a commit is unknown, its changes are
// in Badger's memory and nobody may read them: everybody keeps the previous snapshot, because nothing is written any
// more.
func (c *commits) publish(changes ...*change) {
	if slices.ContainsFunc(changes, func(ch *change) bool { return errors.Is(ch.err, errUncertain) }) {
		return
	}
	next := &snapshot{txn: c.db.NewTransaction(false), users: 1}
	g := group{version: next.version()}
	for _, ch := range changes {
		for _, w := range ch.writes {
			g.prints = append(g.prints, w.keyHash)
			c.last[w.keyHash] = g.version
		}
		g.set = ch.set(g.set)
	}
	for i, key := range g.set {
		g.set[i] = bytes.Clone(key) // the caller owns the key again when the transaction ends
	}
	c.groups = append(c.groups, g)
	c.mu.Lock()
	old := c.newest
	c.newest, c.live = next, append(c.live, next)
	c.mu.Unlock()
	c.release(old)
	c.prune()
	if !slices.ContainsFunc(changes, func(ch *change) bool { return ch.err != nil }) {
		c.reached(g.version)
	}
}

// prune drops entries that every running transaction has seen.
func (c *commits) prune() {
	c.mu.Lock()
	oldest := c.live[0].version()
	c.mu.Unlock()
	n := 0
	for _, g := range c.groups {
		if g.version > oldest {
			break
		}
		for _, print := range g.prints {
			if c.last[print] == g.version {
				delete(c.last, print)
			}
		}
		n++
	}
	c.groups = slices.Delete(c.groups, 0, n)
}

// snapshot is a snapshot shared by several transactions: a read-only Badger transaction, which is safe for concurrent
// use.
type snapshot struct {
	txn   *badger.Txn
	users int // guarded by commits.mu; being the newest counts as one user
}

func (s *snapshot) version() uint64 { return s.txn.ReadTs() }

// acquire returns the newest snapshot; release releases it.
func (c *commits) acquire() *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newest.users++
	return c.newest
}

func (c *commits) release(s *snapshot) {
	c.mu.Lock()
	s.users--
	unused := s.users == 0
	if unused {
		c.live = slices.DeleteFunc(c.live, func(l *snapshot) bool { return l == s })
	}
	c.mu.Unlock()
	if unused {
		s.txn.Discard()
	}
}
