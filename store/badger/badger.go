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
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"bugle/store"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// Options are the options of [Open].
type Options struct {
	// Dir is the data folder. The database has a folder of its own in it, accessible only by its owner, so Dir may
	// contain other files with any permissions.
	Dir string
	// Logger receives the log of the database; nil discards it.
	Logger *slog.Logger
	// Key finds the key of an encrypted store by its id. Nil finds no key.
	Key KeyFinder
	// Encrypt is the key for a new store; nil means that it is not encrypted. An existing store must be encrypted with
	// this key.
	Encrypt *crypt.Key
	// OnDamage is called with a sentence for people for each damage that is found while the store is open. Damage that is
	// found when the store opens is only in [DB.Notices]. OnDamage is called during reads, so it must not block or use the
	// store. It may be nil.
	OnDamage func(notice string)

	folder string // the name of the database's folder in Dir; empty: Folder
}

// KeyFinder finds a key by its id. It fails with [crypt.ErrNoKey] if the key does not exist; its errors say what to do.
type KeyFinder func(ctx context.Context, id string) (crypt.Key, error)

// Folder is the name of the database's folder in the data folder.
const Folder = "store"

const (
	maxValue = 16 << 20 // a value must fit into a value log file
	// inlineLimit is the largest value in bytes that is stored next to its key.
	inlineLimit = 1 << 20
)

// settings returns the measured settings of the database: with them, 100,000 documents of 8 KB open in 10 ms, and a
// durable write takes 0.3 ms. The block indexes are read whenever a store opens and stay in memory: with blocks of 16
// KB they need a quarter of what they would need with 4 KB, and the store is a third smaller. The data that is read
// most, the rows of lists, is cached elsewhere, so a larger block cache would only hold what the last scan left. Values
// are inline, because Badger does not verify the value log when it reads it, and does not free its space. A merge builds
// up to five tables at once, each in buffers of about six times its size, so tables are small. Most reads of a new record
// look for keys that do not exist, so filters have a false positive rate of one in a thousand.
func settings(dir string, log *slog.Logger) badger.Options {
	o := badger.DefaultOptions(dir).
		WithMemTableSize(16 << 20).
		WithNumMemtables(3).
		WithNumLevelZeroTables(4).
		WithNumLevelZeroTablesStall(1 << 30). // writes never wait for a merge
		WithNumCompactors(0).                 // see [driver.merge]
		WithBaseTableSize(4 << 20).
		WithBlockSize(16 << 10).
		WithBloomFalsePositive(0.001).
		WithValueThreshold(inlineLimit).
		WithValueLogFileSize(maxValue).
		WithBlockCacheSize(4 << 20).
		WithIndexCacheSize(8 << 20).
		WithCompression(options.Snappy).
		WithSyncWrites(true).
		WithDetectConflicts(false). // a [kv.Change] knows what it has read
		WithChecksumVerificationMode(options.OnBlockRead).
		WithMetricsEnabled(false).
		WithLogger(logger{log})
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
	db   *badger.DB
	dir  string // data folder, for messages
	path string // database folder
	log  *slog.Logger
	free func(path string) (uint64, error)
	key  *crypt.Key // nil if it is not encrypted
	// release ends the lock on the folder.
	release  func()
	onDamage func(notice string)

	queue      chan *pending
	sequence   sequence
	folderTime time.Time // of the last change of the folder whose names are durable
	failed     atomic.Pointer[error]

	snapMu sync.Mutex
	newest *snapshot // nil if the store is closed; only write replaces it

	damage    atomic.Pointer[string] // what was found; nil if nothing
	verifying sync.Mutex
	verified  atomic.Int64 // when last, in seconds since 1970
	suspected chan struct{}
	told      sync.Map // notices about single records
	tending   sync.WaitGroup
	stop      chan struct{} // ends the background work
	writing   sync.WaitGroup
	closing   sync.Once
	closeErr  error // result of Close
}

