package socket

import (
	"errors"

	"bugle/store"
	"bugle/store/kv"
)

// protocol is the version of the protocol between processes. Processes with different versions cannot share a store.
const protocol = 7

// helloPath is the path of the HTTP request that begins a connection, in all versions of the protocol. Then requests go one
// way and responses the other, both as a stream of package gob.
const helloPath = "/local/hello"

// Introduction is what an owner says about itself. All versions of the protocol have it.
type Introduction struct {
	Protocol int
	Version  string
	PID      int
	ID       string // different each time a process opens the store
}

// The requests.
const (
	opHello    op = iota + 1 // the first one: the response has an introduction, and the problems so far as news
	opSnapshot               // take a snapshot with a number that was not used before
	opRelease                // release it
	opGet
	opVersions
	opScan // one page of a scan, after Scan.From
	opCommit
	opVerify
	opSuspect // somebody has found the damage Text
	opHeld    // whether Lease is held
	opNews    // the news after a number; with Wait, when there is some or a while has passed
)

type op uint8

// request is a message of a process to the owner.
type request struct {
	Number   uint64 // of the request, for its response
	Op       op
	Snapshot uint64 // number of the snapshot to take, read or release
	Key      []byte // of a get; the prefix of a scan
	Keys     [][]byte
	Scan     kv.ScanOptions
	Size     int // of a page, in bytes
	Change   kv.Change
	Lease    string // of the process
	Text     string
	After    uint64
	Wait     bool
}

// response is the answer to the request with the same number. They come in any order.
type response struct {
	Number       uint64
	Introduction Introduction
	Item         kv.Item
	Items        []kv.Item // of a scan
	Versions     []uint64
	More         bool // the scan continues
	Yes          bool
	News         []news
	Fault        *fault
}

// news is something that happened in the store.
type news struct {
	Number   uint64 // rises by one
	Changes  []store.Change
	Lease    string // of the process that made the changes
	Problems []string
}

// fault is an error in a response. It wraps what the original error has wrapped.
type fault struct {
	Text    string
	Is      []int // indexes in wireErrors
	Damaged *store.DamagedError
}

// wireErrors are the errors that clients check for. Their order is part of the protocol.
var wireErrors = []error{store.ErrTooLarge, store.ErrDiskFull, store.ErrClosed, kv.ErrConflict}

func faultOf(err error) *fault {
	if err == nil {
		return nil
	}
	f := &fault{Text: err.Error()}
	for i, k := range wireErrors {
		if errors.Is(err, k) {
			f.Is = append(f.Is, i)
		}
	}
	errors.As(err, &f.Damaged)
	return f
}

// Error returns the text of the original error.
func (f *fault) Error() string { return f.Text }

// Unwrap returns the known errors among those that the original error has wrapped.
func (f *fault) Unwrap() (all []error) {
	for _, i := range f.Is {
		if i >= 0 && i < len(wireErrors) {
			all = append(all, wireErrors[i])
		}
	}
	if f.Damaged != nil {
		all = append(all, f.Damaged)
	}
	return all
}
