// Package remote is the campaign service over HTTP: [engine.Service] against any server of the
// Campaigns V5 API (CONTRACT.md, Operations and Authentication).
//
// Every call carries its ids. A call that gets no answer, or one that only says that something
// broke, is repeated with the same Idempotency-Key, so that it is done once however often it is
// sent; an answer that says no is final. What comes back is taken liberally: members that no table
// knows are kept, and errors of any shape become an [engine.Error].
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

// DefaultDC is the data center where none is named (CONTRACT.md, Operations).
const DefaultDC = "01"

// DataCenters lists what the {dc} segment of a base URL can be (CONTRACT.md, Operations).
func DataCenters() []string { return []string{"01", "02", "03", "04", "05", "06", "101"} }

// Config says which service to call, as whom, and who watches. BaseURL alone is needed.
type Config struct {
	// BaseURL is what the paths of the operations are appended to, such as
	// "https://api-{dc}.example.com": {dc} becomes DC. It must be https, unless its host is this
	// machine or Insecure is set, and hold no credentials.
	BaseURL string
	DC      string // one of [DataCenters]; empty: [DefaultDC]

	// Workspace and what Key gives are the Basic credentials; Workspace is also the
	// X-SVC-Tenant-ID. Key is asked once, and again after the service refused what it gave; it must
	// end when its context does. Nil: no credentials are sent.
	Workspace string
	Key       func(context.Context) (string, error)

	Dialect Dialect // the zero Dialect replaces nothing

	// Transport carries the requests. Nil: TCP and TLS, with proxies from the environment.
	Transport http.RoundTripper
	// Insecure allows a base URL without TLS that leads to another machine.
	Insecure bool

	Clock  func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged; bodies and credentials never are

	// Observe, where set, is told of every exchange after it has ended, each attempt for itself,
	// by the goroutine of its call. It must return quickly.
	Observe func(Exchange)
	// Waiting, where set, is told as a call begins to wait and as that wait is over. The end of
	// the call's context ends the wait. It must return quickly.
	Waiting func(Wait)

	// Limits keeps the client to the documented limits: a call that would break one waits first.
	Limits bool
	// MaxWait is how long one call waits altogether for limits, the service's (429) and its own, and
	// because a service that is broken asked for it (Retry-After). A call that would have to wait
	// longer fails at once, for limits with [engine.RateLimited]. 0: 15 minutes.
	MaxWait time.Duration

	// Retries is how often a call is repeated that got no answer, or a 5xx. 0: 4; negative: never.
	Retries int
	// Timeout is how long one attempt waits for its answer; test sends, which talk to other
	// servers meanwhile, wait ten times as long. 0: 35 seconds.
	Timeout time.Duration

	UserAgent string // empty: "bugle"
}

const (
	defaultMaxWait = 15 * time.Minute
	defaultRetries = 4
	defaultTimeout = 35 * time.Second // a server's own limit of half a minute comes first
	slowFactor     = 10
)

// Service is [engine.Service] over HTTP, for one workspace. It is safe for concurrent use, and
// runs nothing in the background.
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

// New returns the service that c describes. It calls nobody yet.
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

// Close lets go of connections that are open and idle. Calls that run are not disturbed.
func (s *Service) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// BaseURL returns the address that the paths of the operations are appended to.
func (s *Service) BaseURL() string { return s.base.String() }

// Host names the service for people.
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
		return nil, fmt.Errorf("http:// would send the API key to %s unencrypted; use https://, or allow it with insecure", u.Host)
	}
	return u, nil
}

// withoutURL returns what an error of net/url says without the URL, which may hold a secret.
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

// sameOrigin follows a redirect only to where the request went anyway, and as the request it was:
// credentials go nowhere else, and a write does not become a read.
func sameOrigin(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || next.Method != first.Method || next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// keyCache asks for the API key once, and keeps it.
type keyCache struct {
	get       func(context.Context) (string, error)
	workspace string
	sem       chan struct{} // holds a token while somebody asks, or changes what is kept
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

// forget lets the key be asked for anew, where it is still the one that was refused.
func (k *keyCache) forget(refused string) {
	k.sem <- struct{}{}
	defer func() { <-k.sem }()
	if k.known && k.value == refused {
		k.value, k.known = "", false
	}
}
