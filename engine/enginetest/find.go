package enginetest

import (
	"fmt"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
)

// search returns the first page, as long as it can be.
func (b *bench) search(r engine.SearchRequest) []engine.Campaign {
	b.Helper()
	r.Limit, r.Page = engine.PageSize, 1
	out, err := b.Service.Search(b.ctx, r)
	b.ok(err)
	return out
}

func names(cs []engine.Campaign) string {
	var out []string
	for _, c := range cs {
		out = append(out, engine.CampaignName(c.Body))
	}
	return strings.Join(out, " ")
}

// library creates campaigns that every filter can distinguish, each a minute after the other.
func (b *bench) library() map[string]string {
	ids := map[string]string{}
	add := func(name, body string) {
		ids[name] = b.create(body)
		b.Clock.Advance(time.Minute)
	}
	add("Apple", `{`+emailHead+`,"basic_details":{"name":"Apple","tags":["fruit","red"]}}`)
	add("Banana", strings.NewReplacer("ann@", "bo@", "ONE_TIME", "PERIODIC").Replace(`{`+pushHead+`,"basic_details":{"name":"Banana","tags":["fruit"]}}`))
	for _, dt := range []engine.DeliveryType{catalog.OneTime, catalog.EventTriggered} {
		name := map[engine.DeliveryType]string{catalog.OneTime: "Carrot", catalog.EventTriggered: "Dill"}[dt]
		add(name, strings.Replace(complete(dt), "Spring push", name, 1))
		b.publish(ids[name])
	}
	add("Endive", strings.Replace(complete(catalog.OneTime), "Spring push", "Endive", 1))
	b.publish(ids["Endive"])
	b.act(ids["Endive"], catalog.Stop)
	b.ok(b.Home.Archive(b.ctx, ids["Endive"], author))
	return ids
}

func testSearch(b *bench) {
	ids := b.library()
	all := catalog.States
	start := b.Clock.Now().Add(-5 * time.Minute)
	for _, tt := range []struct {
		name string
		r    engine.SearchRequest
		want string
	}{
		{"drafts only where asked for", engine.SearchRequest{}, "Dill Carrot"},
		{"drafts", engine.SearchRequest{Status: []engine.State{catalog.Draft}}, "Banana Apple"},
		{"archived only where asked for", engine.SearchRequest{Status: all}, "Dill Carrot Banana Apple"},
		{"archived", engine.SearchRequest{Status: all, Archived: true}, "Endive Dill Carrot Banana Apple"},
		{"ids", engine.SearchRequest{IDs: []string{ids["Dill"], ids["Apple"]}, Status: all}, "Dill Apple"},
		{"channel", engine.SearchRequest{Channels: []engine.Channel{catalog.Email}, Status: all}, "Apple"},
		{"type", engine.SearchRequest{DeliveryTypes: []engine.DeliveryType{catalog.Periodic, catalog.EventTriggered}, Status: all}, "Dill Banana"},
		{"creator", engine.SearchRequest{CreatedBy: []string{"bo@example.com"}, Status: all}, "Banana"},
		{"name", engine.SearchRequest{Name: "AN", Status: all}, "Banana"},
		{"tags", engine.SearchRequest{Tags: []string{"red", "green"}, Status: all}, "Apple"},
		{"state", engine.SearchRequest{Status: []engine.State{catalog.Active}}, "Dill"},
		{"created", engine.SearchRequest{Status: all, Created: engine.DateRange{From: start.Add(time.Second), To: start.Add(2 * time.Minute)}}, "Carrot Banana"},
		{"nothing", engine.SearchRequest{Name: "zucchini", Status: all}, ""},
	} {
		b.equal(tt.name, names(b.search(tt.r)), tt.want)
	}
	c := b.search(engine.SearchRequest{Name: "dill"})[0]
	b.equal("a row is the record", string(c.Record().Encode()), b.record(ids["Dill"]))
}

