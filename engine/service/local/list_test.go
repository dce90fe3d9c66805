package local_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/local"
)

// library fills a store with one campaign of each kind that the filters tell apart, named by letters.
func library(b *bench) {
	day := func(d int) time.Time { return time.Date(2026, 10, d, 8, 0, 0, 0, time.UTC) }
	row := func(id string, h engine.Head, body string) {
		h.ID = fmt.Sprintf("%024s", id)
		if h.CampaignID == "" {
			h.CampaignID = h.ID
		}
		if h.CreatedBy == "" {
			h.CreatedBy = author
		}
		b.store(engine.Campaign{Head: h, Body: parse(b.t, body)})
	}
	row("a", engine.Head{Status: catalog.Active, Channel: catalog.Push, DeliveryType: catalog.EventTriggered, CreatedAt: day(1)}, `{"basic_details":{"name":"Alpha Spring","tags":["sale","x"]}}`)
	row("b", engine.Head{Status: catalog.Draft, Channel: catalog.Email, DeliveryType: catalog.OneTime, CreatedAt: day(2), RejectionComment: "too loud"}, `{"basic_details":{"name":"Beta"}}`)
	row("c", engine.Head{Status: catalog.Archived, Channel: catalog.Email, DeliveryType: catalog.OneTime, CreatedAt: day(3)}, `{"basic_details":{"name":"Gamma"}}`)
	row("d", engine.Head{Status: catalog.Sent, Channel: catalog.SMS, DeliveryType: catalog.OneTime, CreatedAt: day(4), CreatedBy: "bo@example.com"}, `{"basic_details":{"name":"Delta spring"}}`)
	row("e", engine.Head{Status: catalog.Active, Channel: catalog.Push, DeliveryType: catalog.Periodic, CreatedAt: day(5), FlowID: "flow"}, `{}`)
	row("f", engine.Head{Status: catalog.Sent, Channel: catalog.Push, DeliveryType: catalog.Periodic, CreatedAt: day(6), ParentID: fmt.Sprintf("%024s", "a")}, `{}`)
	row("1", engine.Head{Status: catalog.Stopped, Channel: catalog.Push, DeliveryType: catalog.OneTime, CreatedAt: day(7), Version: 1, CampaignID: "v"}, `{}`)
	row("2", engine.Head{Status: catalog.Scheduled, Channel: catalog.Push, DeliveryType: catalog.OneTime, CreatedAt: day(7), Version: 2, CampaignID: "v"},
		`{"segmentation_details":{"is_all_user_campaign":true},"basic_details":{"team":"Growth","platforms":["IOS"]},`+fixed+`}`)
}

func ids(rows []engine.Campaign) string {
	out := ""
	for _, c := range rows {
		out += strings.TrimLeft(c.ID, "0") + " "
	}
	return strings.TrimSpace(out)
}

