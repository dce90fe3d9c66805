package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"bugle/store"
	"bugle/store/kv"
)

// host is the store in this process, and the socket for other processes.
type host struct {
	handle *handle
	driver kv.Driver
	intro  introduction

	srv     http.Server
	socket  string          // its path; empty if there is none
	serving sync.WaitGroup  // the goroutine that accepts connections
	clients sync.WaitGroup  // the connections, and tidy
	work    context.Context // ends when this process starts to quit
	quit    context.CancelFunc

	mu       sync.Mutex
	latest   uint64   // number of the latest news
	problems []string // so far
	feeds    []*feed  // of other processes
}

// newHost opens the store.
func newHost(ctx context.Context, h *handle) (o *host, err error) {
	o = &host{handle: h, intro: introduction{Protocol: protocol, Version: h.o.Version, PID: os.Getpid(), ID: uuid.NewString()}}
	o.work, o.quit = context.WithCancel(context.Background())
	o.driver, err = h.o.Opener(ctx, func(problem string) { o.publish(&response{Problems: []string{problem}}) })
	return o, err
}

// listen makes the store available to other processes.
func (o *host) listen() error {
	o.clients.Go(o.tidy)
	l, err := listen(o.handle.dir)
	if err != nil {
		return err
	}
	o.socket = socketOf(o.handle.dir)
	o.srv.ReadHeaderTimeout, o.srv.ErrorLog = 10*time.Second, log.New(io.Discard, "", 0)
	o.srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch other := o.handle.o.Handler; {
		case r.URL.Path == helloPath:
			o.upgrade(w)
		case other != nil:
			other.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	o.srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if o.handle.peer(c) != nil {
			_ = c.Close()
		}
		return ctx
	}
	o.serving.Go(func() {
		if err := o.srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			o.handle.setError(err)
		}
	})
	return nil
}

// upgrade introduces the owner, and answers the requests on a connection until the client or the owner quits.
func (o *host) upgrade(w http.ResponseWriter) {
	o.mu.Lock()
	if o.work.Err() != nil {
		o.mu.Unlock()
		return
	}
	o.clients.Add(1)
	o.mu.Unlock()
	defer o.clients.Done()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: bugle\r\n\r\n")
	_ = json.NewEncoder(conn).Encode(o.intro) // if it fails, so does what follows
	o.serve(newStream[request, response](conn, buffered))
}

// idleLimit is how long a client may leave a snapshot unused. A suspended client would keep old data alive.
const idleLimit = time.Minute

// serve answers the requests on a connection, and closes it at the end.
func (o *host) serve(s *stream[request, response]) {
	defer s.Close()
	stop := context.AfterFunc(o.work, func() { _ = s.SetReadDeadline(time.Unix(1, 0)) }) // nothing more is read
	defer stop()
	var snap kv.Snapshot
	defer func() { release(snap) }()
	for {
		limit := time.Time{}
		if snap != nil {
			limit = time.Now().Add(idleLimit)
		}
		_ = s.SetReadDeadline(limit)
		if o.work.Err() != nil {
			return
		}
		q, err := s.receive()
		if err != nil {
			return
		}
		if q.Op == opFollow {
			o.feed(s, q.Lease)
			return
		}
		r, err := o.respond(&snap, &q)
		if err != nil && o.work.Err() != nil {
			return // the client asks the next owner
		}
		r.Fault = faultOf(err)
		if s.send(&r) != nil {
			return
		}
	}
}

func release(snap kv.Snapshot) {
	if snap != nil {
		snap.Release()
	}
}

