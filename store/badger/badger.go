// Package badger keeps a store on disk, in a Badger database.
package badger

import (
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

// Options say where a store is.
type Options struct {
	// Dir is the data folder. The database is in a folder of its own in it, which only its
	// owner can read, so that Dir can hold other files, whatever their permissions.
	Dir string
	// Logger gets what the database reports of its own work; nil drops it.
	Logger *slog.Logger
	// Key finds the key of a store that is encrypted, by its id; the id is empty where the store has
	// lost it, and any key may be tried. Nil finds none.
	Key KeyFinder
	// Encrypt is the key that a store which is made is encrypted with; nil: it is not. A store that is
	// there already must be encrypted with it.
	Encrypt *crypt.Key
	// Found hears of each damage that is found while the store is open, once for each table: a sentence for
	// people. What is wrong as it opens is told by [DB.Notices] alone. It is called while somebody reads, and
	// must neither wait nor use the store; nil: nobody hears.
	Found func(notice string)
}

// KeyFinder finds a key by its id. It fails with [crypt.ErrNoKey] where it is not there; its errors say
// what to do.
type KeyFinder func(ctx context.Context, id string) (crypt.Key, error)

// Folder is the name of the database's folder in the data folder.
const Folder = "store"

const (
	maxValue = files.ValueLogSize // a value must fit in a value log file
	// reserve is the free space without which nothing is written. The database writes into
	// files mapped to memory: a disk that is full ends the process with a bus error, before
	// anybody can say what happened. This is enough for a full table and its compaction.
	reserve = 64 << 20
	// inline is how long a value may be that is kept beside its key, in bytes.
	inline = 1 << 20
	// attempts is how often a transaction runs that conflicts with others each time. Each time one
	// of the others got what it wanted, and who was refused most often is next.
	attempts = 1000
)

var compactors = 2 // a test changes it

// settings are measured: with them 100,000 documents of 8 KB open in 10 ms, and a durable write takes
// 0.3 ms. The lists of blocks are read whenever a store opens, and stay in memory: blocks of 16 KB make
// them a quarter of what those of 4 KB need, and the store a third smaller. What is read most, the rows of
// lists, is kept elsewhere: a larger cache of blocks would hold what the last scan left. Values are kept inline,
// as the value log is not checked when it is read, and its space is not given back.
//
// Memory: Badger builds up to five tables of one compaction at once, each in buffers of about six times its size.
// So tables are small, and on all levels of one size; they are no smaller as each is a file to open at the start.
// See [unpool] as well.
//
// Most reads of a new record are of what is not there, and whether that is so is read from the disk ([tables.newer])
// where a filter says that it may be there: so filters err once in a thousand times, for half a byte more a record.
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
		WithValueThreshold(inline).
		WithValueLogFileSize(maxValue).
		WithBlockCacheSize(4 << 20).
		WithIndexCacheSize(8 << 20).
		WithCompression(options.Snappy).
		WithSyncWrites(true).
		WithDetectConflicts(false). // commits does
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
	dir  string // the data folder, for messages
	path string // the database's folder
	// release ends the lock on the folder; nil: Badger has one of its own.
	release func()
	free    func(path string) (uint64, error)
	said    []string // what was wrong as it was opened

	// short says that the disk was full as the store was opened: it can only be read.
	short bool

	vault    *vault
	identity *identity                       // nil: the disk was full before it got one
	named    map[uint64]badger.TableManifest // as it was opened
	opened   uint64                          // the newest version then
	lost     atomic.Pointer[[]lost]
	keeping  sync.Mutex // of who writes marks
	tables   tables
	log      *slog.Logger
	unsound  atomic.Bool                         // a table is not what was written
	found    atomic.Pointer[func(notice string)] // nil until it is open
	gaps     gaps
	stop     chan struct{}
	proved   sync.WaitGroup

	sequence    sequence
	logs        logs
	commits     commits
	compactions *compactions

	mu      sync.Mutex // guards closed, and running.Add against Close
	closed  bool
	running sync.WaitGroup
	closing sync.Once
	ended   error // what closing came to
}