// Open opens the store in a data folder, and creates both if they do not exist. It fails with a *[store.LockedError] if
// another process has the store open, with [store.ErrNewerVersion] if a newer version wrote it, with
// [store.ErrDiskFull] if the disk has no space left, with [crypt.ErrNoKey] or [crypt.ErrWrongKey] if it is encrypted and
// cannot be read, and with a *[store.DamagedError] if its files cannot be opened.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil || o.Dir == "" {
		return nil, fmt.Errorf("cannot use the data folder %q; choose another one with --data or BUGLE_DATA", o.Dir)
	}
	d := newDriver(dir, o)
	if err := finishSwap(d.path); err != nil {
		return nil, d.unwritable(err)
	}
	if err := d.makeFolder(); err != nil {
		return nil, err
	}
	if err := d.checkOpenSpace(); err != nil {
		return nil, err
	}
	if err := d.lock(); err != nil {
		return nil, err
	}
	if err := cleanUp(d.path); err != nil {
		d.release()
		return nil, d.unwritable(err)
	}
	if err := d.unlock(ctx, o); err != nil {
		d.release()
		return nil, err
	}
	return d.start(ctx)
}

func newDriver(dir string, o Options) *driver {
	return &driver{
		dir: dir, path: filepath.Join(dir, cmp.Or(o.folder, Folder)), log: o.Logger, free: diskSpace, release: func() {}, onDamage: o.OnDamage,
		queue: make(chan *pending, 256), suspected: make(chan struct{}, 1), stop: make(chan struct{}),
	}
}

// start opens the database, and starts the background work. The caller has the lock.
func (d *driver) start(ctx context.Context) (*DB, error) {
	clean, err := d.open()
	if err != nil {
		d.release()
		return nil, err
	}
	d.newest = &snapshot{driver: d, txn: d.db.NewTransaction(false), users: 1}
	d.writing.Go(d.write)
	d.tending.Go(func() { d.tend(clean) })
	db := &DB{kv.NewStore(d), d}
	err = kv.Prepare(ctx, db, d.db.MaxVersion() == 0)
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

// open opens the database. clean reports whether it was closed by the process that had it open before.
func (d *driver) open() (clean bool, err error) {
	if clean, err = d.sequence.open(filepath.Join(d.path, sequenceFile)); err != nil {
		return false, d.unwritable(err)
	}
	o := d.encrypted(settings(d.path, d.log)).WithBypassLockGuard(ownLock)
	if err := checkTables(o, d.sequence.last == 0); err != nil {
		return false, errors.Join(d.explainOpen(err), d.sequence.file.Close())
	}
	// A process that is killed while it creates a log and a value log leaves empty ones, each of which fails one attempt.
	for range 3 {
		if d.db, err = openFiles(o); err == nil {
			break
		}
	}
	if err != nil {
		return false, errors.Join(d.explainOpen(err), d.sequence.file.Close())
	}
	if err := restrictPermissions(d.path); err != nil {
		return false, errors.Join(d.unwritable(err), d.db.Close(), d.sequence.file.Close())
	}
	if err := d.readDamage(); err != nil {
		return false, errors.Join(d.unreadable(err), d.db.Close(), d.sequence.file.Close())
	}
	if have := d.db.MaxVersion(); have < d.sequence.last {
		d.found(fmt.Sprintf("the last %d changes are lost: the log with them is damaged", d.sequence.last-have))
	}
	d.sequence.last = max(d.sequence.last, d.db.MaxVersion())
	if err := d.sequence.put("open"); err != nil {
		return false, errors.Join(d.unwritable(err), d.db.Close(), d.sequence.file.Close())
	}
	return clean, nil
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
func (d *driver) Close() error {
	d.closing.Do(func() {
		close(d.stop)
		d.tending.Wait()
		close(d.queue)
		d.writing.Wait()
		d.closeErr = d.close()
		d.release()
	})
	return d.closeErr
}

func (d *driver) close() error {
	d.snapMu.Lock()
	last := d.newest
	d.newest = nil
	d.snapMu.Unlock()
	last.Release()
	if d.gone() || d.tooFullToClose() {
		return errors.Join(d.leftOpen(), d.sequence.file.Close())
	}
	if d.damage.Load() == nil && d.shouldMerge(mostTables) {
		d.merge()
	}
	err := errors.Join(d.db.Close(), restrictPermissions(d.path))
	if err != nil {
		return errors.Join(fmt.Errorf("closing the store in %s: %w", d.dir, d.explain(err)), d.sequence.file.Close())
	}
	return d.sequence.close()
}

// logger passes what Badger logs on.
type logger struct{ log *slog.Logger }

func (l logger) Errorf(format string, args ...any) { l.log.Error(fmt.Sprintf(format, args...)) }

func (l logger) Warningf(format string, args ...any) { l.log.Warn(fmt.Sprintf(format, args...)) }

func (l logger) Infof(format string, args ...any) { l.log.Debug(fmt.Sprintf(format, args...)) }

func (l logger) Debugf(string, ...any) {}
