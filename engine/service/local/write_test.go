package local_test

import (
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/local"
)

func TestCreate(t *testing.T) {
	b := newBench(t, local.Options{})
	out, err := b.Create(b.ctx, engine.CreateRequest{Body: parse(t, `{%s,"request_id":"r1",%s}`, emailHead, emailParts)})
	b.ok(err)
	c := b.get(out.ID)
	if len(out.ID) != 24 || out.Status != catalog.Draft || out.ResponseID != "r1" {
		t.Errorf("created %+v", out)
	}
	if c.CampaignID != out.ID || c.Version != 0 || c.CreatedBy != author || c.CreatedAt != b.clock.Now() || c.Revision != 1 {
		t.Errorf("head %+v", c.Head)
	}
	if c.Body.Get("request_id").Exists() || c.Body.Get("channel").Exists() || c.Body.Get("basic_details").Get("name").Text() != "Spring mail" {
		t.Errorf("body %s", c.Body.Encode())
	}

	for _, tt := range []struct{ name, body, target string }{
		{"nothing", `{}`, "channel"},
		{"unknown channel", `{"channel":"FAX","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com"}`, "channel"},
		{"read-only channel", `{"channel":"SMS","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com"}`, "channel"},
		{"a type of push", strings.Replace(`{`+emailHead+`}`, "ONE_TIME", "DEVICE_TRIGGERED", 1), "campaign_delivery_type"},
		{"live activity", strings.Replace(`{`+pushHead+`}`, "ONE_TIME", "BROADCAST_LIVE_ACTIVITY", 1), "campaign_delivery_type"},
		{"a component in full", `{` + pushHead + `,"campaign_content":{"content":{"push":{"android":{"template_type":"Custom"}}}}}`, "campaign_content.content.push.android.custom_template_id"},
		{"unknown member", `{` + pushHead + `,"basic_detail":{}}`, "basic_detail"},
		{"null", `{` + pushHead + `,"basic_details":null}`, "basic_details"},
		{"another channel's", `{` + emailHead + `,"advanced":{}}`, "advanced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := b.Create(b.ctx, engine.CreateRequest{Body: parse(t, tt.body)})
			e := refused(t, err, engine.ValidationFailed, 400)
			found := false
			for _, d := range e.Details {
				found = found || d.Target == tt.target
			}
			if !found {
				t.Errorf("details %v, want one of %s", e.Details, tt.target)
			}
		})
	}
	_, err = b.Create(b.ctx, engine.CreateRequest{Body: parse(t, `[1]`)})
	refused(t, err, engine.BadRequest, 400)
	_, err = b.Create(b.ctx, engine.CreateRequest{Body: parse(t, `{"x":"%s"}`, strings.Repeat("a", engine.MaxBody))})
	refused(t, err, engine.BadRequest, 413)
	_, err = b.Create(b.ctx, engine.CreateRequest{Call: engine.Call{RequestID: "a"}, Body: parse(t, `{%s,"request_id":"b"}`, pushHead)})
	if e := refused(t, err, engine.ValidationFailed, 400); e.RequestID != "a" {
		t.Errorf("request id %q", e.RequestID)
	}
}

func TestCreateRequestIDWindow(t *testing.T) {
	for _, tt := range []struct {
		head   string
		window time.Duration
	}{{pushHead, time.Hour}, {emailHead, 24 * time.Hour}} {
		b := newBench(t, local.Options{})
		good := engine.CreateRequest{Body: parse(t, `{%s,"request_id":"once"}`, tt.head)}
		bad := engine.CreateRequest{Body: parse(t, `{%s,"request_id":"once","x":1}`, tt.head)}
		_, err := b.Create(b.ctx, bad)
		refused(t, err, engine.ValidationFailed, 400) // a failed attempt leaves the id free
		_, err = b.Create(b.ctx, good)
		b.ok(err)
		b.clock.Add(tt.window - time.Second)
		_, err = b.Create(b.ctx, good)
		refused(t, err, engine.BadRequest, 409)
		b.clock.Add(time.Second)
		_, err = b.Create(b.ctx, good)
		b.ok(err)
	}
}

// What a refusal names does not change from one request to the next.
func TestUpdateNamesTheFirstProblem(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s}`, pushHead)
	for range 20 {
		_, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"campaign_delivery_type":"PERIODIC","channel":"EMAIL","basic_details":{"name":"x"}}`)})
		if e := refused(t, err, engine.ValidationFailed, 400); e.Target != "channel" {
			t.Fatalf("the target is %s", e.Target)
		}
	}
}