func TestSearch(t *testing.T) {
	b := newBench(t, local.Options{})
	library(b)
	oct := func(d int) time.Time { return time.Date(2026, 10, d, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name string
		r    engine.SearchRequest
		want string // newest change first, ids breaking ties
	}{
		{"all", engine.SearchRequest{}, "1 2 d a"},
		{"drafts when asked", engine.SearchRequest{Status: []engine.State{catalog.Draft}}, "b"},
		{"archived not, though listed", engine.SearchRequest{Status: []engine.State{catalog.Archived, catalog.Active}}, "a"},
		{"archived", engine.SearchRequest{Archived: true}, "1 2 d c a"},
		{"archived and listed", engine.SearchRequest{Archived: true, Status: []engine.State{catalog.Archived}}, "c"},
		{"children", engine.SearchRequest{Children: true}, "1 2 f e d a"},
		{"channel", engine.SearchRequest{Channels: []engine.Channel{catalog.SMS}}, "d"},
		{"type", engine.SearchRequest{DeliveryTypes: []engine.DeliveryType{catalog.OneTime}}, "1 2 d"},
		{"name", engine.SearchRequest{Name: "SPRING"}, "d a"},
		{"tags", engine.SearchRequest{Tags: []string{"y", "x"}}, "a"},
		{"by", engine.SearchRequest{CreatedBy: []string{"bo@example.com"}}, "d"},
		{"created", engine.SearchRequest{Created: engine.DateRange{From: oct(1), To: oct(5)}}, "d a"},
		{"version", engine.SearchRequest{Version: 2}, "2"},
		{"id", engine.SearchRequest{IDs: []string{fmt.Sprintf("%024s", "a")}}, "a"},
		{"campaign id", engine.SearchRequest{IDs: []string{"v"}}, "1 2"},
		{"state of now", engine.SearchRequest{Status: []engine.State{catalog.Scheduled}}, "2"},
		{"second page", engine.SearchRequest{Limit: 3, Page: 2}, "a"},
		{"past the end", engine.SearchRequest{Limit: 3, Page: 1 << 62}, ""},
	} {
		if tt.r.Limit == 0 {
			tt.r.Limit, tt.r.Page = 15, 1
		}
		rows, err := b.Search(b.ctx, tt.r)
		b.ok(err)
		if got := ids(rows); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, r := range []engine.SearchRequest{{Page: 1}, {Limit: 16, Page: 1}, {Limit: 1}, {Limit: 1, Page: -1}} {
		_, err := b.Search(b.ctx, r)
		refused(t, err, engine.ValidationFailed, 400)
	}
	b.clock.Add(60 * 24 * time.Hour) // past the start of 2
	rows, err := b.Search(b.ctx, engine.SearchRequest{Limit: 15, Page: 1, Status: []engine.State{catalog.Sent}})
	b.ok(err)
	if got := ids(rows); got != "2 d" || rows[0].Status != catalog.Sent {
		t.Errorf("the clock moves states in search: %q", got)
	}
}

func TestMeta(t *testing.T) {
	b := newBench(t, local.Options{})
	library(b)
	rows, err := b.Meta(b.ctx, engine.MetaRequest{Limit: 15, Page: 1, DeliveryType: catalog.OneTime, Status: []engine.State{catalog.Scheduled, catalog.Draft}})
	b.ok(err)
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	want := `{"campaign_id":"v","version_number":2,"channel":"PUSH","platform":["IOS"],"created_by":"ann@example.com","campaign_delivery_type":"ONE_TIME",` +
		`"campaign_team":"Growth","campaign_tags":[],"campaign_status":"SCHEDULED","campaign_start_time":"2026-12-01T08:00:00Z","total_child_campaigns":0,` +
		`"reachability_details":{"count":1,"last_updated_time":"2026-11-01T12:00:00Z"}}`
	if got := string(rows[0].Row().Encode()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if rows[1].RejectionComment != "too loud" || rows[1].Reachability != nil {
		t.Errorf("%+v", rows[1])
	}
	parent, err := b.Meta(b.ctx, engine.MetaRequest{Limit: 1, Page: 1, ID: fmt.Sprintf("%024s", "a")})
	b.ok(err)
	if len(parent) != 1 || parent[0].ChildCampaigns != 1 {
		t.Errorf("%+v", parent)
	}
	_, err = b.Meta(b.ctx, engine.MetaRequest{Limit: 99, Page: 1})
	refused(t, err, engine.ValidationFailed, 400)
}

func TestList(t *testing.T) {
	b := newBench(t, local.Options{})
	library(b)
	rows, err := b.List(b.ctx, engine.ListQuery{})
	b.ok(err)
	all, err := b.List(b.ctx, engine.ListQuery{Archived: true})
	b.ok(err)
	for name, q := range map[string]engine.ListQuery{
		"2":   {Start: engine.DateRange{From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}},
		"b":   {Channels: []engine.Channel{catalog.Email}},
		"e a": {Status: []engine.State{catalog.Active}},
		"":    {Status: []engine.State{catalog.Active}, Start: engine.DateRange{From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		found, err := b.List(b.ctx, q)
		b.ok(err)
		var short []string
		for _, row := range found {
			short = append(short, strings.TrimLeft(row.ID, "0"))
		}
		if strings.Join(short, " ") != name {
			t.Errorf("%+v: %q, not %q", q, short, name)
		}
	}
	if len(rows) != 7 || len(all) != 8 || !rows[0].UpdatedAt.After(rows[6].UpdatedAt) {
		t.Errorf("%d and %d rows", len(rows), len(all))
	}
}
