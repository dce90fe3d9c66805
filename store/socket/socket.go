// Package socket lets several processes share the store in one data folder. The first process owns the store; the others
// read and commit through a socket in the folder. When the owner quits or dies, another process takes over. [Open] returns
// a [DB], which stays valid when the owner changes: it is a driver of package kv that passes snapshots and commits on, to
// the store in the owner, over a connection elsewhere. Every handle receives the changes of all others ([store.Feed]). A
// suspended owner keeps its store: processes that try to use it are told which process to continue.
//
// # When the owner dies
//
// What a transaction has read is gone with the owner's connection, so the transaction runs again. A commit that was sent
// may have been made. It writes a record of its own, which no other commit has: the client looks for that with the next
// owner, and sends the commit again only if it is not there. So no change is lost, and none is made twice.
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

// Protocol is the version of the protocol between processes. Processes with different versions cannot share a store.
const Protocol = 4

// NoticeSource is a driver that may find damage in its store later.
type NoticeSource interface {
	// OnNotice registers notify, which is called with a sentence for each problem found from now on. notify does not
	// block, and may be called until Close has returned.
	OnNotice(deliver func(notice string))
}

// Opener opens the store. If another process has it open, the error is one of [Locked]. The driver may also be a
// [NoticeSource].
type Opener func(ctx context.Context) (kv.Driver, error)

// ErrLocked reports that another process has the store open.
var ErrLocked = errors.New("another process has the store open")

// Locked wraps err as [ErrLocked] and keeps its text. pid is the process that has the store open, or 0 if unknown.
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
	// Handler, if set, returns the handler of requests on the owner's socket outside of /local/. Only processes of the
	// same user can send requests.
	Handler func(*DB) http.Handler
}

// Role is the role of a process for the store.
type Role uint8

// The roles. A handle is searching between two owners, usually for a few milliseconds.
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

// State is the state of a handle.
type State struct {
	Role    Role
	PID     int    // the owner's process; 0 while searching
	Version string // the owner's
	// Again reports that another process owned the store before.
	Again bool
	// Err is the reason why no process owns the store, while searching and if known.
	Err error
}

// String returns the state as a sentence for people, or an empty string in the normal state.
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
