package badger_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/engine/enginetest/race"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// indexStep is the distance between the places where TestDamagedIndex damages a table, in bytes.
var indexStep = flag.Int("indexstep", 300*race.Factor(4), "distance between the places where TestDamagedIndex damages a table, in bytes")

// If a table's block index is damaged, each lost or older campaign is reported, or their number is, and the finding
// names the backup that has them.
func TestDamagedIndex(t *testing.T) {
	t.Run("plain", func(t *testing.T) { damagedIndex(t, newImage(t, badger.Options{}), *indexStep, "") })
	t.Run("encrypted", func(t *testing.T) {
		key := crypt.New()
		damagedIndex(t, newImage(t, badger.Options{Encrypt: &key, Key: has(key)}), 2**indexStep, key.Passphrase())
	})
	t.Run("a backup that cannot be read", func(t *testing.T) {
		key := crypt.New()
		damagedIndex(t, newImage(t, badger.Options{Encrypt: &key, Key: has(key)}), 2**indexStep, "")
	})
}

func damagedIndex(t *testing.T, m image, step int, passphrase string) {
	whole := t.TempDir()
	m.write(t, whole, "", nil, 0)
	db, err := badger.Open(t.Context(), m.at(whole))
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(whole, "daily-20260101-000000"+backup.Suffix)
	o := backup.Options{}
	if key, ok := db.Key(); ok {
		o.Key = &key
	}
	if _, err := backup.Write(t.Context(), db, made, o); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	var sum indexTally
	tables := slices.DeleteFunc(slices.Clone(m.names), func(name string) bool { return filepath.Ext(name) != ".sst" })
	if m.open.Encrypt != nil {
		tables = tables[len(tables)-1:]
	}
	for _, name := range tables {
		size := int(m.sizes[name])
		try := func(what string, b []byte) {
			dir := t.TempDir()
			defer os.RemoveAll(dir)
			m.write(t, dir, name, b, int64(len(b)))
			file := filepath.Join(dir, backup.Folder, filepath.Base(made))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, saved, 0o600)); err != nil {
				t.Fatal(err)
			}
			m.tryIndex(t, dir, fmt.Sprintf("%s: %s", name, what), passphrase, &sum)
		}
		full := append(bytes.Clone(m.files[name]), make([]byte, size-len(m.files[name]))...)
		for n := range (min(600, size) + step - 1) / step {
			back := 1 + n*step
			if n%2 == 1 {
				try(fmt.Sprintf("cut %d before the end", back), full[:size-back])
				continue
			}
			flipped := bytes.Clone(full)
			flipped[size-back] ^= 1 << (n % 8)
			try(fmt.Sprintf("a bit of the byte %d before the end", back), flipped)
		}
		for part := 1; part <= 3; part++ {
			if part == 2 || passphrase == "" && m.open.Encrypt == nil {
				try(fmt.Sprintf("cut after %d of 4 parts", part), full[:size*part/4])
			}
		}
	}
	t.Logf("%+v", sum)
	if sum.lost == 0 {
		t.Error("no damage loses anything")
	}
}

// indexTally is what became of the campaigns of all damaged stores.
type indexTally struct{ stores, refused, lost, named, counted int }

// tryIndex checks a damaged store as `bugle doctor` does.
func (m image) tryIndex(t *testing.T, dir, what, passphrase string, sum *indexTally) {
	t.Helper()
	sum.stores++
	db, err := badger.Open(t.Context(), m.at(dir))
	if err != nil {
		sum.refused++
		if !errors.As(err, new(*store.DamagedError)) {
			t.Errorf("%s: opening: %v", what, err)
		}
		return
	}
	defer db.Close()
	db.Verify(t.Context())
	found, err := kv.Check(t.Context(), db, nil)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := backup.Compare(t.Context(), db, dir, func(backup.Info) string { return passphrase }, &found); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	counted := false
	for _, f := range found.Findings {
		counted = counted || f.Loss && strings.Contains(f.Advice, filepath.Join(dir, backup.Folder, "daily-"))
	}
	for id, want := range m.want {
		got, err := body(t, db, id)
		if err == nil && got == want {
			if found.ConcernsCampaign("DEMO", id) && !found.HasLoss() {
				t.Errorf("%s: %s is whole, and named", what, id)
			}
			continue
		}
		sum.lost++
		switch {
		case found.ConcernsCampaign("DEMO", id):
			sum.named++
		case counted && passphrase == "" && m.open.Encrypt != nil:
			sum.counted++
		default:
			t.Errorf("%s: %s is lost (%v), and nothing names it: %s", what, id, err, sentences(found))
		}
	}
}

func sentences(c kv.CheckResult) string {
	var out []string
	for _, f := range c.Findings {
		out = append(out, f.What)
	}
	return strings.Join(out, "; ")
}
