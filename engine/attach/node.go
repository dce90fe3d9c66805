package attach

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
)

const (
	usualPatience = 5 * time.Second
	usualGrace    = 5 * time.Second
	// Between two attempts to find the owner, or to become it, a node waits from firstWait to
	// lastWait, longer each time.
	firstWait = 5 * time.Millisecond
	lastWait  = 150 * time.Millisecond
)

// Node is this process's part in a data folder: its owner, or attached to it. It is safe for
// concurrent use.
type Node struct {
	o    Options
	id   string
	dir  string // absolute, without links
	log  *slog.Logger
	peer func(net.Conn) error // refuses who is at the other end; nil where that is us

	calls   gate // those made here
	changes *feed[Change]
	states  *feed[State]
	notices *feed[string]

	mu    sync.Mutex
	state State
	host  *host         // where this process owns the store
	link  *link         // where another does
	moved chan struct{} // closed when the three change
	back  chan struct{} // closed when the node takes part in the folder

	part    sync.Mutex // held while the node begins or ends to take part
	halt    func()     // ends run
	away    bool       // see [Node.Yield]
	closed  bool
	failed  error         // what closing came to
	leaving chan struct{} // closed when the node begins to close
	done    chan struct{} // closed when run has ended for good
}

// Open takes the store, or attaches to the process that has it. The context bounds opening alone.
// It fails with what the opener fails with; where another process has the store and does not
// answer, or is another version, with an error that says so.
func Open(ctx context.Context, o Options) (*Node, error) {
	n, err := newNode(o)
	if err != nil {
		return nil, err
	}
	if err := n.find(ctx, n.o.Patience); err != nil {
		return nil, err
	}
	n.start()
	close(n.back)
	return n, nil
}

func newNode(o Options) (*Node, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	if o.Grace <= 0 {
		o.Grace = usualGrace
	}
	dir := ""
	if o.Dir != "" {
		var err error
		if dir, err = resolve(o.Dir); err != nil {
			return nil, fmt.Errorf("the data folder %q cannot be used: %w", o.Dir, err)
		}
	}
	return &Node{
		o: o, id: uuid.NewString(), dir: dir, log: o.Logger, peer: sameUser,
		changes: newFeed(collapsed[Change]), states: newFeed(newest[State]), notices: newFeed(everything[string]),
		moved: make(chan struct{}), back: make(chan struct{}), leaving: make(chan struct{}), done: make(chan struct{}),
	}, nil
}

