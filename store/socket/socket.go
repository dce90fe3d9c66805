// Package socket lets several processes share the store in one data folder. The first process owns the store; the others
// read and commit through a socket in the folder. When the owner quits or dies, another process takes over. [Open] returns
// a [DB], which stays valid when the owner changes: it is a driver of package kv that passes snapshots and commits on, to
// the store in the owner, over a connection elsewhere. Every handle receives the changes of all others ([store.Feed]).
//
// # The protocol
//
// A connection begins as HTTP, so that the socket can serve an API too, and continues with requests and responses in gob. The
// first response introduces the owner, and one request always waits for the news of the store, or the end of a few seconds.
//
// # When the owner dies
//
// The owner is lost when the connection to it breaks, or when it is silent for too long. Then the client looks for the next
// owner, or becomes it. What a transaction has read is gone, so the transaction runs again. A commit that was sent may have
// been made. It writes a record of its own, which no other commit has: the client looks for that with the next owner, and
// sends the commit again only if it is not there. So no change is lost, and none is made twice. A suspended owner keeps its
// store: processes that try to use it are told which process to continue.
package socket

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"bugle/store"
	"bugle/store/kv"
)

// Opener opens the store. If another process has it open, the error is a [store.LockedError]. notify may be called until
// the driver is closed, with each problem that is found in the store; all processes receive it.
type Opener func(ctx context.Context, notify func(problem string)) (kv.Driver, error)

// Options are the options of [Open]. Dir and Opener are required.
type Options struct {
	// Dir is the data folder, which is created if it does not exist.
	Dir     string
	Opener  Opener // opens the store in it
	Version string // of the program, for messages
	// Patience is how long to wait for a process that has the store open and does not respond, and for the next owner; 0
	// means 5 seconds.
	Patience time.Duration
	// Handler, if set, answers other HTTP requests on the owner's socket. Only processes of the same user can send them.
	Handler http.Handler
	// Notify, if set, is called with each problem that the owner has found in the store, also before this process
	// attached. A problem may be repeated. Notify must not use the store.
	Notify func(problem string)
}

// DB is the store in a data folder, owned by this process or by another one. It is safe for concurrent use.
type DB struct {
	*kv.Store
	handle *handle
}

var _ store.Feed = (*DB)(nil)

// Open opens the store, or attaches to the process that has it open. The context only limits opening. It fails with the
// errors of the opener. If another process has the store open and does not respond, or is another version, the error
// says so.
func Open(ctx context.Context, o Options) (*DB, error) {
	h, err := newHandle(o)
	if err != nil {
		return nil, err
	}
	return h.start(ctx)
}

// State returns the current state of the handle.
func (d *DB) State() State {
	s, _ := d.handle.now()
	return s
}

// FollowState calls show with the current state and each later one, until ctx ends or the store is closed. While show
// runs, outdated states are skipped.
func (d *DB) FollowState(ctx context.Context, show func(State)) {
	for {
		s, changed := d.handle.now()
		show(s)
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-d.handle.open.Done():
			return
		}
	}
}

// Follow implements [store.Feed].
func (d *DB) Follow(ctx context.Context, ready func(), deliver func([]store.Change)) {
	d.handle.changes.Follow(ctx, ready, deliver)
}

// Sync implements [store.Feed].
func (d *DB) Sync(ctx context.Context) error {
	if err := d.handle.do(ctx, func(o owner) error { return o.news(ctx, false) }); err != nil {
		return err
	}
	return d.handle.changes.Drain(ctx)
}

// Role is the role of a process for the store.
type Role string

// The roles. A handle is searching between two owners, usually for a few milliseconds.
const (
	Searching Role = "searching"
	Owner     Role = "owner"
	Attached  Role = "attached"
)

// State is the state of a handle.
type State struct {
	Role  Role
	PID   int  // the owner's process; 0 while searching
	Again bool // another process owned the store before
	// Err is why no process owns the store, while searching and if known, or why no other process can use it.
	Err error
}

// String returns the state as a sentence for people, or an empty string in the normal state.
func (s State) String() string {
	switch {
	case s.Role == Owner && s.Err != nil:
		return fmt.Sprintf("Other bugle processes cannot use the store: %v.", s.Err)
	case s.Role == Owner && s.Again:
		return "The bugle process that had the store open has quit; this one has it now."
	case s.Role == Attached && s.Again:
		return fmt.Sprintf("The bugle process that had the store open has quit; process %d has it now.", s.PID)
	case s.Role == Attached:
		return fmt.Sprintf("Another bugle process (%d) has the store open; changes show up in both.", s.PID)
	case s.Role == Searching && s.Err != nil:
		return fmt.Sprintf("Cannot connect to the store: %v.", s.Err)
	}
	return ""
}
