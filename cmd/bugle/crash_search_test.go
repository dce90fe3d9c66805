//go:build linux || darwin || freebsd

package main

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
)

// crashPages is how many pages of an answer are held against a scan.
const crashPages = 12

// searches compares the results of search and meta with a scan of the documents.
func (c *crashCheck) searches() {
	newest := make([]engine.Campaign, 0, len(c.docs))
	for _, d := range c.docs {
		newest = append(newest, d)
	}
	slices.SortFunc(newest, func(a, b engine.Campaign) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.ID, b.ID))
	})
	for _, q := range []engine.SearchRequest{
		{Status: []engine.State{catalog.Draft}},
		{Status: []engine.State{catalog.Paused, catalog.Scheduled, catalog.Active}},
		{Status: []engine.State{catalog.Stopped, catalog.Archived}, Archived: true},
		{Status: []engine.State{catalog.Draft}, Name: "LEFT-"},
		{Status: []engine.State{catalog.Draft, catalog.Scheduled}, Channels: []engine.Channel{catalog.Email}, Tags: []string{"changed"}},
		{Channels: []engine.Channel{catalog.Push}, Status: []engine.State{catalog.Paused}, DeliveryTypes: []engine.DeliveryType{catalog.EventTriggered}},
	} {
		c.search(q, newest)
	}
}

func (c *crashCheck) search(q engine.SearchRequest, newest []engine.Campaign) {
	var want []engine.Campaign
	for _, d := range newest {
		sum := engine.Summarize(d)
		if slices.Contains(q.Status, d.Status) && (len(q.Channels) == 0 || slices.Contains(q.Channels, d.Channel)) &&
			(len(q.DeliveryTypes) == 0 || slices.Contains(q.DeliveryTypes, d.DeliveryType)) &&
			(len(q.Tags) == 0 || sum.HasTag(q.Tags)) && strings.Contains(strings.ToLower(sum.Name), strings.ToLower(q.Name)) {
			want = append(want, d)
		}
	}
	q.Limit = engine.PageSize
	for q.Page = 1; q.Page <= crashPages; q.Page++ {
		from := min((q.Page-1)*q.Limit, len(want))
		page := want[from:min(from+q.Limit, len(want))]
		got, err := c.svc.Search(c.ctx(), q)
		rows, err2 := c.svc.Meta(c.ctx(), engine.MetaRequest{
			Channels: q.Channels, Name: q.Name, Status: q.Status, Tags: q.Tags, Limit: q.Limit, Page: q.Page, Archived: q.Archived,
			DeliveryType: append(q.DeliveryTypes, "")[0],
		})
		c.m.count("pages compared")
		if err != nil || err2 != nil || len(got) != len(page) || len(rows) != len(page) {
			c.m.report("page %d of %+v has %d campaigns (%v) and %d rows (%v), and there are %d", q.Page, q, len(got), err, len(rows), err2, len(page))
			return
		}
		for i, d := range page {
			if got[i].ID != d.ID || sumOf(got[i].Body) != sumOf(d.Body) || asJSON(rows[i].Summary) != asJSON(engine.Summarize(d)) {
				c.m.report("page %d of %+v has %s and %s where %s is", q.Page, q, got[i].ID, rows[i].ID, d.ID)
			}
		}
		if len(page) < q.Limit {
			return
		}
	}
}

// repeatAll repeats every call that was acknowledged over HTTP, and checks that this changes nothing.
func (s *crashSite) repeatAll(t *testing.T) {
	t.Helper()
	before := s.model.counted("campaigns")
	messages := s.model.counted("messages")
	ctx, end := context.WithTimeout(t.Context(), 10*time.Minute)
	defer end()
	server := &crashProc{kind: crashServe, slot: crashServe, alone: true, cmd: serveCommand()}
	if !s.start(ctx, server, s.hearServer) {
		return
	}
	c := &crashClient{s: s, rnd: rand.New(rand.NewPCG(s.seed, 5)), http: &http.Client{Timeout: time.Minute}}
	for _, a := range s.model.answers {
		c.repeat(ctx, a)
	}
	server.killed.Store(true)
	if err := server.cmd.Process.Kill(); err != nil {
		t.Errorf("the server: %v", err)
	}
	<-server.gone
	f := s.factory()
	defer f.Close()
	svc, err := f.Service(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := svc.List(t.Context(), engine.ListQuery{Archived: true})
	sent, err2 := svc.Outbox(t.Context(), 0)
	if err != nil || err2 != nil || len(rows) != before || len(sent) != messages {
		t.Errorf("repeated calls made %d campaigns of %d (%v) and %d messages of %d (%v)", len(rows), before, err, len(sent), messages, err2)
	}
}
