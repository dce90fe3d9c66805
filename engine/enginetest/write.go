package enginetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
)

func testCreate(b *bench) {
	out, err := b.Service.Create(b.ctx, engine.CreateRequest{Call: engine.NewCall(), Body: b.parse(`{%s,%s}`, emailHead, emailParts)})
	b.ok(err)
	if len(out.ID) != 24 || out.Status != catalog.Draft || out.ResponseID == "" || out.Replayed {
		b.Errorf("created %+v", out)
	}
	c := b.get(out.ID)
	b.equal("head", []any{c.ID, c.CampaignID, c.Status, c.Channel, c.DeliveryType, c.CreatedBy},
		[]any{out.ID, out.ID, catalog.Draft, catalog.Email, catalog.OneTime, author})
	if !c.CreatedAt.Equal(b.Clock.Now()) || !c.UpdatedAt.Equal(b.Clock.Now()) || !c.SentTime.IsZero() || c.Version != 0 {
		b.Errorf("head %+v", c.Head)
	}
	b.equal("body", string(c.Body.Encode()), string(b.parse(`{%s}`, emailParts).Encode()))

	call := engine.Call{RequestID: "mine"}
	out, err = b.Service.Create(b.ctx, engine.CreateRequest{Call: call, Body: b.parse(`{%s,"request_id":"mine"}`, pushHead)})
	b.ok(err)
	b.equal("response id", out.ResponseID, "mine")
	b.equal("a bare draft", string(b.get(out.ID).Body.Encode()), `{}`)
}

func testCreateRefused(b *bench) {
	for _, tt := range []struct {
		name, body string
		targets    []string
	}{
		{"nothing", `{}`, []string{"channel", "campaign_delivery_type", "created_by"}},
		{"unknown channel", `{"channel":"FAX","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com"}`, []string{"channel"}},
		{"read-only channel", `{"channel":"SMS","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com"}`, []string{"channel"}},
		{"a type of push", strings.Replace(`{`+emailHead+`}`, "ONE_TIME", "DEVICE_TRIGGERED", 1), []string{"campaign_delivery_type"}},
		{"live activity", strings.Replace(`{`+pushHead+`}`, "ONE_TIME", "BROADCAST_LIVE_ACTIVITY", 1), []string{"campaign_delivery_type"}},
		{"not in full", `{` + pushHead + `,"utm_params":{"utm_source":"a"},"campaign_content":{"content":{"push":{"android":{"template_type":"Custom"}}}}}`,
			[]string{"campaign_content.content.push.android.custom_template_id", "utm_params.utm_medium"}},
		{"unknown member", `{` + pushHead + `,"basic_detail":{}}`, []string{"basic_detail"}},
		{"null", `{` + pushHead + `,"basic_details":null}`, []string{"basic_details"}},
		{"another channel's", `{` + emailHead + `,"advanced":{}}`, []string{"advanced"}},
		{"a flag that is off", `{` + pushHead + `,"campaign_audience_limit":{"is_campaign_audience_limit_enabled":false}}`, []string{"campaign_audience_limit"}},
	} {
		_, err := b.Service.Create(b.ctx, engine.CreateRequest{Body: b.parse(tt.body)})
		b.Log(tt.name)
		b.about(b.refused(err, engine.ValidationFailed, 400), tt.targets...)
	}
	_, err := b.Service.Create(b.ctx, engine.CreateRequest{Body: b.parse(`[1]`)})
	b.refused(err, engine.BadRequest, 400)
	_, err = b.Service.Create(b.ctx, engine.CreateRequest{Body: b.parse(`{"x":"%s"}`, strings.Repeat("a", 1<<20))})
	b.refused(err, engine.BadRequest, 413)
	_, err = b.Service.Create(b.ctx, engine.CreateRequest{Call: engine.Call{RequestID: "a"}, Body: b.parse(`{%s,"request_id":"b"}`, pushHead)})
	e := b.refused(err, engine.ValidationFailed, 400)
	b.equal("request id", e.RequestID, "a")
	b.equal("campaigns after refusals", len(b.search(engine.SearchRequest{Status: catalog.States})), 0)
}

func testCreateRequestID(b *bench) {
	for _, tt := range []struct {
		head   string
		window time.Duration
	}{{pushHead, time.Hour}, {emailHead, 24 * time.Hour}} {
		id := "once-" + tt.window.String()
		good := engine.CreateRequest{Body: b.parse(`{%s,"request_id":"%s"}`, tt.head, id)}
		_, err := b.Service.Create(b.ctx, engine.CreateRequest{Body: b.parse(`{%s,"request_id":"%s","x":1}`, tt.head, id)})
		b.refused(err, engine.ValidationFailed, 400) // a failed attempt leaves the id free
		_, err = b.Service.Create(b.ctx, good)
		b.ok(err)
		b.Clock.Advance(tt.window - time.Second)
		_, err = b.Service.Create(b.ctx, good)
		b.refused(err, engine.BadRequest, 409)
		b.Clock.Advance(time.Second)
		_, err = b.Service.Create(b.ctx, good)
		b.ok(err)
	}
}

