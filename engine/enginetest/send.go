package enginetest

import (
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
)

const idaMail = `"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}`

func show(r engine.TestResult) string {
	var out []string
	for _, key := range r.Keys {
		res := r.Data[key]
		out = append(out, strings.TrimSpace(key+" "+res.Status+" "+res.FailureReason))
	}
	return strings.Join(out, "\n")
}

// keyed is a push draft of two platforms, two locales and two variations.
func (b *bench) keyed() string {
	b.Helper()
	cell := func(title string) string {
		return fmt.Sprintf(`{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"%[1]s A","message":"m"}},
			"web":{"template_type":"BASIC","basic_details":{"title":"%[1]s W","message":"m","redirect_url":"https://example.com"}}}}`, title)
	}
	return b.create(`{"channel":"PUSH","campaign_delivery_type":"EVENT_TRIGGERED","created_by":"ann@example.com",
		"basic_details":{"name":"Keyed","platforms":["ANDROID","WEB"]},%s,
		"campaign_content":{"locales":["de"],"variation_details":{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}},
		"content":{"default":{"variation_1":%s,"variation_2":%s},"de":{"variation_1":%s,"variation_2":%s}}}}`,
		trigger, cell("Hi {{user.first_name}}"), cell("{{event.product}}"), cell("Hallo"), cell("Tag"))
}

func testTestDraft(b *bench) {
	id := b.keyed()
	out, err := b.Service.Test(b.ctx, engine.TestRequest{
		Call: engine.Call{RequestID: "mine"},
		Body: b.parse(`{"draft_id":"%s","test_campaign_meta":{"identifier":"USER_ATTRIBUTE_UNIQUE_ID","identifier_values":["USER_1"]}}`, id),
	})
	b.ok(err)
	b.equal("result", show(out), `ANDROID_default_variation_1 SENT
WEB_default_variation_1 SENT
ANDROID_default_variation_2 SENT
WEB_default_variation_2 SENT
ANDROID_de_variation_1 SENT
WEB_de_variation_1 SENT
ANDROID_de_variation_2 SENT
WEB_de_variation_2 SENT`)
	b.equal("answer", []any{out.ResponseID, out.Message, out.Replayed}, []any{"mine", "Sent 8 messages.", false})
	sent := b.outbox()
	b.equal("delivered", len(sent), 8)
	for _, want := range []string{"ANDROID_default_variation_1 USER_1: Hi Ida A", "WEB_default_variation_2 USER_1: boots W"} {
		if !strings.Contains(strings.Join(sent, "\n"), want) {
			b.Errorf("%s is not among %q", want, sent)
		}
	}

	out, err = b.Service.Test(b.ctx, engine.TestRequest{Body: b.parse(`{"draft_id":"%s","personalization_details":{"event_attributes":{"product":5.0}},
		"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["free"],"platform":"ANDROID","locale_name":"default","variation":"variation_2"}}`, id)})
	b.ok(err)
	b.equal("narrowed", show(out), "ANDROID_default_variation_2 SENT")
	sent = b.outbox()
	b.equal("with a value of its own", sent[len(sent)-1], "ANDROID_default_variation_2 free: 5.0 A")

	out, err = b.Service.Test(b.ctx, engine.TestRequest{Body: b.parse(`{"draft_id":"%s",%s}`, b.create(`{%s,%s}`, emailHead, emailParts), idaMail)})
	b.ok(err)
	b.equal("email", show(out), "EMAIL_default_variation_1 SENT")
	sent = b.outbox()
	b.equal("delivered", sent[len(sent)-1], "EMAIL_default_variation_1 ida@example.com: Hi Ida")
}

const inlineMail = `{"channel":"EMAIL","basic_details":{"name":"T","content_type":"PROMOTIONAL","subscription_category":"Newsletter","user_attribute_identifier":"Email (Standard)"},` +
	connector + `,"campaign_content":{"content":{"email":{"subject":"Now","from_address":"shop@example.com","html_content":"<p>x</p>"}}},` + idaMail + `}`

func testTestInline(b *bench) {
	out, err := b.Service.Test(b.ctx, engine.TestRequest{Body: b.parse(inlineMail)})
	b.ok(err)
	b.equal("result", []any{show(out), out.Message}, []any{"EMAIL_default_variation_1 SENT", "Sent 1 message."})
	b.equal("delivered", b.outbox(), []string{"EMAIL_default_variation_1 ida@example.com: Now"})
	b.equal("stored", len(b.search(engine.SearchRequest{Status: catalog.States})), 0)
}

func testTestFailures(b *bench) {
	id := b.keyed()
	out, err := b.Service.Test(b.ctx, engine.TestRequest{Body: b.parse(
		`{"draft_id":"%s","test_campaign_meta":{"identifier":"CUSTOM_SEGMENT","identifier_values":["Testers"],"locale_name":"de","variation":"variation_1"}}`, id)})
	b.ok(err)
	b.equal("result", show(out), `ANDROID_de_variation_1 FAILED GONE: this user of the segment no longer exists
WEB_de_variation_1 FAILED GONE: this user of the segment no longer exists`)
	b.equal("message", out.Message, "Sent 2 of 4 messages; 2 failed.")
	b.equal("delivered", len(b.outbox()), 2)
	// A message with a hole in it is never sent.
	out, err = b.Service.Test(b.ctx, engine.TestRequest{Body: b.parse(
		`{"draft_id":"%s","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["free"],"platform":"ANDROID","locale_name":"default","variation":"variation_1"}}`, id)})
	b.ok(err)
	if got := show(out); !strings.HasPrefix(got, "ANDROID_default_variation_1 FAILED free: ") || !strings.Contains(got, "user.first_name") {
		b.Errorf("got %s", got)
	}
	b.equal("delivered after it", len(b.outbox()), 2)
}

