package badger_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

var rots = flag.Int("rots", 3, "how many stores TestRotBeforeCompaction damages")

// rotten is a store of sealed records, in several tables and versions, and the values that it must have.
type rotten struct {
	records map[string]string // the newest value of each; empty: it was deleted
	image   image
}

// newRotten makes the store. Its last session is not closed: who opens it next makes a table of its log.
func newRotten(t *testing.T) *rotten {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(5, 6))
	r := &rotten{records: map[string]string{}, image: image{files: map[string][]byte{}, sizes: map[string]int64{}}}
	r.image.times = map[string]time.Time{}
	const sessions = 8
	for session := range sessions {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case session < 4: // these are compacted when there are enough of them
			r.write(t, db, rng, 300)
		case session == 4:
			for db.LevelZero() > 0 {
				db.Yield()
			}
		default:
			r.write(t, db, rng, 150)
		}
		if session == sessions-1 {
			r.image.read(t, filepath.Join(dir, badger.Folder))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// write writes records, and deletes one in ten.
func (r *rotten) write(t *testing.T, db *badger.DB, rng *rand.Rand, n int) {
	t.Helper()
	noise := rand.NewChaCha8([32]byte{byte(rng.Uint32())})
	for from := 0; from < n; from += 100 {
		err := db.Update(t.Context(), func(tx kv.Tx) error {
			for range min(100, n-from) {
				key := fmt.Appendf(nil, "r%05d", rng.IntN(2500))
				if r.records[string(key)] != "" && rng.IntN(10) == 0 {
					r.records[string(key)] = ""
					if err := tx.Delete(key); err != nil {
						return err
					}
					continue
				}
				value := make([]byte, 100+rng.IntN(6000))
				_, _ = noise.Read(value)
				value = kv.EncodeValue(key, value)
				r.records[string(key)] = string(value)
				if err := tx.Set(key, value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRotBeforeCompaction changes bytes of a table while the store is open, and then compacts it. Records
// that were not in a block that changed must be there, for single reads and for scans; the others must be
// there or be reported as lost. The same must hold when the store is opened again.
//
//	go test ./store/badger -run TestRotBeforeCompaction -rots 1000
func TestRotBeforeCompaction(t *testing.T) {
	defer badger.SetThorough(0)()
	whole, sum := newRotten(t), map[string]int{}
	for n := range *rots {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir := t.TempDir()
			whole.image.write(t, dir, "", nil, 0)
			r := rotted{rotten: &rotten{records: maps.Clone(whole.records)}, t: t, rng: rand.New(rand.NewPCG(uint64(n), 9)), sum: sum, dir: dir}
			r.run()
		})
	}
	t.Logf("%v", sum)
}

// rotted is a copy of the store while it rots.
type rotted struct {
	*rotten
	t   *testing.T
	rng *rand.Rand
	sum map[string]int
	dir string
	db  *badger.DB

	touched map[string]bool // keys of which a version was in a block that changed
	near    []badger.Block  // the blocks that changed
	beyond  bool            // an index has changed, so that it is not known which records are lost
}

func (r *rotted) open() {
	r.t.Helper()
	var err error
	if r.db, err = badger.Open(r.t.Context(), badger.Options{Dir: r.dir}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rotted) close() {
	r.t.Helper()
	if err := r.db.Close(); err != nil {
		r.t.Errorf("closing: %v", err)
	}
}

func (r *rotted) run() {
	r.sum["stores"]++
	r.open()
	r.touched = map[string]bool{}
	for r.db.LevelZero() < 3 || !r.db.Known() { // the log becomes a table
		r.db.Yield()
	}
	r.spoil()
	if r.rng.IntN(2) == 0 { // this may find some of the damage before
		r.read("before the compaction", 200)
	}
	if r.rng.IntN(2) == 0 {
		r.write(r.t, r.db, r.rng, 100)
	}
	if err := r.db.Compact(r.t.Context()); err != nil {
		r.sum["compactions refused"]++
	}
	r.db.Verify(r.t.Context())
	r.judge("after the compaction")
	r.close()
	r.open()
	r.judge("opened again")
	r.close()
}

// spoil changes bytes in one place or in two.
func (r *rotted) spoil() {
	tables, err := filepath.Glob(filepath.Join(r.dir, badger.Folder, "*.sst"))
	if err != nil || len(tables) == 0 {
		r.t.Fatal(tables, err)
	}
	for range 1 + r.rng.IntN(2) {
		name, n := tables[r.rng.IntN(len(tables))], 1
		switch r.rng.IntN(4) {
		case 0:
			n = 32
		case 1:
			n = 4<<10 + r.rng.IntN(124<<10)
		}
		info, err := os.Stat(name)
		if err != nil {
			r.t.Fatal(err)
		}
		n = min(n, int(info.Size()))
		at := r.rng.IntN(int(info.Size()) - n + 1)
		blocks, beyond, err := badger.Touched(name, at, n)
		if err != nil || beyond {
			continue // Badger does not survive a damaged index while the store is open, or it has changed already
		}
		for _, b := range blocks {
			for _, key := range b.Keys {
				r.touched[key] = true
			}
		}
		r.near, r.beyond = append(r.near, blocks...), r.beyond || beyond
		change(r.t, name, r.rng, at, n)
		r.t.Logf("%d bytes at %d of %d of %s, in %d blocks; beyond the blocks: %v", n, at, info.Size(), filepath.Base(name), len(blocks), beyond)
	}
}

// change changes a stretch of a file in its place. The time of its change stays.
func change(t *testing.T, name string, rng *rand.Rand, at, n int) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	_, err = f.ReadAt(b, int64(at))
	for i := range b {
		b[i] ^= byte(1 + rng.IntN(255))
	}
	_, err2 := f.WriteAt(b, int64(at))
	if err := errors.Join(err, err2, f.Close(), os.Chtimes(name, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
}

// read reads some records one by one, or all where some is 0. It returns how many are not as they were written.
func (r *rotted) read(when string, some int) (wrong int) {
	r.t.Helper()
	keys := slices.Sorted(maps.Keys(r.records))
	if some > 0 {
		r.rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		keys = keys[:some]
	}
	faults, near, doubted := faults{t: r.t, when: when}, 0, 0
	err := r.db.View(r.t.Context(), func(tx kv.Tx) error {
		for _, key := range keys {
			got, err := tx.Get([]byte(key))
			if r.isNear(key) {
				near++
			}
			missing := errors.Is(err, store.ErrNotFound)
			if want := r.records[key]; err == nil && string(got) == want || missing && want == "" {
				r.sum["right"]++
				continue
			}
			wrong++
			switch lost := errors.Is(err, store.ErrDataLost); {
			case lost && (r.touched[key] || r.beyond):
				r.sum["reported as lost"]++
			case lost && r.isNear(key):
				r.sum["healthy beside a lost block, and reported as lost"]++
				doubted++
			case lost:
				r.sum["FAULT healthy, and reported as lost"]++
				faults.add("%s is healthy, and reported as lost", key)
			case err != nil && !missing:
				r.sum["FAULT refused"]++
				faults.add("%s: %v", key, err)
			case err == nil && tx.(kv.StaleChecker).MayBeStale([]byte(key)) && (r.touched[key] || r.isNear(key)):
				r.sum["older or deleted, and reported to be in doubt"]++
			case r.beyond && len(r.db.Lost())+len(r.db.Notices()) > 0:
				r.sum["not found or older, where an index changed and a loss is reported"]++
			default:
				r.sum["FAULT not found or older"]++
				faults.add("%s is not found or older (%v), touched: %v; lost is %.300q", key, err, r.touched[key], r.db.Lost())
			}
		}
		return nil
	})
	if err != nil {
		r.t.Errorf("%s: %v", when, err)
	}
	// A record of another table may be older than a lost one of the block. A filter decides, which is wrong for
	// one key in a hundred. The first key of the next block may have a version in the block as well.
	if doubted > 2*len(r.near)+near/20 {
		r.sum["FAULT many healthy, and reported as lost"]++
		faults.add("of %d records beside lost blocks %d are healthy, and reported as lost", near, doubted)
	}
	faults.end()
	return wrong
}

// isNear reports whether a key lies in the range of a block that changed.
func (r *rotted) isNear(key string) bool {
	return slices.ContainsFunc(r.near, func(b badger.Block) bool {
		return key >= b.First && (b.Next == "" || key <= b.Next)
	})
}

// judge reads all records, one by one and in scans.
func (r *rotted) judge(when string) {
	r.t.Helper()
	if wrong := r.read(when, 0); wrong > 0 && len(r.db.Lost()) == 0 && len(r.db.Notices()) == 0 {
		r.sum["FAULT nothing reported"]++
		r.t.Errorf("%s: %d records are not as they were written, and nothing is reported", when, wrong)
	}
	r.scan(when, false)
	r.scan(when, true)
}

// scan checks that a scan returns every record that can be read by itself exactly once, in order.
func (r *rotted) scan(when string, reverse bool) {
	r.t.Helper()
	faults := faults{t: r.t, when: fmt.Sprintf("%s, scanned, reverse %v", when, reverse)}
	given := map[string]int{}
	err := r.db.View(r.t.Context(), func(tx kv.Tx) error {
		var last []byte
		err := tx.Scan([]byte("r"), kv.ScanOptions{Reverse: reverse}, func(key, value []byte) error {
			if c := bytes.Compare(key, last); last != nil && (reverse && c >= 0 || !reverse && c <= 0) {
				faults.add("%s comes after %s", key, last)
			}
			last = bytes.Clone(key)
			if len(value) == 0 {
				return nil // it is lost
			}
			given[string(key)]++
			if got, err := tx.Get(key); err != nil || !bytes.Equal(got, value) {
				faults.add("%s is given with another value than it has by itself (%v)", key, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for key, want := range r.records {
			if _, err := tx.Get([]byte(key)); err == nil && given[key] != 1 {
				r.sum["FAULT left out by a scan"]++
				faults.add("%s of %d bytes can be read, and is given %d times", key, len(want), given[key])
			}
		}
		return nil
	})
	if err != nil {
		faults.add("it fails: %v", err)
	}
	faults.end()
}

// faults reports the first few of many faults.
type faults struct {
	t    *testing.T
	when string
	n    int
}

func (f *faults) add(format string, args ...any) {
	f.t.Helper()
	if f.n++; f.n <= 3 {
		f.t.Errorf("%s: %s", f.when, fmt.Sprintf(format, args...))
	}
}

func (f *faults) end() {
	f.t.Helper()
	if f.n > 3 {
		f.t.Errorf("%s: and %d more", f.when, f.n-3)
	}
}
