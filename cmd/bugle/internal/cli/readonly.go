package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/store/socket"
)

// openReadOnly opens the store of a folder on a file system that cannot be written: a copy of it, in a temporary folder, that
// refuses changes. Badger writes to the files of a store even to read it.
func (f *Factory) openReadOnly(ctx context.Context, o socket.Options) (*socket.DB, error) {
	dir, err := os.MkdirTemp("", "bugle-*")
	if err != nil {
		return nil, fmt.Errorf("copying the store to read it: %w", err)
	}
	if err := os.CopyFS(filepath.Join(dir, badger.Folder), os.DirFS(filepath.Join(f.DataDir(), badger.Folder))); err != nil {
		return nil, errors.Join(fmt.Errorf("copying the store to read it: %w", err), os.RemoveAll(dir))
	}
	o.Dir, o.Handler = dir, nil
	o.Opener = func(ctx context.Context, notify func(string)) (kv.Driver, error) {
		db, err := badger.Open(ctx, badger.Options{Dir: dir, Key: f.Keys().Find, OnDamage: notify})
		if err != nil {
			return nil, err
		}
		return readOnly{db.Driver(), f.DataDir(), dir}, nil
	}
	db, err := socket.Open(ctx, o)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return db, nil
}

// readOnlyError reports a change of a store on a file system that cannot be written.
type readOnlyError struct{ dir string }

func (e readOnlyError) Error() string {
	return "cannot write to " + e.dir + ": " + syscall.EROFS.Error()
}

func (e readOnlyError) Unwrap() error { return store.ErrReadOnly }

// readOnly is the driver of a copy that refuses changes, and is removed when it is closed.
type readOnly struct {
	kv.Driver
	of, dir string // the folder, and that of the copy
}

// Commit implements [kv.Driver].
func (r readOnly) Commit(context.Context, kv.Change) error {
	return readOnlyError{r.of}
}

// Close implements [kv.Driver].
func (r readOnly) Close() error { return errors.Join(r.Driver.Close(), os.RemoveAll(r.dir)) }
