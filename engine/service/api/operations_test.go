package api_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/operation"
)

func TestCreate(t *testing.T) {
	b := newBench(t)
	a := b.do("POST", campaigns, `{`+emailHead+`,"request_id":"r-1"}`, requestID("r-1"))
	a.is(201, "response_id", "r-1", "type", "campaign", "data.status", "DRAFT")
	if id := a.at("data.id"); len(id) != 24 || a.doc.Get("data").Len() != 2 {
		t.Errorf("data %s", a.at("data"))
	}
	if got := a.header.Get("X-SVC-Request-Id"); got != "r-1" {
		t.Errorf("X-SVC-Request-Id %q", got)
	}

	a = b.do("POST", campaigns, `{"channel":"PUSH","campaign_delivery_type":"SOMETIMES","basic_detail":{}}`, requestID("r-2"))
	a.refused(400, engine.ValidationFailed, "campaign_delivery_type").is(400, "response_id", "r-2", "error.request_id", "r-2")
	if got := a.targets(); got != "campaign_delivery_type created_by basic_detail" {
		t.Errorf("details about %q, want every problem: %s", got, a.raw)
	}
	b.do("POST", campaigns, `{`+emailHead+`,"request_id":"r-1"}`, requestID("")).refused(409, engine.BadRequest, "request_id")
	b.do("POST", campaigns, `{`+pushHead+`,"campaign_audience_limit":{"is_campaign_audience_limit_enabled":false}}`).is(400, "error.code", "VALIDATION_FAILED")
}

func TestGet(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	a := b.do("GET", campaigns+"/"+id, "", requestID("g-1"))
	a.is(200, "response_id", "g-1", "type", "campaign", "data.id", id, "data.campaign_id", id, "data.status", "DRAFT",
		"data.created_by", "ann@example.com", "data.created_at", "2026-11-01T12:00:00Z", "data.basic_details.name", "Spring mail")

	b.do("GET", campaigns+"/"+id, "", requestID("")).is(200, "data.id", id)
	head := b.do("HEAD", campaigns+"/"+id, "")
	if head.status != 200 || head.raw != "" || head.header.Get("Content-Length") == "" {
		t.Errorf("HEAD: %d %q", head.status, head.raw)
	}
	for _, missing := range []string{unused, "nonsense", "%2e%2e", "a%2Fb", strings.Repeat("x", 5000)} {
		b.do("GET", campaigns+"/"+missing, "").is(404, "error.code", "NOT_FOUND")
	}
	b.do("GET", campaigns+"/"+id, "", as("OTHER", "key-of-other")).is(404, "error.code", "NOT_FOUND")
}

// What came in goes out: spellings, order, tabs, members of open objects.
func TestGetIsLossless(t *testing.T) {
	b := newBench(t)
	content := `{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"A\tB\u0041","message":"é"},"advanced":{"group_key":"g","later":[1.0,1E2,{"z":1,"a":2}]}}}}}`
	id := b.create(`{` + pushHead + `,"campaign_content":` + content + `}`)
	if a := b.do("GET", campaigns+"/"+id, ""); !strings.Contains(a.raw, content) {
		t.Errorf("got %s\nwant in it %s", a.raw, content)
	}
}

func TestUpdate(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	path := campaigns + "/" + id
	b.do("PATCH", path, `{"updated_by":"bo@example.com","basic_details":{"name":"Summer"}}`, requestID("u")).
		is(200, "response_id", "u", "type", "campaign", "data", `{"id":"`+id+`"}`)
	b.do("GET", path, "").is(200, "data.basic_details", `{"name":"Summer"}`, "data.updated_by", "bo@example.com")

	b.do("PATCH", path, `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","basic_details":{"name":"Autumn"}}`).is(200)
	b.do("PATCH", path, `{"channel":"PUSH","basic_details":{"name":"X"}}`).refused(400, engine.ValidationFailed, "channel")
	b.do("PATCH", path, `{"campaign_delivery_type":"PERIODIC","basic_details":{"name":"X"}}`).refused(400, engine.ValidationFailed, "campaign_delivery_type")
	b.do("PATCH", path, `{"status":"PUBLISH","basic_details":{"name":"X"}}`).refused(400, engine.BadRequest, "status")
	b.do("PATCH", path, `{"status":"STOP"}`).refused(400, engine.ValidationFailed, "status")
	b.do("PATCH", path, `{}`).is(400, "error.code", "VALIDATION_FAILED")
	b.do("PATCH", campaigns+"/"+unused, `{"basic_details":{"name":"X"}}`).is(404, "error.code", "NOT_FOUND")
}

