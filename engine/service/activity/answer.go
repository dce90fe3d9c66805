package activity

import (
	"context"
	"errors"
	"net/http"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// success returns the envelope of success (CONTRACT.md, Envelopes and errors).
func success(op *operation.Operation, responseID string, data doc.Value) doc.Value {
	return doc.NewObject(text("response_id", responseID), doc.M("type", doc.NewString(op.Type)), doc.M("data", data))
}

// refusal returns the status and the envelope of the API's response to an error (CONTRACT.md, Envelopes and
// errors). A canceled call has no response, and internal errors have no details.
func refusal(requestID string, err error) (int, body) {
	e := engine.AsError(err)
	switch {
	case e == nil && errors.Is(err, context.Canceled):
		return 0, body{}
	case e == nil:
		return http.StatusInternalServerError, body{}
	}
	status := e.HTTP
	if status == 0 {
		status = http.StatusInternalServerError
	}
	if e.RequestID != "" { // of the first request, where this is its stored refusal
		requestID = e.RequestID
	}
	// Not the error itself: its cause and its problems may hold on to much.
	code, message, target, details := e.Code, e.Message, e.Target, e.Details
	return status, body{size: nodeWeight * (1 + len(details)), doc: func() doc.Value {
		return doc.NewObject(text("response_id", requestID), doc.M("error", doc.NewObject(
			text("code", string(code)), text("message", message), text("target", target), detailList(details), text("request_id", requestID),
		)))
	}}
}

func detailList(details []engine.Detail) doc.Member {
	if len(details) == 0 {
		return doc.Member{}
	}
	vs := make([]doc.Value, len(details))
	for i, d := range details {
		vs[i] = doc.NewObject(doc.M("target", doc.NewString(d.Target)), doc.M("message", doc.NewString(d.Message)))
	}
	return doc.M("details", doc.NewArray(vs...))
}

func page[T any](found []T, row func(T) doc.Value) doc.Value {
	vs := make([]doc.Value, len(found))
	for i, f := range found {
		vs[i] = row(f)
	}
	return doc.NewObject(doc.M("campaigns", doc.NewArray(vs...)))
}
