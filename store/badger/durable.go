package badger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"bugle/engine/files"
)

// Creating, renaming, or removing a file is only durable once its folder is synced, and the contents of a file only
// once the file is synced. File systems may persist changes in another order than they were made. So each step waits
// until the previous ones are durable.

// syncFiles makes a closed store durable: the contents of its files, their names, and the folder's own name.
func syncFiles(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("syncing the files of the store: %w", err)
	}
	for _, f := range entries {
		if !f.Type().IsRegular() {
			continue
		}
		if err := syncFile(filepath.Join(path, f.Name())); err != nil {
			return err
		}
	}
	return errors.Join(files.SyncFolder(path), files.SyncFolder(filepath.Dir(path)))
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0) // Windows cannot sync a file that was opened read-only
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
	return files.SyncFolder(filepath.Dir(to))
}

var removeTree = os.RemoveAll // changed by tests

// removeAll removes a folder, and returns when the removal is durable.
func removeAll(path string) error {
	if !exists(path) {
		return nil
	}
	if err := removeTree(path); err != nil {
		return err
	}
	return files.SyncFolder(filepath.Dir(path))
}

// writeDurably writes a small file of ours.
func writeDurably(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Sync(), f.Close(), files.SyncFolder(filepath.Dir(name)))
}
