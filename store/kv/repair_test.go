package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bugle/engine"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// inconsistentDB is a store in which reads of one healthy record fail.
type inconsistentDB struct {
	kv.DB
	key []byte
	get error // what reading it by its key fails with; nil: it does not
	// scan makes scans return it without its value.
	scan bool
}

func (l inconsistentDB) View(ctx context.Context, fn func(kv.Tx) error) error {
	return l.DB.View(ctx, func(tx kv.Tx) error { return fn(inconsistentTx{tx, l}) })
}

func (l inconsistentDB) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return l.DB.Update(ctx, func(tx kv.Tx) error { return fn(inconsistentTx{tx, l}) })
}

type inconsistentTx struct {
	kv.Tx
	l inconsistentDB
}

func (t inconsistentTx) Get(key []byte) ([]byte, error) {
	if t.l.get != nil && bytes.Equal(key, t.l.key) {
		return nil, t.l.get
	}
	return t.Tx.Get(key)
}

func (t inconsistentTx) Scan(prefix []byte, o kv.ScanOptions, fn func(key, value []byte) error) error {
	return t.Tx.Scan(prefix, o, func(key, value []byte) error {
		if t.l.scan && bytes.Equal(key, t.l.key) {
			value = nil
		}
		return fn(key, value)
	})
}

// Reads of healthy records may fail in any way: a repair replaces and removes none of them, and takes none
// for damaged that one way to read it reads.
func TestRepairLeavesHealthyRecords(t *testing.T) {
	corrupt := &store.CorruptError{What: "it", Err: errors.New("its checksum does not match")}
	origin := newStore(t)
	all := dump(t, origin)
	for _, how := range []struct {
		name  string
		get   error
		scan  bool
		known bool // the record can be read in one way, so nothing is found
		fails bool // the check itself must fail
	}{
		{"lost by its key", store.ErrDataLost, false, true, false},
		{"damaged by its key", corrupt, false, true, false},
		{"not there by its key", store.ErrNotFound, false, true, false},
		{"lost in scans", nil, true, true, false},
		{"lost", store.ErrDataLost, true, false, false},
		{"damaged", corrupt, true, false, false},
		{"not there by its key, and lost in scans", store.ErrNotFound, true, false, false},
		{"unreadable for want of descriptors", errors.New("open store/000007.sst: too many open files"), true, false, true},
		{"lost for want of descriptors", fmt.Errorf("%w: %w", store.ErrDataLost, syscall.EMFILE), true, false, true},
		{"in a closed store", store.ErrClosed, true, false, true},
		{"read too slowly", context.DeadlineExceeded, true, false, true},
	} {
		for _, r := range all {
			db := origin.Clone()
			found, err := kv.Repair(t.Context(), inconsistentDB{db, r.key, how.get, how.scan}, nil)
			switch {
			case how.fails && err == nil:
				t.Errorf("%q is %s: the repair does not fail, and finds %+v", r.key, how.name, found.Findings)
			case !how.fails && err != nil:
				t.Errorf("%q is %s: %v", r.key, how.name, err)
			case how.known && len(found.Findings) > 0:
				t.Errorf("%q is %s: found %+v", r.key, how.name, found.Findings)
			}
			if got := dump(t, db); !equal(got, all) {
				t.Errorf("%q is %s: the repair has changed the store: %+v\n%q\n%q", r.key, how.name, found.Findings, got, all)
			}
			db.Close()
		}
	}
}

func equal(a, b []pair) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i].key, b[i].key) || !bytes.Equal(a[i].value, b[i].value) {
			return false
		}
	}
	return true
}

