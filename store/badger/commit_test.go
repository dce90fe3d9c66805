package badger_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// heldStore is a store whose commits wait for the test.
type heldStore struct {
	*testing.T
	db   *badger.DB
	free func() // lets them continue
	all  sync.WaitGroup
}

// holdCommits opens a store with one transaction that leads a blocked commit, and n transactions that wait in order,
// each of which runs its function.
func holdCommits(t *testing.T, fns ...func(kv.Tx) error) *heldStore {
	t.Helper()
	h := &heldStore{T: t, db: open(t, t.TempDir())}
	putText(t, h.db, "before", "1")
	h.hold(fns...)
	return h
}

// holdReplaced is what holdCommits does, on a store that is open.
func (h *heldStore) hold(fns ...func(kv.Tx) error) {
	h.Helper()
	begun, gate := make(chan struct{}), make(chan struct{})
	h.free = sync.OnceFunc(func() { close(gate) })
	h.Cleanup(h.free)
	var once sync.Once
	h.db.SetSpace(func(string) (uint64, error) {
		once.Do(func() { close(begun) })
		<-gate
		return 1 << 40, nil
	})
	h.all.Go(func() { putText(h.T, h.db, "leader", "1") })
	<-begun
	for i, fn := range fns {
		h.all.Go(func() {
			if err := h.db.Update(h.Context(), fn); err != nil {
				h.Errorf("Update: %v", err)
			}
		})
		for h.db.InLine() <= i {
			h.db.Yield()
		}
	}
}

func (h *heldStore) release() {
	h.free()
	h.all.Wait()
}

func putText(t testing.TB, db kv.DB, key, value string) {
	t.Helper()
	err := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Set([]byte(key), []byte(value)) })
	if err != nil {
		t.Errorf("writing %s: %v", key, err)
	}
}

func getText(t testing.TB, db kv.DB, key string) (out string) {
	t.Helper()
	err := db.View(t.Context(), func(tx kv.Tx) error {
		v, err := tx.Get([]byte(key))
		out = string(v)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Errorf("reading %s: %v", key, err)
	}
	return out
}

func setting(key, value string) func(kv.Tx) error {
	return func(tx kv.Tx) error { return tx.Set([]byte(key), []byte(value)) }
}

// Those who wait while one commit is being synced are committed together by the next.
func TestWaitingTransactionsShareCommit(t *testing.T) {
	var fns []func(kv.Tx) error
	for i := range 20 {
		fns = append(fns, setting(fmt.Sprint("key", i), fmt.Sprint(i)))
	}
	h := holdCommits(t, fns...)
	before := h.db.Version()
	h.release()
	if n := h.db.Version() - before; n != 2 {
		t.Errorf("21 transactions were committed in %d parts, want 2", n)
	}
	for i := range fns {
		if got := getText(t, h.db, fmt.Sprint("key", i)); got != fmt.Sprint(i) {
			t.Errorf("key%d is %q", i, got)
		}
	}
}

// What is not synced is not seen, and who reads does not wait for it.
func TestReadersSeeOnlyDurableData(t *testing.T) {
	h := holdCommits(t, setting("before", "2"))
	if got := getText(t, h.db, "before"); got != "1" {
		t.Errorf("%q is seen before its commit", got)
	}
	if got := getText(t, h.db, "leader"); got != "" {
		t.Errorf("%q is seen during its commit", got)
	}
	h.release()
	if a, b := getText(t, h.db, "before"), getText(t, h.db, "leader"); a != "2" || b != "1" {
		t.Errorf("after the commit: %q, %q", a, b)
	}
}

// Of two that each read what the other writes, one runs again, also where both wait for the same
// commit.
func TestConflictsWithinOneCommit(t *testing.T) {
	unless := func(other, mine string) func(kv.Tx) error {
		return func(tx kv.Tx) error {
			if _, err := tx.Get([]byte(other)); !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return tx.Set([]byte(mine), []byte("1"))
		}
	}
	h := holdCommits(t, unless("a", "b"), unless("b", "a"))
	h.release()
	if a, b := getText(t, h.db, "a"), getText(t, h.db, "b"); a+b != "1" {
		t.Errorf("a is %q, b is %q", a, b)
	}
}

// Scans are reads as gets are.
func TestScanConflictsWithinOneCommit(t *testing.T) {
	bump := func(tx kv.Tx) error {
		n := 0
		err := tx.Scan([]byte("before"), kv.ScanOptions{}, func(_, v []byte) error {
			n = int(v[0] - '0')
			return nil
		})
		return errors.Join(err, tx.Set([]byte("before"), []byte(fmt.Sprint(n+1))))
	}
	h := holdCommits(t, bump, bump, bump, bump)
	h.release()
	if got := getText(t, h.db, "before"); got != "5" {
		t.Errorf("four that add one to 1 make %q", got)
	}
}

// A line that is longer than what fits into one commit is committed in several.
func TestManyLargeTransactionsAtOnce(t *testing.T) {
	large := bytes.Repeat([]byte("x"), 900<<10)
	var fns []func(kv.Tx) error
	for i := range 9 {
		fns = append(fns, setting(fmt.Sprint("large", i), string(large)))
	}
	h := holdCommits(t, fns...)
	h.release()
	for i := range fns {
		if got := getText(t, h.db, fmt.Sprint("large", i)); len(got) != len(large) {
			t.Errorf("large%d has %d bytes", i, len(got))
		}
	}
}

// Each of a line learns that the disk is full, and nothing is written.
func TestFullDiskIsReportedToAllWaiters(t *testing.T) {
	h := holdCommits(t)
	h.release()
	h.db.SetFreeSpace(1)
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			err := h.db.Update(t.Context(), setting(fmt.Sprint("full", i), "1"))
			if !errors.Is(err, store.ErrDiskFull) {
				t.Errorf("a full disk gives %v", err)
			}
		})
	}
	all.Wait()
	if got := getText(t, h.db, "full0"); got != "" {
		t.Errorf("%q was written", got)
	}
	h.db.SetFreeSpace(1 << 40)
}

