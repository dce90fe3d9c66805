package activity_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/enginetest"
	"bugle/engine/service/activity"
	"bugle/engine/service/local"
)

// What the local service does can be recorded.
var _ activity.Service = (*local.Service)(nil)

// A service that is watched does what it did.
func TestContract(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		svc, _, clock := home(t)
		return enginetest.Env{Service: activity.Wrap(svc, &activity.Log{}), Home: svc, Clock: clock}
	})
}

const spring = `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com",
	"basic_details":{"name":"Spring mail","content_type":"TRANSACTIONAL"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
	"campaign_content":{"content":{"email":{"subject":"Hi {{UserAttribute['First Name']}}","from_address":"shop@example.com","sender_name":"Shop","html_content":"<p>Hello</p>"}}},
	"segmentation_details":{"is_all_user_campaign":true},"scheduling_details":{"delivery_type":"ASAP"}}`

// The log of a local service says of each call what a client of the API sees of it: both logs of
// the same calls are compared.
func TestLocalCallIsRecordedLikeAnAPICall(t *testing.T) {
	svc, key, clock := home(t)
	inside := &activity.Log{}
	client, outside := overHTTP(t, activity.Wrap(svc, inside), key, clock)
	ctx := t.Context()
	check := func(what string) {
		t.Helper()
		in, out := last(t, inside), last(t, outside)
		if in.Method != out.Method || in.Path != out.Path || in.Status != out.Status || in.Err != out.Err || in.Replayed != out.Replayed {
			t.Errorf("%s inside:\n%s\noutside:\n%s", what, in.Document().Indent(), out.Document().Indent())
		}
		if out.Campaign != "" && in.Campaign != out.Campaign {
			t.Errorf("%s is about %q inside, %q outside", what, in.Campaign, out.Campaign)
		}
		if in.IdempotencyKey != "" && in.IdempotencyKey != out.IdempotencyKey { // our API needs none of what changes nothing
			t.Errorf("%s has the key %s inside, %s outside", what, in.IdempotencyKey, out.IdempotencyKey)
		}
		if what != "validate" { // which has the request's id alone
			same(t, what+" request", in.Request(), out.Request())
		}
		same(t, what+" response", in.Response(), out.Response())
		if len(inside.Calls()) != len(outside.Calls()) {
			t.Fatalf("%s: %d calls inside, %d outside", what, len(inside.Calls()), len(outside.Calls()))
		}
	}

	ids := engine.NewCall()
	made, err := client.Create(ctx, engine.CreateRequest{Call: ids, Body: parse(t, spring)})
	if err != nil {
		t.Fatal(err)
	}
	check("create")
	_, _ = client.Create(ctx, engine.CreateRequest{Call: ids, Body: parse(t, spring)})
	check("create again")
	_, _ = client.Create(ctx, engine.CreateRequest{Call: engine.NewCall(), Body: parse(t, `{"channel":"EMAIL","color":1}`)})
	check("create refused")
	_, _ = client.Get(ctx, made.ID)
	check("get")
	_, _ = client.Get(ctx, "no/such")
	check("get missing")
	_, _ = client.Update(ctx, engine.UpdateRequest{Call: engine.NewCall(), ID: made.ID, Body: parse(t, `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","updated_by":"ann@example.com","basic_details":{"name":"Other","content_type":"TRANSACTIONAL"}}`)})
	check("update")
	_, _ = client.Validate(ctx, made.ID)
	check("validate")
	_, _ = client.Search(ctx, engine.SearchRequest{Call: engine.NewCall(), Name: "other", Limit: 5, Page: 1})
	check("search")
	_, _ = client.Meta(ctx, engine.MetaRequest{Call: engine.NewCall(), Limit: 5, Page: 1})
	check("meta")
	_, _ = client.Test(ctx, engine.TestRequest{Call: engine.NewCall(), Body: engine.DraftTest(made.ID, engine.TestSend{Identifier: "EMAIL", Values: []string{"ida@example.com"}})})
	check("test")
	_, _ = client.Preview(ctx, engine.PreviewRequest{Call: engine.NewCall(), Body: parse(t, `{"channel":"EMAIL","user_identification":{"type":"EMAIL","value":"bo@example.com"},
		"campaign_content":{"content":{"email":{"subject":"Hi {{UserAttribute['First Name']}}"}}}}`)})
	check("preview")
	_, _ = client.Publish(ctx, engine.PublishRequest{Call: engine.NewCall(), ID: made.ID})
	check("publish")
	_, _ = client.ChangeStatus(ctx, engine.StatusRequest{Call: engine.NewCall(), ID: made.ID, Action: catalog.Stop})
	check("stop")
	_, _ = client.ChangeStatus(ctx, engine.StatusRequest{Call: engine.NewCall(), ID: made.ID, Action: catalog.Resume})
	check("resume")

	var seen []int
	for _, c := range outside.Calls() {
		seen = append(seen, c.Status)
	}
	for _, want := range []int{200, 201, 400, 404, 422} {
		if !slices.Contains(seen, want) {
			t.Errorf("no call was answered with %d: %v", want, seen)
		}
	}
}

