package activity

import (
	"net/http"

	"github.com/google/uuid"

	"bugle/engine/operation"
)

// Curl returns the shell command that makes the call through the HTTP API; empty for what is no call
// of it. Credentials are left open as {credentials} (workspace id, colon, API key, in base64), the
// address as {base_url} where the call went over no wire, and what was hidden stays so.
//
// The command has the ids of the call, so that a write that was done is not done again while the
// service remembers its Idempotency-Key. A call that had none gets new ones.
func (c Call) Curl() string {
	if c.Local || c.Method == "" {
		return ""
	}
	base := c.Base
	if base == "" {
		base = operation.BaseURL
	}
	request, h := c.Request(), c.RequestHeader
	if h == nil {
		h = c.ownHeader(request != nil)
	}
	return operation.Curl(c.Method, base+c.Path, h, request)
}

// ownHeader returns the header that a call would have had on the wire.
func (c Call) ownHeader(hasBody bool) http.Header {
	id, key := c.RequestID, c.IdempotencyKey
	if id == "" {
		id = c.request.value().Get("request_id").Text()
	}
	if id == "" {
		id = uuid.NewString()
	}
	h := http.Header{"Authorization": {"Basic"}, operation.HeaderRequestID: {id}}
	if op := operation.Named(c.Operation); key == "" && op != nil && op.SendsKey() {
		key = uuid.NewString()
	}
	if key != "" {
		h[operation.HeaderIdempotencyKey] = []string{key}
	}
	if hasBody {
		h["Content-Type"] = []string{"application/json"}
	}
	return h
}
