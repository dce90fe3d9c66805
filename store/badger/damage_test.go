package badger_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/enginetest/race"
	"bugle/store"
	"bugle/store/badger"
	logs "bugle/store/badger/internal/files"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// damages is how many stores TestDamagedAnywhere damages: `go test -run DamagedAnywhere -damages 5000`.
var damages = flag.Int("damages", 8/race.Factor(4), "how many stores are damaged by TestDamagedAnywhere")

// image is the files of a store, as a process that was killed leaves them.
type image struct {
	names []string
	files map[string][]byte // without the zeros at their end
	sizes map[string]int64
	times map[string]time.Time // when they were changed; empty: that does not matter
	want  map[string]string    // id → body
	open  badger.Options       // how it is opened, but for the folder
}

func (m image) at(dir string) badger.Options {
	o := m.open
	o.Dir = dir
	return o
}

// newImage makes a store of some tables, a log and a value log.
func newImage(t *testing.T, how badger.Options) image {
	t.Helper()
	dir := t.TempDir()
	m := image{open: how, files: map[string][]byte{}, sizes: map[string]int64{}, times: map[string]time.Time{}, want: map[string]string{}}
	rng := rand.New(rand.NewPCG(1, 2))
	save := func(db *badger.DB, n int) {
		id := fmt.Sprintf("%024x", n)
		text := make([]byte, 200+rng.IntN(3000))
		for i := range text {
			text[i] = 'a' + byte(rng.IntN(26))
		}
		b := fmt.Sprintf(`{"basic_details":{"name":"Campaign %d"},"html":%q}`, n, text)
		if n == 7 {
			b = fmt.Sprintf(`{"html":%q}`, strings.Repeat(string(text[:100]), 12000)) // not inline
		}
		v, err := doc.Parse([]byte(b))
		if err != nil {
			t.Fatal(err)
		}
		h := engine.Head{ID: id, UpdatedAt: time.Unix(int64(n), 0).UTC()}
		err = db.Update(t.Context(), func(tx kv.Tx) error {
			_, err := kv.NewWorkspaceTx(tx, "DEMO").PutCampaign(engine.Campaign{Head: h, Body: v}, engine.Summary{Head: h, Name: id}, engine.Revision{}, false)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		m.want[id] = b
	}
	for session := range 4 {
		db, err := badger.Open(t.Context(), m.at(dir))
		if err != nil {
			t.Fatal(err)
		}
		if session == 0 {
			err := db.Update(t.Context(), func(tx kv.Tx) error {
				return kv.NewWorkspaceTx(tx, "DEMO").PutSettings(engine.Workspace{ID: "DEMO"})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for n := range 25 {
			save(db, 20*session+n) // some are saved again by the next session
		}
		if session == 3 {
			m.read(t, filepath.Join(dir, badger.Folder))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *image) read(t *testing.T, path string) {
	files, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() == "LOCK" {
			continue
		}
		b, size, err := logs.ReadWritten(filepath.Join(path, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		m.names, m.times[f.Name()] = append(m.names, f.Name()), info.ModTime()
		m.files[f.Name()], m.sizes[f.Name()] = b, size
	}
}

// write makes the store in a new folder, after change has had its files.
func (m image) write(t *testing.T, dir string, name string, b []byte, size int64) {
	path := filepath.Join(dir, badger.Folder)
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, n := range m.names {
		content, length := m.files[n], m.sizes[n]
		if n == name {
			content, length = b, size
		}
		if length < 0 {
			continue
		}
		file := filepath.Join(path, n)
		if err := errors.Join(os.WriteFile(file, content, 0o600), os.Truncate(file, length), os.Chtimes(file, m.times[n], m.times[n])); err != nil {
			t.Fatal(err)
		}
	}
}

// damaged changes a file of the image in one way of several.
func (m image) damaged(rng *rand.Rand) (what, name string, b []byte, size int64) {
	name = m.names[rng.IntN(len(m.names))]
	b, size = bytes.Clone(m.files[name]), m.sizes[name]
	at := rng.IntN(len(b) + 1)
	switch kind := rng.IntN(10); {
	case kind < 5 && len(b) > 0:
		at = rng.IntN(len(b))
		b[at] ^= 1 << rng.IntN(8)
		what = fmt.Sprintf("a bit of byte %d", at)
	case kind < 7 && len(b) > 0:
		at = rng.IntN(len(b))
		n := min(1+rng.IntN(64), len(b)-at)
		for i := range n {
			b[at+i] = byte(rng.IntN(256))
		}
		what = fmt.Sprintf("%d bytes at %d", n, at)
	case kind == 7:
		from := at &^ 511
		clear(b[from:min(from+512, len(b))])
		what = fmt.Sprintf("a sector at %d", from)
	case kind == 8 && rng.IntN(4) == 0:
		return "gone", name, nil, -1
	default:
		b, size = b[:at], int64(at)
		what = fmt.Sprintf("cut at %d", at)
	}
	return what, name, b, size
}

// damageOutcomes counts what happened to the campaigns of damaged stores.
type damageOutcomes struct{ stores, whole, said, refused, campaigns, named, older int }

// Wherever a store is damaged, it either opens and reports the problems, or fails with the reason. It has no unreported
// problems, undamaged records can be read, and it can be written to.
func TestDamagedAnywhere(t *testing.T) {
	plain := newImage(t, badger.Options{})
	// Bit rot does not change the modification time of a file: such tables are verified when they are read.
	t.Run("read before it is proved", func(t *testing.T) {
		defer badger.SetThorough(0)()
		damagedAnywhere(t, plain)
	})
	plain.times = nil
	t.Run("plain", func(t *testing.T) { damagedAnywhere(t, plain) })
	t.Run("encrypted", func(t *testing.T) {
		key := crypt.New()
		damagedAnywhere(t, newImage(t, badger.Options{Encrypt: &key, Key: has(key)}))
	})
}

func damagedAnywhere(t *testing.T, m image) {
	rng := rand.New(rand.NewPCG(3, uint64(*damages)))
	byKind := map[string]*damageOutcomes{}
	var sum damageOutcomes
	for n := range *damages {
		what, name, b, size := m.damaged(rng)
		kind := filepath.Ext(name)
		if kind == "" {
			kind = name
		}
		if byKind[kind] == nil {
			byKind[kind] = &damageOutcomes{}
		}
		dir, err := os.MkdirTemp("", "damage")
		if err != nil {
			t.Fatal(err)
		}
		m.write(t, dir, name, b, size)
		m.try(t, dir, fmt.Sprintf("%d: %s in %s", n, what, name), byKind[kind], &sum)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	for kind, k := range byKind {
		t.Logf("%-11s %+v", kind, *k)
	}
	t.Logf("all         %+v", sum)
	if sum.refused*50 > sum.stores {
		t.Errorf("%d of %d stores could not be opened", sum.refused, sum.stores)
	}
}

func (m image) try(t *testing.T, dir, what string, kinds ...*damageOutcomes) {
	t.Helper()
	var k damageOutcomes
	defer func() {
		for _, sum := range kinds {
			sum.stores += k.stores
			sum.whole += k.whole
			sum.said += k.said
			sum.refused += k.refused
			sum.campaigns += k.campaigns
			sum.named += k.named
			sum.older += k.older
		}
	}()
	k.stores++
	db, err := badger.Open(t.Context(), m.at(dir))
	if err != nil {
		k.refused++
		if strings.Contains(err.Error(), "\n") || !errors.As(err, new(*store.DamagedError)) {
			t.Errorf("%s: opening says %q", what, err)
		}
		return
	}
	older, named, whole := 0, 0, 0
	for id, want := range m.want {
		got, err := body(t, db, id)
		switch corrupt := (*store.CorruptError)(nil); {
		case err == nil && got == want:
			whole++
		case errors.As(err, &corrupt):
			named++
		case err == nil, errors.Is(err, store.ErrNotFound):
			older++
		default:
			t.Errorf("%s: %s reads %v", what, id, err)
		}
	}
	said := db.Notices() // some of it is found as it is read
	if older > 0 && len(said) == 0 {
		t.Errorf("%s: %d campaigns are not what was saved, and nothing was said", what, older)
	}
	k.campaigns += len(m.want)
	k.named += named
	k.older += older
	if len(said) > 0 {
		k.said++
		if strings.Contains(strings.Join(said, ""), "\n") {
			t.Errorf("%s: it says %q", what, said)
		}
	}
	if named+older == 0 {
		k.whole++
	}
	if whole*2 < len(m.want) && !strings.Contains(what, "gone") && !strings.Contains(what, "cut") {
		t.Errorf("%s: only %d of %d campaigns are whole (%d named, %d older): %s", what, whole, len(m.want), named, older, said)
	}
	if err := put(db, t, "new", `{"n":1}`); err != nil {
		t.Errorf("%s: then nothing can be written: %v", what, err)
	}
	m.repairImage(t, db, what, named+older > 0)
	if err := db.Close(); err != nil {
		t.Errorf("%s: closing: %v", what, err)
	}
}

// repairImage repairs the store: the damage is found, and afterwards every remaining campaign can be read and nothing
// is left to repair.
func (m image) repairImage(t *testing.T, db *badger.DB, what string, wrong bool) {
	t.Helper()
	found, err := kv.Repair(t.Context(), db, nil)
	if err != nil {
		t.Errorf("%s: repairing: %v", what, err)
		return
	}
	if wrong && len(found.Findings) == 0 {
		t.Errorf("%s: the check finds nothing", what)
	}
	for _, f := range found.Findings {
		if f.Failed != "" {
			t.Errorf("%s: not mended: %+v", what, f)
		}
	}
	again, err := kv.Check(t.Context(), db, nil)
	if err != nil {
		t.Errorf("%s: checking: %v", what, err)
	}
	for _, f := range again.Findings {
		if f.Repair != "" {
			t.Errorf("%s: after the repair there is still: %s", what, f.What)
		}
	}
}
