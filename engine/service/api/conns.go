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

// connections is a listener with a limited number of open connections. For a further one it closes the
// connection that has been idle longest: one that waits for its next request, or whose client has not sent a
// complete header. If all are busy, the new one is refused.
type connections struct {
	net.Listener
	limit     int
	cleartext bool // there is no TLS, so that bytes can be inspected here

	mu   sync.Mutex
	open list.List // of *conn, the one that has been idle longest first
}

// maxConnections is the most connections, even if the system allows more.
const maxConnections = 4096

// defaultConnections is half of the process's file descriptors. The other half is for the store's files and
// for calls to other servers.
func defaultConnections() int {
	return min(max(descriptors()/2, 16), maxConnections)
}

// conn is an accepted connection.
type conn struct {
	net.Conn
	in *connections

	// These belong to the connections' lock.
	busy int           // running requests
	elem *list.Element // its element in the open connections; nil if closed

	framing *framing // nil if it is not watched, as for HTTP/2
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

// add registers a connection, and closes an idle one if there are too many. It returns nil if all are busy.
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
	_ = c.Close() // this informs the client
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

// busyAnswer is sent on a connection that is closed because there are too many.
const busyAnswer = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\n\r\n" +
	`{"response_id":"none","error":{"code":"INTERNAL_ERROR","message":"all connections of the server are in use; try again in a second"}}`

func (l *connections) refuse(c net.Conn) {
	if l.cleartext && c.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = io.WriteString(c, busyAnswer) // it fits into what the system keeps
	}
	_ = c.Close()
}

// begin marks the start of a request on the connection, and [conn.end] its end.
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

// CloseWrite closes the writing side, so that net/http can let a client read the response before the
// connection is closed.
func (c *conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// connKey is the context key of a request's *conn.
type connKey struct{}

// connOf returns the connection of a request, or nil if it did not come through [Serve].
func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// unwrapConn returns the *conn of a server's connection, or nil.
func unwrapConn(c net.Conn) *conn {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	out, _ := c.(*conn)
	return out
}
