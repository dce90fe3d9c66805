package local_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/service/local"
	"bugle/store"
)

// inlineEmail is an inline test of one mail to identifier EMAIL; more goes before the meta.
func inlineEmail(t testing.TB, values, more string) doc.Value {
	return parse(t, `{"channel":"EMAIL",`+
		`"basic_details":{"name":"Inline","content_type":"PROMOTIONAL","subscription_category":"Newsletter","user_attribute_identifier":"Email (Standard)"},`+
		`"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},`+
		`"campaign_content":{"content":{"email":{"subject":"Hi {{UserAttribute['First Name']}}","from_address":"shop@example.com","html_content":"<p>Hello</p>"}}},`+
		more+`"test_campaign_meta":{"identifier":"EMAIL","identifier_values":[`+values+`]}}`)
}

func (b *bench) test(body doc.Value) engine.TestResult {
	b.t.Helper()
	out, err := b.Test(b.ctx, engine.TestRequest{Body: body})
	b.ok(err)
	return out
}

// show writes a result as "KEY STATUS reason" lines.
func show(r engine.TestResult) string {
	var lines []string
	for _, k := range r.Keys {
		lines = append(lines, strings.TrimSpace(k+" "+r.Data[k].Status+" "+r.Data[k].FailureReason))
	}
	return strings.Join(lines, "\n")
}

