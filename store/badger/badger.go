// Package badger implements a key-value store on disk with a Badger database.
//
// What is acknowledged is durable: a commit returns after its sync. What the disk loses is found and said. Badger
// verifies each block that it reads, but a damaged block ends the search for a key, or a scan, without an error, and a
// merge of tables would lose for good what the block hides. So Badger's own merging is off, and the tables are merged in
// the background right after each block was read and verified. That is also done once a day, and after a process that
// had the store open was killed. If there is damage, nothing is written any more, until a backup is restored or what can
// be read is rescued. What a search did not find is seen by package kv, which counts the records and compares those that
// belong together.
package badger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"

	"bugle/store"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// Options are the options of [Open].
type Options struct {
	// Dir is the data folder. The database has a folder of its own in it, accessible only by its owner, so Dir may
	// contain other files with any permissions.
	Dir string
	// Key finds the key of an encrypted store by its id. Nil finds no key.
	Key KeyFinder
	// Encrypt is the key for a new store; nil means that it is not encrypted. An existing store must be encrypted with
	// this key.
	Encrypt *crypt.Key
	// OnDamage is called with a sentence for people for each damage that is found, now or earlier, and if the store cannot
	// be verified or merged. OnDamage is called during reads, so it must not block or use the store. It may be nil.
	OnDamage func(notice string)
}

// KeyFinder finds a key by its id. It fails with [crypt.ErrNoKey] if the key does not exist; its errors say what to do.
type KeyFinder func(ctx context.Context, id string) (crypt.Key, error)

// Folder is the name of the database's folder in the data folder.
const Folder = "store"

const (
	logSize   = 16 << 20     // of a value log file
	maxRecord = logSize - 32 // a key and a value must fit into it
	// inlineLimit is the largest value in bytes that is stored next to its key.
	inlineLimit = 1 << 20
)

// settings returns the measured settings of the database. The block indexes are read whenever a store opens and stay in
// memory: with blocks of 16 KB they need a quarter of what they would need with 4 KB. The data that is read most, the rows
// of lists, is cached elsewhere, so a larger block cache would only hold what the last scan left. Values are inline, because
// Badger does not verify the value log when it reads it, and does not free its space. A merge builds up to 13 tables at once,
// in buffers of several times their size if their blocks are compressed, so tables are small, and documents are compressed
// instead (see kv). Most reads of a new record look for keys that do not exist: the filters are wrong once in a thousand.
func settings(dir string) badger.Options {
	o := badger.DefaultOptions(dir).
		WithMemTableSize(16 << 20).
		WithNumMemtables(3).
		WithNumLevelZeroTables(4).
		WithNumLevelZeroTablesStall(1 << 30). // writes never wait for a merge
		WithNumCompactors(0).                 // see [driver.merge]
		WithBaseTableSize(2 << 20).
		WithBlockSize(16 << 10).
		WithBloomFalsePositive(0.001).
		WithValueThreshold(inlineLimit).
		WithValueLogFileSize(logSize).
		WithBlockCacheSize(4 << 20).
		WithIndexCacheSize(8 << 20).
		WithCompression(options.None).
		WithSyncWrites(true).
		WithDetectConflicts(false). // a [kv.Change] knows what it has read
		WithChecksumVerificationMode(options.OnBlockRead).
		WithMetricsEnabled(false).
		WithLogger(nil)
	o.TableSizeMultiplier = 1
	return o
}

// DB is an open store.
type DB struct {
	*kv.Store
	driver *driver
}

// driver implements [kv.Driver].
type driver struct {
	db      *badger.DB
	dir     string // data folder
	path    string // folder of the database in it
	free    func(path string) (uint64, error)
	key     *crypt.Key // nil if it is not encrypted
	release func()     // ends the lock on the data folder

	stateMu sync.Mutex
	state   state
	file    *os.File // of the state

	waitingMu  sync.Mutex
	waiting    []*pending
	leader     chan struct{}         // has an element while somebody commits
	folderTime time.Time             // of the last change of the folder whose names are durable
	failed     atomic.Pointer[error] // why nothing is written any more

	snapMu sync.Mutex
	newest *snapshot // without a transaction if the store is closed

	onDamage  func(notice string)
	told      sync.Map    // notices
	suspected atomic.Bool // the store should be verified
	tables    sync.Mutex  // locked while tables are merged or rescued

	work    context.Context // ends when the store is closed
	stop    context.CancelFunc
	tending sync.WaitGroup
	closed  func() error // closes the store once
}

