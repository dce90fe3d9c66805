package socket

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/follow"
	"bugle/store/kv"
)

const (
	usualPatience = 5 * time.Second
	// Between two attempts to find the owner, or to become it, a process waits from firstWait to lastWait, longer each
	// time.
	firstWait = 5 * time.Millisecond
	lastWait  = 150 * time.Millisecond
)

// owner is the store in the process that has it open: a host in this process, or a link to another one. If the owner is
// lost, its methods fail with [kv.ErrSnapshotLost].
type owner interface {
	snapshot(ctx context.Context) (kv.Snapshot, error)
	// answer answers a request that needs no snapshot.
	answer(ctx context.Context, q *request) (*response, error)
	// news passes on the news so far; with wait, it waits a while for the next ones.
	news(ctx context.Context, wait bool) error
	// lost reports whether the owner is gone.
	lost() bool
	close() error
}

// handle implements [kv.Driver] with the store of the owner.
type handle struct {
	o       Options
	dir     string        // absolute
	silence time.Duration // after which an owner is lost; it is suspended, or its machine is
	lease   string

	changes    follow.Followers
	open       context.Context // ends when the store is closed
	stop       context.CancelFunc
	background sync.WaitGroup

	mu      sync.Mutex
	owner   owner  // nil while searching
	last    string // id of the last owner
	state   State
	changed chan struct{} // closed when one of the above changes
}

func newHandle(o Options) (*handle, error) {
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	if o.Handler == nil {
		o.Handler = http.NotFoundHandler()
	}
	dir, err := filepath.Abs(o.Dir)
	if err = errors.Join(err, os.MkdirAll(o.Dir, 0o700)); err != nil {
		return nil, fmt.Errorf("the data folder %q cannot be used: %w", o.Dir, err)
	}
	h := &handle{o: o, dir: dir, silence: 5 * beat, state: State{Role: Searching}, changed: make(chan struct{})}
	h.open, h.stop = context.WithCancel(context.Background())
	return h, nil
}

// start finds the owner, and keeps finding the next one.
func (h *handle) start(ctx context.Context) (*DB, error) {
	db := &DB{kv.NewStore(h), h}
	h.lease = db.Lease()
	l, err := h.find(ctx, h.o.Patience)
	if err != nil {
		return nil, err
	}
	h.background.Go(func() { h.run(l) })
	return db, nil
}

// run finds the next owner whenever one is lost, until this process is the owner or closes the store.
func (h *handle) run(l *link) {
	for l != nil {
		select {
		case <-l.work.Done():
		case <-h.open.Done():
			return
		}
		h.setOwner(nil, Searching, Introduction{})
		_ = l.close()            // never fails
		l, _ = h.find(h.open, 0) // nil if the store is being closed
	}
}

// find attaches to the owner and returns the link to it, or nil if this process becomes the owner. With patience 0, it
// retries until ctx ends, whatever the errors are, because someone may restore the store or quit.
func (h *handle) find(ctx context.Context, patience time.Duration) (*link, error) {
	begun := time.Now()
	for wait := firstWait; ; wait = min(wait*3/2, lastWait) {
		l, err := attach(ctx, h)
		if err == nil {
			h.setOwner(l, Attached, l.intro)
			return l, nil
		}
		own, locked := newHost(ctx, h)
		if locked == nil {
			h.setOwner(own, Owner, own.intro)
			h.setError(own.listen())
			return nil, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		final := true
		var by *store.LockedError
		switch {
		case !errors.As(locked, &by):
			err = locked
		case errors.Is(err, context.DeadlineExceeded):
			err = fmt.Errorf("the bugle process that has the store open (%d) does not respond; if it is suspended, "+
				"continue it with `fg` in its terminal or `kill -CONT %[1]d`, or end it with `kill -9 %[1]d`", by.PID)
		case !errors.As(err, new(refusal)): // nobody listens: the owner has just begun, or is about to quit
			err, final = locked, time.Since(begun) > patience
		}
		if patience > 0 && final {
			return nil, err
		}
		h.setError(err)
		if err := pause(ctx, wait/2+rand.N(wait)); err != nil {
			return nil, err
		}
	}
}

// now returns the state, and a channel that is closed when it changes.
func (h *handle) now() (State, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state, h.changed
}

func (h *handle) setOwner(o owner, role Role, i Introduction) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := State{Role: role, PID: i.PID, Again: h.state.Again}
	if o != nil {
		h.changes.Publish(store.Change{}) // some changes may have been missed; tell followers before anyone reads
		s.Again = s.Again || h.last != "" && h.last != i.ID
		h.last = i.ID
	}
	h.owner, h.state = o, s
	h.tell()
}

