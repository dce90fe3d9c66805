package contentapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/publicnet"
)

const maxRedirects = 3

func (c *Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// transport returns an HTTP transport that enforces the policy.
func transport(p engine.ContentPolicy) *http.Transport {
	dialer := &net.Dialer{}
	if !p.Private {
		dialer = publicnet.Dialer()
	}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10, MaxConnsPerHost: 8, DisableCompression: true,
	}
}

// call makes one call and records the request and the response. If there was no response, the record has the
// cause but the error does not.
func (s *Session) call(ctx context.Context, api engine.ContentAPI, args []any) (engine.ContentCall, any, error) {
	out := engine.ContentCall{API: api.Name, Method: api.Method, URL: api.URL, Start: s.client.now().UTC()}
	limit := time.Duration(api.Timeout) * time.Millisecond
	if limit <= 0 {
		limit = engine.ContentTimeout
	}
	limited, cancel := context.WithTimeout(ctx, min(limit, engine.MaxContentTimeout))
	defer cancel()
	value, err := s.exchange(limited, api, args, &out)
	out.End = s.client.now().UTC()
	var own refusal
	switch {
	case err == nil:
		return out, value, nil
	case ctx.Err() != nil:
		err = ctx.Err()
		out.Err = err.Error()
		return out, nil, err
	}
	var none noResponse
	silent := errors.As(err, &none) && !errors.As(err, &own)
	err = describe(err, limit)
	out.Err = err.Error()
	if silent {
		if s.client.Logger != nil {
			s.client.Logger.Warn("a content API did not respond", "api", api.Name, "error", out.Err)
		}
		err = errNoResponse
	}
	return out, nil, err
}

// noResponse wraps the cause of a missing response.
type noResponse struct{ error }

func (u noResponse) Unwrap() error { return u.error }

// errNoResponse is the only error that authors of messages see for an API that did not respond. The call has
// the cause.
var errNoResponse = errors.New("its host is in a private network, which the workspace does not allow, or does not respond")

func (s *Session) exchange(ctx context.Context, api engine.ContentAPI, args []any, out *engine.ContentCall) (any, error) {
	if args == nil {
		args = []any{} // nil would check the URL alone
	}
	r, err := target(api, args)
	if err != nil {
		return nil, err
	}
	out.Method, out.URL, out.Request = r.method, r.url.String(), r.body
	if err := allowed(s.policy, r.url); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, fmt.Errorf("it cannot be called: %s", reason(err))
	}
	if out.RequestHeader, err = s.client.headers(req, api, r.body != nil); err != nil {
		return nil, err
	}
	resp, err := s.http(api).Do(req)
	if err != nil {
		return nil, noResponse{err}
	}
	defer resp.Body.Close()
	out.Status, out.ResponseHeader = resp.StatusCode, resp.Header
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer+1))
	out.Response = body[:min(len(body), MaxAnswer)]
	switch {
	case err != nil:
		return nil, err
	case len(body) > MaxAnswer:
		return nil, fmt.Errorf("its response is longer than %d KiB", MaxAnswer>>10)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, fmt.Errorf("it responded %s", resp.Status)
	}
	return read(resp.Header.Get("Content-Type"), body)
}

// headers sets the headers of a request, and returns them with secrets hidden.
func (c *Client) headers(req *http.Request, api engine.ContentAPI, hasBody bool) (http.Header, error) {
	agent := c.UserAgent
	if agent == "" {
		agent = "bugle"
	}
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept", "application/json, text/plain;q=0.5")
	if hasBody {
		req.Header.Set("Content-Type", "application/json")
	}
	shown := req.Header.Clone()
	getenv := c.Getenv
	if getenv == nil {
		getenv = os.LookupEnv
	}
	for _, h := range api.Headers {
		value := h.Value
		if h.Env != "" {
			var ok bool
			if value, ok = getenv(h.Env); !ok {
				return shown, fmt.Errorf("the environment variable %s is not set; it has the value of header %s", h.Env, h.Name)
			}
			shown.Set(h.Name, "$"+h.Env)
		} else {
			shown.Set(h.Name, value)
		}
		req.Header.Set(h.Name, value)
	}
	return shown, nil
}