// Open opens the store in a data folder, and creates both if they do not exist. It fails with a *[store.LockedError] if
// another process has the store open, with [store.ErrNewerVersion] if a newer version wrote it, with
// [store.ErrDiskFull] if the disk has no space left, with [crypt.ErrNoKey] or [crypt.ErrWrongKey] if it is encrypted and
// cannot be read, and with a *[store.DamagedError] if its files cannot be opened.
func Open(ctx context.Context, o Options) (*DB, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil || o.Dir == "" {
		return nil, fmt.Errorf("cannot use the data folder %q; choose another one with --data or BUGLE_DATA", o.Dir)
	}
	d := newDriver(dir, o)
	if err := d.enter(); err != nil {
		return nil, err
	}
	db, err := d.start(ctx, o)
	if err == nil {
		d.tending.Go(d.tend)
	}
	return db, err
}

func newDriver(dir string, o Options) *driver {
	d := &driver{
		dir: dir, path: filepath.Join(dir, Folder), free: freeSpace,
		release: func() {}, leader: make(chan struct{}, 1), onDamage: o.OnDamage,
	}
	d.work, d.stop = context.WithCancel(context.Background())
	d.closed = sync.OnceValue(d.close)
	return d
}

// start opens the database. The caller has the lock.
func (d *driver) start(ctx context.Context, o Options) (*DB, error) {
	if err := d.open(ctx, o); err != nil {
		_ = d.file.Close() // which may not be open
		d.release()
		return nil, err
	}
	d.share(d.db.NewTransaction(false))
	db := &DB{kv.NewStore(d), d}
	err := kv.Prepare(ctx, db.Store, d.db.MaxVersion() == 0)
	var bad *store.CorruptError
	if errors.As(err, &bad) { // what can be read can be read, and rescued
		d.found(fmt.Sprintf("%s is damaged (%v)", bad.What, bad.Err))
		err = nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store in %s: %w", d.dir, err), db.Close())
	}
	return db, nil
}

// open opens the state and the database.
func (d *driver) open(ctx context.Context, o Options) error {
	if err := d.makeFolder(); err != nil {
		return err
	}
	if err := d.unlock(ctx, o); err != nil {
		return err
	}
	settings := d.options()
	before := d.state
	// Badger opens tables in goroutines of its own, and one whose end is damaged panics there, which would end the process.
	// Without their list it would remove them.
	if err := readTables(ctx, settings, func(*table.Table) error { return nil }); err != nil {
		return d.explainOpen(err)
	}
	newKey := d.key != nil && d.key.ID() != before.Key
	err := d.record(newKey, func(s *state) {
		if s.PID = os.Getpid(); d.key != nil {
			s.Key = d.key.ID()
		}
	})
	if err != nil {
		return d.unwritable(err)
	}
	// A process that is killed while it creates a log and a value log leaves empty ones, each of which fails one attempt.
	for range 3 {
		if d.db, err = openFiles(settings); err == nil {
			break
		}
	}
	if err != nil {
		return d.explainOpen(err)
	}
	d.suspected.Store(before.PID != 0)
	if known := d.damaged(); known != nil {
		d.tell(known)
	}
	if have := d.db.MaxVersion(); have < before.Last {
		d.found(fmt.Sprintf("the last %d changes are lost: the log with them is damaged", before.Last-have))
	}
	return nil
}

// openFiles opens a database. Badger panics if some of its files are damaged.
func openFiles(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if r := recover(); r != nil {
			db, err = nil, fmt.Errorf("cannot read its files: %v", r)
		}
	}()
	return badger.Open(o)
}

// Close implements [kv.Driver]. No transaction is running.
func (d *driver) Close() error { return d.closed() }

func (d *driver) close() error {
	defer d.release()
	d.stop()
	d.tending.Wait()
	d.share(nil)
	if err := errors.Join(d.closeDatabase(), d.file.Close()); err != nil {
		return fmt.Errorf("closing the store in %s: %w", d.dir, err)
	}
	return nil
}

// closeDatabase closes the database. If that cannot write its last table, it is left open: everything is in its logs.
func (d *driver) closeDatabase() error {
	if !exists(d.path) { // it would be tried again and again
		return errors.New("the folder was deleted or moved while it was in use; if it was moved, everything saved is still in it")
	}
	if err := d.room(openReserve); err != nil {
		return fmt.Errorf("everything saved is still there, but %w", err)
	}
	if d.damaged() == nil && d.shouldMerge(mostTables) {
		if err := d.merge(context.Background()); err != nil {
			d.tell(err)
		}
	}
	if err := d.db.Close(); err != nil {
		return d.explain(err)
	}
	return d.record(true, func(s *state) { s.PID = 0 })
}
