package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	dailyPrefix   = "daily-"
	stampLayout   = "20060102-150405"
	partialSuffix = ".partial"
)

// NewFile returns the path of a backup that somebody asks for at now, in the backup folder, which it creates.
func NewFile(dataDir string, now time.Time) (string, error) {
	return newFile(dataDir, "bugle-"+now.Format(stampLayout+".000"))
}

// newFile returns the path of a backup with a name. Only the owner of the backup folder can read what is in it.
func newFile(dataDir, name string) (string, error) {
	dir := filepath.Join(dataDir, Folder)
	if err := errors.Join(os.MkdirAll(dir, 0o700), files.SyncFolder(dataDir)); err != nil {
		return "", refused("cannot write", dir, err)
	}
	return filepath.Join(dir, name+Suffix), nil
}

// abandoned is how long nobody has written to the incomplete backup of a process that was killed.
const abandoned = time.Hour

// Sweep removes the incomplete backups in a folder that nobody has written to for some time; 0 means all, where no backup is
// being made.
func Sweep(dir string, age time.Duration) error {
	names, err := fs.Glob(os.DirFS(dir), ".*"+Suffix+"*"+partialSuffix)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, bad := os.Stat(path); bad == nil && (age == 0 || time.Since(info.ModTime()) > age) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// List returns the backups in the data folder, newest first, from their headers: those of a database or, if that is empty,
// those of folders. It skips files that are not backups. If the system refuses access to some, it returns the others and an
// error.
func List(dataDir, database string) ([]Info, error) {
	dir := filepath.Join(dataDir, Folder)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(dataDir, err)
	}
	out := []Info{}
	var unread []error
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), Suffix) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		file := filepath.Join(dir, e.Name())
		info, err := ReadHeader(file)
		switch {
		case err == nil && info.Database == database: // a folder that was moved has its backups with it
			out = append(out, info)
		case errors.Is(err, fs.ErrPermission):
			unread = append(unread, unreadable(dataDir, &fs.PathError{Op: "open", Path: file, Err: fs.ErrPermission}))
		}
	}
	slices.SortStableFunc(out, func(a, b Info) int { return b.Made.Compare(a.Made) })
	return out, errors.Join(unread...)
}

// unreadable adds what to do about it to an error of a file in the data folder.
func unreadable(dataDir string, err error) error {
	return fmt.Errorf("cannot read the backups: %w; %s", err, store.FolderRemedy(dataDir, err))
}

// refused adds what cannot be done with which file to an error of the system, whose file it is, and where there is not
// enough space.
func refused(what, file string, err error) error {
	var path *os.PathError
	switch {
	case store.IsDiskFull(err):
		return fmt.Errorf("%w: no backup was made, because there is not enough space in %s; free some, or choose a file on another disk",
			store.ErrDiskFull, filepath.Dir(file))
	case !errors.As(err, &path):
		return err
	}
	_, owner, at, ok := store.OwnerOf(path.Path)
	if ok && errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s %s: %w; %s belongs to %s", what, file, path.Err, at, owner)
	}
	return fmt.Errorf("%s %s: %w", what, file, path.Err)
}

// How many daily backups are kept: the last ones, and the last one of each of the last weeks.
const (
	KeptDays  = 7
	KeptWeeks = 4
)

const (
	// dailyDelay is how long a program runs before it makes a backup, so that one that only does one command makes none.
	dailyDelay = 5 * time.Second
	// dailyInterval is how often a program that runs looks whether a backup is due.
	dailyInterval = 15 * time.Minute
)

// StartDaily starts to make a daily backup of a store in a folder, see [Daily], and calls told after each look, with the
// error if it failed. It removes incomplete backups at once: a previous owner of the store may have been killed. The store
// must stay open until stop has returned, which cancels a backup in progress.
func StartDaily(db store.DB, dataDir string, o Options, told func(error)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	err := Sweep(filepath.Join(dataDir, Folder), 0)
	var done sync.WaitGroup
	done.Go(func() {
		if err != nil {
			told(err)
		}
		for wait := dailyDelay; ; wait = dailyInterval {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			if err := Daily(ctx, db, dataDir, o); ctx.Err() == nil {
				told(err)
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// Daily makes a backup in the backup folder if there is no daily one of the last 24 hours, and removes those beyond the last
// [KeptDays] and those of the last [KeptWeeks] weeks. The time of the options is the present. Backups of a later time, which
// exist after a clock was set back, do not count and stay.
func Daily(ctx context.Context, db store.DB, dataDir string, o Options) error {
	if o.Made.IsZero() {
		o.Made = time.Now()
	}
	list, err := List(dataDir, "")
	made := slices.DeleteFunc(list, func(b Info) bool {
		return !strings.HasPrefix(filepath.Base(b.File), dailyPrefix) || b.Made.After(o.Made)
	})
	if err != nil || len(made) > 0 && o.Made.Sub(made[0].Made) < 24*time.Hour {
		return err
	}
	file, err := newFile(dataDir, dailyPrefix+o.Made.UTC().Format(stampLayout))
	if err != nil {
		return err
	}
	info, err := Write(ctx, db, file, o)
	if err != nil {
		return err
	}
	weeks := map[[2]int]bool{}
	for i, b := range slices.Insert(made, 0, info) {
		year, n := b.Made.ISOWeek()
		week := [2]int{year, n}
		if i >= KeptDays && (weeks[week] || len(weeks) == KeptWeeks) {
			err = errors.Join(err, os.RemoveAll(b.File))
		}
		if len(weeks) < KeptWeeks {
			weeks[week] = true
		}
	}
	return err
}
