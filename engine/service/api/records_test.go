package api_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store/mem"
)

// asking is a service that counts how often it is asked for a campaign.
type asking struct {
	*local.Service
	gets atomic.Int64
}

func (c *asking) Get(ctx context.Context, id string) (engine.Campaign, error) {
	c.gets.Add(1)
	return c.Service.Get(ctx, id)
}

// sampled is the API over the sample workspace, with the index complete.
type sampled struct {
	testing.TB
	http.Handler
	key   string
	clock *clock
	svc   *asking
}

func newSampled(t testing.TB) *sampled {
	s := &sampled{TB: t, clock: newClock()}
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	var err error
	if s.key, err = sample.Install(t.Context(), db, sample.Options{ID: "TEST", Now: s.clock.Now()}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "TEST", local.Options{Clock: s.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { svc.Close() })
	ix, ok := svc.Index(t.Context())
	if !ok {
		t.Fatal("there is no index")
	}
	if _, complete, err := ix.Wait(t.Context(), math.MaxInt); err != nil || !complete {
		t.Fatal(complete, err)
	}
	s.svc = &asking{Service: svc}
	s.Handler = api.New(api.Keys(func(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
		w, err := svc.Settings(ctx)
		return w, s.svc, err
	}), api.Options{Unlimited: true, Clock: s.clock.Now})
	return s
}

func (s *sampled) get(id string) answer {
	return send(s, s, request(s.Context(), "GET", campaigns+"/"+id, "", as("TEST", s.key), requestID("r-1")))
}

// same checks that an answer is the record of the campaign, as its document is encoded.
func (s *sampled) same(a answer, id string) {
	s.Helper()
	c, err := s.svc.Service.Get(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	if want := envelope(c.Record()); a.status != 200 || a.raw != want {
		s.Errorf("%s: got %d %s\nwant %s", id, a.status, a.raw, want)
	}
}

func envelope(data doc.Value) string {
	return string(doc.NewObject(doc.M("response_id", doc.NewString("r-1")), doc.M("type", doc.NewString("campaign")), doc.M("data", data)).Encode())
}

// Answers are the same bytes as the documents that they show, however they are put together.
func TestRecordsAreTheirDocuments(t *testing.T) {
	s := newSampled(t)
	rows, err := s.svc.List(t.Context(), engine.ListQuery{Archived: true})
	if err != nil || len(rows) < 10 {
		t.Fatal(len(rows), err)
	}
	for range 3 {
		for _, row := range rows {
			s.same(s.get(row.ID), row.ID)
		}
	}
	if n := s.svc.gets.Load(); n != int64(len(rows)) {
		t.Errorf("the service was asked %d times for %d campaigns", n, len(rows))
	}
	for page := 1; ; page++ {
		r := engine.SearchRequest{Limit: 7, Page: page, Archived: true, Children: true}
		found, err := s.svc.Search(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		vs := make([]doc.Value, len(found))
		for i, c := range found {
			vs[i] = c.Record()
		}
		body := fmt.Sprintf(`{"limit":7,"page":%d,"include_archive_campaigns":true,"include_child_campaigns":true}`, page)
		a := send(t, s, request(t.Context(), "POST", campaigns+"/search", body, as("TEST", s.key), requestID("r-1")))
		if want := envelope(doc.NewObject(doc.M("campaigns", doc.NewArray(vs...)))); a.raw != want {
			t.Errorf("page %d: got %s\nwant %s", page, a.raw, want)
		}
		if len(found) == 0 {
			return
		}
	}
}

// A record that is kept is never given once it is not what the campaign is.
func TestRecordsAreCurrent(t *testing.T) {
	s := newSampled(t)
	rows, err := s.svc.List(t.Context(), engine.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var draft, scheduled engine.Summary
	for _, row := range rows {
		switch {
		case row.Status == "DRAFT" && row.Channel == "PUSH":
			draft = row
		case row.Status == "SCHEDULED" && !row.Start.IsZero():
			scheduled = row
		}
	}
	for range 2 {
		s.same(s.get(draft.ID), draft.ID)
		s.get(scheduled.ID).is(200, "data.status", "SCHEDULED")
	}
	for i := range 3 {
		body := fmt.Sprintf(`{"updated_by":"ann@example.com","utm_params":{"utm_source":"s%d","utm_medium":"push"}}`, i)
		send(t, s, request(t.Context(), "PATCH", campaigns+"/"+draft.ID, body, as("TEST", s.key))).is(200)
		for range 2 {
			a := s.get(draft.ID)
			s.same(a, draft.ID)
			a.is(200, "data.utm_params.utm_source", fmt.Sprint("s", i))
		}
	}
	if err := s.svc.Delete(t.Context(), draft.ID); err != nil {
		t.Fatal(err)
	}
	s.get(draft.ID).is(404)

	gets := s.svc.gets.Load()
	s.clock.Add(scheduled.Start.Sub(s.clock.Now()) + time.Second)
	a := s.get(scheduled.ID)
	s.same(a, scheduled.ID)
	if a.at("data.status") == "SCHEDULED" || s.svc.gets.Load() != gets {
		t.Errorf("status %s behind its start; asked %d times", a.at("data.status"), s.svc.gets.Load()-gets)
	}

	// Another process may write once the service has let the store go.
	if err := s.svc.Close(); err != nil {
		t.Fatal(err)
	}
	s.same(s.get(scheduled.ID), scheduled.ID)
	if s.svc.gets.Load() != gets+1 {
		t.Error("a record was taken from the index of a service that is closed")
	}
}
