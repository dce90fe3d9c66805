package local_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/local"
)

func (b *bench) put(item engine.ContentItem) engine.ContentRef {
	b.t.Helper()
	ref, err := b.PutContent(b.ctx, item)
	b.ok(err)
	return ref
}

func block(name, source string) engine.ContentItem {
	return engine.ContentItem{Block: &engine.ContentBlock{Name: name, Source: source}}
}

func shoes() engine.ContentItem {
	return engine.ContentItem{Products: &engine.ProductSet{Name: "shoes", Products: []map[string]any{
		{"title": "Boot", "price": json.Number("80.50")}, {"title": "Clog", "price": json.Number("20")},
	}}}
}

func template(t testing.TB, id, channel, platform, content string) engine.ContentItem {
	return engine.ContentItem{Template: &engine.ContentTemplate{ID: id, Channel: engine.Channel(channel), Platform: platform, Content: parse(t, content)}}
}

// weather is a content API on this machine, which the bench's workspace allows.
func (b *bench) weather(calls *atomic.Int32) {
	b.t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.URL.Path == "/down" {
			http.Error(w, "closed", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, `{"today": "rain in `+strings.TrimPrefix(r.URL.Path, "/")+`"}`)
	}))
	b.t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	b.ok(err)
	b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error {
		w.ContentAPIs = engine.ContentPolicy{Hosts: []string{u.Host}, Private: true}
		return nil
	}))
	b.put(engine.ContentItem{API: &engine.ContentAPI{Name: "weather", URL: s.URL + "/{city}", Params: []string{"city"}}})
	b.put(engine.ContentItem{API: &engine.ContentAPI{Name: "down", URL: s.URL + "/down"}})
}

func TestPreviewOfContent(t *testing.T) {
	b := newBench(t, local.Options{})
	var calls atomic.Int32
	b.weather(&calls)
	b.put(shoes())
	b.put(block("outer", "[{{ContentBlock['footer']}}]"))
	b.put(template(t, "mail", "EMAIL", "", `{"subject":"Hi {{user.first_name}}","html_content":"<p>one</p>","sender_name":"Shop"}`))
	b.put(template(t, "mail", "EMAIL", "", `{"subject":"Hello {{user.first_name}}","html_content":"<p>{{ProductSet.shoes[0].title}} {{user.nick}}</p>","sender_name":"Shop"}`))
	b.put(template(t, "card", "PUSH", "ANDROID", `{"template_type":"STYLIZED_BASIC","basic_details":{"title":"From {{ContentApi.weather('Oslo').today}}","message":"M"},"buttons":[{"btn_name":"Go"}]}`))
	const user = `"user_identification":{"type":"USER_ATTRIBUTE_UNIQUE_ID","value":"USER_1"}`
	const at = `campaign_content.content.`
	for _, tt := range []struct{ name, body, content, unresolved string }{
		{
			"everything", `{"channel":"SMS",` + user + `,"event_attributes":{"city":"Bonn"},"campaign_content":{"m":"{{ContentBlock['outer']}} {{ContentApi.weather(event.city).today}} {% for p in ProductSet.shoes %}{{p.title}} {{p.price}};{% endfor %} {{BusinessEventAttribute.city}}"}}`,
			`{"m":"[Bye, Ida] rain in Bonn Boot 80.50;Clog 20; Bonn"}`, `null`,
		},
		{
			"what is not there", `{"channel":"SMS",` + user + `,"campaign_content":{"m":"{{ContentApi.down().x}} {{ProductSet.hats[0].title}}"}}`,
			`{"m":"{{ContentApi.down().x}} {{ProductSet.hats[0].title}}"}`,
			`[{"field":"campaign_content.m","expression":"ContentApi.down().x"},{"field":"campaign_content.m","expression":"ProductSet.hats[0].title"}]`,
		},
		{
			"the newest template", `{"channel":"EMAIL",` + user + `,"campaign_content":{"content":{"email":{"custom_template_id":"mail","sender_name":"Own","subject":""}}}}`,
			`{"content":{"email":{"subject":"Hello Ida","html_content":"<p>Boot {{user.nick}}</p>","sender_name":"Own","custom_template_id":"mail"}}}`,
			`[{"field":"` + at + `email.html_content","expression":"user.nick"}]`,
		},
		{
			"a template's version", `{"channel":"EMAIL",` + user + `,"campaign_content":{"locales":["fr"],"content":{"default":{"variation_1":{"email":{"custom_template_id":"mail","custom_template_version":1.0}}},"fr":{"variation_1":{"email":{"html_content":"x"}}}}}}`,
			`{"locales":["fr"],"content":{"default":{"variation_1":{"email":{"subject":"Hi Ida","html_content":"<p>one</p>","sender_name":"Shop","custom_template_id":"mail","custom_template_version":1.0}}},"fr":{"variation_1":{"email":{"html_content":"x"}}}}}`, `null`,
		},
		{
			"a version that is not there", `{"channel":"EMAIL",` + user + `,"campaign_content":{"content":{"email":{"custom_template_id":"mail","custom_template_version":9}}}}`,
			`{"content":{"email":{"custom_template_id":"mail","custom_template_version":9}}}`,
			`[{"field":"` + at + `email.custom_template_id","expression":"mail, version 9"}]`,
		},
		{
			"a push template", `{"channel":"PUSH",` + user + `,"campaign_content":{"content":{"push":{"android":{"template_type":"Custom","custom_template_id":"card","basic_details":{"message":"Own"}}}}}}`,
			`{"content":{"push":{"android":{"template_type":"STYLIZED_BASIC","basic_details":{"title":"From rain in Oslo","message":"Own"},"buttons":[{"btn_name":"Go"}],"custom_template_id":"card"}}}}`, `null`,
		},
		{
			"another platform's template", `{"channel":"PUSH",` + user + `,"campaign_content":{"content":{"push":{"ios":{"template_type":"Custom","custom_template_id":"card"}}}}}`,
			`{"content":{"push":{"ios":{"template_type":"Custom","custom_template_id":"card"}}}}`,
			`[{"field":"` + at + `push.ios.custom_template_id","expression":"card"}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := b.Preview(b.ctx, engine.PreviewRequest{Body: parse(t, tt.body)})
			b.ok(err)
			if got := string(out.Content.Encode()); got != tt.content {
				t.Errorf("got  %s\nwant %s", got, tt.content)
			}
			if got := asJSON(t, out.Unresolved); got != tt.unresolved {
				t.Errorf("got  %s\nwant %s", got, tt.unresolved)
			}
			if n := strings.Count(tt.body, "ContentApi.") + strings.Count(tt.body, `"card","b`); len(out.Calls) != n {
				t.Errorf("%d calls, want %d", len(out.Calls), n)
			}
		})
	}
}