// A change that names the revision that it was made from is refused once somebody else has changed the campaign.
func TestUpdateOfARevision(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	path := campaigns + "/" + id
	tag := func() string { return b.do("GET", path, "").header.Get("ETag") }
	first := tag()
	if again := tag(); first != `"1"` || again != first { // the second one from memory
		t.Errorf("the tags are %s and %s", first, again)
	}
	only := func(tag string) with { return header("If-Match", tag) }
	if got := b.do("PATCH", path, `{"updated_by":"bo@example.com","basic_details":{"name":"Summer"}}`, only(first), header("Idempotency-Key", "7d5f3f0e-3c1b-4a53-9e0c-0f5b8a1d2c3e")).header.Get("ETag"); got != `"2"` || tag() != got {
		t.Errorf("the tag after a change is %s, and then %s", got, tag())
	}
	if got := b.do("PATCH", path, `{"updated_by":"bo@example.com","basic_details":{"name":"Summer"}}`, only(first), header("Idempotency-Key", "7d5f3f0e-3c1b-4a53-9e0c-0f5b8a1d2c3e")).header.Get("ETag"); got != `"2"` {
		t.Errorf("the tag of the repeated answer is %s", got)
	}
	stale := b.do("PATCH", path, `{"basic_details":{"name":"Autumn"}}`, only(first))
	stale.refused(409, engine.BadRequest, "revision")
	if !strings.Contains(stale.raw, "changed by bo@example.com on ") {
		t.Errorf("it does not say who changed it, and when: %s", stale.raw)
	}
	b.do("PATCH", path, `{"status":"PUBLISH"}`, only(first)).refused(409, engine.BadRequest, "revision")
	b.do("GET", path, "").is(200, "data.basic_details", `{"name":"Summer"}`, "data.status", "DRAFT")
	b.do("PATCH", path, `{"basic_details":{"name":"Winter"}}`, only("*")).is(200)
	for _, bad := range []string{"1", `"x"`, `W/"1"`, `"0"`, `"-1"`, `"01"`, `"1", "2"`, `"99999999999999999999"`} {
		b.do("PATCH", path, `{"basic_details":{"name":"X"}}`, only(bad)).refused(400, engine.ValidationFailed, "If-Match")
	}
	b.do("PATCH", path, `{"basic_details":{"name":"Spring"}}`, only(tag())).is(200)
	for _, known := range []string{tag(), "*", `"1", ` + tag(), "W/" + tag()} {
		for _, method := range []string{"GET", "HEAD"} {
			if a := b.do(method, path, "", header("If-None-Match", known)); a.status != 304 || len(a.raw) > 0 || a.header.Get("ETag") != tag() {
				t.Errorf("%s with %s is answered %d with %s and %q", method, known, a.status, a.header.Get("ETag"), a.raw)
			}
		}
	}
	b.do("GET", path, "", header("If-None-Match", first)).is(200, "data.basic_details", `{"name":"Spring"}`)
}

func TestUpdateOfALockedField(t *testing.T) {
	b := newBench(t)
	id := b.create(strings.Replace(whole, fixed, `"scheduling_details":{"delivery_type":"ASAP"}`, 1))
	b.publish(id)
	a := b.do("PATCH", campaigns+"/"+id, `{"segmentation_details":{"is_all_user_campaign":false}}`)
	a.is(409, "error.code", "BAD_REQUEST")
	if got := a.targets(); !strings.HasPrefix(got, "segmentation_details") {
		t.Errorf("details about %q, want the locked paths: %s", got, a.raw)
	}
}

