package activity

import (
	"net/http"

	"github.com/google/uuid"

	"bugle/engine/operation"
)

// Curl returns the shell command that makes the call through the HTTP API, or "" if it is not an API call.
// {credentials} stands for the credentials (workspace id, colon and API key in base64) and, if the call was
// not sent over HTTP, {base_url} for the address. Redacted values stay redacted.
//
// The command has the ids of the call, so that a completed write is not repeated while the service remembers
// its Idempotency-Key. A call without ids gets new ones.
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

// ownHeader returns the headers that a local call would have had.
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
