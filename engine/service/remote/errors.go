package remote

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// statusOf maps the error codes (CONTRACT.md, Envelopes and errors) to their HTTP statuses, which determine
// the code of a response without one.
var statusOf = map[engine.Code]int{
	engine.ValidationFailed: http.StatusBadRequest,
	engine.BadRequest:       http.StatusBadRequest,
	engine.Unauthorized:     http.StatusUnauthorized,
	engine.Forbidden:        http.StatusForbidden,
	engine.NotFound:         http.StatusNotFound,
	engine.Unprocessable:    http.StatusUnprocessableEntity,
	engine.RateLimited:      http.StatusTooManyRequests,
	engine.Internal:         http.StatusInternalServerError,
}

func codeOf(status int) engine.Code {
	for code, s := range statusOf {
		if s == status && code != engine.ValidationFailed {
			return code
		}
	}
	if status >= 500 {
		return engine.Internal
	}
	return engine.BadRequest
}

// refusal builds the error from an error response in any format: the envelope (CONTRACT.md, Envelopes and
// errors), a problem (RFC 9457), a text, or no JSON at all.
func (s *Service) refusal(res *http.Response, v doc.Value, r request, wait time.Duration) error {
	e := &engine.Error{Code: codeOf(res.StatusCode), HTTP: res.StatusCode, RequestID: r.RequestID, RetryAfter: wait, Service: s.base.Host}
	if moved := s.redirectTarget(res); moved != "" {
		e.Message = moved
		return e
	}
	if v.Kind() != doc.Object {
		e.Message = s.defaultMessage(res)
		return e
	}
	in := v.Get("error")
	if in.Kind() != doc.Object {
		in = v
	}
	code := engine.Code(in.Get("code").Text())
	if _, known := statusOf[code]; known {
		e.Code = code
	}
	e.Message = firstText(in, "message", "detail", "description", "title", "reason", "msg", "error", "error_description")
	if e.Message == "" {
		e.Message = s.defaultMessage(res)
	}
	if _, known := statusOf[code]; code != "" && !known {
		e.Message += " (" + string(code) + ")"
	}
	e.Target = s.translator.path(in.Get("target").Text())
	e.Details = s.details(in)
	if len(e.Details) == 0 {
		e.Details = s.details(v)
	}
	if id := in.Get(memberRequestID).Text(); id != "" {
		e.RequestID = id
	}
	return e
}

// Limits of an error response; longer ones are of no use and may be malicious.
const (
	maxMessage = 4000 // characters
	maxDetails = 1000
)

// sanitize returns an error that can be shown and logged: without the API key, which a server may repeat,
// without control characters, and with limited length.
func sanitize(err error, r operation.Redactor) error {
	if err == nil {
		return nil
	}
	e, refused := err.(*engine.Error) //nolint:errorlint // made here, and not wrapped
	if !refused {
		if safe := r.Exact(err.Error()); safe != err.Error() {
			return &hiddenError{text: safe, err: err}
		}
		return err
	}
	clean := func(s string) string {
		s = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, r.Exact(s))
		if utf8.RuneCountInString(s) > maxMessage {
			s = string([]rune(s)[:maxMessage]) + "…"
		}
		return s
	}
	out := *e
	out.Message, out.Target, out.RequestID = clean(e.Message), clean(e.Target), clean(e.RequestID)
	out.Details = nil
	for i, d := range e.Details {
		if i == maxDetails {
			out.Details = append(out.Details, engine.Detail{Message: fmt.Sprintf("and %d more", len(e.Details)-i)})
			break
		}
		out.Details = append(out.Details, engine.Detail{Target: clean(d.Target), Message: clean(d.Message)})
	}
	return &out
}

// hiddenError is an error whose message contains the API key.
type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }
func (e *hiddenError) Unwrap() error { return e.err }

func firstText(v doc.Value, names ...string) string {
	for _, n := range names {
		if s := strings.TrimSpace(v.Get(n).Text()); s != "" {
			return s
		}
	}
	return ""
}

// details reads the list of problems, whose items may be texts or objects of several kinds.
func (s *Service) details(v doc.Value) []engine.Detail {
	var out []engine.Detail
	for _, list := range []string{"details", "errors"} {
		for _, item := range v.Get(list).Elems() {
			d := engine.Detail{Target: firstText(item, "target", "field", "path", "name"), Message: firstText(item, "message", "issue", "detail", "reason", "error")}
			switch {
			case item.Kind() == doc.String:
				d.Message = item.Text()
			case d.Message == "":
				d.Message = string(item.Encode())
			}
			d.Target = s.translator.path(d.Target)
			out = append(out, d)
		}
	}
	return out
}

// defaultMessage returns the message for a response without one.
func (s *Service) defaultMessage(res *http.Response) string {
	status := strings.TrimSpace(fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode)))
	if kind := mediaType(res); kind != "" && !isJSON(kind) {
		return fmt.Sprintf("%s responded %s with %s instead of JSON; check the base_url, and for a proxy in between", s.base.Host, status, kind)
	}
	return fmt.Sprintf("%s responded %s without a message", s.base.Host, status)
}

// notJSON returns the error for a success response that is not from the API.
func (s *Service) notJSON(res *http.Response, r request) error {
	what := "something other than a JSON object"
	if kind := mediaType(res); kind != "" && !isJSON(kind) {
		what = kind + " instead of JSON"
	}
	e := engine.Errorf(engine.Internal, http.StatusBadGateway,
		"%s responded %d with %s; check the base_url, and for a proxy in between", s.base.Host, res.StatusCode, what)
	e.RequestID = r.RequestID
	return e
}

func mediaType(res *http.Response) string {
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

func isJSON(kind string) bool { return kind == "application/json" || strings.HasSuffix(kind, "+json") }

// redirectTarget returns the target of a redirect that is not followed, or "".
func (s *Service) redirectTarget(res *http.Response) string {
	if res.StatusCode < 300 || res.StatusCode > 399 {
		return ""
	}
	to := "to another address"
	if u, err := url.Parse(res.Header.Get("Location")); err == nil && u.Host != "" {
		to = "to " + u.Scheme + "://" + u.Host
	}
	return fmt.Sprintf("%s redirects %s, and credentials are not sent there; if that is the service, set it as the base_url", s.base.Host, to)
}
