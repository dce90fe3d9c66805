package remote_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/api"
	"bugle/engine/doc"
	"bugle/engine/enginetest"
	"bugle/engine/local"
	"bugle/engine/remote"
	"bugle/store/mem"
)

const workspace = enginetest.WorkspaceID

// home gives a workspace of its own in memory, and its API key.
func home(t testing.TB, clock func() time.Time) (*local.Service, string) {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	key, err := local.CreateWorkspace(t.Context(), db, enginetest.Workspace())
	if err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, workspace, local.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range enginetest.Profiles() {
		if err := svc.PutProfile(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	return svc, key
}

// serving gives the API over a workspace.
func serving(svc *local.Service, o api.Options) http.Handler {
	return api.New(api.Keys(func(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
		if id != workspace {
			return engine.Workspace{}, nil, engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no workspace %q", id)
		}
		w, err := svc.Workspace(ctx)
		return w, svc, err
	}), o)
}

// over gives the remote service that talks to a server on this machine.
func over(t testing.TB, h http.Handler, c remote.Config) *remote.Service {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c.BaseURL = server.URL
	return open(t, c)
}

func open(t testing.TB, c remote.Config) *remote.Service {
	t.Helper()
	if c.Workspace == "" {
		c.Workspace = workspace
	}
	s, err := remote.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fixedKey(key string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return key, nil }
}

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}
