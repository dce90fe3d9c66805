package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bugle/engine"
	"bugle/store/kv"
)

const (
	// introTimeout is how long an owner may take to introduce itself, and to respond before the client checks whether
	// it is suspended.
	introTimeout = 3 * time.Second
	// responseTimeout is how long an owner may take to respond. One that takes longer is suspended, or its machine is.
	responseTimeout = 30 * time.Second
	// lossTimeout is how long it may take to notice that an owner is gone after its connection broke or it announced
	// that it is quitting.
	lossTimeout = time.Second
)

// link is the connection to the process that owns the store.
type link struct {
	db      *DB
	client  *http.Client
	intro   introduction
	end     context.CancelFunc
	lost    chan struct{} // closed when the owner is gone
	drained atomic.Bool   // the owner answered all requests before it quit; set before lost is closed

	mu       sync.Mutex
	idle     []*txConn     // for later transactions
	received uint64        // sequence number of the latest forwarded change
	advanced chan struct{} // closed when received changes
}

// maxIdle is how many idle connections are kept.
const maxIdle = 16

// lostError reports that the owner was lost during a transaction.
type lostError struct {
	sent bool // the commit was already sent
	err  error
}

func (t *lostError) Error() string {
	return "the process that had the store open has quit: " + t.err.Error()
}
func (t *lostError) Unwrap() error { return t.err }

// errNobody reports that no process responds on the socket.
var errNobody = errors.New("no process that has the store open responds")

// attach connects to the owner, and starts to receive its feed.
func attach(ctx context.Context, d *DB) (*link, error) {
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	l := &link{db: d, end: end, lost: make(chan struct{}), advanced: make(chan struct{})}
	tr := &http.Transport{
		DialContext:        func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) },
		DisableCompression: true,
	}
	l.client = &http.Client{Transport: tr}
	body, err := l.introduce(ctx, work)
	if err != nil {
		end()
		tr.CloseIdleConnections()
		return nil, err
	}
	go func() { // ends with the owner, or with l.end
		defer l.closeIdle()
		defer tr.CloseIdleConnections()
		defer close(l.lost)
		defer body.Close()
		l.listen(body)
	}()
	return l, nil
}

func (l *link) dial(ctx context.Context) (net.Conn, error) {
	if l.gone() { // this may be the next owner, which must introduce itself first
		return nil, errNobody
	}
	c, err := dial(ctx, l.db.dir)
	if err != nil {
		return nil, err
	}
	if err := l.db.peer(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// introduce reads the owner's introduction, opens the feed of changes, and reads its first line.
func (l *link) introduce(ctx, work context.Context) (io.ReadCloser, error) {
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
		return nil, errors.New(strings.TrimSpace(string(b)))
	}
	if err := json.Unmarshal(b, &l.intro); err != nil || l.intro.Protocol != Protocol {
		return nil, l.otherProtocol()
	}
	feed, err := l.get(work, changesPath)
	if err != nil {
		return nil, introFailure(ctx, work, err)
	}
	in := bufio.NewReader(feed.Body)
	first, err := in.ReadBytes('\n')
	var now news
	if err == nil {
		err = json.Unmarshal(first, &now)
	}
	l.received = now.Sequence
	if err != nil || feed.StatusCode != http.StatusOK {
		feed.Body.Close()
		return nil, introFailure(ctx, work, errors.Join(errNobody, err)) // it is quitting
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

// request returns a request that is only accepted by the owner that has introduced itself.
func (l *link) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://bugle"+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set(leaseHeader, l.db.Lease())
	if l.intro.ID != "" {
		req.Header.Set(ownerHeader, l.intro.ID)
	}
	return req, nil
}

// introFailure returns why an owner was not reached: it does not exist, it does not respond, or the caller gave up.
func introFailure(ctx, work context.Context, err error) error {
	var other *otherUserError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &other):
		return other
	case work.Err() != nil:
		return errUnresponsive
	}
	return fmt.Errorf("%w: %w", errNobody, err)
}

func (l *link) otherProtocol() error {
	return fmt.Errorf("the store is open in another version of bugle (%s, process %d), and this one (%s) cannot work with it; quit that one, or use the same version",
		orUnknown(l.intro.Version), l.intro.PID, orUnknown(l.db.o.Version))
}

func orUnknown(version string) string {
	if version == "" {
		return "version unknown"
	}
	return version
}

// listen reads the feed until it ends.
func (l *link) listen(body io.Reader) {
	for lines := json.NewDecoder(body); ; {
		var n news
		if lines.Decode(&n) != nil {
			return
		}
		if n.Bye {
			l.drained.Store(true)
			continue
		}
		l.db.handleNews(n)
		if n.Sequence > 0 {
			l.mu.Lock()
			l.received = n.Sequence
			close(l.advanced)
			l.advanced = make(chan struct{})
			l.mu.Unlock()
		}
	}
}