func TestUpdate(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s,"basic_details":{"name":"One","team":"Growth"},"utm_params":{"utm_source":"a","utm_medium":"b"}}`, pushHead)
	b.clock.Add(time.Minute)
	out, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"updated_by":"bo@example.com","basic_details":{"name":"Two"}}`)})
	b.ok(err)
	c := b.get(id)
	if out.ID != id || c.UpdatedBy != "bo@example.com" || !c.UpdatedAt.Equal(b.clock.Now()) {
		t.Errorf("updated %+v, head %+v", out, c.Head)
	}
	want := `{"basic_details":{"name":"Two"},"utm_params":{"utm_source":"a","utm_medium":"b"}}`
	if got := string(c.Body.Encode()); got != want {
		t.Errorf("a component is replaced whole: got %s, want %s", got, want)
	}
	before := string(c.Record().Encode())

	for _, tt := range []struct {
		name, body string
		code       engine.Code
		http       int
		target     string
	}{
		{"status and component", `{"status":"PUBLISH","basic_details":{"name":"x"}}`, engine.BadRequest, 400, "status"},
		{"another status", `{"status":"STOP"}`, engine.ValidationFailed, 400, "status"},
		{"another channel", `{"channel":"EMAIL","basic_details":{"name":"x"}}`, engine.ValidationFailed, 400, "channel"},
		{"another type", `{"campaign_delivery_type":"PERIODIC","basic_details":{"name":"x"}}`, engine.ValidationFailed, 400, "campaign_delivery_type"},
		{"null", `{"utm_params":null}`, engine.ValidationFailed, 400, "utm_params"},
		{"not in full", `{"utm_params":{"utm_source":"a"}}`, engine.ValidationFailed, 400, "utm_params.utm_medium"},
		{"wrong type", `{"basic_details":{"name":5}}`, engine.ValidationFailed, 400, "basic_details.name"},
		{"no component", `{"updated_by":"bo@example.com"}`, engine.ValidationFailed, 400, "body"},
		{"one good, one bad", `{"basic_details":{"name":"Three"},"utm_params":{}}`, engine.ValidationFailed, 400, "utm_params.utm_source"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, tt.body)})
			if e := refused(t, err, tt.code, tt.http); e.Target != tt.target {
				t.Errorf("target %q, want %q: %v", e.Target, tt.target, e)
			}
			if got := string(b.get(id).Record().Encode()); got != before {
				t.Errorf("a refused update changed the draft: %s", got)
			}
		})
	}
	_, err = b.Update(b.ctx, engine.UpdateRequest{ID: strings.Repeat("0", 24), Body: parse(t, `{"basic_details":{"name":"x"}}`)})
	refused(t, err, engine.NotFound, 404)
}

func TestUpdateLocks(t *testing.T) {
	b := newBench(t, local.Options{})
	const trigger = `{"trigger_condition":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"actions","action_name":"Bought","execution":{"type":"atleast","count":1},"executed":true}]},"trigger_delay_type":"ASAP"}}`
	name := `{"basic_details":{"name":"New"}}`
	for i, tt := range []struct {
		state  engine.State
		body   string
		locked string // "" where the change is allowed
	}{
		{catalog.Active, name, ""},
		{catalog.Active, trigger, "trigger_condition"},
		{catalog.Paused, trigger, "trigger_condition"},
		{catalog.Sending, trigger, "trigger_condition"},
		{catalog.Active, `{"segmentation_details":{"is_all_user_campaign":false}}`, "segmentation_details"},
		{catalog.Active, `{"scheduling_details":{"delivery_type":"ASAP","expiry_time":"2027-01-01T00:00:00Z"}}`, ""},
		{catalog.Active, `{"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2027-01-01T00:00:00Z"}}`, "scheduling_details.delivery_type scheduling_details.start_time"},
		{catalog.Scheduled, `{"segmentation_details":{"is_all_user_campaign":false}}`, ""},
		{catalog.Stopped, name, "basic_details"},
		{catalog.Sent, name, "basic_details"},
		{catalog.Archived, name, "basic_details"},
	} {
		id := b.state(i+1, catalog.Push, catalog.EventTriggered, tt.state, `{"segmentation_details":{"is_all_user_campaign":true},"scheduling_details":{"delivery_type":"ASAP"}}`)
		_, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, tt.body)})
		if tt.locked == "" {
			b.ok(err)
			continue
		}
		var targets []string
		for _, d := range refused(t, err, engine.BadRequest, 409).Details {
			targets = append(targets, d.Target)
		}
		if got := strings.Join(targets, " "); got != tt.locked {
			t.Errorf("%s %s: locked %q, want %q", tt.state, tt.body, got, tt.locked)
		}
	}
	id := b.state(99, catalog.SMS, catalog.OneTime, catalog.Draft, `{}`)
	_, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, name)})
	refused(t, err, engine.ValidationFailed, 400)
}

