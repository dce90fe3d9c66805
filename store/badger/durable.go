package badger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"bugle/store/kv"
)

// A rename, a new file or a removal outlives a power cut only once the folder is synced that it happened
// in, and what a file holds only once the file is. File systems may write names in another order than the
// one in which they changed: so what comes next waits until what it relies on is on the disk.

// syncFiles makes a closed store durable: what its files hold, their names, and its own name.
func syncFiles(path string) error {
	files, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("syncing the files of the store: %w", err)
	}
	for _, f := range files {
		if !f.Type().IsRegular() {
			continue
		}
		if err := syncFile(filepath.Join(path, f.Name())); err != nil {
			return err
		}
	}
	return errors.Join(kv.SyncFolder(path), kv.SyncFolder(filepath.Dir(path)))
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0) // Windows syncs no file that was opened to be read
	if err != nil {
		return fmt.Errorf("syncing the files of the store: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("syncing the files of the store: %w", err)
	}
	return nil
}

// rename renames a folder within its parent, and returns when the new name is durable.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return kv.SyncFolder(filepath.Dir(to))
}

var removeTree = os.RemoveAll // a test changes it

// removeAll removes a folder, and returns when it is durable that its name is gone.
func removeAll(path string) error {
	if !exists(path) {
		return nil
	}
	if err := removeTree(path); err != nil {
		return err
	}
	return kv.SyncFolder(filepath.Dir(path))
}
