package offline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"bugle/engine"
	"bugle/engine/operation"
	"bugle/engine/service/remote"
)

// The operations, as [remote.Wait] names them.
var (
	opCreate   = operation.Create.Name
	opGet      = operation.Get.Name
	opUpdate   = operation.Update.Name
	opValidate = operation.Validate.Name
	opStatus   = operation.Status.Name
	opSearch   = operation.Search.Name
	opMeta     = operation.Meta.Name
	opTest     = operation.Test.Name
	opPreview  = operation.Preview.Name
	opPublish  = operation.Publish.Name // sends an update
)

// Additional operations of this package.
const (
	opList  = "list"  // searches
	opCheck = "check" // a get before an update
)

var sent = map[string]string{opList: opSearch, opPublish: opUpdate, opCheck: opGet}

// call is a running call of the remote service.
type call struct {
	operation string
	read      bool // it can be canceled safely because it changes nothing
	parent    context.Context
	ctx       context.Context
	cancel    context.CancelCauseFunc

	mu      sync.Mutex
	request http.Header // of the last attempt
	failure string      // why that attempt failed; empty if it did not
}

// errUnreachable is the cause with which a read is canceled when the service cannot be reached.
var errUnreachable = errors.New("the service cannot be reached")

// begin registers a call. Its context is derived from the caller's. Call done afterwards.
func (s *Service) begin(ctx context.Context, operation string, read bool) *call {
	c := &call{operation: operation, read: read, parent: ctx}
	inner, cancel := context.WithCancelCause(ctx)
	c.cancel = cancel
	c.ctx = context.WithValue(inner, callKey{}, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[c] = struct{}{}
	if read && !s.closed {
		s.work.Go(func() { s.watch(c) })
	}
	return c
}

func (s *Service) done(c *call) {
	c.cancel(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, c)
}

// watch runs health checks while a read waits for its response, and cancels the read if they fail.
func (s *Service) watch(c *call) {
	t := time.NewTicker(s.opts.CheckAfter)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-c.ctx.Done():
			return
		case <-s.ctx.Done():
			return
		}
		if err := s.ping(c.ctx, s.opts.HealthTimeout); err != nil && c.ctx.Err() == nil {
			c.note(nil, reasonOf(err))
			c.cancel(errUnreachable)
			return
		}
	}
}

type callKey struct{}

// observedTransport records the outcome of each attempt of a call.
type observedTransport struct{ http.RoundTripper }

func (w observedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := w.RoundTripper.RoundTrip(req)
	if c, ok := req.Context().Value(callKey{}).(*call); ok {
		c.note(req.Header, failureReason(res, err))
	}
	return res, err
}

func (c *call) note(request http.Header, astray string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if request != nil {
		c.request = request
	}
	c.failure = astray
}

func (c *call) failureReason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// isOf reports whether a wait belongs to this call, by looking for its request id in the headers, whose names
// depend on the dialect.
func (c *call) isOf(w remote.Wait) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, values := range c.request {
		if slices.Contains(values, w.Call.RequestID) {
			return true
		}
	}
	return false
}

// sends reports whether the call makes requests of an operation.
func (c *call) sends(operation string) bool {
	if as, ok := sent[c.operation]; ok {
		return as == operation
	}
	return c.operation == operation
}

// failureReason returns why an attempt did not reach the service, or "".
func failureReason(res *http.Response, err error) string {
	if err != nil {
		return reasonOf(err)
	}
	switch res.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fmt.Sprintf("it responds %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	}
	return ""
}

// reasonOf describes a network error in a few words.
func reasonOf(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.As(err, &dns):
		return "no address for " + dns.Name
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer"
	}
	return err.Error()
}

// attempts is the number of failed attempts after which a read is given up.
const attempts = 3

// onWait handles waits of the remote service. A failing read does not wait as long as a write, because cached
// data is available.
func (s *Service) onWait(w remote.Wait) {
	s.mu.Lock()
	if w.Done {
		delete(s.pending, w.Call.RequestID)
	} else {
		s.pending[w.Call.RequestID] = w
	}
	s.notify()
	mine := s.callsOf(w)
	s.mu.Unlock()
	if w.Done || w.Reason != remote.Retrying || w.Attempt < attempts && w.For <= time.Second {
		return
	}
	for _, c := range mine {
		if c.read && c.failureReason() != "" {
			c.cancel(errUnreachable)
		}
	}
}

// callsOf returns the calls that a wait may belong to. An unsent call has no request id yet, so it is one of
// those with the operation, which all wait for the same reason.
func (s *Service) callsOf(w remote.Wait) []*call {
	var mine, like []*call
	for c := range s.calls {
		switch {
		case c.isOf(w):
			mine = append(mine, c)
		case c.sends(w.Operation):
			like = append(like, c)
		}
	}
	if len(mine) > 0 {
		return mine
	}
	return like
}

// CancelWaits cancels all current waits.
func (s *Service) CancelWaits() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.pending {
		for _, c := range s.callsOf(w) {
			c.cancel(&CanceledError{Operation: c.operation, Why: w.Why})
		}
	}
}

// ended returns the error of a call, and whether the service could not be reached. That is neither the case
// for calls that the caller canceled, nor for refused ones.
func (c *call) ended(err error) (error, bool) {
	if err == nil || c.parent.Err() != nil {
		return err, false
	}
	var lost *remote.NoResponseError
	unanswered := errors.As(err, &lost)
	maybe := unanswered && lost.Write
	var ended *CanceledError
	if errors.As(context.Cause(c.ctx), &ended) {
		return &CanceledError{Operation: ended.Operation, Why: ended.Why, MayHaveRun: maybe}, false
	}
	if e := engine.AsError(err); unanswered || e != nil && e.HTTP >= http.StatusInternalServerError && c.failureReason() != "" || context.Cause(c.ctx) == errUnreachable {
		return &UnreachableError{Operation: c.operation, Reason: c.unreachableReason(lost), MayHaveRun: maybe}, true
	}
	return err, false
}

func (c *call) unreachableReason(lost *remote.NoResponseError) string {
	if reason := c.failureReason(); reason != "" {
		return reason
	}
	if lost != nil {
		return reasonOf(lost.Err)
	}
	return "no answer"
}
