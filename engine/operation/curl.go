package operation

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
)

// BaseURL is the placeholder for the service's address in a command.
const BaseURL = "{base_url}"

// Curl returns the shell command that sends a request. {credentials} stands for the credentials (workspace
// id, colon and API key in base64). Headers that a client sets on its own are left out.
func Curl(method, url string, h http.Header, body []byte) string {
	lines := []string{"curl -X " + method + " " + shellWord(url)}
	if h.Get("Authorization") != "" {
		lines = append(lines, "-H 'Authorization: Basic {credentials}'")
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if name != "User-Agent" && name != "Accept" && name != "Authorization" {
			lines = append(lines, "-H "+shellWord(name+": "+strings.Join(h[name], ", ")))
		}
	}
	if body != nil {
		lines = append(lines, "--data-binary "+shellWord(string(body)))
	}
	return strings.Join(lines, " \\\n  ")
}

// TestCurl returns the shell command that sends a test through the HTTP API, with new ids.
func TestCurl(workspace string, body doc.Value) string {
	call := engine.NewCall()
	h := http.Header{
		"Authorization": {"Basic"}, HeaderRequestID: {call.RequestID}, HeaderIdempotencyKey: {call.IdempotencyKey}, "Content-Type": {"application/json"},
	}
	if workspace != "" {
		h[HeaderTenant] = []string{workspace}
	}
	return Curl(Test.Method(), BaseURL+Test.Path, h, body.Encode())
}

// shellWord returns s as one word of a POSIX shell.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
