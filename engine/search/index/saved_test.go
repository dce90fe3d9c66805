package index_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/engine/search/index/indextest"
)

func saved(t interface{ Fatal(...any) }, ix *index.Index) []byte {
	var b bytes.Buffer
	n, err := ix.WriteTo(&b)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(b.Len()) {
		t.Fatal("wrote", b.Len(), "and said", n)
	}
	return b.Bytes()
}

// restored returns an index that was read back, with rows that were written since.
func restored(t interface{ Fatal(...any) }, b []byte, now func() time.Time, since ...engine.Summary) *index.Index {
	ix := index.New(index.Options{Now: now})
	err := ix.Restore(func(func([]engine.Summary)) (*index.Saved, error) {
		s, err := index.Read(bytes.NewReader(b), index.Options{Now: now})
		if err == nil {
			s.Put(since...)
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// An index that was saved and read back, whatever was done to it before and is done to it after, finds and
// counts what going through all rows does.
func TestSavedSameAsNaive(t *testing.T) {
	checks := flag.Lookup("rapid.checks").Value
	was := checks.String()
	if err := checks.Set("30"); err != nil { // each makes and reads some ten indexes
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Set(was) })
	rapid.Check(t, func(t *rapid.T) {
		now := noon
		clock := func() time.Time { return now }
		ix := index.New(index.Options{Now: clock})
		rows := map[string]engine.Summary{}
		draw := func(t *rapid.T, most int) (put []engine.Summary) {
			for range rapid.IntRange(0, most).Draw(t, "n") {
				row := drawRow(t)
				if rapid.IntRange(0, 20).Draw(t, "far") == 0 {
					row.CreatedAt = time.Date(rapid.SampledFrom([]int{1, 1700, 2300, 9999}).Draw(t, "year"), 3, 4, 5, 6, 7, rapid.IntRange(0, 999_999_999).Draw(t, "ns"), time.UTC)
				}
				if rapid.IntRange(0, 9).Draw(t, "version of another") == 0 {
					row.CampaignID, row.Version, row.ParentID = "first "+row.ID, 3, "p"
				}
				rows[row.ID] = row
				put = append(put, row)
			}
			return put
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) { ix.Put(draw(t, 20)...) },
			"remove": func(t *rapid.T) {
				id := drawRow(t).ID
				delete(rows, id)
				ix.Remove(id)
			},
			"save": func(t *rapid.T) {
				b := saved(t, ix)
				ix = restored(t, b, clock, draw(t, 5)...)
				if ix.Len() != len(rows) {
					t.Fatal("there are", ix.Len(), "rows, not", len(rows))
				}
			},
			"clock": func(*rapid.T) { now = now.Add(time.Duration(rapid.IntRange(-300, 500).Draw(t, "hours")) * time.Hour) },
			"": func(t *rapid.T) {
				check(t, ix, sorted(rows), now)
				for id, row := range rows {
					row.Head = engine.HeadAt(row, now)
					got, ok := ix.Get(id, now)
					if got.CampaignID == got.ID && row.UpdatedBy == "" {
						got.UpdatedBy = row.UpdatedBy
					}
					if !ok || fmt.Sprint(got) != fmt.Sprint(row) {
						t.Fatalf("%s is\n%v\nnot\n%v", id, got, row)
					}
				}
			},
		})
	})
}

// What is put and removed while a saved index is read is newer than what it has.
func TestRestoreWhileWritten(t *testing.T) {
	clock := func() time.Time { return indextest.Now }
	rows := indextest.Rows(100, 1)
	old := index.New(index.Options{Now: clock})
	old.Put(rows...)
	b := saved(t, old)
	ix := index.New(index.Options{Now: clock})
	changed := rows[3]
	changed.Name, changed.ID = "odd", "no ObjectId"
	replaced := rows[4]
	replaced.Name = "replaced"
	err := ix.Restore(func(show func([]engine.Summary)) (*index.Saved, error) {
		show(rows[:10])
		if n, complete, err := ix.Wait(t.Context(), 0); n != 10 || complete || err != nil || ix.Len() != 10 {
			t.Error("what is shown cannot be searched:", n, complete, err)
		}
		ix.Put(changed, replaced)
		ix.Remove(rows[5].ID)
		return index.Read(bytes.NewReader(b), index.Options{Now: clock})
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, complete := ix.Progress(); n != 100 || !complete || ix.Len() != 100 {
		t.Errorf("it has taken %d of 100 rows, complete %t, and has %d", n, complete, ix.Len())
	}
	for id, want := range map[string]string{changed.ID: "odd", replaced.ID: "replaced", rows[6].ID: rows[6].Name} {
		if got, _ := ix.Get(id, indextest.Now); got.Name != want {
			t.Errorf("%s is named %q, not %q", id, got.Name, want)
		}
	}
	if _, ok := ix.Get(rows[5].ID, indextest.Now); ok {
		t.Error("a row that was removed is there again")
	}
}

// Several blocks, of which some rows are gone, are read back whole; what is cut or changed anywhere is refused.
func TestSavedBlocks(t *testing.T) {
	clock := func() time.Time { return indextest.Now }
	ix := index.New(index.Options{Now: clock})
	rows := indextest.Rows(70_000, 1) // more than a block has
	ix.Put(rows...)
	for i := 0; i < len(rows); i += 7 {
		ix.Remove(rows[i].ID)
	}
	b := saved(t, ix)
	again := restored(t, b, clock)
	if again.Len() != ix.Len() {
		t.Fatalf("it has %d rows, not %d", again.Len(), ix.Len())
	}
	for i, row := range rows {
		if i > 21 && (i%7 == 0 || i%11 > 0) {
			continue // it takes long to find out that a row is not there, and to compare all others
		}
		got, ok := again.Get(row.ID, indextest.Now)
		want, there := ix.Get(row.ID, indextest.Now)
		if ok != there || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("row %d is\n%v\nnot\n%v", i, got, want)
		}
	}
	for i := 1; i < 12; i += 2 {
		at := len(b) * i / 12
		bad := bytes.Clone(b)
		bad[at] ^= 1 << (i % 8)
		for what, b := range map[string][]byte{"flipped": bad, "cut": b[:at]} {
			if _, err := index.Read(bytes.NewReader(b), index.Options{}); !errors.Is(err, index.ErrSaved) {
				t.Errorf("%s at %d: %v", what, at, err)
			}
		}
	}
	if _, err := index.Read(bytes.NewReader(append(bytes.Clone(b), 0)), index.Options{}); !errors.Is(err, index.ErrSaved) {
		t.Error("what is behind the end is taken:", err)
	}
	failed := errors.New("the disk has failed")
	if _, err := index.Read(io.MultiReader(bytes.NewReader(b[:len(b)/2]), fails{failed}), index.Options{}); !errors.Is(err, failed) {
		t.Error("a disk that fails is not told of:", err)
	}
}

type fails struct{ err error }

func (f fails) Read([]byte) (int, error) { return 0, f.err }

// Whatever bytes are read, with a checksum that fits, nothing panics, and what was taken can be searched and saved.
func FuzzRead(f *testing.F) {
	ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
	f.Add(saved(f, ix))
	ix.Put(indextest.Rows(5, 1)...)
	odd := indextest.Rows(6, 3)[5]
	odd.ID, odd.CampaignID, odd.FlowID, odd.CreatedAt = "odd", "another", "flow", time.Unix(math.MaxInt32*1000, 7)
	ix.Put(odd)
	f.Add(saved(f, ix))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 8 {
			b = b[:len(b)-8]
			b = binary.LittleEndian.AppendUint64(bytes.Clone(b), xxhash.Sum64(b))
		}
		s, err := index.Read(bytes.NewReader(b), index.Options{Now: func() time.Time { return indextest.Now }})
		if err != nil {
			return
		}
		ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
		if err := ix.Restore(func(func([]engine.Summary)) (*index.Saved, error) { return s, nil }); err != nil {
			t.Fatal(err)
		}
		ix.Put(odd)
		_ = ix.Values("tag")
		if _, err := ix.Page(t.Context(), index.Filter{}, indextest.Now, 0, 15); err != nil {
			t.Fatal(err)
		}
		restored(t, saved(t, ix), func() time.Time { return indextest.Now })
	})
}

func BenchmarkRestore_1M(b *testing.B) {
	clock := func() time.Time { return indextest.Now }
	ix := index.New(index.Options{Now: clock})
	if err := ix.Load(b.Context(), indextest.All(1_000_000, 1)); err != nil {
		b.Fatal(err)
	}
	data := saved(b, ix)
	b.ReportMetric(float64(len(data))/1e6, "B/row")
	for b.Loop() {
		restored(b, data, clock)
	}
}
