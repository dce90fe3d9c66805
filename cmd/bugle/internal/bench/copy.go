package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bugle/store/badger"
)

// copyStore makes a copy of a closed store in another data folder. Tables are never changed once they
// are written, so that they are linked where that can be done.
func copyStore(from, to string) error {
	from, to = filepath.Join(from, badger.Folder), filepath.Join(to, badger.Folder)
	files, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("copying the store: %w", err)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return fmt.Errorf("copying the store: %w", err)
	}
	for _, f := range files {
		a, b := filepath.Join(from, f.Name()), filepath.Join(to, f.Name())
		if filepath.Ext(a) == ".sst" && os.Link(a, b) == nil {
			continue
		}
		if f.Type().IsRegular() {
			err = errors.Join(err, copyFile(a, b))
		}
	}
	if err != nil {
		return fmt.Errorf("copying the store: %w", err)
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
	// The store knows its files by size and time.
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
