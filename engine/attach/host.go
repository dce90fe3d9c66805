package attach

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
)

// host is the store in this process, and its socket.
type host struct {
	owned Owned
	log   *slog.Logger
	intro hello
	told  func(news) // hears of every change, here

	calls gate // those that run, of all processes
	news  *feed[news]
	work  context.Context // of the calls that came through the socket
	end   context.CancelFunc

	mu       sync.Mutex
	services map[string]Service
	stops    map[string]context.CancelFunc // by asked.Call

	srv       *http.Server
	socket    *socket
	served    sync.WaitGroup // done when srv takes no more connections
	keeper    sync.WaitGroup // the goroutines that watch the socket and the changes of other processes
	following sync.Once      // see [host.follow]
	feeds     sync.WaitGroup // readers of news in other processes
	goaway    chan struct{}  // closed when they are to end
	let       bool           // the store was let go in order; set before goaway is closed
}

// stopTimeout is how long what was told to end is waited for.
const stopTimeout = 5 * time.Second

func newHost(n *Node, owned Owned) *host {
	h := &host{
		owned: owned, log: n.log, told: n.heard,
		intro: hello{Protocol: Protocol, Version: n.o.Version, PID: os.Getpid(), ID: uuid.NewString()},
		news:  newFeed(everything[news]), services: map[string]Service{}, stops: map[string]context.CancelFunc{},
		goaway: make(chan struct{}),
	}
	h.work, h.end = context.WithCancel(context.Background())
	if o, ok := owned.(Noticing); ok {
		o.Tell(func(notice string) { h.news.send(news{Notice: notice}) })
	}
	var v5 http.Handler
	if n.o.Handler != nil {
		v5 = n.o.Handler(n)
	}
	h.srv = &http.Server{
		Handler: h.handler(v5), ReadHeaderTimeout: 10 * time.Second,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, n.peer(c))
		},
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelWarn),
	}
	return h
}

// follow starts to forward the changes of other processes, if the store has them. Later calls do nothing.
func (h *host) follow() {
	if o, ok := h.owned.(Following); ok {
		h.following.Do(func() {
			h.keeper.Go(func() { o.Follow(h.work, func(c Change) { h.tell(news{Change: c}) }) })
		})
	}
}

// listen opens the socket, and looks after it. Without one the owner works alone.
func (h *host) listen(dir string) {
	s, err := listen(dir)
	if err != nil {
		h.log.Warn("other processes cannot connect", "error", err)
		return
	}
	h.serve(s)
	h.keeper.Go(func() { h.keep(dir) })
}

func (h *host) serve(s *socket) {
	h.socket = s
	h.served.Go(func() {
		if err := h.srv.Serve(s.Listener); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			h.log.Error("other processes can no longer connect", "error", err)
		}
	})
}

// keeping is how often an owner looks whether its socket can still be found.
const keeping = 500 * time.Millisecond

// keep opens the socket anew where somebody has removed it, such as a cleaner of old files.
func (h *host) keep(dir string) {
	tick := time.NewTicker(keeping)
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
		_ = former.Listener.Close() // nobody can find it
	}
}

// service returns the service of a workspace, opened once.
func (h *host) service(workspace string) (Service, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.services[workspace]; ok {
		return s, nil
	}
	s, err := h.owned.Open(workspace)
	if err != nil {
		return nil, err
	}
	h.services[workspace] = s
	return s, nil
}

// tidier is a service that keeps something in memory beside the store.
type tidier interface {
	// Reindex is called when a job has changed the store behind the service's back.
	Reindex()
	// Close ends what goes on in the background.
	Close() error
}

// tidiers returns the services that are open and keep something.
func (h *host) tidiers() []tidier {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []tidier
	for _, s := range h.services {
		if t, ok := s.(tidier); ok {
			out = append(out, t)
		}
	}
	return out
}

func (h *host) tell(n news) {
	h.told(n)
	h.news.send(n)
}

// stoppable returns a context that [host.stop] ends.
func (h *host) stoppable(ctx context.Context, call string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	h.mu.Lock()
	h.stops[call] = cancel
	h.mu.Unlock()
	return ctx, func() {
		cancel()
		h.mu.Lock()
		delete(h.stops, call)
		h.mu.Unlock()
	}
}

func (h *host) stop(call string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.stops[call]; cancel != nil {
		cancel()
	}
}

// close finishes the calls that run, lets the store go, and sends the other processes away. What
// runs longer than the grace is told to end.
func (h *host) close(grace time.Duration) error {
	idle := h.calls.close()
	inTime := within(idle, grace)
	h.end()
	if !inTime && !within(idle, stopTimeout) {
		h.log.Error("calls did not finish in time")
	}
	h.keeper.Wait()
	// The socket goes while this process still has the store: later it is the next owner's.
	if h.socket != nil {
		h.socket.remove()
	}
	for _, t := range h.tidiers() {
		if err := t.Close(); err != nil {
			h.log.Warn("a service did not stop cleanly", "error", err)
		}
	}
	err := h.owned.Close()
	select {
	case <-idle:
		h.let = true
	default:
	}
	close(h.goaway)
	h.hangUp()
	if err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// hangUp ends the connections when the answers that are due have left.
func (h *host) hangUp() {
	h.feeds.Wait()
	h.news.close()
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
