package badger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"

	"bugle/engine/files"
	"bugle/store/kv"
)

// Badger syncs its log once per transaction, one after another, and blocks new readers meanwhile. So one of those who
// commit makes all changes that wait durable, in one Badger transaction with one sync, and readers share the snapshot of
// the last commit.

// pending is a change that waits for its commit.
type pending struct {
	kv.Change
	done chan error
}

// Commit implements [kv.Driver].
func (d *driver) Commit(_ context.Context, c kv.Change) error {
	p := &pending{c, make(chan error, 1)}
	d.waitingMu.Lock()
	d.waiting = append(d.waiting, p)
	d.waitingMu.Unlock()
	select {
	case err := <-p.done:
		return err
	case d.leader <- struct{}{}:
	}
	d.waitingMu.Lock()
	batch := d.waiting
	d.waiting = nil
	d.waitingMu.Unlock()
	// Those that were refused most often go first, so that none starves.
	slices.SortStableFunc(batch, func(a, b *pending) int { return cmp.Compare(b.Refused, a.Refused) })
	d.commit(batch)
	<-d.leader
	return <-p.done
}

// commit makes those of the changes durable that do not conflict with others, and tells each what became of it.
func (d *driver) commit(batch []*pending) {
	refused := d.writable()
	written := map[string]struct{}{}
	sound := make([]*pending, 0, len(batch))
	for _, p := range batch {
		err := refused
		if err == nil {
			err = p.Check(context.Background(), d.newest, written)
		}
		if err != nil {
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
	err := d.store(sound)
	if half := len(sound) / 2; err != nil && !errors.Is(err, errUncertain) && half > 0 {
		d.commit(sound[:half]) // only those fail that are the cause
		d.commit(sound[half:])
		return
	}
	for _, p := range sound {
		p.done <- d.explain(err)
	}
}

// lastKey is the key of a record that every commit writes.
var lastKey = kv.HiddenKey("last")

// store writes changes in one transaction, and returns when they are durable and can be read.
func (d *driver) store(changes []*pending) error {
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
			case len(w.Key)+len(w.Value) > maxRecord:
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
		old, err := d.newest.Get(context.Background(), []byte(key))
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
	next := d.db.NewTransaction(false)
	d.share(next)
	_ = d.record(false, func(s *state) { s.Last = next.ReadTs() }) // if it fails, the commit is durable all the same
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
