package badger_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

var rots = flag.Int("rots", 2, "how many damaged stores TestRot looks at")

// rotten is how many campaigns the stores of TestRot have.
const rotten = 1500

// TestRot damages a file of a store in each round: eight bytes of a table, or its end, or those of a log. What is read
// then is what was written, or an error. After the daily check nothing is silent: the store says that it is damaged, no
// backup of it would be called good, nothing was lost by a merge, and a rescue has every record outside of the damage.
func TestRot(t *testing.T) {
	whole := t.TempDir()
	fillRotten(t, whole)
	for round := range *rots {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(round)))
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			examine(t, rot(t, dir, r), dir, nil)
		})
	}
}

// TestRotWhileServing does the same to a store in which another process creates campaigns and merges all the time, until that
// is killed or ends by itself.
func TestRotWhileServing(t *testing.T) {
	whole := t.TempDir()
	fillRotten(t, whole)
	for round := range (*rots + 1) / 2 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, uint64(round)))
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			cmd, _, out := startProcess(t, "merge", dir)
			what, saved := "nothing", []string(nil)
			for before, after := r.IntN(60), 0; out.Scan(); {
				id, ok := strings.CutPrefix(out.Text(), "saved ")
				if !ok {
					break // it has found the damage, and writes no more
				}
				if saved = append(saved, id); len(saved) == before+1 {
					what = rot(t, dir, r)
				}
				if len(saved) > before {
					after++
				}
				if after == 60 {
					_ = cmd.Process.Kill()
				}
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			examine(t, what, dir, saved)
		})
	}
}

// examine opens a store after a rot. saved are campaigns that were saved beside those of [fillRotten].
func examine(t *testing.T, what, dir string, saved []string) {
	t.Helper()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		if !errors.As(err, new(*store.DamagedError)) {
			t.Errorf("%s: it does not open: %v", what, err)
		}
		return
	}
	defer db.Close()
	silent := checkRotten(t, what, db, saved)
	writes(t, what, db.Store)
	before := readable(t, db.Store, saved)
	db.Merge()
	for id := range before {
		if _, err := body(t, db.Store, id); err != nil {
			t.Errorf("%s: a merge has lost %s: %v", what, id, err)
		}
	}
	found, err := db.Check(t.Context(), nil)
	if err != nil {
		t.Fatalf("%s: the check fails: %v", what, err)
	}
	if silent > 0 && len(found.Findings) == 0 {
		t.Errorf("%s: %d campaigns are gone or old, and the check finds nothing", what, silent)
	}
	rescued(t, what, db, before)
}

