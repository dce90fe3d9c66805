package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"bugle/store"
	"bugle/store/kv"
)

// host is the store in this process, and the socket for other processes.
type host struct {
	db     kv.DB
	log    *slog.Logger
	intro  introduction
	lease  string     // of this process
	onNews func(news) // receives the changes of all processes
	since  time.Time  // when this process became the owner

	calls   gate // transactions and jobs of all processes
	commits *commits
	news    *feed[news]
	work    context.Context // context of requests on the socket
	end     context.CancelFunc

	mu     sync.Mutex
	leases map[string]int // number of feeds of each client, by lease
	latest uint64         // sequence number of the latest change
	conns  map[net.Conn]struct{}

	srv         *http.Server
	socket      *socket
	served      sync.WaitGroup // connections and the goroutines that accept them
	socketWatch sync.WaitGroup // the goroutine that watches the socket
	feeds       sync.WaitGroup // feeds of other processes
	stopFeeds   chan struct{}  // closed when the feeds must end
	drained     bool           // all requests were answered before the store was closed; set before stopFeeds is closed
}

// stopTimeout is how long to wait for canceled work to end.
const stopTimeout = 5 * time.Second

func newHost(d *DB, db kv.DB) *host {
	h := &host{
		db: db, log: d.log, onNews: d.handleNews, lease: d.Lease(), since: time.Now(),
		intro:   introduction{Protocol: Protocol, Version: d.o.Version, PID: os.Getpid(), ID: uuid.NewString()},
		commits: newCommits(db), news: newFeed(keepAll[news]), leases: map[string]int{}, conns: map[net.Conn]struct{}{},
		stopFeeds: make(chan struct{}),
	}
	h.work, h.end = context.WithCancel(context.Background())
	if n, ok := db.(NoticeSource); ok {
		n.OnNotice(func(notice string) { h.news.send(news{Notice: notice}) })
	}
	var other http.Handler
	if d.o.Handler != nil {
		other = d.o.Handler(d)
	}
	h.srv = &http.Server{
		Handler: h.handler(other), ReadHeaderTimeout: 10 * time.Second,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, d.peer(c))
		},
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelWarn),
	}
	return h
}

// listen opens the socket, and keeps it available. If that fails, no other process can connect.
func (h *host) listen(dir string) {
	s, err := listen(dir)
	if err != nil {
		h.log.Warn("other processes cannot connect", "error", err)
		return
	}
	h.serve(s)
	h.socketWatch.Go(func() { h.watchSocket(dir) })
}

func (h *host) serve(s *socket) {
	h.socket = s
	h.served.Go(func() {
		if err := h.srv.Serve(s.Listener); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			h.log.Error("other processes can no longer connect", "error", err)
		}
	})
}

// socketCheckInterval is how often the owner checks that clients can find its socket.
const socketCheckInterval = 500 * time.Millisecond

// watchSocket reopens the socket if it was removed, for example by a program that cleans up old files.
func (h *host) watchSocket(dir string) {
	tick := time.NewTicker(socketCheckInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-h.work.Done():
			return
		}
		if !h.socket.lost() {
			continue
		}
		s, err := listen(dir)
		if err != nil {
			h.log.Warn("the socket is missing, and other processes cannot connect", "error", err)
			continue
		}
		h.log.Info("the socket was missing and is restored")
		former := h.socket
		h.serve(s)
		_ = former.Listener.Close() // no process can find it any more
	}
}

// The paths on the socket. That of the introduction must never change, because all protocol versions use it.
const (
	ownPaths     = "/local/"
	helloPath    = ownPaths + "hello"
	root         = ownPaths + "v2/"
	changesPath  = root + "changes"
	transactPath = root + "transactions"
	jobPath      = root + "job"
)

// introduction is the owner's response to clients of every protocol version.
type introduction struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	// ID is different each time a process opens the store.
	ID string `json:"id,omitempty"`
}

// The headers of a request: the id of the owner that the client expects, from its [introduction], and the lease of the
// client. A new connection may reach the next owner before the client notices that the former one has quit.
const (
	ownerHeader = "X-Bugle-Owner"
	leaseHeader = "X-Bugle-Lease"
)

// news is one line of the feed of changes. The first line has only a sequence number: later changes are not missed.
type news struct {
	Sequence uint64         `json:"sequence,omitempty"`
	Lease    string         `json:"lease,omitempty"` // of the process that made the changes
	Changes  []store.Change `json:"changes,omitempty"`
	// Bye reports that the owner has answered all accepted requests and has closed the store.
	Bye    bool   `json:"bye,omitempty"`
	Notice string `json:"notice,omitempty"` // a problem of the store
}

// peerKey is the context key of the error with which the process at the other end of a connection is refused.
type peerKey struct{}

