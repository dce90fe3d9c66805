package badger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"bugle/engine/files"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// Replace replaces the store in a data folder with one that fill has filled and that was verified. It moves the old
// store to another folder and returns its path, or "" if there was none. If fill fails, or ctx ends, nothing changes.
// It fails with a *[store.LockedError] if a process has the store open. key encrypts the new store; nil means no
// encryption.
func Replace(ctx context.Context, dir string, key *crypt.Key, fill func(context.Context, kv.DB) error) (aside string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("cannot use the data folder %q: %w", dir, err)
	}
	d := newDB(dir, filepath.Join(dir, Folder), slog.New(slog.DiscardHandler))
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
	into := d.path + mendingSuffix
	if err := os.RemoveAll(into); err != nil {
		return "", d.unwritable(err)
	}
	if err := fillNew(ctx, dir, into, key, fill); err != nil {
		return "", errors.Join(err, os.RemoveAll(into))
	}
	if aside, err = swapIn(d.path, into, restoredReason, time.Now()); err != nil {
		return aside, d.unwritable(err)
	}
	return aside, nil
}

// fillNew creates a store in a separate folder and fills it.
func fillNew(ctx context.Context, dir, into string, key *crypt.Key, fill func(context.Context, kv.DB) error) (err error) {
	db := newDB(dir, into, slog.New(slog.DiscardHandler))
	if err := db.makeFolder(); err != nil {
		return err
	}
	if key != nil {
		if db.vault, err = newKeyring(*key); err == nil {
			err = db.vault.write(into)
		}
		if err != nil {
			return db.unwritable(err)
		}
	}
	if err := db.checkWriteSpace(); err != nil {
		return err
	}
	if err := db.openFiles(db.log); err != nil {
		return db.explainOpen(err)
	}
	if err := db.begin(inspection{verified: true}); err != nil {
		return err
	}
	return errors.Join(fill(ctx, db), db.Close())
}
