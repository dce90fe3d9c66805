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
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"bugle/store"
	"bugle/store/kv"
)

// host is the store in this process, and the socket for other processes.
type host struct {
	driver kv.Driver
	log    *slog.Logger
	intro  introduction
	lease  string     // of this process
	since  time.Time  // when it became the owner
	onNews func(news) // receives the changes of all processes

	srv     *http.Server
	socket  *socket
	served  sync.WaitGroup  // the goroutine that accepts connections
	clients sync.WaitGroup  // connections of [host.serve]
	work    context.Context // ends when this process starts to quit
	quit    context.CancelFunc
	closed  chan struct{} // closed when the store is closed

	mu     sync.Mutex
	latest uint64            // number of the latest news
	told   []string          // notices so far
	feeds  map[*feed]string  // of other processes, by lease
	conns  map[net.Conn]bool // nil once the store is being closed
}

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

// The paths on the socket. That of the introduction must never change, because all protocol versions use it.
const (
	ownPaths    = "/local/"
	helloPath   = ownPaths + "hello"
	changesPath = ownPaths + "changes"
	storePath   = ownPaths + "store"
)

// news is one line of the feed of changes. The first line has only a number: later changes are not missed.
type news struct {
	Sequence uint64         `json:"sequence,omitempty"`
	Lease    string         `json:"lease,omitempty"` // of the process that made the changes
	Changes  []store.Change `json:"changes,omitempty"`
	Notices  []string       `json:"notices,omitempty"` // problems of the store; in the first line those so far
}

// newHost returns the owner of a store, which [host.listen] makes available to other processes.
func newHost(h *handle, driver kv.Driver) *host {
	o := &host{
		driver: driver, log: h.log, lease: h.lease, onNews: h.handleNews, since: time.Now(),
		intro: introduction{Protocol: Protocol, Version: h.o.Version, PID: os.Getpid(), ID: uuid.NewString()},
		feeds: map[*feed]string{}, conns: map[net.Conn]bool{}, closed: make(chan struct{}),
	}
	o.work, o.quit = context.WithCancel(context.Background())
	if n, ok := driver.(NoticeSource); ok {
		n.OnNotice(func(notice string) { o.publish(news{Notices: []string{notice}}) })
	}
	var other http.Handler
	if h.o.Handler != nil {
		other = h.o.Handler(h.db)
	}
	o.srv = &http.Server{
		Handler: o.handler(other), ReadHeaderTimeout: 10 * time.Second,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, h.peer(c))
		},
		ErrorLog: slog.NewLogLogger(o.log.Handler(), slog.LevelWarn),
	}
	return o
}

// listen opens the socket. If that fails, no other process can connect.
func (o *host) listen(dir string) {
	s, err := listen(dir)
	if err != nil {
		o.log.Warn("other processes cannot connect", "error", err)
		return
	}
	o.socket = s
	o.clients.Go(o.tidy)
	o.served.Go(func() {
		if err := o.srv.Serve(s.Listener); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			o.log.Error("other processes can no longer connect", "error", err)
		}
	})
}

// peerKey is the context key of the error with which the process at the other end of a connection is refused.
type peerKey struct{}

func (o *host) handler(other http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+helloPath, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(o.intro) // if it fails, the client has gone
	})
	mux.HandleFunc("GET "+changesPath, o.serveChanges)
	mux.HandleFunc("GET "+storePath, o.serveStore)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(ownerHeader)
		switch err, _ := r.Context().Value(peerKey{}).(error); {
		case err != nil:
			o.log.Warn("a connection was refused", "error", err)
			http.Error(w, err.Error(), http.StatusForbidden)
		case other != nil && !strings.HasPrefix(r.URL.Path, ownPaths):
			other.ServeHTTP(w, r)
		case id != "" && id != o.intro.ID:
			http.Error(w, errLeaving.Error(), http.StatusServiceUnavailable) // the expected owner has quit
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// feed is the news that a client has not received yet.
type feed struct {
	pending []news
	more    chan struct{} // holds an element when news are pending
}

// publish sends news to all processes.
func (o *host) publish(n news) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.latest++
	n.Sequence = o.latest
	o.told = append(o.told, n.Notices...)
	o.onNews(n)
	for f := range o.feeds {
		f.pending = append(f.pending, n)
		select {
		case f.more <- struct{}{}:
		default:
		}
	}
}

// stopTimeout is how long a client may take to read its news.
const stopTimeout = 5 * time.Second

// serveChanges sends every change until the client or the owner quits.
func (o *host) serveChanges(w http.ResponseWriter, r *http.Request) {
	f := &feed{more: make(chan struct{}, 1)}
	o.mu.Lock()
	first := news{Sequence: o.latest, Notices: o.told}
	o.feeds[f] = r.Header.Get(leaseHeader)
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.feeds, f)
	}()
	rc, lines := http.NewResponseController(w), json.NewEncoder(w)
	line := func(n news) {
		_ = rc.SetWriteDeadline(time.Now().Add(stopTimeout)) // a client that does not read is disconnected
		_ = lines.Encode(n)                                  // if it fails, the request's context ends the feed
		_ = rc.Flush()
	}
	line(first)
	for {
		select {
		case <-f.more:
		case <-r.Context().Done():
			return
		case <-o.closed:
			return
		}
		o.mu.Lock()
		pending := f.pending
		f.pending = nil
		o.mu.Unlock()
		for _, n := range pending {
			line(n)
		}
	}
}

const upgraded = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: bugle\r\n\r\n"

