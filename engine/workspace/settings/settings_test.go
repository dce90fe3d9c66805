package settings_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/engine/workspace/settings"
	"bugle/store/mem"
)

func parse(t testing.TB, text string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// demo is a workspace with the sample in it, and one piece of content of each kind.
func demo(t testing.TB) *local.Service {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	if _, err := sample.Install(t.Context(), db, sample.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := local.Open(db, sample.ID, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range []engine.ContentItem{
		{Block: &engine.ContentBlock{Name: "footer", Source: "<p>\tBye {{ user.first_name | default('you') }}\r\n</p>"}},
		{Products: &engine.ProductSet{Name: "shoes", Products: []map[string]any{{"title": "<Boot>", "price": json.Number("80.50")}}}},
		{API: &engine.ContentAPI{Name: "weather", URL: "https://api.example.com/{city}", Params: []string{"city"}, Timeout: 900}},
		{Template: &engine.ContentTemplate{ID: "hello", Channel: "EMAIL", Content: parse(t, `{"subject":"Hello","html_content":"<p>Hi</p>"}`)}},
	} {
		if _, err := s.PutContent(t.Context(), item); err != nil {
			t.Fatal(err)
		}
	}
	err = s.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error {
		w.Gateways = []engine.Gateway{{Provider: engine.ProviderFCM, Key: engine.SecretRef{Env: "FCM_KEY"}, FCM: &engine.FCM{Project: "shop-1"}}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func find(t testing.TB, id string) *settings.Section {
	t.Helper()
	s, ok := settings.Find(id)
	if !ok {
		t.Fatalf("there is no section %q", id)
	}
	return s
}

// Every field of every table says what it is for, and each section what it has.
func TestSectionsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range settings.Sections() {
		if s.ID == "" || s.Title == "" || s.Singular == "" || s.Help == "" || s.Group == "" || len(s.Columns) == 0 || seen[s.ID] {
			t.Errorf("the section %q lacks something: %+v", s.ID, s)
		}
		seen[s.ID] = true
		if !s.Single && (s.Name == "" || s.Empty == "" || s.Schema().Root().Child(s.Name) == nil) {
			t.Errorf("%s: records have no name, or nothing says what to do where there is none", s.ID)
		}
		for _, n := range s.Schema().Nodes() {
			if n.Help == "" && n.Name != "" {
				t.Errorf("%s: %s has no help", s.ID, n.Path())
			}
		}
		for member := range s.Fixed {
			if s.Schema().Root().Child(member) == nil {
				t.Errorf("%s: %s is fixed and is no member", s.ID, member)
			}
		}
		for _, name := range []string{s.ID, s.Title, strings.ToUpper(s.ID), strings.ReplaceAll(s.ID, "-", "_")} {
			if got, ok := settings.Find(name); !ok || got != s {
				t.Errorf("%q does not find %s", name, s.ID)
			}
		}
		for _, c := range s.Columns {
			if got := c.Text(doc.NewObject()); strings.Contains(got, "null") {
				t.Errorf("%s: the column %s of nothing is %q", s.ID, c.Title, got)
			}
		}
	}
}

// A record that is read and kept again is what it was, byte for byte; its table finds nothing wrong
// with it.
func TestCacheReturnsWhatWasRead(t *testing.T) {
	svc, ctx := demo(t), t.Context()
	for _, s := range settings.Sections() {
		before, err := s.List(ctx, svc, "", 0)
		if err != nil || len(before) == 0 {
			t.Fatalf("%s: %d records, %v", s.ID, len(before), err)
		}
		w, err := svc.Workspace(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range before {
			name := s.NameOf(v)
			if bad := schema.Errors(s.Check(w, v)); len(bad) > 0 {
				t.Errorf("%s %s: %v", s.ID, name, bad)
				continue
			}
			saved, err := s.Put(ctx, svc, settings.PutRequest{Name: name, Value: v, Base: v})
			if err != nil || saved.Name != name || saved.Secret != "" {
				t.Errorf("%s %s: %+v, %v", s.ID, name, saved, err)
				continue
			}
			after, err := s.Get(ctx, svc, name)
			if err != nil || string(after.Encode()) != string(v.Encode()) {
				t.Errorf("%s %s: %v\ngot  %s\nwant %s", s.ID, name, err, after.Encode(), v.Encode())
			}
		}
		now, err := svc.Workspace(ctx)
		if err != nil || !same(t, now, w) {
			t.Errorf("%s: the settings are others now, %v", s.ID, err)
		}
	}
}

func same(t *testing.T, a, b engine.Workspace) bool {
	t.Helper()
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(x) == string(y)
}

// Records of every section can be added, changed, given another name and taken away.
func TestRecordLifecycle(t *testing.T) {
	svc, ctx := demo(t), t.Context()
	for id, c := range map[string]struct{ made, changed, renamed string }{
		"users":      {`{"id":"U 1","attributes":{"City":"Oslo","Points":1.50},"opted_out":true}`, `{"id":"U 1","attributes":{"City":"Bergen"}}`, `{"id":"U2","attributes":{}}`},
		"segments":   {`{"name":"A","members":["USER_1"]}`, `{"name":"A","members":[],"filters":{"filters":[{"filter_type":"custom_segments","name":"B"}]}}`, ``},
		"attributes": {`{"name":"Shoe size","data_type":"double"}`, `{"name":"Shoe size","data_type":"string"}`, `{"name":"Shoe","data_type":"string"}`},
		"events":     {`{"name":"Sneezed","attributes":[{"name":"loud","data_type":"bool"}]}`, `{"name":"Sneezed","business":true}`, `{"name":"Coughed"}`},
		"connectors": {`{"connector_name":"C","connector_type":"CUSTOM_SMTP","provider":"outbox"}`, `{"connector_name":"C","connector_type":"CUSTOM_SMTP","provider":"smtp","smtp":{"host":"mail.example.com","port":587,"tls":"starttls","auth":"none"}}`, `{"connector_name":"D","connector_type":"X","provider":"outbox"}`},
		"gateways":   {`{"provider":"webpush","key":{"env":"VAPID"},"webpush":{"subject":"push@example.com"}}`, `{"provider":"webpush","key":{"file":"/k"},"webpush":{"subject":"push@example.com"}}`, `{"provider":"apns","key":{"command":["pass","apns"]},"apns":{"team_id":"TEAM123456","key_id":"ABCDE12345","topic":"com.example.shop"}}`},
		"teams":      {`{"name":"A"}`, `{"name":"A"}`, `{"name":"B"}`},
		"blocks":     {`{"name":"sig 1","source":"\tx\r\n"}`, `{"name":"sig 1","source":"y"}`, `{"name":"sig 2","source":"y"}`},
		"products":   {`{"name":"a","products":[]}`, `{"name":"a","products":[{"price":"1","title":"x"}]}`, `{"name":"b","products":[]}`},
		"apis":       {`{"name":"a","url":"https://a.example.com"}`, `{"name":"a","url":"https://b.example.com/{x}","params":["x"]}`, `{"name":"b","url":"https://a.example.com"}`},
	} {
		s := find(t, id)
		if id == "segments" {
			if _, err := find(t, id).Put(ctx, svc, settings.PutRequest{Value: parse(t, `{"name":"B","members":[]}`)}); err != nil {
				t.Fatal(err)
			}
		}
		made := parse(t, c.made)
		saved, err := s.Put(ctx, svc, settings.PutRequest{Value: made})
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		first, err := s.Get(ctx, svc, saved.Name)
		if err != nil || saved.Name != s.NameOf(made) {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := s.Put(ctx, svc, settings.PutRequest{Value: made}); engine.AsError(err) == nil || len(s.Problems(err)) != 1 || s.Problems(err)[0].Path.String() != s.Name {
			t.Errorf("%s: the name is taken, and that gives %v", id, err)
		}
		if saved, err = s.Put(ctx, svc, settings.PutRequest{Name: saved.Name, Value: parse(t, c.changed), Base: first}); err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if _, err := s.Put(ctx, svc, settings.PutRequest{Name: saved.Name, Value: made, Base: parse(t, `{"other":1}`)}); engine.AsError(err) == nil || engine.AsError(err).HTTP != 409 {
			t.Errorf("%s: somebody else changed it, and that gives %v", id, err)
		}
		if c.renamed != "" {
			if saved, err = s.Put(ctx, svc, settings.PutRequest{Name: saved.Name, Value: parse(t, c.renamed)}); err != nil || saved.Name != s.NameOf(parse(t, c.renamed)) {
				t.Errorf("%s: %+v, %v", id, saved, err)
			}
			if _, err := s.Get(ctx, svc, s.NameOf(made)); engine.AsError(err) == nil || engine.AsError(err).Code != engine.NotFound {
				t.Errorf("%s: the old name is still there: %v", id, err)
			}
		}
		if err := s.Delete(ctx, svc, saved.Name, false); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if err := s.Delete(ctx, svc, saved.Name, false); engine.AsError(err) == nil || engine.AsError(err).Code != engine.NotFound {
			t.Errorf("%s is deleted twice: %v", id, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	svc, ctx := demo(t), t.Context()
	for _, c := range []struct{ section, record, at string }{
		{"settings", `{"name":"x","timezone":"Mars","publish":"beta"}`, "timezone"},
		{"settings", `{"name":"x","timezone":"UTC","publish":"beta","content_apis":{"hosts":["https://x"]}}`, "content_apis.hosts"},
		{"features", `{"queuing":"yes"}`, "queuing"},
		{"teams", `{"name":" x"}`, "name"},
		{"teams", `{"name":"x","colour":"red"}`, "colour"},
		{"locales", `{"name":"default"}`, "name"},
		{"segments", `{"name":"Loop","filters":{"filters":[{"filter_type":"custom_segments","name":"Loop"}]}}`, "filters"},
		{"segments", `{"name":"x","filters":{"filters":[{"filter_type":"user_attributes"}]}}`, "filters.filters[0].data_type"},
		{"connectors", `{"connector_name":"x","connector_type":"y","provider":"smtp"}`, "smtp"},
		{"connectors", `{"connector_name":"x","connector_type":"y","provider":"smtp","smtp":{"host":"h","port":25,"tls":"none","auth":"plain"}}`, "smtp"},
		{"gateways", `{"provider":"webpush","key":{"env":"A","file":"b"},"webpush":{"subject":"a@example.com"}}`, "key"},
		{"gateways", `{"provider":"webpush","key":{"env":"A"},"fcm":{}}`, "fcm"},
		{"events", `{"name":"x","attributes":[{"name":"a","data_type":"string"},{"name":"a","data_type":"string"}]}`, "attributes[1].name"},
		{"blocks", `{"name":"x","source":"{{ user.name"}`, "source"},
		{"blocks", `{"name":"x","source":"{{ ContentBlock.x }}"}`, "source"},
		{"apis", `{"name":"x","url":"nowhere"}`, ""},
		{"templates", `{"id":"x","channel":"EMAIL","content":{"subjet":"y"}}`, "content.subjet"},
		{"templates", `{"id":"x","channel":"PUSH","platform":"ANDROID","content":{"template_type":"NONE"}}`, "content.template_type"},
		{"keys", `{"scopes":["everything"]}`, "scopes[0]"},
		{"users", `{"id":"x","devices":[{"platform":"ANDROID"}]}`, "devices[0].token"},
		{"users", `{"id":"x","attributes":{"Birthday":"1990-02-30"}}`, "attributes.Birthday"},
		{"users", `{"id":"x","events":[{"name":"Purchase Completed","at":"2026-11-01T00:00:00Z","attributes":{"items":"two"}}]}`, "events[0].attributes.items"},
	} {
		s := find(t, c.section)
		was := ""
		if s.Single {
			was = s.Singular
		}
		_, err := s.Put(ctx, svc, settings.PutRequest{Name: was, Value: parse(t, c.record)})
		ps := s.Problems(err)
		if e := engine.AsError(err); e == nil || e.Code != engine.ValidationFailed || len(ps) == 0 {
			t.Errorf("%s %s: %v", c.section, c.record, err)
			continue
		}
		found := false
		for _, p := range ps {
			found = found || p.Path.String() == c.at
		}
		if !found {
			t.Errorf("%s %s: the problems %v are not at %q", c.section, c.record, ps, c.at)
		}
	}
}

func TestDeleteRefusesReferencedRecord(t *testing.T) {
	svc, ctx := demo(t), t.Context()
	teams := find(t, "teams")
	var used *settings.InUse
	if err := teams.Delete(ctx, svc, "Growth", false); !errors.As(err, &used) || len(used.Uses) == 0 || !strings.Contains(err.Error(), "the campaign ") {
		t.Fatalf("got %v", err)
	}
	rename := settings.PutRequest{Name: "Growth", Value: parse(t, `{"name":"Growth team"}`)}
	if _, err := teams.Put(ctx, svc, rename); !errors.As(err, &used) || engine.AsError(err).HTTP != 409 {
		t.Fatalf("got %v", err)
	}
	rename.Force = true
	if _, err := teams.Put(ctx, svc, rename); err != nil {
		t.Fatal(err)
	}
	if err := find(t, "users").Delete(ctx, svc, "USER_1", true); err != nil {
		t.Fatal(err)
	}
	if _, err := find(t, "blocks").Put(ctx, svc, settings.PutRequest{Value: parse(t, `{"name":"outer","source":"{{ ContentBlock.footer }}"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := find(t, "blocks").Delete(ctx, svc, "footer", false); !errors.As(err, &used) || !strings.Contains(err.Error(), "the content block outer") {
		t.Errorf("got %v", err)
	}
	if err := find(t, "settings").Delete(ctx, svc, "settings", true); err == nil {
		t.Error("the general settings are deleted")
	}
}

func TestAKeyIsShownOnce(t *testing.T) {
	svc, ctx := demo(t), t.Context()
	keys := find(t, "keys")
	saved, err := keys.Put(ctx, svc, settings.PutRequest{Value: keys.New()})
	if err != nil || len(saved.Secret) < 40 || saved.Note == "" {
		t.Fatalf("%+v, %v", saved, err)
	}
	v, err := keys.Get(ctx, svc, saved.Name)
	if err != nil || v.Get("hash").Exists() || strings.Contains(string(v.Encode()), saved.Secret) {
		t.Errorf("%s, %v", v.Encode(), err)
	}
	v, err = v.Set(doc.P("scopes"), doc.NewStrings(engine.ScopeManage))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := keys.Put(ctx, svc, settings.PutRequest{Name: saved.Name, Value: v}); err != nil || again.Secret != "" || again.Name != saved.Name {
		t.Errorf("%+v, %v", again, err)
	}
	w, err := svc.Workspace(ctx)
	if err != nil {
		t.Fatal(err)
	}
	last := w.Keys[len(w.Keys)-1]
	if last.ID != saved.Name || last.Hash == "" || len(last.Scopes) != 1 || last.CreatedAt.IsZero() {
		t.Errorf("%+v", last)
	}
}

func TestATemplateGetsAnotherVersion(t *testing.T) {
	svc, ctx := demo(t), t.Context()
	s := find(t, "templates")
	v, err := s.Get(ctx, svc, "hello")
	if err != nil {
		t.Fatal(err)
	}
	v, err = v.Set(doc.P("content", "subject"), doc.NewString("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	saved, err := s.Put(ctx, svc, settings.PutRequest{Name: "hello", Value: v})
	if err != nil || saved.Note != "This is version 2. Earlier versions do not change." {
		t.Errorf("%+v, %v", saved, err)
	}
	old, err := svc.ContentItem(ctx, engine.ContentRef{Kind: engine.KindTemplate, Name: "hello", Version: 1})
	if err != nil || old.Template.Content.Get("subject").Text() != "Hello" {
		t.Errorf("%+v, %v", old, err)
	}
}

// A time that is typed without seconds or an offset is one of the workspace's zone.
func TestTimesAreSpelledOut(t *testing.T) {
	svc, ctx := demo(t), t.Context()
	s := find(t, "users")
	if _, err := s.Put(ctx, svc, settings.PutRequest{Value: parse(t, `{"id":"T","events":[{"name":"x","at":"2026-07-01T09:00"}]}`)}); err != nil {
		t.Fatal(err)
	}
	v, err := s.Get(ctx, svc, "T")
	if at := v.Lookup(doc.P("events", 0, "at")).Text(); err != nil || at != "2026-07-01T09:00:00+02:00" {
		t.Errorf("%q, %v", at, err)
	}
}

func TestServiceWithoutWorkspace(t *testing.T) {
	var far struct{ engine.Service }
	for _, s := range settings.Sections() {
		if s.Unavailable(far) == "" {
			t.Errorf("%s: nothing is lacking", s.ID)
		}
		_, list := s.List(t.Context(), far, "", 0)
		_, get := s.Get(t.Context(), far, "x")
		_, put := s.Put(t.Context(), far, settings.PutRequest{Value: s.New()})
		_, uses := s.Uses(t.Context(), far, "x")
		for _, err := range []error{list, get, put, uses, s.Delete(t.Context(), far, "x", true)} {
			if engine.AsError(err) == nil {
				t.Errorf("%s: %v", s.ID, err)
			}
		}
	}
}

func TestTrials(t *testing.T) {
	svc, ctx := demo(t), context.WithoutCancel(t.Context())
	for _, c := range []struct {
		section, name string
		inputs        []string
		failed        bool
		words         string
	}{
		{"connectors", "Demo mail", nil, false, "local outbox"},
		{"gateways", "fcm", []string{""}, true, "FCM_KEY"},
		{"gateways", "fcm", []string{"USER_1"}, true, "FCM_KEY"},
		{"apis", "weather", []string{"Oslo"}, true, "api.example.com"},
		{"segments", "", nil, false, "are in this segment"},
	} {
		s := find(t, c.section)
		if c.name == "" {
			all, err := s.List(ctx, svc, "", 1)
			if err != nil {
				t.Fatal(err)
			}
			c.name = s.NameOf(all[0])
		}
		out, err := s.Try(ctx, svc, c.name, "ann@example.com", c.inputs)
		if err != nil || out.Failed != c.failed || !strings.Contains(out.Text, c.words) {
			t.Errorf("%s %s: %+v, %v", c.section, c.name, out, err)
		}
	}
	if _, err := find(t, "teams").Try(ctx, svc, "Growth", "", nil); err == nil {
		t.Error("a team can be tried")
	}
}

// The example of each section is a record that its table accepts, once files and the fields of messages are there.
func TestExamples(t *testing.T) {
	w, err := demo(t).Workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"@footer.html": "Bye", "@shoes.json": `[{"title":"Boots"}]`, "@welcome.json": `{"subject":"Hi"}`}
	for _, s := range settings.Sections() {
		v := s.New()
		words := strings.Fields(strings.ReplaceAll(s.Example, "'Product Viewed'", "Viewed"))
		name := s.Name
		if s.Issued() {
			name = s.Label
		}
		if s.Single {
			if v, err = s.Get(t.Context(), demo(t), ""); err != nil {
				t.Fatal(err)
			}
		} else {
			words[0] = name + "=" + words[0]
		}
		for _, word := range words {
			field, text, ok := strings.Cut(word, "=")
			p, err := doc.ParsePath(field)
			n := s.Table(v).At(p)
			if err != nil || !ok || n == nil {
				t.Fatalf("%s: %s is no field", s.ID, word)
			}
			if file, ok := texts[text]; ok {
				text = file
			}
			value := doc.NewString(text)
			switch n.Kind {
			case schema.Bool:
				value = doc.NewBool(text == "on")
			case schema.List, schema.Integer, schema.Object, schema.Any:
				if value, err = doc.Parse([]byte(text)); err != nil {
					value = doc.NewStrings(strings.Split(text, ",")...)
				}
			}
			if v, err = v.Set(p, value); err != nil {
				t.Fatal(err)
			}
		}
		if s.ID == "keys" {
			continue // its date is completed when it is stored
		}
		if bad := schema.Errors(s.Check(w, v)); len(bad) > 0 {
			t.Errorf("%s: %s: %v", s.ID, v.Encode(), bad)
		}
	}
}
