package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// maxAnswer is the largest response in bytes: a page of search has fifteen campaigns, each of which was sent
// in a body of at most 1 MiB.
const maxAnswer = 32 << 20

// outcome is the result of one attempt.
type outcome struct {
	answer
	err        error
	status     int // 0: no answer
	retryAfter time.Duration
	noResponse bool // no response, or an incomplete one
	unsent     bool // the request was not sent
	permanent  bool // a retry cannot succeed
}

// broken reports whether the attempt has no meaningful response: none, or a server error.
func (o outcome) broken() bool {
	switch o.status {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusInsufficientStorage: // a repeat gets the same
		return o.noResponse
	}
	return o.noResponse || o.status >= 500
}

// inProgress reports whether a 409 means that the send with the same key is still running. Only the message
// distinguishes this from a key that was used with another body.
func (o outcome) inProgress() bool {
	e := engine.AsError(o.err)
	return e != nil && strings.Contains(e.Message, "still in progress")
}

func (o outcome) why() string {
	switch {
	case o.status == http.StatusTooManyRequests:
		return "the service asked to wait"
	case o.noResponse:
		return "the service did not respond: " + o.err.Error()
	case o.status == http.StatusConflict:
		return "the service is still working on the request"
	}
	return fmt.Sprintf("the service responded %d %s", o.status, http.StatusText(o.status))
}

// exchange sends a request once.
func (s *Service) exchange(ctx context.Context, r request, attempt int) outcome {
	key, err := s.key.key(ctx)
	if err != nil {
		return outcome{err: err, noResponse: ctx.Err() != nil, unsent: true}
	}
	limit := s.attemptTimeout(r)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no response within %s", limit))
	defer cancel()
	req, err := s.prepare(ctx, r, key)
	if err != nil {
		return outcome{err: err, unsent: true}
	}
	x := Exchange{At: s.cfg.Clock(), Operation: r.Name, Attempt: attempt, Call: r.Call}
	res, body, err := s.send(req)
	var out outcome
	switch {
	case err != nil:
		out = noResponse(ctx, err)
		if res != nil {
			out.status = res.StatusCode
			if out.status >= 400 && out.status < 500 { // an error, whatever the body
				out = s.read(res, nil, r)
			}
		}
	default:
		out = s.read(res, body, r)
	}
	if out.status == http.StatusUnauthorized && s.cfg.Key != nil {
		s.key.forget(key)
	}
	redactor := keyRedactor(s.cfg.Workspace, key)
	out.err = sanitize(out.err, redactor)
	s.report(x, req, r, res, body, redactor, out)
	return out
}

// attemptTimeout returns the timeout of one attempt.
func (s *Service) attemptTimeout(r request) time.Duration {
	if r.Slow {
		return s.cfg.Timeout * slowFactor
	}
	return s.cfg.Timeout
}

// prepare builds the HTTP request in the service's dialect.
func (s *Service) prepare(ctx context.Context, r request, key string) (*http.Request, error) {
	method := r.Method()
	if r.Operation == operation.Status {
		method = s.translator.statusMethod
	}
	at := s.base.String() + r.PathFor(r.id)
	var body io.Reader
	if r.wire != nil {
		body = bytes.NewReader(r.wire)
	}
	req, err := http.NewRequestWithContext(ctx, method, at, body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, withoutURL(err))
	}
	set := func(name, value string) {
		if value != "" && isHeaderSafe(value) {
			req.Header.Set(s.translator.header(name), value)
		}
	}
	set("Accept", "application/json")
	set("User-Agent", s.cfg.UserAgent)
	if r.wire != nil {
		set("Content-Type", "application/json")
	}
	set(operation.HeaderTenant, s.cfg.Workspace)
	set(operation.HeaderRequestID, r.RequestID)
	set(operation.HeaderIdempotencyKey, r.IdempotencyKey)
	if strings.HasPrefix(r.ifMatch, `"`) { // a weak tag never matches (RFC 9110, section 13.1.1)
		set(operation.HeaderIfMatch, r.ifMatch)
	}
	if s.cfg.Key != nil {
		req.SetBasicAuth(s.cfg.Workspace, key)
	}
	return req, nil
}