// A test send fills all of it, and asks each content API once for all of its messages.
func TestSendOfContent(t *testing.T) {
	b := newBench(t, local.Options{})
	var calls atomic.Int32
	b.weather(&calls)
	b.put(shoes())
	b.put(template(t, "card", "PUSH", "ANDROID", `{"template_type":"BASIC","basic_details":{"title":"{{ContentApi.weather('Oslo').today}}","message":"{{ProductSet.shoes[1].title}}"}}`))
	b.put(template(t, "mail", "EMAIL", "", `{"subject":"Hi {{user.first_name|default('you')}}","html_content":"<p>{{ContentApi.weather('Oslo').today}}</p>"}`))
	out, err := b.Test(b.ctx, engine.TestRequest{Body: parse(t, `{"channel":"PUSH","request_id":"r1","campaign_content":{"content":{"push":{
		"android":{"template_type":"Custom","custom_template_id":"card"},"web":{"template_type":"BASIC","basic_details":{"title":"{{ContentApi.weather('Oslo').today}}","message":"m","redirect_url":"https://example.com"}}}}},
		"test_campaign_meta":{"identifier":"USER_ATTRIBUTE_UNIQUE_ID","identifier_values":["USER_1"]}}`)})
	b.ok(err)
	if got := asJSON(t, out.Data); strings.Contains(got, "FAILED") || len(out.Data) != 2 {
		t.Errorf("outcome %s", got)
	}
	if calls.Load() != 1 || len(out.Calls) != 1 || out.Calls[0].Reused != 1 || out.Calls[0].Status != 200 {
		t.Errorf("%d calls went out; noted as %+v", calls.Load(), out.Calls)
	}
	box, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	for _, m := range box {
		if m.Push.Title != "rain in Oslo" || m.Push.Platform == "ANDROID" && m.Push.Body != "Clog" {
			t.Errorf("%s got %q, %q", m.Push.Platform, m.Push.Title, m.Push.Body)
		}
	}
	mail := `{"channel":"EMAIL","request_id":"r2","basic_details":{"name":"n","content_type":"TRANSACTIONAL","subscription_category":"Newsletter","user_attribute_identifier":"Email (Standard)"},
		"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},"campaign_content":{"content":{"email":{"from_address":"a@example.com","custom_template_id":"%s"}}},
		"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com","nobody@example.com"]}}`
	out, err = b.Test(b.ctx, engine.TestRequest{Body: parse(t, mail, "mail")})
	b.ok(err)
	if got := asJSON(t, out.Data); strings.Contains(got, "FAILED") {
		t.Errorf("outcome %s", got)
	}
	if box, err = b.Outbox(b.ctx, 2); err != nil || box[0].Email.HTML != "<p>rain in Oslo</p>" {
		t.Errorf("mail %+v, %v", box[0].Email, err)
	}
	out, err = b.Test(b.ctx, engine.TestRequest{Body: parse(t, mail, "card")})
	b.ok(err)
	if got := asJSON(t, out.Data); !strings.Contains(got, "the saved template card is for push on Android") {
		t.Errorf("outcome %s", got)
	}
}

