package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Transport configures the TLS of a listening address.
type Transport struct {
	CertFile, KeyFile string // PEM; both or none
	// Insecure allows a public address without TLS.
	Insecure bool
}

// Listen opens a HOST:PORT for [Serve]; port 0 chooses a free one. An address that is not loopback is refused
// without TLS, unless t is insecure.
func Listen(addr string, t Transport) (net.Listener, error) {
	if (t.CertFile == "") != (t.KeyFile == "") {
		return nil, errors.New("TLS needs a certificate and its key; set both --tls-cert and --tls-key")
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, fmt.Errorf("the address must be HOST:PORT, such as 127.0.0.1:8080: %w", err)
	}
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot resolve the address %s: %w", addr, err)
	}
	secure := t.CertFile != ""
	if !secure && !t.Insecure && !at.IP.IsLoopback() {
		return nil, fmt.Errorf("other machines can reach %s, and API keys would be sent unencrypted; set --tls-cert and --tls-key, listen on 127.0.0.1, or use --insecure", addr)
	}
	var cert tls.Certificate
	if secure {
		if cert, err = tls.LoadX509KeyPair(t.CertFile, t.KeyFile); err != nil {
			return nil, fmt.Errorf("cannot use the certificate and its key: %w", err)
		}
	}
	ln, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	if !secure {
		return ln, nil
	}
	return &secured{ln, &tls.Config{
		Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	}}, nil
}

// secured is a listener of TLS connections.
type secured struct {
	net.Listener
	config *tls.Config
}

func (s *secured) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return tls.Server(c, s.config), nil
}

// ServeOptions configure [Serve]. The zero value is ready for use.
type ServeOptions struct {
	Logger *slog.Logger // nil: nothing is logged
	// Grace is how long running requests may continue when the server stops; 0 means 30 seconds.
	Grace time.Duration
	// Connections is the most connections. For a further one, the connection that has been idle longest is
	// closed. 0 means half of the process's file descriptors, at most 4096: the other half is for the store
	// and for calls to other servers.
	Connections int
}

// What a client may take up (net/http answers 431 where the header is longer).
const (
	maxHeader     = 64 << 10
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	writeTimeout  = 2 * time.Minute // [New] sets its own deadline per write
	idleTimeout   = 2 * time.Minute
	defaultGrace  = 30 * time.Second
	maxStreams    = 100 // concurrent requests on one HTTP/2 connection
	// stopTimeout is how long to wait for work after it was canceled.
	stopTimeout = 5 * time.Second
	// StopTime is how long [Serve] takes to stop at most, with the usual grace period.
	StopTime = defaultGrace + stopTimeout + time.Second
)

// Serve answers requests on ln until ctx ends. It then stops accepting requests, finishes running ones within
// the grace period, and returns nil; after it, remaining requests are canceled, and the error reports them.
// It closes ln.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, o ServeOptions) error {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	if o.Connections <= 0 {
		o.Connections = defaultConnections()
	}
	limited := &connections{Listener: ln, limit: o.Connections, cleartext: true}
	ln = limited
	if s, ok := limited.Listener.(*secured); ok {
		limited.Listener, limited.cleartext = s.Listener, false
		ln = newSecureConnections(limited, s.config, o.Logger)
	}
	running := &running{Handler: h, ended: make(chan struct{})}
	srv := &http.Server{
		Handler:     running,
		BaseContext: func(net.Listener) context.Context { return context.WithValue(work, workKey{}, work) },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, unwrapConn(c))
		},
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelWarn),

		MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,

		// OPTIONS * comes to the handler like any other request, and is counted.
		DisableGeneralOptionsHandler: true,
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		end()
		srv.Close()
		running.wait(stopTimeout)
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Grace)
	defer cancel()
	err := srv.Shutdown(grace)
	<-failed
	if err == nil {
		return nil
	}
	left := running.count()
	end()
	srv.Close()
	running.wait(stopTimeout)
	return fmt.Errorf("canceled %d requests that were still running %s after the stop: %w", left, o.Grace, err)
}

// running is a handler that counts the requests being answered.
type running struct {
	http.Handler
	mu     sync.Mutex
	n      int
	closed bool
	ended  chan struct{} // closed when n is 0 and stays so
}

func (s *running) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		panic(http.ErrAbortHandler) // the connection is closed already
	}
	s.n++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.n--; s.n == 0 && s.closed {
			close(s.ended)
		}
	}()
	if c := connOf(r.Context()); c != nil {
		c.begin()
		defer c.end()
		r = c.rejectAmbiguous(w, r)
	}
	s.Handler.ServeHTTP(w, r)
}

func (s *running) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// wait refuses further requests, and waits for the running ones.
func (s *running) wait(limit time.Duration) {
	s.mu.Lock()
	s.closed = true
	idle := s.n == 0
	s.mu.Unlock()
	if idle {
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-s.ended:
	case <-timer.C:
	}
}
