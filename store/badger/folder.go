package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"

	"bugle/store"
	"bugle/store/kv"
)

const probeFile = "probe.tmp"

var measure = freeSpace // a test changes it

// makeFolder makes the folders where they are not there, and proves that they can be written.
func (d *DB) makeFolder() error {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return d.unwritable(err)
	}
	switch err := os.Mkdir(d.path, 0o700); {
	case err == nil && exists(d.path+mendedSuffix): // another has put the old store aside in this moment
		_ = os.Remove(d.path)
		if err := settle(d.path); err != nil {
			return d.unwritable(err)
		}
	case err == nil:
		if err := kv.SyncAncestors(d.path); err != nil {
			return d.unwritable(err)
		}
	case err != nil && !errors.Is(err, fs.ErrExist):
		return d.unwritable(err)
	}
	if err := os.Chmod(d.path, 0o700); err != nil {
		return d.unwritable(err)
	}
	// It has one name, so that what a killed process has left goes with the next one's.
	probe := filepath.Join(d.path, probeFile)
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		return d.unwritable(err)
	}
	if err := os.Remove(probe); err != nil && !errors.Is(err, fs.ErrNotExist) { // another's, too
		return d.unwritable(err)
	}
	return nil
}

// Abandoned reports whether there is a store in a data folder that no process has open.
func Abandoned(dataDir string) bool {
	release, err := lockFolder(filepath.Join(dataDir, Folder))
	if err != nil {
		return false
	}
	release()
	return true
}

