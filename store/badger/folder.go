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

	"github.com/dgraph-io/badger/v4"

	"bugle/engine/files"
	"bugle/store"
)

const probeFile = "probe.tmp"

var diskSpace = freeSpace // changed by tests

// makeFolder creates the folders if they do not exist, and checks that they are writable.
func (d *driver) makeFolder() error {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return d.unwritable(err)
	}
	switch err := os.Mkdir(d.path, 0o700); {
	case err == nil && exists(d.path+readySuffix): // another process is replacing the store at this moment
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
func (d *driver) checkAccess() error {
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

func (d *driver) unwritable(err error) error {
	if store.IsDiskFull(err) {
		return d.full()
	}
	remedy := store.FolderRemedy(d.dir, err)
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("cannot write to %s: %w; %s", d.dir, err, remedy)
}

const (
	// openReserve is the free space that opening the store requires: it creates a log.
	openReserve = 8 << 20
	// reserve is the free space that writes require. The database writes to memory-mapped files: on a full disk, a bus
	// error would end the process before it could report anything. It is enough for the tables of the logs in memory.
	reserve = 64 << 20
	// closeReserve is the free space that closing the store requires, for its last table.
	closeReserve = 32 << 20
)

// checkOpenSpace returns an error if the disk is too full to open the store.
func (d *driver) checkOpenSpace() error {
	if n, err := d.free(d.path); err == nil && n < openReserve {
		return d.full()
	}
	return nil
}

// writable returns an error if nothing can be written: the disk is almost full or has failed, or the store is damaged.
func (d *driver) writable() error {
	if err := d.failed.Load(); err != nil {
		return *err
	}
	if err := d.damaged(); err != nil {
		return fmt.Errorf("nothing was written, because %w", err)
	}
	if n, err := d.free(d.path); err == nil && n < reserve {
		return d.full()
	}
	return nil
}

func (d *driver) full() error {
	return fmt.Errorf("%w: nothing was written to %s; free at least %d MB there and try again", store.ErrDiskFull, d.dir, reserve>>20)
}

// explainOpen translates an error of badger.Open. Badger returns most of them as text.
func (d *driver) explainOpen(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Another process is using this Badger database"):
		return &store.LockedError{Dir: d.dir, PID: d.lockOwner()}
	case store.IsDiskFull(err):
		return d.full()
	case store.IsTooManyFiles(err), errors.Is(err, syscall.ENOMEM): // not damage
		return d.unreadable(err)
	case errors.Is(err, badger.ErrEncryptionKeyMismatch):
		return d.mismatch()
	case errors.Is(err, fs.ErrPermission), strings.Contains(text, syscall.EACCES.Error()), strings.Contains(text, syscall.EROFS.Error()):
		return d.unwritable(err)
	}
	return d.damagedError(err)
}

// explainLock translates an error of locking the folder.
func (d *driver) explainLock(err error) error {
	switch {
	case errors.Is(err, errHeld):
		return &store.LockedError{Dir: d.dir, PID: d.lockOwner()}
	case errors.Is(err, store.ErrLocksUnsupported):
		return fmt.Errorf("cannot keep the store in %s: %w; choose a folder on this machine with --data or BUGLE_DATA", d.dir, err)
	}
	return d.unreadable(err)
}

func (d *driver) unreadable(err error) error {
	return unreadable(d.dir, err)
}

func unreadable(dir string, err error) error {
	return fmt.Errorf("cannot read the store in %s: %w; %s", dir, err, store.FolderRemedy(dir, err))
}

// lock takes the lock on the folder, and writes the id of this process into it.
func (d *driver) lock() error {
	release, err := lockFolder(d.path)
	if err != nil {
		return d.explainLock(err)
	}
	owner := filepath.Join(d.path, ownerFile)
	if !ownLock {
		d.release = release
		return nil
	}
	d.release = func() {
		_ = os.Remove(owner)
		release()
	}
	_ = os.WriteFile(owner, fmt.Appendln(nil, os.Getpid()), 0o600) // only messages need it
	return nil
}

// ownerFile holds the id of the process that has the lock on the folder.
const ownerFile = "LOCK"

// lockOwner returns the id of the process that holds the database's lock, or 0 if unknown.
func (d *driver) lockOwner() int {
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
func (d *driver) explain(err error) error {
	switch {
	case err == nil, errors.As(err, new(*store.DamagedError)), errors.As(err, new(*store.CorruptError)):
		return err
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

// tooFullToClose reports whether the disk is so full that closing the database, which writes, would end the process with
// a bus error. The database is then left open: everything acknowledged is in its logs.
func (d *driver) tooFullToClose() bool {
	n, err := d.free(d.path)
	return err == nil && n < closeReserve
}

// gone reports whether the folder was deleted or moved meanwhile. Closing the database would then try again and again to
// write its last table.
func (d *driver) gone() bool {
	_, err := os.Stat(d.path)
	return errors.Is(err, fs.ErrNotExist)
}

// leftOpen returns the error for a database that was left open.
func (d *driver) leftOpen() error {
	if d.gone() {
		return fmt.Errorf("the folder %s was deleted or moved while it was in use; if it was moved, everything saved is still in it", d.dir)
	}
	return fmt.Errorf("%w; the store in %s was closed as it is: everything saved is still there. Free at least %d MB before you start bugle again", store.ErrDiskFull, d.dir, reserve>>20)
}

// damagedError returns the error for a store that cannot be opened.
func (d *driver) damagedError(err error) error {
	return &store.DamagedError{Dir: d.dir, Why: err.Error()}
}
