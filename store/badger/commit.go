package badger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"

	"bugle/engine/files"
	"bugle/store"
	"bugle/store/kv"
)

// Badger syncs its log once per transaction, one after another, and blocks new readers meanwhile. So one goroutine
// commits all changes that wait in one Badger transaction with one sync, and readers share the snapshot of the last
// commit.

// pending is a change that waits for its commit.
type pending struct {
	kv.Change
	done chan error
}

// Commit implements [kv.Driver].
func (d *driver) Commit(ctx context.Context, c kv.Change) error {
	p := &pending{c, make(chan error, 1)}
	select {
	case d.queue <- p:
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-p.done
}

// write commits the changes in the queue until it is closed.
func (d *driver) write() {
	for first := range d.queue {
		batch := []*pending{first}
		for more := true; more; {
			select {
			case p, ok := <-d.queue:
				if more = ok; ok {
					batch = append(batch, p)
				}
			default:
				more = false
			}
		}
		// Those that were refused most often go first, so that none starves.
		slices.SortStableFunc(batch, func(a, b *pending) int { return cmp.Compare(b.Refused, a.Refused) })
		for len(batch) > 0 {
			n := d.fitting(batch)
			d.commit(batch[:n])
			batch = batch[n:]
		}
	}
}

// entrySize is what Badger adds to the size of a key and a value, at most.
const entrySize = 32

// fitting returns how many of the changes fit into one Badger transaction, at least one.
func (d *driver) fitting(batch []*pending) int {
	count, size := int64(0), int64(0)
	for n, p := range batch {
		count += int64(len(p.Writes) + len(p.Counts))
		for _, w := range p.Writes {
			size += int64(len(w.Key) + min(len(w.Value), inlineLimit) + entrySize)
		}
		size += int64(len(p.Counts) * 100)
		if n > 0 && (count >= d.db.MaxBatchCount() || size >= d.db.MaxBatchSize()) {
			return n
		}
	}
	return len(batch)
}

// commit makes those of the changes durable that do not conflict with others, and tells each what became of it.
func (d *driver) commit(batch []*pending) {
	if err := d.writable(); err != nil {
		for _, p := range batch {
			p.done <- err
		}
		return
	}
	now := d.newest
	written := map[string]struct{}{}
	sound := batch[:0:0]
	for _, p := range batch {
		if err := p.Check(context.Background(), now, written); err != nil {
			p.done <- err
			continue
		}
		for _, w := range p.Writes {
			written[string(w.Key)] = struct{}{}
		}
		sound = append(sound, p)
	}
	if len(sound) == 0 {
		return
	}
	err := d.store(now, sound)
	if err != nil && !errors.Is(err, errUncertain) && len(sound) > 1 { // only those fail that are the cause
		for _, p := range sound {
			d.commit([]*pending{p})
		}
		return
	}
	for _, p := range sound {
		p.done <- d.explain(err)
	}
}

// lastKey is the key of a record that every commit writes.
var lastKey = kv.HiddenKey("last")

// store writes changes in one transaction, and returns when they are durable and can be read.
func (d *driver) store(now *snapshot, changes []*pending) error {
	txn := d.db.NewTransaction(true)
	defer txn.Discard()
	// A commit that only deletes would leave no trace once the tables are merged, and seem to be lost.
	if err := txn.Set(lastKey, nil); err != nil {
		return err
	}
	counts := map[string]int64{}
	for _, c := range changes {
		for _, n := range c.Counts {
			counts[string(n.Key)] += n.Delta
		}
		for _, w := range c.Writes {
			var err error
			switch {
			case w.Delete:
				err = txn.Delete(w.Key)
			case len(w.Value) > maxValue-len(w.Key)-entrySize:
				err = badger.ErrTxnTooBig
			default:
				err = txn.Set(w.Key, w.Value)
			}
			if err != nil {
				return err
			}
		}
	}
	for key, delta := range counts {
		if delta == 0 {
			continue
		}
		old, err := now.Get(context.Background(), []byte(key))
		if err != nil {
			return err
		}
		value, err := kv.AddCount(kv.Count{Key: []byte(key), Delta: delta}, old.Value)
		if err != nil {
			return err
		}
		if err := txn.Set([]byte(key), value); err != nil {
			return err
		}
	}
	if err := d.sync(txn); err != nil {
		return err
	}
	next := &snapshot{driver: d, txn: d.db.NewTransaction(false), users: 1}
	d.snapMu.Lock()
	d.newest = next
	d.snapMu.Unlock()
	now.Release()
	d.sequence.reached(next.txn.ReadTs())
	return nil
}

// sync commits a transaction durably. After an error the disk may have some of it: until the store is opened again
// nobody may read or write on.
func (d *driver) sync(txn *badger.Txn) error {
	err := txn.Commit()
	switch {
	case errors.Is(err, badger.ErrTxnTooBig), errors.Is(err, badger.ErrBlockedWrites), errors.Is(err, badger.ErrDBClosed):
		return err // nothing was written
	case err == nil:
		err = d.syncFolder()
	}
	if err != nil {
		err = fmt.Errorf("the disk has failed (%w): %w", err, errUncertain)
		d.failed.Store(&err)
	}
	return err
}

// errUncertain reports that the outcome of a change is unknown.
var errUncertain = errors.New("the last changes may not be saved; start bugle again to see. Until then the store is read-only")

var syncFolder = files.SyncFolder // changed by tests

// syncFolder makes the names of new files durable, which Badger does not do for its logs.
func (d *driver) syncFolder() error {
	info, err := os.Stat(d.path)
	if err != nil {
		return err
	}
	// A file system may give two changes of a moment the same time.
	if at := info.ModTime(); !at.Equal(d.folderTime) || time.Since(at) < 100*time.Millisecond {
		d.folderTime = at
		return syncFolder(d.path)
	}
	return nil
}

// snapshot is a read-only transaction of Badger, which is safe for concurrent use. Transactions share the newest.
type snapshot struct {
	driver *driver
	txn    *badger.Txn
	users  int // guarded by driver.snapMu; being the newest counts as one
}

// Snapshot implements [kv.Driver].
func (d *driver) Snapshot(context.Context) (kv.Snapshot, error) {
	d.snapMu.Lock()
	defer d.snapMu.Unlock()
	if d.newest == nil {
		return nil, store.ErrClosed
	}
	d.newest.users++
	return d.newest, nil
}

// Release implements [kv.Snapshot].
func (s *snapshot) Release() {
	s.driver.snapMu.Lock()
	s.users--
	unused := s.users == 0
	s.driver.snapMu.Unlock()
	if unused {
		s.txn.Discard()
	}
}

// Get implements [kv.Snapshot].
func (s *snapshot) Get(_ context.Context, key []byte) (i kv.Item, err error) {
	defer s.recovered(&err)()
	item, err := s.txn.Get(key)
	switch {
	case errors.Is(err, badger.ErrKeyNotFound):
		return kv.Item{Key: key}, nil
	case err != nil:
		return i, s.driver.explain(err)
	}
	value, err := s.value(item, nil)
	return kv.Item{Key: key, Value: value, Version: item.Version()}, err
}

// Versions implements [kv.Snapshot].
func (s *snapshot) Versions(_ context.Context, keys [][]byte) (out []uint64, err error) {
	defer s.recovered(&err)()
	out = make([]uint64, len(keys))
	for i, key := range keys {
		item, err := s.txn.Get(key)
		switch {
		case errors.Is(err, badger.ErrKeyNotFound):
		case err != nil:
			return nil, s.driver.explain(err)
		default:
			out[i] = item.Version()
		}
	}
	return out, nil
}

// value copies the value of a record to buf. A large record that the value log does not have is damaged: its value is
// then empty, which no record is.
func (s *snapshot) value(item *badger.Item, buf []byte) (value []byte, err error) {
	defer s.recovered(&err)()
	value, err = item.ValueCopy(buf)
	switch {
	case err == nil:
		return value, nil
	case errors.Is(err, badger.ErrDBClosed), store.IsTooManyFiles(err):
		return nil, s.driver.explain(err)
	}
	s.driver.Suspect(fmt.Errorf("a large record cannot be read: %w", err))
	return []byte{}, nil
}

// guard calls failed after a panic of Badger, which some damage causes, or after a sector of a mapped file could not be read.
// The function that it returns must be deferred.
func guard(failed func(cause any)) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if cause := recover(); cause != nil {
			failed(cause)
		}
	}
}

