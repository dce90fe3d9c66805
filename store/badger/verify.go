package badger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4/table"

	"bugle/engine/files"
	"bugle/store"
)

const (
	// damageFile has the damage of the store, in a sentence. While it exists, nothing is written.
	damageFile = "DAMAGED"
	// verifiedFile exists if the store was verified; its time is when.
	verifiedFile = "VERIFIED"
	// verifyEvery is how often the store is verified.
	verifyEvery = 24 * time.Hour
)

// Verify implements [kv.Driver]: it reads every block of every table. If one is damaged, or damage was found before,
// nothing is written from now on.
func (d *driver) Verify(ctx context.Context) error {
	done := make(chan error, 1)
	d.tending.Go(func() { done <- d.verify() })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// verify reads every block of every table. It returns an error if one is damaged, or if not all can be read now.
func (d *driver) verify() error {
	d.verifying.Lock()
	defer d.verifying.Unlock()
	d.verified.Store(time.Now().Unix())
	switch err := readTables(d.encrypted(settings(d.path, d.log)), (*table.Table).VerifyChecksum); {
	case errors.As(err, new(*tableError)):
		d.found(err.Error())
	case err != nil: // not damage
		d.log.Warn("cannot verify the store", "error", err)
		return fmt.Errorf("cannot verify the store in %s: %w", d.dir, err)
	}
	if err := d.damaged(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.path, verifiedFile), nil, 0o600); err != nil {
		d.log.Warn("cannot record that the store was verified", "error", err)
	}
	return nil
}

// found records damage: nothing is written from now on, in this process or later ones.
func (d *driver) found(what string) {
	if !d.damage.CompareAndSwap(nil, &what) {
		return
	}
	if err := files.Save(filepath.Join(d.path, damageFile), []byte(what+"\n")); err != nil {
		d.log.Error("cannot record the damage", "error", err)
	}
	d.tell(d.damaged().Error())
}

// readDamage reads what a former process has found.
func (d *driver) readDamage() error {
	b, err := os.ReadFile(filepath.Join(d.path, damageFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	what := strings.TrimSpace(string(b))
	d.damage.Store(&what)
	return err
}

// damaged returns an error if damage was found.
func (d *driver) damaged() error {
	what := d.damage.Load()
	if what == nil {
		return nil
	}
	return &store.DamagedError{Dir: d.dir, Why: *what}
}

// tell calls OnDamage.
func (d *driver) tell(notice string) {
	if d.onDamage != nil {
		d.onDamage(notice)
	}
}

// Suspect implements [kv.Suspecter]: somebody has found a damaged record, so the store is verified soon.
func (d *driver) Suspect(damage error) {
	if _, told := d.told.LoadOrStore(damage.Error(), true); !told {
		d.tell(damage.Error())
	}
	select {
	case d.suspected <- struct{}{}:
	default:
	}
}

// Notices returns the problems that were found when the store was opened, each in a sentence for people.
func (db *DB) Notices() []string {
	if err := db.driver.damaged(); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// How many tables level 0 may have. Every closed store that was written to leaves one there, and a read asks all of them.
const (
	fewTables  = 6
	mostTables = 48
	// growth is the part of the store that level 0 may be: with an eighth, a record is rewritten some eight times.
	growth = 8
	// tendEvery is how often the tables are looked at.
	tendEvery = 5 * time.Second
)

// shouldMerge reports whether level 0 has at least so many tables, and is large enough for a merge to be worth it.
func (d *driver) shouldMerge(tables int) bool {
	all := int64(0)
	levels := d.db.Levels()
	for _, l := range levels {
		all += l.Size
	}
	has := levels[0].NumTables
	return has >= tables && (has >= mostTables || levels[0].Size >= all/growth)
}

// merge merges all tables into one level, if all of them are sound and the disk has the space. Without a change a merge
// finds nothing to do.
func (d *driver) merge() {
	all := uint64(0)
	for _, l := range d.db.Levels() {
		all += uint64(l.Size)
	}
	if n, err := d.free(d.path); err == nil && n < all+reserve || d.verify() != nil {
		return
	}
	if err := d.db.Flatten(1); err != nil {
		d.log.Warn("cannot merge the tables", "error", err)
	}
}

// tend verifies and merges the tables until the store is closed. clean is whether the last process closed the store.
func (d *driver) tend(clean bool) {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-d.suspected:
			if time.Now().Unix()-d.verified.Load() > 60 {
				_ = d.verify() // it has said so
			}
			continue
		case <-tick.C:
		}
		switch {
		case d.damage.Load() != nil:
		case d.shouldMerge(fewTables):
			d.merge()
		case !clean || d.verifiedAgo() >= verifyEvery:
			clean = true
			_ = d.verify() // it has said so
		}
	}
}

// verifiedAgo returns how long ago the store was verified.
func (d *driver) verifiedAgo() time.Duration {
	info, err := os.Stat(filepath.Join(d.path, verifiedFile))
	if err != nil {
		return verifyEvery
	}
	if ago := time.Since(info.ModTime()); ago >= 0 { // the clock may have been set back
		return ago
	}
	return verifyEvery
}
