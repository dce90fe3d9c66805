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

	"bugle/store/crypt"
	"bugle/store/kv"
)

// Folder is the name of the folder of backups in the data folder, and Suffix how their names end.
const (
	Folder = "backups"
	Suffix = ".buglebackup"
)

// The names of backups: those that were asked for, and those that are made each day. A day's backup of
// a store that was damaged is told by its name, as it must not push out the sound ones.
const (
	askedPrefix   = "bugle-"
	dailyPrefix   = "daily-"
	damagedEnding = "-damaged"
	stampLayout   = "20060102-150405"
)

// How many of the daily backups are kept: the last one of each of so many days, and of so many weeks.
const (
	KeptDays  = 7
	KeptWeeks = 4
	// keptDamaged is how many are kept of those of a damaged store.
	keptDamaged = 2
)

// Name returns a file's path for a backup that is asked for at now.
func Name(dataDir string, now time.Time) string {
	return free(filepath.Join(dataDir, Folder, askedPrefix+now.Format(stampLayout)))
}

// free returns a name that no file has.
func free(base string) string {
	name := base + Suffix
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("%s-%d%s", base, n, Suffix)
	}
}

// MakeFolder makes the folder of backups in the data folder, which only its owner can read.
func MakeFolder(dataDir string) error {
	dir := filepath.Join(dataDir, Folder)
	if err := errors.Join(os.MkdirAll(dir, 0o700), kv.SyncFolder(dataDir)); err != nil {
		return unwritable(dir, err)
	}
	return nil
}

// Sweep removes what backups that were not completed have left in the folder of backups. Nobody may be
// making one.
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

// List returns the backups in the data folder, newest first, by what they say of themselves. What is no
// backup is left out.
func List(dataDir string) ([]Info, error) {
	names, err := filepath.Glob(filepath.Join(escape(dataDir), Folder, "*"+Suffix))
	if err != nil {
		return nil, fmt.Errorf("looking for backups: %w", err)
	}
	out := []Info{}
	for _, name := range names {
		if info, err := ReadHeader(name); err == nil {
			out = append(out, info)
		}
	}
	slices.SortStableFunc(out, func(a, b Info) int { return b.Made.Compare(a.Made) })
	return out, nil
}

// escape keeps a folder's name from being a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// DailyOptions is how the daily backups of a store are made.
type DailyOptions struct {
	DataDir string
	Program string
	Key     *crypt.Key       // encrypts them; nil: they are not encrypted
	Clock   func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: nothing is logged
	// Delay is how long after its start the first one is made, if it is due; a program that only runs
	// one command ends before. Look is how often it is looked whether one is due. 0 means 5 seconds,
	// and a quarter of an hour.
	Delay, Interval time.Duration
	// OnBackup hears of each backup that was made, or why not; it may be nil.
	OnBackup func(Info, error)
}

// Daily makes the daily backups until it is closed.
type Daily struct {
	o    DailyOptions
	db   kv.DB
	stop context.CancelFunc
	done sync.WaitGroup
}

// StartDaily begins to make a backup of the store each day, in the data folder's folder of backups, and to
// remove those that are older than the last of [KeptDays] days and [KeptWeeks] weeks. The store must
// stay open until the keeper is closed.
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
	if err := Sweep(o.DataDir); err != nil { // whoever had the store before may have been killed
		o.Logger.Error("cannot remove incomplete backups", "error", err)
	}
	k.done.Go(func() { k.run(ctx) })
	return k
}

// Close ends it. A backup that is being made is given up.
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

// due reports whether there is no backup of the last day. One of a time to come, as there is after a
// clock was set back, does not count.
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
	info, err := Write(ctx, k.db, free(base), Options{Program: k.o.Program, Key: k.o.Key, Now: k.o.Clock()})
	if err != nil {
		return info, err
	}
	if !info.Healthy() {
		name := free(base + damagedEnding)
		if err := errors.Join(os.Rename(info.File, name), kv.SyncFolder(filepath.Dir(name))); err != nil {
			return info, unwritable(name, err)
		}
		info.File = name
	}
	return info, k.rotate()
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

// rotate removes the daily backups that are not kept any longer.
func (k *Daily) rotate() error {
	// Those of a time to come, as there are after a clock was set back, do not push out the others.
	var now, later retained
	var failed []error
	for _, d := range k.dailies() {
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

// retained counts what is kept, newest first.
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

// first reports whether name is new among at most n, and adds it.
func first(seen *[]string, name string, n int) bool {
	if len(*seen) == n || slices.Contains(*seen, name) {
		return false
	}
	*seen = append(*seen, name)
	return true
}
