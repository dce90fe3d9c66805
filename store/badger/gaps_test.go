package badger_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// A scan continues after an unreadable part of a table: it returns each record once, and omits only lost ones.
func TestScansContinueAfterDamage(t *testing.T) {
	defer badger.SetThorough(0)()
	whole := t.TempDir()
	records := map[string]string{}
	db, err := badger.Open(t.Context(), badger.Options{Dir: whole})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{6})
	err = db.Update(t.Context(), func(tx kv.Tx) error {
		for n := range 400 {
			key, value := fmt.Appendf(nil, "r%04d", n), make([]byte, 4000)
			_, _ = random.Read(value)
			value = kv.EncodeValue(key, value)
			records[string(key)] = string(value)
			if err := tx.Set(key, value); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	const block = 16157 // about
	for _, at := range []int{4*block - 40, 50 * block} {
		for _, n := range []int{16, 600, 2 * block} {
			for _, reverse := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d bytes at %d, reverse %v", n, at, reverse), func(t *testing.T) {
					dir := t.TempDir()
					copyStore(t, dir, whole)
					spoil(t, filepath.Join(dir, badger.Folder, "000001.sst"), at, n)
					scanDamaged(t, dir, records, reverse)
				})
			}
		}
	}
}

// spoil overwrites bytes of a file in their place, as it may be mapped. Its time of change stays.
func spoil(t *testing.T, name string, at, n int) {
	t.Helper()
	overwrite(t, name, at, bytes.Repeat([]byte{0xff}, n))
}

// overwrite writes over bytes of a file in their place. Its time of change stays.
func overwrite(t *testing.T, name string, at int, b []byte) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.WriteAt(b, int64(at))
		err = errors.Join(err, os.Chtimes(name, info.ModTime(), info.ModTime()))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func scanDamaged(t *testing.T, dir string, records map[string]string, reverse bool) {
	t.Helper()
	db := open(t, dir)
	given := map[string]bool{}
	err := db.View(t.Context(), func(tx kv.Tx) error {
		return tx.Scan([]byte("r"), kv.ScanOptions{Reverse: reverse}, func(key, value []byte) error {
			if given[string(key)] {
				t.Errorf("%s is given twice", key)
			}
			given[string(key)] = true
			if len(value) > 0 && string(value) != records[string(key)] {
				t.Errorf("%s is not what was written", key)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	err = db.View(t.Context(), func(tx kv.Tx) error {
		for key, want := range records {
			switch got, err := tx.Get([]byte(key)); {
			case errors.Is(err, store.ErrDataLost):
				lost++
			case err != nil || string(got) != want:
				t.Errorf("%s reads %d bytes, %v", key, len(got), err)
			case !given[key]:
				t.Errorf("%s can be read, and the scan leaves it out", key)
			}
		}
		return nil
	})
	if err != nil || lost == 0 || lost > 20 || len(db.Lost()) == 0 {
		t.Errorf("%d of %d are lost, %v: %q", lost, len(records), err, db.Lost())
	}
}
