package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bugle/engine/files"
	"bugle/store"
)

// Folder is the name of the backup folder in the data folder, and Suffix is the file name suffix of backups.
const (
	Folder = "backups"
	Suffix = ".buglebackup"
)

const (
	askedPrefix   = "bugle-"
	dailyPrefix   = "daily-"
	stampLayout   = "20060102-150405"
	partialSuffix = ".partial"
)

// Name returns the path for a backup that somebody asks for at now.
func Name(dataDir string, now time.Time) string {
	return free(filepath.Join(dataDir, Folder, askedPrefix+now.Format(stampLayout)))
}

// free returns a file name that does not exist, or that the system refuses to look for.
func free(base string) string {
	name := base + Suffix
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d%s", base, n, Suffix)
	}
}

// MakeFolder creates the backup folder in the data folder, readable only by its owner.
func MakeFolder(dataDir string) error {
	dir := filepath.Join(dataDir, Folder)
	if err := errors.Join(os.MkdirAll(dir, 0o700), files.SyncFolder(dataDir)); err != nil {
		return unwritable(dir, err)
	}
	return nil
}

// entries returns the names in the backup folder; none if there is no folder.
func entries(dataDir string) (names []string, err error) {
	dir := filepath.Join(dataDir, Folder)
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read %s: %w; %s", dir, cause(err), store.FolderRemedy(dataDir, err))
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, nil
}

// Sweep removes incomplete backups from the backup folder. It must not run while a backup is being made.
func Sweep(dataDir string) error {
	names, err := entries(dataDir)
	for _, name := range names {
		if strings.HasPrefix(name, ".") && strings.Contains(name, Suffix) && strings.HasSuffix(name, partialSuffix) {
			err = errors.Join(err, remove(filepath.Join(dataDir, Folder, name)))
		}
	}
	return err
}

// List returns the backups in the data folder, newest first, from their headers: those of a database or, if that is empty,
// those of folders. It skips files that are not backups. If the system refuses access to some, it returns the others and an
// error.
func List(dataDir, database string) ([]Info, error) {
	names, err := entries(dataDir)
	if err != nil {
		return nil, err
	}
	out := []Info{}
	var refused []error
	for _, name := range names {
		if !strings.HasSuffix(name, Suffix) || strings.HasPrefix(name, ".") {
			continue
		}
		file := filepath.Join(dataDir, Folder, name)
		info, err := ReadHeader(file)
		switch {
		case err == nil && info.Database == database: // a folder that was moved has its backups with it
			out = append(out, info)
		case errors.Is(err, fs.ErrPermission):
			refused = append(refused, fmt.Errorf("%w; %s", err, store.FolderRemedy(dataDir, &fs.PathError{Path: file, Err: fs.ErrPermission})))
		}
	}
	slices.SortStableFunc(out, func(a, b Info) int { return b.Made.Compare(a.Made) })
	return out, errors.Join(refused...)
}
