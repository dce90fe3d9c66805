package api_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/mem"
)

// clock is a time that only a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// The API keys of the bench's workspace, by what they may.
const (
	keyAll     = "key-of-all-scopes"
	keyManage  = "key-that-manages"
	keyPublish = "key-that-publishes"
	keyRead    = "key-that-reads"
)

func apiKey(id, key string, scopes ...string) engine.APIKey {
	sum := sha256.Sum256([]byte(key))
	return engine.APIKey{ID: id, Hash: hex.EncodeToString(sum[:]), Scopes: scopes}
}

// bench is the API over the local service on a store in memory, with the workspaces TEST and OTHER.
type bench struct {
	testing.TB
	http.Handler
	db    store.DB
	clock *clock
	local local.Options
	api   api.Options
	svc   map[string]*local.Service
}

func newBench(t testing.TB, change ...func(*bench, *engine.Workspace)) *bench {
	t.Helper()
	b := &bench{TB: t, db: mem.New(), clock: newClock(), api: api.Options{Unlimited: true}}
	t.Cleanup(func() { b.db.Close() })
	w := engine.Workspace{
		ID: "TEST", Publish: engine.PublishEnabled, SubscriptionCategories: []string{"Newsletter"},
		Connectors: []engine.Connector{
			{Type: "CUSTOM_SMTP", Name: "Main SMTP", Provider: engine.ProviderOutbox},
			{Type: "CUSTOM_SMTP", Name: "Slow SMTP", Provider: engine.ProviderSMTP, SMTP: &engine.SMTP{Host: "mail.example.com", Port: 25}},
		},
		Keys: []engine.APIKey{
			apiKey("k-all", keyAll, engine.KnownScopes()...), apiKey("k-manage", keyManage, engine.ScopeManage),
			apiKey("k-publish", keyPublish, engine.ScopePublish), apiKey("k-read", keyRead, engine.ScopeView),
		},
	}
	for _, f := range change {
		f(b, &w)
	}
	for _, w := range []engine.Workspace{w, {ID: "OTHER", Keys: []engine.APIKey{apiKey("o", "key-of-other", engine.KnownScopes()...)}}} {
		if _, err := local.CreateWorkspace(t.Context(), b.db, w); err != nil {
			t.Fatal(err)
		}
	}
	b.start()
	err := b.svc["TEST"].PutUser(t.Context(), engine.User{
		ID: "USER_1", Attributes: map[string]any{"First Name": "Ida", engine.AttrEmail: "ida@example.com"},
		Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-a"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// start opens the services and the API anew, as a program does that starts again on its store.
func (b *bench) start() {
	b.Helper()
	b.svc = map[string]*local.Service{}
	b.local.Clock, b.api.Clock = b.clock.Now, b.clock.Now
	for _, id := range []string{"TEST", "OTHER"} {
		svc, err := local.Open(b.db, id, b.local)
		if err != nil {
			b.Fatal(err)
		}
		b.svc[id] = svc
	}
	b.Handler = api.New(api.Keys(b.lookup), b.api)
}

func (b *bench) lookup(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
	svc, ok := b.svc[id]
	if !ok {
		return engine.Workspace{}, nil, engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no workspace %q", id)
	}
	w, err := svc.Settings(ctx)
	return w, svc, err
}

// answer is what came back.
type answer struct {
	testing.TB
	status int
	header http.Header
	raw    string
	doc    doc.Value
}

// with changes a request before it is sent.
type with func(*http.Request)

// header sets a header; an empty value removes it.
func header(name, value string) with {
	return func(r *http.Request) {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

func as(workspace, key string) with { return func(r *http.Request) { r.SetBasicAuth(workspace, key) } }

func requestID(id string) with { return header("X-SVC-Request-Id", id) }
func idemKey(key string) with  { return header("Idempotency-Key", key) }

// request makes a request as a client with all scopes sends it, with ids of its own.
func request(ctx context.Context, method, path, body string, change ...with) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.SetBasicAuth("TEST", keyAll)
	r.Header.Set("X-SVC-Request-Id", uuid.NewString())
	r.Header.Set("Idempotency-Key", uuid.NewString())
	for _, f := range change {
		f(r)
	}
	return r
}

func (b *bench) do(method, path, body string, change ...with) answer {
	b.Helper()
	return send(b, b, request(b.Context(), method, path, body, change...))
}

// send returns the answer to r, and checks what every answer promises.
func send(t testing.TB, h http.Handler, r *http.Request) answer {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	out := answer{TB: t, status: w.Code, header: w.Result().Header, raw: w.Body.String()}
	if out.raw == "" {
		return out
	}
	var err error
	if out.doc, err = doc.Parse([]byte(out.raw)); err != nil {
		t.Fatalf("%s %s: the answer is no JSON: %v: %s", r.Method, r.URL, err, out.raw)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Content-Length": fmt.Sprint(len(out.raw)),
	} {
		if got := out.header.Get(name); got != want {
			t.Errorf("%s %s: %s is %q, want %q", r.Method, r.URL, name, got, want)
		}
	}
	if out.doc.Get("response_id").Text() == "" {
		t.Errorf("%s %s: no response_id: %s", r.Method, r.URL, out.raw)
	}
	return out
}

func (a answer) at(path string) string {
	a.Helper()
	p, err := doc.ParsePath(path)
	if err != nil {
		a.Fatal(err)
	}
	v := a.doc.Lookup(p)
	if v.Kind() == doc.String {
		return v.Text()
	}
	return string(v.Encode())
}

// is checks the status, and then pairs of a path and what stands there.
func (a answer) is(status int, pairs ...string) answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("status %d, want %d: %s", a.status, status, a.raw)
	}
	for i := 0; i < len(pairs); i += 2 {
		if got := a.at(pairs[i]); got != pairs[i+1] {
			a.Errorf("%s is %q, want %q: %s", pairs[i], got, pairs[i+1], a.raw)
		}
	}
	return a
}

// refused checks an error envelope.
func (a answer) refused(status int, code engine.Code, target string) answer {
	a.Helper()
	a.is(status, "error.code", string(code), "error.target", target)
	if a.at("error.message") == "" || a.doc.Get("data").Exists() {
		a.Errorf("no good error envelope: %s", a.raw)
	}
	return a
}

// targets returns the targets of an error's details.
func (a answer) targets() string {
	var out []string
	for _, d := range a.doc.Get("error").Get("details").Elems() {
		out = append(out, d.Get("target").Text())
	}
	return strings.Join(out, " ")
}

const (
	campaigns = "/v5/campaigns"
	emailHead = `"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"`
	pushHead  = `"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"`

	emailParts = `"basic_details":{"name":"Spring mail","content_type":"TRANSACTIONAL"},
		"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
		"campaign_content":{"content":{"email":{"subject":"Hi {{UserAttribute['First Name']}}","from_address":"shop@example.com",
			"sender_name":"Shop","html_content":"<p>Hello {{user.first_name}}</p>"}}},
		"segmentation_details":{"is_all_user_campaign":true}`
	fixed  = `"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin"}`
	whole  = `{` + emailHead + `,` + emailParts + `,` + fixed + `}`
	idaTo  = `"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}`
	unused = "000000000000000000000000"
)

// create makes a campaign and gives its id.
func (b *bench) create(body string) string {
	b.Helper()
	return b.do("POST", campaigns, body).is(201).at("data.id")
}

func (b *bench) publish(id string) {
	b.Helper()
	b.do("PATCH", campaigns+"/"+id, `{"status":"PUBLISH"}`).is(200)
}