// fillRotten makes a store with tables in several levels and a log. A version of a campaign is its number of saves.
func fillRotten(t *testing.T, dir string) {
	t.Helper()
	for session := range 3 {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		for from := session * 200; from < rotten; from += 100 {
			saveRotten(t, db.Store, from, min(from+100, rotten), session)
		}
		if session == 1 {
			db.Merge()
		}
		if session == 2 { // as a killed process leaves it: with a log
			if err := os.CopyFS(dir+".killed", os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(dir+".killed", dir)); err != nil {
		t.Fatal(err)
	}
}

func saveRotten(t *testing.T, db *kv.Store, from, to, session int) {
	t.Helper()
	err := db.Update(t.Context(), func(tx *kv.Tx) error {
		for i := from; i < to; i++ {
			if err := save(tx, rottenID(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func rottenID(i int) string { return fmt.Sprintf("%06d-%d", i, i%9) }

// revisionOf is how often fillRotten has saved a campaign.
func revisionOf(i int) int64 { return int64(min(i/200, 2)) + 1 }

// rot damages a file, and says which.
func rot(t *testing.T, dir string, r *rand.Rand) string {
	t.Helper()
	names, err := fs.Glob(os.DirFS(filepath.Join(dir, badger.Folder)), "*.*")
	if err != nil {
		t.Fatal(err)
	}
	var of []string
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".mem") && r.IntN(3) == 0 {
			of = append(of, name)
		}
	}
	name := of[r.IntN(len(of))]
	path := filepath.Join(dir, badger.Folder, name)
	size := int64(1 << 20) // of what is written in a log
	if info, err := os.Stat(path); err == nil && strings.HasSuffix(name, ".sst") {
		size = info.Size()
	}
	at := r.Int64N(size)
	what := "flipped"
	if r.IntN(8) == 0 {
		what, err = "cut", os.Truncate(path, at)
	} else {
		err = flip(path, int(at), 8)
	}
	if errors.Is(err, fs.ErrNotExist) { // it was merged just now
		return rot(t, dir, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %s at %d of %d", name, what, at, size)
}

// checkRotten reads every campaign, which must be right, or an error. It returns how many are missing or old without one.
func checkRotten(t *testing.T, what string, db *badger.DB, saved []string) (silent int) {
	t.Helper()
	listed, err := list(t.Context(), db)
	if err == nil && len(listed) < rotten {
		silent += rotten - len(listed)
		t.Errorf("%s: the list has %d of %d campaigns, and no error", what, len(listed), rotten)
	}
	for _, id := range saved {
		switch got, err := body(t, db.Store, id); {
		case errors.Is(err, store.ErrNotFound):
			silent++
		case err == nil && got != text(id):
			t.Errorf("%s: %s is another", what, id)
		}
	}
	for i := range rotten {
		id := rottenID(i)
		err := db.View(t.Context(), func(tx *kv.Tx) error {
			c, err := tx.Workspace("DEMO").Campaign(id)
			switch {
			case errors.Is(err, store.ErrNotFound), err == nil && c.Revision != revisionOf(i):
				silent++
			case err == nil && string(c.Body.Encode()) != text(id):
				t.Errorf("%s: %s is another", what, id)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return silent
}

func list(ctx context.Context, db *badger.DB) (ids []string, err error) {
	err = db.View(ctx, func(tx *kv.Tx) error {
		return tx.Workspace("DEMO").NewestSummaries(func(s engine.Summary) error {
			ids = append(ids, strings.Clone(s.ID))
			return nil
		})
	})
	return ids, err
}

// readable returns the campaigns that can be read.
func readable(t *testing.T, db *kv.Store, saved []string) map[string]bool {
	t.Helper()
	for i := range rotten {
		saved = append(saved, rottenID(i))
	}
	out := map[string]bool{}
	for _, id := range saved {
		if _, err := body(t, db, id); err == nil {
			out[id] = true
		}
	}
	return out
}

// writes creates campaigns, which works, or is refused because the store is damaged.
func writes(t *testing.T, what string, db *kv.Store) {
	t.Helper()
	for i := range 20 {
		err := db.Update(t.Context(), func(tx *kv.Tx) error { return save(tx, fmt.Sprintf("new-%d", i)) })
		if err != nil && !errors.As(err, new(*store.DamagedError)) && !errors.As(err, new(*store.CorruptError)) {
			t.Errorf("%s: a write fails: %v", what, err)
		}
	}
}

// rescued rescues the store. The new one is sound, and has all that could be read before, and more.
func rescued(t *testing.T, what string, db *badger.DB, before map[string]bool) {
	t.Helper()
	to := open(t, t.TempDir())
	got, err := db.Rescue(t.Context(), to, func(int) {})
	if err != nil {
		t.Fatalf("%s: the rescue fails: %v", what, err)
	}
	missing := 0
	for i := range rotten {
		if _, err := body(t, to.Store, rottenID(i)); err != nil {
			missing++
		}
	}
	for id := range before {
		if _, err := body(t, to.Store, id); err != nil {
			t.Errorf("%s: the rescue has lost %s: %v", what, id, err)
		}
	}
	if missing > 40 { // those of one block of 16 KB, with many short campaigns
		t.Errorf("%s: %d campaigns are not rescued", what, missing)
	}
	if missing > 0 && len(got.Missing) == 0 {
		t.Errorf("%s: %d campaigns are not rescued, and it says nothing", what, missing)
	}
}
