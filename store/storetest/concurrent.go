package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"bugle/store"
	"bugle/store/kv"
)

// deed is one transaction of the test: what it reads, and what it makes of that.
type deed struct {
	kind       string // "add", "move", "swap", "drop", "sum", "fail"
	key, other string
	n          int
}

// done is a transaction that succeeded, with what it saw.
type done struct {
	deed
	seen   string // all that it read, in order
	number int    // its place among those that write: each reads and writes one counter
}

const counter = "\x00counter"

var errUndone = errors.New("undone")

// testConcurrently does transactions from several goroutines at once, which meet on a few keys. Each that
// writes also counts one on, so that the store itself says in which order they came: done one after another
// in that order on a map, each sees what it saw, and the map is what the store holds. Those that only read
// see what there was at one place of that order, not before one that had ended when they began. Those that
// fail leave nothing.
func testConcurrently(t *testing.T, db Keys) {
	rapid.Check(t, func(rt *rapid.T) {
		prefix := fmt.Sprintf("C%d/", worlds.Add(1))
		plans := make([][]deed, rapid.IntRange(2, 5).Draw(rt, "writers"))
		for i := range plans {
			plans[i] = rapid.SliceOfN(rapid.Custom(drawDeed), 1, 6).Draw(rt, "deeds")
		}
		var (
			wait  sync.WaitGroup
			mu    sync.Mutex
			all   []done
			since = map[int]int{} // by its place in all: how many writes had ended when it began
			last  int
			wrong []error
		)
		start := make(chan struct{})
		for _, plan := range plans {
			wait.Go(func() {
				<-start
				for _, d := range plan {
					mu.Lock()
					before := last
					mu.Unlock()
					out, err := do(t, db, prefix, d)
					mu.Lock()
					switch {
					case d.kind == "fail" && errors.Is(err, errUndone):
					case err != nil || d.kind == "fail":
						wrong = append(wrong, fmt.Errorf("%+v: %w", d, err))
					default:
						since[len(all)] = before
						all = append(all, out)
						last = max(last, out.number)
					}
					mu.Unlock()
				}
			})
		}
		close(start)
		wait.Wait()
		if err := errors.Join(wrong...); err != nil {
			rt.Fatal(err)
		}
		serial(rt, db, prefix, all, since)
	})
}

func drawDeed(t *rapid.T) deed {
	keys := []string{"a", "b", "c", "ab"}
	return deed{
		kind: rapid.SampledFrom([]string{"add", "add", "move", "swap", "drop", "sum", "fail"}).Draw(t, "kind"),
		key:  rapid.SampledFrom(keys).Draw(t, "key"), other: rapid.SampledFrom(keys).Draw(t, "other"), n: rapid.IntRange(1, 9).Draw(t, "n"),
	}
}

// do does a deed in the store.
func do(t testing.TB, db kv.DB, prefix string, d deed) (done, error) {
	out := done{deed: d}
	if d.kind == "sum" {
		err := db.View(t.Context(), func(tx kv.Tx) error {
			var err error
			out.seen, err = everything(tx, prefix)
			if err == nil {
				out.number, err = number(tx, prefix+counter)
			}
			return err
		})
		return out, err
	}
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		kv := keyed{tx: tx, prefix: prefix}
		out.number = 1 + kv.get(counter)
		kv.set(counter, out.number)
		out.seen = d.apply(&kv)
		if d.kind == "fail" {
			return errors.Join(kv.err, errUndone)
		}
		return kv.err
	})
	return out, err
}

// holder is what a deed is done to.
type holder interface {
	get(key string) int // 0 where it is not there
	set(key string, n int)
	delete(key string)
	all() string
}

// apply does a deed, and returns what it saw.
func (d deed) apply(h holder) string {
	seen := []int{h.get(d.key), h.get(d.other)}
	switch d.kind {
	case "add", "fail":
		h.set(d.key, seen[0]+d.n)
	case "move":
		h.set(d.key, seen[0]-d.n)
		h.set(d.other, h.get(d.other)+d.n)
	case "swap":
		h.set(d.key, seen[1])
		h.set(d.other, seen[0])
	case "drop":
		h.delete(d.key)
		return fmt.Sprint(seen, h.all())
	}
	return fmt.Sprint(seen, h.get(d.key), h.get(d.other))
}

// keyed is a transaction on numbers. It keeps the first error.
type keyed struct {
	tx     kv.Tx
	prefix string
	err    error
}

func (k *keyed) get(key string) int {
	n, err := number(k.tx, k.prefix+key)
	k.err = errors.Join(k.err, err)
	return n
}

func (k *keyed) set(key string, n int) {
	k.err = errors.Join(k.err, k.tx.Set([]byte(k.prefix+key), []byte(strconv.Itoa(n))))
}

func (k *keyed) delete(key string) {
	k.err = errors.Join(k.err, k.tx.Delete([]byte(k.prefix+key)))
}

func (k *keyed) all() string {
	s, err := everything(k.tx, k.prefix)
	k.err = errors.Join(k.err, err)
	return s
}

func number(tx kv.Tx, key string) (int, error) {
	v, err := tx.Get([]byte(key))
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(v))
}

// everything returns the numbers of a prefix, but for the counter.
func everything(tx kv.Tx, prefix string) (string, error) {
	var out []string
	err := tx.Scan([]byte(prefix), kv.ScanOptions{}, func(key, value []byte) error {
		if name := strings.TrimPrefix(string(key), prefix); name != counter {
			out = append(out, name+"="+string(value))
		}
		return nil
	})
	return strings.Join(out, " "), err
}

// table is the same in a map.
type table map[string]int

func (m table) get(key string) int    { return m[key] }
func (m table) set(key string, n int) { m[key] = n }
func (m table) delete(key string)     { delete(m, key) }
func (m table) all() string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s=%d", key, m[key]))
	}
	return strings.Join(out, " ")
}

// serial does what was done one after another.
func serial(t *rapid.T, db kv.DB, prefix string, all []done, since map[int]int) {
	var writes []done
	for i, d := range all {
		if d.kind != "sum" {
			writes = append(writes, d)
		}
		if at := d.number; d.kind == "sum" && at < since[i] || d.kind != "sum" && at <= since[i] {
			t.Fatalf("%+v is at place %d, and began when %d had ended", d.deed, at, since[i])
		}
	}
	slices.SortFunc(writes, func(a, b done) int { return a.number - b.number })
	m := table{}
	then := []string{m.all()} // after so many writes
	for i, d := range writes {
		if d.number != i+1 {
			t.Fatalf("two writes have place %d, or none has %d: %+v", d.number, i+1, writes)
		}
		if want := d.apply(m); d.seen != want {
			t.Fatalf("%+v at place %d saw %s, and one after another it sees %s", d.deed, d.number, d.seen, want)
		}
		then = append(then, m.all())
	}
	for _, d := range all {
		if d.kind == "sum" && (d.number >= len(then) || d.seen != then[d.number]) {
			t.Fatalf("a reader saw %q after %d writes, when there was %q", d.seen, d.number, then[min(d.number, len(then)-1)])
		}
	}
	err := db.View(t.Context(), func(tx kv.Tx) error {
		got, err := everything(tx, prefix)
		if err == nil && got != m.all() {
			t.Errorf("the store holds %q, and the map %q", got, m.all())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
