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

	"bugle/engine/files"
	"bugle/store"
)

const probeFile = "probe.tmp"

var diskSpace = freeSpace // changed by tests

// makeFolder creates the folders if they do not exist, and checks that they are writable.
func (d *DB) makeFolder() error {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return d.unwritable(err)
	}
	switch err := os.Mkdir(d.path, 0o700); {
	case err == nil && exists(d.path+mendedSuffix): // another process is replacing the store at this moment
		_ = os.Remove(d.path)
		if err := finishSwap(d.path); err != nil {
			return d.unwritable(err)
		}
	case err == nil:
		if err := files.SyncAncestors(d.path); err != nil {
			return d.unwritable(err)
		}
	case err != nil && !errors.Is(err, fs.ErrExist):
		return d.unwritable(err)
	}
	if err := os.Chmod(d.path, 0o700); err != nil {
		return d.unwritable(err)
	}
	// A fixed name, so that a file left by a killed process is removed by the next one.
	probe := filepath.Join(d.path, probeFile)
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		return d.unwritable(err)
	}
	if err := os.Remove(probe); err != nil && !errors.Is(err, fs.ErrNotExist) { // including another process's
		return d.unwritable(err)
	}
	return d.checkAccess()
}

// checkAccess returns an error if the system refuses access to a file of the store: Badger would end the process for some
// of them.
func (d *DB) checkAccess() error {
	files, err := os.ReadDir(d.path)
	if err != nil {
		return d.unwritable(err)
	}
	for _, f := range files {
		if !f.Type().IsRegular() {
			continue
		}
		file, err := os.OpenFile(filepath.Join(d.path, f.Name()), os.O_RDWR, 0)
		if err == nil {
			_ = file.Close()
		} else if errors.Is(err, fs.ErrPermission) {
			return d.unwritable(err)
		}
	}
	return nil
}

// ExistsUnlocked reports whether a data folder contains a store that no process has open.
func ExistsUnlocked(dataDir string) bool {
	release, err := lockFolder(filepath.Join(dataDir, Folder))
	if err != nil {
		return false
	}
	release()
	return true
}

// restrictPermissions makes the files of a store accessible only by their owner. The database creates some of them with
// default permissions, as did earlier versions.
func restrictPermissions(path string) error {
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
	if store.IsDiskFull(err) {
		return d.full()
	}
	remedy := store.FolderRemedy(d.dir, err)
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("cannot write to %s: %w; %s", d.dir, err, remedy)
}

// openReserve is the free space required for opening a store, in addition to that for logs of a killed process.
const openReserve = 8 << 20

// checkOpenSpace returns an error if the disk is too full to open the store. If there is only enough space for opening,
// the store is opened read-only, so that it can be inspected and backed up to another disk.
func (d *DB) checkOpenSpace() error {
	n, err := d.free(d.path)
	if err != nil || n >= reserve {
		return nil
	}
	need := uint64(openReserve)
	logs, err := filepath.Glob(filepath.Join(globEscape(d.path), "*.mem"))
	if err != nil {
		return err
	}
	for _, name := range logs {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 {
			need += maxValue // it becomes a table of about that size
		}
	}
	if n < need || !Exists(d.dir) {
		return d.full()
	}
	d.readOnly = true
	d.fullNotice = fmt.Sprintf("the disk is full, so the store in %s is read-only; free at least %d MB there and start bugle again", d.dir, reserve>>20)
	return nil
}

// checkWriteSpace returns an error if the disk is almost full, a table is waiting for space, or the disk has failed.
func (d *DB) checkWriteSpace() error {
	if d.readOnly || d.logs.waiting.Load() > 0 {
		return d.full()
	}
	if n, err := d.free(d.path); err == nil && n+d.logs.reserved.Load() < d.requiredSpace() {
		return d.full()
	}
	if err := d.logs.prepareNext(); store.IsDiskFull(err) && !errors.Is(err, errUncertain) {
		return d.full()
	} else if err != nil {
		return d.explain(err)
	}
	return nil
}

// requiredSpace is the free space that writes require: the reserve, and space to merge the newest tables, which exist
// until the merge is done.
func (d *DB) requiredSpace() uint64 {
	if d.db == nil {
		return reserve
	}
	return reserve + uint64(max(0, d.db.Levels()[0].Size))
}

