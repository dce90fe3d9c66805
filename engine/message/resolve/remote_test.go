package resolve_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/remote"
	"bugle/engine/testsend"
	"bugle/store/mem"
)

// served returns a remote service that talks to a served workspace, that workspace, and how often it was called.
func served(t *testing.T) (engine.Service, *local.Service, *atomic.Int64) {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	key, err := local.CreateWorkspace(t.Context(), db, engine.Workspace{
		ID: "shop", Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Main", Provider: engine.ProviderOutbox}},
		ContentBlocks: []engine.ContentBlock{{Name: "footer", Source: "Bye {{ UserAttribute['City'] }}"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	home, err := local.Open(db, "shop", local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	for _, u := range []engine.User{
		{ID: "USER_7", Attributes: map[string]any{"First Name": "Zoe & Co", "Age": json.Number("41.50"), "Active": true, "Born": "2001-02-03T00:00:00Z", "City": "Bern"}},
		{ID: "USER_8", Attributes: map[string]any{"Age": json.Number("1e2"), "Active": false, "Born": "x", "City": "Oslo"}},
		{ID: "ME", Attributes: map[string]any{"First Name": "Me", engine.AttrEmail: "me@example.com", "City": "Rome"}},
	} {
		if err := home.PutUser(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	calls := new(atomic.Int64)
	h := api.New(api.Keys(func(ctx context.Context, _ string) (engine.Workspace, engine.Service, error) {
		w, err := home.Workspace(ctx)
		return w, home, err
	}), api.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { calls.Add(1); h.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	far, err := remote.New(remote.Config{BaseURL: server.URL, Workspace: "shop", Key: func(context.Context) (string, error) { return key, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	return far, home, calls
}

func TestARemoteServiceFillsMessagesOnce(t *testing.T) {
	far, _, calls := served(t)
	c := prepare(t, far, catalog.Email, mail)
	before := calls.Load()
	v := as(t, far, "USER_8")
	for range 3 {
		r := resolved(t, c, v)
		if got := r.HTML(c.Keys[0]); got != `<a href="https://example.com/x?utm_source={{UserAttribute['City']}}&amp;utm_medium=email">all</a> Bye Oslo` {
			t.Errorf("HTML %s", got)
		}
		if got := missing(r); got != "utm_source: UserAttribute['City'] (the service fills it in when it sends the message) later; "+
			"subject: UserAttribute['First Name'] (the service has no value for it)" {
			t.Errorf("missing %s", got)
		}
		root, o := r.Drawn(render.Options{})
		views, _ := render.FirstViews(c.Channel, root, o)
		if got := views[0].Mail.Text.String(); !strings.HasSuffix(got, " Bye Oslo") {
			t.Errorf("drawn %q", got)
		}
	}
	if n := calls.Load() - before; n != 1 {
		t.Errorf("the service was asked %d times", n)
	}
	resolved(t, c, as(t, far, "USER_7"))
	if n := calls.Load() - before; n != 2 {
		t.Errorf("for two users it was asked %d times", n)
	}
	r := resolved(t, c, resolve.Viewer{})
	if got := missing(r); !strings.Contains(got, "html_content: ContentBlock['footer']") || !strings.HasSuffix(got, "later") || calls.Load()-before != 2 {
		t.Errorf("for nobody: %s", got)
	}
}

func TestSendAsThroughARemoteService(t *testing.T) {
	far, home, _ := served(t)
	components := parse(t, `{"basic_details": {"name": "Spring"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Main"},
		"campaign_content": {"content": {"email": {"subject": "Hi {{user.first_name|default('you')}}", "sender_name": "Shop", "from_address": "a@example.com",
		"html_content": "{{UserAttribute['Age']}} {{UserAttribute['Active']}} {{UserAttribute['Born']}} {{UserAttribute['City']}}"}}}}`)
	made, err := far.Create(t.Context(), engine.CreateRequest{Call: engine.NewCall(), Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, "ann@example.com", components)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := testsend.Load(t.Context(), far, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	ask := engine.TestSend{Identifier: "EMAIL", Values: []string{"me@example.com"}, As: []engine.TestPersona{{ID: "USER_7"}, {ID: "USER_8"}}}
	run := testsend.NewRun(d, ask)
	run.Begin([]engine.TestSend{ask}, testsend.Forecast{}, time.Now())
	out, err := testsend.Send(t.Context(), far, d, run.Requests, run.AddStep)
	if run.End(out, err, time.Now()); err != nil || run.Count(testsend.Failed) != 0 {
		t.Fatalf("%v %+v", err, run.Keys)
	}
	var got []string
	box, err := home.Outbox(t.Context(), 0)
	for _, m := range box {
		got = append(got, m.Email.Subject+", "+m.Email.HTML)
	}
	want := "Hi you, 1e2 False x Oslo|Hi Zoe & Co, 41.50 True 2001-02-03T00:00:00Z Bern"
	if err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v: sent\n%s\nwant\n%s", err, strings.Join(got, "|"), want)
	}
	sent := doc.NewObject(out.Requests[0].UserAttributes...)
	if sent.Get("Age").Literal() != "41.50" || !sent.Get("Active").True() || sent.Get("Born").Kind() != doc.String {
		t.Errorf("the request has %s", sent.Encode())
	}
}