// A filter's value that is an expression has what a message has.
func TestAudienceByContent(t *testing.T) {
	b := newBench(t, local.Options{})
	var calls atomic.Int32
	b.weather(&calls)
	b.put(shoes())
	b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error {
		rainy := engine.Segment{ID: "rainy", Name: "Rainy"}
		b.ok(rainy.SetGroup(parse(t, `{"filters":[{"filter_type":"user_attributes","name":"Sky","data_type":"string","operator":"is","value":"{{ContentApi.weather('Oslo').today}}"}]}`)))
		w.Segments = append(w.Segments, rainy)
		return nil
	}))
	for id, sky := range map[string]string{"A": "rain in Oslo", "B": "rain in Oslo", "C": "sun"} {
		b.ok(b.PutUser(b.ctx, engine.User{ID: id, Attributes: map[string]any{"Sky": sky, "Budget": 50}}))
	}
	for filters, want := range map[string]string{
		`{"filters":[{"filter_type":"user_attributes","name":"Budget","data_type":"double","operator":"lessThan","value":"{{ProductSet.shoes[0].price}}"}]}`: "A B C",
		`{"filters":[{"filter_type":"custom_segments","name":"Rainy"}]}`:                                                                                     "A B",
		`{"filters":[{"filter_type":"user_attributes","name":"Budget","data_type":"double","operator":"lessThan","value":"{{ProductSet.hats[0].price}}"}]}`:  "",
	} {
		members, err := b.AudienceMembers(b.ctx, b.audience(filters))
		b.ok(err)
		var got []string
		for _, p := range members {
			got = append(got, p.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s picks %v, want %s", filters, got, want)
		}
	}
	if calls.Load() != 1 {
		t.Errorf("the content API was asked %d times for one audience", calls.Load())
	}
}

