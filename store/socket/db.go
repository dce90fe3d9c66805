package socket

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
	"bugle/store"
	"bugle/store/internal/follow"
	"bugle/store/kv"
)

const (
	usualPatience = 5 * time.Second
	usualGrace    = 5 * time.Second
	// Between two attempts to find the owner, or to become it, a process waits from firstWait to lastWait, longer each
	// time.
	firstWait = 5 * time.Millisecond
	lastWait  = 150 * time.Millisecond
)

// DB is the store in a data folder, owned by this process or by another one. It is safe for concurrent use.
type DB struct {
	kv.Records

	o    Options
	dir  string // absolute, without symbolic links
	log  *slog.Logger
	peer func(net.Conn) error // refuses processes of other users

	calls   gate // transactions of this process
	changes follow.Followers
	states  *feed[State]
	notices *feed[string]

	mu      sync.Mutex
	state   State
	host    *host         // if this process owns the store
	link    *link         // if another process owns the store
	changed chan struct{} // closed when host, link, or state changes
	joined  chan struct{} // closed when the process takes part in the folder

	joinMu   sync.Mutex // held while the process joins or leaves the folder
	stop     func()     // stops run
	yielded  bool       // see [DB.Yield]
	closed   bool
	closeErr error         // the result of Close
	closing  chan struct{} // closed when Close begins
	done     chan struct{} // closed when run has ended for good
}

var (
	_ kv.DB      = (*DB)(nil)
	_ store.Feed = (*DB)(nil)
)