// serveStore switches the connection to the protocol of [request] and [response].
func (o *host) serveStore(w http.ResponseWriter, r *http.Request) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	o.mu.Lock()
	open := o.conns != nil
	if open {
		o.conns[conn] = true
		o.clients.Add(1)
	}
	o.mu.Unlock()
	if !open {
		return
	}
	defer o.clients.Done()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.conns, conn)
	}()
	if _, err := conn.Write([]byte(upgraded)); err == nil {
		o.serve(conn, buffered.Reader, r.Header.Get(leaseHeader))
	}
}

// idleLimit is how long a client may leave a snapshot unused. A suspended client would keep old data alive.
const idleLimit = time.Minute

// serve answers the requests of the client with that lease until the connection breaks.
func (o *host) serve(conn net.Conn, in *bufio.Reader, lease string) {
	c := client{host: o, lease: lease}
	defer c.release()
	s := newStream[request, response](in, conn)
	for {
		limit := time.Time{}
		if c.snap != nil {
			limit = time.Now().Add(idleLimit)
		}
		_ = conn.SetReadDeadline(limit)
		if o.work.Err() != nil {
			return
		}
		q, err := s.receive()
		if err != nil {
			return
		}
		r, err := c.respond(o.work, q)
		if errors.Is(err, context.Canceled) {
			err = errLeaving // nothing was written
		}
		r.Fault = faultOf(err)
		if s.send(&r) != nil {
			return
		}
	}
}

// client is the owner's side of one connection of another process.
type client struct {
	host  *host
	lease string // of the client process
	snap  kv.Snapshot
}

func (c *client) release() {
	if c.snap != nil {
		c.snap.Release()
		c.snap = nil
	}
}

// errNoSnapshot reports a request that needs a snapshot.
var errNoSnapshot = errors.New("there is no snapshot")

// respond handles one request.
func (c *client) respond(ctx context.Context, q *request) (r response, err error) {
	o := c.host
	switch q.Op {
	case opSnapshot:
		c.release()
		c.snap, err = o.driver.Snapshot(ctx)
		return r, err
	case opRelease:
		c.release()
		return r, nil
	case opCommit:
		return r, o.commit(ctx, c.lease, q.Change)
	case opVerify:
		return r, o.driver.Verify(ctx)
	case opSuspect:
		if s, ok := o.driver.(kv.Suspecter); ok {
			s.Suspect(errors.New(q.Name))
		}
		return r, nil
	case opHeld:
		r.Yes, err = o.leaseHeld(ctx, q.Name)
		return r, err
	case opSequence:
		o.mu.Lock()
		defer o.mu.Unlock()
		r.Sequence = o.latest
		return r, nil
	}
	if c.snap == nil {
		return r, errNoSnapshot
	}
	switch q.Op {
	case opGet:
		r.Item, err = c.snap.Get(ctx, q.Key)
		r.Item.Key = nil // the client has it
	case opVersions:
		r.Versions, err = c.snap.Versions(ctx, q.Keys)
	case opScan:
		size := 0
		err = c.snap.Scan(ctx, q.Key, q.Scan, func(i kv.Item) error {
			if size >= q.Size {
				r.More = true
				return store.Stop
			}
			size += len(i.Key) + len(i.Value)
			r.Items = append(r.Items, kv.Item{Key: slices.Clone(i.Key), Value: slices.Clone(i.Value), Version: i.Version})
			return nil
		})
		if errors.Is(err, store.Stop) {
			err = nil
		}
	default:
		err = fmt.Errorf("unexpected request %d", q.Op)
	}
	return r, err
}

// commit commits a change of the process with that lease, and publishes it.
func (o *host) commit(ctx context.Context, lease string, c kv.Change) error {
	err := o.driver.Commit(ctx, c)
	if changes := changesOf(c.Writes); err == nil && len(changes) > 0 {
		o.publish(news{Lease: lease, Changes: changes})
	}
	return err
}

// mergeChanges is the number of changes from which those of users are published as a single change of several users.
const mergeChanges = 100

// changesOf returns the changes to publish after writes.
func changesOf(writes []kv.Write) (out []store.Change) {
	for _, w := range writes {
		c, ok := kv.ChangeFor(w.Key)
		if !ok {
			continue
		}
		if c.Kind == store.ChangedUser && len(out) >= mergeChanges {
			c.ID = ""
		}
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// reconnectTime is how long it takes at most until all running processes have connected to a new owner.
const reconnectTime = 500 * time.Millisecond

// leaseHeld reports whether the process with that lease is running.
func (o *host) leaseHeld(ctx context.Context, lease string) (bool, error) {
	if lease == o.lease {
		return true, nil
	}
	for {
		held := false
		o.mu.Lock()
		for _, of := range o.feeds {
			held = held || of == lease
		}
		o.mu.Unlock()
		left := reconnectTime - time.Since(o.since)
		if held || left <= 0 {
			return held, nil
		}
		if err := pause(ctx, min(left, reconnectTime/20)); err != nil {
			return false, err
		}
	}
}

// close ends the connections and closes the store. Requests that are being answered end first; transactions of other
// processes run again with the next owner.
func (o *host) close() error {
	o.quit()
	o.mu.Lock()
	for c := range o.conns {
		_ = c.SetReadDeadline(time.Unix(1, 0)) // nothing more is read
	}
	o.conns = nil
	o.mu.Unlock()
	o.clients.Wait()
	// Remove the socket while this process still has the store: afterwards it may be the next owner's.
	if o.socket != nil {
		o.socket.remove()
	}
	err := o.driver.Close()
	close(o.closed) // the others look for the next owner
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := o.srv.Shutdown(ctx); err != nil {
		o.log.Warn("a connection was closed", "error", err)
		_ = o.srv.Close()
	}
	o.served.Wait()
	if err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}
