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

// DB is the store in a data folder, owned by this process or by another one. It is safe for concurrent use.
type DB struct {
	*kv.Store
	handle *handle
}

var (
	_ kv.DB      = (*DB)(nil)
	_ store.Feed = (*DB)(nil)
)

// Open opens the store, or attaches to the process that has it open. The context only limits opening. It fails with the
// errors of the opener. If another process has the store open and does not respond, or is another version, the error
// says so.
func Open(ctx context.Context, o Options) (*DB, error) { return open(ctx, o, sameUser) }

func open(ctx context.Context, o Options, peer func(net.Conn) error) (*DB, error) {
	db, err := newDB(o, peer)
	if err != nil {
		return nil, err
	}
	h := db.handle
	if err := h.find(ctx, h.o.Patience); err != nil {
		return nil, err
	}
	h.background.Go(h.run)
	return db, nil
}

func newDB(o Options, peer func(net.Conn) error) (*DB, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	dir, err := resolve(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the data folder %q cannot be used: %w", o.Dir, err)
	}
	h := &handle{o: o, dir: dir, log: o.Logger, peer: peer, changed: make(chan struct{})}
	h.open, h.stop = context.WithCancel(context.Background())
	h.db = &DB{kv.NewStore(h), h}
	h.lease = h.db.Lease()
	h.changes.MarkReady()
	return h.db, nil
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

// State returns the current state of the handle.
func (d *DB) State() State {
	s, _, _ := d.handle.now()
	return s
}

// States returns a channel with the current state and each later one; a slow reader misses outdated states. The channel
// is closed when ctx ends or the store is closed.
func (d *DB) States(ctx context.Context) <-chan State {
	return subscribe(ctx, d.handle, func(out chan<- State, done <-chan struct{}) {
		for {
			s, _, changed := d.handle.now()
			select {
			case out <- s:
				select {
				case <-changed:
				case <-done:
					return
				}
			case <-changed:
			case <-done:
				return
			}
		}
	})
}

// Noticed returns the problems that other processes have found so far in the store that they own; the owner's [Opener]
// knows its own.
func (d *DB) Noticed() []string {
	_, all, _ := d.handle.now()
	return all
}

// Notices returns a channel with the problems that are added to [DB.Noticed] from now on. The channel is closed when ctx ends
// or the store is closed.
func (d *DB) Notices(ctx context.Context) <-chan string {
	_, from, _ := d.handle.now()
	return subscribe(ctx, d.handle, func(out chan<- string, done <-chan struct{}) {
		for {
			_, all, changed := d.handle.now()
			for _, n := range all[len(from):] {
				select {
				case out <- n:
				case <-done:
					return
				}
			}
			from = all
			select {
			case <-changed:
			case <-done:
				return
			}
		}
	})
}

// subscribe runs send until ctx or the handle ends, and closes its channel then.
func subscribe[T any](ctx context.Context, h *handle, send func(out chan<- T, done <-chan struct{})) <-chan T {
	out := make(chan T)
	both, end := context.WithCancel(ctx)
	stop := context.AfterFunc(h.open, end)
	h.background.Go(func() {
		defer close(out)
		defer end()
		defer stop()
		send(out, both.Done())
	})
	return out
}

// Follow implements [store.Feed].
func (d *DB) Follow(ctx context.Context, ready func(), deliver func([]store.Change)) {
	d.handle.changes.Follow(ctx, ready, deliver)
}

// Sync implements [store.Feed].
func (d *DB) Sync(ctx context.Context) error {
	if err := d.handle.sync(ctx); err != nil {
		return err
	}
	return d.handle.changes.Drain(ctx)
}

// handle implements [kv.Driver] with the store of the owner.
type handle struct {
	o     Options
	dir   string // absolute, without symbolic links
	log   *slog.Logger
	peer  func(net.Conn) error // refuses processes of other users
	db    *DB
	lease string

	changes    follow.Followers
	open       context.Context // ends when the store is closed
	stop       context.CancelFunc
	background sync.WaitGroup

	mu      sync.Mutex
	state   State
	notices []string      // of other owners
	host    *host         // if this process owns the store
	link    *link         // if another process owns the store
	changed chan struct{} // closed when one of the above changes
	made    [][]byte      // keys of commits whose outcome is known, see [handle.Commit]
}

// now returns the state, the notices, and a channel that is closed when they change.
func (h *handle) now() (State, []string, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state, h.notices, h.changed
}

// run finds the owner whenever there is none.
func (h *handle) run() {
	for {
		h.mu.Lock()
		own, l := h.host, h.link
		h.mu.Unlock()
		switch {
		case own != nil: // this process is the owner until it closes the store
			return
		case l == nil:
			if h.find(h.open, 0) != nil {
				return
			}
			continue
		}
		select {
		case <-l.lost:
		case <-h.open.Done():
			return
		}
		h.setOwner(nil, nil, State{Again: true})
	}
}

// find attaches to the owner or becomes it. With patience 0, it retries until ctx ends, whatever the errors are,
// because someone may restore the store or quit.
func (h *handle) find(ctx context.Context, patience time.Duration) error {
	begun := time.Now()
	for wait := firstWait; ; wait = min(wait*3/2, lastWait) {
		l, err := attach(ctx, h)
		if err == nil {
			h.setOwner(nil, l, State{Role: Attached, PID: l.intro.PID, Version: l.intro.Version})
			return nil
		}
		driver, locked := h.o.Opener(ctx)
		if locked == nil {
			own := newHost(h, driver)
			own.listen(h.dir)
			h.setOwner(own, nil, State{Role: Owner, PID: own.intro.PID, Version: own.intro.Version})
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
		h.setError(err)
		if err := pause(ctx, wait/2+rand.N(wait)); err != nil {
			return err
		}
	}
}

func (h *handle) setOwner(own *host, l *link, s State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if own != nil || l != nil {
		h.changes.Publish(store.Change{}) // some changes may have been missed; tell followers before anyone reads
	}
	s.Again = s.Again || h.state.Again
	h.host, h.link, h.state = own, l, s
	h.tell()
}

// setError records why there is no owner yet.
func (h *handle) setError(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Err != nil && h.state.Err.Error() == err.Error() {
		return
	}
	h.state.Err = err
	h.tell()
}

// tell wakes those who wait for a change of the state. The caller holds mu.
func (h *handle) tell() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// handleNews forwards news of the owner to subscribers and followers.
func (h *handle) handleNews(n news) {
	if len(n.Changes) > 0 && n.Lease != h.lease {
		h.changes.Publish(n.Changes...)
	}
}

// handleNotices forwards the notices of another process.
func (h *handle) handleNotices(texts []string) {
	if len(texts) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notices = append(h.notices, texts...)
	h.tell()
}

// owner returns the current owner, and waits a while if there is none.
func (h *handle) owner(ctx context.Context) (*host, *link, error) {
	patience := time.NewTimer(h.o.Patience)
	defer patience.Stop()
	for {
		h.mu.Lock()
		own, l, changed, why := h.host, h.link, h.changed, h.state.Err
		h.mu.Unlock()
		if l != nil && l.gone() { // its end is about to be noticed
			l = nil
		}
		if own != nil || l != nil {
			return own, l, ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-h.open.Done():
			return nil, nil, ErrClosed
		case <-patience.C:
			if why == nil {
				why = errNobody
			}
			return nil, nil, engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "cannot connect to the store after another process closed it: %w", why)
		}
	}
}

// do runs call with the owner, and again with the next one while the owner is lost.
func (h *handle) do(ctx context.Context, call func(own *host, l *link) error) error {
	begun := time.Now()
	for {
		own, l, err := h.owner(ctx)
		if err != nil {
			return err
		}
		err = call(own, l)
		if own != nil || !errors.Is(err, kv.ErrSnapshotLost) {
			return err
		}
		if !l.gone() && time.Since(begun) > responseTimeout {
			return engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "%w", err)
		}
		if err := l.waitLost(ctx); err != nil {
			return err
		}
	}
}

