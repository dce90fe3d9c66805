package index_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/engine/search/index/indextest"
	"bugle/engine/search/query"
)

// of returns an index of rows with these names, the first one changed last.
func of(names ...string) *index.Index {
	ix := index.New(index.Options{Now: func() time.Time { return noon }})
	for i, name := range names {
		ix.Put(engine.Summary{Name: name, Head: engine.Head{
			ID: fmt.Sprintf("%024x", i), Status: catalog.Draft, UpdatedAt: noon.Add(-time.Duration(i) * time.Minute),
		}})
	}
	return ix
}

func search(t testing.TB, ix *index.Index, text string) *index.Result {
	t.Helper()
	q, _ := query.Parse(text, query.Env{Now: noon})
	r, err := ix.Search(context.Background(), q, index.SearchOptions{Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(r *index.Result) []string {
	var out []string
	for _, row := range r.Rows(0, r.Len()) {
		out = append(out, row.Name)
	}
	return out
}

func TestRanking(t *testing.T) {
	ix := of("s-a-l-e letters", "wholesale prices", "winter sale", "Sale of the year", "sale", "sailing gear", "another SALE")
	for text, want := range map[string]string{
		"sale":         "sale|Sale of the year|winter sale|another SALE|wholesale prices|s-a-l-e letters",
		"ssale":        "",
		"sale year":    "Sale of the year",
		"sale of":      "Sale of the year",
		"winter sale":  "winter sale",
		"wsale":        "winter sale",
		`"ale o"`:      "Sale of the year",
		"sale -the":    "sale|winter sale|wholesale prices|s-a-l-e letters",
		"le sort:name": "another SALE|s-a-l-e letters|sale|Sale of the year|wholesale prices|winter sale",
		"":             "s-a-l-e letters|wholesale prices|winter sale|Sale of the year|sale|sailing gear|another SALE",
	} {
		if got := strings.Join(names(search(t, ix, text)), "|"); got != want {
			t.Errorf("%q finds %s, not %s", text, got, want)
		}
	}
}

func TestMatches(t *testing.T) {
	ix := of("Été: summer sale")
	for text, want := range map[string]string{
		"sale": "[{12 16}]", "ete sum": "[{0 3} {5 8}]", "smsl": "[{5 6} {7 8} {12 13} {14 15}]", "er": "[{9 11}]", "": "[]",
	} {
		if got := fmt.Sprint(search(t, ix, text).Matches(0)); got != want {
			t.Errorf("%q matches at %s, not %s", text, got, want)
		}
	}
}

// Typing on searches among what was found, and a row that comes meanwhile is found too.
func TestTypingOn(t *testing.T) {
	ix := of("summer sale", "summit", "sunny")
	for i, want := range []int{3, 3, 2, 2, 1} {
		if got := search(t, ix, "summe"[:i+1]).Len(); got != want {
			t.Errorf("%q finds %d, not %d", "summe"[:i+1], got, want)
		}
	}
	ix.Put(engine.Summary{Name: "more summer", Head: engine.Head{ID: "new", Status: catalog.Draft, UpdatedAt: noon}})
	if got := names(search(t, ix, "summer")); !slices.Equal(got, []string{"summer sale", "more summer"}) {
		t.Errorf("finds %q", got)
	}
}

// A result stays as it is while the index changes.
func TestResultIsOneMoment(t *testing.T) {
	ix := of("one", "two")
	r := search(t, ix, "")
	if r.Stale(noon) {
		t.Error("stale at once")
	}
	ix.Remove(fmt.Sprintf("%024x", 0))
	ix.Put(engine.Summary{Name: "TWO", Head: engine.Head{ID: fmt.Sprintf("%024x", 1), UpdatedAt: noon.Add(time.Hour)}})
	if got := names(r); !slices.Equal(got, []string{"one", "two"}) || !r.Stale(noon) {
		t.Errorf("became %q, stale %v", got, r.Stale(noon))
	}
	if got := names(search(t, ix, "")); !slices.Equal(got, []string{"TWO"}) {
		t.Errorf("now %q", got)
	}
}

func TestRowsRoundTrip(t *testing.T) {
	rows := indextest.Rows(3000, 7)
	rows[5].FlowID, rows[5].FlowName, rows[5].ParentID, rows[5].RejectionComment = "f", "flow", "p", "no"
	rows[6].ID, rows[6].CampaignID = "not an ObjectId", "other"
	rows[7].End = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
	if err := ix.Load(context.Background(), each(rows)); err != nil {
		t.Fatal(err)
	}
	for _, want := range rows {
		want.Head = engine.HeadAt(want, indextest.Now)
		got, ok := ix.Get(want.ID, indextest.Now)
		if !ok || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%+v came back as %+v", want, got)
		}
	}
}

func TestLoad(t *testing.T) {
	rows := indextest.Rows(5000, 1)
	ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
	broken := errors.New("broken")
	usable := false
	err := ix.Load(context.Background(), func(yield func(engine.Summary, error) bool) {
		for i, row := range rows {
			if i == 4000 { // the first rows can be searched by now: wait until they were taken
				for ix.Len() == 0 {
					runtime.Gosched()
				}
				n, complete := ix.Progress()
				usable = search(t, ix, "").Len() > 0 && n > 0 && !complete
			}
			if !yield(row, nil) {
				return
			}
		}
		yield(engine.Summary{}, broken)
	})
	if !errors.Is(err, broken) || !usable {
		t.Fatalf("error %v, usable %v", err, usable)
	}
	// Again: what is put meanwhile stays, what does not come goes.
	gone, newer := rows[10].ID, rows[20]
	newer.Name = "newer"
	err = ix.Load(context.Background(), func(yield func(engine.Summary, error) bool) {
		ix.Put(newer)
		ix.Remove(rows[30].ID)
		for i, row := range rows {
			if i != 10 && !yield(row, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := ix.Get(gone, noon); ok {
		t.Error("a row that did not come is there")
	}
	if _, ok := ix.Get(rows[30].ID, noon); ok {
		t.Error("a row that was removed is there")
	}
	if row, _ := ix.Get(newer.ID, noon); row.Name != "newer" {
		t.Errorf("the row that was put is %q", row.Name)
	}
	if n, complete := ix.Progress(); ix.Len() != 4998 || n != 4999 || !complete {
		t.Errorf("%d rows; progress %d, %v", ix.Len(), n, complete)
	}
}

func TestCanceled(t *testing.T) {
	ix := of("one")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	q, _ := query.Parse("one", query.Env{})
	if _, err := ix.Search(ctx, q, index.SearchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v", err)
	}
	if err := ix.Load(ctx, each(indextest.Rows(10, 1))); !errors.Is(err, context.Canceled) {
		t.Errorf("load: %v", err)
	}
}

// More results than are sorted at once come in the order of all rows.
func TestLongResults(t *testing.T) {
	rows := indextest.Rows(70_000, 3) // more than a block
	ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
	if err := ix.Load(context.Background(), each(rows)); err != nil {
		t.Fatal(err)
	}
	ix.Put(rows[60_000], rows[1]) // behind the others now, but no newer
	for text, less := range map[string]func(a, b engine.Summary) bool{
		"is:all":                 func(a, b engine.Summary) bool { return b.UpdatedAt.After(a.UpdatedAt) },
		"is:all sort:updated":    func(a, b engine.Summary) bool { return a.UpdatedAt.After(b.UpdatedAt) },
		"is:all sort:name":       func(a, b engine.Summary) bool { return query.Fold(a.Name) > query.Fold(b.Name) },
		"is:all sort:-name":      func(a, b engine.Summary) bool { return query.Fold(a.Name) < query.Fold(b.Name) },
		"is:all sort:by":         func(a, b engine.Summary) bool { return a.CreatedBy > b.CreatedBy },
		"is:all sort:-version":   func(a, b engine.Summary) bool { return a.Version < b.Version },
		"is:all sort:start":      func(a, b engine.Summary) bool { return a.Start.After(b.Start) },
		"is:all sort:-created a": func(a, b engine.Summary) bool { return a.CreatedAt.Before(b.CreatedAt) },
	} {
		q, _ := query.Parse(text, query.Env{})
		r, err := ix.Search(context.Background(), q, index.SearchOptions{Now: indextest.Now})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Rows(0, r.Len())
		if len(got) != r.Len() || len(got) < 20_000 {
			t.Fatalf("%q gives %d rows of %d", text, len(got), r.Len())
		}
		for i := 1; i < len(got); i++ {
			if less(got[i-1], got[i]) {
				t.Fatalf("%q: %d and %d are the wrong way round", text, i-1, i)
			}
		}
	}
}

// The same is found in many rows as by going through them, with the lexicon and without.
func TestManyRows(t *testing.T) {
	written := indextest.Rows(10_000, 3)
	made := indextest.Rows(70_000, 3)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range made {
		word := func() string { return strconv.FormatUint(random.Uint64()|1<<60, 26) }
		made[i].Name = strings.Map(letter, word()) + " " + strings.Map(letter, word()) // more than a lexicon holds
	}
	for _, rows := range [][]engine.Summary{written, made} {
		ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
		if err := ix.Load(context.Background(), each(rows)); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"s", "sa", "sal", "sale", "sale r", "2", "2025-03", "wlcm", "bts", "qzk", "\"gift guide\"", "caf", "café", "e", "-a"} {
			q, _ := query.Parse(text, query.Env{})
			r, err := ix.Search(context.Background(), q, index.SearchOptions{Now: indextest.Now})
			if err != nil {
				t.Fatal(err)
			}
			want, n := 0, naive{rows, q, indextest.Now}
			for _, row := range rows {
				if n.matches(row, "none") {
					want++
				}
			}
			if r.Len() != want {
				t.Errorf("%q finds %d, not %d", text, r.Len(), want)
			}
		}
	}
}

// letter turns digits into letters, so that there are words.
func letter(r rune) rune {
	if r >= '0' && r <= '9' {
		return 'q' + r - '0'
	}
	return r
}

// Rows that were replaced are cleared away in the end; results from before stay right.
func TestManyChanges(t *testing.T) {
	rows := indextest.Rows(100, 1)
	ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
	ix.Put(rows...)
	before := search(t, ix, "is:all sort:name")
	want := fmt.Sprint(search(t, ix, "is:all sort:name").Rows(0, 100))
	changes := slices.Repeat(rows[:1], 70_000)
	ix.Put(changes...)
	if got := fmt.Sprint(search(t, ix, "is:all sort:name").Rows(0, 101)); got != want {
		t.Errorf("after many changes %s, not %s", got, want)
	}
	if got := fmt.Sprint(before.Rows(0, 101)); got != want || before.Find(rows[0].ID) < 0 {
		t.Errorf("the result from before has %s, not %s", got, want)
	}
}

func TestConcurrent(t *testing.T) {
	rows := indextest.Rows(4000, 5)
	ix := index.New(index.Options{Now: func() time.Time { return indextest.Now }})
	var wg sync.WaitGroup
	loading := make(chan struct{})
	wg.Go(func() {
		err := ix.Load(context.Background(), func(yield func(engine.Summary, error) bool) {
			close(loading)
			each(rows)(yield)
		})
		if err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		<-loading // what was removed before would come back
		for i, row := range rows[:300] {
			row.Name = fmt.Sprint("changed ", i)
			ix.Put(row)
			ix.Remove(rows[1000+i].ID)
		}
	})
	for k := range 3 {
		wg.Go(func() {
			for i := range 40 {
				text := []string{"sale", "su", "sum", "changed", "status:active", "sort:name", "tag:sale updated:<90d"}[(i+k)%7]
				q, _ := query.Parse(text, query.Env{Values: ix.Values})
				r, err := ix.Search(context.Background(), q, index.SearchOptions{Now: indextest.Now.Add(time.Duration(i) * time.Hour)})
				if err != nil {
					t.Error(err)
					return
				}
				if got := r.Rows(0, r.Len()); len(got) != r.Len() {
					t.Errorf("%q gives %d rows of %d", text, len(got), r.Len())
				}
				if r.Len() > 0 {
					r.Matches(r.Len() - 1)
				}
				if _, err := r.Facets(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if ix.Len() != 3700 {
		t.Errorf("%d rows", ix.Len())
	}
}
