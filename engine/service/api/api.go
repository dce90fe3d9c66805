// Package api serves the Campaigns V5 API over HTTP, for any [engine.Service]: Basic credentials,
// tenancy, scopes, request ids, idempotency keys, rolling limits and the envelopes of
// CONTRACT.md (Operations, Authentication, Idempotency, Envelopes and errors, Limits).
//
// A request is judged in this order, and answered by the first that says no: path (404), method
// (405), credentials (401), tenant (403), room for it (503), rate limit (429), scope (403), body (400,
// 413), ids and Idempotency-Key (400, all problems at once), limit of creations (429), and then the
// service. What all requests take at once is bounded ([Options], Memory).
package api

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bugle/engine"
	"bugle/engine/doc"
)

// Workspaces says who may call. [Keys] gives one over the settings of workspaces.
type Workspaces interface {
	// Authenticate returns the tenant of Basic credentials, false where they are wrong, and an
	// error where it could not find out. It takes as long for a workspace that is not there as
	// for a wrong key.
	Authenticate(ctx context.Context, workspaceID, key string) (Tenant, bool, error)
}

// Tenant is who calls: a workspace, and one of its credentials.
type Tenant struct {
	Workspace string
	KeyID     string   // limits are counted by it
	Scopes    []string // of [engine.KnownScopes]; a credential without any may read
	// Publish is the workspace's publish setting. Where it is [engine.PublishBeta], publishing is
	// refused by the service whatever the scope, so that no scope is asked for.
	Publish string
	Service engine.Service
}

// Options are what the API may be given. The zero Options are ready for use.
type Options struct {
	Clock  func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
	// Unlimited turns the limits off. They are kept in memory, and begin anew with the process, unless Counter counts.
	Unlimited bool
	// Counter counts what limits let through for several servers together. Nil: this one counts alone.
	Counter Counter
	// Memory bounds what all requests together take at once, in bytes: bodies, what is made of them, and
	// answers. 0: 128 MiB for each processor, and 256 MiB at least.
	Memory int64
	// OpenAPI returns the document of /openapi.json; it is asked once. Nil: there is none.
	OpenAPI func() []byte
	// Registry takes the metrics, and /metrics shows all that is in it. Nil: one of its own, with
	// the numbers of the process besides.
	Registry *prometheus.Registry
	// Health says what /healthz finds wrong. Nil: nothing ever is. Where it has not come back after
	// two seconds, /healthz says that the service is failing.
	Health func(context.Context) error
	// Log is what Logger writes to; /healthz says that the service is degraded while it is stuck, and
	// /metrics how many lines were dropped. Nil: neither.
	Log *Log
}

// New returns the handler of the API, with /healthz (ready), /livez (alive), /metrics and /openapi.json, which ask for no
// credentials. A request's write goes on when its client has gone: what was accepted is done.
func New(ws Workspaces, o Options) http.Handler {
	h := &handler{workspaces: ws, now: o.Clock, log: o.Logger, lines: o.Log, mux: http.NewServeMux()}
	h.arriving, h.working = newMemoryLimits(o.Memory)
	if h.now == nil {
		h.now = time.Now
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if !o.Unlimited {
		h.limits = newLimits(h.now, o.Counter)
	}
	if o.Health != nil {
		h.health = &healthProbe{check: o.Health}
	}
	h.metrics = newMetrics(o.Registry, o.Log)
	for _, path := range operationPaths() {
		h.mux.HandleFunc(path, h.route(path))
	}
	h.side("/healthz", http.HandlerFunc(h.healthz))
	h.side("/livez", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply{status: http.StatusOK, body: []byte(`{"status":"ok"}`)}.write(w, r)
	}))
	h.side("/metrics", h.metrics.handler())
	if o.OpenAPI != nil {
		h.side("/openapi.json", document(o.OpenAPI))
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, unknown) })
	return h
}

