package kv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// SyncFolder makes the names in a folder durable: which files are in it, and what was renamed or removed.
// Systems that cannot sync a folder, as Windows, are left to keep their names in order themselves.
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

// SyncAncestors makes the name of a folder that was just made durable, and those of the folders above it,
// which may be as new. A folder above it that this user cannot read is not one that it has made.
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