// same compares bodies, without the id of a response that the API makes up for who gave none.
func same(t *testing.T, what string, in, out []byte) {
	t.Helper()
	if len(in) == 0 || len(out) == 0 {
		if len(in) != len(out) {
			t.Errorf("%s: %s inside, %s outside", what, in, out)
		}
		return
	}
	a, b := parse(t, string(in)), parse(t, string(out))
	if !a.Get("response_id").Exists() {
		b = b.Delete(doc.P("response_id")).Delete(doc.P("error", "request_id"))
	}
	if string(a.Encode()) != string(b.Encode()) {
		t.Errorf("%s: inside\n%s\noutside\n%s", what, a.Encode(), b.Encode())
	}
}

// Publishing is listed by its own name, with the route of an update.
func TestPublishIsListed(t *testing.T) {
	svc, _, _ := home(t)
	l := &activity.Log{}
	s, ctx := activity.Wrap(svc, l), t.Context()
	_, _ = s.Publish(ctx, engine.PublishRequest{ID: "x"})
	if c := last(t, l); c.Operation != "publish" || c.Method != "PATCH" || c.Path != "/v5/campaigns/x" || string(c.Request()) != `{"status":"PUBLISH"}` {
		t.Errorf("publish is listed as %s with %s", c.Document().Indent(), c.Request())
	}
}

func TestErrorsOfAllKinds(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		say    string
		body   string
	}{
		{engine.MissingCampaign("x"), missing, `there is no campaign "x" in this workspace`, `{"error":{"code":"NOT_FOUND","message":"there is no campaign \"x\" in this workspace"}}`},
		{&engine.Error{Code: engine.Internal, Message: "broken"}, 500, "broken", `{"error":{"code":"INTERNAL_ERROR","message":"broken"}}`},
		{fmt.Errorf("reading: %w", context.Canceled), 0, "canceled before there was a response", ""},
		{context.DeadlineExceeded, 500, "timed out", ""},
		{errors.New("the disk is full"), 500, "the disk is full", ""},
	} {
		l := &activity.Log{}
		_, err := activity.Wrap(&fake{err: test.err}, l).Get(t.Context(), "x")
		if !errors.Is(err, test.err) {
			t.Errorf("%v became %v", test.err, err)
		}
		if c := last(t, l); c.Status != test.status || c.Err != test.say || string(c.Response()) != test.body || !c.Failed() {
			t.Errorf("%v is listed with %d, %q and %s", test.err, c.Status, c.Err, c.Response())
		}
	}
}

func TestCallDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &activity.Log{}
		s := activity.Wrap(&fake{get: func() engine.Campaign { time.Sleep(120 * time.Millisecond); return engine.Campaign{} }}, l)
		start := time.Now()
		_, _ = s.Get(t.Context(), "x")
		if c := last(t, l); c.Took != 120*time.Millisecond || !c.At.Equal(start) {
			t.Errorf("it took %s from %s", c.Took, c.At)
		}
	})
}

func TestSavesAreLocal(t *testing.T) {
	l := &activity.Log{}
	f := &fake{}
	s := activity.Wrap(f, l)
	save := func(id, body string) {
		t.Helper()
		_, _ = s.Save(t.Context(), engine.SaveRequest{ID: id, Revision: 3, Body: parse(t, body)})
	}
	save("a", `{"n":1}`)
	save("a", `{"n":2}`)
	save("a", `{"n":3}`)
	save("b", `{}`)
	f.err = engine.Errorf(engine.BadRequest, http.StatusConflict, "someone else changed it")
	save("b", `{"n":1}`)
	f.err = nil
	save("b", `{"n":2}`)
	calls := l.Calls()
	if len(calls) != 4 {
		t.Fatalf("%d calls are listed", len(calls))
	}
	a, refused := calls[3], calls[1]
	if a.Count != 3 || string(a.Request()) != `{"n":3}` || string(a.Response()) != `{"id":"a","status":"DRAFT","revision":4}` {
		t.Errorf("three saves in a row are listed as %d: %s, %s", a.Count, a.Request(), a.Response())
	}
	if !a.Local || a.Method != "" || a.Path != "" || a.Status != 0 || a.Failed() || a.Curl() != "" {
		t.Errorf("a save is listed as a call of the API: %s", a.Document().Indent())
	}
	if !refused.Failed() || refused.Err != "someone else changed it" || !strings.Contains(string(refused.Response()), "BAD_REQUEST") {
		t.Errorf("a save that failed is listed as %s", refused.Document().Indent())
	}
}

func BenchmarkWrap(b *testing.B) {
	c := engine.Campaign{Head: engine.Head{ID: "x"}, Body: parse(b, spring)}
	s := activity.Wrap(&fake{get: func() engine.Campaign { return c }}, &activity.Log{})
	for b.Loop() {
		_, _ = s.Get(b.Context(), "x")
	}
}
