package badger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/store"
	"bugle/store/badger"
)

// sessions fills a store in several sessions, each of which leaves a table, and returns what it holds.
func sessions(t *testing.T, dir string, n int) map[string]string {
	t.Helper()
	want := map[string]string{}
	for session := range n {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 20 {
			id := fmt.Sprintf("%d-%02d", session, n)
			want[id] = fmt.Sprintf(`{"id":%q,"html":%q}`, id, noise(uint64(len(want))))
			if err := put(db, t, id, want[id]); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

// A block that rots while the store is open would end the compaction of its table: what stands behind it is
// written again, and what cannot be read is reported.
func TestRotBeforeACompaction(t *testing.T) {
	for _, at := range []int{20000, 33000, 90000} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			defer badger.SetCompactors(0)()
			dir := t.TempDir()
			want := sessions(t, dir, 5)
			var notices []string
			db, err := badger.Open(t.Context(), badger.Options{Dir: dir, OnDamage: func(n string) { notices = append(notices, n) }})
			if err != nil {
				t.Fatal(err)
			}
			spoil(t, filepath.Join(dir, badger.Folder, "000002.sst"), at, 40)
			if err := db.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			db.Verify(t.Context())
			if _, examined := db.Compactions(); examined != 1 {
				t.Errorf("%d compactions were examined", examined)
			}
			lost := judge(t, db, want)
			if lost == 0 || lost > 8 {
				t.Errorf("%d of %d are lost", lost, len(want))
			}
			if len(db.Lost()) == 0 || len(notices) == 0 {
				t.Errorf("it says %q, and has said %q", db.Lost(), notices)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = open(t, dir)
			if again := judge(t, db, want); again == 0 || again > lost {
				t.Errorf("%d were lost, and %d when it was opened again", lost, again)
			}
		})
	}
}

// Between the moment at which a compaction has put its tables in the place of others and that at which it is
// checked, what it has left out is neither missing nor in an earlier state.
func TestReadsBeforeACompactionIsChecked(t *testing.T) {
	defer badger.SetCompactors(0)()
	dir := t.TempDir()
	want := sessions(t, dir, 5)
	check := &checkHook{Handler: slog.DiscardHandler}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Logger: slog.New(check)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	goOn := make(chan func(), 1)
	check.iterated = sync.OnceFunc(func() { goOn <- db.HoldCheck() })
	spoil(t, filepath.Join(dir, badger.Folder, "000002.sst"), 33000, 40)
	compacted := make(chan error, 1)
	go func() { compacted <- db.Compact(t.Context()) }()
	release := <-goOn
	for before := db.TableIDs(); slices.Equal(before, db.TableIDs()); {
		runtime.Gosched()
	}
	damaged := judge(t, db, want)
	release()
	if err := <-compacted; err != nil {
		t.Fatal(err)
	}
	db.Verify(t.Context())
	if lost := judge(t, db, want); lost == 0 || lost > 8 || damaged <= lost {
		t.Errorf("%d of %d are lost, and %d could not be read before it was known", lost, len(want), damaged)
	}
}

// checkHook calls a function when a compaction has read its tables, and has not replaced them.
type checkHook struct {
	slog.Handler
	iterated func()
}

func (h *checkHook) Enabled(context.Context, slog.Level) bool { return true }

func (h *checkHook) Handle(_ context.Context, r slog.Record) error {
	if h.iterated != nil && strings.Contains(r.Message, "LOG Compact. Added") {
		h.iterated()
	}
	return nil
}

// judge reads what a store is to hold: each record is whole, or reported to be lost. It returns how many are.
func judge(t *testing.T, db *badger.DB, want map[string]string) (lost int) {
	t.Helper()
	for id, text := range want {
		switch got, err := body(t, db, id); {
		case errors.As(err, new(*store.CorruptError)):
			lost++
		case err != nil || got != text:
			t.Errorf("%s is %.40q, %v", id, got, err)
		}
	}
	return lost
}

// Badger's log lines are how compactions are seen: each one is counted, and none has to be examined.
func TestCompactionsAreSeen(t *testing.T) {
	defer badger.SetCompactors(0)()
	dir := t.TempDir()
	want := sessions(t, dir, 6)
	var log bytes.Buffer
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	complete, examined := db.Compactions()
	if complete == 0 || examined > 0 {
		t.Errorf("%d compactions were complete, and %d were examined", complete, examined)
	}
	if judge(t, db, want) > 0 || len(db.Lost()) > 0 {
		t.Errorf("lost is %q", db.Lost())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if log.Len() > 0 {
		t.Errorf("it logs %s", log.String())
	}
}

// A process that ends between a compaction and its examination leaves the tables to the next one.
func TestHeldTablesAreExaminedLater(t *testing.T) {
	defer badger.SetCompactors(0)()
	dir := t.TempDir()
	want := sessions(t, dir, 5)
	db := open(t, dir)
	db.StopExamining()
	spoil(t, filepath.Join(dir, badger.Folder, "000002.sst"), 33000, 40)
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, dir)
	db.Verify(t.Context())
	if lost := judge(t, db, want); lost == 0 || lost > 8 || !strings.Contains(strings.Join(db.Lost(), ""), "000002.sst") {
		t.Errorf("%d of %d are lost: %q", lost, len(want), db.Lost())
	}
	if held := db.LeaseHeld(); len(held) > 0 {
		t.Errorf("%q are still held", held)
	}
}

// Badger forgets the error of a table that a compaction cannot write, and removes the tables that went into it.
func TestTableThatCannotBeWritten(t *testing.T) {
	defer badger.SetCompactors(0)()
	dir := t.TempDir()
	want := sessions(t, dir, 5)
	db := open(t, dir)
	// The name of the next table is taken.
	if err := os.WriteFile(filepath.Join(dir, badger.Folder, "000006.sst"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	db.Verify(t.Context())
	if _, examined := db.Compactions(); examined != 1 {
		t.Errorf("%d compactions were examined", examined)
	}
	if lost := judge(t, db, want); lost > 0 || len(db.Lost()) > 0 {
		t.Errorf("%d of %d are lost: %q", lost, len(want), db.Lost())
	}
	if d := differences(t, db); len(d) > 0 {
		t.Errorf("%q", d)
	}
}

// The buffers of a table do not stay in memory once it is written.
func TestBuffersAreFreed(t *testing.T) {
	dir := t.TempDir()
	sessions(t, dir, 5)
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, most := db.Pooled(); most == 0 {
		t.Fatal("the database has no pool of buffers where it is looked for")
	}
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Badger's own cleanup releases one set of buffers every two seconds, so it cannot make this test pass.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for n := 1; n > 0; n, _ = db.Pooled() {
		if ctx.Err() != nil {
			t.Fatalf("the database keeps %d sets of buffers of tables that it has built", n)
		}
		db.Yield()
	}
}