// An outbox of any size can be cleared: a store takes only so many changes at once.
func TestClearOutbox(t *testing.T) {
	b := newBench(t, local.Options{})
	for n := range 5 {
		b.ok(b.db.Write(b.ctx, func(tx store.Tx) error {
			for i := range 500 {
				if err := tx.Workspace("TEST").PutOutbox(engine.OutboxMessage{ID: fmt.Sprintf("%d-%d", n, i), At: b.clock.Now()}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	b.ok(b.ClearOutbox(b.ctx))
	if left, err := b.Outbox(b.ctx, 0); err != nil || len(left) > 0 {
		t.Errorf("%d messages are left, %v", len(left), err)
	}
}

func TestInlineEmail(t *testing.T) {
	b := newBench(t, local.Options{})
	out := b.test(inlineEmail(t, `"ida@example.com","IDA@example.com"`, "")) // one recipient, whose mailbox is spelled in two ways
	if got := show(out); got != "EMAIL_default_variation_1 SENT" || out.Message != "Sent 1 message." || out.ResponseID == "" {
		t.Errorf("%s\n%s", got, out.Message)
	}
	// An address without a user is personalized by the request alone.
	out = b.test(inlineEmail(t, `"ida@example.com","new@example.com"`, ""))
	contains(t, show(out), "FAILED new@example.com: Subject: no value for {{UserAttribute['First Name']}}")
	if out.Message != "Sent 1 of 2 messages; 1 failed." {
		t.Error(out.Message)
	}
	b.ok(b.ClearOutbox(b.ctx))
	out = b.test(inlineEmail(t, `"new@example.com"`, `"personalization_details":{"user_attributes":{"First Name":"Neo"}},`))
	if out.Message != "Sent 1 message." {
		t.Error(show(out))
	}
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	if len(msgs) != 1 {
		t.Fatalf("%d messages", len(msgs))
	}
	m := msgs[0]
	if m.Email == nil || m.Email.Subject != "Hi Neo" || m.Email.To != "new@example.com" || m.Email.From != "shop@example.com" || m.Email.Text != "Hello" ||
		m.Campaign != "Inline" || m.CampaignID != "" || m.Key != "EMAIL_default_variation_1" || m.Connector != "Main SMTP" || m.Recipient != "new@example.com" || m.At.IsZero() {
		t.Errorf("%+v %+v", m, m.Email)
	}
}

// The MJML that a body was compiled from is not sent, and one that was not compiled is refused.
func TestMJML(t *testing.T) {
	b := newBench(t, local.Options{})
	htmlAt := doc.P("campaign_content", "content", "email", "html_content")
	request := func(html string) doc.Value {
		body, err := inlineEmail(t, `"ida@example.com"`, "").Set(htmlAt, doc.NewString(html))
		b.ok(err)
		return body
	}
	const comment = "<!-- bugle:mjml:1 0123456789abcdef AAAA -->\n"
	if out := b.test(request("<p>Hello {{user.first_name}}</p>\n" + comment)); out.Message != "Sent 1 message." {
		t.Error(show(out))
	}
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	if len(msgs) != 1 || msgs[0].Email.HTML != "<p>Hello Ida</p>\n" {
		t.Errorf("%+v", msgs)
	}
	out, err := b.Preview(b.ctx, engine.PreviewRequest{Body: parse(t, `{"channel":"EMAIL","user_identification":{"type":"EMAIL","value":"ida@example.com"},
		"campaign_content":{"content":{"email":{"html_content":"<p>Hello</p>`+strings.TrimSpace(comment)+`"}}}}`)})
	b.ok(err)
	if got := out.Content.Lookup(htmlAt[1:]).Text(); got != "<p>Hello</p>" {
		t.Errorf("the preview has %q", got)
	}
	_, err = b.Test(b.ctx, engine.TestRequest{Body: request("<mjml></mjml>")})
	if e := engine.AsError(err); e == nil || len(e.Problems) != 1 || !strings.Contains(e.Problems[0].Message, "is MJML that has not been compiled") {
		t.Errorf("%v", err)
	}
}

func TestRequestsThatAreNoTest(t *testing.T) {
	b := newBench(t, local.Options{})
	empty := b.create(`{%s}`, emailHead)
	live := b.state(1, catalog.Email, catalog.OneTime, catalog.Active, `{}`)
	wrong := b.create(`{%s,"connector":{"connector_type":"SENDGRID","connector_name":"Elsewhere"},"campaign_content":{"content":{"email":{"html_content":"x"}}}}`, emailHead)
	none := b.create(`{%s,"campaign_content":{"content":{"email":{"html_content":"x"}}}}`, emailHead)
	full := b.create(`{%s,%s}`, emailHead, emailParts)
	meta := `"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["a@example.com"]`
	for _, tt := range []struct {
		name, body string
		code       engine.Code
		http       int
		target     string
	}{
		{"nothing", `{}`, engine.ValidationFailed, 400, "channel"},
		{"no meta", `{"draft_id":"` + full + `"}`, engine.ValidationFailed, 400, "test_campaign_meta"},
		{"both modes", `{"draft_id":"` + full + `","channel":"EMAIL",` + meta + `}}`, engine.ValidationFailed, 400, "channel"},
		{"push identifier", `{"draft_id":"` + full + `","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["a"]}}`, engine.ValidationFailed, 400, "test_campaign_meta.identifier"},
		{"eleven", `{"draft_id":"` + full + `","test_campaign_meta":{"identifier":"ID","identifier_values":["1","2","3","4","5","6","7","8","9","10","11"]}}`, engine.ValidationFailed, 400, "test_campaign_meta.identifier_values"},
		{"unknown locale", `{"draft_id":"` + full + `",` + meta + `,"locale_name":"de"}}`, engine.ValidationFailed, 400, "test_campaign_meta.locale_name"},
		{"unknown variation", `{"draft_id":"` + full + `",` + meta + `,"variation":"variation_2"}}`, engine.ValidationFailed, 400, "test_campaign_meta.variation"},
		{"unknown segment", `{"draft_id":"` + full + `","test_campaign_meta":{"identifier":"CUSTOM_SEGMENT","identifier_values":["Nope"]}}`, engine.ValidationFailed, 400, "test_campaign_meta.identifier_values"},
		{"empty segment", `{"draft_id":"` + full + `","test_campaign_meta":{"identifier":"CUSTOM_SEGMENT","identifier_values":["Nobody"]}}`, engine.ValidationFailed, 400, "test_campaign_meta.identifier_values"},
		{"no content", `{"draft_id":"` + empty + `",` + meta + `}}`, engine.ValidationFailed, 400, "connector"},
		{"no connector", `{"draft_id":"` + none + `",` + meta + `}}`, engine.ValidationFailed, 400, "connector"},
		{"unknown connector", `{"draft_id":"` + wrong + `",` + meta + `}}`, engine.ValidationFailed, 400, "connector"},
		{"no draft", `{"draft_id":"` + live + `",` + meta + `}}`, engine.ValidationFailed, 400, "draft_id"},
		{"absent draft", `{"draft_id":"` + strings.Repeat("a", 24) + `",` + meta + `}}`, engine.NotFound, 404, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := b.Test(b.ctx, engine.TestRequest{Body: parse(t, tt.body)})
			if e := refused(t, err, tt.code, tt.http); e.Target != tt.target {
				t.Errorf("target %q, want %q: %v", e.Target, tt.target, e)
			}
		})
	}
	if tests, err := b.Tests(b.ctx, "", 0); err != nil || len(tests) != 0 {
		t.Errorf("refused tests are remembered: %v, %v", tests, err)
	}
}

const pushCells = `{
	"default":{"variation_1":{"push":{"android":{"basic_details":{"title":"A {{user.first_name|default('you')}}","message":"m"},"timer":{"specific_time":"{{user.gone}}"}},"web":{"basic_details":{"title":"W","message":"m","redirect_url":"https://example.com"}}}},
	           "variation_2":{"push":{"android":{"basic_details":{"title":"A2","message":"{{event.product}}"}},"web":{"basic_details":{"title":"W2","message":"m","redirect_url":"https://example.com"}}}}},
	"de":{"variation_1":{"push":{"android":{"basic_details":{"title":"DE","message":"m"}}}}}}`

func pushDraft(b *bench) string {
	return b.state(77, catalog.Push, catalog.EventTriggered, catalog.Draft, `{
		"basic_details":{"name":"Push","platforms":["WEB","ANDROID"]},
		"trigger_condition":{"included_filters":{"filters":[{"filter_type":"actions","action_name":"Bought"}]}},
		"campaign_content":{"locales":["de"],"variation_details":{"no_of_variations":2},"content":`+pushCells+`}}`)
}

func TestDraftPush(t *testing.T) {
	b := newBench(t, local.Options{})
	id := pushDraft(b)
	out := b.test(parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"USER_ATTRIBUTE_UNIQUE_ID","identifier_values":["USER_1"]}}`, id))
	want := `ANDROID_default_variation_1 SENT
WEB_default_variation_1 SENT
ANDROID_default_variation_2 SENT
WEB_default_variation_2 SENT
ANDROID_de_variation_1 SENT
WEB_de_variation_1 FAILED USER_1: this message has no content
ANDROID_de_variation_2 FAILED USER_1: this message has no content
WEB_de_variation_2 FAILED USER_1: this message has no content`
	if got := show(out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if out.Message != "Sent 5 of 8 messages; 3 failed." {
		t.Error(out.Message)
	}
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	got := map[string]string{}
	for _, m := range msgs {
		if m.Push == nil || m.CampaignID != id || m.Channel != catalog.Push {
			t.Fatalf("%+v", m)
		}
		got[m.Key] = fmt.Sprintf("%s %s %s %s", m.Push.Platform, m.Push.Token, m.Push.Title, m.Push.Body)
		if m.Key == "ANDROID_default_variation_1" && m.Push.Payload.Get("timer").Exists() {
			t.Errorf("what the template does not use is in the payload: %s", m.Push.Payload.Encode())
		}
	}
	if got["ANDROID_default_variation_1"] != "ANDROID tok-a A Ida m" || got["ANDROID_default_variation_2"] != "ANDROID tok-a A2 boots" {
		t.Errorf("messages %v", got)
	}

	narrowed := b.test(parse(t, `{"draft_id":"%s","personalization_details":{"event_attributes":{"product":5.0}},"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["free"],"platform":"ANDROID","locale_name":"default","variation":"variation_2"}}`, id))
	if got := show(narrowed); got != "ANDROID_default_variation_2 SENT" {
		t.Error(got)
	}
	msgs, _ = b.Outbox(b.ctx, 1)
	if p := msgs[0].Push; p.Token != "free" || p.Body != "5.0" {
		t.Errorf("%+v", p)
	}
}

func TestRecipientsOfPush(t *testing.T) {
	b := newBench(t, local.Options{})
	for _, tt := range []struct{ identifier, values, want string }{
		{"USER_ATTRIBUTE_USER_EMAIL", `"ida@example.com"`, "SENT"},
		{"USER_ATTRIBUTE_USER_MOBILE", `"+4915112345678"`, "SENT"},
		{"SVC_GAID", `"gaid-1"`, "SENT"},
		{"ADVERTISING_IDENTIFIER", `"gaid-1","gaid-2"`, "FAILED gaid-2: no user has this advertising ID"},
		{"PUSH_ID", `"tok-a","anything"`, "SENT"},
		{"PUSH_ID", `"tok-w"`, "FAILED tok-w: the token belongs to a device for Web, not for Android"},
		{"USER_ATTRIBUTE_UNIQUE_ID", `"USER_1","USER_2","X","Y"`, "FAILED USER_2: the user has no device for Android; X, Y: no user has this ID"},
		{"CUSTOM_SEGMENT", `"Testers"`, "FAILED GONE: this user of the segment no longer exists"},
		{"CUSTOM_SEGMENT", `"Many"`, "SENT"},
	} {
		out := b.test(parse(t, `{"channel":"PUSH","campaign_content":{"content":{"push":{"android":{"basic_details":{"title":"t","message":"m"}}}}},
			"test_campaign_meta":{"identifier":"%s","identifier_values":[%s]}}`, tt.identifier, tt.values))
		if got := show(out); got != "ANDROID_default_variation_1 "+tt.want {
			t.Errorf("%s %s: got %s", tt.identifier, tt.values, got)
		}
	}
	msgs, err := b.Outbox(b.ctx, 10)
	b.ok(err)
	for _, m := range msgs {
		if m.Recipient != "USER_1" {
			t.Errorf("a segment sends to its first ten members, and %s is not among them", m.Recipient)
		}
	}
}

func TestRecipientsOfEmail(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s,"basic_details":{"name":"n","user_attribute_identifier":"Work"},"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
		"campaign_content":{"content":{"email":{"subject":"s","from_address":"a@example.com","html_content":"<p>x</p>"}}}}`, emailHead)
	for _, tt := range []struct{ identifier, value, want string }{
		{"ID", "USER_1", "SENT"},
		{"ID", "USER_2", "FAILED USER_2: the user has no attribute Work"},
		{"MOBILE_NUMBER", "+4915112345678", "SENT"},
		{"MOBILE_NUMBER", "+4915100000000", "FAILED +4915100000000: no user has this phone number"},
	} {
		out := b.test(parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"%s","identifier_values":["%s"]}}`, id, tt.identifier, tt.value))
		if got := show(out); got != "EMAIL_default_variation_1 "+tt.want {
			t.Errorf("%s %s: got %s", tt.identifier, tt.value, got)
		}
	}
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	if len(msgs) != 2 || msgs[0].Email.To != "ida@work.example" || msgs[0].Recipient != "+4915112345678" {
		t.Errorf("%+v", msgs)
	}
}

// The store's index of addresses folds more letters than ASCII, but nobody gets the test of somebody else.
func TestLookalikeAddresses(t *testing.T) {
	b := newBench(t, local.Options{})
	b.ok(b.PutUser(b.ctx, engine.User{ID: "KISS", Attributes: map[string]any{engine.AttrEmail: "kiss@example.com"}, Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-k"}}}))
	id := pushDraft(b)
	for value, found := range map[string]bool{"kiss@example.com": true, "KISS@Example.com": true, "\u212aiss@example.com": false, "ki\u017fs@example.com": false} {
		out := b.test(parse(t, `{"draft_id":"%s","test_campaign_meta":{"platform":"ANDROID","identifier":"USER_ATTRIBUTE_USER_EMAIL","identifier_values":["%s"]}}`, id, value))
		if got := show(out); strings.Contains(got, "no user has this email address") == found {
			t.Errorf("%s: got %s", value, got)
		}
		u, sure, err := engine.FindUser(b.ctx, b, "EMAIL", value)
		if err != nil || !sure || (u != nil) != found {
			t.Errorf("%s: found %v, %v", value, u, err)
		}
	}
	out := b.test(inlineEmail(t, `"kiss@example.com","KISS@Example.com","\u212aiss@example.com","ki\u017fs@example.com"`, `"personalization_details":{"user_attributes":{"First Name":"Ida"}},`))
	if out.Message != "Sent 3 messages." {
		t.Errorf("of two spellings and two others: %s", out.Message)
	}
}

func TestSavedTemplateAndBadExpression(t *testing.T) {
	b := newBench(t, local.Options{Fetcher: &delivery.Fetcher{Timeout: 10 * time.Millisecond}})
	id := b.create(`{%s,%s}`, emailHead, emailParts)
	c := b.get(id)
	for content, want := range map[string]string{
		`{"custom_template_id":"t1"}`:                                                             "there is no saved template t1 in this workspace",
		`{"subject":"s","from_address":"a@example.com"}`:                                          "no HTML content",
		`{"subject":"{{ user.","html_content":"x"}`:                                               "Subject: ",
		`{"subject":"a","html_content":"{{user.nope}} {{event.no}}"}`:                             "{{event.no}}",
		`{"subject":"a","html_content":"x","attachments":[{"url":"http://127.0.0.1:1/a"}]}`:       "the attachment http://127.0.0.1:1/a cannot be fetched",
		`{"subject":"a","html_content":"x","from_address":"a@example.com\r\nBcc: x@example.com"}`: "line break",
	} {
		body, err := c.Body.Set(doc.P("campaign_content", "content", "email"), parse(t, content))
		b.ok(err)
		head, err := b.Save(b.ctx, engine.SaveRequest{ID: id, Revision: b.get(id).Revision, Body: body, By: author})
		b.ok(err)
		if head.Status != catalog.Draft {
			t.Error(head.Status)
		}
		out := b.test(parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}}`, id))
		contains(t, show(out), "FAILED ida@example.com: ", want)
	}
}

func TestProgressAndCancel(t *testing.T) {
	g := gate{entered: make(chan struct{}, 8), open: make(chan struct{})}
	o, smtp := gated(g)
	b := newBench(t, o, smtp)
	ctx, cancel := context.WithCancel(b.ctx)
	var steps []engine.TestProgress
	finished := make(chan engine.TestResult)
	var values []string
	for i := range 10 {
		values = append(values, fmt.Sprintf(`"u%d@example.com"`, i))
	}
	go func() {
		out, err := b.Test(ctx, engine.TestRequest{
			Body:     inlineEmail(t, strings.Join(values, ","), `"personalization_details":{"user_attributes":{"First Name":"x"}},`),
			Progress: func(p engine.TestProgress) { steps = append(steps, p) },
		})
		if err != nil {
			t.Error(err)
		}
		finished <- out
	}()
	for range 8 {
		<-g.entered
	}
	g.open <- struct{}{} // one arrives, and another takes its place
	<-g.entered
	cancel()
	out := <-finished
	contains(t, show(out), "FAILED", "(the test was canceled): it may have been delivered; look before you repeat", "the test was canceled before it was sent")
	contains(t, out.Message, "Sent 1 of 10 messages; 1 failed; 8 may have been delivered. The test was canceled.")
	if last := steps[len(steps)-1]; last.Completed != 10 || last.Total != 10 || !last.Done {
		t.Errorf("last step %+v", last)
	}
	if !slices.ContainsFunc(steps, func(p engine.TestProgress) bool { return p.Done && p.Err == "" }) {
		t.Error("no step tells of the one that was sent")
	}
	// What happened is on record all the same.
	tests, err := b.Tests(b.ctx, "", 0)
	b.ok(err)
	if len(tests) != 1 || tests[0].Result.Message != out.Message {
		t.Errorf("%+v", tests)
	}
}

func TestAtMostEightAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gate{entered: make(chan struct{}, 10), open: make(chan struct{})}
		o, smtp := gated(g)
		b := newBench(t, o, smtp)
		var wait sync.WaitGroup
		wait.Go(func() {
			var to []string
			for i := range 10 {
				to = append(to, fmt.Sprintf(`"ida%d@example.com"`, i))
			}
			b.test(inlineEmail(t, strings.Join(to, ","), `"personalization_details":{"user_attributes":{"First Name":"Ida"}},`))
		})
		synctest.Wait()
		if n := len(g.entered); n != 8 {
			t.Errorf("%d at once", n)
		}
		close(g.open)
		wait.Wait()
	})
}

func TestHistoryOfTests(t *testing.T) {
	b := newBench(t, local.Options{})
	id := pushDraft(b)
	b.test(parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"CUSTOM_SEGMENT","identifier_values":["Testers"]}}`, id))
	b.clock.Add(1e9)
	b.test(inlineEmail(t, `"a@example.com","ida@example.com"`, ""))
	b.clock.Add(1e9)
	b.test(inlineEmail(t, `"bo@example.com","a@example.com"`, ""))
	all, err := b.Tests(b.ctx, "", 2)
	b.ok(err)
	if len(all) != 2 || !all[0].At.After(all[1].At) {
		t.Errorf("%+v", all)
	}
	one, err := b.Tests(b.ctx, id, 0)
	b.ok(err)
	if len(one) != 1 || one[0].CampaignID != id {
		t.Errorf("%+v", one)
	}
	for _, tt := range []struct {
		ch         engine.Channel
		identifier string
		limit      int
		want       string
	}{
		{catalog.Email, "EMAIL", 0, "bo@example.com a@example.com ida@example.com"},
		{catalog.Email, "EMAIL", 2, "bo@example.com a@example.com"},
		{catalog.Push, "CUSTOM_SEGMENT", 5, "Testers"},
		{catalog.Email, "CUSTOM_SEGMENT", 5, ""},
	} {
		got, err := b.Recipients(b.ctx, tt.ch, tt.identifier, tt.limit)
		b.ok(err)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s %s: %v, want %s", tt.ch, tt.identifier, got, tt.want)
		}
	}
}
