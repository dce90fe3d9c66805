package remote

import (
	"bytes"
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/doc"
)

// Exchange is one attempt of a call as it went over the wire, in the service's words, without
// credentials and without what is named like a secret. Recipients and content are in it.
type Exchange struct {
	At        time.Time
	Took      time.Duration
	Operation string // create, get, update, validate, status, search, meta, test or preview
	Attempt   int    // from 1
	Call      engine.Call

	Method, URL   string
	Path          string // of the URL
	RequestHeader http.Header
	Request       []byte // the body; nil where there was none

	Status         int // 0: no answer
	ResponseHeader http.Header
	Response       []byte
	Err            error // why there is no result; a refusal is an [engine.Error]
}

// The places of what must not be shown.
const (
	hidden      = "[hidden]"
	credentials = "{credentials}"
)

// report tells the observer and the log of an attempt.
func (s *Service) report(x Exchange, req *http.Request, r request, res *http.Response, body []byte, hide func(string) string, out outcome) {
	x.Took = s.cfg.Clock().Sub(x.At)
	x.Method, x.URL, x.Path, x.Status, x.Err = req.Method, req.URL.String(), req.URL.EscapedPath(), out.status, out.err
	s.log(req.Context(), x)
	if s.cfg.Observe == nil {
		return
	}
	x.RequestHeader = safeHeader(req.Header)
	if x.RequestHeader.Get("Authorization") != "" {
		x.RequestHeader.Set("Authorization", "Basic "+credentials)
	}
	x.Request = redact(r.wire, hide)
	if res != nil {
		x.ResponseHeader, x.Response = safeHeader(res.Header), redact(body, hide)
	}
	s.cfg.Observe(x)
}

func (s *Service) log(ctx context.Context, x Exchange) {
	level := slog.LevelDebug
	if x.Err != nil {
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{
		slog.String("operation", x.Operation), slog.String("method", x.Method), slog.String("path", x.Path), slog.Int("status", x.Status),
		slog.Duration("duration", x.Took), slog.Int("attempt", x.Attempt), slog.String("request_id", x.Call.RequestID),
	}
	if e := engine.AsError(x.Err); e != nil {
		attrs = append(attrs, slog.String("code", string(e.Code)))
	} else if x.Err != nil {
		attrs = append(attrs, slog.String("error", x.Err.Error()))
	}
	s.cfg.Logger.LogAttrs(ctx, level, "call", attrs...)
}

// secretWord finds names of what nobody but their owner should see.
var secretWord = regexp.MustCompile(`(?i)passw|secret|credential|authorization|api_?key|private_?key|(access|auth|bearer|refresh|session)_?token`)

func safeHeader(h http.Header) http.Header {
	out := h.Clone()
	for name := range out {
		if secretWord.MatchString(strings.ReplaceAll(name, "-", "_")) || strings.Contains(name, "Cookie") {
			out[name] = []string{hidden}
		}
	}
	return out
}

// hideKey returns what takes the API key out of a text, as it is and as the credentials of a header. A
// key of up to three bytes stands in too many words to be taken out.
func hideKey(workspace, key string) func(string) string {
	if len(key) < 4 {
		return func(s string) string { return s }
	}
	basic := base64.StdEncoding.EncodeToString([]byte(workspace + ":" + key))
	return strings.NewReplacer(basic, hidden, strings.TrimRight(basic, "="), hidden, key, hidden).Replace
}

// redact returns a body without secrets: the values of members that are named like one, and the API
// key wherever it stands, however its characters are written.
func redact(body []byte, hide func(string) string) []byte {
	if len(body) == 0 {
		return nil
	}
	out := slices.Clone(body)
	if v, err := doc.Parse(body); err == nil {
		if safe := redacted(v, hide); !safe.Same(v) {
			out = safe.Encode()
		}
	} else if !utf8.Valid(out) {
		out = bytes.ToValidUTF8(out, []byte("\uFFFD"))
	}
	if safe := hide(string(out)); safe != string(out) { // in a name, or in what is no JSON
		return []byte(safe)
	}
	return out
}

func redacted(v doc.Value, hide func(string) string) doc.Value {
	if v.Kind() == doc.String {
		if safe := hide(v.Text()); safe != v.Text() {
			return doc.NewString(safe)
		}
		return v
	}
	set := func(out doc.Value, step doc.Step, nv doc.Value) doc.Value {
		if changed, err := out.Set(doc.Path{step}, nv); err == nil {
			return changed
		}
		return out
	}
	out := v
	for name, m := range v.Members() {
		if secretWord.MatchString(name) && !m.Empty() {
			out = set(out, doc.Name(name), doc.NewString(hidden))
		} else if safe := redacted(m, hide); !safe.Same(m) {
			out = set(out, doc.Name(name), safe)
		}
		if safe := hide(name); safe != name {
			if changed, err := out.Rename(doc.P(name), safe); err == nil {
				out = changed
			}
		}
	}
	for i, e := range v.Elems() {
		if safe := redacted(e, hide); !safe.Same(e) {
			out = set(out, doc.Index(i), safe)
		}
	}
	return out
}

// shown are the headers that the command of [Exchange.Curl] repeats.
func shown(name string) bool {
	return name != "User-Agent" && name != "Accept" && name != "Authorization"
}

// Curl returns the shell command that sends the same request again, with the credentials left open as
// {credentials} (workspace id, colon, API key, in base64). It has the ids of the call, so that a
// write that was done is not done again.
func (x Exchange) Curl() string {
	lines := []string{"curl -X " + x.Method + " " + engine.ShellWord(x.URL)}
	if x.RequestHeader.Get("Authorization") != "" {
		lines = append(lines, "-H "+engine.ShellWord("Authorization: Basic "+credentials))
	}
	names := make([]string, 0, len(x.RequestHeader))
	for name := range x.RequestHeader {
		if shown(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		lines = append(lines, "-H "+engine.ShellWord(name+": "+x.RequestHeader.Get(name)))
	}
	if x.Request != nil {
		lines = append(lines, "--data-binary "+engine.ShellWord(string(x.Request)))
	}
	return strings.Join(lines, " \\\n  ")
}
