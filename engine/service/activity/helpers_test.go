package activity_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/enginetest"
	"bugle/engine/service/activity"
	"bugle/engine/service/activity/wire"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/remote"
	"bugle/store/mem"
)

// home returns a service on a store in memory, with its workspace's API key.
func home(t testing.TB) (*local.Service, string, *enginetest.Clock) {
	t.Helper()
	db, clock := mem.New(), enginetest.NewClock()
	t.Cleanup(func() { db.Close() })
	key, err := local.CreateWorkspace(t.Context(), db, enginetest.Workspace())
	if err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, enginetest.WorkspaceID, local.Options{Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range enginetest.Users() {
		if err := svc.PutUser(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	return svc, key, clock
}

// overHTTP returns the client of a server that answers with svc, and the log of what went over the wire.
func overHTTP(t testing.TB, svc activity.Service, key string, clock *enginetest.Clock) (*remote.Service, *activity.Log) {
	t.Helper()
	server := httptest.NewServer(api.New(api.Keys(func(ctx context.Context, _ string) (engine.Workspace, engine.Service, error) {
		w, err := svc.Workspace(ctx)
		return w, svc, err
	}), api.Options{Clock: clock.Now, Unlimited: true}))
	t.Cleanup(server.Close)
	seen := &activity.Log{}
	client, err := remote.New(remote.Config{
		BaseURL: server.URL, Workspace: enginetest.WorkspaceID, Observe: wire.Observer(seen),
		Key: func(context.Context) (string, error) { return key, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client, seen
}

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

// last returns the newest call of a log.
func last(t testing.TB, l *activity.Log) activity.Call {
	t.Helper()
	calls := l.Calls()
	if len(calls) == 0 {
		t.Fatal("nothing is in the log")
	}
	return calls[0]
}

// fake answers what a test says.
type fake struct {
	activity.Service
	err error
	get func() engine.Campaign
}

func (f *fake) Get(context.Context, string) (engine.Campaign, error) {
	if f.err != nil {
		return engine.Campaign{}, f.err
	}
	return f.get(), nil
}

func (f *fake) Save(_ context.Context, r engine.SaveRequest) (engine.Head, error) {
	return engine.Head{ID: r.ID, Status: "DRAFT", Revision: r.Revision + 1}, f.err
}

func (f *fake) Validate(context.Context, string) (engine.Validation, error) {
	return engine.Validation{Valid: true}, f.err
}

func (f *fake) Test(context.Context, engine.TestRequest) (engine.TestResult, error) {
	return engine.TestResult{
		Keys: []string{"WEB_default_variation_1"}, Message: "1 failed",
		Data: map[string]engine.SendResult{"WEB_default_variation_1": {Status: engine.Failed, FailureReason: "tok-secret-1: no such device"}},
	}, f.err
}

func (f *fake) Create(_ context.Context, r engine.CreateRequest) (engine.Created, error) {
	return engine.Created{ResponseInfo: engine.ResponseInfo{ResponseID: r.RequestID}, ID: "65f0", Status: "DRAFT"}, f.err
}

const missing = http.StatusNotFound