func TestContentIsStored(t *testing.T) {
	b := newBench(t, local.Options{})
	b.put(shoes())
	b.put(block("head", "<h1>{{user.first_name}}</h1>"))
	b.put(block("head", "<h2>"))
	for i, want := range []int{1, 2} {
		if ref := b.put(template(t, "mail", "EMAIL", "", `{"subject":"`+strings.Repeat("x", i)+`"}`)); ref.Version != want {
			t.Errorf("version %d, want %d", ref.Version, want)
		}
	}
	again := template(t, "mail", "EMAIL", "", `{"subject":"x"}`)
	again.Template.Version = 2
	b.put(again) // it is what is there
	for kind, want := range map[engine.ContentKind]string{engine.KindBlock: "footer head", engine.KindProducts: "shoes", engine.KindTemplate: "mail", engine.KindAPI: ""} {
		items, err := b.Content(b.ctx, kind)
		b.ok(err)
		var names []string
		for _, i := range items {
			names = append(names, i.Ref().Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	head, err := b.ContentItem(b.ctx, engine.ContentRef{Kind: engine.KindBlock, Name: "head"})
	if err != nil || head.Block.Source != "<h2>" {
		t.Errorf("%+v, %v", head.Block, err)
	}
	first, err := b.ContentItem(b.ctx, engine.ContentRef{Kind: engine.KindTemplate, Name: "mail", Version: 1})
	if err != nil || first.Template.Content.Get("subject").Text() != "" || !first.Template.SavedAt.Equal(b.clock.Now()) {
		t.Errorf("%+v, %v", first.Template, err)
	}
	for _, ref := range []engine.ContentRef{{Kind: engine.KindBlock, Name: "head"}, {Kind: engine.KindProducts, Name: "shoes"}, {Kind: engine.KindTemplate, Name: "mail", Version: 1}, {Kind: engine.KindTemplate, Name: "mail"}} {
		b.ok(b.DeleteContent(b.ctx, ref))
		refused(t, b.DeleteContent(b.ctx, ref), engine.NotFound, 404)
		_, err := b.ContentItem(b.ctx, ref)
		refused(t, err, engine.NotFound, 404)
	}
}

func TestContentRefused(t *testing.T) {
	b := newBench(t, local.Options{})
	b.put(template(t, "mail", "EMAIL", "", `{"subject":"x"}`))
	b.put(block("a", "{{ContentBlock['b']}}"))
	b.put(block("b", "{% if true %}{{ContentBlock.c}}{% endif %}"))
	taken := template(t, "mail", "EMAIL", "", `{"subject":"y"}`)
	taken.Template.Version = 1
	_, err := b.PutContent(b.ctx, taken)
	refused(t, err, engine.BadRequest, 409)
	for want, item := range map[string]engine.ContentItem{
		"send a content block":               {},
		"1 to 100 characters":                block("", "x"),
		"without spaces at the start or end": block(" a", "x"),
		"both single and double quotes":      block(`a'"`, "x"),
		"line 2, column 10":                  block("x", "\n{{ user. }}"),
		"curly quotes":                       block("x", "{{ user[‘a’] }}"),
		"c → a → b → c":                      block("c", "{{ContentBlock.a}}"),
		"d → d":                              block("d", "{{ContentBlock.d}}"),
		"must begin with https":              {API: &engine.ContentAPI{Name: "x", URL: "ftp://x"}},
		"at most 10000 products":             {Products: &engine.ProductSet{Name: "x", Products: make([]map[string]any, 10_001)}},
		"must be ANDROID or IOS":             template(t, "x", "PUSH", "WEB", `{}`),
		"must be PUSH or EMAIL":              template(t, "x", "SMS", "", `{}`),
		"must be a JSON object":              template(t, "x", "EMAIL", "", `[]`),
		"cannot use another":                 template(t, "x", "EMAIL", "", `{"custom_template_id":"y"}`),
		"subject":                            template(t, "x", "EMAIL", "", `{"subject":5}`),
		"sbject":                             template(t, "x", "EMAIL", "", `{"sbject":"x"}`),
		"a name is missing":                  template(t, "x", "EMAIL", "", `{"html_content":"{{ user. }}"}`),
		"are for Email; save this one under": template(t, "mail", "PUSH", "IOS", `{}`),
	} {
		_, err := b.PutContent(b.ctx, item)
		if err == nil {
			t.Errorf("kept, want %q", want)
			continue
		}
		if e := refused(t, err, engine.ValidationFailed, 400); !strings.Contains(e.Error(), want) {
			t.Errorf("%q is not in %q", want, e.Error())
		}
	}
	_, err = b.Content(b.ctx, "poem")
	refused(t, err, engine.ValidationFailed, 400)
	_, err = b.ContentItem(b.ctx, engine.ContentRef{Kind: engine.KindAPI, Name: "x"})
	refused(t, err, engine.NotFound, 404)
}

func TestContentUses(t *testing.T) {
	b := newBench(t, local.Options{})
	b.put(shoes())
	b.put(block("outer", "{{ContentBlock['footer']}} {{ProductSet.shoes[0].title}}"))
	b.put(template(t, "mail", "EMAIL", "", `{"subject":"{{ ContentBlock.footer }}"}`))
	b.put(template(t, "mail", "EMAIL", "", `{"subject":"x"}`))
	id := b.create(`{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"name":"Spring"},
		"campaign_content":{"content":{"email":{"subject":"{{ContentBlock['footer']}}","custom_template_id":"mail","custom_template_version":2}}}}`)
	for ref, want := range map[engine.ContentRef]string{
		{Kind: engine.KindBlock, Name: "footer"}:              `outer, mail, Spring ` + id,
		{Kind: engine.KindBlock, Name: "outer"}:               ``,
		{Kind: engine.KindProducts, Name: "shoes"}:            `outer`,
		{Kind: engine.KindTemplate, Name: "mail"}:             `Spring ` + id,
		{Kind: engine.KindTemplate, Name: "mail", Version: 2}: `Spring ` + id,
		{Kind: engine.KindTemplate, Name: "mail", Version: 1}: ``,
	} {
		uses, err := b.ContentUses(b.ctx, ref)
		b.ok(err)
		var got []string
		for _, u := range uses {
			got = append(got, strings.TrimSpace(u.Name+" "+u.Campaign))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s is used by %v, want %s", ref, got, want)
		}
	}
}

func TestTryContentAPI(t *testing.T) {
	b := newBench(t, local.Options{})
	var calls atomic.Int32
	b.weather(&calls)
	out, err := b.TryContentAPI(b.ctx, "weather", []any{"Oslo"})
	b.ok(err)
	if v, _ := out.Value.(doc.Value); v.Get("today").Text() != "rain in Oslo" || out.Call.Status != 200 {
		t.Errorf("%+v", out)
	}
	b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.ContentAPIs.Private = false; return nil }))
	if out, err = b.TryContentAPI(b.ctx, "weather", []any{"Oslo"}); err != nil || !strings.Contains(out.Call.Err, "private network") || calls.Load() != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	_, err = b.TryContentAPI(b.ctx, "other", nil)
	refused(t, err, engine.NotFound, 404)
	err = b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.ContentAPIs.Hosts = []string{"https://x"}; return nil })
	refused(t, err, engine.ValidationFailed, 400)
}
