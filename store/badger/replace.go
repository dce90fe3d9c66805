package badger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bugle/engine/files"
	"bugle/store/crypt"
)

// What is beside the folder of the database, under its name with a suffix. The lock on the data folder excludes other
// processes, and the next one finishes what a process has begun, or removes it.
const (
	newSuffix      = ".new"      // a store that is not complete
	readySuffix    = ".ready"    // one that is
	replacedSuffix = ".replaced" // the one before, which is removed
	restoredSuffix = ".before-restore-"
)

// Filler fills a new, empty store.
type Filler struct {
	Fill func(ctx context.Context, db *DB) error
	// Check fails unless the store, which was closed and opened again, has what it should have.
	Check func(ctx context.Context, db *DB) error
}

// Replace replaces the store in a data folder with a new one. It moves the old store to another folder and returns its path,
// or "" if there was none. If the new store cannot be filled or checked, or ctx ends, nothing changes. It fails with a
// *[store.LockedError] if a process has the store open. key encrypts the new store; nil means no encryption.
func Replace(ctx context.Context, dir string, key *crypt.Key, with Filler) (aside string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("cannot use the data folder %q: %w", dir, err)
	}
	d := newDriver(dir, Options{})
	if err := d.enter(); err != nil {
		return "", err
	}
	defer d.release()
	if exists(d.path) {
		aside = d.path + restoredSuffix + time.Now().Format("20060102-150405.000")
	}
	if err := d.replace(ctx, key, with, aside, func() error { return nil }); err != nil {
		return "", err
	}
	return aside, nil
}

// Rewrite replaces the store with a new one, which is encrypted with the key to, or not encrypted if to is nil, and removes the
// old one. It closes the store. If the new store cannot be filled or checked, or ctx ends, nothing changes.
func (db *DB) Rewrite(ctx context.Context, to *crypt.Key, with Filler) error {
	d := db.driver
	release := d.release // the lock is kept until the new store has its place
	d.release = func() {}
	defer release()
	d.stop() // no merge
	d.tending.Wait()
	aside := d.path + replacedSuffix
	if err := d.replace(ctx, to, with, aside, db.Close); err != nil {
		return err
	}
	if err := removeAll(aside); err != nil {
		return fmt.Errorf("the store was replaced, but the old files are still in %s; delete that folder: %w", aside, err)
	}
	return nil
}

// replace builds a new store, closes the old one, and puts the new one in its place.
func (d *driver) replace(ctx context.Context, key *crypt.Key, with Filler, aside string, closeOld func() error) error {
	if err := errors.Join(d.build(ctx, key, with), closeOld()); err != nil {
		return errors.Join(err, os.RemoveAll(d.path+newSuffix))
	}
	if err := swap(d.path, aside); err != nil {
		return d.unwritable(err)
	}
	return nil
}

// build writes and checks a new store.
func (d *driver) build(ctx context.Context, key *crypt.Key, with Filler) error {
	o := Options{Encrypt: key, Key: func(context.Context, string) (crypt.Key, error) { return *key, nil }}
	for _, step := range []func(context.Context, *DB) error{with.Fill, with.Check} {
		next := newDriver(d.dir, o)
		next.path += newSuffix
		db, err := next.start(ctx, o)
		if err == nil {
			err = errors.Join(step(ctx, db), db.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// swap replaces the store at path with the one that was built, and keeps the old one, if any, at aside. Each step is durable
// before the next one: after a power failure there is either the old store or the new one.
func swap(path, aside string) error {
	err := errors.Join(eachFile(path+newSuffix, (*os.File).Sync), files.SyncFolder(path+newSuffix))
	for _, step := range [][2]string{{path + newSuffix, path + readySuffix}, {path, aside}, {path + readySuffix, path}} {
		if err == nil && step[1] != "" {
			err = rename(step[0], step[1])
		}
	}
	if err != nil {
		return fmt.Errorf("replacing the store: %w", err)
	}
	return nil
}

// finishSwap does the last step of [swap] if a process has ended before it, and removes what others have left, which may
// not be encrypted. The caller has the lock.
func finishSwap(path string) error {
	if !exists(path) && exists(path+readySuffix) {
		if err := rename(path+readySuffix, path); err != nil {
			return err
		}
	}
	return errors.Join(removeAll(path+readySuffix), removeAll(path+newSuffix), removeAll(path+replacedSuffix))
}

// OldCopies returns the folders in a data folder with former stores, from before a restore. They are kept until somebody
// removes them.
func OldCopies(dir string) (out []string, err error) {
	names, err := fs.Glob(os.DirFS(dir), Folder+restoredSuffix+"*")
	for _, name := range names {
		out = append(out, filepath.Join(dir, name))
	}
	return out, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// rename renames a folder within its parent, and returns when the new name is durable.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return files.SyncFolder(filepath.Dir(to))
}

// removeAll removes a folder, and returns when the removal is durable.
func removeAll(path string) error {
	if !exists(path) {
		return nil
	}
	return errors.Join(os.RemoveAll(path), files.SyncFolder(filepath.Dir(path)))
}
