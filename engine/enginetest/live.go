package enginetest

import (
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/schema"
)

func testValidate(b *bench) {
	problems := func(id string) (bool, []string) {
		b.Helper()
		res, err := b.Service.Validate(b.ctx, id)
		b.ok(err)
		var out []string
		for _, p := range schema.Errors(res.Problems) {
			if p.Message == "" {
				b.Errorf("nothing is said of %s", p.Path)
			}
			out = append(out, p.Path.String())
		}
		return res.Valid, out
	}
	id := b.create(`{%s,"basic_details":{"platforms":["ANDROID"]},"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"message":"m"}}}}}}`, pushHead)
	before := b.record(id)
	valid, got := problems(id)
	b.equal("valid", valid, false)
	for _, want := range []string{"basic_details.name", "campaign_content.content.push.android.basic_details.title", "scheduling_details"} {
		if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+want+" ") {
			b.Errorf("%s is not among the problems %q", want, got)
		}
	}
	b.equal("the draft after it", b.record(id), before)

	valid, got = problems(b.create(complete(catalog.OneTime)))
	b.equal("a whole campaign", []any{valid, len(got)}, []any{true, 0})
	// What the template does not use is a remark, and refuses nothing.
	valid, got = problems(b.create(strings.Replace(complete(catalog.OneTime), `"template_type":"BASIC",`, `"template_type":"BASIC","advanced":{"x_new":1},`, 1)))
	b.equal("with a remark", []any{valid, len(got)}, []any{true, 0})
}

func testPublish(b *bench) {
	for dt, want := range map[engine.DeliveryType]engine.State{
		catalog.OneTime: catalog.Scheduled, catalog.Periodic: catalog.Scheduled,
		catalog.EventTriggered: catalog.Active, catalog.DeviceTriggered: catalog.Active,
	} {
		id := b.create(complete(dt))
		out, err := b.Service.Publish(b.ctx, engine.PublishRequest{Call: engine.Call{RequestID: "mine"}, ID: id, By: author})
		b.ok(err)
		b.equal(string(dt), []any{out.ID, out.ResponseID, b.get(id).Status}, []any{id, "mine", want})
	}
	// The same action as an update, also with what the campaign is.
	said := b.create(complete(catalog.EventTriggered))
	_, err := b.Service.Update(b.ctx, engine.UpdateRequest{ID: said, Body: b.parse(`{"channel":"PUSH","campaign_delivery_type":"EVENT_TRIGGERED","status":"PUBLISH"}`)})
	b.ok(err)
	b.equal("with its channel and delivery type", b.get(said).Status, catalog.Active)
	id := b.create(complete(catalog.OneTime))
	_, err = b.Service.Update(b.ctx, engine.UpdateRequest{ID: id, Body: b.parse(`{"status":"PUBLISH"}`)})
	b.ok(err)
	// What the clock makes of it.
	b.Clock.Advance(29*24*time.Hour + 20*time.Hour + time.Second) // to 1 December, 09:00 in Berlin
	b.equal("at its start", b.get(id).Status, catalog.Sending)
	b.Clock.Advance(time.Hour)
	c := b.get(id)
	b.equal("after it", []any{c.Status, c.SentTime}, []any{catalog.Sent, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)})
}

func testPublishRefused(b *bench) {
	draft := b.create(`{%s,"basic_details":{"name":"n"}}`, emailHead)
	_, err := b.Service.Publish(b.ctx, engine.PublishRequest{ID: draft})
	e := b.refused(err, engine.Unprocessable, 422)
	found := false
	for _, d := range e.Details {
		found = found || d.Target == "connector"
	}
	if !found {
		b.Errorf("details %v, want one of the connector", e.Details)
	}
	b.equal("status", b.get(draft).Status, catalog.Draft)

	id := b.create(complete(catalog.OneTime))
	b.publish(id)
	_, err = b.Service.Publish(b.ctx, engine.PublishRequest{ID: id})
	b.refused(err, engine.BadRequest, 409)
}

func testPublishBeta(b *bench) {
	b.settings(func(w *engine.Workspace) { w.Publish = engine.PublishBeta })
	id := b.create(complete(catalog.OneTime))
	_, err := b.Service.Publish(b.ctx, engine.PublishRequest{ID: id})
	b.refused(err, engine.Unprocessable, 422)
	b.equal("status", b.get(id).Status, catalog.Draft)
}

func testStatus(b *bench) {
	id := b.create(complete(catalog.Periodic))
	b.publish(id)
	for _, step := range []struct {
		action engine.Action
		want   engine.State
	}{{catalog.Pause, catalog.Paused}, {catalog.Resume, catalog.Scheduled}} {
		out, err := b.Service.ChangeStatus(b.ctx, engine.StatusRequest{Call: engine.Call{RequestID: "mine"}, ID: id, Action: step.action, By: author})
		b.ok(err)
		b.equal("answer", []any{out.ID, out.Action, out.ResponseID}, []any{id, step.action, "mine"})
		if out.Status != "" && out.Status != step.want { // the API leaves it out
			b.Errorf("%s leads to %s, want %s", step.action, out.Status, step.want)
		}
		b.equal("after "+string(step.action), b.get(id).Status, step.want)
	}
	id = b.create(complete(catalog.EventTriggered))
	b.publish(id)
	b.act(id, catalog.Pause)
	b.act(id, catalog.Resume)
	b.equal("resumed after its start", b.get(id).Status, catalog.Active)
	id = b.create(complete(catalog.OneTime))
	b.publish(id)
	b.act(id, catalog.Stop)
	b.equal("stopped", b.get(id).Status, catalog.Stopped)
}

func testStatusRefused(b *bench) {
	draft := b.create(complete(catalog.OneTime))
	scheduled, periodic, event := b.create(complete(catalog.OneTime)), b.create(complete(catalog.Periodic)), b.create(complete(catalog.EventTriggered))
	for _, id := range []string{scheduled, periodic, event} {
		b.publish(id)
	}
	for _, tt := range []struct {
		id     string
		action engine.Action
		code   engine.Code
		http   int
	}{
		{draft, catalog.Stop, engine.Unprocessable, 422},
		{scheduled, catalog.Pause, engine.Unprocessable, 422},
		{scheduled, catalog.Resume, engine.Unprocessable, 422},
		{periodic, catalog.Stop, engine.Unprocessable, 422},
		{event, catalog.Stop, engine.Unprocessable, 422},
		{event, catalog.Resume, engine.Unprocessable, 422},
		{scheduled, catalog.Publish, engine.ValidationFailed, 400},
		{scheduled, "FLY", engine.ValidationFailed, 400},
		{scheduled, "", engine.ValidationFailed, 400},
	} {
		before := b.record(tt.id)
		_, err := b.Service.ChangeStatus(b.ctx, engine.StatusRequest{ID: tt.id, Action: tt.action})
		e := b.refused(err, tt.code, tt.http)
		if tt.http == 422 {
			c := b.get(tt.id)
			for _, word := range []string{string(tt.action), string(c.DeliveryType), string(c.Status)} {
				if !strings.Contains(e.Message, word) {
					b.Errorf("%q does not name %s", e.Message, word)
				}
			}
		}
		b.equal("after it", b.record(tt.id), before)
	}
}