func TestPublish(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	b.do("PATCH", campaigns+"/"+id, `{"status":"PUBLISH"}`).is(200, "data", `{"id":"`+id+`"}`)
	b.do("GET", campaigns+"/"+id, "").is(200, "data.status", "SCHEDULED")
	b.do("PATCH", campaigns+"/"+id, `{"status":"PUBLISH"}`).refused(409, engine.BadRequest, "status")

	empty := b.create(`{` + pushHead + `}`)
	a := b.do("PATCH", campaigns+"/"+empty, `{"status":"PUBLISH"}`)
	a.is(422, "error.code", "UNPROCESSABLE_ENTITY")
	if a.targets() == "" {
		t.Errorf("no details: %s", a.raw)
	}
}

// While publishing is in beta every caller gets 422, whatever the scope; afterwards the scope counts.
func TestPublishScopes(t *testing.T) {
	for _, setting := range []string{engine.PublishBeta, engine.PublishEnabled} {
		b := newBench(t, func(_ *bench, w *engine.Workspace) { w.Publish = setting })
		for _, key := range []string{keyRead, keyManage, keyPublish, keyAll} {
			a := b.do("PATCH", campaigns+"/"+b.create(whole), `{"status":"PUBLISH"}`, as("TEST", key))
			switch {
			case setting == engine.PublishBeta:
				a.refused(422, engine.Unprocessable, "status")
			case key == keyPublish, key == keyAll:
				a.is(200)
			default:
				a.refused(403, engine.Forbidden, "Authorization")
			}
		}
	}
}

func TestValidate(t *testing.T) {
	b := newBench(t)
	good, bad := b.create(whole), b.create(`{`+pushHead+`}`)
	b.do("POST", campaigns+"/"+good+"/validate", "", idemKey(""), requestID("v")).is(200, "response_id", "v", "type", "campaign", "data", `{"valid":true}`)
	a := b.do("POST", campaigns+"/"+bad+"/validate", `{"request_id":"in-body"}`, requestID(""))
	a.is(200, "response_id", "in-body", "data.valid", "false")
	if a.at("data.errors[0].field") == "" || a.at("data.errors[0].issue") == "" {
		t.Errorf("errors %s", a.at("data.errors"))
	}
	b.do("POST", campaigns+"/"+good+"/validate", "", requestID("")).is(200, "data.valid", "true")
	b.do("POST", campaigns+"/"+good+"/validate", `{"request_id":"a"}`, requestID("b")).refused(400, engine.ValidationFailed, "request_id")
	b.do("POST", campaigns+"/"+good+"/validate", `{"request_id":7}`, requestID("b")).refused(400, engine.ValidationFailed, "request_id")
	b.do("POST", campaigns+"/"+good+"/validate", `{"request_id":7}`, requestID("")).refused(400, engine.ValidationFailed, "request_id")
	b.do("POST", campaigns+"/"+unused+"/validate", "").is(404, "error.code", "NOT_FOUND")
}

func TestStatus(t *testing.T) {
	b := newBench(t)
	for _, method := range []string{"POST", "PATCH"} {
		id := b.create(whole)
		b.publish(id)
		path := campaigns + "/" + id + "/status"
		a := b.do(method, path, `{"action":"PAUSE"}`).refused(422, engine.Unprocessable, "action")
		for _, word := range []string{"PAUSE", "ONE_TIME", "SCHEDULED"} {
			if !strings.Contains(a.at("error.message"), word) {
				t.Errorf("%q does not say %q", a.at("error.message"), word)
			}
		}
		b.do(method, path, `{"action":"STOP","request_id":"s"}`, requestID("")).
			is(200, "response_id", "s", "type", "campaign", "data", `{"id":"`+id+`","action":"STOP"}`)
		b.do("GET", campaigns+"/"+id, "").is(200, "data.status", "STOPPED")
		b.do(method, path, `{"action":"PUBLISH"}`).refused(400, engine.ValidationFailed, "action")
		b.do(method, path, `{}`).refused(400, engine.ValidationFailed, "action")
		b.do(method, path, `{"action":"STOP","now":true}`).refused(400, engine.ValidationFailed, "now")
	}
	b.do("POST", campaigns+"/"+unused+"/status", `{"action":"STOP"}`).is(404, "error.code", "NOT_FOUND")
}

