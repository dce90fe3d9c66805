package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bugle/store/badger"
)

// copyStore copies a closed store to a new data folder. It does not link files, because the database truncates those
// that it removes.
func copyStore(ctx context.Context, from, to string) error {
	from, to = filepath.Join(from, badger.Folder), filepath.Join(to, badger.Folder)
	files, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("copying the store: %w", err)
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return fmt.Errorf("copying the store: %w", err)
	}
	for _, f := range files {
		a, b := filepath.Join(from, f.Name()), filepath.Join(to, f.Name())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !f.Type().IsRegular() {
			continue
		}
		if err := copyFile(a, b); err != nil {
			return fmt.Errorf("copying the store: %w", err)
		}
	}
	return nil
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	// The store identifies its files by size and time.
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
