// Package socket lets several processes work on the store in one data folder. The first owns the store and answers
// transactions of the others on a socket in the folder; when it quits or dies, one of them takes over.
//
// [Open] returns a [DB], which stays the same whoever owns the store: in the owner its transactions go straight to the
// driver, elsewhere through the socket. Every handle receives the changes of all others ([store.Feed]).
//
// An owner that is suspended keeps its store, and no other process can have it: who looks for it is told which process to
// continue. [DB.Yield] closes the store before, and [DB.Rejoin] takes part again.
//
// # When the owner dies in a transaction
//
// A transaction is retried with the next owner. If its commit was on the way, the next owner is asked for the commit by
// its id, which is stored with the changes; only when it is not there the transaction runs again. So no change is lost,
// and none is made twice.
package socket

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
)

// Protocol is the version of what the processes say to one another. Processes with different ones do not work together.
const Protocol = 2

// NoticeSource is a driver that may find damage in its store later.
type NoticeSource interface {
	// OnNotice has tell called with a sentence for each problem found from now on. tell does not wait, and may be called until
	// Close has returned.
	OnNotice(deliver func(notice string))
}

// Opener opens the store. If another process has it open, the error is one of [Locked]. The driver may also be a
// [NoticeSource], a [JobRunner] or a [bugle/store.CacheStore].
type Opener func(ctx context.Context) (kv.DB, error)

// ErrLocked reports that another process has the store open.
var ErrLocked = errors.New("another process has the store open")

// Locked marks err, whose text it keeps, as [ErrLocked]. pid is the process that has the store open, 0 if unknown.
func Locked(err error, pid int) error { return &lockedError{err, pid} }

type lockedError struct {
	error
	pid int
}

func (l *lockedError) Is(target error) bool { return target == ErrLocked }
func (l *lockedError) Unwrap() error        { return l.error }

// ErrClosed is the error of transactions after [DB.Close].
var ErrClosed error = &engine.Error{
	Code: engine.Internal, HTTP: http.StatusServiceUnavailable, Message: "this process has closed the store; try again", Err: store.ErrClosed,
}

// Options are the options of [Open]. Dir and Opener are required.
type Options struct {
	// Dir is the data folder, which is created if it does not exist.
	Dir     string
	Opener  Opener       // opens the store in it
	Version string       // of the program, for messages
	Logger  *slog.Logger // nil: nothing is logged
	// Patience is how long to wait for a process that has the store open and does not respond, and for the next owner; 0
	// means 5 seconds.
	Patience time.Duration
	// Grace is how long the transactions of other processes can go on when the owner quits; 0 means 5 seconds.
	Grace time.Duration
	// Handler, if set, returns what answers the requests on the owner's socket outside of /local/. Only processes of the
	// same user can send any.
	Handler func(*DB) http.Handler
}

// Role is what a process is for the store.
type Role uint8

// The roles. A handle is searching between one owner and the next, usually for a few milliseconds.
const (
	Searching Role = iota
	Owner
	Attached
)

// String returns the role as a word.
func (r Role) String() string {
	switch r {
	case Owner:
		return "owner"
	case Attached:
		return "attached"
	}
	return "searching"
}

// State is where a handle stands.
type State struct {
	Role    Role
	PID     int    // the owner's process; 0 while searching
	Version string // the owner's
	// Again reports that another process owned the store before.
	Again bool
	// Err is why no process owns the store, while searching and if known.
	Err error
}

// String returns the state as a sentence for people, and an empty string for what goes without saying.
func (s State) String() string {
	switch {
	case s.Role == Attached && s.Again:
		return fmt.Sprintf("The bugle process that had the store open has quit; process %d has it now.", s.PID)
	case s.Role == Attached:
		return fmt.Sprintf("Another bugle process (%d) has the store open; changes show up in both.", s.PID)
	case s.Role == Owner && s.Again:
		return "The bugle process that had the store open has quit; this one has it now."
	case s.Role == Searching && s.Err != nil:
		return fmt.Sprintf("Cannot connect to the store: %v.", s.Err)
	}
	return ""
}