func TestSearchAndMeta(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	b.publish(id)
	b.create(`{` + pushHead + `}`)
	for _, path := range []string{"/search", "/meta"} {
		path = campaigns + path
		b.do("POST", path, `{"limit":15,"page":1}`, idemKey(""), requestID("q")).is(200, "response_id", "q", "type", "campaign", "data.campaigns[0].campaign_id", id, "data.campaigns[1]", "")
		b.do("POST", path, `{"limit":15,"page":2}`).is(200, "data", `{"campaigns":[]}`)
		b.do("POST", path, `{"limit":15,"page":1,"campaign_fields":{"status":["DRAFT"],"channels":["PUSH"]}}`).is(200, "data.campaigns[0].channel", "PUSH", "data.campaigns[1]", "")
		a := b.do("POST", path, `{"limit":16,"page":0,"campaign_fields":{"status":["LATE"]}}`)
		a.is(400, "error.code", "VALIDATION_FAILED")
		if got := a.targets(); got != "campaign_fields.status[0] limit page" {
			t.Errorf("details about %q", got)
		}
		b.do("POST", path, `{}`).is(400, "error.code", "VALIDATION_FAILED")
	}
	b.do("POST", campaigns+"/search", `{"limit":1,"page":1}`).is(200, "data.campaigns[0].basic_details.name", "Spring mail")
	b.do("POST", campaigns+"/meta", `{"limit":1,"page":1}`).is(200, "data.campaigns[0].campaign_name", "Spring mail", "data.campaigns[0].reachability_details.count", "1")
}

func TestTest(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	a := b.do("POST", campaigns+"/test", `{"draft_id":"`+id+`",`+idaTo+`}`, requestID("t"))
	a.is(200, "response_id", "t", "type", "campaign", "data.data", `{"EMAIL_default_variation_1":{"status":"SENT"}}`)
	if a.at("data.message") == "" {
		t.Errorf("no summary: %s", a.raw)
	}
	a = b.do("POST", campaigns+"/test", `{"draft_id":"`+id+`","test_campaign_meta":{"identifier":"ID","identifier_values":["NOBODY"]}}`)
	a.is(200, "data.data.EMAIL_default_variation_1.status", "FAILED")
	if a.at("data.data.EMAIL_default_variation_1.failure_reason") == "" {
		t.Errorf("no reason: %s", a.raw)
	}
	b.do("POST", campaigns+"/test", `{"draft_id":"`+id+`"}`).is(400, "error.code", "VALIDATION_FAILED", "error.target", "test_campaign_meta")
	b.do("POST", campaigns+"/test", `{"channel":"PUSH","campaign_content":{"content":{"push":{"android":{}}}},"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]}}`).
		refused(400, engine.ValidationFailed, "basic_details.platforms")
}

func TestPreview(t *testing.T) {
	b := newBench(t)
	body := `{"channel":"EMAIL","user_identification":{"type":"EMAIL","value":"ida@example.com"},"event_attributes":{"product":"boots"},
		"campaign_content":{"content":{"email":{"subject":"{{user.first_name}}: {{event.product}} {{user.shoe_size}}","from_address":"a@example.com","sender_name":"A","html_content":"<p>x</p>"}}}}`
	b.do("POST", "/v5/personalization/preview", body, idemKey(""), requestID("p")).is(200, "response_id", "p", "type", "personalization",
		"data.personalized_content.content.email.subject", "Ida: boots {{user.shoe_size}}",
		"data.unresolved[0].field", "campaign_content.content.email.subject")
	b.do("POST", "/v5/personalization/preview", `{"channel":"FAX"}`).is(400, "error.code", "VALIDATION_FAILED")
}

