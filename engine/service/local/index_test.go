package local_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/engine/service/local"
	"bugle/store"
)

// twins are two services of one workspace: one that keeps an index, and one that scans the store.
type twins struct {
	*bench
	scanning *local.Service
	ids      []string
}

func newTwins(t testing.TB) *twins {
	b := newBench(t, local.Options{})
	library(b)
	scanning, err := local.Open(b.db, "TEST", local.Options{Clock: b.clock.Now})
	b.ok(err)
	scanning.Scanning()
	t.Cleanup(func() { b.Close() })
	w := &twins{bench: b, scanning: scanning}
	rows, err := scanning.List(b.ctx, engine.ListQuery{Archived: true})
	b.ok(err)
	for _, r := range rows {
		w.ids = append(w.ids, r.ID)
	}
	w.load()
	return w
}

// load waits until the index is complete.
func (w *twins) load() {
	w.t.Helper()
	ix, ok := w.Index(w.ctx)
	if !ok {
		w.t.Fatal("there is no index")
	}
	for complete := false; !complete; {
		n, done, err := ix.Wait(w.ctx, ix.Len())
		w.ok(err)
		if complete = done; !done && n < 0 {
			w.t.Fatal(n)
		}
	}
}

func draw[T any](t *rapid.T, name string, list ...T) T { return rapid.SampledFrom(list).Draw(t, name) }

// some gives none, one or two of a list.
func some[T comparable](t *rapid.T, name string, list ...T) []T {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(list), 0, 2, rapid.ID[T]).Draw(t, name)
}

var namesOfTwins = []string{"Alpha Spring", "spring sale 20%", "Été à Paris", "ÉTÉ", "STRASSE", "straße", "ſale Kelvin", "İstanbul", "日本 sale", "a", ""}

