// Package attach lets several processes work on one data folder. The first owns the store and
// answers the others on a socket in the folder; when it leaves or dies, one of them takes over.
//
// [Open] gives a [Node], and [Node.Service] the service of a workspace that stays the same whoever
// owns the store: in the owner its calls go straight to the store, elsewhere through the socket.
//
// An owner that is suspended keeps its store, and nobody else can have it: who looks for it is told
// which process to continue. [Node.Yield] lets the store go before, and [Node.Rejoin] takes part
// again.
//
// # What becomes of a call whose owner dies
//
// A call that had not reached the owner, or that the owner refused because it was leaving, is made
// again. One that had, and whose answer is lost, is made again so that nothing is done twice:
//
//   - reads, and writes that set a value (a working copy, a profile), as they are;
//   - create, update, publish and change of status with their Idempotency-Key, which the store
//     remembers in the transaction of the write; a call without a key is given one;
//   - a change of settings is a comparison and a swap, and was done where the settings are what it
//     wanted;
//   - save, archive, restore, delete and clone look first whether the campaign, or its history,
//     shows what they would have done (two people who clone one campaign under one name in the
//     moment in which the owner dies may find one clone instead of two);
//   - a test send is never repeated: its result is taken from the test history, or else the caller
//     hears that messages may have left.
package attach

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"bugle/engine"
)

// Protocol numbers what the processes say to one another. Processes of different numbers do not
// work together.
const Protocol = 1

// Service is all that a local workspace can do.
type Service interface {
	engine.Service
	engine.Lister
	engine.Drafter
	engine.WorkingCopies
	engine.Historian
	engine.Curator
	engine.OutboxReader
	engine.WorkspaceKeeper
	engine.ProfileKeeper
	engine.ProfileImporter
	engine.AudienceReader
	engine.TestHistory
	engine.ContentKeeper
}

// Owned is the store of a data folder, held by this process.
type Owned interface {
	// Open returns the service of a workspace; NOT_FOUND where there is none. It is asked once for
	// each workspace, and its service is used until Close.
	Open(workspace string) (Service, error)
	// Workspaces returns the ids of the workspaces.
	Workspaces(ctx context.Context) ([]string, error)
	// Create makes a workspace, filled with the sample where it says so, and gives its id and its
	// API key.
	Create(ctx context.Context, w engine.Workspace, sample bool) (id, key string, err error)
	// Close lets the store go, so that another process can have it.
	Close() error
}

// Noticing is an [Owned] that may find later what is wrong with its store.
type Noticing interface {
	// Tell has tell called with all that is found from now on, a sentence for people each. tell does not
	// wait, and may be called until Close has returned.
	Tell(tell func(notice string))
}

// Opener takes the store. Where another process has it, the error is one of [Locked].
type Opener func(ctx context.Context) (Owned, error)

// ErrLocked says that another process has the store.
var ErrLocked = errors.New("another process has the store open")

// Locked marks err, in whose words it stays, as [ErrLocked]. pid is the process that has the store,
// 0 where that is not known.
func Locked(err error, pid int) error { return &lockedError{err, pid} }

type lockedError struct {
	error
	pid int
}

func (l *lockedError) Is(target error) bool { return target == ErrLocked }
func (l *lockedError) Unwrap() error        { return l.error }

// ErrClosed is the answer to calls after [Node.Close].
var ErrClosed error = engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "this process has closed the store; try again")

// Following is an [Owned] that other processes write to directly, and that receives their changes.
type Following interface {
	// Follow calls tell with each change that another process has made, until ctx ends.
	Follow(ctx context.Context, tell func(Change))
}

// Options say where the store is. Dir and Opener are needed.
type Options struct {
	// Dir is the data folder, which is created if it does not exist. It is empty for a store elsewhere that each process
	// opens itself; such a store has no owner.
	Dir     string
	Opener  Opener       // takes the store in it
	Version string       // of the program, for messages
	Logger  *slog.Logger // nil: nothing is logged
	// Patience is how long a process that has the store, and does not answer, is waited for, and a
	// call while nobody has it; 0 means 5 seconds.
	Patience time.Duration
	// Grace is how long the calls of others may go on when the owner leaves; 0 means 5 seconds.
	Grace time.Duration
	// Handler gives what the owner answers on its socket besides its own paths, which are below
	// /local/; nil: nothing. Whoever gets there is of this process's user.
	Handler func(*Node) http.Handler
}

// Role is what a process is for the store.
type Role uint8

// The roles. A node is searching between an owner and the next, mostly for some milliseconds.
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

// State is where a node stands.
type State struct {
	Role    Role
	PID     int    // the owner's process; 0 while searching
	Version string // the owner's
	// Again says that another process owned the store before.
	Again bool
	// Err says why nobody owns the store, while searching and where it is known.
	Err error
}

// String returns the state as a sentence for people, and nothing for what goes without saying.
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

// Kind says what has changed.
type Kind string

// The kinds of changes.
const (
	Campaigns Kind = "campaigns" // a campaign, or the list of them
	Settings  Kind = "settings"  // the workspace's, or which workspaces there are
	Profiles  Kind = "profiles"
	Outbox    Kind = "outbox" // also the test history
)

// Change is a write that somebody made, in any of the processes. The zero Change says that
// anything may have changed: changes were missed while the store changed hands, or were too many.
type Change struct {
	Workspace string `json:"workspace,omitempty"`
	Kind      Kind   `json:"kind,omitempty"`
	ID        string `json:"id,omitempty"` // of the campaign or profile; empty for several
	// Own says that a call through this very node made it.
	Own bool `json:"-"`
}
