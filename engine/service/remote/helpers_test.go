package remote_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/enginetest"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/remote"
	"bugle/store/mem"
)

const workspace = enginetest.WorkspaceID

// home returns a workspace of its own in memory, and its API key.
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
	for _, p := range enginetest.Users() {
		if err := svc.PutUser(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	return svc, key
}

// serving returns the API over a workspace.
func serving(svc *local.Service, o api.Options) http.Handler {
	return api.New(api.Keys(func(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
		if id != workspace {
			return engine.Workspace{}, nil, engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no workspace %q", id)
		}
		w, err := svc.Workspace(ctx)
		return w, svc, err
	}), o)
}

// over returns the remote service that talks to a server on this machine.
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

// script answers requests one after the other, and keeps them. The last answer is given again and
// again.
type script struct {
	answers []func() (*http.Response, error)
	got     []*http.Request
	bodies  []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
	}
	s.got, s.bodies = append(s.got, r), append(s.bodies, body)
	return s.answers[min(len(s.got), len(s.answers))-1]()
}

func says(status int, body string, header ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return answering(status, body, h), nil
	}
}

func breaks(err error) func() (*http.Response, error) {
	return func() (*http.Response, error) { return nil, err }
}

const created = `{"response_id":"r","type":"campaign","data":{"id":"65f0a1b2c3d4e5f60718293a","status":"DRAFT"}}`

func scripted(t *testing.T, c remote.Config, answers ...func() (*http.Response, error)) (*remote.Service, *script) {
	t.Helper()
	way := &script{answers: answers}
	if c.BaseURL == "" {
		c.BaseURL = "https://api-{dc}.example.com/base/"
	}
	c.Transport = way
	if c.Key == nil {
		c.Key = fixedKey("s3cret-key")
	}
	return open(t, c), way
}

func draft(t *testing.T) engine.CreateRequest {
	return engine.CreateRequest{Body: parse(t, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com"}`)}
}
