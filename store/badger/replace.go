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

	"bugle/store/crypt"
	"bugle/store/kv"
)

// Replace puts a store that fill has filled, and proved, in the place of the one in a data folder. The
// old one is kept aside, in the folder whose path it returns; empty where there was none. When fill
// fails, or ctx ends, nothing has changed. It fails with a *[store.LockedError] where a process has
// the store open. The new store is encrypted with key; nil: it is not.
func Replace(ctx context.Context, dir string, key *crypt.Key, fill func(context.Context, kv.DB) error) (aside string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("cannot use the data folder %q: %w", dir, err)
	}
	d := newDB(dir, filepath.Join(dir, Folder), slog.New(slog.DiscardHandler))
	if err := errors.Join(os.MkdirAll(dir, 0o700), kv.SyncAncestors(dir), finishSwap(d.path)); err != nil {
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

// fillNew makes a store in a folder of its own, and has it filled.
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
