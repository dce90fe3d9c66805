package badger_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// twin fills a store in some sessions, each of which leaves a table. Stores of other words have the same shape.
func twin(t *testing.T, o badger.Options, words string, sessions int) (dir string, want map[string]string) {
	t.Helper()
	dir, want = t.TempDir(), map[string]string{}
	for session := range sessions {
		o.Dir = dir
		db, err := badger.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			id := fmt.Sprintf("%d-%02d", session, n)
			want[id] = fmt.Sprintf(`{"id":%q,"by":%q,"html":%q}`, id, words, noise(uint64(len(want)))[:1500])
			if err := put(db, t, id, want[id]); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir, want
}

// copyFile puts a file of one store in the place of one of another, with the times of that one.
func copyFile(t *testing.T, to, from string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	info, statErr := os.Stat(to)
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if statErr == nil {
		if err := os.Chtimes(to, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
}

// readStore opens a store, and checks that its contents are what was saved and that it reports missing records. It
// returns the missing ones and what was reported.
func readStore(t *testing.T, o badger.Options, want map[string]string) (gone []string, said string) {
	t.Helper()
	db, err := badger.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for id, text := range want {
		switch got, err := body(t, db, id); {
		case errors.Is(err, store.ErrNotFound), errors.As(err, new(*store.CorruptError)):
			gone = append(gone, id)
		case err != nil || got != text:
			t.Errorf("%s is %.60q, %v", id, got, err)
		}
	}
	said = strings.Join(db.Notices(), "\n")
	if len(gone) > 0 && (said == "" || len(db.Lost()) == 0) {
		t.Errorf("%q are gone, and it says %q and %q", gone, said, db.Lost())
	}
	return gone, said
}

// A table of another store is not read, also where it was made just before a process was killed, and no list
// has it.
func TestTableOfAnotherStore(t *testing.T) {
	key := crypt.New()
	for name, o := range map[string]badger.Options{"plain": {}, "encrypted": {Encrypt: &key, Key: has(key)}} {
		ours, want := twin(t, o, "ours, ", 3)
		other, _ := twin(t, o, "theirs", 3)
		for _, unlisted := range []bool{false, true} {
			for _, thorough := range []int64{0, 4 << 20} {
				t.Run(fmt.Sprintf("%s/unlisted=%v/thorough=%d", name, unlisted, thorough), func(t *testing.T) {
					defer badger.SetThorough(thorough)()
					o.Dir = t.TempDir()
					copyStore(t, o.Dir, ours)
					path := filepath.Join(o.Dir, badger.Folder)
					if unlisted {
						badger.Unlist(t, path, "000002.sst")
					}
					copyFile(t, filepath.Join(path, "000002.sst"), filepath.Join(other, badger.Folder, "000002.sst"))
					gone, said := readStore(t, o, want)
					if len(gone) != 4 || !strings.HasPrefix(gone[0], "1-") || !strings.Contains(said, "the table 000002.sst") {
						t.Errorf("%q are gone, and it says %s", gone, said)
					}
					if gone, _ = readStore(t, o, want); len(gone) != 4 {
						t.Errorf("then %q are gone", gone)
					}
				})
			}
		}
	}
}

// A table that was made just before a process was killed is one of the store's all the same.
func TestUnlistedTable(t *testing.T) {
	dir, want := twin(t, badger.Options{}, "ours, ", 3)
	badger.Unlist(t, filepath.Join(dir, badger.Folder), "000002.sst")
	if gone, said := readStore(t, badger.Options{Dir: dir}, want); len(gone) > 0 || said != "" {
		t.Errorf("%q are gone, and it says %s", gone, said)
	}
}

// A table of another store in the place of one that a compaction has replaced is not examined.
func TestForeignTableIsNotExamined(t *testing.T) {
	defer badger.SetCompactors(0)()
	dir, want := twin(t, badger.Options{}, "ours, ", 6)
	other, _ := twin(t, badger.Options{}, "theirs", 6)
	for _, id := range []string{"1-00", "1-01"} {
		delete(want, id)
	}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(kv.NewWorkspaceTx(tx, "DEMO").DeleteCampaign("1-00"), kv.NewWorkspaceTx(tx, "DEMO").DeleteCampaign("1-01"))
	})
	want["last"] = `{"n":1}` // a deletion in the last commit is preserved
	if err := errors.Join(err, put(db, t, "last", want["last"]), db.Close()); err != nil {
		t.Fatal(err)
	}
	db, err = badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Compact(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(dir, badger.Folder, "000002.sst"), filepath.Join(other, badger.Folder, "000002.sst"))
	db = open(t, dir)
	db.Verify(t.Context())
	for _, id := range []string{"1-00", "1-01"} {
		if got, err := body(t, db, id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s is %.40q, %v", id, got, err)
		}
	}
	if judge(t, db, want) > 0 || len(db.Notices()) > 0 {
		t.Errorf("it says %q", db.Notices())
	}
}

// A value log of another store is not read.
func TestValuesOfAnotherStore(t *testing.T) {
	key := crypt.New()
	for name, o := range map[string]badger.Options{"plain": {}, "encrypted": {Encrypt: &key, Key: has(key)}} {
		t.Run(name, func(t *testing.T) {
			dirs, want := map[string]string{}, map[string]string{}
			for _, by := range []string{"theirs", "ours, "} {
				dirs[by] = t.TempDir()
				o.Dir = dirs[by]
				db, err := badger.Open(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				want["large"] = fmt.Sprintf(`{"by":%q,"html":%q}`, by, strings.Repeat("x", 1<<20+1000))
				want["small"] = `{"n":1}`
				if err := errors.Join(put(db, t, "large", want["large"]), put(db, t, "small", want["small"]), db.Close()); err != nil {
					t.Fatal(err)
				}
			}
			log := filepath.Join(badger.Folder, "000001.vlog")
			if gone, said := readStore(t, o, want); len(gone) > 0 || said != "" {
				t.Fatalf("%q are gone, and it says %s", gone, said)
			}
			copyFile(t, filepath.Join(o.Dir, log), filepath.Join(dirs["theirs"], log))
			if gone, said := readStore(t, o, want); len(gone) != 1 || gone[0] != "large" || !strings.Contains(said, "value log 000001.vlog") {
				t.Errorf("%q are gone, and it says %s", gone, said)
			}
		})
	}
}

// snapshot returns the files of a store as they are.
func snapshot(t *testing.T, dir string) image {
	t.Helper()
	m := image{files: map[string][]byte{}, sizes: map[string]int64{}, times: map[string]time.Time{}}
	m.read(t, filepath.Join(dir, badger.Folder))
	return m
}

// isWhole returns a file of an image.
func (m image) whole(name string) []byte {
	return append(bytes.Clone(m.files[name]), make([]byte, m.sizes[name]-int64(len(m.files[name])))...)
}

// session opens a store, has it written to, and returns its files as they are then, as a process that is killed
// leaves them.
func session(t *testing.T, o badger.Options, do func(db *badger.DB)) image {
	t.Helper()
	db, err := badger.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	do(db)
	m := snapshot(t, o.Dir)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return m
}

// log returns the name of the one log of an image that has records.
func (m image) log(t *testing.T) string {
	t.Helper()
	name := ""
	for _, n := range m.names {
		if filepath.Ext(n) == ".mem" && len(m.files[n]) > 20 {
			if name != "" {
				t.Fatalf("there are two logs: %q", m.names)
			}
			name = n
		}
	}
	return name
}

// with returns the image with files of another one, each under a name of ours.
func (m image) with(from image, names map[string]string) image {
	m.names, m.files, m.sizes, m.times = slices.Clone(m.names), maps.Clone(m.files), maps.Clone(m.sizes), maps.Clone(m.times)
	for name, theirs := range names {
		if _, ok := m.files[name]; !ok {
			m.names = append(m.names, name)
		}
		m.files[name], m.sizes[name], m.times[name] = from.files[theirs], from.sizes[theirs], from.times[theirs]
	}
	return m
}

func saver(t *testing.T, want map[string]string, from, to int) func(db *badger.DB) {
	return func(db *badger.DB) {
		for n := from; n < to; n++ {
			id := fmt.Sprintf("c%03d", n)
			want[id] = fmt.Sprintf(`{"id":%q}`, id)
			if err := put(db, t, id, want[id]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A log that is put back together with its sequence file, after a process was killed, is missed.
func TestOlderLog(t *testing.T) {
	key := crypt.New()
	for name, o := range map[string]badger.Options{"plain": {}, "encrypted": {Encrypt: &key, Key: has(key)}} {
		t.Run(name, func(t *testing.T) {
			o.Dir = t.TempDir()
			want := map[string]string{}
			earlier := session(t, o, saver(t, want, 0, 3))
			var before image
			last := session(t, o, func(db *badger.DB) {
				saver(t, want, 3, 6)(db)
				before = snapshot(t, o.Dir)
				saver(t, want, 6, 10)(db)
			})
			for from, c := range map[string]struct {
				image image
				gone  int
			}{"the same session": {before, 4}, "an earlier session": {earlier, 7}} {
				t.Run(from, func(t *testing.T) {
					o.Dir = t.TempDir()
					names := map[string]string{last.log(t): c.image.log(t), "SEQUENCE": "SEQUENCE"}
					last.with(c.image, names).write(t, o.Dir, "", nil, 0)
					gone, said := readStore(t, o, want)
					if len(gone) != c.gone || !strings.Contains(said, fmt.Sprintf("the last %d changes are missing", c.gone)) {
						t.Errorf("%q are gone, and it says %s", gone, said)
					}
				})
			}
		})
	}
}

// A log of an earlier session that is put into a store brings nothing back that was deleted since.
func TestOlderLogOfAClosedStore(t *testing.T) {
	defer badger.SetCompactors(0)()
	o := badger.Options{Dir: t.TempDir()}
	want := map[string]string{}
	earlier := session(t, o, saver(t, want, 0, 3))
	session(t, o, func(db *badger.DB) {
		if err := db.Update(t.Context(), func(tx kv.Tx) error { return kv.NewWorkspaceTx(tx, "DEMO").DeleteCampaign("c001") }); err != nil {
			t.Fatal(err)
		}
	})
	delete(want, "c001")
	for n := range 4 { // a deletion in the last commit is preserved
		session(t, o, saver(t, want, 3+n, 4+n))
	}
	session(t, o, func(db *badger.DB) {
		if err := db.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.WriteFile(filepath.Join(o.Dir, badger.Folder, "00001.mem"), earlier.files[earlier.log(t)], 0o600); err != nil {
		t.Fatal(err)
	}
	if gone, said := readStore(t, o, want); len(gone) > 0 || said != "" {
		t.Errorf("%q are gone, and it says %s", gone, said)
	}
	if got, err := body(t, open(t, o.Dir), "c001"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("c001 is %.40q, %v", got, err)
	}
}

// A log of another store is not read, neither in the place of one nor beside the tables.
func TestLogOfAnotherStore(t *testing.T) {
	o, other := badger.Options{Dir: t.TempDir()}, badger.Options{Dir: t.TempDir()}
	want, theirs := map[string]string{}, map[string]string{}
	session(t, o, saver(t, want, 0, 3))
	last := session(t, o, saver(t, want, 3, 6))
	foreign := session(t, other, saver(t, theirs, 100, 120))
	names := map[string]string{last.log(t): foreign.log(t), "SEQUENCE": "SEQUENCE"}
	closed := snapshot(t, o.Dir)
	for name, c := range map[string]struct {
		image image
		gone  int
	}{
		"in its place": {last.with(foreign, names), 3},
		"beside":       {closed.with(foreign, map[string]string{"00009.mem": foreign.log(t)}), 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := badger.Options{Dir: t.TempDir()}
			c.image.write(t, o.Dir, "", nil, 0)
			gone, said := readStore(t, o, want)
			if len(gone) != c.gone || !strings.Contains(said, "was not written by this store") {
				t.Errorf("%q are gone, and it says %s", gone, said)
			}
			db := open(t, o.Dir)
			for id := range theirs {
				if got, err := body(t, db, id); err == nil {
					t.Errorf("%s is %q", id, got)
				}
			}
		})
	}
}

// The versions of a store that was rewritten after damage start again: it does not read a log of the damaged one.
func TestLogOfTheDamagedStore(t *testing.T) {
	o := badger.Options{Dir: t.TempDir()}
	path := filepath.Join(o.Dir, badger.Folder)
	want := map[string]string{}
	session(t, o, saver(t, want, 0, 3))
	before := session(t, o, func(db *badger.DB) {
		if err := put(db, t, "c001", `{"id":"old"}`); err != nil {
			t.Fatal(err)
		}
	})
	_, id := badger.Inspect(t, path)
	if err := os.Remove(filepath.Join(path, "MANIFEST")); err != nil {
		t.Fatal(err)
	}
	session(t, o, func(db *badger.DB) {
		if len(db.Notices()) == 0 || len(db.Lost()) > 0 {
			t.Errorf("it says %q, and %q is lost", db.Notices(), db.Lost())
		}
		if err := put(db, t, "c001", want["c001"]); err != nil {
			t.Fatal(err)
		}
	})
	if _, again := badger.Inspect(t, path); again == id {
		t.Errorf("its id is still %x", id)
	}
	if err := os.WriteFile(filepath.Join(path, "00009.mem"), before.whole(before.log(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	if gone, said := readStore(t, o, want); len(gone) > 0 || !strings.Contains(said, "the log 00009.mem was not written by this store") {
		t.Errorf("%q are gone, and it says %s", gone, said)
	}
}

// Tables that were put back together with their list are missed by the log that was written after others.
func TestOlderTables(t *testing.T) {
	o := badger.Options{Dir: t.TempDir()}
	want := map[string]string{}
	session(t, o, saver(t, want, 0, 3))
	earlier := snapshot(t, o.Dir)
	session(t, o, saver(t, want, 3, 6))
	last := session(t, o, saver(t, want, 6, 9))
	earlier.with(last, map[string]string{last.log(t): last.log(t), "SEQUENCE": "SEQUENCE", "STORE": "STORE"}).write(t, o.Dir+"x", "", nil, 0)
	o.Dir += "x"
	gone, said := readStore(t, o, want)
	if len(gone) != 3 || !strings.Contains(said, "changes before the last ones are missing") {
		t.Errorf("%q are gone, and it says %s", gone, said)
	}
}

// What an earlier program writes to a store that has an id is not lost.
func TestEarlierVersion(t *testing.T) {
	defer badger.SetCompactors(0)()
	o := badger.Options{Dir: t.TempDir()}
	want := map[string]string{}
	session(t, o, saver(t, want, 0, 3))
	session(t, o, func(db *badger.DB) {
		db.WriteAsBefore()
		saver(t, want, 3, 6)(db)
	})
	killed := session(t, o, func(db *badger.DB) {
		db.WriteAsBefore()
		saver(t, want, 6, 9)(db)
	})
	o.Dir = t.TempDir()
	killed.write(t, o.Dir, "", nil, 0)
	for range 3 {
		if gone, said := readStore(t, o, want); len(gone) > 0 || said != "" {
			t.Errorf("%q are gone, and it says %s", gone, said)
		}
		session(t, o, saver(t, want, 9, 12))
		badger.Unlist(t, filepath.Join(o.Dir, badger.Folder), "000001.sst")
	}
}

// Damage of the small files that tie a store together harms nothing, be it closed or killed.
func TestDamagedIdentity(t *testing.T) {
	o := badger.Options{Dir: t.TempDir()}
	want := map[string]string{}
	session(t, o, saver(t, want, 0, 3))
	killed := session(t, o, saver(t, want, 3, 6))
	killed.sizes[killed.log(t)] = int64(len(killed.files[killed.log(t)]) + 1000) // it is read often
	closed := snapshot(t, o.Dir)
	_, id := badger.Inspect(t, filepath.Join(o.Dir, badger.Folder))
	theirs := badger.Options{Dir: t.TempDir()}
	other := session(t, theirs, saver(t, map[string]string{}, 0, 30))
	for name, m := range map[string]image{"closed": closed, "killed": killed} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m.write(t, dir, "", nil, 0)
			path := filepath.Join(dir, badger.Folder)
			whole := func(what string) {
				t.Helper()
				if problems, got := badger.Inspect(t, path); len(problems) > 0 || got != id {
					t.Errorf("%s: %q is wrong, and the id is %x, not %x", what, problems, got, id)
				}
			}
			whole("nothing")
			small := []string{"STORE", "TABLES", "SEQUENCE"}
			for _, file := range small {
				name, b := filepath.Join(path, file), m.whole(file)
				tryWith := func(what string, b []byte) {
					t.Helper()
					if err := os.WriteFile(name, b, 0o600); err != nil {
						t.Fatal(err)
					}
					whole(what + " " + file)
				}
				for at := range b {
					flipped := bytes.Clone(b)
					flipped[at] ^= 1 << (at % 8)
					tryWith(fmt.Sprintf("byte %d of", at), flipped)
				}
				tryWith("an empty", nil)
				tryWith("another store's", other.whole(file))
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
				whole("no " + file)
				if err := os.WriteFile(name, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range small {
				if err := os.Remove(filepath.Join(path, file)); err != nil {
					t.Fatal(err)
				}
			}
			whole("none of them")
			if gone, said := readStore(t, badger.Options{Dir: dir}, want); len(gone) > 0 || said != "" {
				t.Errorf("%q are gone, and it says %s", gone, said)
			}
			whole("opened again")
		})
	}
}
