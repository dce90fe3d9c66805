package api

import (
	"container/list"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// connections is a listener that has at most so many connections open. When one more comes, the one that
// has been idle longest is closed for it: one that waits for its next request, or whose client has not
// yet sent a whole header. Where all are at work, the new one is told so and closed.
type connections struct {
	net.Listener
	limit     int
	cleartext bool // what goes over them can be read here: there is no TLS

	mu   sync.Mutex
	open list.List // of *conn, the one whose last request ended first, or which came first, in front
}

// maxConnections is how many connections there are at most where the system would allow more.
const maxConnections = 4096

// defaultConnections is half of the descriptors that the process may have. The other half is kept for the
// store, which has one open for each of its files, and for calls to other servers.
func defaultConnections() int {
	return min(max(descriptors()/2, 16), maxConnections)
}

// conn is one of the connections.
type conn struct {
	net.Conn
	in *connections

	// These belong to the connections' lock.
	busy int           // requests that are being answered
	elem *list.Element // its place among the open ones; nil when it is closed

	framing *framing // nil where it is not watched, as HTTP/2 is not
}

// Accept returns the next connection.
func (l *connections) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			l.closeIdle() // what else has the descriptors will give them back; net/http tries again
		}
		if err != nil {
			return nil, err
		}
		if out := l.add(c); out != nil {
			return out, nil
		}
		l.refuse(c)
	}
}

// add counts a connection, and closes an idle one for it where there are too many. It returns nil where
// all of them are at work.
func (l *connections) add(c net.Conn) *conn {
	if l.isFull() && !l.closeIdle() {
		return nil
	}
	out := &conn{Conn: c, in: l}
	if l.cleartext {
		out.framing = new(framing)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out.elem = l.open.PushBack(out)
	return out
}

func (l *connections) isFull() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open.Len() >= l.limit
}

// closeIdle closes the connection that has been idle longest, and reports whether there was one.
func (l *connections) closeIdle() bool {
	c := l.longestIdle()
	if c == nil {
		return false
	}
	_ = c.Close() // its client is told by that
	return true
}

func (l *connections) longestIdle() *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.open.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*conn); c.busy == 0 {
			return c
		}
	}
	return nil
}

// busyAnswer is what a connection is told for which there is no room.
const busyAnswer = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\n\r\n" +
	`{"response_id":"none","error":{"code":"INTERNAL_ERROR","message":"all connections of the server are in use; try again in a second"}}`

func (l *connections) refuse(c net.Conn) {
	if l.cleartext && c.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = io.WriteString(c, busyAnswer) // it fits into what the system keeps
	}
	_ = c.Close()
}

// begin says that a request of the connection is being answered; [conn.end] that it is no more.
func (c *conn) begin() {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	c.busy++
}

func (c *conn) end() {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	if c.busy--; c.busy == 0 && c.elem != nil {
		c.in.open.MoveToBack(c.elem)
	}
}

// Close closes the connection, once.
func (c *conn) Close() error {
	c.in.mu.Lock()
	if c.elem != nil {
		c.in.open.Remove(c.elem)
		c.elem = nil
	}
	c.in.mu.Unlock()
	return c.Conn.Close()
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.in.cleartext {
		c.framing.watch(p[:n])
	}
	return n, err
}

// CloseWrite ends what is written, so that net/http can let a client read the answer before the
// connection is closed.
func (c *conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// connKey is where the context of a request keeps its *conn.
type connKey struct{}

// connOf returns the connection of a request, nil where it did not come through [Serve].
func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// unwrapConn returns the *conn of a connection of the server, nil where it is none.
func unwrapConn(c net.Conn) *conn {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	out, _ := c.(*conn)
	return out
}
