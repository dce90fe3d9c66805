package storetest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"bugle/store"
	"bugle/store/kv"
)

func testTransaction(t *testing.T, db KeyValueDB) {
	set(t, db, "x1", "one", "x2", "two")
	boom := errors.New("boom")
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		if err := errors.Join(tx.Set([]byte("x1"), []byte("changed")), tx.Delete([]byte("x2")), tx.Delete([]byte("x0"))); err != nil {
			return err
		}
		if v, err := tx.Get([]byte("x1")); err != nil || string(v) != "changed" {
			t.Errorf("own write reads %q, %v", v, err)
		}
		if _, err := tx.Get([]byte("x2")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("own delete reads %v", err)
		}
		return boom
	})
	wantErr(t, err, boom)
	if a, b := get(t, db, "x1"), get(t, db, "x2"); a != "one" || b != "two" {
		t.Errorf("a failed transaction left %q, %q", a, b)
	}
	view(t, db, func(tx kv.Tx) error {
		wantErr(t, tx.Set([]byte("x1"), nil), store.ErrReadOnly)
		wantErr(t, tx.Delete([]byte("x1")), store.ErrReadOnly)
		_, err := tx.Get([]byte("x9"))
		wantErr(t, err, store.ErrNotFound)
		v, err := tx.Get([]byte("x1"))
		clear(v) // the caller's own copy
		return err
	})
	if got := get(t, db, "x1"); got != "one" {
		t.Errorf("a value that a caller changed reads %q", got)
	}
}

func testIsolation(t *testing.T, db KeyValueDB) {
	set(t, db, "x", "before")
	view(t, db, func(tx kv.Tx) error {
		set(t, db, "x", "after", "y", "new")
		if v, err := tx.Get([]byte("x")); err != nil || string(v) != "before" {
			t.Errorf("View sees %q, %v", v, err)
		}
		_, err := tx.Get([]byte("y"))
		wantErr(t, err, store.ErrNotFound)
		return nil
	})
}

func scan(t testing.TB, tx kv.Tx, prefix string, o kv.ScanOptions) []string {
	t.Helper()
	var keys []string
	err := tx.Scan([]byte(prefix), o, func(key, value []byte) error {
		if want := "v" + string(key); !o.KeysOnly && string(value) != want || o.KeysOnly && value != nil {
			t.Errorf("value of %q = %q", key, value)
		}
		keys = append(keys, string(key))
		return nil
	})
	if err != nil {
		t.Fatalf("Scan: %v", err)
	}
	return keys
}

func testScan(t *testing.T, db KeyValueDB) {
	keys := []string{"a", "b", "b\x00", "b1", "b2", "b\xff", "b\xff\xff", "c", "\xff\xff", "\xff\xff1"}
	for _, k := range keys {
		set(t, db, k, "v"+k)
	}
	tests := []struct {
		name   string
		prefix string
		o      kv.ScanOptions
		want   []string
	}{
		{"prefix", "b", kv.ScanOptions{}, []string{"b", "b\x00", "b1", "b2", "b\xff", "b\xff\xff"}},
		{"reverse", "b", kv.ScanOptions{Reverse: true}, []string{"b\xff\xff", "b\xff", "b2", "b1", "b\x00", "b"}},
		{"keys only", "b1", kv.ScanOptions{KeysOnly: true}, []string{"b1"}},
		{"limit", "b", kv.ScanOptions{Limit: 2}, []string{"b", "b\x00"}},
		{"from", "b", kv.ScanOptions{From: []byte("b1")}, []string{"b1", "b2", "b\xff", "b\xff\xff"}},
		{"from between", "b", kv.ScanOptions{From: []byte("b11"), Limit: 1}, []string{"b2"}},
		{"from before the range", "b", kv.ScanOptions{From: []byte("a"), Limit: 1}, []string{"b"}},
		{"from beyond the range", "b", kv.ScanOptions{From: []byte("c")}, nil},
		{"reverse from", "b", kv.ScanOptions{Reverse: true, From: []byte("b11")}, []string{"b1", "b\x00", "b"}},
		{"reverse from beyond", "b", kv.ScanOptions{Reverse: true, From: []byte("c"), Limit: 1}, []string{"b\xff\xff"}},
		{"reverse from before", "b", kv.ScanOptions{Reverse: true, From: []byte("a")}, nil},
		{"nothing follows the prefix", "\xff\xff", kv.ScanOptions{Reverse: true}, []string{"\xff\xff1", "\xff\xff"}},
		{"none", "bb", kv.ScanOptions{}, nil},
		{"none in reverse", "bb", kv.ScanOptions{Reverse: true}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			view(t, db, func(tx kv.Tx) error {
				if got := scan(t, tx, test.prefix, test.o); !slices.Equal(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
				return nil
			})
		})
	}
	view(t, db, func(tx kv.Tx) error {
		n, boom := 0, errors.New("boom")
		next := func(end error) func(_, _ []byte) error {
			return func(_, _ []byte) error {
				if n++; n == 2 {
					return end
				}
				return nil
			}
		}
		if err := tx.Scan([]byte("b"), kv.ScanOptions{}, next(store.Stop)); err != nil || n != 2 {
			t.Errorf("Stop after %d: %v", n, err)
		}
		n = 0
		wantErr(t, tx.Scan([]byte("b"), kv.ScanOptions{}, next(boom)), boom)
		return nil
	})
}

