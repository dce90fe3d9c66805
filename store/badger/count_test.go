package badger_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bugle/engine"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// differences compares what a store has counted with what a scan finds.
func differences(t *testing.T, db kv.DB) (out []string) {
	t.Helper()
	err := db.View(t.Context(), func(tx kv.Tx) error {
		have := kv.Counts{}
		err := tx.Scan(nil, kv.ScanOptions{Proved: true}, func(key, _ []byte) error {
			have.Add(key, 1)
			return nil
		})
		if err != nil {
			return err
		}
		want, err := tx.(kv.Counter).Counts()
		if want == nil {
			t.Error("nothing is counted")
		}
		out = have.Differences(want)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The store's counts are right, however many goroutines write and delete records at once.
func TestRecordsAreCounted(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	var all sync.WaitGroup
	for worker := range 6 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 1))
			for range 60 {
				err := db.Update(t.Context(), func(tx kv.Tx) error {
					for range 1 + random.IntN(4) {
						key := fmt.Appendf(nil, "rW%d\x00\x01c%d\x00\x01", random.IntN(2), random.IntN(12))
						if random.IntN(2) == 0 {
							if _, err := tx.Get(key); err != nil && !errors.Is(err, store.ErrNotFound) {
								return err
							}
						}
						if random.IntN(3) == 0 {
							if err := tx.Delete(key); err != nil {
								return err
							}
						} else if err := tx.Set(key, kv.EncodeValue(key, []byte("x"))); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if d := differences(t, db); len(d) > 0 {
		t.Errorf("%q", d)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, dir)
	if d := differences(t, db); len(d) > 0 {
		t.Errorf("opened again: %q", d)
	}
}

// When records are missing, for whatever reason, the check reports the workspace and their number, until the loss is
// acknowledged.
func TestMissingRecordsAreCounted(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		return kv.NewWorkspaceTx(tx, "DEMO").PutSettings(engine.Workspace{ID: "DEMO"})
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		if err := put(db, t, fmt.Sprint("c", n), `{"n":1}`); err != nil {
			t.Fatal(err)
		}
	}
	db.Vanish(t, "c2")
	found, err := kv.Check(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(found.Findings)
	if !strings.Contains(said, `records in workspace "DEMO" are missing: 1 campaign missing`) {
		t.Errorf("it says %s", said)
	}
	if _, err := kv.Repair(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	if found, err = kv.Check(t.Context(), db, nil); err != nil || len(found.Findings) > 0 {
		t.Errorf("after the repair: %v, %v", found.Findings, err)
	}
}

// A table that is damaged in many places can be opened, and the size of its lost marks is limited.
func TestDamagedInManyPlaces(t *testing.T) {
	for name, spoilIt := range map[string]func(t *testing.T, file string){
		"32 bytes": func(t *testing.T, file string) {
			for n := range 32 {
				spoil(t, file, 40_000+n*110_000, 1)
			}
		},
		"128 KiB": func(t *testing.T, file string) { spoil(t, file, 500_000, 128<<10) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := open(t, dir)
			const many = 40_000
			random := rand.NewChaCha8([32]byte{1})
			for from := 0; from < many; from += 4000 {
				err := db.Update(t.Context(), func(tx kv.Tx) error {
					for n := from; n < from+4000; n++ {
						key, value := fmt.Appendf(nil, "r%06d", n), make([]byte, 100)
						_, _ = random.Read(value)
						if err := tx.Set(key, kv.EncodeValue(key, value)); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			spoilIt(t, filepath.Join(dir, badger.Folder, "000001.sst"))
			db = open(t, dir)
			lost, whole := 0, 0
			err := db.View(t.Context(), func(tx kv.Tx) error {
				for n := range many {
					switch _, err := tx.Get(fmt.Appendf(nil, "r%06d", n)); {
					case err == nil:
						whole++
					case errors.Is(err, store.ErrDataLost):
						lost++
					default:
						return err
					}
				}
				return nil
			})
			if err != nil || lost == 0 || lost > 10_000 {
				t.Errorf("%d are whole and %d lost: %v", whole, lost, err)
			}
			if len(db.Lost()) == 0 {
				t.Error("it does not say so")
			}
		})
	}
}

// A small table whose only block is damaged may have contained any key. Existing records are still healthy: they can be
// read, and a repair leaves them unchanged.
func TestDamageOfSmallTableIsContained(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{}
	db := open(t, dir)
	for n := range 400 {
		id := fmt.Sprintf("c%03d", n)
		want[id] = fmt.Sprintf(`{"n":%d}`, n)
		if err := put(db, t, id, want[id]); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, dir)
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		for _, key := range [][]byte{[]byte("a"), []byte("z")} { // from before all others to behind them
			if err := tx.Set(key, kv.EncodeValue(key, []byte("x"))); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	spoil(t, filepath.Join(dir, badger.Folder, "000002.sst"), 20, 1)
	db = open(t, dir)
	if len(db.Lost()) == 0 {
		t.Fatal("no damage was found")
	}
	if lost := judge(t, db, want); lost > 0 {
		t.Errorf("%d healthy records are refused", lost)
	}
	found, err := kv.Repair(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Findings {
		if f.Campaign != "" {
			t.Errorf("a healthy campaign was repaired: %s (%s)", f.What, f.Repair)
		}
	}
	if lost := judge(t, db, want); lost > 0 {
		t.Errorf("after the repair %d are refused", lost)
	}
}
