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

// request is one call, which is sent once or several times, always alike.
type request struct {
	*operation.Operation
	engine.Call
	id   string    // the campaign; empty where the path has none
	body doc.Value // absent: none, or the request id alone
	wire []byte    // the body as it is sent
	news *news     // of a test
	from int64     // the revision that the change was made from; 0: any
}

// settle returns the request all ids that it has to carry.
func (r *request) settle() {
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

// withFirst returns an object that begins with the given fields, and then has those of body.
func withFirst(body doc.Value, first ...doc.Member) doc.Value {
	for name, v := range body.Members() {
		first = append(first, doc.M(name, v))
	}
	return doc.NewObject(first...)
}

// answer is what the service said to a call, in our own words.
type answer struct {
	engine.ResponseInfo
	data   doc.Value // of the envelope; the whole body where there is no envelope
	status int
	// revision is that of the campaign in data; 0 where the service does not count them.
	revision int64
}

// run is the state of a call over its attempts.
type run struct {
	s       *Service
	req     request
	attempt int
	repeats int // because of no answer, or of one that something broke
	polls   int // because an attempt that went astray may still be at work
	polled  time.Duration
	waited  time.Duration // for limits
	// lost says that an attempt may have been done without our knowing.
	lost bool
}

// call does one operation: as often as it takes, and not after an answer that is one.
func (s *Service) call(ctx context.Context, r request) (answer, error) {
	if r.id != "" || strings.Contains(r.Path, "{id}") {
		if !goodID(r.id) {
			return answer{}, engine.MissingCampaign(r.id)
		}
	}
	r.settle()
	if r.body.Exists() {
		r.wire = s.words.out(r.body).Encode()
	}
	c := &run{s: s, req: r}
	var made *ticket
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

// created reports whether the call may have made a campaign that counts.
func (c *run) created(out answer, err error) bool {
	if err != nil {
		return c.lost
	}
	return c.lost || !out.Replayed
}

func (c *run) perform(ctx context.Context) (answer, error) {
	for {
		if err := ctx.Err(); err != nil {
			return answer{}, c.final(ctx, outcome{err: err, unanswered: true})
		}
		t, err := c.admit(ctx, c.s.quotas.of(c.req.Name))
		if err != nil {
			return answer{}, err
		}
		c.attempt++
		landed := c.req.news.leave(ctx)
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
			return answer{}, c.final(ctx, outcome{err: err, unanswered: true})
		}
	}
}

// next says whether the call is sent again, and after which pause. What says no is never asked
// again. A 409 is the exception where an attempt is still at work, because it went astray or
// something on the way sent it twice: the same key gets its answer in the end.
func (c *run) next(ctx context.Context, got outcome) (time.Duration, Reason, bool) {
	if got.broken() && !got.unsent {
		c.lost = true
	}
	switch {
	case ctx.Err() != nil:
		return 0, 0, false
	case got.status == http.StatusTooManyRequests:
		pause := got.retryAfter
		if pause <= 0 {
			pause = backoff(c.attempt)
		}
		if !c.afford(pause) {
			return 0, 0, false
		}
		c.s.quotas.close(c.req.Name, pause)
		return pause, Limited, true
	case got.broken():
	case got.status == http.StatusConflict && (c.lost || got.inProgress()) && c.req.SendsKey():
		return c.poll()
	default:
		return 0, 0, false
	}
	if got.hopeless || c.repeats >= c.s.cfg.Retries || !c.afford(got.retryAfter) {
		return 0, 0, false
	}
	c.repeats++
	return max(backoff(c.repeats), got.retryAfter), Repeating, true
}

// afford takes a pause that the service or a limit asks for from what the call may wait altogether.
func (c *run) afford(pause time.Duration) bool {
	if pause > c.s.cfg.MaxWait-c.waited {
		return false
	}
	c.waited += pause
	return true
}

// poll says when to ask after an attempt that is still at work, for as long as it may take.
func (c *run) poll() (time.Duration, Reason, bool) {
	c.polls++
	pause := backoff(c.polls)
	c.polled += pause
	enough := c.s.patience(c.req) / slowFactor // what is done at once is done by then
	if c.req.Slow {
		enough = c.s.patience(c.req)
	}
	return pause, Repeating, c.polled <= enough
}

// final returns the error that a call ends with.
func (c *run) final(ctx context.Context, got outcome) error {
	if e := engine.AsError(got.err); e != nil && e.HTTP == http.StatusConflict && c.lost {
		// Its advice to take a new key is for who knows that nothing was done.
		known := *e
		known.Message += "; this may be about an earlier attempt that got no response, so check the campaign before you try again"
		return &known
	}
	if !got.unanswered {
		return got.err
	}
	err := got.err
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	if c.attempt == 0 {
		return fmt.Errorf("the %s request was not sent: %w", c.req.Name, err)
	}
	return &UnansweredError{
		Operation: c.req.Name, Host: c.s.base.Host, Call: c.req.Call, Attempts: c.attempt,
		Write: c.req.Writes && c.lost, Err: err,
	}
}

// UnansweredError says that a call got no answer, however often it was sent. Repeating it with the
// same Call does it at most once.
type UnansweredError struct {
	Operation string
	Host      string
	Call      engine.Call
	Attempts  int
	// Write says that the call may have been done all the same.
	Write bool
	Err   error
}

func (e *UnansweredError) Error() string {
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

func (e *UnansweredError) Unwrap() error { return e.Err }

// maxID is how long the id of a campaign may be, in bytes.
const maxID = 256

// goodID reports whether an id can stand in a path, and stay one step of it.
func goodID(id string) bool { return id != "" && id != "." && id != ".." && len(id) <= maxID }
