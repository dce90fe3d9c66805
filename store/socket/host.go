package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
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
	intro  Introduction

	srv     http.Server
	socket  string          // its path; empty if there is none
	serving sync.WaitGroup  // the goroutine that accepts connections
	clients sync.WaitGroup  // the connections, and tidy
	work    context.Context // ends when this process starts to quit
	quit    context.CancelFunc

	mu       sync.Mutex
	recent   []news // at most maxNews
	latest   uint64 // number of the latest news
	more     chan struct{}
	problems []string // so far
	sessions map[*session]bool
}

// newHost opens the store.
func newHost(ctx context.Context, h *handle) (o *host, err error) {
	o = &host{
		handle: h, more: make(chan struct{}), sessions: map[*session]bool{},
		intro: Introduction{Protocol: protocol, Version: h.o.Version, PID: os.Getpid(), ID: uuid.NewString()},
	}
	o.work, o.quit = context.WithCancel(context.Background())
	o.driver, err = h.o.Opener(ctx, func(problem string) { o.publish(news{Problems: []string{problem}}) })
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
		if r.URL.Path == helloPath {
			o.upgrade(w)
		} else {
			o.handle.o.Handler.ServeHTTP(w, r)
		}
	})
	o.serving.Go(func() {
		if err := o.srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			o.handle.setError(err)
		}
	})
	return nil
}

// upgrade answers the requests of another process until that or this one quits.
func (o *host) upgrade(w http.ResponseWriter) {
	o.mu.Lock()
	if o.work.Err() != nil {
		o.mu.Unlock()
		return
	}
	o.clients.Add(1)
	o.mu.Unlock()
	defer o.clients.Done()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = conn.SetDeadline(time.Time{}) // that of the headers
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: bugle\r\n\r\n")
	o.serve(conn) // ends at once if that failed
}

func (o *host) snapshot(ctx context.Context) (kv.Snapshot, error) { return o.driver.Snapshot(ctx) }

func (o *host) answer(ctx context.Context, q *request) (*response, error) {
	r := new(response)
	var err error
	switch q.Op {
	case opCommit:
		err = o.commit(ctx, q.Lease, q.Change)
	case opVerify:
		err = o.driver.Verify(ctx)
	case opSuspect:
		o.driver.Suspect(errors.New(q.Text))
	case opHeld:
		r.Yes, err = o.leaseHeld(ctx, q.Lease)
	case opNews:
		r.News = o.newsAfter(ctx, q.After, q.Wait)
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

// maxNews is how many news are kept for processes that are behind.
const maxNews = 1000

// publish passes news on to all processes.
func (o *host) publish(n news) {
	o.mu.Lock()
	o.latest++
	n.Number = o.latest
	o.problems = append(o.problems, n.Problems...)
	if o.recent = append(o.recent, n); len(o.recent) == 2*maxNews {
		o.recent = slices.Clone(o.recent[maxNews:])
	}
	close(o.more)
	o.more = make(chan struct{})
	o.mu.Unlock()
	o.handle.heard(n)
}

// beat is how long a process waits for news at most, before it gets a response without any.
const beat = 3 * time.Second

// newsAfter returns the news after a number. A process that is too far behind is told that anything may have changed.
func (o *host) newsAfter(ctx context.Context, number uint64, wait bool) []news {
	o.mu.Lock()
	defer o.mu.Unlock()
	if wait && o.latest == number {
		more := o.more
		o.mu.Unlock()
		select {
		case <-more:
		case <-time.After(beat):
		case <-ctx.Done():
		}
		o.mu.Lock()
	}
	behind := o.latest - min(number, o.latest)
	if behind > uint64(len(o.recent)) {
		return []news{{Number: o.latest, Changes: []store.Change{{}}, Problems: slices.Clone(o.problems)}}
	}
	return slices.Clone(o.recent[uint64(len(o.recent))-behind:])
}

// reconnectTime is how long it takes at most until a running process has connected again.
const reconnectTime = 500 * time.Millisecond

// leaseHeld reports whether the process with that lease is running.
func (o *host) leaseHeld(ctx context.Context, lease string) (held bool, err error) {
	held = lease == o.handle.lease
	for left := 20; !held && left > 0 && err == nil; left-- {
		o.mu.Lock()
		for s := range o.sessions {
			held = held || s.lease == lease && s.work.Err() == nil
		}
		o.mu.Unlock()
		if !held {
			err = pause(ctx, reconnectTime/20)
		}
	}
	return held, err
}

// news has nothing to do: a commit is published before it ends.
func (o *host) news(context.Context, bool) error { return nil }

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
