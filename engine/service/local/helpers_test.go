package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// clock is a time that only a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

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

// bench is a service on a store in memory.
type bench struct {
	*local.Service
	t     testing.TB
	db    *mem.DB
	clock *clock
	ctx   context.Context
}

const author = "ann@example.com"

func workspace() engine.Workspace {
	return engine.Workspace{
		ID: "TEST", Publish: engine.PublishEnabled, SubscriptionCategories: []string{"Newsletter"},
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Main SMTP", Provider: engine.ProviderOutbox}},
		Segments: []engine.Segment{
			{ID: "s1", Name: "Testers", Members: []string{"USER_1", "GONE"}},
			{ID: "s2", Name: "Many", Members: strings.Split(strings.Repeat("USER_1 ", 11)+"USER_2", " ")},
			{ID: "s3", Name: "Nobody"},
		},
		ContentBlocks: []engine.ContentBlock{{Name: "footer", Source: "Bye, {{UserAttribute['First Name']|default('you')}}"}},
	}
}

func newBench(t testing.TB, o local.Options, change ...func(*engine.Workspace)) *bench {
	t.Helper()
	b := &bench{t: t, db: mem.New(), ctx: t.Context(), clock: &clock{now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}}
	t.Cleanup(func() { b.db.Close() })
	w := workspace()
	for _, f := range change {
		f(&w)
	}
	if _, err := local.CreateWorkspace(b.ctx, b.db, w); err != nil {
		t.Fatal(err)
	}
	o.Clock = b.clock.Now
	var err error
	if b.Service, err = local.Open(b.db, w.ID, o); err != nil {
		t.Fatal(err)
	}
	for _, p := range profiles() {
		b.ok(b.PutUser(b.ctx, p))
	}
	return b
}

// anotherHandle returns the store as another process has it, which holds a lease of its own.
func anotherHandle(db *mem.DB) store.DB {
	return kv.NewStore(db.Driver())
}

func profiles() []engine.User {
	return []engine.User{
		{
			ID: "USER_1", Attributes: map[string]any{
				"First Name": "Ida", engine.AttrEmail: "ida@example.com", engine.AttrMobile: "+4915112345678", "Work": "ida@work.example",
			},
			Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-a", AdvertiseID: "gaid-1"}, {Platform: "WEB", Token: "tok-w"}},
			Events: []engine.Event{
				{Name: "Bought", Attributes: map[string]any{"product": "shoes"}}, {Name: "Bought", Attributes: map[string]any{"product": "boots"}},
			},
		},
		{ID: "USER_2", Attributes: map[string]any{engine.AttrEmail: "bo@example.com"}, Devices: []engine.Device{{Platform: "IOS", Token: "tok-i"}}},
	}
}

// fataler is a test, also one of a drawn case.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func parse(t fataler, s string, args ...any) doc.Value {
	t.Helper()
	if len(args) > 0 {
		s = fmt.Sprintf(s, args...)
	}
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func (b *bench) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) create(body string, args ...any) string {
	b.t.Helper()
	out, err := b.Create(b.ctx, engine.CreateRequest{Body: parse(b.t, body, args...)})
	b.ok(err)
	return out.ID
}

func (b *bench) get(id string) engine.Campaign {
	b.t.Helper()
	c, err := b.Get(b.ctx, id)
	b.ok(err)
	return c
}

// store puts a campaign into the store as it is.
func (b *bench) store(c engine.Campaign) {
	b.t.Helper()
	if c.CampaignID == "" {
		c.CampaignID = c.ID
	}
	if c.CreatedAt.IsZero() {
		c.CreatedAt = b.clock.Now()
	}
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.CreatedAt
	}
	if !c.Body.Exists() {
		c.Body = parse(b.t, `{}`)
	}
	b.ok(b.db.Write(b.ctx, func(tx store.Tx) error {
		_, err := tx.Workspace("TEST").PutCampaign(c, engine.Summarize(c), engine.Revision{At: c.UpdatedAt, Note: "stored"}, false)
		return err
	}))
	b.Reindex()
}

// state makes a campaign of that type in that state.
func (b *bench) state(n int, ch engine.Channel, dt engine.DeliveryType, st engine.State, body string) string {
	b.t.Helper()
	id := fmt.Sprintf("%024x", n)
	b.store(engine.Campaign{Head: engine.Head{ID: id, Status: st, Channel: ch, DeliveryType: dt, CreatedBy: author}, Body: parse(b.t, body)})
	return id
}

// refused checks that err is a refusal of that code and status, and gives it.
func refused(t testing.TB, err error, code engine.Code, http int) *engine.Error {
	t.Helper()
	e := engine.AsError(err)
	if e == nil {
		t.Fatalf("got %v, want a refusal with %s", err, code)
	}
	if e.Code != code || e.HTTP != http {
		t.Fatalf("got %s %d, want %s %d: %v", e.Code, e.HTTP, code, http, e)
	}
	if e.Message == "" {
		t.Error("a refusal without a message")
	}
	return e
}

func key() string { return uuid.NewString() }

func contains(t testing.TB, s string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(s, w) {
			t.Errorf("%q is not in %q", w, s)
		}
	}
}

func asJSON(t fataler, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

const (
	emailHead = `"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"`
	pushHead  = `"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"`

	emailParts = `"basic_details":{"name":"Spring mail","content_type":"TRANSACTIONAL"},
		"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
		"campaign_content":{"content":{"email":{"subject":"Hi {{UserAttribute['First Name']}}","from_address":"shop@example.com",
			"sender_name":"Shop","html_content":"<p>Hello {{user.first_name}}</p><p>{{ContentBlock['footer']}}</p>"}}},
		"segmentation_details":{"is_all_user_campaign":true}`
	asap  = `"scheduling_details":{"delivery_type":"ASAP"}`
	fixed = `"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00","timezone":"Europe/Berlin"}`
)
