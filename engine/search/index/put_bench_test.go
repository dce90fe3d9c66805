package index_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/engine/search/index/indextest"
)

func filled100k(b *testing.B) *index.Index {
	ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
	if err := ix.Load(context.Background(), indextest.All(100_000, 1)); err != nil {
		b.Fatal(err)
	}
	return ix
}

// A row is put, and a page is asked for: what a write costs who searches.
func BenchmarkPutAndPage_100k(b *testing.B) {
	ix := filled100k(b)
	rows, err := ix.Page(b.Context(), index.Filter{}, indextest.Now, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		row := rows[0]
		row.Revision += int64(i) + 1
		row.UpdatedAt = row.UpdatedAt.Add(time.Duration(i))
		ix.PutNewer(row)
		if _, err := ix.Page(b.Context(), index.Filter{Status: []catalog.State{catalog.Active}}, indextest.Now, 0, 15); err != nil {
			b.Fatal(err)
		}
	}
}

// A row is put and nobody looks.
func BenchmarkPut_100k(b *testing.B) {
	ix := filled100k(b)
	rows := indextest.Rows(100, 2)
	for i := 0; b.Loop(); i++ {
		row := rows[i%100]
		row.ID = fmt.Sprintf("%024x", i)
		ix.PutNewer(row)
	}
}
