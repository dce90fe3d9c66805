package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dgraph-io/badger/v4"

	"bugle/engine/files"
	"bugle/store"
	"bugle/store/crypt"
)

// errHeld is the error of [lockFolder] if another process has the lock.
var errHeld = errors.New("another process has the store open")

// enter creates the data folder, takes its lock, and finishes what an earlier process has left there.
func (d *driver) enter() error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return d.unwritable(err)
	}
	release, err := lockFolder(d.dir)
	switch {
	case errors.Is(err, errHeld):
		s, _ := readState(d.path) // only for the message
		return &store.LockedError{Dir: d.dir, PID: s.PID}
	case errors.Is(err, store.ErrLocksUnsupported):
		return fmt.Errorf("cannot keep the store in %s: %w; choose a folder on this machine with --data or BUGLE_DATA", d.dir, err)
	case err != nil:
		return d.unreadable(err)
	}
	d.release = release
	if err := finishSwap(d.path); err != nil {
		d.release()
		return d.unwritable(err)
	}
	return nil
}

// makeFolder creates the folder of the database, which is accessible only by its owner, and opens the state in it.
func (d *driver) makeFolder() (err error) {
	err = os.Mkdir(d.path, 0o700)
	switch {
	case err == nil:
		err = files.SyncAncestors(d.path)
	case errors.Is(err, fs.ErrExist): // Badger would end the process if the system refused access to some of its files
		err = errors.Join(os.Chmod(d.path, 0o700), eachFile(d.path, func(*os.File) error { return nil }))
	}
	if err != nil {
		return d.unwritable(err)
	}
	if err := d.room(openReserve); err != nil {
		return err
	}
	if d.state, err = readState(d.path); err != nil {
		return d.unreadable(err)
	}
	if d.file, err = os.OpenFile(filepath.Join(d.path, stateFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return d.unwritable(err)
	}
	return nil
}

// eachFile calls fn with the files in a folder.
func eachFile(path string, fn func(*os.File) error) error {
	entries, err := os.ReadDir(path)
	for _, f := range entries {
		if !f.Type().IsRegular() {
			continue
		}
		// Windows cannot sync a file that was opened read-only.
		file, failed := os.OpenFile(filepath.Join(path, f.Name()), os.O_RDWR, 0)
		if failed == nil {
			failed = errors.Join(fn(file), file.Close())
		}
		err = errors.Join(err, failed)
	}
	return err
}

const (
	// openReserve is the free space that opening or closing the store requires: it creates a log or a table.
	openReserve = 32 << 20
	// reserve is the free space that writes require. The database writes to memory-mapped files: on a full disk, a bus
	// error would end the process before it could report anything. It is enough for the tables of the logs in memory.
	reserve = 64 << 20
)

// room returns an error if the disk has less free space.
func (d *driver) room(need uint64) error {
	if n, err := d.free(d.path); err == nil && n < need {
		return d.full()
	}
	return nil
}

func (d *driver) full() error {
	return fmt.Errorf("%w: nothing was written to %s; free at least %d MB there and try again",
		store.ErrDiskFull, d.dir, reserve>>20)
}

// writable returns an error if nothing can be written: the disk is almost full or has failed, or the store is damaged.
func (d *driver) writable() error {
	if err := d.failed.Load(); err != nil {
		return *err
	}
	if err := d.damaged(); err != nil {
		return fmt.Errorf("nothing was written, because %w", err)
	}
	return d.room(reserve)
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

func (d *driver) unreadable(err error) error {
	return fmt.Errorf("cannot read the store in %s: %w; %s", d.dir, err, store.FolderRemedy(d.dir, err))
}

// explainOpen translates an error of opening the database. Badger returns most of them as text.
func (d *driver) explainOpen(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Another process is using this Badger database"): // where lockFolder takes no lock
		return &store.LockedError{Dir: d.dir}
	case store.IsDiskFull(err):
		return d.full()
	case store.IsTooManyFiles(err), errors.Is(err, syscall.ENOMEM): // not damage
		return d.unreadable(err)
	case errors.Is(err, badger.ErrEncryptionKeyMismatch):
		return d.keyError(crypt.ErrWrongKey)
	case errors.Is(err, fs.ErrPermission), strings.Contains(text, syscall.EROFS.Error()):
		return d.unwritable(err)
	}
	return &store.DamagedError{Dir: d.dir, Why: text}
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
