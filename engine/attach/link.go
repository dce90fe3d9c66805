package attach

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
)

const (
	// introTimeout is how long an owner may take to say who it is.
	introTimeout = 3 * time.Second
	// silence is how long an owner may take to answer a call. One that takes longer is suspended,
	// or its machine is.
	silence = 30 * time.Second
	// stopping is how long a call that was stopped may take to say how far it came.
	stopping = 5 * time.Second
	// noticing is how long it may take to see that an owner is gone whose connection broke, or who
	// said that it leaves.
	noticing = time.Second
)

// link leads to the process that owns the store.
type link struct {
	client *http.Client
	intro  hello
	end    context.CancelFunc
	lost   chan struct{} // closed when the owner is gone
	bye    atomic.Bool   // it said that it had answered all calls; set before lost is closed
}

// trouble says that a call got no answer.
type trouble struct {
	undone bool // it had no effect
	err    error
}

func (t *trouble) Error() string {
	return "the process that had the store open has quit: " + t.err.Error()
}
func (t *trouble) Unwrap() error { return t.err }

// errNobody says that no process answers on the socket.
var errNobody = errors.New("no process that has the store open responds")

// attach reaches the owner, and has what changes told.
func attach(ctx context.Context, n *Node) (*link, error) {
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	l := &link{end: end, lost: make(chan struct{})}
	tr := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if l.gone() { // who listens now is the next owner, to be greeted first
				return nil, errNobody
			}
			c, err := dial(ctx, n.dir)
			if err != nil {
				return nil, err
			}
			if err := n.peer(c); err != nil {
				return nil, errors.Join(err, c.Close())
			}
			return c, nil
		},
		MaxIdleConnsPerHost: 16, DisableCompression: true, ResponseHeaderTimeout: silence,
	}
	l.client = &http.Client{Transport: tr}
	body, err := l.greet(ctx, work, n)
	if err != nil {
		end()
		tr.CloseIdleConnections()
		return nil, err
	}
	go func() { // ends with the owner, or with l.end
		defer tr.CloseIdleConnections()
		defer close(l.lost)
		defer body.Close()
		l.listen(body, n.heard)
	}()
	return l, nil
}

// greet gets the owner's introduction, and the feed of changes from its first line on.
func (l *link) greet(ctx, work context.Context, n *Node) (io.ReadCloser, error) {
	late := time.AfterFunc(introTimeout, l.end)
	stop := context.AfterFunc(ctx, l.end)
	defer stop()
	res, err := l.get(work, helloPath)
	if err != nil {
		return nil, introFailure(ctx, work, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err != nil {
		return nil, introFailure(ctx, work, err)
	}
	if res.StatusCode == http.StatusForbidden {
		var s said
		if decode(b, &s) == nil && s.Fault != nil {
			return nil, s.Fault.err()
		}
	}
	if err := decode(b, &l.intro); err != nil || l.intro.Protocol != Protocol {
		return nil, l.otherProtocol(n)
	}
	feed, err := l.get(work, changesPath)
	if err != nil {
		return nil, introFailure(ctx, work, err)
	}
	in := bufio.NewReader(feed.Body)
	if _, err := in.ReadBytes('\n'); err != nil || feed.StatusCode != http.StatusOK {
		feed.Body.Close()
		return nil, introFailure(ctx, work, errors.Join(errNobody, err)) // it is leaving
	}
	if !late.Stop() {
		feed.Body.Close()
		return nil, introFailure(ctx, work, context.Canceled)
	}
	return struct {
		io.Reader
		io.Closer
	}{in, feed.Body}, nil
}

func (l *link) get(ctx context.Context, path string) (*http.Response, error) {
	req, err := l.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return l.client.Do(req)
}

// request makes a request for the owner that was introduced, and nobody else.
func (l *link) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://bugle"+path, body)
	if err == nil && l.intro.ID != "" {
		req.Header.Set(ownerHeader, l.intro.ID)
	}
	return req, err
}

// introFailure tells an owner that is not there from one that does not answer, and both from a
// caller that gave up.
func introFailure(ctx, work context.Context, err error) error {
	var other *otherUserError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &other):
		return other
	case work.Err() != nil:
		return errSilent
	}
	return fmt.Errorf("%w: %w", errNobody, err)
}

