package index_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"bugle/engine/search/index"
	"bugle/engine/search/index/indextest"
	"bugle/engine/search/query"
)

const million = 1_000_000

// filled is an index of a million rows, made once for all benchmarks.
var filled = sync.OnceValue(func() *index.Index {
	ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
	if err := ix.Load(context.Background(), indextest.All(million, 1)); err != nil {
		panic(err)
	}
	return ix
})

// typed are texts as people type them, one search after each letter.
var typed = []string{
	"summer sale", "cart rem", "onboarding", "blackfri", "wlcm", "status:draft newsletter", "flash deal -tag:test",
	"price drop updated:<30d", "tag:sale loyalty", "ann.lee", "qz", "\"gift guide\"", "2025-03", "ste oening",
}

func BenchmarkSearch_1M(b *testing.B) {
	ix := filled()
	ctx := context.Background()
	look(b, ix, "sort:updated")
	var took []time.Duration
	for b.Loop() {
		for _, text := range typed {
			for i := 1; i <= len(text); i++ {
				began := time.Now()
				q, _ := query.Parse(text[:i], query.Env{Now: indextest.Now})
				r, err := ix.Search(ctx, q, index.SearchOptions{Now: indextest.Now})
				if err != nil {
					b.Fatal(err)
				}
				r.Rows(0, 50)
				took = append(took, time.Since(began))
			}
		}
	}
	report(b, took)
}

// report tells the median and the slowest of keystrokes.
func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	at := func(p float64) float64 { return took[int(p*float64(len(took)-1))].Seconds() * 1000 }
	b.ReportMetric(at(0.5), "ms-p50/key")
	b.ReportMetric(at(0.99), "ms-p99/key")
	b.ReportMetric(at(1), "ms-max/key")
	b.ReportMetric(0, "ns/op")
}

func look(b *testing.B, ix *index.Index, text string) *index.Result {
	b.Helper()
	q, problems := query.Parse(text, query.Env{Now: indextest.Now})
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	r, err := ix.Search(context.Background(), q, index.SearchOptions{Now: indextest.Now})
	if err != nil {
		b.Fatal(err)
	}
	r.Rows(0, 50)
	return r
}

// Each first letter once, with nothing known from the keystrokes before.
func BenchmarkFirstLetter_1M(b *testing.B) {
	ix := filled()
	var took []time.Duration
	for b.Loop() {
		for c := 'a'; c <= 'z'; c++ {
			began := time.Now()
			look(b, ix, string(c))
			took = append(took, time.Since(began))
		}
	}
	report(b, took)
}

func BenchmarkFacets(b *testing.B) {
	ix := filled()
	for _, text := range []string{"", "sale", "status:draft channel:push tag:sale", "qzx"} {
		b.Run(text, func(b *testing.B) {
			r := look(b, ix, text)
			for b.Loop() {
				if _, err := r.Facets(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The rows are made while they are indexed, as a store reads them while they are.
func BenchmarkLoad_1M(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		b.StartTimer()
		ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
		if err := ix.Load(context.Background(), indextest.All(million, 1)); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/million, "B/row")
		runtime.KeepAlive(ix)
		b.StartTimer()
	}
}

func BenchmarkPut_1M(b *testing.B) {
	ix := filled()
	row := look(b, ix, "sort:-updated").Row(0)
	for b.Loop() {
		row.UpdatedAt = row.UpdatedAt.Add(time.Millisecond)
		ix.Put(row)
	}
}

func BenchmarkSort_1M(b *testing.B) {
	ix := filled()
	ix.Warm(context.Background())
	for _, column := range query.Columns {
		b.Run(string(column), func(b *testing.B) {
			for b.Loop() {
				look(b, ix, "sort:"+string(column))
			}
		})
	}
}

// The orders of all columns, made anew.
func BenchmarkWarm_1M(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
		if err := ix.Load(context.Background(), indextest.All(million, 1)); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		ix.Warm(context.Background())
	}
}
