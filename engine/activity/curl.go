package activity

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bugle/engine/operation"
)

// The headers of a request (spec.md, Endpoints).
const (
	headerRequestID   = "X-SVC-Request-Id"
	headerKey         = "Idempotency-Key"
	headerContentType = "Content-Type"
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
		base = "{base_url}"
	}
	lines := []string{"curl -X " + c.Method + " " + quoted(base+c.Path)}
	request := c.Request()
	h := c.RequestHeader
	if h == nil || h.Get("Authorization") != "" {
		lines = append(lines, "-H 'Authorization: Basic {credentials}'")
	}
	if h == nil {
		h = c.ownHeader(request != nil)
	}
	for _, name := range sortedNames(h) {
		if name != "User-Agent" && name != "Accept" && name != "Authorization" {
			lines = append(lines, "-H "+quoted(name+": "+strings.Join(h[name], ", ")))
		}
	}
	if request != nil {
		lines = append(lines, "--data-binary "+quoted(string(request)))
	}
	return strings.Join(lines, " \\\n  ")
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
	h := http.Header{headerRequestID: {id}}
	if op := operation.Named(c.Operation); key == "" && op != nil && op.SendsKey() {
		key = uuid.NewString()
	}
	if key != "" {
		h[headerKey] = []string{key}
	}
	if hasBody {
		h[headerContentType] = []string{"application/json"}
	}
	return h
}

func sortedNames(h http.Header) []string { return slices.Sorted(maps.Keys(h)) }

// quoted makes s one word of a POSIX shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
