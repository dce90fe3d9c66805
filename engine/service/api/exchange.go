package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// exchange is one request and its response.
type exchange struct {
	w           http.ResponseWriter
	r           *http.Request
	op          *route
	header      http.Header // of the response
	tenant      Tenant
	records     *recordCache
	reservation reservation
	body        doc.Value
	requestID   string // the caller's; empty if there is none
	generatedID string // generated if the caller sent none; see id
	key         string // Idempotency-Key
	err         error  // why it was refused, for the log
}

func (x *exchange) call() engine.Call {
	return engine.Call{RequestID: x.id(), IdempotencyKey: x.key}
}

// id returns the request id: the caller's, or one generated on first use.
func (x *exchange) id() string {
	if x.requestID != "" {
		return x.requestID
	}
	if x.generatedID == "" {
		x.generatedID = uuid.NewString()
	}
	return x.generatedID
}

// identify sets the caller's request id, which every response contains.
func (x *exchange) identify(given string) {
	if x.requestID == "" && given != "" && len(given) <= maxID && utf8.ValidString(given) {
		x.requestID = given
	}
}

// serve answers and logs one request.
func (h *handler) serve(w http.ResponseWriter, r *http.Request, op *route) {
	start := h.now()
	x := &exchange{w: w, r: r, op: op, header: w.Header(), records: &h.records, reservation: reservation{arriving: h.arriving, working: h.working}}
	h.metrics.running.Inc()
	defer h.metrics.running.Dec()
	defer x.reservation.end()
	out := h.answer(x)
	x.body = doc.Value{} // from here on there is the answer alone
	x.reservation.leave(int64(cap(out.body)))
	out.write(w, r)
	out.release()
	h.record(x, out.status, h.now().Sub(start))
}

func (h *handler) answer(x *exchange) (out reply) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
			panic(p)
		}
		h.log.ErrorContext(x.r.Context(), "panic", "operation", x.op.Name, "request_id", x.id(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		out = x.failure(engine.Errorf(engine.Internal, http.StatusInternalServerError, "%s", unexpected))
	}()
	res, err := h.perform(x)
	if err != nil {
		return x.failure(err)
	}
	return x.success(res)
}

// perform runs the checks of the request in the order given in the package's documentation, and then the
// operation.
func (h *handler) perform(x *exchange) (result, error) {
	if x.op.open {
		return x.op.run(x.r.Context(), x)
	}
	if err := h.authenticate(x); err != nil {
		return result{}, err
	}
	x.reservation.who = requester{workspace: x.tenant.Workspace, key: x.tenant.KeyID}
	if err := x.reservation.arrive(x.r.Context()); err != nil {
		return result{}, err
	}
	// The body is read before the request is refused, so that a refusal carries its request_id too.
	unread := x.readBody()
	if err := h.limits.admit(x); err != nil {
		return result{}, err
	}
	if err := x.authorize(); err != nil {
		return result{}, err
	}
	if unread != nil {
		return result{}, unread
	}
	if err := x.checkIDs(); err != nil {
		return result{}, err
	}
	if err := x.reservation.work(x.r.Context(), x.op.memory); err != nil {
		return result{}, err
	}
	ctx, cancel := x.context()
	defer cancel()
	if x.op.Writes && x.op.budget == defaultBudget {
		defer h.writes.begin(h.now())()
	}
	if x.op.Creations != nil {
		return h.limits.create(ctx, x, func() (result, error) { return x.op.run(ctx, x) })
	}
	return x.op.run(ctx, x)
}

// workKey is the server context's key of the function that cancels its work. See [Serve].
type workKey struct{}

// context returns the operation's context. A write does not end with its client, only with the server.
func (x *exchange) context() (context.Context, context.CancelFunc) {
	ctx := x.r.Context()
	if !x.op.Writes {
		return context.WithTimeout(ctx, x.op.budget)
	}
	// The server's own limits are for clients that are slow, not for work that takes its time.
	control, until := http.NewResponseController(x.w), time.Now().Add(x.op.budget+defaultBudget)
	_ = errors.Join(control.SetReadDeadline(until), control.SetWriteDeadline(until)) // not every writer has them
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.op.budget)
	work, ok := ctx.Value(workKey{}).(context.Context)
	if !ok {
		return free, cancel
	}
	stop := context.AfterFunc(work, cancel)
	return free, func() { stop(); cancel() }
}

// authenticate determines the caller, and refuses one without access to the requested workspace.
func (h *handler) authenticate(x *exchange) error {
	x.identify(x.r.Header.Get(operation.HeaderRequestID))
	id, key, ok := x.r.BasicAuth()
	if !ok || len(x.r.Header.Values("Authorization")) > 1 {
		return x.unauthorized("credentials are missing; use Basic authentication with the workspace id and an API key")
	}
	tenant, ok, err := h.workspaces.Authenticate(x.r.Context(), id, key)
	if err != nil {
		return fmt.Errorf("authenticating: %w", err)
	}
	if !ok {
		return x.unauthorized("the workspace id or the API key is wrong")
	}
	now := h.now()
	if !tenant.Expires.IsZero() && !now.Before(tenant.Expires) {
		return x.unauthorized("the API key has expired; use another one")
	}
	x.tenant = tenant
	if err := h.keyUses.note(x.r.Context(), tenant, now); err != nil {
		h.log.WarnContext(x.r.Context(), "the last use of the API key is not stored", "key_id", tenant.KeyID, "error", err)
	}
	for _, want := range x.r.Header.Values(operation.HeaderTenant) {
		if want != "" && want != tenant.Workspace {
			e := engine.Errorf(engine.Forbidden, http.StatusForbidden, "%s names another workspace than the credentials; remove the header, or use the credentials of that workspace", operation.HeaderTenant)
			e.Target = operation.HeaderTenant
			return e
		}
	}
	return nil
}

