package local_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/store/mem"
)

func TestCreateWorkspace(t *testing.T) {
	db := mem.New()
	defer db.Close()
	apiKey, err := local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: "DEMO"})
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := base64.RawURLEncoding.DecodeString(apiKey); err != nil || len(raw) != 32 {
		t.Errorf("the key %q is no base64url of 32 bytes", apiKey)
	}
	s, err := local.Open(db, "DEMO", local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(apiKey))
	if len(w.Keys) != 1 || w.Keys[0].Hash != hex.EncodeToString(sum[:]) || len(w.Keys[0].Scopes) != len(engine.KnownScopes()) {
		t.Errorf("%+v", w.Keys)
	}
	if w.Publish != engine.PublishBeta || w.Timezone != "UTC" || w.Name != "DEMO" || w.CreatedAt.IsZero() {
		t.Errorf("%+v", w)
	}
	_, err = local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: "DEMO"})
	refused(t, err, engine.BadRequest, 409)
	for _, id := range []string{"", "a b", "a\x00", strings.Repeat("a", 65)} {
		_, err = local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: id})
		refused(t, err, engine.ValidationFailed, 400)
	}
	_, err = local.Open(db, "OTHER", local.Options{})
	refused(t, err, engine.NotFound, 404)
}

func TestUpdateWorkspace(t *testing.T) {
	b := newBench(t, local.Options{})
	b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.Flags = map[string]bool{engine.FlagQueuing: true}; return nil }))
	boom := errors.New("no")
	if err := b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.Name = "x"; return boom }); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	for name, change := range map[string]func(*engine.Workspace){
		"id":         func(w *engine.Workspace) { w.ID = "X" },
		"timezone":   func(w *engine.Workspace) { w.Timezone = "Mars" },
		"publish":    func(w *engine.Workspace) { w.Publish = "yes" },
		"connectors": func(w *engine.Workspace) { w.Connectors = append(w.Connectors, w.Connectors...) },
	} {
		err := b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { change(w); return nil })
		if e := refused(t, err, engine.ValidationFailed, 400); e.Target != name {
			t.Errorf("%s: target %q", name, e.Target)
		}
	}
	w, err := b.Workspace(b.ctx)
	b.ok(err)
	if w.Name != "TEST" || !w.Flags[engine.FlagQueuing] {
		t.Errorf("%+v", w)
	}
	// The flag is what the tables see from now on.
	limit := `{` + pushHead + `,"campaign_audience_limit":{"is_campaign_audience_limit_enabled":false}}`
	_, err = b.Create(b.ctx, engine.CreateRequest{Body: parse(t, limit)})
	refused(t, err, engine.ValidationFailed, 400)
	b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.Flags[engine.FlagAudienceLimit] = true; return nil }))
	b.create(limit)
}

func TestUsers(t *testing.T) {
	b := newBench(t, local.Options{})
	for text, want := range map[string]int{"": 2, "IDA@": 1, "user_": 2, "49151": 1, "zzz": 0} {
		got, err := b.Users(b.ctx, text, 0)
		b.ok(err)
		if len(got) != want {
			t.Errorf("%q: %d profiles, want %d", text, len(got), want)
		}
	}
	if got, _ := b.Users(b.ctx, "", 1); len(got) != 1 || got[0].ID != "USER_1" {
		t.Errorf("%+v", got)
	}
	b.ok(b.DeleteUser(b.ctx, "USER_1"))
	_, err := b.User(b.ctx, "USER_1")
	refused(t, err, engine.NotFound, 404)
	refused(t, b.DeleteUser(b.ctx, "USER_1"), engine.NotFound, 404)
	refused(t, b.PutUser(b.ctx, engine.User{}), engine.ValidationFailed, 400)
}
