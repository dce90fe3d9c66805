package badger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"

	"bugle/engine/files"
	"bugle/store/crypt"
)

// A new store is written beside the old one, under a name with the first suffix. It is complete once it has the second one. The
// next process that opens the store removes one with the first suffix, and moves one with the second into place.
const (
	newSuffix   = ".new"
	readySuffix = ".ready"
)

// The reason for keeping a former store, as part of its folder name. One that was replaced is not kept: it is removed, at the
// latest by the next process that opens the store.
const (
	restoredReason = "before-restore"
	replacedReason = "replaced"
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
	if err := errors.Join(os.MkdirAll(dir, 0o700), files.SyncAncestors(dir), finishSwap(d.path)); err != nil {
		return "", d.unwritable(err)
	}
	release, err := lockFolder(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // there is no store yet
	case err != nil:
		return "", d.explainLock(err)
	default:
		defer release()
	}
	if err := d.build(ctx, key, with); err != nil {
		return "", err
	}
	if aside, err = swapIn(d.path, restoredReason, time.Now()); err != nil {
		return aside, d.unwritable(err)
	}
	return aside, nil
}

// Rewrite replaces the store with a new one, which is encrypted with the key to, or not encrypted if to is nil, and removes the
// old one. It closes the store. If the new store cannot be filled or checked, or ctx ends, nothing changes.
func (db *DB) Rewrite(ctx context.Context, to *crypt.Key, with Filler) error {
	d := db.driver
	if err := d.build(ctx, to, with); err != nil {
		return errors.Join(err, db.Close())
	}
	release := d.release // the lock is kept until the new store has its place
	d.release = func() {}
	defer release()
	if err := db.Close(); err != nil {
		return errors.Join(err, os.RemoveAll(d.path+newSuffix))
	}
	aside, err := swapIn(d.path, replacedReason, time.Now())
	if err != nil {
		return d.unwritable(err)
	}
	if err := removeAll(aside); err != nil {
		return fmt.Errorf("the store was replaced, but the old files are still in %s; delete that folder: %w", aside, err)
	}
	return nil
}

// build writes and checks a new store. If it fails, no files are left.
func (d *driver) build(ctx context.Context, key *crypt.Key, with Filler) error {
	if err := os.RemoveAll(d.path + newSuffix); err != nil {
		return d.unwritable(err)
	}
	for _, step := range []func(context.Context, *DB) error{with.Fill, with.Check} {
		db, err := Open(ctx, Options{Dir: d.dir, folder: Folder + newSuffix, Encrypt: key, Key: func(context.Context, string) (crypt.Key, error) { return *key, nil }})
		if err == nil {
			err = errors.Join(step(ctx, db), db.Close())
		}
		if err != nil {
			return errors.Join(err, os.RemoveAll(d.path+newSuffix))
		}
	}
	return nil
}

// swapIn replaces the store at path with the one that was built, and keeps the old one under a name with the reason and time.
// If the process ends in between, [finishSwap] continues. Each step is durable before the next one, so after a power failure
// there is either the old store or the new one.
func swapIn(path, why string, at time.Time) (aside string, err error) {
	from, ready := path+newSuffix, path+readySuffix
	if err := errors.Join(syncFiles(from), removeAll(ready)); err != nil {
		return "", fmt.Errorf("replacing the store: %w", err)
	}
	if err := rename(from, ready); err != nil {
		return "", fmt.Errorf("replacing the store: %w", err)
	}
	if exists(path) {
		aside = path + "." + why + "-" + at.Format("20060102-150405")
		for n := 2; exists(aside); n++ {
			aside = fmt.Sprintf("%s.%s-%s-%d", path, why, at.Format("20060102-150405"), n)
		}
		if err := rename(path, aside); err != nil {
			return "", fmt.Errorf("keeping the old store: %w", err)
		}
	}
	if err := os.Rename(ready, path); err != nil && (exists(ready) || !exists(path)) { // another process may finish it
		return aside, fmt.Errorf("replacing the store: %w", err)
	}
	return aside, files.SyncFolder(filepath.Dir(path))
}

// finishSwap completes [swapIn] of a process that ended. A process that is still at it holds the lock on the store and
// is left alone.
func finishSwap(path string) error {
	ready := path + readySuffix
	if !exists(ready) {
		return nil
	}
	release, err := lockFolder(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = rename(ready, path); errors.Is(err, fs.ErrNotExist) {
			return nil // its process is still running
		}
		return err
	case err != nil:
		return nil // opening the store reports the error
	}
	defer release()
	if !exists(filepath.Join(path, badger.ManifestFilename)) { // a process that was about to open it made the folder
		return errors.Join(removeAll(path), rename(ready, path))
	}
	return removeAll(ready)
}

// cleanUp removes what a previous process left beside the store: an incomplete store and a replaced one. The caller holds the
// lock on the store.
func cleanUp(path string) error {
	names, err := filepath.Glob(globEscape(path) + "." + replacedReason + "-*")
	for _, name := range append(names, path+newSuffix) {
		err = errors.Join(err, removeAll(name))
	}
	return err
}

// OldCopies returns the folders in a data folder with former stores, from before a restore. They are kept until somebody
// removes them.
func OldCopies(dir string) (out []string, err error) {
	return filepath.Glob(globEscape(filepath.Join(dir, Folder)) + "." + restoredReason + "-*")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// globEscape escapes a folder name for filepath.Glob.
func globEscape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