func TestRoutes(t *testing.T) {
	b := newBench(t)
	for _, op := range operation.All {
		for _, method := range op.Methods {
			if a := b.do(method, op.PathFor(b.create(whole)), `{}`); a.status == 404 || a.status == 405 {
				t.Errorf("%s %s: %d", method, op.Name, a.status)
			}
		}
	}
}

func TestPathsAndMethods(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{"/", "/v5", "/v5/campaign", campaigns + "/", campaigns + "/x/y", "//v5/campaigns", "/v5/../v5/campaigns", "/V5/campaigns", "/v5/campaigns/search/"} {
		a := b.do("POST", path, `{}`, as("TEST", "wrong"))
		a.is(404, "error.code", "NOT_FOUND")
		if a.header.Get("Location") != "" {
			t.Errorf("%s: redirected", path)
		}
	}
	for path, allow := range map[string]string{
		campaigns: "POST, OPTIONS", campaigns + "/x": "GET, HEAD, PATCH, OPTIONS", campaigns + "/search": "POST, OPTIONS",
		campaigns + "/x/status": "PATCH, POST, OPTIONS", "/healthz": "GET, HEAD, OPTIONS", "/metrics": "GET, HEAD, OPTIONS",
	} {
		a := b.do("DELETE", path, "")
		a.is(405, "error.code", "BAD_REQUEST")
		options := b.do("OPTIONS", path, "", header("Authorization", ""))
		if options.status != 204 || options.header.Get("Allow") != allow || a.header.Get("Allow") != allow {
			t.Errorf("%s: OPTIONS %d, Allow %q and %q, want %q", path, options.status, options.header.Get("Allow"), a.header.Get("Allow"), allow)
		}
	}
}

// A mistake in an expression that no data can do anything about is said before anybody gets the message.
func TestInvalidExpressions(t *testing.T) {
	b := newBench(t)
	for src, want := range map[string]string{
		"{{ user.first_name|uper }}":          "there is no filter uper, did you mean upper?",
		"{{ user.first_name.titel() }}":       "there is no method titel, did you mean title?",
		"{{ user.first_name|truncate(a=1) }}": "filter truncate has no argument a",
		"{% if user.vip = 1 %}x{% endif %}":   "==",
	} {
		id := b.create(strings.Replace(whole, `"subject":"`, `"subject":"`+src, 1))
		if a := b.do("POST", campaigns+"/"+id+"/validate", "").is(200, "data.valid", "false"); !strings.Contains(a.at("data.errors"), want) {
			t.Errorf("validate: %s", a.raw)
		}
		if a := b.do("PATCH", campaigns+"/"+id, `{"status":"PUBLISH"}`).is(422); !strings.Contains(a.raw, want) {
			t.Errorf("publish: %s", a.raw)
		}
		a := b.do("POST", campaigns+"/test", `{"draft_id":"`+id+`",`+idaTo+`}`).is(200, "data.data.EMAIL_default_variation_1.status", "FAILED")
		if !strings.Contains(a.raw, want) {
			t.Errorf("test: %s", a.raw)
		}
		a = b.do("POST", "/v5/personalization/preview", `{"channel":"EMAIL","user_identification":{"type":"EMAIL","value":"ida@example.com"},
			"campaign_content":{"content":{"email":{"subject":"`+src+`","from_address":"a@example.com","sender_name":"A","html_content":"<p>x</p>"}}}}`).is(400)
		if !strings.Contains(a.raw, want) {
			t.Errorf("preview: %s", a.raw)
		}
	}
}
