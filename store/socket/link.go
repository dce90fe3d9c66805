package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"bugle/store/kv"
)

const (
	// introTimeout is how long an owner may take to introduce itself.
	introTimeout = 3 * time.Second
	// responseTimeout is how long an owner may take to respond. One that takes longer is suspended, or its machine is.
	responseTimeout = 30 * time.Second
	// lossTimeout is how long it may take to notice that an owner is gone after its connection broke or it announced
	// that it is quitting.
	lossTimeout = time.Second
)

// link is the connection to the process that owns the store.
type link struct {
	handle *handle
	client *http.Client
	intro  introduction
	end    context.CancelFunc
	lost   chan struct{} // closed when the owner is gone

	mu       sync.Mutex
	idle     []*conn       // for later requests
	received uint64        // number of the latest forwarded news
	advanced chan struct{} // closed when received changes
}

// maxIdle is how many idle connections are kept.
const maxIdle = 16

// errNobody reports that no process responds on the socket.
var errNobody = errors.New("no process that has the store open responds")

// attach connects to the owner, and starts to receive its feed.
func attach(ctx context.Context, h *handle) (*link, error) {
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	l := &link{handle: h, end: end, lost: make(chan struct{}), advanced: make(chan struct{})}
	tr := &http.Transport{
		DialContext:        func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) },
		DisableCompression: true,
	}
	l.client = &http.Client{Transport: tr}
	body, lines, err := l.introduce(ctx, work)
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
		l.listen(lines)
	}()
	return l, nil
}

func (l *link) dial(ctx context.Context) (net.Conn, error) {
	if l.gone() { // this may be the next owner, which must introduce itself first
		return nil, errNobody
	}
	c, err := dial(ctx, l.handle.dir)
	if err != nil {
		return nil, err
	}
	if err := l.handle.peer(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// introduce reads the owner's introduction, opens the feed of changes, and reads its first line.
func (l *link) introduce(ctx, work context.Context) (io.Closer, *json.Decoder, error) {
	late := time.AfterFunc(introTimeout, l.end)
	stop := context.AfterFunc(ctx, l.end)
	defer stop()
	fail := func(err error) (io.Closer, *json.Decoder, error) {
		var other *otherUserError
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case errors.As(err, &other):
			return nil, nil, other
		case work.Err() != nil:
			return nil, nil, &unresponsiveError{}
		}
		return nil, nil, fmt.Errorf("%w: %w", errNobody, err)
	}
	res, err := l.get(work, helloPath)
	if err != nil {
		return fail(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err != nil {
		return fail(err)
	}
	if res.StatusCode == http.StatusForbidden {
		return nil, nil, errors.New(strings.TrimSpace(string(b)))
	}
	if err := json.Unmarshal(b, &l.intro); err != nil || l.intro.Protocol != Protocol {
		return nil, nil, l.otherProtocol()
	}
	feed, err := l.get(work, changesPath)
	if err != nil {
		return fail(err)
	}
	lines := json.NewDecoder(feed.Body)
	var now news
	if err := lines.Decode(&now); err != nil || feed.StatusCode != http.StatusOK {
		feed.Body.Close()
		return fail(errors.Join(errNobody, err)) // it is quitting
	}
	l.received = now.Sequence
	l.handle.handleNotices(now.Notices)
	if !late.Stop() {
		feed.Body.Close()
		return fail(context.Canceled)
	}
	return feed.Body, lines, nil
}

func (l *link) get(ctx context.Context, path string) (*http.Response, error) {
	req, err := l.request(ctx, path)
	if err != nil {
		return nil, err
	}
	return l.client.Do(req)
}

// request returns a request that is only accepted by the owner that has introduced itself.
func (l *link) request(ctx context.Context, path string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://bugle"+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set(leaseHeader, l.handle.lease)
	if l.intro.ID != "" {
		req.Header.Set(ownerHeader, l.intro.ID)
	}
	return req, nil
}

func (l *link) otherProtocol() error {
	return fmt.Errorf("the store is open in another version of bugle (%s, process %d), and this one (%s) cannot work with it; quit that one, or use the same version",
		orUnknown(l.intro.Version), l.intro.PID, orUnknown(l.handle.o.Version))
}

func orUnknown(version string) string {
	if version == "" {
		return "version unknown"
	}
	return version
}

// listen reads the feed until it ends.
func (l *link) listen(lines *json.Decoder) {
	for {
		var n news
		if lines.Decode(&n) != nil {
			return
		}
		l.handle.handleNews(n)
		l.handle.handleNotices(n.Notices)
		l.mu.Lock()
		l.received = n.Sequence
		close(l.advanced)
		l.advanced = make(chan struct{})
		l.mu.Unlock()
	}
}

// waitFor waits until the news with that number were received.
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
			return kv.ErrSnapshotLost
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *link) gone() bool {
	select {
	case <-l.lost:
		return true
	default:
		return false
	}
}

// waitLost waits until the link is closed, after a connection to the owner broke, or a moment.
func (l *link) waitLost(ctx context.Context) error {
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
		_ = c.Close()
	}
	l.idle = nil
}

// conn is a connection for one request, or one snapshot, at a time.
type conn struct {
	net.Conn
	*stream[response, request]
}

// connect returns an idle connection, or a new one.
func (l *link) connect(ctx context.Context) (*conn, error) {
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
	in := bufio.NewReaderSize(c, 64<<10)
	done := cancelable(ctx, c, introTimeout)
	err = l.upgrade(ctx, c, in)
	if err = errors.Join(err, done()); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &conn{c, newStream[response, request](in, c)}, nil
}

// upgrade switches a connection to the protocol of [request] and [response].
func (l *link) upgrade(ctx context.Context, c net.Conn, in *bufio.Reader) error {
	req, err := l.request(ctx, storePath)
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

// cancelable makes reads of a connection fail when ctx ends, or after a time, if that is not 0. The function that it
// returns ends that, and returns the error of ctx.
func cancelable(ctx context.Context, c net.Conn, limit time.Duration) (done func() error) {
	at := time.Time{}
	if limit > 0 {
		at = time.Now().Add(limit)
	}
	_ = c.SetReadDeadline(at)
	stop := context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })
	return func() error {
		if !stop() {
			return ctx.Err()
		}
		return nil
	}
}

