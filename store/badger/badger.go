// Package badger implements a key-value store on disk with a Badger database.
package badger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"bugle/store"
	"bugle/store/badger/internal/files"
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
	// Key finds the key of an encrypted store by its id. The id is empty if the store has lost it, and then any key may
	// be tried. Nil finds no key.
	Key KeyFinder
	// Encrypt is the key for a new store; nil means that it is not encrypted. An existing store must be encrypted with
	// this key.
	Encrypt *crypt.Key
	// OnDamage is called with a sentence for people for each damage that is found while the store is open, once per
	// table. Damage that is found when the store opens is only in [DB.Notices]. OnDamage is called during reads, so it
	// must not block or use the store. It may be nil.
	OnDamage func(notice string)

	folder string // the name of the database's folder in Dir; empty: Folder
}

// KeyFinder finds a key by its id. It fails with [crypt.ErrNoKey] if the key does not exist; its errors say what to do.
type KeyFinder func(ctx context.Context, id string) (crypt.Key, error)

// Folder is the name of the database's folder in the data folder.
const Folder = "store"

const (
	maxValue = files.ValueLogSize // a value must fit into a value log file
	// reserve is the free disk space that writes require. The database writes to memory-mapped files: on a full disk, a
	// bus error would end the process before it could report anything. The reserve is enough for a full table and its
	// compaction.
	reserve = 64 << 20
	// inlineLimit is the largest value in bytes that is stored next to its key.
	inlineLimit = 1 << 20
	// maxAttempts is how often a transaction runs if it conflicts each time. Each conflict means that another
	// transaction succeeded, and the transaction that was refused most often is next.
	maxAttempts = 1000
)

var compactors = 2 // changed by tests

// settings returns the measured settings of the database: with them, 100,000 documents of 8 KB open in 10 ms, and a
// durable write takes 0.3 ms. The block indexes are read whenever a store opens and stay in memory: with blocks of 16
// KB they need a quarter of what they would need with 4 KB, and the store is a third smaller. The data that is read
// most, the rows of lists, is cached elsewhere, so a larger block cache would only hold what the last scan left. Values
// are inline, because Badger does not verify the value log when it reads it, and does not free its space. Memory:
// Badger builds up to five tables of a compaction at once, each in buffers of about six times its size. So tables are
// small and have the same size on all levels. They are not smaller because opening the store opens each file. See also
// [drainAllocPool]. Most reads of a new record look for keys that do not exist. If a filter says that a key may exist,
// the disk is read ([tables.checkNewer]). So filters have a false positive rate of one in a thousand, for half a byte
// more per record.
func settings(dir string, log *slog.Logger) badger.Options {
	o := badger.DefaultOptions(dir).
		WithMemTableSize(16 << 20).
		WithNumMemtables(3).
		WithNumLevelZeroTables(4).
		WithNumLevelZeroTablesStall(8).
		WithNumCompactors(compactors).
		WithBaseTableSize(4 << 20).
		WithBlockSize(16 << 10).
		WithBloomFalsePositive(0.001).
		WithValueThreshold(inlineLimit).
		WithValueLogFileSize(maxValue).
		WithBlockCacheSize(4 << 20).
		WithIndexCacheSize(8 << 20).
		WithCompression(options.Snappy).
		WithSyncWrites(true).
		WithDetectConflicts(false). // commits detects conflicts
		WithChecksumVerificationMode(options.OnBlockRead).
		WithMetricsEnabled(false).
		WithLogger(events{log: log})
	o.TableSizeMultiplier = 1
	return o
}

