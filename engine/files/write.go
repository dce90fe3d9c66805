package files

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Write replaces a file, and reports whether its content changed. A file with the same content is not touched.
func Write(name string, text []byte) (changed bool, err error) {
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	if err == nil && bytes.Equal(old, text) {
		return false, nil
	}
	return true, replace(name, text, 0o666, true)
}

// Update changes a file that only its owner may read, and creates it and its folder if necessary. change is called with
// the content, nil if there is no file, and returns the new one, nil to remove the file. Processes that update files of
// one folder wait for each other, so that none overwrites what another has just written.
func Update(name string, change func(old []byte) ([]byte, error)) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unwritable(name, err)
	}
	lock, err := lockedfile.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		defer lock.Close()
	} else if !errors.Is(err, errors.ErrUnsupported) { // some network file systems have no locks
		return unwritable(name, err)
	}
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	text, err := change(old)
	switch {
	case err != nil:
		return err
	case text != nil:
		return replace(name, text, 0o600, true)
	case old == nil:
		return nil
	}
	if err := errors.Join(os.Remove(name), SyncFolder(dir)); err != nil {
		return unwritable(name, err)
	}
	return nil
}

// Save is [Update] with a content that does not depend on the old one.
func Save(name string, text []byte) error {
	return Update(name, func([]byte) ([]byte, error) { return text, nil })
}

// SaveUnsynced replaces a file that only its owner may read, in a folder that exists, without waiting for the disk. It is
// for files that can be made again: a crash of the machine may leave them empty.
func SaveUnsynced(name string, text []byte) error { return replace(name, text, 0o600, false) }

// replace writes a new file and renames it, so that a crash leaves the old content or the new one. A new file has mode
// perm, before umask; an existing one keeps its own, because who may read it is the user's decision.
func replace(name string, text []byte, perm fs.FileMode, durable bool) error {
	tmp, err := createTemp(filepath.Dir(name), perm)
	if err != nil {
		return unwritable(name, err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // once renamed, it is not there
	_, err = tmp.Write(text)
	if info, serr := os.Lstat(name); err == nil && serr == nil && info.Mode().IsRegular() {
		err = tmp.Chmod(info.Mode().Perm())
	}
	if err == nil && durable {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err == nil && durable {
		err = SyncFolder(filepath.Dir(name))
	}
	if err != nil {
		return unwritable(name, err)
	}
	return nil
}

// createTemp creates a new file with the default permissions (umask).
func createTemp(dir string, perm fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(dir, ".bugle-"+rand.Text())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func unwritable(name string, err error) error {
	return fmt.Errorf("cannot write %s: %w", name, cause(err))
}

// cause returns the error without the file name, which the message already has.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
