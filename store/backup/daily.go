package backup

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"bugle/store"
)

// How many daily backups are kept: the last one of each of the last days and weeks.
const (
	KeptDays  = 7
	KeptWeeks = 4
)

// DailyOptions are the options of [StartDaily].
type DailyOptions struct {
	DataDir string
	// Options are those of each backup. Its time is that of Clock.
	Options Options
	Clock   func() time.Time // time.Now if nil
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
	db   store.DB
	stop context.CancelFunc
	done sync.WaitGroup
}

// StartDaily starts to make a daily backup of the store in the data folder's backup folder, and to remove backups
// beyond the last [KeptDays] days and [KeptWeeks] weeks. The store must stay open until the result is closed.
func StartDaily(db store.DB, o DailyOptions) *Daily {
	if o.Clock == nil {
		o.Clock = time.Now
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
	swept := Sweep(o.DataDir) // before anybody asks for a backup: a previous owner of the store may have been killed
	k.done.Go(func() {
		if swept != nil {
			o.OnBackup(Info{}, swept)
		}
		k.run(ctx)
	})
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
		if info, due, err := k.backup(ctx); due && ctx.Err() == nil {
			k.o.OnBackup(info, err)
		}
		next.Reset(k.o.Interval)
	}
}

// backup makes a backup if there is none of the last 24 hours, and removes old ones.
func (k *Daily) backup(ctx context.Context) (info Info, due bool, err error) {
	now := k.o.Clock()
	made, err := dailies(k.o.DataDir, now)
	if err != nil || len(made) > 0 && now.Sub(made[0].at) < 24*time.Hour {
		return info, err != nil, err
	}
	if err := MakeFolder(k.o.DataDir); err != nil {
		return info, true, err
	}
	o := k.o.Options
	o.Now = now
	base := filepath.Join(k.o.DataDir, Folder, dailyPrefix+now.UTC().Format(stampLayout))
	if info, err = Write(ctx, k.db, free(base), o); err != nil {
		return info, true, err
	}
	return info, true, prune(k.o.DataDir, now)
}

// dailyFile is a daily backup.
type dailyFile struct {
	file string
	at   time.Time
}

// dailies returns the daily backups up to now, newest first. Those with a time in the future, which exist after a clock was
// set back, do not count and stay.
func dailies(dataDir string, now time.Time) (out []dailyFile, err error) {
	names, err := entries(dataDir)
	for _, name := range names {
		text, ok := strings.CutPrefix(name, dailyPrefix)
		if !ok || !strings.HasSuffix(name, Suffix) || len(text) < len(stampLayout) {
			continue
		}
		at, err := time.Parse(stampLayout, text[:len(stampLayout)])
		if err == nil && !at.After(now) {
			out = append(out, dailyFile{filepath.Join(dataDir, Folder, name), at})
		}
	}
	slices.SortFunc(out, func(a, b dailyFile) int { return b.at.Compare(a.at) })
	return out, err
}

// prune removes daily backups beyond the retention.
func prune(dataDir string, now time.Time) error {
	list, err := dailies(dataDir, now)
	var days, weeks periods
	for _, d := range list {
		year, week := d.at.ISOWeek()
		day := days.first([2]int{d.at.Year(), d.at.YearDay()}, KeptDays)
		if !weeks.first([2]int{year, week}, KeptWeeks) && !day {
			err = errors.Join(err, remove(d.file))
		}
	}
	return err
}

// periods are the days or weeks of backups that are kept.
type periods [][2]int

// first reports whether a period is new and among the first n, and adds it.
func (p *periods) first(period [2]int, n int) bool {
	if len(*p) == n || slices.Contains(*p, period) {
		return false
	}
	*p = append(*p, period)
	return true
}