// Open opens the store, or attaches to the process that has it open. The context only limits opening. It fails with the
// errors of the opener. If another process has the store open and does not respond, or is another version, the error
// says so.
func Open(ctx context.Context, o Options) (*DB, error) {
	d, err := newDB(o)
	if err != nil {
		return nil, err
	}
	if err := d.join(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// join starts to take part in the folder.
func (d *DB) join(ctx context.Context) error {
	if err := d.find(ctx, d.o.Patience); err != nil {
		return err
	}
	d.start()
	close(d.joined)
	return nil
}

func newDB(o Options) (*DB, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	if o.Grace <= 0 {
		o.Grace = usualGrace
	}
	dir, err := resolve(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the data folder %q cannot be used: %w", o.Dir, err)
	}
	d := &DB{
		o: o, dir: dir, log: o.Logger, peer: sameUser, states: newFeed(keepNewest[State]), notices: newFeed(keepAll[string]),
		changed: make(chan struct{}), joined: make(chan struct{}), closing: make(chan struct{}), done: make(chan struct{}),
	}
	d.Records = kv.NewRecords(d)
	d.changes.MarkReady()
	return d, nil
}

// resolve returns the folder's canonical path, without symbolic links.
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

func (d *DB) start() {
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	d.stop = func() { end(); <-ended }
	go func() {
		defer close(ended)
		d.run(ctx)
	}()
}

// run finds the owner whenever there is none.
func (d *DB) run(ctx context.Context) {
	for {
		d.mu.Lock()
		h, l := d.host, d.link
		d.mu.Unlock()
		if h != nil { // this process is the owner until it closes the store
			return
		}
		if l == nil {
			if err := d.find(ctx, 0); err != nil {
				return
			}
			continue
		}
		select {
		case <-l.lost:
		case <-ctx.Done():
			return
		}
		d.setOwner(nil, nil, State{Again: true})
	}
}

// find attaches to the owner or becomes it. With patience 0, it retries until ctx ends, whatever the errors are,
// because someone may repair the store or quit.
func (d *DB) find(ctx context.Context, patience time.Duration) error {
	begun := time.Now()
	for wait := firstWait; ; wait = min(wait*3/2, lastWait) {
		l, err := attach(ctx, d)
		if err == nil {
			d.setOwner(nil, l, State{Role: Attached, PID: l.intro.PID, Version: l.intro.Version})
			return nil
		}
		driver, locked := d.o.Opener(ctx)
		if locked == nil {
			h := newHost(d, driver)
			h.listen(d.dir)
			d.setOwner(h, nil, State{Role: Owner, PID: h.intro.PID, Version: h.intro.Version})
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		nobody := errors.Is(err, errNobody)
		err = noOwnerError(err, locked)
		if patience > 0 && (!errors.Is(locked, ErrLocked) || !nobody || !supported || time.Since(begun) > patience) {
			return err
		}
		d.setError(err)
		if err := pause(ctx, wait/2+rand.N(wait)); err != nil {
			return err
		}
	}
}

func (d *DB) setOwner(h *host, l *link, s State) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h != nil || l != nil {
		d.changes.Publish(store.Change{}) // some changes may have been missed; tell followers before anyone reads
	}
	s.Again = s.Again || d.state.Again
	d.host, d.link, d.state = h, l, s
	d.stateChanged()
}

// setError records why there is no owner yet.
func (d *DB) setError(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state.Err != nil && d.state.Err.Error() == err.Error() {
		return
	}
	d.state.Err = err
	d.stateChanged()
}

func (d *DB) stateChanged() {
	close(d.changed)
	d.changed = make(chan struct{})
	d.states.send(d.state)
}

// handleNews forwards news of the owner to subscribers and followers.
func (d *DB) handleNews(n news) {
	if n.Notice != "" {
		d.notices.send(n.Notice)
	}
	if len(n.Changes) > 0 && n.Lease != d.Lease() {
		d.changes.Publish(n.Changes...)
	}
}

// owner returns the current owner, and waits a while if there is none.
func (d *DB) owner(ctx context.Context) (*host, *link, error) {
	patience := time.NewTimer(d.o.Patience)
	defer patience.Stop()
	for {
		d.mu.Lock()
		h, l, moved, why := d.host, d.link, d.changed, d.state.Err
		d.mu.Unlock()
		if l != nil && l.gone() { // its end is about to be noticed
			l = nil
		}
		if h != nil || l != nil {
			return h, l, ctx.Err()
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-d.done:
			return nil, nil, ErrClosed
		case <-patience.C:
			if why == nil {
				why = errNobody
			}
			return nil, nil, engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "cannot connect to the store after another process closed it: %w", why)
		}
	}
}

// do runs call with the owner, and again with the next one while it fails because the owner was lost.
func (d *DB) do(ctx context.Context, call func(context.Context, *host, *link) error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.calls.leave()
	since := time.Now()
	for {
		h, l, err := d.owner(ctx)
		if err != nil {
			return err
		}
		err = call(ctx, h, l)
		var lost *lostError
		switch {
		case h != nil && errors.Is(err, errLeaving):
			return ErrClosed
		case !errors.As(err, &lost):
			return err
		case lost.sent:
			ctx = context.WithoutCancel(ctx) // the caller must learn the outcome of the commit
		}
		if err := l.waitLost(ctx, lost, since); err != nil {
			return err
		}
	}
}

// View implements [kv.DB]. It runs fn again if the owner was lost.
func (d *DB) View(ctx context.Context, fn func(kv.Tx) error) error {
	return d.do(ctx, func(ctx context.Context, h *host, l *link) error {
		if h != nil {
			return h.view(ctx, fn)
		}
		return l.transaction(ctx, request{Op: opView}, fn)
	})
}

// Update implements [kv.DB].
func (d *DB) Update(ctx context.Context, fn func(kv.Tx) error) error {
	pending := "" // id of a commit whose outcome is unknown
	err := d.do(ctx, func(ctx context.Context, h *host, l *link) error {
		if pending != "" {
			done, err := settle(ctx, h, l, pending)
			if done || err != nil {
				return err
			}
			pending = ""
		}
		if h != nil {
			return h.update(ctx, d.Lease(), fn)
		}
		id := uuid.NewString()
		err := l.transaction(ctx, request{Op: opUpdate, Name: id}, fn)
		if lost := (*lostError)(nil); errors.As(err, &lost) && lost.sent {
			pending = id
		}
		return err
	})
	if err != nil && pending != "" {
		return fmt.Errorf("%w: %w", store.ErrCommitUnknown, err)
	}
	return err
}

// settle reports whether a commit was made. If not, it prevents it from being made later.
func settle(ctx context.Context, h *host, l *link, id string) (done bool, err error) {
	if h != nil {
		return h.commits.settle(ctx, id)
	}
	r, err := l.roundTrip(ctx, request{Op: opSettle, Name: id})
	return r.Yes, err
}

// Follow implements [store.Feed].
func (d *DB) Follow(ctx context.Context, ready func(), deliver func([]store.Change)) {
	d.changes.Follow(ctx, ready, deliver)
}

// Sync implements [store.Feed].
func (d *DB) Sync(ctx context.Context) error {
	err := d.do(ctx, func(ctx context.Context, _ *host, l *link) error {
		if l == nil {
			return nil
		}
		r, err := l.roundTrip(ctx, request{Op: opSync})
		if err != nil {
			return err
		}
		return l.waitFor(ctx, r.Sequence)
	})
	if err != nil {
		return err
	}
	return d.changes.Drain(ctx)
}

// Lost returns a sentence for each lost part of the store, if the driver records them.
func (d *DB) Lost(ctx context.Context) (lost []string, err error) {
	err = d.do(ctx, func(ctx context.Context, h *host, l *link) error {
		if h != nil {
			lost = h.lost()
			return nil
		}
		r, err := l.roundTrip(ctx, request{Op: opLost})
		lost = r.Lost
		return err
	})
	return lost, err
}

// State returns the current state of the handle.
func (d *DB) State() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// States returns a channel with the current state and each later one; a slow reader misses outdated states. The channel
// is closed when ctx ends or the store is closed.
func (d *DB) States(ctx context.Context) <-chan State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.states.subscribe(ctx, d.state)
}

// Notices returns the problems that another process finds from now on in the store that it owns; the owner's [Opener]
// knows its own. The channel is closed when ctx ends or the store is closed.
func (d *DB) Notices(ctx context.Context) <-chan string { return d.notices.subscribe(ctx) }

// Close waits for transactions to end, closes the store if this process owns it, and ends the feed. After that,
// transactions fail with [ErrClosed]. Closing twice returns the same error.
func (d *DB) Close() error {
	d.joinMu.Lock()
	defer d.joinMu.Unlock()
	if d.closed {
		return d.closeErr
	}
	d.closed = true
	close(d.closing)
	if !within(d.calls.close(), d.o.Grace) {
		d.log.Warn("transactions were canceled")
	}
	d.stop()
	close(d.done)
	d.mu.Lock()
	h, l := d.host, d.link
	d.mu.Unlock()
	if h != nil {
		d.closeErr = h.close(d.o.Grace)
	}
	if l != nil {
		l.close()
	}
	d.states.close()
	d.notices.close()
	return d.closeErr
}

// pause waits for t, or returns the error of ctx.
func pause(ctx context.Context, t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
