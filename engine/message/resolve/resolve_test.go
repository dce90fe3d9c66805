package resolve_test

import (
	"context"
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
	"bugle/engine/service/local"
	"bugle/store/mem"
)

// newService returns a service of an empty workspace that has what the messages of the tests name.
func newService(t testing.TB) *local.Service {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	w := engine.Workspace{
		ID: "shop", Attributes: []engine.Attribute{{Name: "First Name", DataType: "string"}, {Name: "Points", DataType: "double"}},
		ContentBlocks: []engine.ContentBlock{
			{Name: "footer", Source: `{{ ContentBlock['address'] }} for {{ UserAttribute['City'] }}`}, {Name: "address", Source: "1 High Street"},
		},
	}
	if _, err := local.CreateWorkspace(t.Context(), db, w); err != nil {
		t.Fatal(err)
	}
	s, err := local.Open(db, w.ID, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, p := range []engine.User{
		{ID: "USER_1", Attributes: map[string]any{"First Name": "Ann", "City": "Oslo", engine.AttrEmail: "ann@example.com"},
			Events: []engine.Event{{Name: "Bought", At: time.Unix(1, 0).UTC(), Attributes: map[string]any{"product": "Hat"}}, {Name: "Bought", At: time.Unix(2, 0).UTC(), Attributes: map[string]any{"product": "Boots"}}}},
		{ID: "USER_2", Attributes: map[string]any{"City": "Bern"}},
	} {
		if err := s.PutUser(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func prepare(t testing.TB, s engine.Service, ch engine.Channel, components string) *resolve.Campaign {
	t.Helper()
	var w engine.Workspace
	if k, ok := s.(engine.WorkspaceStore); ok {
		var err error
		if w, err = k.Workspace(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c, err := resolve.Prepare(t.Context(), s, w, ch, parse(t, components))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func as(t testing.TB, s engine.Service, id string) resolve.Viewer {
	t.Helper()
	v, err := resolve.Find(t.Context(), s, resolve.PersonNamed(id))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func resolved(t testing.TB, c *resolve.Campaign, v resolve.Viewer, keys ...engine.TestKey) *resolve.Result {
	t.Helper()
	r, err := c.Resolve(t.Context(), v, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func missing(r *resolve.Result) string {
	var out []string
	for _, m := range r.Missing {
		text := m.Path.Last().Name + ": " + m.Expression + " (" + m.Reason + ")"
		if m.Deferred {
			text += " later"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

const mail = `{"utm_params": {"utm_source": "{{UserAttribute['City']}}", "utm_medium": "email"},
	"trigger_condition": {"included_filters": {"filters": [{"action_name": "Bought"}]}},
	"campaign_content": {"content": {"email": {"subject": "Hi {{UserAttribute['First Name']}}", "from_address": "a@example.com",
	"html_content": "<a href=\"https://example.com/x\">{{EventAttribute['product']|default('all')}}</a> {{ContentBlock['footer']}}"}}}}`

func TestResolveFillsAMessageForAUser(t *testing.T) {
	s := newService(t)
	c := prepare(t, s, catalog.Email, mail)
	for _, tt := range []struct {
		name                   string
		viewer                 resolve.Viewer
		subject, html, missing string
	}{
		{"a user", as(t, s, "USER_1"), "Hi Ann",
			`<a href="https://example.com/x?utm_source=Oslo&amp;utm_medium=email">Boots</a> 1 High Street for Oslo`, ""},
		{"without a name", as(t, s, "USER_2"), "Hi {{UserAttribute['First Name']}}",
			`<a href="https://example.com/x?utm_source=Bern&amp;utm_medium=email">all</a> 1 High Street for Bern`,
			"subject: UserAttribute['First Name'] (the user has no attribute First Name)"},
		{"nobody", resolve.Viewer{}, "Hi {{UserAttribute['First Name']}}",
			`<a href="https://example.com/x?utm_source={{UserAttribute['City']}}&amp;utm_medium=email">all</a> 1 High Street for {{ UserAttribute['City'] }}`,
			"utm_source: UserAttribute['City'] (the user has no attribute City); subject: UserAttribute['First Name'] (the user has no attribute First Name); " +
				"html_content: UserAttribute['City'] (the user has no attribute City)"},
		{"with other values", resolve.Viewer{User: as(t, s, "USER_2").User, UserAttributes: []doc.Member{doc.M("First Name", doc.NewString("Zoe"))},
			EventAttributes: []doc.Member{doc.M("product", doc.NewString("Hats"))}}, "Hi Zoe",
			`<a href="https://example.com/x?utm_source=Bern&amp;utm_medium=email">Hats</a> 1 High Street for Bern`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := resolved(t, c, tt.viewer)
			key := c.Keys[0]
			if got := r.Content(key).Get("subject").Text(); got != tt.subject {
				t.Errorf("subject %q, want %q", got, tt.subject)
			}
			if got := r.HTML(key); got != tt.html {
				t.Errorf("HTML\n%s\nwant\n%s", got, tt.html)
			}
			if got := missing(r); got != tt.missing {
				t.Errorf("missing\n%s\nwant\n%s", got, tt.missing)
			}
			root, o := r.Drawn(render.Options{})
			views, _ := render.FirstViews(c.Channel, root, o)
			if got := views[0].Mail.Subject.String(); got != tt.subject {
				t.Errorf("drawn subject %q", got)
			}
			if got := views[0].Mail.Text.String(); got != r.Text(key) {
				t.Errorf("drawn text\n%s\nwant\n%s", got, r.Text(key))
			}
		})
	}
}

func TestContentAPIsAreCalledOnceUntilRefreshed(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"today": "snow"}`))
	}))
	defer server.Close()
	s := newService(t)
	ctx := context.Background()
	err := s.UpdateWorkspace(ctx, func(w *engine.Workspace) error {
		w.ContentAPIs = engine.ContentPolicy{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}, Private: true}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range []engine.ContentItem{
		{API: &engine.ContentAPI{Name: "weather", URL: server.URL, Params: []string{"city"}}},
		{Products: &engine.ProductSet{Name: "shoes", Products: []map[string]any{{"title": "Boot"}}}},
	} {
		if _, err := s.PutContent(ctx, item); err != nil {
			t.Fatal(err)
		}
	}
	const text = `{{ContentApi.weather(UserAttribute['City']).today}}, {{ProductSet.shoes[0].title}}`
	c := prepare(t, s, catalog.Push, `{"campaign_content": {"content": {"push": {
		"android": {"basic_details": {"title": "`+text+`", "message": "x"}}, "ios": {"basic_details": {"title": "`+text+`", "message": "y"}}}}}}`)
	r := resolved(t, c, as(t, s, "USER_1"))
	for _, key := range c.Keys {
		if got := r.Content(key).Get("basic_details").Get("title").Text(); got != "snow, Boot" {
			t.Errorf("%s: %q", key, got)
		}
	}
	edited, err := c.Document.Set(doc.P("campaign_content", "content", "push", "ios", "basic_details", "message"), doc.NewString("z"))
	if err != nil {
		t.Fatal(err)
	}
	next, err := c.With(ctx, edited)
	if err != nil {
		t.Fatal(err)
	}
	resolved(t, next, as(t, s, "USER_1"))
	if calls.Load() != 1 {
		t.Errorf("called %d times", calls.Load())
	}
	later := resolved(t, next.Deferred(), as(t, s, "USER_1"), c.Keys[0])
	if got := missing(later); !strings.HasPrefix(got, "title: ContentApi.weather(UserAttribute['City'])") || !strings.HasSuffix(got, "later") || calls.Load() != 1 {
		t.Errorf("deferred: %s after %d calls", got, calls.Load())
	}
	w, _ := s.Workspace(ctx)
	fresh, err := next.Refresh(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	if resolved(t, fresh, as(t, s, "USER_1")); calls.Load() != 2 {
		t.Errorf("called %d times after a refresh", calls.Load())
	}
}