// write does something to the campaigns, or is refused.
func (w *twins) write(t *rapid.T) {
	id := draw(t, "id", w.ids...)
	name := draw(t, "name", namesOfTwins...)
	switch op := draw(t, "op", "create", "create", "save", "update", "publish", "status", "archive", "restore", "delete", "clone", "clock", "back"); op {
	case "create":
		head := draw(t, "head", emailHead, pushHead)
		out, err := w.Create(w.ctx, engine.CreateRequest{Body: parse(t, `{%s,"basic_details":{"name":%q,"tags":["sale"]}}`, head, name)})
		if err == nil {
			w.ids = append(w.ids, out.ID)
		}
	case "save":
		c, err := w.Get(w.ctx, id)
		if err != nil {
			return
		}
		body := engine.WithName(c.Body, name)
		if draw(t, "whole", true, false) {
			body = parse(t, `{%s,%s}`, emailParts, draw(t, "when", asap, fixed))
		}
		_, _ = w.Save(w.ctx, engine.SaveRequest{ID: id, Body: body, Revision: c.Revision, Coalesce: draw(t, "coalesce", true, false)})
	case "update":
		_, _ = w.Update(w.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"basic_details":{"name":%q,"content_type":"TRANSACTIONAL","tags":["x"]}}`, name)})
	case "publish":
		_, _ = w.Publish(w.ctx, engine.PublishRequest{ID: id})
	case "status":
		_, _ = w.ChangeStatus(w.ctx, engine.StatusRequest{ID: id, Action: draw(t, "action", catalog.Stop, catalog.Pause, catalog.Resume)})
	case "archive":
		_ = w.Archive(w.ctx, id, author)
	case "restore":
		_ = w.Restore(w.ctx, id, author)
	case "delete":
		_ = w.Delete(w.ctx, id)
	case "clone":
		if out, err := w.Clone(w.ctx, id, author); err == nil {
			w.ids = append(w.ids, out.ID)
		}
	case "clock":
		w.clock.Add(draw(t, "ahead", time.Second, time.Hour, 40*24*time.Hour))
	case "back":
		w.clock.Add(-draw(t, "behind", time.Second, 24*time.Hour))
	}
}

// drawSearch gives a search.
func (w *twins) drawSearch(t *rapid.T) engine.SearchRequest {
	r := engine.SearchRequest{
		Channels: some(t, "channels", catalog.Push, catalog.Email, catalog.SMS), Status: some(t, "states", catalog.States...),
		DeliveryTypes: some(t, "types", catalog.OneTime, catalog.Periodic, catalog.EventTriggered),
		CreatedBy:     some(t, "by", author, "bo@example.com", "nobody@example.com"), Tags: some(t, "tags", "sale", "x", "none"),
		Name:     draw(t, "part", "", "", "spring", "SALE", "é", "straß", "ẞ", "s", "K", "i", "本 s", "20%", "nothing", " "),
		Children: draw(t, "children", true, false), Archived: draw(t, "archived", true, false),
		Limit: draw(t, "limit", 1, 3, 15), Page: draw(t, "page", 1, 1, 2, 1<<62),
	}
	switch draw(t, "more", "", "", "", "ids", "version", "created") {
	case "ids":
		r.IDs = []string{draw(t, "one", append(w.ids, "v", "gone")...), draw(t, "two", w.ids...)}
	case "version":
		r.Version = draw(t, "version", 1, 2)
	case "created":
		day := func(d int) time.Time { return time.Date(2026, 10, d, 8, 0, 0, 0, time.UTC) }
		r.Created = engine.DateRange{From: draw(t, "from", time.Time{}, day(2)), To: draw(t, "to", time.Time{}, day(4), day(60))}
	}
	return r
}

func same(t *rapid.T, what string, indexed, scanned any, err1, err2 error) {
	if err := cmp.Or(err1, err2); err != nil {
		t.Fatal(what, err)
	}
	if got, want := asJSON(t, indexed), asJSON(t, scanned); got != want {
		t.Fatalf("%s\nindex: %s\nscan:  %s", what, got, want)
	}
}

// Searches, meta and the list say the same of an index that followed every write as of the store.
func TestIndexAgreesWithTheStore(t *testing.T) {
	w := newTwins(t)
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 6).Draw(t, "writes") {
			w.write(t)
		}
		r := w.drawSearch(t)
		a, err1 := w.Search(w.ctx, r)
		b, err2 := w.scanning.Search(w.ctx, r)
		same(t, fmt.Sprintf("search %+v", r), a, b, err1, err2)

		m := engine.MetaRequest{
			Channels: r.Channels, CreatedBy: r.CreatedBy, Created: r.Created, Name: r.Name, Status: r.Status, Tags: r.Tags,
			Limit: r.Limit, Page: r.Page, Children: r.Children, Archived: r.Archived,
		}
		if len(r.IDs) > 0 {
			m = engine.MetaRequest{ID: r.IDs[0], Limit: r.Limit, Page: 1}
		}
		c, err1 := w.Meta(w.ctx, m)
		d, err2 := w.scanning.Meta(w.ctx, m)
		for i := range c { // each service has estimates of its own
			c[i].Reachability = nil
		}
		for i := range d {
			d[i].Reachability = nil
		}
		same(t, fmt.Sprintf("meta %+v", m), c, d, err1, err2)

		q := engine.ListQuery{Archived: r.Archived}
		e, err1 := w.List(w.ctx, q)
		f, err2 := w.scanning.List(w.ctx, q)
		same(t, "list", e, f, err1, err2)
	})
}

// Writers at once, while the index loads and repairs begin it anew: in the end it is what the store is.
func TestIndexFollowsWritersAtOnce(t *testing.T) {
	b := newBench(t, local.Options{})
	t.Cleanup(func() { b.Close() })
	var shared []string
	for range 4 {
		shared = append(shared, b.create(`{%s}`, pushHead))
	}
	var writers sync.WaitGroup
	for n := range 8 {
		writers.Go(func() {
			for i := range 40 {
				id := shared[(n+i)%len(shared)]
				if c, err := b.Get(b.ctx, id); err == nil {
					_, _ = b.Save(b.ctx, engine.SaveRequest{ID: id, Body: engine.WithName(c.Body, fmt.Sprint(n, i)), Revision: c.Revision})
				}
				out, err := b.Create(b.ctx, engine.CreateRequest{Body: parse(t, `{%s}`, emailHead)})
				if err != nil {
					t.Error(err)
					return
				}
				if i%3 == 0 {
					_ = b.Delete(b.ctx, out.ID)
				}
				if n == 0 && i == 10 {
					b.Index(b.ctx)
				}
				if n == 1 && i%10 == 0 {
					b.Reindex()
				}
			}
		})
	}
	writers.Wait()
	w := &twins{bench: b}
	w.load()
	scanning, err := local.Open(b.db, "TEST", local.Options{Clock: b.clock.Now})
	b.ok(err)
	scanning.Scanning()
	got, err := b.List(b.ctx, engine.ListQuery{Archived: true})
	b.ok(err)
	want, err := scanning.List(b.ctx, engine.ListQuery{Archived: true})
	b.ok(err)
	if asJSON(t, got) != asJSON(t, want) {
		t.Errorf("%d rows in the index, %d in the store", len(got), len(want))
	}
}

// A write is in the answer of the next search, and what is changed behind the service's back after
// Reindex.
func TestReindex(t *testing.T) {
	w := newTwins(t)
	id := w.create(`{%s,"basic_details":{"name":"here"}}`, pushHead)
	find := func() string {
		rows, err := w.Search(w.ctx, engine.SearchRequest{Name: "here", Status: []engine.State{catalog.Draft}, Limit: 15, Page: 1})
		w.ok(err)
		return ids(rows)
	}
	if got := find(); got != id {
		t.Fatalf("found %q", got)
	}
	w.ok(w.Delete(w.ctx, id))
	if got := find(); got != "" {
		t.Fatalf("found %q, which is deleted", got)
	}
	w.store(engine.Campaign{Head: engine.Head{ID: id, Status: catalog.Draft, Channel: catalog.Push}, Body: parse(t, `{"basic_details":{"name":"here"}}`)})
	w.Reindex()
	w.load()
	if got := find(); got != id {
		t.Errorf("found %q of what was brought back", got)
	}
}

// A search that the store answers otherwise than the index does is made of the store.
func TestStoreOverIndex(t *testing.T) {
	w := newTwins(t)
	id := slices.Max(w.ids)
	w.ok(w.db.Write(w.ctx, func(tx store.Tx) error { return tx.Workspace("TEST").DeleteCampaign(id) }))
	r := engine.SearchRequest{Limit: 15, Page: 1, Children: true, Archived: true}
	got, err := w.Search(w.ctx, r)
	w.ok(err)
	want, err := w.scanning.Search(w.ctx, r)
	w.ok(err)
	if ids(got) != ids(want) {
		t.Errorf("got %s, want %s", ids(got), ids(want))
	}
}

// Who has the index hears when nobody keeps it current any more.
func TestIndexIsClosed(t *testing.T) {
	w := newTwins(t)
	ix, _ := w.Index(w.ctx)
	w.ok(w.Close())
	select {
	case <-ix.Closed():
	default:
		t.Error("the index was not left")
	}
	if _, ok := index.For(w.ctx, w.Service); ok {
		t.Error("a closed service keeps an index")
	}
	if _, err := w.List(w.ctx, engine.ListQuery{}); err != nil {
		t.Errorf("the list after the end: %v", err)
	}
}

// A load that fails says why to those who wait for it, and is tried again when it is asked for.
func TestIndexThatCannotBeLoaded(t *testing.T) {
	b := newBench(t, local.Options{})
	b.ok(b.db.Close())
	ix, ok := b.Index(b.ctx)
	if !ok {
		t.Fatal("no index")
	}
	if _, _, err := ix.Wait(b.ctx, 0); !errors.Is(err, store.ErrClosed) {
		t.Errorf("waiting: %v", err)
	}
	again, ok := b.Index(b.ctx)
	if !ok || again == ix {
		t.Error("the failed index is given again")
	}
	b.ok(b.Close())
}

// A profile that cannot be read ends the estimate, and a slow one does not hold up the others' answer
// longer than the caller waits.
func TestReachEndsWithItsCaller(t *testing.T) {
	b := newBench(t, local.Options{})
	library(b)
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if _, err := b.Meta(ctx, engine.MetaRequest{Limit: 15, Page: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	b.ok(b.Close())
	rows, err := b.Meta(b.ctx, engine.MetaRequest{Limit: 15, Page: 1, Status: []engine.State{catalog.Scheduled}})
	b.ok(err)
	if len(rows) != 1 || rows[0].Reachability != nil {
		t.Errorf("after the end: %+v", rows)
	}
}
