// Package badger keeps a store on disk, in a Badger database.
package badger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"bugle/store"
)

// Options say where a store is.
type Options struct {
	// Dir is the data folder. The database is in a folder of its own in it, which only its
	// owner can read, so that Dir can hold other files, whatever their permissions.
	Dir string
	// Logger gets what the database says of its own work; nil drops it.
	Logger *slog.Logger
}

// Folder is the name of the database's folder in the data folder.
const Folder = "store"

const (
	maxValue = 16 << 20 // also the size of a value log file, which a value must fit in
	// reserve is the free space without which nothing is written. The database writes into
	// files mapped to memory: a disk that is full ends the process with a bus error, before
	// anybody can say what happened. This is enough for a full table and its compaction.
	reserve = 64 << 20
	// attempts is how often a transaction runs that conflicts with others each time, some
	// seconds in all.
	attempts = 100
)

// settings are measured: with them 100,000 documents of 8 KB open in 10 ms, take 27 MB of
// memory, and a durable write takes 0.3 ms. Values are kept inline, as the value log is not
// checked when it is read, and its space is not given back.
func settings(dir string, log *slog.Logger) badger.Options {
	return badger.DefaultOptions(dir).
		WithMemTableSize(16 << 20).
		WithNumMemtables(3).
		WithNumLevelZeroTables(4).
		WithNumLevelZeroTablesStall(8).
		WithNumCompactors(2).
		WithBaseTableSize(4 << 20).
		WithValueThreshold(1 << 20).
		WithValueLogFileSize(maxValue).
		WithBlockCacheSize(16 << 20).
		WithIndexCacheSize(8 << 20).
		WithCompression(options.Snappy).
		WithSyncWrites(true).
		WithDetectConflicts(true).
		WithMetricsEnabled(false).
		WithLogger(logger{log})
}

// DB is an open store.
type DB struct {
	db   *badger.DB
	dir  string // the data folder, for messages
	path string // the database's folder
	free func(path string) (uint64, error)

	mu      sync.Mutex // guards closed, and running.Add against Close
	closed  bool
	running sync.WaitGroup
	closing sync.Once
	ended   error // what closing came to
}

// Open opens the store in a data folder, and makes both where they are not there. It fails
// with a *[store.LockedError] where another process has it open, with [store.ErrNewer] where
// a later program wrote it, and with [store.ErrFull] where the disk has no space left.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil || o.Dir == "" {
		return nil, fmt.Errorf("the data folder %q cannot be used: name one with --data or BUGLE_DATA", o.Dir)
	}
	d := &DB{dir: dir, path: filepath.Join(dir, Folder), free: freeSpace}
	if err := d.makeFolder(); err != nil {
		return nil, err
	}
	if err := d.checkSpace(); err != nil {
		return nil, err
	}
	for range repairs {
		if d.db, err = open(settings(d.path, o.Logger)); err == nil || !strings.Contains(err.Error(), emptyFile) {
			break
		}
	}
	if err != nil {
		return nil, d.explainOpen(err)
	}
	if err := store.Prepare(ctx, d); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store in %s: %w", dir, err), d.Close())
	}
	return d, nil
}

const (
	// emptyFile is what the database says (z.NewFile) of a log that a process has left empty which
	// was killed as it made it. It is made whole by the attempt that fails so, one at a time.
	emptyFile = "Create a new file"
	// repairs is how often opening is tried: a killed process leaves one value log and one table.
	repairs = 4
)

// open opens the database. It panics where some of its files are damaged.
func open(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if r := recover(); r != nil {
			db, err = nil, fmt.Errorf("its files cannot be read: %v", r)
		}
	}()
	return badger.Open(o)
}

// View implements [store.DB].
func (d *DB) View(ctx context.Context, fn func(store.Tx) error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.running.Done()
	return d.db.View(func(t *badger.Txn) error { return fn(&tx{ctx: ctx, txn: t, db: d}) })
}

// Update implements [store.DB]. A context that ends while the changes are being written does
// not undo them.
func (d *DB) Update(ctx context.Context, fn func(store.Tx) error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.running.Done()
	if err := d.checkSpace(); err != nil {
		return err
	}
	wait := time.Millisecond
	for range attempts {
		err := d.attempt(ctx, fn)
		if !errors.Is(err, badger.ErrConflict) {
			return err
		}
		// Of writers that met, each waits another while.
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(wait) + wait/2):
		}
		wait = min(2*wait, 50*time.Millisecond)
	}
	return fmt.Errorf("others changed the same records %d times in a row: try again: %w", attempts, badger.ErrConflict)
}

// attempt runs fn in a transaction and commits it.
func (d *DB) attempt(ctx context.Context, fn func(store.Tx) error) error {
	txn := d.db.NewTransaction(true)
	defer txn.Discard()
	if err := fn(&tx{ctx: ctx, txn: txn, db: d, writes: true}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.explain(txn.Commit())
}

// Close waits for the transactions that run, and closes the database. It must not be called
// from within one.
func (d *DB) Close() error {
	d.closing.Do(func() {
		d.mu.Lock()
		d.closed = true
		d.mu.Unlock()
		d.running.Wait()
		d.giveBack()
		if err := d.db.Close(); err != nil {
			d.ended = fmt.Errorf("closing the store in %s: %w", d.dir, d.explain(err))
		}
	})
	return d.ended
}

// giveBack rewrites value log files that hold mostly values which are no longer there: those
// of records of more than 1 MB. Mostly there is none, and it takes no time.
func (d *DB) giveBack() {
	for range 4 {
		if err := d.db.RunValueLogGC(0.5); err != nil {
			return // nothing to give back; a real fault shows when the database is closed
		}
	}
}

// enter counts a transaction in; its caller counts it out with running.Done.
func (d *DB) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return store.ErrClosed
	}
	d.running.Add(1)
	return nil
}