func testTestRefused(b *bench) {
	id := b.keyed()
	const meta = `"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]`
	live := b.create(complete(catalog.OneTime))
	b.publish(live)
	for _, tt := range []struct{ body, target string }{
		{`{"draft_id":"` + id + `"}`, "test_campaign_meta"},
		{`{"draft_id":"` + id + `","channel":"PUSH",` + meta + `}}`, "channel"},
		{`{` + meta + `}}`, "channel"},
		{`{"draft_id":"short",` + meta + `}}`, "draft_id"},
		{`{"draft_id":"` + live + `",` + meta + `}}`, "draft_id"},
		{`{"draft_id":"` + id + `","test_campaign_meta":{"identifier":"EMAIL","identifier_values":["t@example.com"]}}`, "test_campaign_meta.identifier"},
		{`{"draft_id":"` + id + `","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["1","2","3","4","5","6","7","8","9","10","11"]}}`, "test_campaign_meta.identifier_values"},
		{`{"draft_id":"` + id + `","test_campaign_meta":{"identifier":"CUSTOM_SEGMENT","identifier_values":["Nobody"]}}`, "test_campaign_meta.identifier_values"},
		{`{"draft_id":"` + id + `",` + meta + `,"locale_name":"fr"}}`, "test_campaign_meta.locale_name"},
		{`{"draft_id":"` + id + `",` + meta + `,"platform":"IOS"}}`, "test_campaign_meta.platform"},
		{strings.Replace(inlineMail, connector+",", "", 1), "connector"},
	} {
		_, err := b.Service.Test(b.ctx, engine.TestRequest{Body: b.parse(tt.body)})
		if e := b.refused(err, engine.ValidationFailed, 400); e.Target != tt.target {
			b.Errorf("%s\ntarget %q, want %q: %v", tt.body, e.Target, tt.target, e)
		}
	}
	b.equal("delivered", len(b.outbox()), 0)
	tests, err := b.Home.Tests(b.ctx, "", 0)
	b.ok(err)
	b.equal("remembered", len(tests), 0)
}

func testPreview(b *bench) {
	for _, tt := range []struct{ body, content, unresolved string }{
		{
			`{"channel":"PUSH","user_identification":{"type":"USER_ATTRIBUTE_UNIQUE_ID","value":"USER_1"},"event_attributes":{"product":"hats"},
			"campaign_content":{"content":{"push":{"android":{"basic_details":{"title":"{{user.first_name}}: {{event.product}}","message":"{{event.size}}"},"advanced":{"x_new":1.50}}}}}}`,
			`{"content":{"push":{"android":{"basic_details":{"title":"Ida: hats","message":"{{event.size}}"},"advanced":{"x_new":1.50}}}}}`,
			`[{campaign_content.content.push.android.basic_details.message event.size}]`,
		}, {
			`{"channel":"EMAIL","user_identification":{"type":"EMAIL","value":"no@example.com"},
			"campaign_content":{"content":{"default":{"variation_1":{"email":{"subject":"Hi {{user.first_name}}","html_content":"{{ContentBlock['footer']}}"}}}}}}`,
			`{"content":{"default":{"variation_1":{"email":{"subject":"Hi {{user.first_name}}","html_content":"Bye, you"}}}}}`,
			`[{campaign_content.content.default.variation_1.email.subject user.first_name}]`,
		}, {
			`{"channel":"SMS","user_identification":{"type":"PUSH_ID","value":"tok-w"},"campaign_content":{"content":{"sms":{"message":"Hi {{user.first_name}}"}}}}`,
			`{"content":{"sms":{"message":"Hi Ida"}}}`, `[]`,
		}, { // what fails is a hole, and a number keeps its digits
			`{"channel":"SMS","user_identification":{"type":"PUSH_ID","value":"tok-w"},"event_attributes":{"order":9007199254740993},
			"campaign_content":{"m":"{{event.order * 1}} {{event.order}} {{ '%s and %s'|format('a') }}"}}`,
			`{"m":"9007199254740993 9007199254740993 {{ '%s and %s'|format('a') }}"}`, `[{campaign_content.m '%s and %s'|format('a')}]`,
		},
	} {
		out, err := b.Service.Preview(b.ctx, engine.PreviewRequest{Call: engine.Call{RequestID: "mine"}, Body: b.parse(tt.body)})
		b.ok(err)
		b.equal("content", string(out.Content.Encode()), tt.content)
		b.equal("unresolved", out.Unresolved, tt.unresolved)
		b.equal("response id", out.ResponseID, "mine")
	}
	b.equal("sent", len(b.outbox()), 0)
}

func testPreviewRefused(b *bench) {
	const user = `"user_identification":{"type":"EMAIL","value":"a@example.com"}`
	for body, target := range map[string]string{
		`{}`: "channel",
		`{"channel":"WHATSAPP",` + user + `,"campaign_content":{}}`:                                   "channel",
		`{"draft_id":"1","channel":"SMS",` + user + `,"campaign_content":{"m":"x"}}`:                  "draft_id",
		`{"channel":"SMS",` + user + `,"campaign_content":{"m":"{{ user."}}`:                          "campaign_content.m",
		`{"channel":"PUSH","user_identification":{"type":"EMAIL"},"campaign_content":{"content":{}}}`: "user_identification.value",
	} {
		_, err := b.Service.Preview(b.ctx, engine.PreviewRequest{Body: b.parse(body)})
		if e := b.refused(err, engine.ValidationFailed, 400); e.Target != target {
			b.Errorf("%s\ntarget %q, want %q: %v", body, e.Target, target, e)
		}
	}
}