// A scan returns what existed when it began, including the transaction's own writes, whatever is written during the
// scan.
func testScanWhileWriting(t *testing.T, db KeyValueDB) {
	set(t, db, "k1", "vk1", "k2", "vk2")
	update(t, db, func(tx kv.Tx) error {
		if err := tx.Set([]byte("k3"), []byte("vk3")); err != nil {
			return err
		}
		var seen []string
		err := tx.Scan([]byte("k"), kv.ScanOptions{}, func(key, _ []byte) error {
			seen = append(seen, string(key))
			if inner := scan(t, tx, "k", kv.ScanOptions{Reverse: true, Limit: 1}); len(inner) != 1 {
				t.Errorf("a scan within a scan gives %q", inner)
			}
			return errors.Join(tx.Set([]byte("k9"), []byte("vk9")), tx.Delete([]byte("k2")))
		})
		if want := []string{"k1", "k2", "k3"}; !slices.Equal(seen, want) {
			t.Errorf("got %q, want %q", seen, want)
		}
		return err
	})
	view(t, db, func(tx kv.Tx) error {
		if got, want := scan(t, tx, "k", kv.ScanOptions{}), []string{"k1", "k3", "k9"}; !slices.Equal(got, want) {
			t.Errorf("afterwards %q, want %q", got, want)
		}
		return nil
	})
}

func testWriters(t *testing.T, db KeyValueDB) {
	const writers, each = 6, 15
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				err := db.Update(t.Context(), func(tx kv.Tx) error {
					n := 0
					if v, err := tx.Get([]byte("n")); err == nil {
						n, _ = strconv.Atoi(string(v))
					} else if !errors.Is(err, store.ErrNotFound) {
						return err
					}
					return tx.Set([]byte("n"), []byte(strconv.Itoa(n+1)))
				})
				if err != nil {
					t.Errorf("Update: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if got := get(t, db, "n"); got != strconv.Itoa(writers*each) {
		t.Errorf("%d increments gave %s", writers*each, got)
	}
}

func testContextEnds(t *testing.T, db KeyValueDB) {
	set(t, db, "x", "before", "x2", "before")
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Update(ctx, func(tx kv.Tx) error {
		err := tx.Set([]byte("x"), []byte("after"))
		cancel()
		return err
	})
	wantErr(t, err, context.Canceled)
	if got := get(t, db, "x"); got != "before" {
		t.Errorf("a canceled transaction left %q", got)
	}
	nothing := func(kv.Tx) error { t.Error("ran after its context ended"); return nil }
	wantErr(t, db.View(ctx, nothing), context.Canceled)
	wantErr(t, db.Update(ctx, nothing), context.Canceled)

	ctx, cancel = context.WithCancel(t.Context())
	n := 0
	err = db.View(ctx, func(tx kv.Tx) error {
		return tx.Scan([]byte("x"), kv.ScanOptions{}, func(_, _ []byte) error { n++; cancel(); return nil })
	})
	wantErr(t, err, context.Canceled)
	if n != 1 {
		t.Errorf("a scan went on to %d records after its context ended", n)
	}
}

func testClosed(t *testing.T, db KeyValueDB) {
	for range 2 {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	nothing := func(kv.Tx) error { t.Error("ran on a closed store"); return nil }
	wantErr(t, db.View(t.Context(), nothing), store.ErrClosed)
	wantErr(t, db.Update(t.Context(), nothing), store.ErrClosed)
}

// A transaction that runs while the store is being closed can finish; no other can start.
func testCloseWaits(t *testing.T, db KeyValueDB) {
	set(t, db, "x", "there")
	closed := make(chan error, 1)
	view(t, db, func(tx kv.Tx) error {
		go func() { closed <- db.Close() }()
		nothing := func(kv.Tx) error { return nil }
		for db.View(t.Context(), nothing) == nil {
			runtime.Gosched()
		}
		v, err := tx.Get([]byte("x"))
		if string(v) != "there" {
			t.Errorf("while closing it reads %q, %v", v, err)
		}
		return tx.Scan(nil, kv.ScanOptions{}, func(_, _ []byte) error { return nil })
	})
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
}
