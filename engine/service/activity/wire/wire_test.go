package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/activity"
	"bugle/engine/service/activity/wire"
	"bugle/engine/service/remote"
)

// Every attempt of a call is listed, with what the service said, and without the key.
func TestAttempts(t *testing.T) {
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			http.Error(w, "<p>out of order</p>", http.StatusBadGateway)
			return
		}
		w.Header().Set("Idempotent-Replayed", "true")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"response_id":"r","type":"campaign","data":{"id":"65f0","status":"DRAFT"}}`))
	}))
	defer server.Close()
	var l activity.Log
	s, err := remote.New(remote.Config{
		BaseURL: server.URL + "/proxy", Workspace: "W", Observe: wire.Observer(&l),
		Key: func(context.Context) (string, error) { return "the-key", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	start := time.Now()
	ids := engine.Call{RequestID: "r", IdempotencyKey: "3f2b8a52-7d0c-4f0c-9a75-1f1f3f0f9c11"}
	if _, err := s.Create(t.Context(), engine.CreateRequest{Call: ids, Body: doc.NewObject(doc.M("password", doc.NewString("x")))}); err != nil {
		t.Fatal(err)
	}
	calls := l.Calls()
	if len(calls) != 2 {
		t.Fatalf("%d calls are listed", len(calls))
	}
	for i, want := range []struct {
		status, attempt int
		body            string
	}{{201, 2, `"65f0"`}, {502, 1, "out of order"}} {
		c := calls[i]
		if c.Status != want.status || c.Attempt != want.attempt || !strings.Contains(string(c.Response()), want.body) {
			t.Errorf("attempt %d is listed as %s with %s", want.attempt, c.Document().Indent(), c.Response())
		}
		if c.Operation != "create" || c.Method != "POST" || c.Base != server.URL || c.Path != "/proxy/v5/campaigns" || c.RequestID != ids.RequestID || c.IdempotencyKey != ids.IdempotencyKey {
			t.Errorf("it is listed as %s", c.Document().Indent())
		}
		if c.At.Before(start) || c.Took <= 0 || c.Local {
			t.Errorf("it began at %s and took %s", c.At, c.Took)
		}
		all := c.Curl() + string(c.Document().Encode()) + string(c.Request())
		if strings.Contains(all, "the-key") || strings.Contains(all, `"x"`) || !strings.Contains(c.Curl(), "-H 'Idempotency-Key: "+ids.IdempotencyKey+"'") {
			t.Errorf("it shows %s", all)
		}
	}
	if calls[0].Err != "" || !calls[0].Replayed || calls[1].Err == "" {
		t.Errorf("the outcomes are %q and %q", calls[0].Err, calls[1].Err)
	}
}

func TestCampaignOfPath(t *testing.T) {
	for _, test := range []struct{ operation, path, want string }{
		{"get", "/v5/campaigns/65f0", "65f0"}, {"status", "/x/v5/campaigns/65f0/status", "65f0"}, {"get", "/v5/campaigns/a%2Fb", "a/b"},
		{"search", "/v5/campaigns/search", ""}, {"create", "/v5/campaigns", ""},
	} {
		if got := wire.FromExchange(remote.Exchange{Operation: test.operation, Path: test.path}).Campaign; got != test.want {
			t.Errorf("%s %s is about %q", test.operation, test.path, got)
		}
	}
}
