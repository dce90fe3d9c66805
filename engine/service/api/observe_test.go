package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"bugle/engine"
	"bugle/engine/service/api"
)

// journal is a log that a test reads.
type journal struct {
	mu sync.Mutex
	bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Buffer.Write(p)
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }

// The log says what was asked and what became of it, and nothing of what was said.
func TestLog(t *testing.T) {
	var log journal
	b := newBench(t, func(b *bench, _ *engine.Workspace) { b.api.Logger = log.logger() })
	id := b.create(whole)
	b.do("PATCH", campaigns+"/"+id, `{"basic_details":{"name":7}}`, requestID("r-1"))
	b.do("GET", campaigns+"/"+id, "", as("TEST", "wrong-key"))
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3: %s", len(lines), log.String())
	}
	for i, want := range [][]string{
		{`"level":"INFO"`, `"method":"POST"`, `"path":"/v5/campaigns"`, `"status":201`, `"workspace":"TEST"`, `"key_id":"k-all"`, `"duration":`},
		{`"method":"PATCH"`, `"path":"/v5/campaigns/{id}"`, `"status":400`, `"request_id":"r-1"`, `"code":"VALIDATION_FAILED"`},
		{`"status":401`, `"code":"UNAUTHORIZED"`},
	} {
		for _, w := range want {
			if !strings.Contains(lines[i], w) {
				t.Errorf("%s is not in %s", w, lines[i])
			}
		}
	}
	for _, secret := range []string{keyAll, "wrong-key", "Basic", "Spring mail", "ann@example.com", "shop@example.com"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log tells %q: %s", secret, log.String())
		}
	}
}

// panicking is a service with a bug.
type panicking struct{ engine.Service }

func (panicking) Get(context.Context, string) (engine.Campaign, error) { panic("a bug with a secret") }

func (panicking) Create(context.Context, engine.CreateRequest) (engine.Created, error) {
	panic("a bug with a secret")
}

func TestPanics(t *testing.T) {
	var log journal
	h := api.New(anyone{panicking{}}, api.Options{Logger: log.logger()})
	for range 3 { // the turn to create is given back
		send(t, h, request(t.Context(), "POST", campaigns, `{}`)).is(500, "error.code", "INTERNAL_ERROR")
	}
	a := send(t, h, request(t.Context(), "GET", campaigns+"/x", "", requestID("r"))).is(500, "error.code", "INTERNAL_ERROR", "response_id", "r")
	if strings.Contains(a.raw, "secret") {
		t.Errorf("the answer tells of the bug: %s", a.raw)
	}
	if !strings.Contains(log.String(), "a bug with a secret") || !strings.Contains(log.String(), "observe_test.go") {
		t.Errorf("the log does not tell where the bug is: %s", log.String())
	}
}

// hanging is a service that waits for its context to end.
type hanging struct{ engine.Service }

func (hanging) Get(ctx context.Context, _ string) (engine.Campaign, error) {
	<-ctx.Done()
	return engine.Campaign{}, fmt.Errorf("reading: %w", ctx.Err())
}

func TestAServiceThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log journal
		h := api.New(anyone{hanging{}}, api.Options{Logger: log.logger()})
		a := send(t, h, request(t.Context(), "GET", campaigns+"/x", "")).is(500, "error.code", "INTERNAL_ERROR")
		if !strings.Contains(a.at("error.message"), "30s") {
			t.Errorf("%s", a.raw)
		}
		ctx, leave := context.WithCancel(t.Context())
		leave()
		send(t, h, request(ctx, "GET", campaigns+"/x", ""))
		if !strings.Contains(log.String(), `"status":499`) {
			t.Errorf("a client that has gone is not in the log: %s", log.String())
		}
	})
}

func TestMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	b := newBench(t, func(b *bench, _ *engine.Workspace) { b.api.Registry = reg })
	id := b.create(whole)
	b.do("GET", campaigns+"/"+id, "")
	b.do("GET", campaigns+"/"+id, "", as("TEST", "wrong"))
	b.do("GET", "/nowhere-"+id, "")
	want := `
		# HELP bugle_api_requests_total Requests answered, by operation and HTTP status.
		# TYPE bugle_api_requests_total counter
		bugle_api_requests_total{operation="create",status="201"} 1
		bugle_api_requests_total{operation="get",status="200"} 1
		bugle_api_requests_total{operation="get",status="401"} 1
		bugle_api_requests_total{operation="unknown",status="404"} 1
	`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "bugle_api_requests_total"); err != nil {
		t.Error(err)
	}
	page := httptest.NewRecorder()
	b.ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	for _, w := range []string{`bugle_api_request_duration_seconds_count{operation="get",status="200"} 1`, "bugle_api_requests_running 0"} {
		if page.Code != 200 || !strings.Contains(page.Body.String(), w) {
			t.Errorf("%d, and %s is not in %s", page.Code, w, page.Body)
		}
	}
	for _, secret := range []string{id, "TEST", "k-all", keyAll} {
		if strings.Contains(page.Body.String(), secret) {
			t.Errorf("the metrics tell %q", secret)
		}
	}
	if problems, err := testutil.GatherAndLint(reg); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestSidePages(t *testing.T) {
	var failing error
	b := newBench(t, func(b *bench, _ *engine.Workspace) {
		b.api.Health = func(context.Context) error { return failing }
		b.api.OpenAPI = func() []byte { return []byte(`{"openapi":"3.1.0"}`) }
	})
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		b.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	if w := get("/healthz"); w.Code != 200 || w.Body.String() != `{"status":"ok"}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	failing = errors.New("the disk is full")
	if w := get("/healthz"); w.Code != 503 || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := get("/openapi.json"); w.Code != 200 || w.Body.String() != `{"openapi":"3.1.0"}` || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	b.api.OpenAPI = nil
	b.start()
	if w := get("/openapi.json"); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := get("/metrics"); w.Code != 200 || !strings.Contains(w.Body.String(), "go_goroutines") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