// setError records [State.Err].
func (h *handle) setError(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if fmt.Sprint(err) != fmt.Sprint(h.state.Err) {
		h.state.Err = err
		h.tell()
	}
}

// tell wakes those who wait for a change of the state. The caller holds mu.
func (h *handle) tell() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// heard passes news of the owner on to followers.
func (h *handle) heard(n news) {
	if len(n.Changes) > 0 && n.Lease != h.lease {
		h.changes.Publish(n.Changes...)
	}
	for _, problem := range n.Problems {
		h.o.Notify(problem)
	}
}

// do runs call with the owner, and again with the next one while the owner is lost. It waits a while if there is none.
func (h *handle) do(ctx context.Context, call func(owner) error) error {
	var patience <-chan time.Time
	for ctx.Err() == nil {
		h.mu.Lock()
		o, changed, why := h.owner, h.changed, h.state.Err
		h.mu.Unlock()
		if o != nil && !o.lost() {
			if err := call(o); !errors.Is(err, kv.ErrSnapshotLost) {
				return err
			}
			patience = nil
			continue
		}
		if patience == nil {
			patience = time.After(h.o.Patience)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-h.open.Done():
			return store.ErrClosed
		case <-patience:
			if why == nil {
				why = kv.ErrSnapshotLost
			}
			return engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "cannot connect to the store: %v", why)
		}
	}
	return ctx.Err()
}

// Snapshot implements [kv.Driver].
func (h *handle) Snapshot(ctx context.Context) (snap kv.Snapshot, err error) {
	err = h.do(ctx, func(o owner) error {
		snap, err = o.snapshot(ctx)
		return err
	})
	return snap, err
}

// ask returns the owner's response to a request.
func (h *handle) ask(ctx context.Context, q request) (r *response, err error) {
	r = new(response)
	err = h.do(ctx, func(o owner) error {
		r, err = o.answer(ctx, &q)
		return err
	})
	return r, err
}

// Verify implements [kv.Driver].
func (h *handle) Verify(ctx context.Context) error {
	_, err := h.ask(ctx, request{Op: opVerify})
	return err
}

// Suspect implements [kv.Driver].
func (h *handle) Suspect(damage error) {
	ctx, cancel := context.WithTimeout(h.open, time.Second)
	defer cancel()
	// The caller waits, so that a command that ends now says so. Without an owner, the next one verifies its store.
	_, _ = h.ask(ctx, request{Op: opSuspect, Text: damage.Error()})
}

// LeaseHeld implements [kv.LeaseHolder].
func (h *handle) LeaseHeld(ctx context.Context, lease string) (bool, error) {
	r, err := h.ask(ctx, request{Op: opHeld, Lease: lease})
	return r.Yes, err
}

// Close implements [kv.Driver].
func (h *handle) Close() error {
	h.stop()
	h.background.Wait()
	if o := h.owner; o != nil { // nothing changes it any more
		return o.close()
	}
	return nil
}

// pause waits for t, or returns the error of ctx.
func pause(ctx context.Context, t time.Duration) error {
	select {
	case <-time.After(t):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
