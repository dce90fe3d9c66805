// Package activity records the calls to a campaign service, so that users can see what the program did: each
// call with its path, status, time and redacted bodies, and as a command that repeats it.
//
// Calls to a local store are recorded as the equivalent calls of the V5 API ([Wrap]), calls over HTTP as they
// were sent (package wire).
package activity

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// Call is one call of a service. Its bodies are created and redacted on demand.
type Call struct {
	Seq  uint64 // number in the log, from 1; set by [Log.Add]
	At   time.Time
	Took time.Duration

	// Operation is create, get, update, publish, validate, status, search, meta, test or preview; save for a
	// save in the store; or "content api" for a message's call of a content API.
	Operation string
	Campaign  string // the id of the campaign, or empty
	// Local reports that it happened in the store and is not a call of the API: it has no method, path or
	// status.
	Local bool
	// Count is the number of consecutive calls that the entry stands for, if more than one.
	Count int

	Method string
	Base   string // scheme and host; empty if it was not sent over HTTP
	Path   string

	Attempt        int // from 1; 0 if there are no retries
	RequestID      string
	IdempotencyKey string
	Replayed       bool // the response repeats that of an earlier call

	// RequestHeader and ResponseHeader are nil if it was not sent over HTTP.
	RequestHeader, ResponseHeader http.Header

	Status int    // HTTP status; 0 if there was no response
	Err    string // a sentence that says why there is no result

	request, response body
	redactor          operation.Redactor
}

// WithBodies returns the call with bodies as sent over HTTP, which must not be changed afterwards. Nil means
// none.
func (c Call) WithBodies(request, response []byte) Call {
	c.request, c.response = body{raw: request, size: len(request)}, body{raw: response, size: len(response)}
	return c
}

// Failed reports whether the call has no result.
func (c Call) Failed() bool { return c.Err != "" || c.Status >= 400 }

// Request returns the redacted request body: JSON on one line, or the original text if it was not JSON. It
// returns nil if there was no body.
func (c Call) Request() []byte { return c.request.shown(c.redactor) }

// Response returns the response body, like [Call.Request].
func (c Call) Response() []byte { return c.response.shown(c.redactor) }

// BodiesDropped reports whether the call's bodies were dropped to limit the log's memory.
func (c Call) BodiesDropped() bool { return c.request.gone || c.response.gone }

// Document returns the call without its bodies as a JSON object for display.
func (c Call) Document() doc.Value {
	ms := []doc.Member{
		text("operation", c.Operation), text("campaign", c.Campaign), text("method", c.Method), text("base_url", c.Base), text("path", c.Path),
		number("status", c.Status), text("error", c.Err),
		text("at", c.At.Format(time.RFC3339Nano)), milliseconds(c.Took), number("times", c.Count), number("attempt", c.Attempt),
		text("request_id", c.RequestID), text("idempotency_key", c.IdempotencyKey),
	}
	if c.Replayed {
		ms = append(ms, doc.M("replayed", doc.NewBool(true)))
	}
	ms = append(ms, headers("request_headers", c.RequestHeader), headers("response_headers", c.ResponseHeader))
	return doc.NewObject(ms...)
}

// Reason returns the sentence for [Call].Err: the message of an API error, without its details, which are in
// the body. It returns "" for nil.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	if e := engine.AsError(err); e != nil {
		return e.Message
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled before there was a response"
	case errors.Is(err, context.DeadlineExceeded):
		return "timed out"
	}
	return err.Error()
}

func text(name, s string) doc.Member {
	if s == "" {
		return doc.Member{}
	}
	return doc.M(name, doc.NewString(s))
}

func number(name string, n int) doc.Member {
	if n == 0 {
		return doc.Member{}
	}
	return doc.M(name, doc.NewInt(int64(n)))
}

func milliseconds(d time.Duration) doc.Member {
	ms, _ := doc.NewNumber(strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64))
	return doc.M("took_ms", ms)
}
