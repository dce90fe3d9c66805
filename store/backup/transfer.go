package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bugle/store"
	"bugle/store/badger"
)

// WriteFrom is like [Write] for a store that is not a key-value store. It first copies the store into a temporary one,
// in a folder next to the file.
func WriteFrom(ctx context.Context, from store.DB, file string, o Options) (info Info, err error) {
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	err = withTempStore(ctx, file, func(to *badger.DB, dir string) error {
		carry := store.Transfer{Write: to.Write, Progress: func(n int) { o.Progress(Progress{Records: n}) }}
		err := from.Read(ctx, func(tx store.Tx) error {
			if carry.Records() > 0 { // the connection was lost, and this is a different snapshot
				return fmt.Errorf("%w while it was copied; try again", store.ErrUnreachable)
			}
			ids, err := tx.Workspaces()
			for _, id := range ids {
				if err == nil {
					err = carry.Workspace(ctx, tx, id)
				}
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("copying the store: %w", err)
		}
		o.within = dir
		for _, damaged := range carry.Damaged() {
			o.lost = append(o.lost, strings.Split(damaged.Error(), "\n")...)
		}
		info, err = Write(ctx, to, file, o)
		return err
	})
	return info, err
}

// LoadInto writes the workspaces of a backup into a store, in one transaction. It fails if one of them exists. It first
// loads the backup into a temporary key-value store, in a folder next to the file.
func LoadInto(ctx context.Context, to store.DB, file, passphrase string, progress func(records int)) (info Info, err error) {
	err = withTempStore(ctx, file, func(from *badger.DB, _ string) error {
		if info, err = Load(ctx, from, file, passphrase, progress); err != nil {
			return err
		}
		return from.Read(ctx, func(source store.Tx) error {
			return to.Write(ctx, func(target store.Tx) error {
				return carryAll(ctx, source, target, progress)
			})
		})
	})
	return info, err
}

func carryAll(ctx context.Context, source, target store.Tx, progress func(records int)) error {
	ids, err := source.Workspaces()
	if err != nil {
		return err
	}
	carry := store.Transfer{Write: func(_ context.Context, fn func(store.Tx) error) error { return fn(target) }, Progress: progress}
	for _, id := range ids {
		if _, err := target.Workspace(id).Settings(); err == nil {
			return fmt.Errorf("there is already a workspace %q in this store; restore into an empty one", id)
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err := carry.Workspace(ctx, source, id); err != nil {
			return err
		}
	}
	if bad := carry.Damaged(); len(bad) > 0 {
		return fmt.Errorf("%d records of the backup are damaged: %w", len(bad), bad[0])
	}
	return nil
}

// copyPrefix is the name prefix of the folders of temporary stores.
const copyPrefix = ".bugle-copy-"

// withTempStore runs fn with an empty key-value store in a temporary folder next to a file.
func withTempStore(ctx context.Context, file string, fn func(db *badger.DB, dir string) error) error {
	if err := sweepCopies(filepath.Dir(file), time.Now()); err != nil {
		return unwritable(file, err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(file), copyPrefix+"*")
	if err != nil {
		return unwritable(file, err)
	}
	db, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err == nil {
		err = errors.Join(fn(db, dir), db.Close())
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// openGracePeriod is the longest time between creating the folder and opening the store in it.
const openGracePeriod = time.Minute

// sweepCopies removes the temporary stores of processes that were killed.
func sweepCopies(folder string, now time.Time) error {
	names, err := filepath.Glob(filepath.Join(escape(folder), copyPrefix+"*"))
	for _, name := range names {
		if info, failed := os.Stat(name); failed == nil && now.Sub(info.ModTime()) > openGracePeriod && badger.ExistsUnlocked(name) {
			err = errors.Join(err, os.RemoveAll(name))
		}
	}
	return err
}