func (d *DB) full() error {
	then := "try again"
	if d.readOnly {
		then = "start bugle again"
	}
	return fmt.Errorf("%w: nothing was written to %s; free at least %d MB there and %s", store.ErrDiskFull, d.dir, d.requiredSpace()>>20, then)
}

// explainOpen translates an error of badger.Open. Badger returns most of them as text.
func (d *DB) explainOpen(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Another process is using this Badger database"):
		return &store.LockedError{Dir: d.dir, PID: d.lockOwner()}
	case store.IsDiskFull(err):
		return d.full()
	case errors.Is(err, badger.ErrEncryptionKeyMismatch):
		return d.vault.mismatch(d.dir)
	case errors.Is(err, fs.ErrPermission), strings.Contains(text, syscall.EACCES.Error()), strings.Contains(text, syscall.EROFS.Error()):
		return d.unwritable(err)
	}
	return d.damagedError(err)
}

// explainLock translates an error of locking the folder.
func (d *DB) explainLock(err error) error {
	switch {
	case errors.Is(err, errHeld):
		return &store.LockedError{Dir: d.dir, PID: d.lockOwner()}
	case errors.Is(err, store.ErrLocksUnsupported):
		return fmt.Errorf("cannot keep the store in %s: %w; choose a folder on this machine with --data or BUGLE_DATA", d.dir, err)
	}
	return d.unreadable(err)
}

func (d *DB) unreadable(err error) error {
	return unreadable(d.dir, err)
}

func unreadable(dir string, err error) error {
	return fmt.Errorf("cannot read the store in %s: %w; %s", dir, err, store.FolderRemedy(dir, err))
}

// ownerFile holds the id of the process that has the lock on the folder.
const ownerFile = "LOCK"

// lockOwner returns the id of the process that holds the database's lock, or 0 if unknown.
func (d *DB) lockOwner() int {
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

// explain translates an error of an open database.
func (d *DB) explain(err error) error {
	switch {
	case err == nil, errors.Is(err, badger.ErrConflict):
		return err
	case errors.Is(err, badger.ErrKeyNotFound):
		return store.ErrNotFound
	case errors.Is(err, errUncertain): // whatever its cause
	case errors.Is(err, badger.ErrTxnTooBig):
		return store.ErrTooLarge
	case errors.Is(err, badger.ErrDBClosed), errors.Is(err, badger.ErrBlockedWrites):
		return store.ErrClosed
	case store.IsDiskFull(err):
		return d.full()
	}
	return fmt.Errorf("the store in %s: %w", d.dir, err)
}

// closeReserve is the space required to close the database, for its last table and the log that it is made from.
const closeReserve = 32 << 20

// tooFullToClose reports whether the disk is so full that closing the database, which writes, would block or end the
// process with a bus error. The database is then left open: everything acknowledged is in its logs, and the next
// process recovers from them.
func (d *DB) tooFullToClose() bool {
	n, err := d.free(d.path)
	return err == nil && n+d.logs.reserved.Load()/2 < closeReserve && d.db.MaxVersion() > d.openVersion
}

// gone reports whether the folder was deleted or moved meanwhile. Closing the database would then try again and again to
// write its last table.
func (d *DB) gone() bool {
	_, err := os.Stat(d.path)
	return errors.Is(err, fs.ErrNotExist)
}

// leftOpen returns the error for a database that was left open.
func (d *DB) leftOpen() error {
	if d.gone() {
		return fmt.Errorf("the folder %s was deleted or moved while it was in use; if it was moved, everything saved is still in it", d.dir)
	}
	return fmt.Errorf("%w; the store in %s was closed as it is: everything saved is still there. Free at least %d MB before you start bugle again", store.ErrDiskFull, d.dir, reserve>>20)
}

// errStuck reports that the database could not be closed.
var errStuck = errors.New("the last table cannot be written")

// closeFiles closes the database, or returns errStuck and leaves it open if the disk fills up meanwhile or the folder
// disappears.
func (d *DB) closeFiles() error {
	d.logs.removeNext()
	done := make(chan error, 1)
	go func() { // if left open, it ends with the process or when there is space
		err := errors.Join(d.db.Close(), restrictPermissions(d.path))
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
		}
		if tries == closeTries || d.gone() {
			return errStuck
		}
	}
}

// retryAfter is how often a table retries to reserve its space, closeTries how often it retries while the store is
// being closed.
const (
	retryAfter = 50 * time.Millisecond
	closeTries = 20
)
