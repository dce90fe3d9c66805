// Package api serves the Campaigns V5 API over HTTP for any [engine.Service]: Basic credentials, tenancy,
// scopes, request ids, idempotency keys, rolling limits and the envelopes of CONTRACT.md (Operations,
// Authentication, Idempotency, Envelopes and errors, Limits).
//
// The checks of a request run in this order, and the first failing one determines the response: path (404),
// method (405), credentials (401), tenant (403), memory (503), rate limit (429), scope (403), body (400,
// 413), ids and Idempotency-Key (400, with all problems), limit of creations (429), and then the service. The
// memory of all requests together is limited (Options, Memory).
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

// Workspaces authenticates callers. [Keys] returns one based on the settings of workspaces.
type Workspaces interface {
	// Authenticate returns the tenant of Basic credentials, false if they are wrong, and an error if that
	// could not be determined. It takes as long for an unknown workspace as for a wrong key.
	Authenticate(ctx context.Context, workspaceID, key string) (Tenant, bool, error)
}

// Tenant is the caller: a workspace and one of its credentials.
type Tenant struct {
	Workspace string
	KeyID     string    // the limits' key
	Scopes    []string  // of [engine.KnownScopes]; a credential without scopes may read
	Expires   time.Time // from when on the credential is refused; zero: never
	Used      time.Time // when the credential was used last, as far as that is stored
	// Publish is the workspace's publish setting. For [engine.PublishBeta] the service refuses publishing
	// regardless of the scope, so no scope is checked.
	Publish string
	Service engine.Service
}

// Options configure the API. The zero value is ready for use.
type Options struct {
	Clock  func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
	// Unlimited turns the limits off. Without a Counter they are kept in memory and start again with the
	// process.
	Unlimited bool
	// Counter counts for several servers together. Nil: this server counts on its own.
	Counter Counter
	// Memory limits the memory of all requests together in bytes: bodies, documents and responses. 0: 128 MiB
	// per processor, and at least 256 MiB.
	Memory int64
	// OpenAPI returns the document for /openapi.json and is called once. Nil: there is none.
	OpenAPI func() []byte
	// Registry receives the metrics; /metrics shows all metrics in it. Nil: a new one that includes process
	// metrics.
	Registry *prometheus.Registry
	// Health returns an error for /healthz. Nil: always healthy. If it takes more than two seconds, /healthz
	// reports the service as failing.
	Health func(context.Context) error
	// Log is the log that Logger writes to. /healthz reports degraded while it is stuck, and /metrics the
	// dropped lines. Nil: neither.
	Log *Log
}

// New returns the handler of the API, with /healthz (readiness), /livez (liveness), /metrics and
// /openapi.json, which need no credentials. A write is completed even if its client disconnects.
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
	limits     *limits // nil: no limits
	arriving   *memoryLimit
	working    *memoryLimit
	metrics    *metrics
	records    recordCache
	health     *healthProbe // nil: always healthy
	lines      *Log
	writes     writes
	keyUses    keyUses
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

// side serves a path that is not an operation, without logging and metrics.
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

// healthz returns 503 if requests cannot be answered, and 200 with the problems if they can.
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

// writes tracks the running writes.
type writes struct {
	mu      sync.Mutex
	running list.List // start times, oldest first
}

// slowWriteAfter is the time after which a write indicates that the store is stuck. Test sends talk to other
// servers and are exempt.
const slowWriteAfter = 10 * time.Second

// begin adds a write. Call end when it is done.
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

// stuck returns an error if a write has been running for long.
func (w *writes) stuck(now time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := w.running.Front()
	if first == nil || now.Sub(first.Value.(time.Time)) < slowWriteAfter {
		return nil
	}
	return fmt.Errorf("writes are stuck: %d are running, the first for more than %s", w.running.Len(), slowWriteAfter)
}

// healthProbe runs a health check, one at a time: a check that hangs is not started again.
type healthProbe struct {
	check func(context.Context) error
	mu    sync.Mutex
	asked *healthCheck // the running check; nil if there is none
}

type healthCheck struct {
	answered chan struct{}
	err      error // valid after answered is closed
}

// healthTimeout limits a health check.
const healthTimeout = 2 * time.Second

// ask returns the result of the check, or an error if it takes too long.
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

// answer runs the check.
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