func testPages(b *bench) {
	const n = 2*engine.PageSize + 3
	for i := range n {
		b.create(`{%s,"basic_details":{"name":"c%02d"}}`, pushHead, i)
		b.Clock.Advance(time.Second)
	}
	var got []string
	for page := 1; ; page++ {
		found, err := b.Service.Search(b.ctx, engine.SearchRequest{Status: []engine.State{catalog.Draft}, Limit: engine.PageSize, Page: page})
		b.ok(err)
		rows, err := b.Service.Meta(b.ctx, engine.MetaRequest{Status: []engine.State{catalog.Draft}, Limit: engine.PageSize, Page: page})
		b.ok(err)
		b.equal("as many rows of meta", len(rows), len(found))
		for i, c := range found {
			got = append(got, engine.CampaignName(c.Body))
			b.equal("the same of meta", rows[i].Name, engine.CampaignName(c.Body))
		}
		if len(found) < engine.PageSize {
			break
		}
	}
	for i := range n {
		if want := fmt.Sprintf("c%02d", n-1-i); i >= len(got) || got[i] != want {
			b.Fatalf("newest first: got %v", got)
		}
	}
	beyond, err := b.Service.Search(b.ctx, engine.SearchRequest{Status: []engine.State{catalog.Draft}, Limit: 2, Page: 99})
	b.ok(err)
	b.equal("past the end", len(beyond), 0)
}

func testPagingRefused(b *bench) {
	for _, at := range [][2]int{{0, 1}, {engine.PageSize + 1, 1}, {1, 0}, {-1, 1}, {1, -1}} {
		target := "limit"
		if at[1] < 1 {
			target = "page"
		}
		_, err := b.Service.Search(b.ctx, engine.SearchRequest{Limit: at[0], Page: at[1]})
		b.about(b.refused(err, engine.ValidationFailed, 400), target)
		_, err = b.Service.Meta(b.ctx, engine.MetaRequest{Limit: at[0], Page: at[1]})
		b.about(b.refused(err, engine.ValidationFailed, 400), target)
	}
}

func testMeta(b *bench) {
	ids := b.library()
	meta := func(r engine.MetaRequest) string {
		b.Helper()
		r.Limit, r.Page = engine.PageSize, 1
		rows, err := b.Service.Meta(b.ctx, r)
		b.ok(err)
		var out []string
		for _, m := range rows {
			out = append(out, m.Name)
		}
		return strings.Join(out, " ")
	}
	all := catalog.States
	for _, tt := range []struct {
		name string
		r    engine.MetaRequest
		want string
	}{
		{"all", engine.MetaRequest{Status: all}, "Dill Carrot Banana Apple"},
		{"one by id, draft or not", engine.MetaRequest{ID: ids["Apple"]}, "Apple"},
		{"channel", engine.MetaRequest{Channels: []engine.Channel{catalog.Email}, Status: all}, "Apple"},
		{"type", engine.MetaRequest{DeliveryType: catalog.Periodic, Status: all}, "Banana"},
		{"creator", engine.MetaRequest{CreatedBy: []string{"bo@example.com"}, Status: all}, "Banana"},
		{"name", engine.MetaRequest{Name: "arro"}, "Carrot"},
		{"tags", engine.MetaRequest{Tags: []string{"fruit"}, Status: all}, "Banana Apple"},
	} {
		b.equal(tt.name, meta(tt.r), tt.want)
	}
	rows, err := b.Service.Meta(b.ctx, engine.MetaRequest{ID: ids["Carrot"], Limit: 1, Page: 1})
	b.ok(err)
	m := rows[0]
	b.equal("row", []any{m.CampaignID, m.Channel, m.DeliveryType, m.Status, m.CreatedBy, m.Platforms, m.Start},
		[]any{ids["Carrot"], catalog.Push, catalog.OneTime, catalog.Scheduled, author, []string{"ANDROID"}, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)})
}

func testReachability(b *bench) {
	once, periodic := b.create(complete(catalog.OneTime)), b.create(complete(catalog.Periodic))
	b.publish(once)
	b.publish(periodic)
	android := 1 // of the profiles, the campaign being for Android
	for id, want := range map[string]int{once: android, periodic: -1} {
		rows, err := b.Service.Meta(b.ctx, engine.MetaRequest{ID: id, Limit: 1, Page: 1})
		b.ok(err)
		got := -1
		if r := rows[0].Reachability; r != nil {
			got = r.Count
			b.equal("at", r.LastUpdated, b.Clock.Now())
		}
		b.equal("reachability", got, want)
	}
}
