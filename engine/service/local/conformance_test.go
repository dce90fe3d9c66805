package local_test

import (
	"fmt"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/local"
)

// SVC_GAID is the advertising id of an Android device; ADVERTISING_IDENTIFIER is that of an iOS
// device as well (CONTRACT.md, Test sends).
func TestAndroidAdvertisingID(t *testing.T) {
	b := newBench(t, local.Options{})
	b.ok(b.PutUser(b.ctx, engine.User{ID: "A_FIRST", Devices: []engine.Device{{Platform: "IOS", Token: "tok-x", AdvertiseID: "gaid-1"}}}))
	body := `{"channel":"PUSH","campaign_content":{"content":{"push":{"%s":{"basic_details":{"title":"Hi"}}}}},
		"test_campaign_meta":{"identifier":"%s","identifier_values":["gaid-1"]}}`
	for _, c := range []struct{ platform, identifier, want string }{
		{"android", "SVC_GAID", engine.Sent}, {"ios", "SVC_GAID", engine.Failed}, {"ios", "ADVERTISING_IDENTIFIER", engine.Sent},
	} {
		out, err := b.Test(b.ctx, engine.TestRequest{Body: parse(t, body, c.platform, c.identifier)})
		b.ok(err)
		for key, res := range out.Data {
			if res.Status != c.want {
				t.Errorf("%s by %s: %+v, want %s", key, c.identifier, res, c.want)
			}
		}
	}
}

// A draft's channel is not in the request: a connector, or an empty draft_id, is refused all the same.
func TestDraftModeRefusals(t *testing.T) {
	b := newBench(t, local.Options{})
	draft := b.create(`{%s}`, pushHead)
	meta := `"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]}`
	_, err := b.Test(b.ctx, engine.TestRequest{Body: parse(t, `{"draft_id":"%s","connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},%s}`, draft, meta)})
	if e := refused(t, err, engine.ValidationFailed, 400); e.Target != "connector" {
		t.Errorf("target %q", e.Target)
	}
	_, err = b.Test(b.ctx, engine.TestRequest{Body: parse(t, `{"draft_id":"","channel":"PUSH","campaign_content":{"content":{"push":{"web":{"basic_details":{"title":"x"}}}}},%s}`, meta)})
	if e := refused(t, err, engine.ValidationFailed, 400); e.Target != "draft_id" {
		t.Errorf("target %q", e.Target)
	}
}

// A connector is configured where its type and its name belong together.
func TestConnectorOfAnotherType(t *testing.T) {
	b := newBench(t, local.Options{}, func(w *engine.Workspace) {
		w.Connectors = append(w.Connectors, engine.Connector{Type: "SENDGRID", Name: "Bulk", Provider: engine.ProviderOutbox})
	})
	id := b.create(`{%s,%s,%s}`, emailHead, emailParts, asap)
	out, err := b.Validate(b.ctx, id)
	b.ok(err)
	if !out.Valid {
		t.Fatalf("%v", out.Problems)
	}
	_, err = b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Bulk"}}`)})
	b.ok(err)
	out, err = b.Validate(b.ctx, id)
	b.ok(err)
	if out.Valid || len(out.Problems) != 1 || out.Problems[0].Path.String() != "connector.connector_name" {
		t.Errorf("%+v", out)
	}
}

// ASAP needs no start: one that was left behind does not make a one-time campaign wait.
func TestASAPStartsAtOnce(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s,%s,"scheduling_details":{"delivery_type":"ASAP","start_time":"2027-05-01T09:00:00Z"}}`, emailHead, emailParts)
	_, err := b.Publish(b.ctx, engine.PublishRequest{ID: id})
	b.ok(err)
	if c := b.get(id); c.Status != catalog.Active || !c.SentTime.Equal(b.clock.Now()) {
		t.Errorf("%s, sent %v", c.Status, c.SentTime)
	}
	b.clock.Add(time.Hour)
	if c := b.get(id); c.Status != catalog.Sent {
		t.Errorf("an hour later it is %s", c.Status)
	}
}

// Who publishes is given by email address, as who updates is.
func TestPublisherIsAnAddress(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s,%s,%s}`, emailHead, emailParts, asap)
	for _, by := range []string{`5`, `null`, `"bo"`, `""`} {
		_, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"status":"PUBLISH","updated_by":%s}`, by)})
		if e := refused(t, err, engine.ValidationFailed, 400); e.Target != "updated_by" {
			t.Errorf("%s: target %q", by, e.Target)
		}
	}
	_, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"status":"PUBLISH","updated_by":"bo@example.com"}`)})
	b.ok(err)
	if c := b.get(id); c.Status != catalog.Active || c.UpdatedBy != "bo@example.com" {
		t.Errorf("%s by %s", c.Status, c.UpdatedBy)
	}
}

// The reachability is computed once a day and kept for 24 hours.
func TestReachabilityOfTheDay(t *testing.T) {
	b := newBench(t, local.Options{})
	b.state(1, catalog.Push, catalog.OneTime, catalog.Scheduled,
		`{"segmentation_details":{"is_all_user_campaign":true},"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2027-01-01T00:00:00Z"}}`)
	reach := func() string {
		rows, err := b.Meta(b.ctx, engine.MetaRequest{Limit: 1, Page: 1})
		b.ok(err)
		r := rows[0].Reachability
		return fmt.Sprint(r.Count, " ", r.LastUpdated.Format("02T15:04"))
	}
	if got := reach(); got != "2 01T12:00" {
		t.Errorf("first: %s", got)
	}
	b.ok(b.PutUser(b.ctx, engine.User{ID: "USER_3", Devices: []engine.Device{{Platform: "WEB", Token: "tok-3"}}}))
	b.clock.Add(24*time.Hour - time.Second)
	if got := reach(); got != "2 01T12:00" {
		t.Errorf("within the day: %s", got)
	}
	b.clock.Add(time.Second)
	if got := reach(); got != "3 02T12:00" {
		t.Errorf("after a day: %s", got)
	}
}

// Meta of one campaign shows it whatever it is; no list shows archived ones, as in search.
func TestMetaOfArchivedAndRejected(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.state(1, catalog.Email, catalog.OneTime, catalog.Archived, `{}`)
	for name, c := range map[string]struct {
		r    engine.MetaRequest
		want int
	}{
		"all": {engine.MetaRequest{}, 0}, "by id": {engine.MetaRequest{ID: id}, 1},
		"by state": {engine.MetaRequest{Status: []engine.State{catalog.Archived}}, 0},
	} {
		c.r.Limit, c.r.Page = 15, 1
		rows, err := b.Meta(b.ctx, c.r)
		b.ok(err)
		if len(rows) != c.want {
			t.Errorf("%s: %d rows, want %d", name, len(rows), c.want)
		}
	}
	m := engine.Meta{Summary: engine.Summary{Head: engine.Head{Status: catalog.Draft, RejectionComment: "too loud"}}}
	if m.Row().Get("rejection_comment").Text() == "" {
		t.Error("a rejected draft says nothing of it")
	}
	m.Status = catalog.Active
	if m.Row().Get("rejection_comment").Exists() {
		t.Error("a live campaign shows what was said of its draft")
	}
}