// DB is an open store.
type DB struct {
	kv.Records

	db   *badger.DB
	dir  string // data folder, for messages
	path string // database folder
	free func(path string) (uint64, error)
	// release ends the lock on the folder; nil if Badger has a lock of its own.
	release     func()
	openNotices []string // problems found when the store was opened
	fullNotice  string   // see [DB.FullNotice]

	// readOnly is true if the disk was full when the store was opened.
	readOnly bool

	vault       *keyring
	identity    *identity                       // nil if the disk was full before the store got one
	named       map[uint64]badger.TableManifest // when the store was opened
	openVersion uint64                          // newest version when the store was opened
	lost        atomic.Pointer[[]lostMark]
	lostMu      sync.Mutex // serializes writes of lost marks
	tables      tables
	log         *slog.Logger
	damaged     atomic.Bool                         // a damaged table was found
	onDamage    atomic.Pointer[func(notice string)] // nil until the store is open
	gaps        gaps
	stop        chan struct{}
	proved      sync.WaitGroup

	sequence    sequence
	logs        logs
	commits     commits
	compactions *compactions

	mu       sync.Mutex // guards closed, and running.Add against Close
	closed   bool
	running  sync.WaitGroup
	closing  sync.Once
	closeErr error // result of Close
}

// Open opens the store in a data folder, and creates both if they do not exist. It fails with a *[store.LockedError] if
// another process has the store open, with [store.ErrNewerVersion] if a newer version wrote it, with
// [store.ErrDiskFull] if the disk has no space left, and with [crypt.ErrNoKey] or [crypt.ErrWrongKey] if it is
// encrypted and cannot be read.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil || o.Dir == "" {
		return nil, fmt.Errorf("cannot use the data folder %q; choose another one with --data or BUGLE_DATA", o.Dir)
	}
	d := newDB(dir, filepath.Join(dir, cmp.Or(o.folder, Folder)), o.Logger)
	if err := finishSwap(d.path); err != nil {
		return nil, d.unwritable(err)
	}
	if err := d.makeFolder(); err != nil {
		return nil, err
	}
	if err := d.checkOpenSpace(); err != nil {
		return nil, err
	}
	if err := d.openOrRepair(ctx, o); err != nil {
		return nil, err
	}
	if err := kv.Prepare(ctx, d); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store in %s: %w", dir, err), d.Close())
	}
	if o.OnDamage != nil {
		d.onDamage.Store(&o.OnDamage)
	}
	return d, nil
}

func newDB(dir, path string, log *slog.Logger) *DB {
	d := &DB{dir: dir, path: path, free: diskSpace, log: log}
	d.Records = kv.NewRecords(d)
	return d
}

const (
	// emptyFile is the error text (z.NewFile) for an empty log, left by a process that was killed while it created the
	// log. The failing attempt completes one such log.
	emptyFile = "Create a new file"
	// maxOpenAttempts is how often opening is tried: a killed process leaves one incomplete value log and one table.
	maxOpenAttempts = 4
)

// openOrRepair opens the database. If it is damaged, it first salvages the intact records into a new database and keeps
// the damaged files in another folder.
func (d *DB) openOrRepair(ctx context.Context, o Options) (err error) {
	log := o.Logger
	if err := d.lock(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.release()
		}
	}()
	if err := errors.Join(cleanUp(d.path), removeEmptyLogs(d.path)); err != nil {
		return d.unwritable(err)
	}
	if err := d.unlock(ctx, o); err != nil {
		return err
	}
	if err := d.checkRegistry(); err != nil {
		return err
	}
	found, err := inspect(d.path, d.vault, false)
	if errors.Is(err, files.ErrNoRegistry) {
		return noRegistry(d.dir, err)
	} else if err != nil {
		return d.unreadable(err)
	}
	if err := errors.Join(holdUnchecked(d.path), found.removeOutdated(d.path)); err != nil {
		return d.unwritable(err)
	}
	if len(found.problems) == 0 {
		err := d.openFiles(log)
		if err == nil {
			return d.begin(found)
		}
		if explained := d.explainOpen(err); !errors.As(explained, new(*store.DamagedError)) {
			return explained
		}
		found.addProblem("%v", err)
	}
	aside, marks, err := repair(d.path, found, d.free, log)
	switch {
	case errors.Is(err, store.ErrDiskFull):
		return fmt.Errorf("the store in %s is damaged (%s) and cannot be repaired yet: %w", d.dir, strings.Join(found.problems, "; "), err)
	case store.IsDiskFull(err):
		return d.full()
	case err != nil:
		return d.damagedError(err)
	}
	d.openNotices = append(d.openNotices, repairNotice(d.dir, aside, found, marks))
	d.release() // of the folder that is aside now
	if err := d.lock(); err != nil {
		return err
	}
	if err := d.openFiles(log); err != nil {
		return d.explainOpen(err)
	}
	identity, listed, err := readIdentity(d.path, d.vault)
	if err != nil {
		return errors.Join(d.unreadable(err), d.db.Close())
	}
	return d.begin(inspection{verified: true, identity: identity, listed: listed})
}

