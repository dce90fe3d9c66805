package remote

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

const memberRequestID = "request_id"

// request is one call, which is sent unchanged in all its attempts.
type request struct {
	*operation.Operation
	engine.Call
	id       string            // the campaign; empty where the path has none
	body     doc.Value         // absent: none, or only the request id
	wire     []byte            // the body as sent
	progress *progressReporter // of a test
	ifMatch  string            // the entity tag of what the change was made from; empty: any
}

// assignIDs sets all ids that the request needs.
func (r *request) assignIDs() {
	if inBody := r.body.Get(memberRequestID).Text(); r.RequestID == "" {
		r.RequestID = inBody
	}
	if r.RequestID == "" {
		r.RequestID = uuid.NewString()
	}
	switch {
	case !r.SendsKey():
		r.IdempotencyKey = ""
	case r.IdempotencyKey == "":
		r.IdempotencyKey = uuid.NewString()
	}
	if r.IDInBody && !r.body.Get(memberRequestID).Exists() {
		r.body = withFirst(r.body, doc.M(memberRequestID, doc.NewString(r.RequestID)))
	}
}

// withFirst returns an object with the given fields followed by those of body.
func withFirst(body doc.Value, first ...doc.Member) doc.Value {
	for name, v := range body.Members() {
		first = append(first, doc.M(name, v))
	}
	return doc.NewObject(first...)
}

// answer is a translated response.
type answer struct {
	engine.ResponseInfo
	data   doc.Value // the data of the envelope, or the whole body without an envelope
	status int
	etag   string // of the campaign in data; empty where the service sends none
}

// callState is the state of a call across its attempts.
type callState struct {
	s       *Service
	req     request
	attempt int
	repeats int // retries because of no response or a server error
	polls   int // retries because an earlier attempt may still be running
	polled  time.Duration
	waited  time.Duration // for limits
	// uncertain reports that an attempt may have been processed.
	uncertain bool
}

// call performs one operation with all its attempts.
func (s *Service) call(ctx context.Context, r request) (answer, error) {
	if r.id != "" || strings.Contains(r.Path, "{id}") {
		if !isPathSafe(r.id) {
			return answer{}, engine.MissingCampaign(r.id)
		}
	}
	r.assignIDs()
	if r.body.Exists() {
		r.wire = s.translator.out(r.body).Encode()
	}
	c := &callState{s: s, req: r}
	var made *slot
	if r.Operation == operation.Create {
		var err error
		if made, err = c.admit(ctx, s.quotas.creations()); err != nil {
			return answer{}, err
		}
	}
	out, err := c.perform(ctx)
	made.end(c.created(out, err))
	return out, err
}

// created reports whether the call may have created a campaign that counts.
func (c *callState) created(out answer, err error) bool {
	if err != nil {
		return c.uncertain
	}
	return c.uncertain || !out.Replayed
}

func (c *callState) perform(ctx context.Context) (answer, error) {
	for {
		if err := ctx.Err(); err != nil {
			return answer{}, c.final(ctx, outcome{err: err, noResponse: true})
		}
		t, err := c.admit(ctx, c.s.quotas.of(c.req.Name))
		if err != nil {
			return answer{}, err
		}
		c.attempt++
		landed := c.req.progress.attemptStarted(ctx)
		got := c.s.exchange(ctx, c.req, c.attempt)
		landed()
		t.end(got.status != http.StatusTooManyRequests)
		if got.err == nil {
			return got.answer, nil
		}
		pause, reason, again := c.next(ctx, got)
		if !again {
			return answer{}, c.final(ctx, got)
		}
		if err := c.pause(ctx, pause, reason, got.why()); err != nil {
			return answer{}, c.final(ctx, outcome{err: err, noResponse: true})
		}
	}
}

// final returns the final error of a call.
func (c *callState) final(ctx context.Context, got outcome) error {
	if e := engine.AsError(got.err); e != nil && e.HTTP == http.StatusConflict && c.uncertain {
		// Its advice to take a new key is for who knows that nothing was done.
		known := *e
		known.Message += "; this may be about an earlier attempt that got no response, so check the campaign before you try again"
		return &known
	}
	if !got.noResponse {
		return got.err
	}
	err := got.err
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	if c.attempt == 0 {
		return fmt.Errorf("the %s request was not sent: %w", c.req.Name, err)
	}
	return &NoResponseError{
		Operation: c.req.Name, Host: c.s.base.Host, Call: c.req.Call, Attempts: c.attempt,
		Write: c.req.Writes && c.uncertain, Err: err,
	}
}

// NoResponseError reports that a call got no response in all its attempts. Repeating it with the same Call
// processes it at most once.
type NoResponseError struct {
	Operation string
	Host      string
	Call      engine.Call
	Attempts  int
	// Write reports that the service may have processed the call.
	Write bool
	Err   error
}

func (e *NoResponseError) Error() string {
	tries := ""
	if e.Attempts > 1 {
		tries = fmt.Sprintf(" after %d attempts", e.Attempts)
	}
	say := fmt.Sprintf("no response from %s to %s%s: %v", e.Host, e.Operation, tries, e.Err)
	if e.Write {
		return say + "; it may have been done anyway, so check before you try again"
	}
	return say
}

func (e *NoResponseError) Unwrap() error { return e.Err }

// Uncertain reports whether the service may have processed the call.
func (e *NoResponseError) Uncertain() bool { return e.Write }

// maxID is the longest campaign id in bytes.
const maxID = 256

// isPathSafe reports whether an id can be used as one segment of a path.
func isPathSafe(id string) bool { return id != "" && id != "." && id != ".." && len(id) <= maxID }