// respond answers a request on a connection with that snapshot, or nil.
func (o *host) respond(snap *kv.Snapshot, q *request) (r response, err error) {
	if *snap == nil && (q.Op == opGet || q.Op == opVersions || q.Op == opScan) {
		return r, errors.New("there is no snapshot")
	}
	switch q.Op {
	case opSnapshot, opRelease:
		release(*snap)
		*snap = nil
		if q.Op == opSnapshot {
			*snap, err = o.driver.Snapshot(o.work)
		}
	case opGet:
		r.Item, err = (*snap).Get(o.work, q.Key)
	case opVersions:
		r.Versions, err = (*snap).Versions(o.work, q.Keys)
	case opScan:
		size := 0
		err = (*snap).Scan(o.work, q.Key, q.Scan, func(i kv.Item) error {
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
		return o.answer(o.work, q)
	}
	return r, err
}

func (o *host) snapshot(ctx context.Context) (kv.Snapshot, error) { return o.driver.Snapshot(ctx) }

func (o *host) answer(ctx context.Context, q *request) (r response, err error) {
	switch q.Op {
	case opCommit:
		err = o.commit(ctx, q.Lease, q.Change)
	case opVerify:
		err = o.driver.Verify(ctx)
	case opSuspect:
		if s, ok := o.driver.(kv.Suspecter); ok {
			s.Suspect(errors.New(q.Text))
		}
	case opHeld:
		r.Yes, err = o.leaseHeld(ctx, q.Lease)
	case opSequence:
		o.mu.Lock()
		defer o.mu.Unlock()
		r.Sequence = o.latest
	default:
		err = fmt.Errorf("unexpected request %d", q.Op)
	}
	return r, err
}

// commit commits a change of the process with that lease, and publishes it.
func (o *host) commit(ctx context.Context, lease string, c kv.Change) error {
	err := o.driver.Commit(ctx, c)
	if changes := changesOf(c.Writes); err == nil && len(changes) > 0 {
		o.publish(&response{Lease: lease, Changes: changes})
	}
	return err
}

// changesOf returns the changes to publish after writes.
func changesOf(writes []kv.Write) (out []store.Change) {
	seen := map[store.Change]bool{}
	for _, w := range writes {
		if c, ok := kv.ChangeFor(w.Key); ok && !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}

// feed is the news that another process has not received yet.
type feed struct {
	lease string
	news  chan *response // closed if the process is too slow
}

// maxNews is how many news a process may leave unread before it is disconnected.
const maxNews = 1000

// publish sends news to all processes.
func (o *host) publish(n *response) {
	o.mu.Lock()
	o.latest++
	n.Sequence = o.latest
	o.problems = append(o.problems, n.Problems...)
	o.feeds = slices.DeleteFunc(o.feeds, func(f *feed) bool {
		select {
		case f.news <- n:
			return false
		default:
			close(f.news)
			return true
		}
	})
	o.mu.Unlock()
	o.handle.heard(n)
}

// beat is how often a feed sends something at least.
const beat = 3 * time.Second

// feed sends news until the client or the owner quits.
func (o *host) feed(s *stream[request, response], lease string) {
	f := &feed{lease, make(chan *response, maxNews)}
	o.mu.Lock()
	n, open := &response{Sequence: o.latest, Problems: slices.Clone(o.problems)}, true
	o.feeds = append(o.feeds, f)
	o.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = s.receive() // until the client or the owner quits
	}()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for open && s.send(n) == nil {
		select {
		case n, open = <-f.news:
		case <-tick.C:
			n = new(response)
		case <-ended:
			open = false
		}
	}
	_ = s.Close()
	<-ended
	o.mu.Lock()
	defer o.mu.Unlock()
	o.feeds = slices.DeleteFunc(o.feeds, func(other *feed) bool { return other == f })
}

// reconnectTime is how long it takes at most until a running process has connected again.
const reconnectTime = 500 * time.Millisecond

// leaseHeld reports whether the process with that lease is running.
func (o *host) leaseHeld(ctx context.Context, lease string) (held bool, err error) {
	held = lease == o.handle.lease
	for left := 20; !held && left > 0 && err == nil; left-- {
		o.mu.Lock()
		held = slices.ContainsFunc(o.feeds, func(f *feed) bool { return f.lease == lease })
		o.mu.Unlock()
		if !held {
			err = pause(ctx, reconnectTime/20)
		}
	}
	return held, err
}

// sync has nothing to wait for: a commit is published before it ends.
func (o *host) sync(context.Context) error { return nil }

func (o *host) lost() bool { return false }

// close ends the connections and closes the store. Requests that are being answered end first; transactions of other
// processes run again with the next owner.
func (o *host) close() error {
	// Remove the socket while this process still has the store: afterwards it may be the next owner's.
	if o.socket != "" {
		_ = os.Remove(o.socket) // if it fails, the next owner replaces it
	}
	o.mu.Lock()
	o.quit()
	o.mu.Unlock()
	o.clients.Wait()
	err := o.driver.Close()
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	if o.srv.Shutdown(ctx) != nil { // some request of the API takes too long
		_ = o.srv.Close()
	}
	o.serving.Wait()
	if err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}
