package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Errors of [Read] and [ReadIn], without the name of the file.
var (
	ErrTooLarge = errors.New("it is too large")
	errLink     = errors.New("it is a link; put a copy of the file there")
	errKind     = errors.New("it is not a regular file")
	errHidden   = errors.New("names that begin with a dot are hidden; move the file")
	errOutside  = errors.New("it leads out of the folder; put a copy of the file into it")
)

// ExpandHome returns the path that a user typed, in which ~ is the home folder.
func ExpandHome(typed string) string {
	typed = strings.TrimSpace(typed)
	if rest, ok := strings.CutPrefix(typed, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			return home + rest
		}
	}
	return typed
}

// Read returns the content of a file that the user named, which may be a link or a pipe. Of one with more than limit
// bytes, it reads no more, and returns [ErrTooLarge].
func Read(name string, limit int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return bounded(f, limit)
}

// ReadIn is [Read] for a file that nobody named: one that [Walk] found in a folder, or that another file refers to. name
// is relative to dir. It reads only a regular file in the folder: no part of the name may be a link, or begin with a dot.
func ReadIn(dir, name string, limit int) ([]byte, error) {
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return nil, errHidden
		}
	}
	root, base, err := within(dir, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	want, err := root.Lstat(base)
	switch {
	case err != nil:
		return nil, err
	case want.Mode().Type() == fs.ModeSymlink:
		return nil, errLink
	case !want.Mode().IsRegular():
		return nil, errKind
	}
	f, err := root.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for the writer of a pipe
	if err != nil {
		return nil, err
	}
	if got, err := f.Stat(); err != nil || !os.SameFile(want, got) { // it was replaced meanwhile
		return nil, errors.Join(errKind, f.Close())
	}
	return bounded(f, limit)
}

// bounded reads a file and closes it.
func bounded(f *os.File, limit int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err = errors.Join(err, f.Close()); err == nil && len(b) > limit {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// within opens the folder that a file is in. name is relative to dir, which may be a link; below it, none is followed.
func within(dir, name string) (root *os.Root, base string, err error) {
	if name = filepath.Clean(name); !filepath.IsLocal(name) {
		return nil, "", errOutside
	}
	if root, err = os.OpenRoot(dir); err != nil {
		return nil, "", err
	}
	for {
		part, rest, more := strings.Cut(name, string(filepath.Separator))
		if !more {
			return root, part, nil
		}
		next, err := enter(root, part)
		if err = errors.Join(err, root.Close()); err != nil {
			return nil, "", err
		}
		root, name = next, rest
	}
}

// enter opens a folder in another one.
func enter(root *os.Root, name string) (*os.Root, error) {
	want, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case want.Mode().Type() == fs.ModeSymlink:
		return nil, errLink
	case !want.IsDir():
		return nil, syscall.ENOTDIR
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if got, err := next.Lstat("."); err != nil || !os.SameFile(want, got) { // it was replaced meanwhile
		return nil, errors.Join(errLink, next.Close())
	}
	return next, nil
}

// Walk calls fn with the path of each file and folder in the folder under, which is relative to dir or ".", in order. It
// follows no links, and skips what is hidden. err is the reason why a folder cannot be read.
func Walk(dir, under string, fn func(path string, d fs.DirEntry, err error) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot read the folder %s: %w", dir, cause(err))
	}
	defer func() { _ = root.Close() }()
	under = filepath.ToSlash(under)
	return fs.WalkDir(root.FS(), under, func(path string, d fs.DirEntry, err error) error {
		switch hidden := path != under && strings.HasPrefix(d.Name(), "."); {
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden:
			return nil
		}
		return fn(filepath.Join(dir, filepath.FromSlash(path)), d, err)
	})
}