func testMissing(b *bench) {
	name := b.parse(`{"basic_details":{"name":"x"}}`)
	for _, id := range []string{"000000000000000000000000", "nope", "", ".", "..", "a/b", "ü %2F ?x=1#y", "search", strings.Repeat("x", 300)} {
		var errs []error
		_, err := b.Service.Get(b.ctx, id)
		errs = append(errs, err)
		_, err = b.Service.Update(b.ctx, engine.UpdateRequest{ID: id, Body: name})
		errs = append(errs, err)
		_, err = b.Service.Publish(b.ctx, engine.PublishRequest{ID: id})
		errs = append(errs, err)
		_, err = b.Service.Validate(b.ctx, id)
		errs = append(errs, err)
		_, err = b.Service.ChangeStatus(b.ctx, engine.StatusRequest{ID: id, Action: catalog.Stop})
		errs = append(errs, err)
		for i, err := range errs {
			if e := engine.AsError(err); e == nil || e.Code != engine.NotFound && !(id == "search" && e.HTTP == 405) {
				b.Errorf("operation %d of %q: %v", i, id, err)
			}
		}
	}
	_, err := b.Service.Test(b.ctx, engine.TestRequest{Body: b.parse(`{"draft_id":"000000000000000000000000","test_campaign_meta":{"identifier":"ID","identifier_values":["USER_1"]}}`)})
	b.refused(err, engine.NotFound, 404)
}

// What came in goes out: members that no table knows, where objects are open, the spelling of numbers
// and strings, the order of members, white space in texts.
func testLossless(b *bench) {
	const parts = `"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC",` +
		`"basic_details":{"message":"a\tb\r\n\u00e9\ud83d\ude00 \u0041\/","title":"{{ user.first_name }}"},` +
		`"advanced":{"auto_dismiss_notification":true,"dismiss_button_text":"x","auto_dismiss_notification_time_value":1.0e1,"auto_dismiss_notification_time_granularity":"DAYS"}},` +
		`"ios":{"template_type":"BASIC","basic_details":{"title":"t","message":"m","x_new":{"deep":[1.0,-0,1E+2,123456789012345678901234567890.5,null,{"z":1,"a":{}}]}}}}}},` +
		`"basic_details":{"tags":["b","a"],"name":"n"}`
	id := b.create(`{` + pushHead + `,` + parts + `}`)
	b.equal("created", string(b.get(id).Body.Encode()), `{`+parts+`}`)
	_, err := b.Service.Update(b.ctx, engine.UpdateRequest{ID: id, Body: b.parse(`{"advanced":{"platform_level_priority":{"ios_specific_priority":{"relevance_score":0.50}}}}`)})
	b.ok(err)
	b.equal("updated", string(b.get(id).Body.Encode()), `{`+parts+`,"advanced":{"platform_level_priority":{"ios_specific_priority":{"relevance_score":0.50}}}}`)
	found := b.search(engine.SearchRequest{Status: []engine.State{catalog.Draft}})
	b.equal("found", string(found[0].Record().Encode()), b.record(id))
	_, err = b.Service.Validate(b.ctx, id)
	b.ok(err)
	b.equal("still as it was", string(b.get(id).Body.Get("campaign_content").Encode()), string(b.parse(`{`+parts+`}`).Get("campaign_content").Encode()))
}

func testEnded(b *bench) {
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	_, err := b.Service.Create(ctx, engine.CreateRequest{Body: b.parse(`{%s}`, pushHead)})
	if !errors.Is(err, context.Canceled) {
		b.Errorf("create: %v", err)
	}
	_, err = b.Service.Search(ctx, engine.SearchRequest{Limit: 1, Page: 1})
	if !errors.Is(err, context.Canceled) {
		b.Errorf("search: %v", err)
	}
}

