// Package offline adds offline support to a remote service for interactive use: data that was read stays
// readable while the service cannot be reached, an outage is detected quickly, and waiting calls can be
// listed and canceled.
//
// Data that was read is cached in files on this machine. It is only used if the service did not respond, or
// if another server responded in its place (502, 503, 504). Refusals (401, 403, 404) are returned as they
// are. Writes fail while the service cannot be reached.
package offline

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/service/remote"
)

// Options configure a service. Only Dir is required.
type Options struct {
	Dir string // the cache folder of one workspace on one service

	Clock func() time.Time // nil: time.Now

	// CheckAfter is how long a read waits for its response before the first health check, and between further
	// ones. 0: 3 seconds.
	CheckAfter time.Duration
	// HealthTimeout limits a health check while a call waits for it. Other checks may take four times as
	// long. 0: 2 seconds.
	HealthTimeout time.Duration
	// RetryPause is the first pause between health checks while the service is offline. It doubles up to four
	// times its value. 0: 2 seconds.
	RetryPause time.Duration
}

const (
	defaultCheckAfter    = 3 * time.Second
	defaultHealthTimeout = 2 * time.Second
	defaultRetryPause    = 2 * time.Second
	maxPauseFactor       = 4
	idleTimeoutFactor    = 4
)

// Service is [engine.Service] over HTTP with a cache. It is safe for concurrent use.
type Service struct {
	remote *remote.Service
	opts   Options
	cache  *cache
	health *http.Client

	ctx  context.Context // ends background work
	stop context.CancelFunc
	work sync.WaitGroup

	wake chan struct{} // capacity one: check now

	mu           sync.Mutex
	offlineSince time.Time // zero while it is online
	reason       string
	checking     bool // a goroutine checks whether it is back
	closed       bool
	pending      map[*call]remote.Wait
	// fromCache holds the campaigns that were last returned from the cache: a caller that changes one of them
	// does not know its current version.
	fromCache map[string]engine.Campaign
	version   uint64
	changed   chan struct{} // closed at the next change of the connection
}

var (
	_ engine.Service   = (*Service)(nil)
	_ engine.Lister    = (*Service)(nil)
	_ engine.Connected = (*Service)(nil)
)

// Open returns the service that c describes, with the cache in o.Dir. It makes no calls. Close it after use.
func Open(c remote.Config, o Options) (*Service, error) {
	set := func(d *time.Duration, usual time.Duration) {
		if *d <= 0 {
			*d = usual
		}
	}
	set(&o.CheckAfter, defaultCheckAfter)
	set(&o.HealthTimeout, defaultHealthTimeout)
	set(&o.RetryPause, defaultRetryPause)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
		if t, ok := c.Transport.(*http.Transport); ok { // with connections of its own
			c.Transport = t.Clone()
		}
	}
	s := &Service{
		opts: o, cache: newCache(o.Dir), wake: make(chan struct{}, 1),
		pending: map[*call]remote.Wait{}, fromCache: map[string]engine.Campaign{}, changed: make(chan struct{}),
	}
	s.health = &http.Client{Transport: c.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	c.Transport = observedTransport{c.Transport}
	told := c.Waiting
	c.Waiting = func(ctx context.Context, w remote.Wait) {
		s.onWait(ctx.Value(callKey{}).(*call), w)
		if told != nil {
			told(ctx, w)
		}
	}
	var err error
	if s.remote, err = remote.New(c); err != nil {
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Close stops background work and waits for its end.
func (s *Service) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.work.Wait()
	s.health.CloseIdleConnections()
	return s.remote.Close()
}

// Quotas returns what is left of the service's limits.
func (s *Service) Quotas() []engine.Quota {
	qs := s.remote.Quotas()
	out := make([]engine.Quota, len(qs))
	for i, q := range qs {
		out[i] = engine.Quota{Operation: q.Operation, Limit: q.Window.N, Window: q.Window.Per, Remaining: q.Remaining, NextAt: q.NextAt}
	}
	return out
}

// UnreachableError reports that a call was not made because the service cannot be reached.
type UnreachableError struct {
	Operation string
	Since     time.Time
	Reason    string // why it cannot be reached
	// MayHaveRun reports that the service may have processed the call.
	MayHaveRun bool
}

const editsKept = "your edits are kept on this machine, and can be applied once it is back"

// consequence describes, by operation, the effect of a call that was not made.
var consequence = map[string]string{
	opGet:      "and this campaign is not cached; try again once it is back",
	opList:     "and the campaigns are not cached; try again once it is back",
	opUpdate:   "so nothing was sent; " + editsKept,
	opCheck:    "so nothing was sent; " + editsKept,
	opCreate:   "so no campaign was created; try again once it is back",
	opPublish:  "so nothing was published; try again once it is back",
	opStatus:   "so the state was not changed; try again once it is back",
	opTest:     "so no test was sent; try again once it is back",
	opValidate: "so its check was not run; try again once it is back",
	opPreview:  "so there is no preview; try again once it is back",
}

// Uncertain reports whether the service may have processed the call.
func (e *UnreachableError) Uncertain() bool { return e.MayHaveRun }

// Uncertain reports whether the service may have processed the call.
func (e *CanceledError) Uncertain() bool { return e.MayHaveRun }

func (e *UnreachableError) Error() string {
	away := fmt.Sprintf("the service has been offline since %s (%s)", e.Since.Format("15:04"), e.Reason)
	say, ok := consequence[e.Operation]
	switch {
	case e.MayHaveRun:
		say = "but " + e.Operation + " may have been done anyway; check before you try again"
	case !ok:
		say = "so " + e.Operation + " was not done; try again once it is back"
	}
	return away + ", " + say
}

// CanceledError reports that a waiting call was canceled with [Service.CancelWaits].
type CanceledError struct {
	Operation string
	Why       string // why it waited
	// MayHaveRun reports that the service may have processed the call.
	MayHaveRun bool
}

func (e *CanceledError) Error() string {
	if e.MayHaveRun {
		return fmt.Sprintf("the request was canceled (%s); %s may have been done anyway, so check before you try again", e.Why, e.Operation)
	}
	what := "sent"
	switch e.Operation {
	case opGet, opList, opSearch, opMeta:
		what = "read"
	}
	return fmt.Sprintf("the request was canceled, so nothing was %s (%s)", what, e.Why)
}
