package socket

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"bugle/store/kv"
)

// helloTimeout is how long an owner may take to introduce itself.
const helloTimeout = 3 * time.Second

// link is the connection to the process that owns the store.
type link struct {
	handle *handle
	conn   net.Conn
	intro  Introduction
	work   context.Context // ends when the owner is lost
	end    context.CancelFunc
	reader sync.WaitGroup // the goroutines that receive responses and news

	number  atomic.Uint64 // of the latest request or snapshot
	sending sync.Mutex    // guards out
	out     *gob.Encoder

	mu       sync.Mutex
	calls    map[uint64]chan *response // by number; requests that were sent
	received uint64                    // number of the latest news
}

// attach connects to the owner, and starts to receive its news. If there is an owner that does not work with this process,
// the error is a [refusal]; if it does not respond, [context.DeadlineExceeded].
func attach(ctx context.Context, h *handle) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	conn, err := dial(ctx, h.dir)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err = upgrade(conn)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	l := &link{handle: h, conn: conn, out: gob.NewEncoder(conn), calls: map[uint64]chan *response{}}
	l.work, l.end = context.WithCancel(context.Background())
	context.AfterFunc(l.work, func() { _ = conn.Close() })
	l.reader.Go(l.receive)
	if err := l.hello(ctx); err != nil {
		return nil, errors.Join(err, l.close())
	}
	l.reader.Go(l.follow)
	return l, nil
}

// upgrade makes a connection of HTTP one for requests of its own.
func upgrade(conn net.Conn) error {
	_, err := io.WriteString(conn, "GET "+helloPath+" HTTP/1.1\r\nHost: bugle\r\nConnection: Upgrade\r\nUpgrade: bugle\r\n\r\n")
	if err == nil {
		_, err = http.ReadResponse(bufio.NewReader(conn), nil) // the owner sends nothing more until it is asked
	}
	return err
}

// hello asks the owner who it is.
func (l *link) hello(ctx context.Context) error {
	r, err := l.answer(ctx, &request{Op: opHello, Lease: l.handle.lease})
	if err != nil {
		return err
	}
	if l.intro = r.Introduction; l.intro.Protocol != protocol {
		return refusal(fmt.Sprintf("the store is open in another version of bugle (%s, process %d), "+
			"and this one (%s) cannot work with it; quit that one, or use the same version",
			cmp.Or(l.intro.Version, "unknown"), l.intro.PID, cmp.Or(l.handle.o.Version, "unknown")))
	}
	for _, n := range r.News {
		l.received = n.Number
		l.handle.heard(n)
	}
	return nil
}

// follow receives news until the owner is lost, which it also is when it says nothing for too long.
func (l *link) follow() {
	for l.work.Err() == nil {
		silent := time.AfterFunc(l.handle.silence, l.end)
		if l.news(l.work, true) != nil {
			l.end()
		}
		silent.Stop()
	}
}

// news receives the news that have not arrived yet, and passes them on.
func (l *link) news(ctx context.Context, wait bool) error {
	l.mu.Lock()
	q := &request{Op: opNews, After: l.received, Wait: wait}
	l.mu.Unlock()
	r, err := l.answer(ctx, q)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range r.News {
		if n.Number > l.received { // another request may have the same answer
			l.received = n.Number
			l.handle.heard(n)
		}
	}
	return nil
}

// answer sends a request and returns the response. If the connection breaks, the owner is lost.
func (l *link) answer(ctx context.Context, q *request) (*response, error) {
	select {
	case r := <-l.send(*q):
		if r.Fault != nil {
			return r, r.Fault
		}
		return r, nil
	case <-l.work.Done():
		return new(response), kv.ErrSnapshotLost
	case <-ctx.Done():
		return new(response), ctx.Err() // the other one may still arrive
	}
}

// send sends a request and returns a channel for the response, which does not arrive if the owner is lost.
func (l *link) send(q request) <-chan *response {
	q.Number = l.number.Add(1)
	answer := make(chan *response, 1)
	l.mu.Lock()
	l.calls[q.Number] = answer
	l.mu.Unlock()
	l.sending.Lock()
	defer l.sending.Unlock()
	if l.out.Encode(q) != nil {
		l.end()
	}
	return answer
}

// receive passes on the responses until the connection breaks.
func (l *link) receive() {
	defer l.end()
	in := gob.NewDecoder(l.conn)
	for r := new(response); in.Decode(r) == nil; r = new(response) {
		l.mu.Lock()
		answer := l.calls[r.Number]
		delete(l.calls, r.Number)
		l.mu.Unlock()
		if answer != nil {
			answer <- r
		}
	}
}

func (l *link) lost() bool { return l.work.Err() != nil }

func (l *link) close() error {
	l.end()
	l.reader.Wait()
	return nil
}

// remote is a snapshot that the owner keeps. It implements [kv.Snapshot].
type remote struct {
	link   *link
	number uint64
}

func (l *link) snapshot(ctx context.Context) (kv.Snapshot, error) {
	s := remote{l, l.number.Add(1)}
	_, err := s.answer(ctx, request{Op: opSnapshot})
	if err != nil {
		s.Release() // the owner may take it all the same
		return nil, err
	}
	return s, nil
}

// Release implements [kv.Snapshot]. It does not wait for the owner.
func (s remote) Release() {
	s.link.send(request{Op: opRelease, Snapshot: s.number})
}

func (s remote) answer(ctx context.Context, q request) (*response, error) {
	q.Snapshot = s.number
	return s.link.answer(ctx, &q)
}

// Get implements [kv.Snapshot].
func (s remote) Get(ctx context.Context, key []byte) (kv.Item, error) {
	r, err := s.answer(ctx, request{Op: opGet, Key: key})
	return r.Item, err
}

// Versions implements [kv.Snapshot].
func (s remote) Versions(ctx context.Context, keys [][]byte) ([]uint64, error) {
	r, err := s.answer(ctx, request{Op: opVersions, Keys: keys})
	return r.Versions, err
}

// The size of the pages of a scan grows, so that a short one is quick.
const (
	firstPage = 4 << 10
	lastPage  = 1 << 20
)

// Scan implements [kv.Snapshot].
func (s remote) Scan(ctx context.Context, prefix []byte, o kv.ScanOptions, fn func(kv.Item) error) error {
	var last []byte // the key of the last record, which begins the next page
	for size := firstPage; ; size = min(8*size, lastPage) {
		r, err := s.answer(ctx, request{Op: opScan, Key: prefix, Scan: o, Size: size})
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

// refusal is the reason why a process does not work with the owner.
type refusal string

func (r refusal) Error() string { return string(r) }
