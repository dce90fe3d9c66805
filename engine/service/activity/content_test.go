package activity_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/service/activity"
)

// asking is a service whose messages call content APIs.
type asking struct{ activity.Service }

func contentCalls() []engine.ContentCall {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return []engine.ContentCall{{
		API: "weather", Start: at, End: at.Add(20 * time.Millisecond), Method: "POST", URL: "https://api.example.com/in/Oslo?days=2&api_key=abc", Status: 503,
		RequestHeader: http.Header{"X-Auth-Token": {"$TOKEN"}, "Accept": {"application/json"}}, Request: []byte(`{"n":1}`),
		ResponseHeader: http.Header{"Set-Cookie": {"s=secret"}}, Response: []byte(`{"password":"hunter2","today":"rain"}`), Err: "it answered 503 Service Unavailable",
	}}
}

func (asking) Preview(context.Context, engine.PreviewRequest) (engine.Preview, error) {
	return engine.Preview{Calls: contentCalls()}, nil
}

func (asking) Test(context.Context, engine.TestRequest) (engine.TestResult, error) {
	return engine.TestResult{Calls: contentCalls()}, nil
}

func (asking) TryContentAPI(context.Context, string, []any) (engine.ContentTrial, error) {
	return engine.ContentTrial{Call: contentCalls()[0]}, nil
}

// A call that a message makes of a content API stands beside the operation that it was made for, as a
// call of that server, without secrets.
func TestContentAPIs(t *testing.T) {
	log := &activity.Log{}
	svc := activity.Wrap(asking{}, log)
	_, _ = svc.Preview(t.Context(), engine.PreviewRequest{})
	_, _ = svc.Test(t.Context(), engine.TestRequest{})
	_, _ = svc.TryContentAPI(t.Context(), "weather", nil)
	var operations []string
	for _, c := range log.Calls() {
		operations = append(operations, c.Operation)
		if c.Operation != "content api" {
			continue
		}
		if c.Base != "https://api.example.com" || c.Path != "/in/Oslo?days=2&api_key=[hidden]" || c.Status != 503 || c.Took != 20*time.Millisecond || !c.Failed() {
			t.Errorf("noted as %s", c.Document().Indent())
		}
		if all := c.Curl() + string(c.Response()) + string(c.Document().Encode()); strings.Contains(all, "hunter2") || strings.Contains(all, "secret") || strings.Contains(all, "X-SVC") {
			t.Errorf("shows too much: %s", all)
		}
		if want := `curl -X POST 'https://api.example.com/in/Oslo?days=2&api_key=[hidden]'`; !strings.HasPrefix(c.Curl(), want) {
			t.Errorf("as a command: %s", c.Curl())
		}
	}
	if got := strings.Join(operations, ", "); got != "content api, test, content api, preview, content api" {
		t.Errorf("the log has %s", got)
	}
}
