package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"bugle/engine/files"
	"bugle/store"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// Folder is the name of the backup folder in the data folder, and Suffix is the file name suffix of backups.
const (
	Folder = "backups"
	Suffix = ".buglebackup"
)

// File name prefixes of manual and daily backups. A daily backup of a damaged store has its own prefix, so that it does
// not replace healthy ones.
const (
	askedPrefix   = "bugle-"
	dailyPrefix   = "daily-"
	damagedEnding = "-damaged"
	stampLayout   = "20060102-150405"
)

// How many daily backups are kept: the last one of each of the last days and weeks.
const (
	KeptDays  = 7
	KeptWeeks = 4
	// keptDamaged is how many backups of a damaged store are kept.
	keptDamaged = 2
)

// Name returns the path for a manual backup at now.
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

// Sweep removes incomplete backups from the backup folder. It must not run while a backup is being made.
func Sweep(dataDir string) error {
	dir := filepath.Join(escape(dataDir), Folder)
	var failed []error
	for _, pattern := range []string{".*" + Suffix + "*.partial", "*" + Suffix + reencryptedSuffix, ".*" + Suffix + reencryptedSuffix + "*.partial"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return fmt.Errorf("looking for backups: %w", err)
		}
		for _, name := range names {
			failed = append(failed, remove(name))
		}
	}
	return errors.Join(failed...)
}

// List returns the backups in the data folder, newest first, from their headers: those of a database or, if that is empty,
// those of folders. It skips files that are not backups. If the system refuses access to some, it returns the others and an
// error.
func List(dataDir, database string) ([]Info, error) {
	dir := filepath.Join(dataDir, Folder)
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read %s: %w; %s", dir, cause(err), store.FolderRemedy(dataDir, err))
	}
	out := []Info{}
	var refused []error
	for _, name := range names {
		if !strings.HasSuffix(name.Name(), Suffix) || strings.HasPrefix(name.Name(), ".") {
			continue
		}
		info, err := ReadHeader(filepath.Join(dir, name.Name()))
		switch {
		case err == nil && info.Database == database: // a folder that was moved has its backups with it
			out = append(out, info)
		case errors.Is(err, fs.ErrPermission):
			refused = append(refused, fmt.Errorf("%w; %s", err, store.FolderRemedy(dataDir, &fs.PathError{Path: filepath.Join(dir, name.Name()), Err: fs.ErrPermission})))
		}
	}
	slices.SortStableFunc(out, func(a, b Info) int { return b.Made.Compare(a.Made) })
	return out, errors.Join(refused...)
}

// escape escapes a folder name for filepath.Glob.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// DailyOptions are the options of [StartDaily].
type DailyOptions struct {
	DataDir string
	Program string
	Key     *crypt.Key       // encrypts the backups; nil: they are not encrypted
	Clock   func() time.Time // time.Now if nil
	Logger  *slog.Logger     // no log if nil
	// Delay is how long after the start the first backup is made if it is due, so that programs that only run one
	// command end before. Interval is how often to check whether a backup is due. The defaults for 0 are 5 seconds and
	// 15 minutes.
	Delay, Interval time.Duration
	// OnBackup is called after each backup with its description or error; it may be nil.
	OnBackup func(Info, error)
}

// Daily makes daily backups until it is closed.
type Daily struct {
	o    DailyOptions
	db   kv.DB
	stop context.CancelFunc
	done sync.WaitGroup
}

// StartDaily starts to make a daily backup of the store in the data folder's backup folder, and to remove backups
// beyond the last [KeptDays] days and [KeptWeeks] weeks. The store must stay open until the result is closed.
func StartDaily(db kv.DB, o DailyOptions) *Daily {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Delay == 0 {
		o.Delay = 5 * time.Second
	}
	if o.Interval == 0 {
		o.Interval = 15 * time.Minute
	}
	if o.OnBackup == nil {
		o.OnBackup = func(Info, error) {}
	}
	ctx, stop := context.WithCancel(context.Background())
	k := &Daily{o: o, db: db, stop: stop}
	if err := Sweep(o.DataDir); err != nil { // a previous owner of the store may have been killed
		o.Logger.Error("cannot remove incomplete backups", "error", err)
	}
	k.done.Go(func() { k.run(ctx) })
	return k
}

