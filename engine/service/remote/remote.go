// Package remote implements engine.Service over HTTP, for any server of the Campaigns V5 API (CONTRACT.md,
// Operations and Authentication).
//
// Every call carries its ids. A call without a response, or with a server error, is retried with the same
// Idempotency-Key, so that it is processed at most once; other error responses are final. Responses are read
// leniently: unknown fields are kept, and errors of any format become an [engine.Error].
package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"bugle/engine"
)

// DefaultDC is the default data center (CONTRACT.md, Operations).
const DefaultDC = "01"

// DataCenters returns the possible values of the {dc} segment of a base URL (CONTRACT.md, Operations).
func DataCenters() []string { return []string{"01", "02", "03", "04", "05", "06", "101"} }

// Config configures a service. Only BaseURL is required.
type Config struct {
	// BaseURL is the prefix of the operations' paths, such as "https://api-{dc}.example.com"; {dc} is
	// replaced by DC. It must be https, unless its host is this machine or Insecure is set, and must not
	// contain credentials.
	BaseURL string
	DC      string // one of [DataCenters]; empty: [DefaultDC]

	// Workspace and the result of Key are the Basic credentials; Workspace is also the X-SVC-Tenant-ID. Key
	// is called once, and again after the service refused its result. It must return when its context ends.
	// Nil: no credentials are sent.
	Workspace string
	Key       func(context.Context) (string, error)

	Dialect Dialect // the zero value replaces nothing

	// Transport sends the requests. Nil: TCP and TLS, with proxies from the environment.
	Transport http.RoundTripper
	// Insecure allows a base URL without TLS for another machine.
	Insecure bool

	Clock  func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: no logging; bodies and credentials are never logged

	// Observe, if not nil, is called after each attempt, on the goroutine of its call. It must return
	// quickly.
	Observe func(Exchange)
	// Waiting, if not nil, is called with the context of a call when it starts to wait and when the wait ends.
	// The end of the context ends the wait. It must return quickly.
	Waiting func(context.Context, Wait)

	// Limits makes the client observe the documented limits: a call that would exceed one waits first.
	Limits bool
	// MaxWait is the longest total wait of one call for limits, the service's (429) and its own, and for
	// Retry-After of a failing service. A call that would have to wait longer fails immediately, for limits
	// with [engine.RateLimited]. 0: 15 minutes.
	MaxWait time.Duration

	// Retries is the number of retries of a call without a response or with a 5xx. 0: 4; negative: none.
	Retries int
	// Timeout limits one attempt. Test sends, during which the service talks to other servers, have thirty times
	// as long. 0: 35 seconds.
	Timeout time.Duration

	UserAgent string // empty: "bugle"
}

const (
	defaultMaxWait = 15 * time.Minute
	defaultRetries = 4
	defaultTimeout = 35 * time.Second // the server's own limit of 30 seconds applies first
	slowFactor     = 30               // likewise for the server's 15 minutes
)

// Service is engine.Service over HTTP for one workspace. It is safe for concurrent use and runs nothing in
// the background.
type Service struct {
	cfg        Config
	base       *url.URL
	client     *http.Client
	translator *translator
	quotas     *quotas
	key        keyCache
}

var (
	_ engine.Service = (*Service)(nil)
	_ engine.Lister  = (*Service)(nil)
)

// New returns the service that c describes. It makes no calls.
func New(c Config) (*Service, error) {
	base, err := baseURL(c)
	if err != nil {
		return nil, err
	}
	words, err := newTranslator(c.Dialect)
	if err != nil {
		return nil, err
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
		if t, ok := c.Transport.(*http.Transport); ok { // with connections of its own
			c.Transport = t.Clone()
		}
	}
	if c.MaxWait <= 0 {
		c.MaxWait = defaultMaxWait
	}
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.UserAgent == "" {
		c.UserAgent = "bugle"
	}
	s := &Service{cfg: c, base: base, translator: words, client: &http.Client{Transport: c.Transport, CheckRedirect: sameOrigin}}
	s.key = keyCache{get: c.Key, workspace: c.Workspace, sem: make(chan struct{}, 1)}
	if c.Limits {
		s.quotas = newQuotas(c.Clock)
	}
	return s, nil
}

// Close closes idle connections. Running calls continue.
func (s *Service) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// BaseURL returns the prefix of the operations' paths.
func (s *Service) BaseURL() string { return s.base.String() }

// Host returns the service's host for display.
func (s *Service) Host() string { return s.base.Host }

func baseURL(c Config) (*url.URL, error) {
	dc := c.DC
	if dc == "" {
		dc = DefaultDC
	}
	if !slices.Contains(DataCenters(), dc) {
		return nil, fmt.Errorf("unknown data center %q; choose from %s", dc, strings.Join(DataCenters(), ", "))
	}
	if c.BaseURL == "" {
		return nil, errors.New("the base_url is missing; set it to something like https://api-{dc}.example.com")
	}
	// What stands behind a ? may be a secret, and is never repeated.
	given := strings.TrimRight(strings.ReplaceAll(c.BaseURL, "{dc}", dc), "/")
	u, err := url.Parse(given)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot parse the base_url: %w", withoutURL(err))
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, fmt.Errorf("the base_url %q must begin with https:// and a host", (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String())
	case u.User != nil:
		return nil, errors.New("the base_url must not contain credentials; set the workspace id and the key of the remote instead")
	case strings.ContainsAny(given, "?#"):
		return nil, fmt.Errorf("the base_url of %s must not contain ? or #", u.Host)
	case strings.HasSuffix(u.Path, "/v5"):
		return nil, fmt.Errorf("the base_url %q must not end with /v5, which is added to every request", given)
	case u.Scheme == "http" && !c.Insecure && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("%w to %s; use https://", ErrUnencrypted, u.Host)
	}
	return u, nil
}

// ErrUnencrypted reports that the key would be sent over http:// to another machine.
var ErrUnencrypted = errors.New("http:// would send the API key unencrypted")

// withoutURL returns the message of a net/url error without the URL, which may contain a secret.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// sameOrigin only follows redirects to the same origin and with the same method: credentials are not sent
// elsewhere, and a write does not become a read.
func sameOrigin(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || next.Method != first.Method || next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// keyCache calls the key function once and keeps its result.
type keyCache struct {
	get       func(context.Context) (string, error)
	workspace string
	sem       chan struct{} // holds a token during a call or a change
	value     string
	known     bool
}

func (k *keyCache) key(ctx context.Context) (string, error) {
	if k.get == nil {
		return "", nil
	}
	select {
	case k.sem <- struct{}{}:
		defer func() { <-k.sem }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if k.known {
		return k.value, nil
	}
	v, err := k.get(ctx)
	if err == nil && (v == "" || strings.ContainsAny(v, "\r\n")) {
		err = errors.New("it is empty or contains a line break")
	}
	if err != nil {
		return "", fmt.Errorf("cannot get the API key of workspace %s: %w", k.workspace, err)
	}
	k.value, k.known = v, true
	return v, nil
}

// forget makes the next request call the key function again, unless the refused key was already replaced.
func (k *keyCache) forget(refused string) {
	k.sem <- struct{}{}
	defer func() { <-k.sem }()
	if k.known && k.value == refused {
		k.value, k.known = "", false
	}
}
