package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"bugle/store"
	"bugle/store/kv"
)

// contents returns the keys and values below a prefix, in order.
func contents(tx *kv.Tx, prefix string, o kv.ScanOptions) (out []string, err error) {
	err = tx.Scan([]byte(prefix), o, func(key, value []byte) error {
		out = append(out, string(key)+"="+string(value))
		return nil
	})
	return out, err
}

// gets returns those of the keys that exist, with their values.
func gets(tx *kv.Tx, keys []string) (out []string, err error) {
	for _, key := range keys {
		value, err := tx.Get([]byte(key))
		if err == nil {
			out = append(out, key+"="+string(value))
		} else if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return out, nil
}

// testScan scans keys that a transaction has written, and those of one before it, in every way.
func testScan(t *testing.T, db *kv.Store) {
	words := []string{"", "\x00", "\x00\x01", "b", "b\x00", "b1", "b\xff", "b\xff\xff", "c", "\xff\xff", "\xff\xff1"}
	set := func(tx *kv.Tx, from int) error {
		var all []error
		for i := from; i < len(words); i += 2 {
			all = append(all, tx.Set([]byte("w"+words[i]), []byte(words[i])), tx.Set([]byte("x"), nil))
		}
		return errors.Join(all...)
	}
	one := func(tx *kv.Tx, prefix string, o kv.ScanOptions) {
		var want []string
		for _, word := range words {
			k := "w" + word
			outside := o.From != nil && k != string(o.From) && (k < string(o.From)) != o.Reverse
			switch {
			case outside || !strings.HasPrefix(k, prefix):
			case o.KeysOnly:
				want = append(want, k+"=")
			default:
				want = append(want, k+"="+word)
			}
		}
		if o.Reverse {
			slices.Reverse(want)
		}
		if o.Limit > 0 {
			want = want[:min(o.Limit, len(want))]
		}
		if got, err := contents(tx, prefix, o); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q with %+v has %q, %v, want %q", prefix, o, got, err, want)
		}
	}
	compare := func(tx *kv.Tx) {
		for _, prefix := range words {
			for n := range 12 {
				o := kv.ScanOptions{Reverse: n%2 == 0, KeysOnly: n/2%2 == 0, Limit: n / 4}
				one(tx, "w"+prefix, o)
				for _, from := range words {
					o.From = []byte("w" + from)
					one(tx, "w"+prefix, o)
				}
			}
		}
	}
	must(t, db.Update(t.Context(), func(tx *kv.Tx) error { return set(tx, 0) }))
	must(t, db.Update(t.Context(), func(tx *kv.Tx) error {
		if err := errors.Join(set(tx, 1), tx.Delete([]byte("x"))); err != nil {
			return err
		}
		compare(tx)
		// A scan returns what was there when it began, whatever is written meanwhile.
		var seen []string
		err := tx.Scan([]byte("w"), kv.ScanOptions{}, func(key, _ []byte) error {
			seen = append(seen, string(key[1:]))
			return errors.Join(tx.Delete([]byte("w\xff\xff1")), tx.Set([]byte("w\xff\xff2"), nil))
		})
		if !slices.Equal(seen, words) {
			t.Errorf("a scan saw %q", seen)
		}
		return errors.Join(err, tx.Delete([]byte("w\xff\xff2")), set(tx, 0))
	}))
	must(t, db.View(t.Context(), func(tx *kv.Tx) error {
		compare(tx)
		wantErr(t, tx.Set([]byte("x"), nil), store.ErrReadOnly)
		for end, want := range map[error]error{store.Stop: nil, errUndone: errUndone} {
			if err := tx.Scan([]byte("w"), kv.ScanOptions{}, func(_, _ []byte) error { return end }); !errors.Is(err, want) {
				t.Errorf("a scan that %v ends returns %v", end, err)
			}
		}
		return nil
	}))
}

