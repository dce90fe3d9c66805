package socket

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"bugle/store/kv"
)

// helloTimeout is how long an owner may take to introduce itself.
const helloTimeout = 3 * time.Second

// link is the connection to the process that owns the store.
type link struct {
	handle *handle
	intro  introduction
	work   context.Context // ends when the owner is lost
	end    context.CancelFunc
	reader sync.WaitGroup // the goroutine that receives news

	mu       sync.Mutex
	idle     []*conn       // for later requests
	received uint64        // number of the latest news
	advanced chan struct{} // closed when received changes
}

// maxIdle is how many idle connections are kept.
const maxIdle = 16

// attach connects to the owner, and starts to receive its news. If there is an owner that does not work with this process,
// the error is a [refusal]; if it does not respond, [context.DeadlineExceeded].
func attach(ctx context.Context, h *handle) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	l := &link{handle: h, advanced: make(chan struct{})}
	l.work, l.end = context.WithCancel(context.Background())
	c, err := l.connect(ctx)
	if err != nil {
		return nil, err
	}
	first, err := c.call(ctx, &request{Op: opFollow, Lease: h.lease})
	if err != nil {
		c.close()
		return nil, err
	}
	l.received = first.Sequence
	h.heard(&first)
	l.reader.Go(func() {
		defer c.close()
		defer l.end()
		l.receive(c)
	})
	return l, nil
}

// receive receives news until the owner is lost.
func (l *link) receive(c *conn) {
	for {
		_ = c.SetReadDeadline(time.Now().Add(l.handle.silence))
		n, err := c.stream.receive()
		if err != nil {
			return
		}
		l.handle.heard(&n)
		l.mu.Lock()
		l.received = max(l.received, n.Sequence)
		close(l.advanced)
		l.advanced = make(chan struct{})
		l.mu.Unlock()
	}
}

func (l *link) lost() bool { return l.work.Err() != nil }

func (l *link) close() error {
	l.end()
	l.reader.Wait()
	return nil
}

// conn is a connection for one request, or one snapshot, at a time. It is closed when the owner is lost. It implements
// [kv.Snapshot] with the snapshot that the owner keeps for it.
type conn struct {
	*stream[response, request]
	link   *link
	broken bool
	forget func() bool
}

// connect returns a new connection.
func (l *link) connect(ctx context.Context) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	nc, err := dial(ctx, l.handle.dir)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(nc, 64<<10)
	c := &conn{stream: newStream[response, request](nc, in), link: l, forget: context.AfterFunc(l.work, func() { _ = nc.Close() })}
	stop := context.AfterFunc(ctx, func() { _ = nc.Close() })
	err = l.handle.peer(nc)
	if err == nil {
		err = l.hello(nc, in)
	}
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// hello begins a connection.
func (l *link) hello(out io.Writer, in *bufio.Reader) error {
	if _, err := io.WriteString(out, "GET "+helloPath+" HTTP/1.1\r\nHost: bugle\r\nConnection: Upgrade\r\nUpgrade: bugle\r\n\r\n"); err != nil {
		return err
	}
	if _, err := http.ReadResponse(in, nil); err != nil {
		return err
	}
	b, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	var i introduction
	if err := json.Unmarshal(b, &i); err != nil || i.Protocol != protocol {
		return refusal(fmt.Sprintf("the store is open in another version of bugle (%s, process %d), and this one (%s) cannot work with it; quit that one, or use the same version",
			cmp.Or(i.Version, "unknown"), i.PID, cmp.Or(l.handle.o.Version, "unknown")))
	}
	if l.intro.ID == "" {
		l.intro = i
	}
	if i != l.intro { // the next owner, which starts with a new link
		return kv.ErrSnapshotLost
	}
	return nil
}

// call returns the response to a request.
func (c *conn) call(ctx context.Context, q *request) (r response, err error) {
	if c.broken {
		return r, kv.ErrSnapshotLost
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Conn.Close() })
	err = c.send(q)
	if err == nil {
		r, err = c.stream.receive()
	}
	c.broken = !stop() || err != nil
	if err != nil {
		return r, c.link.failed(ctx, err)
	}
	if r.Fault != nil {
		return r, r.Fault
	}
	return r, nil
}

func (c *conn) close() {
	c.forget()
	_ = c.Conn.Close()
}

// failed returns the error of a connection that broke: that of ctx, or else the owner is lost.
func (l *link) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.end()
	return fmt.Errorf("%w: %w", kv.ErrSnapshotLost, err)
}

// take returns an idle connection, or a new one.
func (l *link) take(ctx context.Context) (*conn, error) {
	l.mu.Lock()
	if n := len(l.idle); n > 0 {
		c := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.mu.Unlock()
		return c, nil
	}
	l.mu.Unlock()
	c, err := l.connect(ctx)
	if err != nil {
		return nil, l.failed(ctx, err)
	}
	return c, nil
}

// put keeps a connection for later requests.
func (l *link) put(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.broken || l.lost() || len(l.idle) >= maxIdle {
		c.close()
		return
	}
	l.idle = append(l.idle, c)
}

func (l *link) answer(ctx context.Context, q *request) (response, error) {
	c, err := l.take(ctx)
	if err != nil {
		return response{}, err
	}
	defer l.put(c)
	return c.call(ctx, q)
}

func (l *link) sync(ctx context.Context) error {
	r, err := l.answer(ctx, &request{Op: opSequence})
	if err != nil {
		return err
	}
	for {
		l.mu.Lock()
		received, more := l.received, l.advanced
		l.mu.Unlock()
		if received >= r.Sequence {
			return nil
		}
		select {
		case <-more:
		case <-l.work.Done():
			return kv.ErrSnapshotLost
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *link) snapshot(ctx context.Context) (kv.Snapshot, error) {
	c, err := l.take(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := c.call(ctx, &request{Op: opSnapshot}); err != nil {
		l.put(c)
		return nil, err
	}
	return c, nil
}

// Release implements [kv.Snapshot].
func (c *conn) Release() {
	_, _ = c.call(context.Background(), &request{Op: opRelease})
	c.link.put(c)
}

// Get implements [kv.Snapshot].
func (c *conn) Get(ctx context.Context, key []byte) (kv.Item, error) {
	r, err := c.call(ctx, &request{Op: opGet, Key: key})
	return r.Item, err
}

// Versions implements [kv.Snapshot].
func (c *conn) Versions(ctx context.Context, keys [][]byte) ([]uint64, error) {
	r, err := c.call(ctx, &request{Op: opVersions, Keys: keys})
	return r.Versions, err
}

// The size of the pages of a scan grows, so that a short one is quick.
const (
	firstPage = 4 << 10
	lastPage  = 1 << 20
)

// Scan implements [kv.Snapshot].
func (c *conn) Scan(ctx context.Context, prefix []byte, o kv.ScanOptions, fn func(kv.Item) error) error {
	var last []byte // the key of the last record, which begins the next page
	for size := firstPage; ; size = min(8*size, lastPage) {
		r, err := c.call(ctx, &request{Op: opScan, Key: prefix, Scan: o, Size: size})
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