// Next to a damaged record, others cannot be read at the moment: the repair only uses verified data, and removes
// nothing healthy.
func TestRepairManyFindings(t *testing.T) {
	origin := newStore(t)
	all := dump(t, origin)
	for i, r := range all {
		for j, other := range all {
			if i == j {
				continue
			}
			db := origin.Clone()
			spoiled := bytes.Clone(r.value)
			spoiled[len(spoiled)-1] ^= 4
			if err := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Set(r.key, spoiled) }); err != nil {
				t.Fatal(err)
			}
			if _, err := kv.Repair(t.Context(), inconsistentDB{db, other.key, store.ErrDataLost, true}, nil); err != nil {
				t.Fatal(err)
			}
			have := map[string][]byte{}
			for _, p := range dump(t, db) {
				have[string(p.key)] = p.value
			}
			if !bytes.Equal(have[string(other.key)], other.value) {
				t.Errorf("%q is damaged, and %q, which is healthy, is now %q", r.key, other.key, have[string(other.key)])
			}
			db.Close()
		}
	}
}

// What a repair replaces or removes stays in the store as it was, and is listed.
func TestRepairQuarantinesRecords(t *testing.T) {
	origin := newStore(t)
	kept := 0
	for _, r := range dump(t, origin) {
		db := origin.Clone()
		spoiled := bytes.Clone(r.value)
		spoiled[len(spoiled)-1] ^= 4
		if err := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Set(r.key, spoiled) }); err != nil {
			t.Fatal(err)
		}
		before := dump(t, db)
		found, err := kv.Repair(t.Context(), db, nil)
		if err != nil {
			t.Fatal(err)
		}
		after := map[string][]byte{}
		for _, p := range dump(t, db) {
			after[string(p.key)] = p.value
		}
		for _, p := range before {
			if bytes.Equal(after[string(p.key)], p.value) {
				continue
			}
			listed := false
			for _, k := range found.Quarantined {
				listed = listed || bytes.Equal(k.Key, p.key) && bytes.Equal(k.Value, p.value) && k.Bytes == len(p.value) && k.What != ""
			}
			if !listed {
				t.Errorf("%q is damaged: %q was changed, and is not among %+v", r.key, p.key, found.Quarantined)
			}
			kept++
		}
		if again := check(t, db); len(again.Quarantined) != len(found.Quarantined) {
			t.Errorf("%q is damaged: another check lists %+v", r.key, again.Quarantined)
		}
		db.Close()
	}
	if kept < 10 {
		t.Errorf("%d records were repaired at all", kept)
	}
}

// What a repair brings to light, it repairs as well, also where the like of it was repaired before.
func TestRepairInOnePass(t *testing.T) {
	db := newStore(t)
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
		return errors.Join(s.PutRequestID("test", "r2", noon), s.PutRequestID("test", "r3", noon))
	})
	change(t, db, "rDEMO\x00\x01qtest\x00\x01r\x00\x01", nil) // its entry leads nowhere
	spoil(t, db, "rDEMO\x00\x01qtest\x00\x01r2")              // once it is removed, its entry does
	found, err := kv.Repair(t.Context(), db, nil)
	if err != nil || !found.Healthy() || len(found.Findings) != 3 {
		t.Errorf("%+v, %v", found.Findings, err)
	}
	if again := check(t, db); len(again.Findings) > 0 {
		t.Errorf("then there is still %+v", again.Findings)
	}
}