type handler struct {
	workspaces Workspaces
	now        func() time.Time
	log        *slog.Logger
	limits     *limits // nil: there are none
	arriving   *memoryLimit
	working    *memoryLimit
	metrics    *metrics
	records    recordCache
	health     *healthProbe // nil: it is always well
	lines      *Log
	writes     writes
	mux        *http.ServeMux
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.TransferEncoding) > 0 {
		// It may have had a length as well, by which a proxy before this server would find another end of it
		// (RFC 9112, section 6.1): nothing that follows is taken for a request.
		w.Header().Set("Connection", "close")
	}
	if (len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1)) && isAmbiguous(r) {
		h.serve(w, r, ambiguous)
		return
	}
	// The mux would redirect a path that is not clean, with a page; here it is one that is not there.
	if p := r.URL.EscapedPath(); !strings.HasPrefix(p, "/") || path.Clean(p) != p {
		h.serve(w, r, unknown)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// route serves the operations of one path by method.
func (h *handler) route(path string) http.HandlerFunc {
	methods := map[string]*route{}
	for _, op := range routes {
		if op.Path != path {
			continue
		}
		for _, m := range op.Methods {
			methods[m] = op
		}
	}
	refuse := wrongMethod(methods)
	return func(w http.ResponseWriter, r *http.Request) {
		op, ok := methods[r.Method]
		if !ok {
			op = refuse
		}
		h.serve(w, r, op)
	}
}

// side serves a path that is no operation, and is neither logged nor counted.
func (h *handler) side(path string, page http.Handler) {
	refuse := wrongMethod(map[string]*route{http.MethodGet: nil, http.MethodHead: nil})
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.serve(w, r, refuse)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		page.ServeHTTP(w, r)
	})
}

// healthz answers 503 where requests cannot be answered, and 200 with what is wrong where they can.
func (h *handler) healthz(w http.ResponseWriter, r *http.Request) {
	out := reply{status: http.StatusOK, body: []byte(`{"status":"ok"}`)}
	degraded := h.writes.stuck(h.now())
	if h.lines != nil {
		degraded = errors.Join(degraded, h.lines.Stuck())
	}
	if degraded != nil {
		reason := strings.ReplaceAll(degraded.Error(), "\n", "; ")
		out.body = doc.NewObject(text("status", "degraded"), text("reason", reason)).Encode()
	}
	if err := h.health.ask(r.Context()); err != nil {
		h.log.ErrorContext(r.Context(), "not healthy", "error", err)
		out = reply{status: http.StatusServiceUnavailable, body: []byte(`{"status":"failing"}`)}
	}
	out.write(w, r)
}

// writes knows which writes the service is working on.
type writes struct {
	mu      sync.Mutex
	running list.List // of when they began, the first one first
}

// slowWriteAfter is how long a write takes no more where the store is well. Test sends talk to others, and do
// not count.
const slowWriteAfter = 10 * time.Second

// begin notes a write; its end is to be called when it is done.
func (w *writes) begin(now time.Time) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.running.PushBack(now)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.running.Remove(at)
	}
}

// stuck returns an error where a write has been running for long.
func (w *writes) stuck(now time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := w.running.Front()
	if first == nil || now.Sub(first.Value.(time.Time)) < slowWriteAfter {
		return nil
	}
	return fmt.Errorf("writes are stuck: %d are running, the first for more than %s", w.running.Len(), slowWriteAfter)
}

// healthProbe asks whether the service is well, one question at a time: one that gets no answer is not asked
// again and again.
type healthProbe struct {
	check func(context.Context) error
	mu    sync.Mutex
	asked *healthCheck // the one without an answer; nil where there is none
}

type healthCheck struct {
	answered chan struct{}
	err      error // once it is answered
}

// healthTimeout is how long an answer may take.
const healthTimeout = 2 * time.Second

// ask returns what is wrong, and an error where that does not become known in time.
func (p *healthProbe) ask(ctx context.Context) error {
	if p == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	p.mu.Lock()
	q := p.asked
	if q == nil {
		q = &healthCheck{answered: make(chan struct{})}
		p.asked = q
		go p.answer(q)
	}
	p.mu.Unlock()
	select {
	case <-q.answered:
		return q.err
	case <-ctx.Done():
		return fmt.Errorf("the store does not respond: %w", ctx.Err())
	}
}

// answer ends when the check does.
func (p *healthProbe) answer(q *healthCheck) {
	ctx, cancel := context.WithTimeout(context.Background(), healthTimeout)
	defer cancel()
	q.err = p.check(ctx)
	p.mu.Lock()
	p.asked = nil
	p.mu.Unlock()
	close(q.answered)
}

func document(get func() []byte) http.Handler {
	once := sync.OnceValue(get)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply{status: http.StatusOK, body: once()}.write(w, r)
	})
}