// Open opens the store in a data folder, and makes both where they are not there. It fails
// with a *[store.LockedError] where another process has it open, with [store.ErrNewer] where
// a later program wrote it, with [store.ErrFull] where the disk has no space left, and with
// [crypt.ErrNoKey] or [crypt.ErrWrongKey] where it is encrypted and cannot be read.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil || o.Dir == "" {
		return nil, fmt.Errorf("cannot use the data folder %q; choose another one with --data or BUGLE_DATA", o.Dir)
	}
	d := newDB(dir, filepath.Join(dir, Folder), o.Logger)
	if err := settle(d.path); err != nil {
		return nil, d.unwritable(err)
	}
	if err := d.makeFolder(); err != nil {
		return nil, err
	}
	if err := d.checkRoom(); err != nil {
		return nil, err
	}
	if err := d.openSound(ctx, o); err != nil {
		return nil, err
	}
	if err := kv.Prepare(ctx, d); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store in %s: %w", dir, err), d.Close())
	}
	if o.Found != nil {
		d.found.Store(&o.Found)
	}
	return d, nil
}

func newDB(dir, path string, log *slog.Logger) *DB {
	d := &DB{dir: dir, path: path, free: measure, log: log}
	d.Records = kv.RecordsOf(d)
	return d
}

const (
	// emptyFile is what the database says (z.NewFile) of a log that a process has left empty which
	// was killed as it made it. It is made whole by the attempt that fails so, one at a time.
	emptyFile = "Create a new file"
	// repairs is how often opening is tried: a killed process leaves one value log and one table.
	repairs = 4
)

// openSound opens the database when its files are what was written. Of one that is damaged it opens
// what is whole, and keeps the damaged files aside.
func (d *DB) openSound(ctx context.Context, o Options) (err error) {
	log := o.Logger
	if err := d.lock(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.release()
		}
	}()
	if err := tidy(d.path); err != nil {
		return d.unwritable(err)
	}
	if err := d.unlock(ctx, o); err != nil {
		return err
	}
	found, err := inspect(d.path, d.vault, false)
	if errors.Is(err, files.ErrNoRegistry) {
		return noRegistry(d.dir, err)
	} else if err != nil {
		return d.unreadable(err)
	}
	if err := errors.Join(setAside(d.path), found.removeOutdated(d.path)); err != nil {
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
		found.wrong("%v", err)
	}
	aside, marks, err := mend(d.path, found, d.free, log)
	switch {
	case errors.Is(err, store.ErrFull):
		return fmt.Errorf("the store in %s is damaged (%s) and cannot be repaired yet: %w", d.dir, strings.Join(found.problems, "; "), err)
	case store.NoSpace(err):
		return d.full()
	case err != nil:
		return d.damagedError(err)
	}
	d.said = append(d.said, mended(d.dir, aside, found, marks))
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
	return d.begin(inspection{proved: true, identity: identity, listed: listed})
}

// lock takes the lock on the folder, and notes there which process has it.
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
	if err := os.WriteFile(owner, fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
		return d.unwritable(err)
	}
	return nil
}

// mended returns what was wrong, and what became of it.
func mended(dir, aside string, found inspection, marks []lost) string {
	text := fmt.Sprintf("the store in %s was damaged (%s); it was replaced by everything that could be read, and the damaged files are in %s", dir, strings.Join(found.problems, "; "), aside)
	if len(marks) == 0 {
		return text + "; no changes are missing"
	}
	return text + "; some records are lost or may be out of date; run `bugle doctor` to list and repair them"
}

