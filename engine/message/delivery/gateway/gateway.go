// Package gateway contains what the push providers share: connecting, retrying, and error messages for
// connection problems.
package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"bugle/engine/message/delivery"
)

const (
	dialTime = 10 * time.Second
	idleTime = time.Minute
	maxBody  = 64 << 10
)

// Transport configures how a provider connects.
type Transport struct {
	Roots *x509.CertPool // nil trusts the system's certificates
	// HTTP2 allows nothing but HTTP/2; without encryption for an http address.
	HTTP2 bool
	// Control checks each address before dialing. A provider with Control uses no proxy.
	Control func(network, address string, c syscall.RawConn) error
}

// Client returns a client that reuses connections and follows no redirects.
func (t Transport) Client() *http.Client {
	dialer := &net.Dialer{Timeout: dialTime, Control: t.Control}
	out := &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTime,
		MaxIdleConnsPerHost: 8, IdleConnTimeout: idleTime, MaxResponseHeaderBytes: maxBody,
		TLSClientConfig: &tls.Config{RootCAs: t.Roots, MinVersion: tls.VersionTLS12},
	}
	if t.Control == nil {
		out.Proxy = http.ProxyFromEnvironment
	}
	if t.HTTP2 {
		out.Protocols = new(http.Protocols)
		out.Protocols.SetHTTP2(true)
		out.Protocols.SetUnencryptedHTTP2(true)
	}
	return &http.Client{
		Transport:     limitedTransport{out},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// limitedTransport cuts responses that are longer than a gateway's can be.
type limitedTransport struct{ *http.Transport }

// lostError is the error of a request that got a connection, so it may have arrived, but no response.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

func (b limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	var connected atomic.Bool
	resp, err := b.Transport.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GetConn: func(string) { connected.Store(false) }, // also before another try, after one that sent nothing
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})))
	if err != nil && connected.Load() {
		err = lostError{err}
	}
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxBody), resp.Body}
	return resp, nil
}

// Endpoint checks the address of a gateway: it must be https, or http on this machine. what names the address
// in the error.
func Endpoint(what, raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, Refuse("%s %q is not a URL such as https://push.example.com", what, raw)
	}
	if u.Scheme == "http" && !IsLoopback(u.Hostname()) {
		return nil, Refuse("%s %q is not encrypted; use https, or an address on this machine", what, raw)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Refuse returns an error about the settings or the message: nothing was sent.
func Refuse(format string, args ...any) *delivery.Error {
	return &delivery.Error{Reason: delivery.Invalid, Message: fmt.Sprintf(format, args...)}
}

// Roots returns the system's certificates plus those in a file, or nil if file is "".
func Roots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, Refuse("cannot read the certificates in %s: %s", file, delivery.RootCause(err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, Refuse("%s has no certificates; it must be a PEM file", file)
	}
	return pool, nil
}

// RetryAfter returns the delay that a response asks for (RFC 9110, 10.2.3: seconds or a date), or 0.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.ParseInt(v, 10, 32); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// Undelivered describes in a sentence why a request with a message got no response, like [Unreachable], and whether the
// message may have been delivered.
func Undelivered(name, host string, err error) error {
	if lost := (lostError{}); errors.As(err, &lost) { // without the address, which may be confidential
		return delivery.Unconfirmed(name+" at "+host, lost)
	}
	return Unreachable(name, host, err)
}

// Unreachable describes a connection error in a sentence. It only names the host, because a path may be
// confidential.
func Unreachable(name, host string, err error) error {
	var whole *url.Error
	if errors.As(err, &whole) {
		err = whole.Err // its own text holds the address
	}
	e := &delivery.Error{Reason: delivery.Unreachable, Temporary: true, Err: err}
	var unknown x509.UnknownAuthorityError
	var badName x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.As(err, &unknown), errors.As(err, &badName), errors.As(err, &invalid):
		e.Reason, e.Temporary = delivery.Insecure, false
		e.Message = fmt.Sprintf("the certificate of %s at %s is not trusted: %s", name, host, delivery.RootCause(err))
	case errors.As(err, &record):
		e.Reason, e.Temporary = delivery.Insecure, false
		e.Message = fmt.Sprintf("%s at %s does not use TLS on this port; check the endpoint of the gateway", name, host)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Message = fmt.Sprintf("%s at %s did not respond in time; try again, or check the network and the endpoint of the gateway", name, host)
	default:
		e.Message = fmt.Sprintf("cannot reach %s at %s: %s; check the network and the endpoint of the gateway", name, host, delivery.SanitizeText(delivery.RootCause(err)))
	}
	return e
}

// ResponseText returns a gateway's response for display: short, on one line, and without the secrets.
func ResponseText(text string, secrets ...string) string {
	for _, s := range secrets {
		if len(s) > 3 {
			text = strings.ReplaceAll(text, s, "…")
		}
	}
	return delivery.SanitizeText(text)
}
