package api_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/service/api"
)

// gate is a writer that stalls until it is opened.
type gate struct {
	open chan struct{}
	mu   sync.Mutex
	text strings.Builder
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(p)
}

func (g *gate) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// While nobody reads the log, requests are answered, /healthz tells, and what is dropped is counted. When
// somebody reads again, the log goes on and says how many lines are missing.
func TestAStalledLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &gate{open: make(chan struct{})}
		var logger *slog.Logger
		lines := api.NewLog(out, func(n uint64) { logger.Warn("dropped", "lines", n) })
		logger = slog.New(slog.NewTextHandler(lines, nil))
		b := newBench(t, func(b *bench, _ *engine.Workspace) { b.api.Logger, b.api.Log = logger, lines })
		id := b.create(whole)
		health := func() string { return page(t, b, "/healthz", 200) }
		if got := health(); got != `{"status":"ok"}` {
			t.Errorf("at first /healthz says %s", got)
		}
		time.Sleep(2 * time.Second) // of the test's own clock
		if got := health(); !strings.Contains(got, `"degraded"`) || !strings.Contains(got, "cannot write the log") {
			t.Errorf("when a write takes long /healthz says %s", got)
		}
		for lines.Dropped() < 100 {
			b.do("GET", campaigns+"/"+id, "").is(200)
		}
		if got := health(); !strings.Contains(got, `"degraded"`) || !strings.Contains(got, "lines were dropped") {
			t.Errorf("when lines are dropped /healthz says %s", got)
		}
		if got := page(t, b, "/metrics", 200); !strings.Contains(got, "bugle_log_lines_dropped_total 100") {
			t.Error("the dropped lines are not among the metrics")
		}
		close(out.open)
		synctest.Wait()
		if got := out.String(); !strings.Contains(got, "msg=dropped lines=100") || !strings.Contains(got, "operation=create") {
			t.Errorf("the log does not say how many lines are missing: %d bytes", len(got))
		}
		if got := health(); got != `{"status":"ok"}` {
			t.Errorf("in the end /healthz says %s", got)
		}
		b.do("GET", campaigns+"/"+id, "", requestID("last")).is(200)
		lines.Close(time.Minute)
		if !strings.Contains(out.String(), "request_id=last") {
			t.Error("the end of the log is missing")
		}
	})
}

// The end of a log that nobody reads is not waited for.
func TestAStalledLogEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &gate{open: make(chan struct{})}
		lines := api.NewLog(out, nil)
		fmt.Fprintln(lines, "a line")
		start := time.Now()
		lines.Close(time.Second)
		if took := time.Since(start); took != time.Second {
			t.Errorf("it took %s", took)
		}
		fmt.Fprintln(lines, "too late")
		close(out.open)
		synctest.Wait()
		if got := out.String(); got != "a line\n" {
			t.Errorf("the log is %q", got)
		}
	})
}

func page(t *testing.T, b *bench, path string, status int) string {
	t.Helper()
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != status {
		t.Errorf("%s: %d", path, w.Code)
	}
	return w.Body.String()
}

// A store that does not answer is not waited for, and not asked over and over.
func TestHealthOfStuckStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		answer := make(chan error)
		b := newBench(t, func(b *bench, _ *engine.Workspace) {
			b.api.Health = func(context.Context) error { asked.Add(1); return <-answer }
		})
		start := time.Now()
		for range 3 {
			if got := page(t, b, "/healthz", 503); got != `{"status":"failing"}` {
				t.Errorf("/healthz says %s", got)
			}
		}
		if took := time.Since(start); took > 10*time.Second || asked.Load() != 1 {
			t.Errorf("it took %s, and the store was asked %d times", took, asked.Load())
		}
		answer <- errors.New("the disk is gone")
		synctest.Wait()
		go func() { answer <- nil }()
		if got := page(t, b, "/healthz", 200); got != `{"status":"ok"}` {
			t.Errorf("/healthz says %s", got)
		}
		if asked.Load() != 2 {
			t.Errorf("the store was asked %d times", asked.Load())
		}
	})
}
