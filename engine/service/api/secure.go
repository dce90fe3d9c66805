package api

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
)

// secureConnections is a listener that returns connections after the TLS handshake. net/http could do that
// itself; here HTTP/1 connections are watched as well.
type secureConnections struct {
	*connections
	config *tls.Config
	log    *slog.Logger

	ready   chan net.Conn
	failed  chan error
	ctx     context.Context // ends with the listener
	end     context.CancelFunc
	working sync.WaitGroup // the accept loop and the handshakes
}

func newSecureConnections(below *connections, config *tls.Config, log *slog.Logger) *secureConnections {
	l := &secureConnections{connections: below, config: config, log: log, ready: make(chan net.Conn), failed: make(chan error)}
	l.ctx, l.end = context.WithCancel(context.Background())
	l.working.Go(l.accept)
	return l
}

func (l *secureConnections) accept() {
	for {
		c, err := l.connections.Accept()
		if err == nil {
			l.working.Go(func() { l.handshake(c) })
			continue
		}
		select {
		case l.failed <- err: // net/http waits before it asks again
		case <-l.ctx.Done():
			return
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// handshake performs the handshake of one connection within the time for a header.
func (l *secureConnections) handshake(c net.Conn) {
	ctx, cancel := context.WithTimeout(l.ctx, headerTimeout)
	defer cancel()
	secure := tls.Server(c, l.config)
	if err := secure.HandshakeContext(ctx); err != nil {
		var record tls.RecordHeaderError
		if errors.As(err, &record) && record.Conn != nil {
			_, _ = io.WriteString(record.Conn, "HTTP/1.0 400 Bad Request\r\n\r\nThis is an HTTPS server. Use https:// instead of http://.\n")
		}
		if l.ctx.Err() == nil {
			l.log.Warn("TLS handshake failed", "from", c.RemoteAddr().String(), "error", err)
		}
		_ = c.Close()
		return
	}
	var out net.Conn = secure
	if below := unwrapConn(secure); below != nil && secure.ConnectionState().NegotiatedProtocol != "h2" {
		below.framing = new(framing)
		out = &watched{secure, below.framing}
	}
	select {
	case l.ready <- out:
	case <-l.ctx.Done():
		_ = c.Close()
	}
}

// Accept returns the next connection with a completed handshake.
func (l *secureConnections) Accept() (net.Conn, error) {
	select {
	case c := <-l.ready:
		return c, nil
	case err := <-l.failed:
		return nil, err
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close ends the running handshakes.
func (l *secureConnections) Close() error {
	err := l.connections.Close()
	l.end()
	l.working.Wait()
	return err
}

// watched is an HTTP/1 connection over TLS.
type watched struct {
	*tls.Conn
	framing *framing
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.framing.watch(p[:n])
	return n, err
}