func testUpdate(b *bench) {
	id := b.create(`{%s,"basic_details":{"name":"One","team":"Growth"},"utm_params":{"utm_source":"a","utm_medium":"b"}}`, pushHead)
	b.Clock.Advance(time.Minute)
	out, err := b.Service.Update(b.ctx, engine.UpdateRequest{
		Call: engine.Call{RequestID: "mine"}, ID: id,
		Body: b.parse(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","updated_by":"bo@example.com","basic_details":{"name":"Two"}}`),
	})
	b.ok(err)
	c := b.get(id)
	b.equal("updated", []any{out.ID, out.ResponseID, c.UpdatedBy, c.CreatedBy, c.UpdatedAt}, []any{id, "mine", "bo@example.com", author, b.Clock.Now()})
	b.equal("a component is replaced whole", string(c.Body.Encode()), `{"basic_details":{"name":"Two"},"utm_params":{"utm_source":"a","utm_medium":"b"}}`)
}

func testUpdateRefused(b *bench) {
	id := b.create(`{%s,"basic_details":{"name":"One"}}`, pushHead)
	before := b.record(id)
	b.Clock.Advance(time.Minute)
	for _, tt := range []struct {
		body    string
		code    engine.Code
		http    int
		targets []string
	}{
		{`{"status":"PUBLISH","basic_details":{"name":"x"}}`, engine.BadRequest, 400, nil},
		{`{"status":"PUBLISH","channel":"EMAIL"}`, engine.ValidationFailed, 400, []string{"channel"}},
		{`{"status":"PUBLISH","channel":"PUSH","campaign_delivery_type":"PERIODIC"}`, engine.ValidationFailed, 400, []string{"campaign_delivery_type"}},
		{`{"status":"STOP"}`, engine.ValidationFailed, 400, []string{"status"}},
		{`{"channel":"EMAIL","basic_details":{"name":"x"}}`, engine.ValidationFailed, 400, []string{"channel"}},
		{`{"campaign_delivery_type":"PERIODIC","basic_details":{"name":"x"}}`, engine.ValidationFailed, 400, []string{"campaign_delivery_type"}},
		{`{"utm_params":null}`, engine.ValidationFailed, 400, []string{"utm_params"}},
		{`{"utm_params":{"utm_source":"a"}}`, engine.ValidationFailed, 400, []string{"utm_params.utm_medium"}},
		{`{"basic_details":{"name":5}}`, engine.ValidationFailed, 400, []string{"basic_details.name"}},
		{`{"updated_by":"bo@example.com"}`, engine.ValidationFailed, 400, []string{"body"}},
		{`{"basic_details":{"name":"Three"},"utm_params":{}}`, engine.ValidationFailed, 400, []string{"utm_params.utm_source", "utm_params.utm_medium"}},
		{`[]`, engine.BadRequest, 400, nil},
	} {
		_, err := b.Service.Update(b.ctx, engine.UpdateRequest{ID: id, Body: b.parse(tt.body)})
		b.Log(tt.body)
		e := b.refused(err, tt.code, tt.http)
		if tt.targets != nil {
			b.about(e, tt.targets...)
		}
		b.equal("the draft after it", b.record(id), before)
	}
}

func testLocks(b *bench) {
	id := b.create(complete(catalog.EventTriggered))
	b.publish(id)
	const segment = `{"segmentation_details":{"is_all_user_campaign":true,"send_campaign_to_opt_out_users":true}}`
	update := func(body string) error {
		_, err := b.Service.Update(b.ctx, engine.UpdateRequest{ID: id, Body: b.parse(body)})
		return err
	}
	for _, st := range []engine.State{catalog.Active, catalog.Paused} {
		b.equal("state", b.get(id).Status, st)
		b.ok(update(`{"basic_details":{"name":"While ` + string(st) + `","platforms":["ANDROID"]}}`))
		before := b.record(id)
		e := b.refused(update(segment), engine.BadRequest, 409)
		b.about(e, "segmentation_details")
		b.equal("after it", b.record(id), before)
		if st == catalog.Active {
			b.act(id, catalog.Pause)
		}
	}
	once := b.create(complete(catalog.OneTime))
	b.publish(once)
	b.equal("state", b.get(once).Status, catalog.Scheduled)
	id = once
	b.ok(update(segment))
	b.refused(update(`{"scheduling_details":{"delivery_type":"ASAP"}}`), engine.BadRequest, 409)
	b.act(once, catalog.Stop)
	b.refused(update(`{"basic_details":{"name":"Too late","platforms":["ANDROID"]}}`), engine.BadRequest, 409)
}

func testVersions(b *bench) {
	b.settings(func(w *engine.Workspace) { w.Versioning = true })
	id := b.create(complete(catalog.EventTriggered))
	b.publish(id)
	b.Clock.Advance(time.Minute)
	out, err := b.Service.Update(b.ctx, engine.UpdateRequest{ID: id, Body: b.parse(`{"updated_by":"bo@example.com","basic_details":{"name":"Second","platforms":["ANDROID"]}}`)})
	b.ok(err)
	if out.ID == id {
		b.Fatal("a change to a live campaign made no document of its own")
	}
	was, is := b.get(id), b.get(out.ID)
	b.equal("old", []any{was.Version, was.Status, engine.CampaignName(was.Body)}, []any{1, catalog.Stopped, "Spring push"})
	b.equal("new", []any{is.Version, is.Status, is.CampaignID, engine.CampaignName(is.Body)}, []any{2, catalog.Active, was.CampaignID, "Second"})
	b.equal("rows", len(b.search(engine.SearchRequest{IDs: []string{was.CampaignID}})), 2)
	b.equal("rows of a version", b.search(engine.SearchRequest{IDs: []string{was.CampaignID}, Version: 2})[0].ID, out.ID)
}