// Badger syncs before a commit returns: that is what an acknowledged write rests on.
func TestCommitsAreSynced(t *testing.T) {
	if !open(t, t.TempDir()).SyncsWrites() {
		t.Error("the database is not told to sync what it writes")
	}
}

// However many write the same record, each of them comes through.
func TestWritersOfOneRecord(t *testing.T) {
	db := open(t, t.TempDir())
	const writers, each = 24, 10
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				err := db.Update(t.Context(), func(tx kv.Tx) error {
					v, err := tx.Get([]byte("count"))
					if err != nil && !errors.Is(err, store.ErrNotFound) {
						return err
					}
					return tx.Set([]byte("count"), append(v, 'x'))
				})
				if err != nil {
					t.Errorf("Update: %v", err)
				}
			}
		})
	}
	all.Wait()
	if got := len(getText(t, db, "count")); got != writers*each {
		t.Errorf("%d of %d changes are there", got, writers*each)
	}
	if n := db.Remembered(); n > 1 {
		t.Errorf("%d keys are remembered although nobody reads what they were", n)
	}
}

// A scan conflicts with transactions that add keys in the range it has passed, and not with others.
func TestScansConflictWithInserts(t *testing.T) {
	var all error
	tests := []struct {
		name, prefix string
		o            kv.ScanOptions
		fn           error // what the function of the scan returns
		added        string
		again        bool
	}{
		{"an empty range", "b", kv.ScanOptions{}, all, "b1", true},
		{"before an empty range", "b", kv.ScanOptions{}, all, "a1", false},
		{"after an empty range", "b", kv.ScanOptions{}, all, "c1", false},
		{"behind the last one", "k", kv.ScanOptions{}, all, "k9", true},
		{"before the first one", "k", kv.ScanOptions{KeysOnly: true}, all, "k0", true},
		{"before where it begins", "k", kv.ScanOptions{From: []byte("k3")}, all, "k2", false},
		{"behind where it begins", "k", kv.ScanOptions{From: []byte("k3")}, all, "k4", true},
		{"behind its limit", "k", kv.ScanOptions{Limit: 1}, all, "k2", false},
		{"within its limit", "k", kv.ScanOptions{Limit: 2}, all, "k2", true},
		{"behind where it was stopped", "k", kv.ScanOptions{}, store.Stop, "k2", false},
		{"before where it was stopped", "k", kv.ScanOptions{}, store.Stop, "k0", true},
		{"backwards, behind its limit", "k", kv.ScanOptions{Reverse: true, Limit: 1}, all, "k4", false},
		{"backwards, within its limit", "k", kv.ScanOptions{Reverse: true, Limit: 1}, all, "k6", true},
		{"backwards, before where it begins", "k", kv.ScanOptions{Reverse: true, From: []byte("k3")}, all, "k4", false},
		{"backwards, behind where it begins", "k", kv.ScanOptions{Reverse: true, From: []byte("k3")}, all, "k2", true},
	}
	for _, test := range tests {
		for _, together := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in one commit %v", test.name, together), func(t *testing.T) {
				h := holdCommits(t)
				h.release()
				for _, key := range []string{"k1", "k3", "k5"} {
					putText(t, h.db, key, "1")
				}
				runs := 0
				scan := func(tx kv.Tx) error {
					runs++
					err := tx.Scan([]byte(test.prefix), test.o, func(_, _ []byte) error { return test.fn })
					if runs == 1 && !together {
						putText(t, h.db, test.added, "2")
					}
					return errors.Join(err, tx.Set([]byte("seen"), []byte("1")))
				}
				if together {
					h.hold(setting(test.added, "2"), scan)
					h.release()
				} else if err := h.db.Update(t.Context(), scan); err != nil {
					t.Fatal(err)
				}
				if want := 1 + map[bool]int{true: 1}[test.again]; runs != want {
					t.Errorf("the scan was run %d times, want %d", runs, want)
				}
			})
		}
	}
}