// call returns the response to a request, which may take limit; 0: any time. broken means that the connection cannot be
// used any more.
func (l *link) call(ctx context.Context, c *conn, q *request, limit time.Duration) (r *response, broken bool, err error) {
	done := cancelable(ctx, c, limit)
	err = c.send(q)
	if err == nil {
		r, err = c.receive()
	}
	canceled := done()
	if err != nil {
		return nil, true, l.failure(ctx, err)
	}
	if err = r.Fault.err(); errors.Is(err, errLeaving) {
		err = fmt.Errorf("%w: %w", kv.ErrSnapshotLost, err)
	}
	return r, canceled != nil, err
}

// release keeps a connection for later requests.
func (l *link) release(c *conn, broken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if broken || l.gone() || len(l.idle) >= maxIdle {
		_ = c.Close()
		return
	}
	l.idle = append(l.idle, c)
}

// roundTrip returns the response to a request that needs no snapshot.
func (l *link) roundTrip(ctx context.Context, q *request, limit time.Duration) (response, error) {
	c, err := l.connect(ctx)
	if err != nil {
		return response{}, l.failure(ctx, err)
	}
	r, broken, err := l.call(ctx, c, q, limit)
	l.release(c, broken)
	if r == nil {
		r = &response{}
	}
	return *r, err
}

// failure returns the error of a connection that failed. If the owner may be gone, it wraps [kv.ErrSnapshotLost].
func (l *link) failure(ctx context.Context, err error) error {
	var other *otherUserError
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &other):
		return other
	case errors.As(err, &timeout) && timeout.Timeout():
		return &unresponsiveError{l.intro.PID}
	}
	return fmt.Errorf("%w: %w", kv.ErrSnapshotLost, err)
}

