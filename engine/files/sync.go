package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// SyncFolder makes the creation, renaming, and removal of files in a folder durable. It does nothing on systems that
// cannot sync a folder, such as Windows.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing a folder: %w", err)
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("syncing a folder: %w", err)
	}
	return nil
}

// SyncAncestors makes the name of a new folder durable, and the names of the folders above it, which may be new as
// well. It skips folders that this user cannot read, because this user did not create them.
func SyncAncestors(dir string) error {
	for {
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		if err := SyncFolder(parent); err != nil && !errors.Is(err, os.ErrPermission) {
			return err
		}
		dir = parent
	}
}
