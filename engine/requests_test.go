package engine_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
)

func TestParseSearch(t *testing.T) {
	const body = `{"request_id":"r","campaign_fields":{"ids":["1"],"channels":["PUSH"],"created_by":["a@example.com"],` +
		`"created_date":{"from_date":"2026-01-02T00:00:00Z","to_date":"2026-01-03T10:00:00.5Z"},"campaign_delivery_type":["ONE_TIME"],"name":"n","status":["DRAFT"],"tags":["t"],"version_number":2},` +
		`"limit":15,"page":1,"include_child_campaigns":true,"include_archive_campaigns":true}`
	r, err := engine.ParseSearch(parse(t, body))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Document().Encode()); got != body {
		t.Errorf("got  %s\nwant %s", got, body)
	}
	r, err = engine.ParseSearch(parse(t, `{"limit":1.0,"page":2,"campaign_fields":{"created_date":{"to_date":"2026-01-03"}}}`))
	if err != nil || r.Limit != 1 || r.Page != 2 || !r.Created.From.IsZero() || !r.Created.To.Equal(time.Date(2026, 1, 4, 0, 0, 0, -1, time.UTC)) {
		t.Errorf("%+v, %v", r, err)
	}
	if got := string(engine.SearchRequest{Limit: 3, Page: 1}.Document().Encode()); got != `{"limit":3,"page":1}` {
		t.Error(got)
	}
}

func TestParseMeta(t *testing.T) {
	const body = `{"request_id":"r","campaign_fields":{"id":"1","channels":["SMS"],"created_by":["a@example.com"],"delivery_type":"PERIODIC",` +
		`"campaign_delivery_type":["PERIODIC"],"name":"n","status":["SENT"],"tags":["t"]},"limit":2,"page":1,"include_child_campaigns":true,"include_archive_campaigns":true}`
	r, err := engine.ParseMeta(parse(t, body))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Document().Encode()); got != body {
		t.Errorf("got  %s\nwant %s", got, body)
	}
	one, err := engine.ParseMeta(parse(t, strings.Replace(body, `["a@example.com"]`, `"a@example.com"`, 1)))
	if err != nil || !reflect.DeepEqual(one, r) {
		t.Errorf("%+v, %v", one, err)
	}
}

func TestParseStatus(t *testing.T) {
	r, err := engine.ParseStatus(parse(t, `{"action":"PAUSE","request_id":"r"}`))
	if err != nil || r.Action != catalog.Pause || r.RequestID != "r" || string(r.Document().Encode()) != `{"request_id":"r","action":"PAUSE"}` {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestBadRequests(t *testing.T) {
	search := func(s string) error { _, err := engine.ParseSearch(parse(t, s)); return err }
	meta := func(s string) error { _, err := engine.ParseMeta(parse(t, s)); return err }
	status := func(s string) error { _, err := engine.ParseStatus(parse(t, s)); return err }
	for _, tt := range []struct {
		err    error
		target string
	}{
		{search(`{}`), "limit"}, {search(`{"limit":16,"page":1}`), "limit"}, {search(`{"limit":"1","page":1}`), "limit"}, {search(`{"limit":1,"page":0}`), "page"},
		{search(`{"limit":1,"page":1,"campaign_fields":{"sender_name":"x"}}`), "campaign_fields.sender_name"},
		{search(`{"limit":1,"page":1,"campaign_fields":{"status":["GONE"]}}`), "campaign_fields.status[0]"},
		{meta(`{"limit":1,"page":1,"campaign_fields":{"ids":[]}}`), "campaign_fields.ids"},
		{status(`{}`), "action"}, {status(`{"action":"PUBLISH"}`), "action"}, {status(`[]`), ""},
	} {
		e := engine.AsError(tt.err)
		if e == nil || e.Code != engine.ValidationFailed || e.HTTP != 400 || e.Target != tt.target || !strings.Contains(e.Message, "request has 1 problem") && !strings.Contains(e.Message, "request has 2 problems") {
			t.Errorf("target %q: got %+v", tt.target, e)
		}
	}
}

// What the API shows of a row and of a test is read back as it was.
func TestRowsAndResultsReadBack(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	m := engine.Meta{
		Summary: engine.Summary{
			Head: engine.Head{
				ID: "c", CampaignID: "c", Version: 3, Status: catalog.Draft, Channel: catalog.Push, DeliveryType: catalog.OneTime,
				CreatedBy: "a@example.com", ParentID: "p", RejectionComment: "why",
			},
			Name: "N", Team: "T", Tags: []string{"x"}, Platforms: []string{"IOS"}, Start: at,
		},
		ChildCampaigns: 4, Reachability: &engine.Reachability{Count: 12, LastUpdated: at},
	}
	if got := engine.ParseMetaRow(m.Row()); !reflect.DeepEqual(got, m) {
		t.Errorf("got  %+v\nwant %+v", got, m)
	}
	r := engine.TestResult{
		Keys: []string{"WEB_b_1", "WEB_a_1"}, Message: "m",
		Data: map[string]engine.SendResult{"WEB_b_1": {Status: engine.Sent}, "WEB_a_1": {Status: engine.Failed, FailureReason: "no"}},
	}
	if got := engine.ParseTestResult(r.Document()); !reflect.DeepEqual(got, r) {
		t.Errorf("got  %+v\nwant %+v", got, r)
	}
	for _, odd := range []string{`null`, `[]`, `{"data":[1],"message":5}`, `{"reachability_details":[],"platform":{},"campaign_tags":"x"}`} {
		v := parse(t, odd)
		if engine.ParseMetaRow(v).Name != "" || len(engine.ParseTestResult(v).Keys) != 0 {
			t.Errorf("%s was read as something", odd)
		}
	}
}
