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

// op is one transaction of the test: which keys it reads and writes.
type op struct {
	kind       string // "add", "move", "swap", "drop", "sum", "fail"
	key, other string
	n          int
}

// result is a successful transaction with everything that it read.
type result struct {
	op
	read   string // everything it read, in order
	number int    // its position among the writes: each write increments one counter
}

const counter = "\x00counter"

var errUndone = errors.New("undone")

// testConcurrently runs transactions from several goroutines on a few keys, and checks that they are serializable. Each
// write also increments a counter, which records the order of the writes. Replaying the writes in that order on a map
// must return what each transaction read, and the final map must equal the store. A read-only transaction must see the
// state at one point of that order, and not before a write that had completed when it started. Failed transactions must
// leave nothing.
func testConcurrently(t *testing.T, db KeyValueDB) {
	rapid.Check(t, func(rt *rapid.T) {
		prefix := fmt.Sprintf("C%d/", workspaceCount.Add(1))
		plans := make([][]op, rapid.IntRange(2, 5).Draw(rt, "writers"))
		for i := range plans {
			plans[i] = rapid.SliceOfN(rapid.Custom(drawDeed), 1, 6).Draw(rt, "deeds")
		}
		var (
			wait  sync.WaitGroup
			mu    sync.Mutex
			all   []result
			since = map[int]int{} // by position: number of writes completed when it started
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
					out, err := run(t, db, prefix, d)
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
		checkSerial(rt, db, prefix, all, since)
	})
}

func drawDeed(t *rapid.T) op {
	keys := []string{"a", "b", "c", "ab"}
	return op{
		kind: rapid.SampledFrom([]string{"add", "add", "move", "swap", "drop", "sum", "fail"}).Draw(t, "kind"),
		key:  rapid.SampledFrom(keys).Draw(t, "key"), other: rapid.SampledFrom(keys).Draw(t, "other"), n: rapid.IntRange(1, 9).Draw(t, "n"),
	}
}

// run executes an operation in the store.
func run(t testing.TB, db kv.DB, prefix string, d op) (result, error) {
	out := result{op: d}
	if d.kind == "sum" {
		err := db.View(t.Context(), func(tx kv.Tx) error {
			var err error
			out.read, err = everything(tx, prefix)
			if err == nil {
				out.number, err = number(tx, prefix+counter)
			}
			return err
		})
		return out, err
	}
	err := db.Update(t.Context(), func(tx kv.Tx) error {
		kv := txState{tx: tx, prefix: prefix}
		out.number = 1 + kv.get(counter)
		kv.set(counter, out.number)
		out.read = d.apply(&kv)
		if d.kind == "fail" {
			return errors.Join(kv.err, errUndone)
		}
		return kv.err
	})
	return out, err
}

// state is what an operation reads and changes.
type state interface {
	get(key string) int // 0 if missing
	set(key string, n int)
	delete(key string)
	all() string
}

// apply executes an operation, and returns what it read.
func (d op) apply(h state) string {
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

// txState is a transaction on numbers. It keeps the first error.
type txState struct {
	tx     kv.Tx
	prefix string
	err    error
}

func (k *txState) get(key string) int {
	n, err := number(k.tx, k.prefix+key)
	k.err = errors.Join(k.err, err)
	return n
}

func (k *txState) set(key string, n int) {
	k.err = errors.Join(k.err, k.tx.Set([]byte(k.prefix+key), []byte(strconv.Itoa(n))))
}

func (k *txState) delete(key string) {
	k.err = errors.Join(k.err, k.tx.Delete([]byte(k.prefix+key)))
}

func (k *txState) all() string {
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

// everything returns the numbers below a prefix, except the counter.
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

// mapState is the same in a map.
type mapState map[string]int

func (m mapState) get(key string) int    { return m[key] }
func (m mapState) set(key string, n int) { m[key] = n }
func (m mapState) delete(key string)     { delete(m, key) }
func (m mapState) all() string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s=%d", key, m[key]))
	}
	return strings.Join(out, " ")
}

// checkSerial replays the transactions one after another.
func checkSerial(t *rapid.T, db kv.DB, prefix string, all []result, since map[int]int) {
	var writes []result
	for i, d := range all {
		if d.kind != "sum" {
			writes = append(writes, d)
		}
		if at := d.number; d.kind == "sum" && at < since[i] || d.kind != "sum" && at <= since[i] {
			t.Fatalf("%+v is at place %d, and began when %d had ended", d.op, at, since[i])
		}
	}
	slices.SortFunc(writes, func(a, b result) int { return a.number - b.number })
	m := mapState{}
	then := []string{m.all()} // by number of writes
	for i, d := range writes {
		if d.number != i+1 {
			t.Fatalf("two writes have place %d, or none has %d: %+v", d.number, i+1, writes)
		}
		if want := d.apply(m); d.read != want {
			t.Fatalf("%+v at place %d saw %s, and one after another it sees %s", d.op, d.number, d.read, want)
		}
		then = append(then, m.all())
	}
	for _, d := range all {
		if d.kind == "sum" && (d.number >= len(then) || d.read != then[d.number]) {
			t.Fatalf("a reader saw %q after %d writes, when there was %q", d.read, d.number, then[min(d.number, len(then)-1)])
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