// waitFor waits until the change with that sequence number was received.
func (l *link) waitFor(ctx context.Context, sequence uint64) error {
	for {
		l.mu.Lock()
		heard, more := l.received, l.advanced
		l.mu.Unlock()
		if heard >= sequence {
			return nil
		}
		select {
		case <-more:
		case <-l.lost:
			return &lostError{err: errNobody}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// quitCleanly reports whether the owner has quit after it answered all requests.
func (l *link) quitCleanly() bool { return l.gone() && l.drained.Load() }

func (l *link) gone() bool {
	select {
	case <-l.lost:
		return true
	default:
		return false
	}
}

// waitLost waits until the link is closed, after the owner was lost in a transaction that began at since. It fails if
// the owner keeps running and cannot be reached for too long.
func (l *link) waitLost(ctx context.Context, lost *lostError, since time.Time) error {
	if !l.gone() && time.Since(since) > responseTimeout {
		return engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "%w", lost)
	}
	timer := time.NewTimer(lossTimeout)
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

// closeIdle closes the idle connections.
func (l *link) closeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.idle {
		_ = c.conn.Close()
	}
	l.idle = nil
}

// txConn is a connection for one transaction at a time.
type txConn struct {
	*stream[response, request]
	conn *cancelConn
}

// cancelConn is a connection whose Read fails when the caller gives up, or when the owner is suspended.
type cancelConn struct {
	net.Conn
	pid      int
	canceled atomic.Bool // the caller has given up
}

func (c *cancelConn) Read(b []byte) (int, error) {
	for begun := time.Now(); ; {
		if err := c.SetReadDeadline(time.Now().Add(introTimeout)); err != nil {
			return 0, err
		}
		if c.canceled.Load() {
			return 0, context.Canceled
		}
		n, err := c.Conn.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if asleep := suspended(c.pid); asleep || time.Since(begun) > responseTimeout {
			return 0, &unresponsiveError{c.pid, asleep}
		}
	}
}

// cancel makes the running Read and all later ones fail.
func (c *cancelConn) cancel() {
	c.canceled.Store(true)
	_ = c.SetReadDeadline(time.Unix(1, 0))
}

// conn returns an idle connection, or a new one.
func (l *link) conn(ctx context.Context) (*txConn, error) {
	l.mu.Lock()
	if n := len(l.idle); n > 0 {
		c := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.mu.Unlock()
		return c, nil
	}
	l.mu.Unlock()
	c, err := l.dial(ctx)
	if err != nil {
		return nil, err
	}
	conn := &cancelConn{Conn: c, pid: l.intro.PID}
	stop := context.AfterFunc(ctx, conn.cancel)
	in := bufio.NewReaderSize(conn, 64<<10)
	err = l.upgrade(ctx, conn, in)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &txConn{newStream[response, request](in, conn), conn}, nil
}

// upgrade switches a connection to the transaction protocol.
func (l *link) upgrade(ctx context.Context, c net.Conn, in *bufio.Reader) error {
	req, err := l.request(ctx, http.MethodGet, transactPath, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "bugle")
	if err := req.Write(c); err != nil {
		return err
	}
	res, err := http.ReadResponse(in, req)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		return errLeaving
	}
	return nil
}

// putIdle keeps a connection for later transactions.
func (l *link) putIdle(c *txConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone() || len(l.idle) >= maxIdle {
		_ = c.conn.Close()
		return
	}
	l.idle = append(l.idle, c)
}

// transaction runs fn in a transaction that q begins. If the owner is lost, the error is a [*lostError].
func (l *link) transaction(ctx context.Context, q request, fn func(kv.Tx) error) error {
	c, err := l.conn(ctx)
	if err != nil {
		return l.failure(ctx, err, false)
	}
	t := &tx{ctx: ctx, line: c, writes: q.Op == opUpdate}
	stop := sync.OnceValue(context.AfterFunc(ctx, c.conn.cancel)) // true: ctx can no longer end reads
	sent, err := t.run(q, fn, stop)
	if stop() && t.broken == nil {
		l.putIdle(c)
	} else {
		_ = c.conn.Close()
	}
	switch {
	case t.broken != nil:
		return l.failure(ctx, t.broken, sent)
	case errors.Is(err, errLeaving):
		return &lostError{err: err}
	}
	return err
}

// run runs fn, again if the owner requests it, and ends the transaction. It reports whether a commit was sent. stop
// prevents ctx from ending the wait for the result.
func (t *tx) run(q request, fn func(kv.Tx) error, stop func() bool) (sent bool, err error) {
	r, err := t.roundTrip(&q)
	for {
		if err != nil {
			return sent, err
		}
		if !r.Begun {
			return sent, r.Fault.err()
		}
		sent = false
		if failed := fn(t); failed != nil {
			if t.broken == nil && t.ctx.Err() == nil {
				_, _ = t.roundTrip(&request{Op: opAbort})
			} else if t.broken == nil {
				t.broken = t.ctx.Err()
			}
			return false, failed
		}
		if !stop() {
			t.broken = t.ctx.Err()
			return false, t.broken
		}
		sent = t.writes
		t.ctx = context.WithoutCancel(t.ctx)
		r, err = t.roundTrip(&request{Op: opEnd})
	}
}

// roundTrip returns the response to a request outside of a transaction.
func (l *link) roundTrip(ctx context.Context, q request) (r response, err error) {
	c, err := l.conn(ctx)
	if err != nil {
		return r, l.failure(ctx, err, false)
	}
	stop := context.AfterFunc(ctx, c.conn.cancel)
	err = c.send(&q)
	var got *response
	if err == nil {
		got, err = c.receive()
	}
	if stop() && err == nil {
		l.putIdle(c)
	} else {
		_ = c.conn.Close()
	}
	if err != nil {
		return r, l.failure(ctx, err, false)
	}
	if err = got.Fault.err(); errors.Is(err, errLeaving) {
		err = &lostError{err: err}
	}
	return *got, err
}

// failure returns the error of a connection that failed.
func (l *link) failure(ctx context.Context, err error, sent bool) error {
	var silent *unresponsiveError
	var other *otherUserError
	switch {
	case ctx.Err() != nil && !sent:
		return ctx.Err()
	case errors.As(err, &silent):
		return engine.Errorf(engine.Internal, http.StatusGatewayTimeout, "%w", silent)
	case errors.As(err, &other):
		return other
	}
	return &lostError{sent: sent && !l.quitCleanly(), err: err}
}