// ownOnly has nobody but their owner read or write the files of a store: the database makes some of them with
// whatever permissions the process sets by default, and earlier versions have left them so.
func ownOnly(path string) error {
	files, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, f := range files {
		info, err := f.Info()
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(filepath.Join(path, f.Name()), 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (d *DB) unwritable(err error) error {
	if store.NoSpace(err) {
		return d.full()
	}
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("cannot write to %s: %w; choose another folder with --data or BUGLE_DATA", d.dir, err)
}

// opening is the space that is needed to open a store, beside that of what a killed process has left.
const opening = 8 << 20

// checkRoom refuses to open a store where the disk is full. Where there is room for that, and not for
// more, it is opened to be read: to be looked at, and backed up to another disk.
func (d *DB) checkRoom() error {
	n, err := d.free(d.path)
	if err != nil || n >= reserve {
		return nil
	}
	need := uint64(opening)
	logs, err := filepath.Glob(filepath.Join(globEscape(d.path), "*.mem"))
	if err != nil {
		return err
	}
	for _, name := range logs {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 {
			need += maxValue // it becomes a table of about that size
		}
	}
	if n < need || !Has(d.dir) {
		return d.full()
	}
	d.short = true
	d.said = append(d.said, fmt.Sprintf("the disk is full, so the store in %s is read-only; free at least %d MB there and start bugle again", d.dir, reserve>>20))
	return nil
}

// checkSpace refuses to write where the disk is all but full, a table waits for its space, or the disk has
// failed.
func (d *DB) checkSpace() error {
	if d.short || d.logs.waiting.Load() > 0 {
		return d.full()
	}
	if n, err := d.free(d.path); err == nil && n+d.logs.held.Load() < d.need() {
		return d.full()
	}
	if err := d.logs.ready(); store.NoSpace(err) && !errors.Is(err, errUncertain) {
		return d.full()
	} else if err != nil {
		return d.explain(err)
	}
	return nil
}

// need is the free space without which nothing is written: beside the reserve, that for merging the tables
// that were made last, which stay until that is done.
func (d *DB) need() uint64 {
	if d.db == nil {
		return reserve
	}
	return reserve + uint64(max(0, d.db.Levels()[0].Size))
}

func (d *DB) full() error {
	then := "try again"
	if d.short {
		then = "start bugle again"
	}
	return fmt.Errorf("%w: nothing was written to %s; free at least %d MB there and %s", store.ErrFull, d.dir, d.need()>>20, then)
}

// explainOpen puts an error of badger.Open into words. Badger returns most of them as text.
func (d *DB) explainOpen(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Another process is using this Badger database"):
		return &store.LockedError{Dir: d.dir, PID: d.owner()}
	case store.NoSpace(err):
		return d.full()
	case errors.Is(err, fs.ErrPermission), strings.Contains(text, syscall.EACCES.Error()), strings.Contains(text, syscall.EROFS.Error()):
		return d.unwritable(err)
	}
	return d.damagedError(err)
}

// explainLock puts an error of taking the folder's lock into words.
func (d *DB) explainLock(err error) error {
	switch {
	case errors.Is(err, errHeld):
		return &store.LockedError{Dir: d.dir, PID: d.owner()}
	case errors.Is(err, store.ErrNoLocks):
		return fmt.Errorf("cannot keep the store in %s: %w; choose a folder on this machine with --data or BUGLE_DATA", d.dir, err)
	}
	return d.unreadable(err)
}

func (d *DB) unreadable(err error) error {
	return fmt.Errorf("cannot read the store in %s: %w; choose another folder with --data or BUGLE_DATA", d.dir, err)
}

// ownerFile has the id of the process that holds the lock on the folder.
const ownerFile = "LOCK"

// owner returns the id of the process that holds the lock on the folder, 0 where it is not known.
func (d *DB) owner() int {
	b, err := os.ReadFile(filepath.Join(d.path, ownerFile))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// explain puts an error of an open database into the store's words.
func (d *DB) explain(err error) error {
	switch {
	case err == nil, errors.Is(err, badger.ErrConflict):
		return err
	case errors.Is(err, badger.ErrKeyNotFound):
		return store.ErrNotFound
	case errors.Is(err, errUncertain): // whatever its cause
	case errors.Is(err, badger.ErrTxnTooBig):
		return store.ErrTooBig
	case errors.Is(err, badger.ErrDBClosed), errors.Is(err, badger.ErrBlockedWrites):
		return store.ErrClosed
	case store.NoSpace(err):
		return d.full()
	}
	return fmt.Errorf("the store in %s: %w", d.dir, err)
}

// closing is the space that is needed to close the database: for the last table, and what it is made of.
const closing = 32 << 20

// stuck reports whether the disk is so full that the database, which writes as it is closed, would wait for
// space, or end the process with a bus error. It is left as it is then: all that was acknowledged is in its
// logs, and the next to open it goes on from there.
func (d *DB) stuck() bool {
	n, err := d.free(d.path)
	return err == nil && n+d.logs.held.Load()/2 < closing && d.db.MaxVersion() > d.opened
}

// left returns what becomes of a store that is left as it is.
func (d *DB) left() error {
	return fmt.Errorf("%w; the store in %s was closed as it is: everything saved is still there. Free at least %d MB before you start bugle again", store.ErrFull, d.dir, reserve>>20)
}

// errStuck says that the database could not be closed for want of space.
var errStuck = errors.New("there is not enough space for the last table")

// closeFiles closes the database, or leaves it with errStuck when the disk fills up meanwhile.
func (d *DB) closeFiles() error {
	d.logs.drop()
	done := make(chan error, 1)
	go func() { // where it is left it ends with the process, or when there is space
		err := errors.Join(d.db.Close(), ownOnly(d.path))
		d.logs.end()
		done <- err
	}()
	look := time.NewTicker(retryAfter)
	defer look.Stop()
	for tries := 0; ; {
		select {
		case err := <-done:
			return err
		case <-look.C:
		}
		if tries++; d.logs.waiting.Load() == 0 {
			tries = 0
		} else if tries == closeTries {
			return errStuck
		}
	}
}

// retryAfter is how often a table asks whether there is space for it, and closeTries how often in a row
// until nobody waits for it as the store is closed.
const (
	retryAfter = 50 * time.Millisecond
	closeTries = 20
)