// Of many records that repairs have kept a list has the newest, and the number of all.
func TestManyQuarantinedRecords(t *testing.T) {
	db := newStore(t)
	const many = 1500
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		for i := range many {
			key := append([]byte{'q'}, 0x80, 0, 0, 0, 0, 0, byte(i>>8), byte(i))
			key = append(key, "nDEMO\x00\x01"...)
			if err := tx.Set(key, kv.EncodeValue(key, make([]byte, 10_000))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := check(t, db)
	if c.KeptRecords != many || len(c.Quarantined) < 100 || len(c.Quarantined) > 4<<20/10_000 || c.Quarantined[len(c.Quarantined)-1].At.UnixMicro() != many-1 {
		t.Errorf("%d are kept, and %d listed", c.KeptRecords, len(c.Quarantined))
	}
}

// A record that a repair has kept may rot as any other.
func TestDamagedQuarantinedRecord(t *testing.T) {
	db := newStore(t)
	spoil(t, db, "rDEMO\x00\x01sc1")
	if _, err := kv.Repair(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	spoil(t, db, "q")
	found, err := kv.Repair(t.Context(), db, nil)
	if err != nil || len(found.Findings) != 1 || !found.Healthy() || len(found.Quarantined) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// spoil flips a bit in all records whose key begins with prefix.
func spoil(t *testing.T, db kv.DB, prefix string) {
	t.Helper()
	for _, r := range dump(t, db) {
		if !strings.HasPrefix(string(r.key), prefix) {
			continue
		}
		r.value[len(r.value)-1] ^= 1
		if err := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Set(r.key, r.value) }); err != nil {
			t.Fatal(err)
		}
	}
}

// A byte is flipped in a small new table on the disk, whose filter makes reads of healthy records fail: a repair
// leaves all of them as they are.
func TestRepairAfterRotInASmallTable(t *testing.T) {
	dir := t.TempDir()
	open := func() *badger.DB {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	const many = 150
	db := open()
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
		err := s.PutSettings(wholeSettings())
		for i := range many {
			for n := range 3 {
				err = errors.Join(err, save(s, fmt.Sprint("c", i), fmt.Sprintf(`{"n":%d}`, n)))
			}
		}
		return err
	})
	before := dump(t, db)
	tables := func() []string {
		names, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*.sst"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	had := tables()
	db = open()
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error { return save(s, "new", `{}`) })
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	fresh := slices.DeleteFunc(tables(), func(name string) bool { return slices.Contains(had, name) })
	if len(fresh) != 1 || len(had) == 0 {
		t.Fatalf("there are the tables %q, and %q are new", had, fresh)
	}
	b, err := os.ReadFile(fresh[0])
	if err != nil {
		t.Fatal(err)
	}
	b[20] ^= 1
	if err := os.WriteFile(fresh[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	db = open()
	defer db.Close()
	found, err := kv.Repair(t.Context(), db, nil)
	if err != nil || !found.Healthy() {
		t.Errorf("%+v, %v", found, err)
	}
	after := map[string][]byte{}
	for _, p := range dump(t, db) {
		after[string(p.key)] = p.value
	}
	changed := 0
	for _, p := range before {
		if !bytes.Equal(after[string(p.key)], p.value) {
			changed++
			t.Logf("%q", p.key)
		}
	}
	if changed > 0 {
		t.Errorf("%d of %d healthy records were changed", changed, len(before))
	}
}

// A campaign is deleted while somebody keeps edits of it: in whichever order the two end, nothing of it is
// left.
func TestDeleteWhileEditsAreKept(t *testing.T) {
	db, err := badger.Open(t.Context(), badger.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	keep := func(tx kv.Tx, id string) error {
		s := kv.NewWorkspaceTx(tx, space)
		if _, err := s.Campaign(id); err != nil {
			return err
		}
		return s.PutWorkingCopy(id, engine.WorkingCopy{Base: 1, Body: parse(t, `{}`)})
	}
	remove := func(tx kv.Tx, id string) error { return kv.NewWorkspaceTx(tx, space).DeleteCampaign(id) }
	for n, order := range [][2]func(kv.Tx, string) error{{keep, remove}, {remove, keep}} {
		id := fmt.Sprint("c", n)
		updateWorkspace(t, db, func(s kv.WorkspaceTx) error { return save(s, id, `{}`) })
		updateWorkspace(t, db, func(s kv.WorkspaceTx) error { return save(s, id, `{}`) })
		first := true
		err := db.Update(t.Context(), func(tx kv.Tx) error {
			if err := order[1](tx, id); err != nil {
				return err
			}
			if first { // the other one begins later and ends sooner
				first = false
				return db.Update(t.Context(), func(tx kv.Tx) error { return order[0](tx, id) })
			}
			return nil
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		for _, r := range dump(t, db) {
			if kv.BelongsTo(r.key, space, id) {
				t.Errorf("order %d: %q is left", n, r.key)
			}
		}
	}
}
