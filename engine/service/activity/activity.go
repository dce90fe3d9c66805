// Package activity remembers the calls that were made to a campaign service, for people who want
// to know what the program did: each with its path, status, time and bodies, without secrets, and
// as a command that makes it again.
//
// Calls on a local store, which go over no wire, are listed as the calls of the V5 API that they
// stand for ([Wrap]); those over HTTP as they went out (package wire).
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

// Call is one call of a service. Its bodies are made, and freed of secrets, when they are asked for.
type Call struct {
	Seq  uint64 // its number in the log, from 1; [Log.Add] sets it
	At   time.Time
	Took time.Duration

	// Operation is create, get, update, publish, validate, status, search, meta, test or preview, or
	// what was done in the store alone: save. A call that a message made of a content API is "content api".
	Operation string
	Campaign  string // the id of the campaign that it was about; empty where it was about none
	// Local says that it was done in the store and is no call of the API: it has no method, path or
	// status.
	Local bool
	// Count is how many calls in a row the entry stands for, where it is more than one.
	Count int

	Method string
	Base   string // scheme and host; empty where it went over no wire
	Path   string

	Attempt        int // from 1; 0 where a call is made once
	RequestID      string
	IdempotencyKey string
	Replayed       bool // answered with the result of an earlier call

	RequestHeader, ResponseHeader http.Header // nil where it went over no wire

	Status int    // of HTTP; 0 where there was no answer
	Err    string // why there is no result, as a sentence

	request, response body
	redactor          operation.Redactor
}

// WithBodies returns the call with bodies as they went over the wire; they must not be changed any
// more. Nil is none.
func (c Call) WithBodies(request, response []byte) Call {
	c.request, c.response = body{raw: request, size: len(request)}, body{raw: response, size: len(response)}
	return c
}

// Failed reports whether the call has no result.
func (c Call) Failed() bool { return c.Err != "" || c.Status >= 400 }

// Request returns the body that was sent, without secrets: JSON on one line, or what it was if it was
// none. Nil where there was no body.
func (c Call) Request() []byte { return c.request.shown(c.redactor) }

// Response returns the body that came back, as [Call.Request] does.
func (c Call) Response() []byte { return c.response.shown(c.redactor) }

// BodiesDropped reports whether the call's bodies have been let go, because the log would have held on
// to too much.
func (c Call) BodiesDropped() bool { return c.request.gone || c.response.gone }

// Document returns the call without its bodies, as a JSON object for people to read.
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

// Reason returns an error as the sentence of [Call.Err]: of a refusal the message without its details,
// which the body has. Empty for nil.
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