func (x *exchange) unauthorized(message string) error {
	x.header.Set("WWW-Authenticate", `Basic realm="campaigns", charset="UTF-8"`)
	e := engine.Errorf(engine.Unauthorized, http.StatusUnauthorized, "%s", message)
	e.Target = "Authorization"
	return e
}

func (x *exchange) authorize() error {
	if x.op.scope == nil {
		return nil
	}
	need := x.op.scope(x)
	if need == "" || engine.Grants(x.tenant.Scopes, need) {
		return nil
	}
	e := engine.Errorf(engine.Forbidden, http.StatusForbidden, "the API key does not have the scope %s; use a key with it", need)
	e.Target = "Authorization"
	return e
}

// maxID is the longest id chosen by a caller, in bytes.
const maxID = 256

// checkIDs refuses invalid request ids and Idempotency-Keys (CONTRACT.md, Requests and Idempotency), with all
// problems at once.
func (x *exchange) checkIDs() error {
	var bad []engine.Detail
	add := func(target, message string) { bad = append(bad, engine.Detail{Target: target, Message: message}) }
	inHeader, twice := single(x.r.Header, operation.HeaderRequestID)
	inBody := x.body.Get(memberRequestID)
	switch {
	case twice:
		add(operation.HeaderRequestID, "is set more than once with different values; set it once")
	case !utf8.ValidString(inHeader):
		add(operation.HeaderRequestID, "must be UTF-8 text; use a UUID")
	case len(inHeader) > maxID:
		add(operation.HeaderRequestID, fmt.Sprintf("must have at most %[2]d characters, not %[1]d; use a UUID", len(inHeader), maxID))
	case len(inBody.Text()) > maxID:
		add(memberRequestID, fmt.Sprintf("must have at most %[2]d characters, not %[1]d; use a UUID", len(inBody.Text()), maxID))
	case inHeader != "" && inBody.Text() != "" && inHeader != inBody.Text():
		add(memberRequestID, "does not match "+operation.HeaderRequestID+"; send one of them, or the same value in both")
	case inHeader == "" && inBody.Exists() && inBody.Kind() != doc.String:
		add(memberRequestID, "must be a string, not "+inBody.Kind().String())
	case inHeader == "" && inBody.Text() == "" && !x.op.OwnID:
		add(operation.HeaderRequestID, "is required; set it, or request_id in the body")
	}
	if x.op.NeedsKey {
		switch key, twice := single(x.r.Header, operation.HeaderIdempotencyKey); {
		case twice:
			add(operation.HeaderIdempotencyKey, "is set more than once with different values; set it once")
		case key == "":
			add(operation.HeaderIdempotencyKey, "is required; set a new UUID v4 for each request, and the same one when you repeat it")
		default:
			id, err := uuid.Parse(key)
			if err != nil || len(key) != len(uuid.Nil.String()) || id.Version() != 4 || id.Variant() != uuid.RFC4122 {
				add(operation.HeaderIdempotencyKey, "must be a UUID v4, such as 2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09")
			}
			x.key = id.String()
		}
	}
	return invalid(bad)
}

// single returns the value of a header, and whether there are several different ones.
func single(h http.Header, name string) (value string, twice bool) {
	for i, v := range h.Values(name) {
		if i > 0 && v != value {
			return value, true
		}
		value = v
	}
	return value, false
}

func invalid(bad []engine.Detail) error {
	if len(bad) == 0 {
		return nil
	}
	e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "%s %s", bad[0].Target, bad[0].Message)
	if len(bad) > 1 {
		e = engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "the request has %d problems", len(bad))
	}
	e.Target, e.Details = bad[0].Target, bad
	return e
}

// record logs the request and its result, but not its content.
func (h *handler) record(x *exchange, status int, took time.Duration) {
	h.metrics.observe(x.op.Name, status, took)
	level := slog.LevelInfo
	if !h.log.Enabled(x.r.Context(), level) && status < http.StatusInternalServerError {
		return
	}
	attrs := append(make([]slog.Attr, 0, 10),
		slog.String("method", x.r.Method), slog.String("path", x.r.Pattern), slog.String("operation", x.op.Name), slog.Int("status", status),
		slog.Duration("duration", took), slog.String("request_id", x.id()),
	)
	if x.tenant.Workspace != "" {
		attrs = append(attrs, slog.String("workspace", x.tenant.Workspace), slog.String("key_id", x.tenant.KeyID))
	}
	if x.err != nil {
		e := engine.AsError(x.err)
		if e != nil {
			attrs = append(attrs, slog.String("code", string(e.Code)))
		}
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
			attrs = append(attrs, slog.String("error", x.err.Error()))
		}
	}
	h.log.LogAttrs(x.r.Context(), level, "request", attrs...)
}