// http returns the client of a call. It only follows redirects to allowed hosts, and does not send one host's
// headers to another.
func (s *Session) http(api engine.ContentAPI) *http.Client {
	return &http.Client{Transport: s.transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return refusal(fmt.Sprintf("it redirected more than %d times", maxRedirects))
		}
		first := via[0].URL
		if first.Scheme == "https" && req.URL.Scheme != "https" {
			return refusal("it redirects to an unencrypted address")
		}
		if req.URL.Host != first.Host {
			for _, h := range api.Headers {
				req.Header.Del(h.Name)
			}
			req.Header.Del("Referer") // its query may hold a key
		}
		if err := allowed(s.policy, req.URL); err != nil {
			return refusal("it redirects to another host: " + err.Error())
		}
		return nil
	}}
}

// refusal is an error of this package among those of the transport.
type refusal string

func (r refusal) Error() string { return string(r) }

// Allowed returns an error if a content API must not be called because its host is not on the list. Whether
// the host is in a private network is checked when it is called.
func Allowed(p engine.ContentPolicy, api engine.ContentAPI) error {
	r, err := target(api, nil)
	if err != nil {
		return err
	}
	return allowed(p, r.url)
}

// allowed returns an error if a URL must not be called because its host is not on the list.
func allowed(p engine.ContentPolicy, u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("the scheme %s is not supported; use https", u.Scheme)
	}
	host, port := strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), u.Port()
	usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if port == "" {
		port = usual
	}
	for _, entry := range p.Hosts {
		want, wantPort := hostPort(entry)
		if wantPort == "" {
			wantPort = usual
		}
		below, wild := strings.CutPrefix(want, "*.")
		if port == wantPort && (host == want || wild && strings.HasSuffix(host, "."+below)) {
			return nil
		}
	}
	name := host
	if port != usual {
		name = net.JoinHostPort(host, port)
	}
	return fmt.Errorf("the host %s is not on the workspace's list of hosts for content APIs", name)
}

func hostPort(entry string) (host, port string) {
	entry = strings.ToLower(entry)
	if host, port, err := net.SplitHostPort(entry); err == nil {
		return host, port
	}
	return strings.Trim(entry, "[]"), ""
}

// describe describes an error without resolved addresses.
func describe(err error, limit time.Duration) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var dns *net.DNSError
	var own refusal
	var net *net.OpError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, publicnet.ErrPrivate):
		return errors.New("its host is in a private network, which the workspace does not allow")
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it did not respond within %s", limit)
	case errors.As(err, &dns):
		return fmt.Errorf("its host %s was not found", dns.Name)
	case errors.As(err, &net):
		return fmt.Errorf("it cannot be reached: %w", net.Err)
	}
	return err
}

// read parses a response body: JSON or text.
func read(contentType string, body []byte) (any, error) {
	kind, _, _ := mime.ParseMediaType(contentType)
	text := strings.TrimSpace(string(body))
	isJSON := kind == "application/json" || strings.HasSuffix(kind, "+json")
	switch {
	case text == "":
		return nil, nil
	case !utf8.ValidString(text):
		return nil, errors.New("its response is neither JSON nor text")
	case !isJSON && !strings.ContainsAny(text[:1], "{["):
		if kind == "" || strings.HasPrefix(kind, "text/") {
			return text, nil
		}
		return nil, fmt.Errorf("its response is %s, neither JSON nor text", kind)
	}
	v, err := doc.Parse([]byte(text)) // objects keep their order
	switch {
	case err == nil && v.Kind() == doc.Null:
		return nil, nil
	case err == nil:
		return v, nil
	case !isJSON && strings.HasPrefix(kind, "text/"):
		return text, nil
	}
	return nil, fmt.Errorf("its response is not valid JSON: %w", err)
}

// CheckHosts returns what is wrong with a list of hosts, or nil.
func CheckHosts(hosts []string) error {
	for _, entry := range hosts {
		host, port := hostPort(entry)
		name := strings.TrimPrefix(host, "*.")
		u, err := url.Parse("http://" + net.JoinHostPort(name, port) + "/")
		if err != nil || name == "" || strings.ContainsAny(name, "*/@?# \t") || u.Hostname() != name || strings.Trim(port, "0123456789") != "" {
			return fmt.Errorf("%q is not a host; write it as api.example.com, *.example.com or api.example.com:8443", entry)
		}
	}
	return nil
}
