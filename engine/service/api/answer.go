package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
	"bugle/engine/service/api/limit"
)

// result is the result of an operation.
type result struct {
	status int // 0: 200
	data   doc.Value
	// spell appends the encoded data, instead of data, so that large data is not built as a document first.
	spell  func([]byte) []byte
	answer engine.ResponseInfo
}

// reply is a response ready to be written, except for headers that were set before.
type reply struct {
	status int
	body   []byte
	buf    *[]byte // the pooled buffer of body, if any
}

// buffers are used by replies. Very large ones are not reused. A page of records has about 40 KB.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooledBuffer = 256 << 10

// release returns the buffer to the pool after writing.
func (out reply) release() {
	if out.buf != nil && cap(out.body) <= maxPooledBuffer {
		*out.buf = out.body[:0]
		buffers.Put(out.buf)
	}
}

// statusClientClosed is the logged status if the client disconnected before the response.
const statusClientClosed = 499

const unexpected = "unexpected error; try again, and report the response_id to the operator of the service if it happens again"

// success returns the success envelope (CONTRACT.md, Envelopes and errors). The same result always has the
// same bytes.
func (x *exchange) success(res result) reply {
	if res.status == 0 {
		res.status = x.op.Status
	}
	out := reply{status: res.status}
	if res.status == http.StatusNoContent || res.status == http.StatusNotModified {
		return out
	}
	id := res.answer.ResponseID
	if id == "" {
		id = x.id()
	}
	if res.answer.Replayed {
		x.header.Set(operation.HeaderReplayed, "true")
	}
	setRequestIDHeader(x.header, id)
	out.buf = buffers.Get().(*[]byte)
	b := append((*out.buf)[:0], `{"response_id":`...)
	b = doc.NewString(id).AppendTo(b)
	b = append(b, `,"type":`...)
	b = doc.NewString(x.op.Type).AppendTo(b)
	switch {
	case res.spell != nil:
		b = res.spell(append(b, `,"data":`...))
	case res.data.Exists():
		b = res.data.AppendTo(append(b, `,"data":`...))
	}
	out.body = append(b, '}')
	return out
}

// failure returns the error envelope (CONTRACT.md, Envelopes and errors).
func (x *exchange) failure(err error) reply {
	x.err = err
	e := x.explain(err)
	requestID := e.RequestID // of the first request, where this is its stored refusal
	if requestID == "" {
		requestID = x.requestID
	}
	id := requestID
	if id == "" {
		id = x.id()
	}
	if e.RetryAfter > 0 {
		x.header.Set("Retry-After", strconv.Itoa(limit.Seconds(e.RetryAfter)))
	}
	setRequestIDHeader(x.header, id)
	return reply{status: e.HTTP, body: doc.NewObject(
		doc.M("response_id", doc.NewString(id)),
		doc.M("error", doc.NewObject(
			doc.M("code", doc.NewString(string(e.Code))), doc.M("message", doc.NewString(e.Message)),
			text("target", e.Target), details(e.Details), text("request_id", requestID),
		)),
	).Encode()}
}

// explain returns what a caller may know about an error.
func (x *exchange) explain(err error) *engine.Error {
	if e := engine.AsError(err); e != nil {
		out := *e
		if out.HTTP == 0 {
			out.HTTP = http.StatusInternalServerError
		}
		if out.HTTP >= http.StatusInternalServerError && out.Err != nil && strings.Contains(out.Message, out.Err.Error()) {
			out.Message = withoutCause(out)
		}
		return &out
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return engine.Errorf(engine.Internal, http.StatusInternalServerError, "the request timed out after %s; try again", x.op.budget)
	case errors.Is(err, context.Canceled) && x.r.Context().Err() != nil:
		return engine.Errorf(engine.Internal, statusClientClosed, "the client closed the connection")
	case errors.Is(err, context.Canceled):
		return engine.Errorf(engine.Internal, http.StatusInternalServerError, "the service is stopping; try again")
	}
	return engine.Errorf(engine.Internal, http.StatusInternalServerError, "%s", unexpected)
}

// withoutCause returns the message of an error without its cause, which is left out if it is in parentheses,
// or else replaces the message.
func withoutCause(e engine.Error) string {
	cause := e.Err.Error()
	if text := strings.Replace(e.Message, " ("+cause+")", "", 1); !strings.Contains(text, cause) {
		return text
	}
	return internalMessage(e.HTTP)
}

// internalMessage returns the message for a caller instead of an internal one with paths, process ids or
// system errors. The log has the internal message.
func internalMessage(status int) string {
	switch status {
	case http.StatusInsufficientStorage:
		return "the disk of the store is full and nothing was changed; free some space, and send the request again. Saved data can still be read"
	case http.StatusServiceUnavailable:
		return "the store cannot be read now; try again in a moment"
	case http.StatusGatewayTimeout:
		return "the store does not respond; try again later, and report the response_id to the operator of the service if it happens again"
	}
	return unexpected
}

// maxDetails is the most problems in a response. A body can have a hundred thousand.
const maxDetails = 1000

func details(ds []engine.Detail) doc.Member {
	if len(ds) == 0 {
		return doc.Member{}
	}
	more := max(len(ds)-maxDetails, 0)
	vs := make([]doc.Value, 0, min(len(ds), maxDetails+1))
	for _, d := range ds[:len(ds)-more] {
		vs = append(vs, detail(d))
	}
	if more > 0 {
		vs = append(vs, detail(engine.Detail{Message: fmt.Sprintf("and %d more problems", more)}))
	}
	return doc.M("details", doc.NewArray(vs...))
}

func detail(d engine.Detail) doc.Value {
	return doc.NewObject(doc.M("target", doc.NewString(d.Target)), doc.M("message", doc.NewString(d.Message)))
}

func text(name, s string) doc.Member {
	if s == "" {
		return doc.Member{}
	}
	return doc.M(name, doc.NewString(s))
}

// setRequestIDHeader returns the request id in a header, if a header can contain it.
func setRequestIDHeader(h http.Header, id string) {
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return
		}
	}
	h[requestIDKey] = []string{id}
}

// Headers in their canonical form, and values that all responses share.
var (
	requestIDKey = http.CanonicalHeaderKey(operation.HeaderRequestID)
	noStore      = []string{"no-store"}
	noSniff      = []string{"nosniff"}
	isJSON       = []string{"application/json"}
)

func (out reply) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	if out.status == http.StatusNoContent || out.status == http.StatusNotModified {
		w.WriteHeader(out.status)
		return
	}
	h["Content-Type"] = isJSON
	h["Content-Length"] = []string{strconv.Itoa(len(out.body))}
	w.WriteHeader(out.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(out.body) // a client that has gone gets nothing, and there is nobody to tell
	}
}
