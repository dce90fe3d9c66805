package badger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4/table"

	"bugle/store"
)

// Verify implements [kv.Driver]: it reads every block of every table. If one is damaged, or damage was found before,
// nothing is written from now on.
func (d *driver) Verify(ctx context.Context) error {
	err := readTables(ctx, d.options(), (*table.Table).VerifyChecksum)
	switch {
	case errors.Is(err, errTable):
		d.found(err.Error())
	case err != nil: // not damage
		return fmt.Errorf("cannot verify the store in %s: %w", d.dir, err)
	}
	if err := d.damaged(); err != nil {
		return err
	}
	_ = d.record(false, func(s *state) { s.Verified = time.Now() }) // if it fails, the store is verified again
	return nil
}

// found records damage: nothing is written from now on, in this process or later ones.
func (d *driver) found(what string) {
	if d.damaged() != nil {
		return
	}
	_ = d.record(true, func(s *state) { s.Damage = what }) // if it fails, later processes find it again
	d.tell(d.damaged())
}

// damaged returns an error if damage was found.
func (d *driver) damaged() error {
	if what := d.known().Damage; what != "" {
		return &store.DamagedError{Dir: d.dir, Why: what}
	}
	return nil
}

// tell calls OnDamage, and reports whether the problem is new.
func (d *driver) tell(problem error) bool {
	_, told := d.told.LoadOrStore(problem.Error(), true)
	if !told && d.onDamage != nil {
		d.onDamage(problem.Error())
	}
	return !told
}

// Suspect implements [kv.Driver]: somebody has found a damaged record, so the store is verified soon.
func (d *driver) Suspect(damage error) {
	if d.tell(damage) {
		d.suspected.Store(true)
	}
}

const (
	// verifyEvery is how often the store is verified.
	verifyEvery = 24 * time.Hour
	// fewTables and mostTables are how many tables level 0 may have. Every closed store that was written to leaves one
	// there, and a read asks all of them.
	fewTables  = 6
	mostTables = 48
	// growth is the part of the store that level 0 may be: with an eighth, a record is rewritten some eight times.
	growth = 8
	// tendEvery is how often the tables are looked at.
	tendEvery = 5 * time.Second
)

// shouldMerge reports whether level 0 has at least so many tables, and is large enough for a merge to be worth it, which
// needs as much space as all tables have.
func (d *driver) shouldMerge(tables int) bool {
	all := int64(0)
	levels := d.db.Levels()
	for _, l := range levels {
		all += l.Size
	}
	has := levels[0].NumTables
	return has >= tables && (has >= mostTables || levels[0].Size >= all/growth) && d.room(uint64(all)+reserve) == nil
}

// merge merges all tables into one level, if all of them are sound.
func (d *driver) merge(ctx context.Context) error {
	if err := d.Verify(ctx); err != nil {
		return err
	}
	d.tables.Lock()
	defer d.tables.Unlock()
	if err := d.db.Flatten(1); err != nil {
		return fmt.Errorf("cannot merge the tables of the store in %s: %w", d.dir, err)
	}
	return nil
}

// tend verifies and merges the tables until the store is closed.
func (d *driver) tend() {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.work.Done():
			return
		case <-tick.C:
		}
		var err error
		switch {
		case d.damaged() != nil:
		case d.shouldMerge(fewTables):
			err = d.merge(d.work)
		case d.suspected.Swap(false) || time.Since(d.known().Verified).Abs() >= verifyEvery: // the clock may have been set back
			err = d.Verify(d.work)
		}
		if err != nil && d.work.Err() == nil {
			d.tell(err)
		}
	}
}
