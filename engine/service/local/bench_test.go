package local_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/search/index"
	"bugle/engine/search/index/indextest"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/badger"
)

const manyCampaigns = 100_000

// filled is a store on disk with many campaigns, made once for all benchmarks. The newest have documents
// of 4.5 KB, as pages show them; the others' are short, so that it does not take minutes to make.
var filled = sync.OnceValues(func() (store.DB, error) {
	dir, err := os.MkdirTemp("", "bugle-bench-")
	if err != nil {
		return nil, err
	}
	swept = func() { _ = os.RemoveAll(dir) }
	ctx := context.Background()
	db, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	if _, err := local.CreateWorkspace(ctx, db, workspace()); err != nil {
		return nil, err
	}
	filter := `{"filter_type":"user_attributes","name":"City","data_type":"string","operator":"in","value":["Berlin","Paris","Rome"],"negate":false,"case_sensitive":false},`
	long, err := doc.Parse([]byte(`{` + emailParts + `,` + fixed + `,"filters":[` + strings.Repeat(filter, 14) + `{}],"html":"` + strings.Repeat("<p>Hello</p>", 120) + `"}`))
	if err != nil {
		return nil, err
	}
	rows := indextest.Rows(manyCampaigns, 1)
	for from := 0; from < len(rows); from += 100 {
		err := db.Write(ctx, func(tx store.Tx) error {
			for i, row := range rows[from:min(from+100, len(rows))] {
				body := doc.NewObject()
				if from+i < 5_000 {
					body = long
				}
				c := engine.Campaign{Head: row.Head, Body: engine.WithName(body, row.Name)}
				if _, err := tx.Workspace("TEST").PutCampaign(c, row, engine.Revision{At: row.UpdatedAt}, false); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return db, nil
})

// swept removes what benchmarks have left.
var swept = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	swept()
	os.Exit(code)
}

// benchService is a service of the store with many campaigns.
func benchService(b *testing.B) *local.Service {
	b.Helper()
	db, err := filled()
	if err != nil {
		b.Fatal(err)
	}
	s, err := local.Open(db, "TEST", local.Options{Clock: func() time.Time { return indextest.Now }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// indexed is a service whose index is complete.
func indexed(b *testing.B) *local.Service {
	s := benchService(b)
	ix, _ := s.Index(b.Context())
	for complete := false; !complete; {
		var err error
		if _, complete, err = ix.Wait(b.Context(), 1<<62); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// spent reports the time that processors worked, which other programs on the machine do not change.
func spent(b *testing.B) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began := used()
	return func() { b.ReportMetric(float64(used()-began)/float64(b.N)/1e3, "cpu-µs/op") }
}

var searchesOfBench = map[string]func(i int) engine.SearchRequest{
	"status+channel": func(i int) engine.SearchRequest {
		return engine.SearchRequest{
			Status:   []engine.State{catalog.States[i%len(catalog.States)]},
			Channels: []engine.Channel{[]engine.Channel{catalog.Push, catalog.Email}[i/7%2]}, Limit: 15, Page: 1,
		}
	},
	"name": func(i int) engine.SearchRequest {
		words := []string{"sale", "summer", "cart rem", "newsl", "20", "onboarding", "elcome", "gift guide", "price"}
		return engine.SearchRequest{Name: words[i%len(words)], Limit: 15, Page: 1}
	},
	"pages": func(i int) engine.SearchRequest { return engine.SearchRequest{Limit: 15, Page: 1 + i%300} },
}

func BenchmarkSearch100k(b *testing.B) {
	for name, r := range searchesOfBench {
		b.Run(name, func(b *testing.B) {
			s := indexed(b)
			for i := range 50 {
				if _, err := s.Search(b.Context(), r(i)); err != nil {
					b.Fatal(err)
				}
			}
			runtime.GC()
			cpu := spent(b)
			for i := 0; b.Loop(); i++ {
				if _, err := s.Search(b.Context(), r(i)); err != nil {
					b.Fatal(err)
				}
			}
			cpu()
		})
	}
}

// BenchmarkSearchScan100k is what a search takes while there is no index.
func BenchmarkSearchScan100k(b *testing.B) {
	s := benchService(b)
	s.Scanning()
	cpu := spent(b)
	for i := 0; b.Loop(); i++ {
		if _, err := s.Search(b.Context(), searchesOfBench["name"](i)); err != nil {
			b.Fatal(err)
		}
	}
	cpu()
}

func BenchmarkMeta100k(b *testing.B) {
	s := indexed(b)
	cpu := spent(b)
	for i := 0; b.Loop(); i++ {
		r := searchesOfBench["status+channel"](i)
		if _, err := s.Meta(b.Context(), engine.MetaRequest{Status: r.Status, Channels: r.Channels, Limit: 15, Page: 1}); err != nil {
			b.Fatal(err)
		}
	}
	cpu()
}

// Each search sees a row that was put before: what a write costs who searches.
func BenchmarkPutAndSearch100k(b *testing.B) {
	s := indexed(b)
	ix, _ := s.Index(b.Context())
	rows, err := ix.Page(b.Context(), index.Filter{}, indextest.Now, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	cpu := spent(b)
	for i := 0; b.Loop(); i++ {
		row := rows[0]
		row.Revision += int64(i) + 1
		row.UpdatedAt = row.UpdatedAt.Add(time.Duration(i))
		ix.PutNewer(row)
		if _, err := ix.Page(b.Context(), index.Filter{Status: []catalog.State{catalog.Active}}, indextest.Now, 0, 15); err != nil {
			b.Fatal(err)
		}
	}
	cpu()
}

// What a write adds where nobody looks.
func BenchmarkPut100k(b *testing.B) {
	s := indexed(b)
	ix, _ := s.Index(b.Context())
	rows, err := ix.Page(b.Context(), index.Filter{}, indextest.Now, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	cpu := spent(b)
	for b.Loop() {
		row := rows[0]
		row.ID = fmt.Sprintf("%024x", n.Add(1))
		ix.PutNewer(row)
	}
	cpu()
}

// BenchmarkLoad100k reads all summaries from disk into an index.
func BenchmarkLoad100k(b *testing.B) {
	benchService(b)
	cpu := spent(b)
	for b.Loop() {
		if err := indexed(b).Close(); err != nil {
			b.Fatal(err)
		}
	}
	cpu()
}