// resolve returns the folder's one name, whatever links lead to it.
func resolve(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

func (n *Node) start() {
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	n.halt = func() { end(); <-ended }
	go func() {
		defer close(ended)
		n.run(ctx)
	}()
}

// run finds the owner whenever there is none.
func (n *Node) run(ctx context.Context) {
	for {
		n.mu.Lock()
		h, l := n.host, n.link
		n.mu.Unlock()
		if h != nil { // this is the owner, until it lets the store go
			return
		}
		if l == nil {
			if err := n.find(ctx, 0); err != nil {
				return
			}
			n.changes.send(Change{}) // some may have been missed
			continue
		}
		select {
		case <-l.lost:
		case <-ctx.Done():
			return
		}
		n.move(nil, nil, State{Again: true})
	}
}

// find attaches to the owner or becomes it. Without patience it tries until ctx ends, whatever
// the errors are: somebody will mend it, or leave.
func (n *Node) find(ctx context.Context, patience time.Duration) error {
	if n.dir == "" {
		owned, err := n.o.Opener(ctx)
		if err == nil {
			n.own(owned)
		}
		return err
	}
	begun := time.Now()
	for wait := firstWait; ; wait = min(wait*3/2, lastWait) {
		l, err := attach(ctx, n)
		if err == nil {
			n.move(nil, l, State{Role: Attached, PID: l.intro.PID, Version: l.intro.Version})
			return nil
		}
		owned, locked := n.o.Opener(ctx)
		if locked == nil {
			n.own(owned)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		nobody := errors.Is(err, errNobody)
		err = unreachable(err, locked)
		if patience > 0 && (!errors.Is(locked, ErrLocked) || !nobody || !supported || time.Since(begun) > patience) {
			return err
		}
		n.mark(err)
		if err := pause(ctx, wait/2+rand.N(wait)); err != nil {
			return err
		}
	}
}

func (n *Node) own(owned Owned) {
	h := newHost(n, owned)
	if n.dir != "" {
		h.listen(n.dir)
	}
	n.move(h, nil, State{Role: Owner, PID: h.intro.PID, Version: h.intro.Version})
}

func (n *Node) move(h *host, l *link, s State) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s.Again = s.Again || n.state.Again
	n.host, n.link, n.state = h, l, s
	n.told()
}

// mark says why there is no owner yet.
func (n *Node) mark(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.state.Err != nil && n.state.Err.Error() == err.Error() {
		return
	}
	n.state.Err = err
	n.told()
}

func (n *Node) told() {
	close(n.moved)
	n.moved = make(chan struct{})
	n.states.send(n.state)
}

// heard passes what the owner tells on to who wants to know here.
func (n *Node) heard(w news) {
	if w.Notice != "" {
		n.notices.send(w.Notice)
		return
	}
	w.Change.Own = w.Node == n.id
	n.changes.send(w.Change)
}

// owner returns where calls go now, and waits for it a while where that is nowhere.
func (n *Node) owner(ctx context.Context) (*host, *link, error) {
	patience := time.NewTimer(n.o.Patience)
	defer patience.Stop()
	for {
		n.mu.Lock()
		h, l, moved, why := n.host, n.link, n.moved, n.state.Err
		n.mu.Unlock()
		if l != nil && l.gone() { // about to be seen
			l = nil
		}
		if h != nil || l != nil {
			return h, l, ctx.Err()
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-n.done:
			return nil, nil, ErrClosed
		case <-patience.C:
			if why == nil {
				why = errNobody
			}
			return nil, nil, engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "cannot connect to the store after another process closed it: %w", why)
		}
	}
}

// Service returns the service of a workspace. It works until the node is closed; where there is no
// such workspace, its methods fail with NOT_FOUND.
func (n *Node) Service(workspace string) Service { return &session{node: n, workspace: workspace} }

// State returns where the node stands.
func (n *Node) State() State {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.state
}

// States returns where the node stands now, and each time that it changes; a slow reader misses
// what is over. The channel is closed when ctx ends or the node is closed.
func (n *Node) States(ctx context.Context) <-chan State {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.states.subscribe(ctx, n.state)
}

// Changes returns every write from now on that anybody makes, in this process or another. The
// channel is closed when ctx ends or the node is closed.
func (n *Node) Changes(ctx context.Context) <-chan Change {
	out := n.changes.subscribe(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.host != nil && n.host.calls.enter() { // otherwise it is closing, and waits for its goroutines
		n.host.follow()
		n.host.calls.leave()
	}
	return out
}

// Notices returns what is found from now on to be wrong with the store by the process that has it, while
// that is another one: this one's [Opener] knows itself. The channel is closed when ctx ends or the node
// is closed.
func (n *Node) Notices(ctx context.Context) <-chan string { return n.notices.subscribe(ctx) }

// Close finishes the calls that run, and lets the store go, where this process has it; another one
// takes over. What runs longer than the grace is cut off. Closing twice is no error.
func (n *Node) Close() error {
	n.part.Lock()
	defer n.part.Unlock()
	if n.closed {
		return n.failed
	}
	n.closed = true
	close(n.leaving)
	if !within(n.calls.close(), n.o.Grace) {
		n.log.Warn("calls were canceled")
	}
	n.halt()
	close(n.done)
	n.mu.Lock()
	h, l := n.host, n.link
	n.mu.Unlock()
	if h != nil {
		n.failed = h.close(n.o.Grace)
	}
	if l != nil {
		l.close()
	}
	n.changes.close()
	n.states.close()
	n.notices.close()
	return n.failed
}