// snapshot takes a snapshot of the owner's store.
func (l *link) snapshot(ctx context.Context) (kv.Snapshot, error) {
	c, err := l.connect(ctx)
	if err != nil {
		return nil, l.failure(ctx, err)
	}
	s := &snapshot{link: l, conn: c}
	if _, err := s.call(ctx, &request{Op: opSnapshot}); err != nil {
		l.release(c, s.broken)
		return nil, err
	}
	return s, nil
}

// snapshot is a snapshot in the owner.
type snapshot struct {
	link   *link
	conn   *conn
	broken bool
}

func (s *snapshot) call(ctx context.Context, q *request) (*response, error) {
	if s.broken {
		return nil, kv.ErrSnapshotLost
	}
	r, broken, err := s.link.call(ctx, s.conn, q, responseTimeout)
	s.broken = broken
	return r, err
}

// Release implements [kv.Snapshot].
func (s *snapshot) Release() {
	if !s.broken {
		_, _ = s.call(context.Background(), &request{Op: opRelease})
	}
	s.link.release(s.conn, s.broken)
}

// Get implements [kv.Snapshot].
func (s *snapshot) Get(ctx context.Context, key []byte) (kv.Item, error) {
	r, err := s.call(ctx, &request{Op: opGet, Key: key})
	if err != nil {
		return kv.Item{}, err
	}
	r.Item.Key = key
	return r.Item, nil
}

// Versions implements [kv.Snapshot].
func (s *snapshot) Versions(ctx context.Context, keys [][]byte) ([]uint64, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	r, err := s.call(ctx, &request{Op: opVersions, Keys: keys})
	if err != nil {
		return nil, err
	}
	return r.Versions, nil
}

// The size of the pages of a scan grows, so that a short one is quick.
const (
	firstPage = 4 << 10
	lastPage  = 1 << 20
)

// Scan implements [kv.Snapshot].
func (s *snapshot) Scan(ctx context.Context, prefix []byte, o kv.ScanOptions, fn func(kv.Item) error) error {
	var last []byte // the key of the last record, which begins the next page
	for size := firstPage; ; size = min(8*size, lastPage) {
		r, err := s.call(ctx, &request{Op: opScan, Key: prefix, Scan: o, Size: size})
		if err != nil {
			return err
		}
		for _, i := range r.Items {
			if err := ctx.Err(); err != nil {
				return err
			}
			if last != nil && bytes.Equal(i.Key, last) {
				continue
			}
			if err := fn(i); err != nil {
				return err
			}
		}
		if !r.More {
			return nil
		}
		if o.Limit > 0 {
			o.Limit -= len(r.Items) - 1
		}
		last = r.Items[len(r.Items)-1].Key
		o.From = last
	}
}

// unresponsiveError reports that the process that has the store open does not respond.
type unresponsiveError struct{ pid int } // 0 if unknown

func (e *unresponsiveError) Error() string {
	if e.pid == 0 {
		return "the bugle process that has the store open does not respond; if it is suspended, continue it with `fg` in its terminal, or end it"
	}
	return fmt.Sprintf("the bugle process that has the store open (%d) does not respond; if it is suspended, continue it with `fg` in its terminal or `kill -CONT %[1]d`, or end it with `kill -9 %[1]d`", e.pid)
}

// noOwnerError returns why there is no owner: err, of attaching to it, or locked, of opening the store.
func noOwnerError(err, locked error) error {
	var by *lockedError
	var silent *unresponsiveError
	switch {
	case !errors.As(locked, &by), errors.Is(err, errNobody):
		return locked
	case errors.As(err, &silent):
		return &unresponsiveError{by.pid}
	}
	return err
}

// otherUserError reports that the process at the other end of a connection belongs to another user.
type otherUserError struct{ uid int }

func (e *otherUserError) Error() string {
	return fmt.Sprintf("the process belongs to another user (id %d); each user needs a data folder, chosen with --data or BUGLE_DATA", e.uid)
}