// recovered returns what a snapshot does after a panic.
func (s *snapshot) recovered(err *error) func() {
	return guard(func(cause any) {
		*err = &store.CorruptError{What: "a part of the store", Err: fmt.Errorf("%v", cause)}
		s.driver.Suspect(*err)
	})
}

// Scan implements [kv.Snapshot].
func (s *snapshot) Scan(ctx context.Context, prefix []byte, o kv.ScanOptions, fn func(kv.Item) error) (err error) {
	it, err := s.iterator(prefix, o)
	if err != nil {
		return err
	}
	defer it.Close()
	var buf []byte
	for n := 1; it.ValidForPrefix(prefix); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		item := it.Item()
		i := kv.Item{Key: item.Key(), Version: item.Version()}
		if !o.KeysOnly {
			if buf, err = s.value(item, buf); err != nil {
				return err
			}
			i.Value = buf
		}
		if err := fn(i); err != nil || n == o.Limit {
			return err
		}
		if err := s.next(it); err != nil {
			return err
		}
	}
	return nil
}

func (s *snapshot) next(it *badger.Iterator) (err error) {
	defer s.recovered(&err)()
	it.Next()
	return nil
}

// iterator returns an iterator at the first record of a scan.
func (s *snapshot) iterator(prefix []byte, o kv.ScanOptions) (it *badger.Iterator, err error) {
	io := badger.DefaultIteratorOptions
	io.Reverse = o.Reverse
	io.PrefetchValues = false // it starts a goroutine for each value, and values are inline
	if !o.Reverse {
		io.Prefix = prefix // Badger's prefixes only work in forward scans
	}
	from := o.From
	switch {
	case !o.Reverse && string(from) < string(prefix):
		from = prefix
	case o.Reverse && from == nil:
		from = kv.PrefixEnd(prefix)
	}
	it = s.txn.NewIterator(io)
	defer func() {
		if err != nil {
			it.Close()
		}
	}()
	defer s.recovered(&err)()
	if from == nil {
		it.Rewind()
	} else {
		it.Seek(from)
	}
	if o.Reverse {
		for it.Valid() && string(it.Item().Key()) > string(prefix) && !it.ValidForPrefix(prefix) {
			it.Next() // beyond the range
		}
	}
	return it, nil
}

// sequence is a file with the version of the last acknowledged commit. It is written without a sync, which a killed
// process survives. If the database is behind it, acknowledged changes were lost. The file also says whether the store
// was closed.
type sequence struct {
	file *os.File
	last uint64
}

const (
	sequenceFile = "SEQUENCE"
	sequenceText = "%-6s %020d\n"
)

// open reads the file, and marks the store as open. clean reports whether it was closed.
func (s *sequence) open(name string) (clean bool, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	s.file = f
	state := ""
	if _, err := fmt.Fscanf(f, "%s %d\n", &state, &s.last); err != nil {
		return false, nil // a new store, or a file that was cut: nothing is known
	}
	return state == "closed", nil
}

// reached writes the version of a commit. If that fails, the commit is durable all the same.
func (s *sequence) reached(version uint64) {
	s.last = version
	_ = s.put("open")
}

func (s *sequence) put(state string) error {
	if _, err := s.file.WriteAt(fmt.Appendf(nil, sequenceText, state, s.last), 0); err != nil {
		return fmt.Errorf("writing the number of the last change: %w", err)
	}
	return nil
}

// close marks the store as closed.
func (s *sequence) close() error { return errors.Join(s.put("closed"), s.file.Sync(), s.file.Close()) }