func (l *link) otherProtocol(n *Node) error {
	return &protocolError{fmt.Sprintf("the store is open in another version of bugle (%s, process %d), and this one (%s) cannot work with it; quit that one, or use the same version",
		orUnknown(l.intro.Version), l.intro.PID, orUnknown(n.o.Version))}
}

func orUnknown(version string) string {
	if version == "" {
		return "version unknown"
	}
	return version
}

// protocolError says that the owner is another program, as it were.
type protocolError struct{ text string }

func (e *protocolError) Error() string { return e.text }

// listen reads the feed until it ends.
func (l *link) listen(body io.Reader, heard func(news)) {
	in := bufio.NewReader(body)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var n news
		if decode(line, &n) != nil {
			return // the owner is out of its mind: find it anew
		}
		if n.Bye {
			l.bye.Store(true)
			continue
		}
		heard(n)
	}
}

// clean reports whether the owner has gone after it answered every call that it took.
func (l *link) clean() bool { return l.gone() && l.bye.Load() }

func (l *link) gone() bool {
	select {
	case <-l.lost:
		return true
	default:
		return false
	}
}

// after waits, when a call that began some time ago got no answer, until it is seen that the owner
// is gone. One that is there, and cannot be reached all the same, is given up.
func (l *link) after(ctx context.Context, t *trouble, since time.Time) error {
	if !l.gone() && time.Since(since) > silence {
		return engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "%w", t)
	}
	timer := time.NewTimer(noticing)
	defer timer.Stop()
	select {
	case <-l.lost:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (l *link) close() {
	l.end()
	<-l.lost
}

// call has a method of the owner called. Steps are told as they come.
func (l *link) call(ctx context.Context, method string, q asked, steps bool, tell func(engine.TestProgress)) ([]byte, error) {
	q.Call = uuid.NewString()
	b, err := encode(q)
	if err != nil {
		return nil, fmt.Errorf("cannot write the request: %w", err)
	}
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	if steps { // its answer says how far it came
		defer context.AfterFunc(ctx, func() { l.stop(q.Call, end) })()
	} else {
		defer context.AfterFunc(ctx, end)()
	}
	var asleep atomic.Bool
	defer l.watch(func() { asleep.Store(true); end() })()
	reached := false
	work = httptrace.WithClientTrace(work, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { reached = true }})
	req, err := l.request(work, http.MethodPost, root+method, bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("calling %s: %w", method, err)
	}
	res, err := l.client.Do(req)
	if err == nil {
		defer res.Body.Close()
		b, err = readAnswer(res.Body, tell)
	}
	var unanswered *noAnswerError
	switch {
	case err == nil:
		return b, nil
	case errors.Is(err, errLeaving):
		return nil, &trouble{undone: true, err: err}
	case res != nil && !errors.As(err, &unanswered):
		return nil, err
	case ctx.Err() != nil && work.Err() != nil:
		return nil, ctx.Err()
	case asleep.Load(), isTimeout(err):
		return nil, engine.Errorf(engine.Internal, http.StatusGatewayTimeout, "%w", &silentError{l.intro.PID, asleep.Load()})
	}
	return nil, &trouble{undone: !reached, err: err}
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// stop has a call stopped, and ends waiting for its answer where that does not come.
func (l *link) stop(call string, end context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), stopping)
	defer cancel()
	b, err := encode(call)
	if err == nil {
		var req *http.Request
		if req, err = l.request(ctx, http.MethodPost, stopPath, bytes.NewReader(b)); err == nil {
			var res *http.Response
			if res, err = l.client.Do(req); err == nil {
				err = res.Body.Close()
			}
		}
	}
	if err != nil {
		end()
		return
	}
	time.AfterFunc(stopping, end)
}

// noAnswerError says that an answer was cut short.
type noAnswerError struct{ error }

func (e *noAnswerError) Unwrap() error { return e.error }

// readAnswer reads lines until the one with the result.
func readAnswer(body io.Reader, tell func(engine.TestProgress)) ([]byte, error) {
	in := bufio.NewReader(body)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil, &noAnswerError{err}
		}
		var s said
		if err := decode(line, &s); err != nil {
			return nil, fmt.Errorf("cannot read the response of the process that has the store open: %w", err)
		}
		switch {
		case s.Step == nil && s.Fault != nil:
			return nil, s.Fault.err()
		case s.Step == nil:
			return s.Out, nil
		case tell != nil:
			tell(*s.Step)
		}
	}
}