func (d *DB) openFiles(log *slog.Logger) (err error) {
	for range repairs {
		d.compactions = newCompactions()
		o := d.vault.settings(d.path, log).WithLogger(events{log, d.compactions}).WithBypassLockGuard(ownLock && d.release != nil)
		if d.short {
			o = o.WithNumCompactors(0) // they write
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
	unpool(d.db)
	return ownOnly(d.path)
}

// begin starts what goes on while the store is open.
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
		if err := d.db.Update(func(txn *badger.Txn) error { return txn.SetEntry(d.identity.link(0)) }); err != nil {
			return errors.Join(d.explain(err), d.db.Close())
		}
	}
	if err := d.counted(); err != nil {
		return errors.Join(d.explain(err), d.db.Close())
	}
	d.opened = d.db.MaxVersion()
	d.commits.begin(d.db, &d.logs, d.identity, d.checkSpace, d.sequence.reached)
	if err := d.compactions.begin(d); err != nil {
		return errors.Join(d.unreadable(err), d.db.Close())
	}
	d.proved.Go(func() { d.tables.later(d.stop) })
	d.proved.Go(func() { d.tables.watch(d.stop) })
	return nil
}

// counted counts the records of a store that has no counts yet.
func (d *DB) counted() error {
	if d.short {
		return nil
	}
	txn := d.db.NewTransaction(false)
	defer txn.Discard()
	if counts, err := readCounts(txn); err != nil || counts != nil {
		return err
	}
	return recount(d.db, d.identity)
}

// identify sets the id of the store, and reports whether it has made one.
func (d *DB) identify(found inspection) (made bool) {
	d.identity = found.identity
	switch {
	case d.identity == nil && !d.short:
		d.identity = newIdentity(d.vault, d.db.MaxVersion())
		return true
	case found.older:
		d.identity.untagged = d.db.MaxVersion()
	}
	return false
}

// open opens the database. It panics where some of its files are damaged.
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
	at := d.commits.enter()
	defer d.commits.leave(at)
	return fn(&tx{ctx: ctx, txn: at.txn, db: d})
}

// Update implements [kv.DB]. A context that ends while the changes are being written does
// not undo them.
func (d *DB) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.running.Done()
	for tries := range attempts {
		err := d.attempt(ctx, fn, tries)
		if !errors.Is(err, badger.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("other processes changed the same records %d times in a row; try again: %w", attempts, badger.ErrConflict)
}

// attempt runs fn in a transaction and commits it.
func (d *DB) attempt(ctx context.Context, fn func(kv.Tx) error, tries int) error {
	at := d.commits.enter()
	defer d.commits.leave(at)
	t := &tx{ctx: ctx, txn: at.txn, db: d, change: &change{seen: at.version(), tries: tries}}
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

// Close waits for the transactions that run, and closes the database. It must not be called
// from within one.
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
		if d.stuck() {
			d.ended = d.left()
			return
		}
		if d.unsound.Load() && !d.short {
			if err := d.keepLost(); err != nil {
				d.log.Error("cannot record the data loss in the store", "error", err)
			}
		}
		since := d.provedSince()
		d.giveBack()
		newest := d.db.MaxVersion()
		if err := d.closeFiles(); errors.Is(err, errStuck) {
			d.ended = d.left()
			return
		} else if err != nil {
			d.ended = fmt.Errorf("closing the store in %s: %w", d.dir, d.explain(err))
		}
		if d.compactions.end() {
			d.log.Warn("replaced tables were released only after the store was closed: unexpected Badger log lines")
		}
		d.sequence.close(newest)
		d.tables.listClosed()
		switch {
		case d.unsound.Load():
			_ = os.Remove(filepath.Join(d.path, closedFile)) // so that all is proved by the next to open it
		case d.ended == nil:
			writeClosed(d.path, since)
		}
		if d.release != nil {
			d.release()
		}
	})
	return d.ended
}

// giveBack rewrites value log files that hold mostly values which are no longer there: those
// of records of more than 1 MB. Mostly there is none, and it takes no time.
func (d *DB) giveBack() {
	if d.checkSpace() != nil {
		return
	}
	for range 4 {
		if err := d.db.RunValueLogGC(0.5); err != nil {
			return // nothing to give back; a real fault shows when the database is closed
		}
	}
}

// Compact merges the tables, so that each key is in one of them, as comes about by itself while a program
// runs for long: for who has written much at once. Transactions may run meanwhile, but wait for it.
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
