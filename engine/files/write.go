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

// Write replaces a file in a folder, and reports whether its content changed. name is relative to dir, and below that no
// link is followed: one in the place of the file is replaced. A file with the same content is not touched.
func Write(dir, name string, text []byte) (changed bool, err error) {
	if old, err := ReadIn(dir, name, len(text)); err == nil && bytes.Equal(old, text) {
		return false, nil
	}
	root, base, err := within(dir, name)
	if err != nil {
		return false, unwritable(filepath.Join(dir, name), err)
	}
	defer func() { _ = root.Close() }()
	return true, replaceIn(root, base, text, 0o666, true)
}

// MakeFolder creates a folder in another one, unless it is there. A link in its place is an error.
func MakeFolder(dir, name string) error {
	root, base, err := within(dir, name)
	if err == nil {
		if err = root.Mkdir(base, 0o755); errors.Is(err, fs.ErrExist) {
			var folder *os.Root
			if folder, err = enter(root, base); err == nil {
				err = folder.Close()
			}
		}
		err = errors.Join(err, root.Close())
	}
	switch {
	case errors.Is(err, errLink):
		return fmt.Errorf("cannot create the folder %s: a link is in its place; remove it, or use another folder", filepath.Join(dir, name))
	case err != nil:
		return fmt.Errorf("cannot create the folder %s: %w", filepath.Join(dir, name), cause(err))
	}
	return nil
}

// Remove removes a file or an empty folder from a folder, and reports whether it was there. Below dir, no link is
// followed.
func Remove(dir, name string) (removed bool, err error) {
	root, base, err := within(dir, name)
	if err == nil {
		err = errors.Join(root.Remove(base), root.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("cannot remove %s: %w", filepath.Join(dir, name), cause(err))
	}
	return err == nil, nil
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
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return unwritable(name, err)
	}
	defer func() { _ = root.Close() }()
	return replaceIn(root, filepath.Base(name), text, perm, durable)
}

// replaceIn is [replace] for a name in a folder.
func replaceIn(root *os.Root, name string, text []byte, perm fs.FileMode, durable bool) error {
	at := ".bugle-" + rand.Text()
	tmp, err := root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return unwritable(filepath.Join(root.Name(), name), err)
	}
	defer func() { _ = root.Remove(at) }() // once renamed, it is not there
	_, err = tmp.Write(text)
	if info, serr := root.Lstat(name); err == nil && serr == nil && info.Mode().IsRegular() {
		err = tmp.Chmod(info.Mode().Perm())
	}
	if err == nil && durable {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = root.Rename(at, name)
	}
	if err == nil && durable {
		err = SyncFolder(root.Name())
	}
	if err != nil {
		return unwritable(filepath.Join(root.Name(), name), err)
	}
	return nil
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