// Snapshot implements [kv.Driver].
func (h *handle) Snapshot(ctx context.Context) (snap kv.Snapshot, err error) {
	err = h.do(ctx, func(own *host, l *link) error {
		if own != nil {
			snap, err = own.driver.Snapshot(ctx)
		} else {
			snap, err = l.snapshot(ctx)
		}
		return err
	})
	return snap, err
}

// Verify implements [kv.Driver].
func (h *handle) Verify(ctx context.Context) error {
	return h.do(ctx, func(own *host, l *link) error {
		if own != nil {
			return own.driver.Verify(ctx)
		}
		_, err := l.roundTrip(ctx, &request{Op: opVerify}, 0)
		return err
	})
}

// Suspect implements [kv.Suspecter].
func (h *handle) Suspect(damage error) {
	h.mu.Lock()
	own, l := h.host, h.link
	h.mu.Unlock()
	switch {
	case own != nil:
		if s, ok := own.driver.(kv.Suspecter); ok {
			s.Suspect(damage)
		}
	case l != nil:
		h.background.Go(func() { _, _ = l.roundTrip(h.open, &request{Op: opSuspect, Name: damage.Error()}, responseTimeout) })
	}
}

// LeaseHeld implements [kv.LeaseHolder].
func (h *handle) LeaseHeld(ctx context.Context, lease string) (held bool, err error) {
	err = h.do(ctx, func(own *host, l *link) error {
		if own != nil {
			held, err = own.leaseHeld(ctx, lease)
			return err
		}
		r, err := l.roundTrip(ctx, &request{Op: opHeld, Name: lease}, responseTimeout)
		held = r.Yes
		return err
	})
	return held, err
}

// sync waits until all changes that the owner has committed have arrived here.
func (h *handle) sync(ctx context.Context) error {
	return h.do(ctx, func(own *host, l *link) error {
		if own != nil {
			return nil
		}
		r, err := l.roundTrip(ctx, &request{Op: opSequence}, responseTimeout)
		if err != nil {
			return err
		}
		return l.waitFor(ctx, r.Sequence)
	})
}

// Close implements [kv.Driver].
func (h *handle) Close() error {
	h.stop()
	h.background.Wait()
	h.mu.Lock()
	own, l := h.host, h.link
	h.mu.Unlock()
	if l != nil {
		l.close()
	}
	if own != nil {
		return own.close()
	}
	return nil
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