// lock takes the lock on the folder, and writes the id of this process into it.
func (d *DB) lock() error {
	d.release = func() {}
	release, err := lockFolder(d.path)
	if err != nil {
		return d.explainLock(err)
	}
	d.release = release
	if !ownLock {
		return nil
	}
	owner := filepath.Join(d.path, ownerFile)
	d.release = func() {
		_ = os.Remove(owner)
		release()
	}
	_ = os.WriteFile(owner, fmt.Appendln(nil, os.Getpid()), 0o600) // only messages need it
	return nil
}

// repairNotice describes the damage and how it was repaired.
func repairNotice(dir, aside string, found inspection, marks []lostMark) string {
	text := fmt.Sprintf("the store in %s was damaged (%s); it was replaced by everything that could be read, and the damaged files are in %s", dir, strings.Join(found.problems, "; "), aside)
	if len(marks) == 0 {
		return text + "; no changes are missing"
	}
	return text + "; some records are lost or may be out of date; run `bugle doctor` to list and repair them"
}

func (d *DB) openFiles(log *slog.Logger) (err error) {
	for range maxOpenAttempts {
		d.compactions = newCompactions()
		o := d.vault.settings(d.path, log).WithLogger(events{log, d.compactions}).WithBypassLockGuard(ownLock && d.release != nil)
		if d.readOnly {
			o = o.WithNumCompactors(0) // compactors write
		} else {
			o = d.logs.begin(d.path, o)
		}
		if d.db, err = open(o); err == nil || !strings.Contains(err.Error(), emptyFile) {
			break
		}
	}
	if err != nil {
		d.logs.end()
		return err
	}
	drainAllocPool(d.db)
	return restrictPermissions(d.path)
}

// begin starts the background work of an open store.
func (d *DB) begin(found inspection) error {
	if err := d.readLost(); err != nil {
		return errors.Join(d.explain(err), d.db.Close())
	}
	d.named = found.named
	d.stop = make(chan struct{})
	made := d.identify(found)
	if err := d.sequence.open(d.path, d.db.MaxVersion(), d.identity); err != nil {
		return errors.Join(d.unwritable(err), d.db.Close())
	}
	d.tables.begin(d, found)
	if made {
		if err := d.db.Update(func(txn *badger.Txn) error { return txn.SetEntry(d.identity.chainEntry(0)) }); err != nil {
			return errors.Join(d.explain(err), d.db.Close())
		}
	}
	if err := d.ensureCounts(); err != nil {
		return errors.Join(d.explain(err), d.db.Close())
	}
	d.openVersion = d.db.MaxVersion()
	d.commits.begin(d.db, &d.logs, d.identity, d.checkWriteSpace, d.sequence.reached)
	if err := d.compactions.begin(d); err != nil {
		return errors.Join(d.unreadable(err), d.db.Close())
	}
	d.proved.Go(func() { d.tables.verifyInBackground(d.stop) })
	d.proved.Go(func() { d.tables.watch(d.stop) })
	return nil
}

// ensureCounts counts the records of a store that has no counts yet.
func (d *DB) ensureCounts() error {
	if d.readOnly {
		return nil
	}
	txn := d.db.NewTransaction(false)
	defer txn.Discard()
	if counts, err := readCounts(txn); err != nil || counts != nil {
		return err
	}
	return recount(d.db, d.identity)
}