func TestVersioning(t *testing.T) {
	b := newBench(t, local.Options{}, func(w *engine.Workspace) { w.Versioning = true })
	draft := b.create(`{%s,"basic_details":{"name":"a"}}`, pushHead)
	if c := b.get(draft); c.Version != 1 {
		t.Errorf("a new campaign has version %d", c.Version)
	}
	_, err := b.Update(b.ctx, engine.UpdateRequest{ID: draft, Body: parse(t, `{"basic_details":{"name":"b"}}`)})
	b.ok(err)
	if c := b.get(draft); c.Version != 1 || c.Status != catalog.Draft {
		t.Errorf("a draft is changed in place, got %+v", c.Head)
	}

	id := b.state(1, catalog.Push, catalog.EventTriggered, catalog.Paused, `{"basic_details":{"name":"a"}}`)
	out, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"basic_details":{"name":"b"}}`)})
	b.ok(err)
	old, now := b.get(id), b.get(out.ID)
	if out.ID == id || now.CampaignID != id || now.Version != 2 || now.Status != catalog.Paused || now.Body.Get("basic_details").Get("name").Text() != "b" {
		t.Errorf("new version %+v %s", now.Head, now.Body.Encode())
	}
	if old.Status != catalog.Stopped || old.Version != 1 || old.Body.Get("basic_details").Get("name").Text() != "a" {
		t.Errorf("old version %+v", old.Head)
	}
	rows, err := b.Search(b.ctx, engine.SearchRequest{Limit: 15, Page: 1})
	b.ok(err)
	if len(rows) != 2 || rows[0].CampaignID != rows[1].CampaignID {
		t.Errorf("search shows each version as a row, got %d", len(rows))
	}
}

func TestPublishAndValidate(t *testing.T) {
	b := newBench(t, local.Options{}, func(w *engine.Workspace) { w.Publish = engine.PublishBeta })
	now := b.create(`{%s,%s,%s}`, emailHead, emailParts, asap)
	later := b.create(`{%s,%s,%s}`, emailHead, emailParts, fixed)
	empty := b.create(`{%s}`, emailHead)
	publish := parse(t, `{"status":"PUBLISH"}`)

	_, err := b.Update(b.ctx, engine.UpdateRequest{ID: now, Body: publish})
	refused(t, err, engine.Unprocessable, 422) // beta, for every caller
	_, err = b.Publish(b.ctx, engine.PublishRequest{ID: now, Console: true, By: "bo@example.com"})
	b.ok(err)
	if c := b.get(now); c.Status != catalog.Active || c.UpdatedBy != "bo@example.com" {
		t.Errorf("published %+v", c.Head)
	}
	b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.Publish = engine.PublishEnabled; return nil }))

	at := b.clock.Now()
	b.clock.Add(time.Hour)
	if c := b.get(now); c.Status != catalog.Sent || !c.SentTime.Equal(at) {
		t.Errorf("an hour later: %+v", c.Head)
	}

	v, err := b.Validate(b.ctx, empty)
	b.ok(err)
	if v.Valid || len(v.Problems) == 0 {
		t.Errorf("an empty draft is valid: %+v", v)
	}
	_, err = b.Update(b.ctx, engine.UpdateRequest{ID: empty, Body: publish})
	if e := refused(t, err, engine.Unprocessable, 422); len(e.Details) == 0 || len(e.Problems) != len(e.Details) {
		t.Errorf("no details: %+v", e)
	}
	if v, err = b.Validate(b.ctx, later); err != nil || !v.Valid {
		t.Fatalf("validate: %+v, %v", v, err)
	}
	_, err = b.Update(b.ctx, engine.UpdateRequest{ID: later, Body: publish})
	b.ok(err)
	if c := b.get(later); c.Status != catalog.Scheduled {
		t.Errorf("a start that is ahead waits, got %s", c.Status)
	}
	_, err = b.Update(b.ctx, engine.UpdateRequest{ID: later, Body: publish})
	refused(t, err, engine.BadRequest, 409)

	sms := b.state(7, catalog.SMS, catalog.OneTime, catalog.Draft, `{}`)
	if v, err := b.Validate(b.ctx, sms); err != nil || v.Valid {
		t.Errorf("an SMS campaign: %+v, %v", v, err)
	}
	_, err = b.Validate(b.ctx, "nope")
	refused(t, err, engine.NotFound, 404)
}

func TestClock(t *testing.T) {
	b := newBench(t, local.Options{})
	states := func(id string, steps ...any) {
		t.Helper()
		b.clock.now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		for i := 0; i < len(steps); i += 2 {
			at, err := time.Parse(time.RFC3339, steps[i].(string))
			b.ok(err)
			b.clock.now = at
			if got := b.get(id).Status; got != steps[i+1] {
				t.Errorf("%s at %s: %s, want %s", id, steps[i], got, steps[i+1])
			}
		}
	}
	once := b.state(1, catalog.Email, catalog.OneTime, catalog.Scheduled, `{`+fixed+`}`)
	states(once, "2026-12-01T07:59:59Z", catalog.Scheduled, "2026-12-01T08:00:00Z", catalog.Sending, "2026-12-01T09:00:00Z", catalog.Sent)
	if c := b.get(once); !c.SentTime.Equal(time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("sent at %s", c.SentTime)
	}
	event := b.state(2, catalog.Push, catalog.EventTriggered, catalog.Scheduled,
		`{"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00Z","expiry_time":"2026-12-05T09:00:00Z"}}`)
	states(event, "2026-12-01T08:00:00Z", catalog.Scheduled, "2026-12-01T09:00:00Z", catalog.Active, "2026-12-05T09:00:00Z", catalog.Sent)
	periodic := b.state(3, catalog.Push, catalog.Periodic, catalog.Active,
		`{"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00Z","periodic_details":{"sending_frequency":"DAILY","repeat_frequency":2,"no_of_occurences":3}}}`)
	states(periodic, "2026-12-05T08:59:59Z", catalog.Active, "2026-12-05T09:00:00Z", catalog.Sent)
	stopped := b.state(4, catalog.Email, catalog.OneTime, catalog.Stopped, `{`+fixed+`}`)
	states(stopped, "2027-12-05T08:59:59Z", catalog.Stopped)

	_, err := b.ChangeStatus(b.ctx, engine.StatusRequest{ID: once, Action: catalog.Stop})
	refused(t, err, engine.Unprocessable, 422) // it has been sent meanwhile
}

func TestChangeStatus(t *testing.T) {
	b := newBench(t, local.Options{})
	ahead := `{"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2027-01-01T00:00:00Z"}}`
	for i, tt := range []struct {
		ch   engine.Channel
		dt   engine.DeliveryType
		from engine.State
		act  engine.Action
		body string
		to   engine.State // "" where it is refused
	}{
		{catalog.Email, catalog.OneTime, catalog.Scheduled, catalog.Stop, `{}`, catalog.Stopped},
		{catalog.Push, catalog.OneTime, catalog.Active, catalog.Stop, `{}`, catalog.Stopped},
		{catalog.Push, catalog.Periodic, catalog.Active, catalog.Stop, `{}`, ""},
		{catalog.Push, catalog.EventTriggered, catalog.Active, catalog.Stop, `{}`, ""},
		{catalog.Push, catalog.Periodic, catalog.Active, catalog.Pause, `{}`, catalog.Paused},
		{catalog.Push, catalog.DeviceTriggered, catalog.Active, catalog.Pause, `{}`, catalog.Paused},
		{catalog.Email, catalog.BusinessEventTriggered, catalog.Active, catalog.Pause, `{}`, ""},
		{catalog.Push, catalog.OneTime, catalog.Active, catalog.Pause, `{}`, ""},
		{catalog.Email, catalog.EventTriggered, catalog.Paused, catalog.Resume, `{}`, catalog.Active},
		{catalog.Email, catalog.EventTriggered, catalog.Paused, catalog.Resume, ahead, catalog.Scheduled},
		{catalog.Email, catalog.EventTriggered, catalog.Active, catalog.Resume, `{}`, ""},
		{catalog.Email, catalog.OneTime, catalog.Draft, catalog.Stop, `{}`, ""},
		{catalog.SMS, catalog.OneTime, catalog.Active, catalog.Stop, `{}`, ""},
	} {
		id := b.state(i+1, tt.ch, tt.dt, tt.from, tt.body)
		out, err := b.ChangeStatus(b.ctx, engine.StatusRequest{ID: id, Action: tt.act, By: "bo@example.com"})
		if tt.to == "" {
			e := refused(t, err, engine.Unprocessable, 422)
			contains(t, e.Message, string(tt.act), string(tt.dt), string(tt.from))
			continue
		}
		b.ok(err)
		if c := b.get(id); out.Status != tt.to || c.Status != tt.to || c.UpdatedBy != "bo@example.com" || out.Action != tt.act {
			t.Errorf("%s of %s %s: %+v, %s", tt.act, tt.from, tt.dt, out, c.Status)
		}
	}
	id := b.create(`{%s}`, pushHead)
	for _, a := range []engine.Action{catalog.Publish, catalog.Archive, "", "stop"} {
		_, err := b.ChangeStatus(b.ctx, engine.StatusRequest{ID: id, Action: a})
		refused(t, err, engine.ValidationFailed, 400)
	}
}