// Close stops the daily backups and cancels a backup in progress.
func (k *Daily) Close() {
	k.stop()
	k.done.Wait()
}

func (k *Daily) run(ctx context.Context) {
	next := time.NewTimer(k.o.Delay)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		if k.due() {
			info, err := k.make(ctx)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				k.o.Logger.Error("the daily backup was not made", "error", err)
			}
			k.o.OnBackup(info, err)
		}
		next.Reset(k.o.Interval)
	}
}

// due reports whether there is no backup of the last 24 hours. Backups with a time in the future, which exist after a
// clock was set back, do not count.
func (k *Daily) due() bool {
	now := k.o.Clock()
	for _, d := range k.dailies() {
		if age := now.Sub(d.at); age >= 0 && age < 24*time.Hour {
			return false
		}
	}
	return true
}

func (k *Daily) make(ctx context.Context) (Info, error) {
	if err := MakeFolder(k.o.DataDir); err != nil {
		return Info{}, err
	}
	base := filepath.Join(k.o.DataDir, Folder, dailyPrefix+k.o.Clock().UTC().Format(stampLayout))
	info, err := Write(ctx, k.db, free(base), Options{Program: k.o.Program, Source: Source{Folder: k.o.DataDir}, Key: k.o.Key, Now: k.o.Clock()})
	if err != nil {
		return info, err
	}
	if !info.Healthy() {
		if info.File, err = MarkDamaged(info.File); err != nil {
			return info, err
		}
	}
	return info, k.rotate()
}

// MarkDamaged renames a backup of a damaged store in the backup folder so that it does not pass for a good one.
func MarkDamaged(file string) (string, error) {
	name := free(strings.TrimSuffix(file, Suffix) + damagedEnding)
	if err := errors.Join(os.Rename(file, name), files.SyncFolder(filepath.Dir(name))); err != nil {
		return file, unwritable(name, err)
	}
	return name, nil
}

// dailyFile is one of the daily backups.
type dailyFile struct {
	file    string
	at      time.Time
	healthy bool
}

// dailies returns the daily backups, newest first.
func (k *Daily) dailies() (out []dailyFile) {
	names, err := filepath.Glob(filepath.Join(escape(k.o.DataDir), Folder, dailyPrefix+"*"+Suffix))
	if err != nil {
		return nil
	}
	for _, name := range names {
		text := strings.TrimPrefix(filepath.Base(name), dailyPrefix)
		if len(text) < len(stampLayout) {
			continue
		}
		if at, err := time.Parse(stampLayout, text[:len(stampLayout)]); err == nil {
			out = append(out, dailyFile{name, at, !strings.Contains(text, damagedEnding)})
		}
	}
	slices.SortFunc(out, func(a, b dailyFile) int { return b.at.Compare(a.at) })
	return out
}

// rotate removes daily backups beyond the retention.
func (k *Daily) rotate() error {
	// Backups with a time in the future, which exist after a clock was set back, are counted separately, so that they
	// do not replace the others.
	var now, later retained
	var failed []error
	all := k.dailies()
	for _, d := range all {
		if d.healthy && !all[0].healthy { // a backup of a damaged store removes no good one
			continue
		}
		which := &now
		if d.at.After(k.o.Clock()) {
			which = &later
		}
		if !which.keep(d) {
			failed = append(failed, remove(d.file))
		}
	}
	return errors.Join(failed...)
}

// retained counts the backups to keep, newest first.
type retained struct {
	days, weeks []string
	damaged     int
}

func (k *retained) keep(d dailyFile) bool {
	if !d.healthy {
		k.damaged++
		return k.damaged <= keptDamaged
	}
	y, w := d.at.ISOWeek()
	day := first(&k.days, d.at.Format(time.DateOnly), KeptDays)
	return first(&k.weeks, fmt.Sprint(y, w), KeptWeeks) || day
}

// first reports whether name is new and fewer than n names have been seen, and adds it.
func first(seen *[]string, name string, n int) bool {
	if len(*seen) == n || slices.Contains(*seen, name) {
		return false
	}
	*seen = append(*seen, name)
	return true
}