// testSerializable runs transactions from several goroutines on a few keys, and records what each has read, by a scan or by
// gets, and left. One after another they must make a chain, and readers must see one of its states. Failed transactions leave
// nothing.
func testSerializable(t *testing.T, db *kv.Store) {
	keys := []string{"k0", "k1", "k2", "k3"}
	var mu sync.Mutex
	var seen []string
	after := map[string]string{} // of each write, by what it has read
	var all sync.WaitGroup
	for w := range 6 {
		random := rand.New(rand.NewPCG(uint64(w), 0))
		all.Go(func() {
			for i := range 25 {
				set, remove, fail := keys[random.IntN(4)], keys[random.IntN(4)], random.IntN(6) == 0
				var before, then []string
				err := db.Update(t.Context(), func(tx *kv.Tx) (err error) {
					before, err = contents(tx, "k", kv.ScanOptions{})
					if i%2 == 0 {
						before, err = gets(tx, keys)
					}
					runtime.Gosched() // so that others run meanwhile, also where a transaction is short
					err = errors.Join(err, tx.Delete([]byte(remove)), tx.Set([]byte(set), fmt.Appendf(nil, "%d.%d", w, i)))
					if fail {
						return errors.Join(err, errUndone)
					}
					then, _ = contents(tx, "k", kv.ScanOptions{})
					return err
				})
				var found []string
				must(t, db.View(t.Context(), func(tx *kv.Tx) (err error) {
					again, err1 := contents(tx, "k", kv.ScanOptions{})
					found, err = contents(tx, "k", kv.ScanOptions{Reverse: true})
					if slices.Reverse(found); !slices.Equal(found, again) {
						t.Errorf("a reader saw %q, and then %q", again, found)
					}
					return errors.Join(err, err1)
				}))
				mu.Lock()
				seen = append(seen, fmt.Sprint(found))
				if _, twice := after[fmt.Sprint(before)]; fail != errors.Is(err, errUndone) || !fail && (err != nil || twice) {
					t.Errorf("%q was changed twice, or %v", before, err)
				} else if !fail {
					after[fmt.Sprint(before)] = fmt.Sprint(then)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	state, chain := fmt.Sprint([]string{}), map[string]bool{}
	for next, ok := after[state]; ok && !chain[next]; next, ok = after[state] {
		state = next
		chain[state] = true
	}
	if len(chain) != len(after) || !chain[seen[len(seen)-1]] {
		t.Errorf("of %d writes, %d follow one another", len(after), len(chain))
	}
	for _, found := range seen {
		if found != "[]" && !chain[found] {
			t.Errorf("a reader saw %q", found)
		}
	}
}

// A transaction whose context has ended leaves nothing, and a scan does not go on.
func testContextEnds(t *testing.T, db *kv.Store) {
	must(t, db.Update(t.Context(), func(tx *kv.Tx) error { return errors.Join(tx.Set([]byte("x1"), nil), tx.Set([]byte("x2"), nil)) }))
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	wantErr(t, db.Update(ctx, func(tx *kv.Tx) error {
		return errors.Join(tx.Set([]byte("x3"), nil), tx.Scan([]byte("x"), kv.ScanOptions{}, func(_, _ []byte) error { n++; cancel(); return nil }))
	}), context.Canceled)
	if n != 1 {
		t.Errorf("a scan went on to %d keys", n)
	}
	wantErr(t, db.Update(ctx, func(*kv.Tx) error { t.Error("it ran after its context ended"); return nil }), context.Canceled)
	ctx, cancel = context.WithCancel(t.Context())
	wantErr(t, db.Update(ctx, func(tx *kv.Tx) error { cancel(); return tx.Set([]byte("x3"), nil) }), context.Canceled)
	wantErr(t, db.View(ctx, func(*kv.Tx) error { t.Error("it ran after its context ended"); return nil }), context.Canceled)
	must(t, db.View(t.Context(), func(tx *kv.Tx) error {
		_, err := tx.Get([]byte("x3"))
		wantErr(t, err, store.ErrNotFound)
		return nil
	}))
}

// A transaction that runs while the store is being closed can finish; no other can start.
func testClose(t *testing.T, db *kv.Store) {
	must(t, db.Update(t.Context(), func(tx *kv.Tx) error { return tx.Set([]byte("x"), []byte("there")) }))
	closed := make(chan error, 1)
	must(t, db.View(t.Context(), func(tx *kv.Tx) error {
		go func() { closed <- db.Close() }()
		for db.View(t.Context(), func(*kv.Tx) error { return nil }) == nil {
			runtime.Gosched()
		}
		got, err := contents(tx, "x", kv.ScanOptions{})
		if !slices.Equal(got, []string{"x=there"}) {
			t.Errorf("while closing it reads %q", got)
		}
		return err
	}))
	if err := errors.Join(<-closed, db.Close()); err != nil {
		t.Errorf("Close: %v", err)
	}
	nothing := func(*kv.Tx) error { t.Error("ran on a closed store"); return nil }
	wantErr(t, db.View(t.Context(), nothing), store.ErrClosed)
	wantErr(t, db.Update(t.Context(), nothing), store.ErrClosed)
}
