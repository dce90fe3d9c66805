package offline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"bugle/engine"
	"bugle/engine/operation"
	"bugle/engine/service/remote"
)

// The operations.
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
	opPublish  = operation.Publish.Name
)

// Additional operations of this package.
const (
	opList  = "list"
	opCheck = "check" // a get before an update
)

// call is a running call of the remote service.
type call struct {
	operation string
	read      bool // it can be canceled safely because it changes nothing
	parent    context.Context
	ctx       context.Context
	cancel    context.CancelCauseFunc

	mu      sync.Mutex
	failure string // why the last attempt failed; empty if it did not
}

// errUnreachable is the cause with which a read is canceled when the service cannot be reached.
var errUnreachable = errors.New("the service cannot be reached")

// begin returns a call whose context is derived from the caller's. Cancel it afterwards.
func (s *Service) begin(ctx context.Context, operation string, read bool) *call {
	c := &call{operation: operation, read: read, parent: ctx}
	inner, cancel := context.WithCancelCause(ctx)
	c.cancel = cancel
	c.ctx = context.WithValue(inner, callKey{}, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if read && !s.closed {
		s.work.Go(func() { s.watch(c) })
	}
	return c
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
			c.note(reasonOf(err))
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
		c.note(failureReason(res, err))
	}
	return res, err
}

func (c *call) note(failure string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = failure
}

func (c *call) failureReason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
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

// onWait handles waits of a call. A failing read does not wait as long as a write, because cached data is
// available.
func (s *Service) onWait(c *call, w remote.Wait) {
	s.mu.Lock()
	if w.Done {
		delete(s.pending, c)
	} else {
		s.pending[c] = w
	}
	s.notify()
	s.mu.Unlock()
	if w.Done || w.Reason != remote.Retrying || w.Attempt < attempts && w.For <= time.Second {
		return
	}
	if c.read && c.failureReason() != "" {
		c.cancel(errUnreachable)
	}
}

// CancelWaits cancels all current waits.
func (s *Service) CancelWaits() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, w := range s.pending {
		c.cancel(&CanceledError{Operation: c.operation, Why: w.Why})
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