// isHeaderSafe reports whether a header can contain the text. Otherwise a request id is only sent in the
// body.
func isHeaderSafe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

var errTooLong = fmt.Errorf("the response is larger than %d MiB", maxAnswer>>20)

// send returns the response and its body. With an error there may be a response with an incomplete body.
func (s *Service) send(req *http.Request) (*http.Response, []byte, error) {
	res, err := s.client.Do(req)
	if err != nil {
		return nil, nil, withoutURL(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err == nil && len(b) > maxAnswer {
		return res, b[:maxAnswer], errTooLong
	}
	if err != nil {
		err = fmt.Errorf("the response was cut short: %w", err)
	}
	return res, b, err
}

// noResponse classifies the cause of a missing response.
func noResponse(ctx context.Context, err error) outcome {
	out := outcome{err: err, noResponse: true, permanent: errors.Is(err, errTooLong)}
	if cause := context.Cause(ctx); cause != nil {
		out.err = cause
	}
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		out.unsent, out.permanent = true, dns.IsNotFound
	case errors.As(err, &op) && op.Op == "dial":
		out.unsent = true
	}
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	if errors.As(err, &unknown) || errors.As(err, &name) || errors.As(err, &cert) || errors.As(err, &record) {
		out.unsent, out.permanent = true, true
	}
	return out
}

// read interprets a response.
func (s *Service) read(res *http.Response, body []byte, r request) outcome {
	out := outcome{status: res.StatusCode, retryAfter: retryAfter(res.Header.Get("Retry-After"), s.cfg.Clock())}
	v, err := doc.Parse(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	good := res.StatusCode >= 200 && res.StatusCode < 300
	switch {
	case good && err == nil && v.Kind() == doc.Object:
	case good && len(body) == 0 && (r.Operation == operation.Update || r.Operation == operation.Status):
		v = doc.NewObject() // done, and nothing more to say
	case good && err != nil && isTruncatedJSON(body, err):
		out.noResponse, out.err = true, fmt.Errorf("the response was cut short: %w", err)
		return out
	case good:
		out.err = s.notJSON(res, r)
		return out
	default:
		out.err = s.refusal(res, v, r, out.retryAfter)
		return out
	}
	out.answer = s.unwrap(v, r)
	out.answer.status = res.StatusCode
	out.etag = res.Header.Get(operation.HeaderETag)
	out.Replayed = strings.EqualFold(res.Header.Get(s.translator.header(operation.HeaderReplayed)), "true")
	return out
}

// isTruncatedJSON reports whether a body is JSON that was cut short, possibly within its last character.
func isTruncatedJSON(body []byte, err error) bool {
	b := bytes.TrimLeft(body, " \t\r\n")
	if len(b) == 0 {
		return true
	}
	var syn *doc.SyntaxError
	return errors.As(err, &syn) && (b[0] == '{' || b[0] == '[') && int(syn.Offset) >= len(body)-utf8.UTFMax
}

// unwrap removes the envelope (CONTRACT.md, Envelopes and errors), if there is one, and translates the data.
func (s *Service) unwrap(v doc.Value, r request) answer {
	out := answer{data: v}
	if d := v.Get("data"); d.Exists() && (v.Get("response_id").Exists() || v.Get("type").Exists() || r.Operation != operation.Test) {
		out.data = d
	}
	out.data = s.translator.in(out.data)
	if out.ResponseID = v.Get("response_id").Text(); out.ResponseID == "" {
		out.ResponseID = r.RequestID
	}
	return out
}

// forever is a wait that is never worth waiting for.
const forever = time.Duration(math.MaxInt64)

// retryAfter parses the header (RFC 9110, section 10.2.3): seconds, also with a fraction, or a date. It
// returns 0 if the header is invalid or in the past.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if n, err := strconv.ParseFloat(value, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		switch {
		case math.IsNaN(n) || n <= 0:
			return 0
		case n >= forever.Seconds()-1:
			return forever
		}
		return time.Duration(math.Ceil(n)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
