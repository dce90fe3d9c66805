package index_test

import (
	"context"
	"sync"
	"testing"
	"time"
	"unicode"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/engine/search/index/indextest"
	"bugle/engine/search/query"
)

// A part of a name is looked up as words are where it is ASCII: what is ASCII in lower case must then be
// the same folded.
func TestFoldedIsLowerWhereItIsASCII(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if low := unicode.ToLower(r); low < 0x80 && query.Fold(string(r)) != string(low) {
			t.Errorf("%q is %q in lower case and %q folded", r, low, query.Fold(string(r)))
		}
	}
}

// Times come back as they were, however far away they are.
func TestDistantTimes(t *testing.T) {
	ix := index.New(index.Options{})
	const near = int64(1<<62) / int64(time.Second)
	var rows []engine.Summary
	for i, at := range []time.Time{
		{}, time.Unix(0, 0), time.Unix(-1, 1), time.Unix(1, 999999999), time.Unix(near-1, 5), time.Unix(near, 5), time.Unix(-near, 5), time.Unix(-near-1, 7),
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC),
	} {
		if !at.IsZero() {
			at = at.UTC()
		}
		row := indextest.Rows(1, uint64(i))[0]
		row.ID, row.Start, row.End = row.ID[:22]+string(rune('a'+i/10))+string(rune('0'+i%10)), at, at
		rows = append(rows, row)
		ix.Put(row)
	}
	for _, want := range rows {
		got, ok := ix.Get(want.ID, indextest.Now)
		if !ok || !got.Start.Equal(want.Start) || got.End != want.End {
			t.Errorf("got %v and %v, want %v", got.Start, got.End, want.Start)
		}
	}
	page, err := ix.Page(context.Background(), index.Filter{Nested: true}, indextest.Now, 0, 100)
	if err != nil || len(page) != len(rows) {
		t.Errorf("%d rows, %v", len(page), err)
	}
}

// What was put is seen by who looks next, while others look all the time.
func TestPutIsSeenAtOnce(t *testing.T) {
	ix := index.New(index.Options{})
	done := make(chan struct{})
	var others sync.WaitGroup
	for range 2 {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					ix.Len()
				}
			}
		})
	}
	for i, row := range indextest.Rows(3_000, 1) {
		ix.PutNewer(row)
		if n := ix.Len(); n != i+1 {
			t.Errorf("%d rows, want %d", n, i+1)
			break
		}
	}
	close(done)
	others.Wait()
}