func (h *host) handler(other http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+helloPath, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(h.intro) // if it fails, the client has gone
	})
	mux.HandleFunc("GET "+changesPath, h.serveChanges)
	mux.HandleFunc("GET "+transactPath, h.serveTransactions)
	mux.HandleFunc("POST "+jobPath, h.serveJob)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err, _ := r.Context().Value(peerKey{}).(error); err != nil {
			h.log.Warn("a connection was refused", "error", err)
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		if other != nil && !strings.HasPrefix(r.URL.Path, ownPaths) {
			other.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), servedKey{}, true)))
			return
		}
		if id := r.Header.Get(ownerHeader); id != "" && id != h.intro.ID {
			http.Error(w, errLeaving.Error(), http.StatusServiceUnavailable) // the expected owner has quit
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serveTransactions switches the connection to the transaction protocol.
func (h *host) serveTransactions(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	closed := h.conns == nil
	if !closed {
		h.served.Add(1)
	}
	h.mu.Unlock()
	if closed {
		http.Error(w, errLeaving.Error(), http.StatusServiceUnavailable)
		return
	}
	defer h.served.Done()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	h.mu.Lock()
	if closed = h.conns == nil; !closed {
		h.conns[conn] = struct{}{}
	}
	h.mu.Unlock()
	if closed {
		return
	}
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.conns, conn)
	}()
	h.transact(conn, buffered.Reader, r.Header.Get(leaseHeader))
}

const upgraded = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: bugle\r\n\r\n"

// transact answers transactions of the client with that lease until the connection breaks.
func (h *host) transact(conn net.Conn, in *bufio.Reader, lease string) {
	c := &client{stream: newStream[request, response](in, conn), host: h, conn: conn, lease: lease}
	if _, err := c.out.WriteString(upgraded); err == nil {
		c.serve()
	}
}

// publish sends news to all processes.
func (h *host) publish(n news) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latest++
	n.Sequence = h.latest
	h.onNews(n)
	h.news.send(n)
}

// sequence returns the sequence number of the latest change.
func (h *host) sequence() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.latest
}

// lost returns a sentence for each lost part of the store.
func (h *host) lost() []string {
	if l, ok := h.db.(interface{ Lost() []string }); ok {
		return l.Lost()
	}
	return nil
}

// reconnectTime is how long it takes at most until all running processes have connected to a new owner.
const reconnectTime = 500 * time.Millisecond

// leaseHeld reports whether the process with that lease is running.
func (h *host) leaseHeld(ctx context.Context, lease string) (bool, error) {
	if lease == h.lease {
		return true, nil
	}
	for {
		h.mu.Lock()
		held := h.leases[lease] > 0
		h.mu.Unlock()
		left := reconnectTime - time.Since(h.since)
		if held || left <= 0 {
			return held, nil
		}
		if err := pause(ctx, min(left, reconnectTime/20)); err != nil {
			return false, err
		}
	}
}

// addFeeds adds n to the number of feeds of the client with that lease.
func (h *host) addFeeds(lease string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leases[lease] += n; h.leases[lease] == 0 {
		delete(h.leases, lease)
	}
}

// serveChanges sends every change until the client or the owner quits.
func (h *host) serveChanges(w http.ResponseWriter, r *http.Request) {
	if !h.calls.enter() { // so that no feed begins while they are being stopped
		http.Error(w, errLeaving.Error(), http.StatusServiceUnavailable)
		return
	}
	h.feeds.Add(1)
	h.calls.leave()
	defer h.feeds.Done()
	lease := r.Header.Get(leaseHeader)
	h.addFeeds(lease, 1)
	defer h.addFeeds(lease, -1)
	changes := h.news.subscribe(r.Context())
	rc, lines := http.NewResponseController(w), json.NewEncoder(w)
	line := func(n news) {
		_ = rc.SetWriteDeadline(time.Now().Add(stopTimeout)) // a client that does not read is disconnected
		_ = lines.Encode(n)                                  // if it fails, the request's context ends the feed
		_ = rc.Flush()
	}
	line(news{Sequence: h.sequence()})
	for {
		select {
		case n, ok := <-changes:
			if !ok { // the client has gone
				return
			}
			line(n)
		case <-h.stopFeeds:
			line(news{Bye: h.drained})
			return
		}
	}
}

// close waits for running transactions, closes the store, and ends the connections. It cancels transactions that take
// longer than grace.
func (h *host) close(grace time.Duration) error {
	idle := h.calls.close()
	inTime := within(idle, grace)
	h.end()
	if !inTime && !within(idle, stopTimeout) {
		h.log.Error("transactions did not finish in time")
	}
	h.socketWatch.Wait()
	// Remove the socket while this process still has the store: afterwards it may be the next owner's.
	if h.socket != nil {
		h.socket.remove()
	}
	err := h.db.Close()
	select {
	case <-idle:
		h.drained = true
	default:
	}
	close(h.stopFeeds)
	h.closeConns()
	if err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// closeConns closes the connections after the last responses were sent.
func (h *host) closeConns() {
	h.feeds.Wait()
	h.news.close()
	h.mu.Lock()
	for c := range h.conns {
		_ = c.Close()
	}
	h.conns = nil
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := h.srv.Shutdown(ctx); err != nil {
		h.log.Warn("a connection was closed", "error", err)
		h.srv.Close()
	}
	h.served.Wait()
}

func within(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}