// identify sets the id of the store, and reports whether it created one.
func (d *DB) identify(found inspection) (made bool) {
	d.identity = found.identity
	switch {
	case d.identity == nil && !d.readOnly:
		d.identity = newIdentity(d.vault, d.db.MaxVersion())
		return true
	case found.older:
		d.identity.untagged = d.db.MaxVersion()
	}
	return false
}

// open opens the database. Badger panics if some of its files are damaged.
func open(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if r := recover(); r != nil {
			db, err = nil, fmt.Errorf("cannot read its files: %v", r)
		}
	}()
	return badger.Open(o)
}

// View implements [kv.DB].
func (d *DB) View(ctx context.Context, fn func(kv.Tx) error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.running.Done()
	at := d.commits.acquire()
	defer d.commits.release(at)
	return fn(&tx{ctx: ctx, txn: at.txn, db: d})
}

// Update implements [kv.DB]. If the context ends while the changes are being written, they are still committed.
func (d *DB) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.running.Done()
	for tries := range maxAttempts {
		err := d.attempt(ctx, fn, tries)
		if !errors.Is(err, badger.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("other processes changed the same records %d times in a row; try again: %w", maxAttempts, badger.ErrConflict)
}

// attempt runs fn in a transaction once and commits it.
func (d *DB) attempt(ctx context.Context, fn func(kv.Tx) error, tries int) error {
	at := d.commits.acquire()
	defer d.commits.release(at)
	t := &tx{ctx: ctx, txn: at.txn, db: d, change: &change{version: at.version(), tries: tries}}
	if err := fn(t); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(t.change.writes) == 0 {
		return nil
	}
	return d.explain(d.commits.commit(t.change))
}

// Close waits for running transactions and closes the database. It must not be called within a transaction.
func (d *DB) Close() error {
	d.closing.Do(func() {
		d.mu.Lock()
		d.closed = true
		d.mu.Unlock()
		d.running.Wait()
		close(d.stop)
		d.proved.Wait()
		d.compactions.close()
		d.commits.end()
		if d.gone() || d.tooFullToClose() {
			d.closeErr = d.leftOpen()
			return
		}
		if d.damaged.Load() && !d.readOnly {
			if err := d.saveLost(); err != nil {
				d.log.Error("cannot record the data loss in the store", "error", err)
			}
		}
		since := d.verifiedTimes()
		d.collectValueLogs()
		newest := d.db.MaxVersion()
		if err := d.closeFiles(); errors.Is(err, errStuck) {
			d.closeErr = d.leftOpen()
			return
		} else if err != nil {
			d.closeErr = fmt.Errorf("closing the store in %s: %w", d.dir, d.explain(err))
		}
		if d.compactions.end() {
			d.log.Warn("replaced tables were released only after the store was closed: unexpected Badger log lines")
		}
		d.sequence.close(newest)
		d.tables.listClosed()
		switch {
		case d.damaged.Load():
			_ = os.Remove(filepath.Join(d.path, closedFile)) // so that the next process verifies everything
		case d.closeErr == nil:
			writeClosed(d.path, since)
		}
		if d.release != nil {
			d.release()
		}
	})
	return d.closeErr
}

// collectValueLogs rewrites value log files in which most values, those of records of more than 1 MB, are obsolete.
// Usually there are none, and it takes no time.
func (d *DB) collectValueLogs() {
	if d.checkWriteSpace() != nil {
		return
	}
	for range 4 {
		if err := d.db.RunValueLogGC(0.5); err != nil {
			return // nothing to collect; a real error appears when the database is closed
		}
	}
}

// Compact merges the tables so that each key is in only one of them. This happens by itself in a long-running program;
// it is useful after writing much at once. Transactions may run meanwhile, but wait for it.
func (d *DB) Compact(ctx context.Context) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.running.Done()
	if err := d.db.Flatten(1); err != nil {
		return fmt.Errorf("compacting the store in %s: %w", d.dir, d.explain(err))
	}
	return nil
}

// enter counts a running transaction. The caller must call running.Done when it ends.
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
