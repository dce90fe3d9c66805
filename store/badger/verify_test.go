package badger_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// Bit rot does not change the modification time of a file: in a large store, such a table is verified when it is first
// read, or soon after. Damaged data is never returned, and the next start repairs it.
func TestVerifiedOnRead(t *testing.T) {
	defer badger.SetThorough(0)()
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	text := func(id string) string { return fmt.Sprintf(`{"id":%q,"html":%q}`, id, strings.Repeat(id, 500)) }
	for n := range 40 {
		id := fmt.Sprint("campaign", n)
		ids = append(ids, id)
		if err := put(db, t, id, text(id)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	rot(t, filepath.Join(dir, badger.Folder, "000001.sst"), 2000)

	var notices []string
	db, err = badger.Open(t.Context(), badger.Options{Dir: dir, OnDamage: func(n string) { notices = append(notices, n) }})
	if err != nil {
		t.Fatal(err)
	}
	notices = append(db.Notices(), notices...)
	readAll := func(db *badger.DB) (damaged int) {
		for _, id := range ids {
			got, err := body(t, db, id)
			if errors.As(err, new(*store.CorruptError)) {
				damaged++
			} else if err != nil || got != text(id) {
				t.Errorf("%s is %.60s, %v", id, got, err)
			}
		}
		return damaged
	}
	damaged := readAll(db)
	if damaged == 0 || damaged == len(ids) {
		t.Errorf("%d of %d are damaged", damaged, len(ids))
	}
	db.Verify(t.Context())
	if lost := db.Lost(); len(lost) != 1 || !strings.Contains(lost[0], "1 blocks of the table 000001.sst are damaged") {
		t.Errorf("lost is %q", lost)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "table 000001.sst") || !strings.Contains(notices[0], "`bugle doctor`") {
		t.Errorf("once, it says %q", notices)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	db = open(t, dir)
	if said := db.Notices(); len(said) != 1 || !strings.Contains(said[0], "was damaged (1 blocks of the table 000001.sst") {
		t.Errorf("then it says %q", said)
	}
	if again := readAll(db); again == 0 || again > damaged { // one behind the damage may be read again
		t.Errorf("%d were damaged, and then %d", damaged, again)
	}
	if _, err := kv.Repair(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	if said := db.Lost(); len(said) > 0 {
		t.Errorf("after the repair %q is lost", said)
	}
}

// rot changes a byte of a file, whose time of change stays.
func rot(t *testing.T, name string, at int) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, name, at, []byte{b[at] ^ 1})
}

// A scan verifies blocks before it reaches them, and not many more.
func TestVerifiedOnScan(t *testing.T) {
	defer badger.SetThorough(0)()
	dir := t.TempDir()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{6})
	records := map[string]string{}
	key := func(n int) []byte { return fmt.Appendf(nil, "r%04d", n) }
	const many = 800
	for from := 0; from < many; from += 200 {
		err := db.Update(t.Context(), func(tx kv.Tx) error {
			for n := from; n < from+200; n++ {
				value := make([]byte, 4000)
				_, _ = random.Read(value)
				value = kv.EncodeValue(key(n), value)
				records[string(key(n))] = string(value)
				if err := tx.Set(key(n), value); err != nil {
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
	rot(t, filepath.Join(dir, badger.Folder, "000001.sst"), 400*4000)

	scan := func(t *testing.T, reverse bool, limit int) (given, damaged int, lost []string) {
		t.Helper()
		var notices []string
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir, OnDamage: func(n string) { notices = append(notices, n) }})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.View(t.Context(), func(tx kv.Tx) error {
			return tx.Scan([]byte("r"), kv.ScanOptions{Reverse: reverse, Limit: limit}, func(key, value []byte) error {
				given++
				switch {
				case len(value) == 0:
					damaged++
				case string(value) != records[string(key)]:
					t.Errorf("%s is not what was written", key)
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(notices) != len(db.Lost()) || len(notices) > 0 && (!strings.Contains(notices[0], "part of the table 000001.sst is damaged") || !strings.Contains(notices[0], "`bugle doctor`")) {
			t.Errorf("reverse %v: it says %q", reverse, notices)
		}
		return given, damaged, db.Lost()
	}
	copied := t.TempDir() // the next process that opens a damaged store repairs it
	for _, reverse := range []bool{false, true} {
		if given, damaged, lost := scan(t, reverse, 50); given != 50 || damaged > 0 || len(lost) > 0 {
			t.Errorf("reverse %v: of the first %d records %d are damaged: %q", reverse, given, damaged, lost)
		}
	}
	copyStore(t, copied, dir)
	for _, reverse := range []bool{false, true} {
		given, damaged, lost := scan(t, reverse, 0)
		if len(lost) != 1 || !strings.Contains(lost[0], "1 blocks of the table 000001.sst") {
			t.Errorf("reverse %v: of %d records %d are damaged, and it says %q", reverse, given, damaged, lost)
		}
		dir = copied
	}
}

// copyStore copies a store with the times of its files.
func copyStore(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		return errors.Join(err, os.Chtimes(filepath.Join(to, name), info.ModTime(), info.ModTime()))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What the database reads when it opens a table is verified first, however large the store is: it ignores a table
// without an index, and crashes on a damaged last block.
func TestIndexesAreVerifiedBeforeOpen(t *testing.T) {
	defer badger.SetThorough(0)()
	for name, at := range map[string]func(size int) int{
		"index":      func(size int) int { return size - 100 },
		"its length": func(size int) int { return size - 2 },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := open(t, dir)
			if err := put(db, t, "one", `{"id":"one"}`); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, badger.Folder, "000001.sst")
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			rot(t, file, at(int(info.Size())))
			db = open(t, dir)
			if said := db.Notices(); len(said) != 1 || !strings.Contains(said[0], "the index of the table 000001.sst is missing") {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// A block that cannot be verified at the moment, because too many files are open, is neither read nor considered
// verified.
func TestNothingUnverifiedIsRead(t *testing.T) {
	defer badger.SetThorough(0)()
	dir := t.TempDir()
	db := open(t, dir)
	for n := range 40 {
		if err := put(db, t, fmt.Sprint("c", n), fmt.Sprintf(`{"html":%q}`, strings.Repeat(fmt.Sprint(n), 4000))); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, dir)
	file := filepath.Join(dir, badger.Folder, "000001.sst")
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	if got, err := body(t, db, "c20"); err == nil {
		t.Errorf("it reads %.20s", got)
	}
	err := db.View(t.Context(), func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(_, _ []byte) error { return nil })
	})
	if err == nil {
		t.Error("it is scanned")
	}
	db.Verify(t.Context())
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	if _, err := body(t, db, "c20"); err != nil {
		t.Errorf("then it reads %v", err)
	}
}

// A table that is compacted when the store opens is verified first, because the compaction would silently drop
// everything behind the damage.
func TestVerifiedBeforeCompaction(t *testing.T) {
	defer badger.SetThorough(0)()
	dir := t.TempDir()
	want := map[string]string{}
	for session := range 4 {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 20 {
			id := fmt.Sprintf("%d-%d", session, n)
			want[id] = fmt.Sprintf(`{"id":%q,"html":%q}`, id, noise(uint64(len(want))))
			if err := put(db, t, id, want[id]); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	spoil(t, filepath.Join(dir, badger.Folder, "000002.sst"), 33000, 600)
	db := open(t, dir)
	for db.LevelZero() >= 4 {
		db.Yield()
	}
	whole := 0
	for id, text := range want {
		switch got, err := body(t, db, id); {
		case err == nil && got == text:
			whole++
		case err == nil:
			t.Errorf("%s is %.40s", id, got)
		}
	}
	if whole == len(want) || whole < len(want)*3/4 || len(db.Notices()) == 0 {
		t.Errorf("%d of %d are whole, and it says %q", whole, len(want), db.Notices())
	}
}

// What was found to be lost stays so, also when more is lost later, until somebody settles it.
func TestLossPersists(t *testing.T) {
	defer badger.SetThorough(0)()
	dir := t.TempDir()
	fill := func(session int) {
		t.Helper()
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 20 {
			id := fmt.Sprintf("%d-%d", session, n)
			if err := put(db, t, id, fmt.Sprintf(`{"html":%q}`, noise(uint64(100*session+n)))); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	lost := func(session int) (out int) {
		t.Helper()
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 20 {
			switch _, err := body(t, db, fmt.Sprintf("%d-%d", session, n)); {
			case errors.As(err, new(*store.CorruptError)):
				out++
			case err != nil:
				t.Errorf("%d-%d reads %v", session, n, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	fill(0)
	spoil(t, filepath.Join(dir, badger.Folder, "000001.sst"), 33000, 600)
	lost(0) // one behind the damage may be read again after it
	found := lost(0)
	if after := lost(0); found == 0 || after < found {
		t.Errorf("%d were lost, and then %d", found, after)
	}
	fill(1)
	tables, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	spoil(t, tables[len(tables)-1], 33000, 600)
	if more := lost(1); more == 0 {
		t.Error("nothing more was lost")
	}
	if after := lost(0); after < found {
		t.Errorf("%d were lost, and %d when more was", found, after)
	}
}

// noise is text that no compression makes much shorter.
func noise(seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, 6000)
	for i := range b {
		b[i] = 'a' + byte(random.IntN(26))
	}
	return string(b)
}
