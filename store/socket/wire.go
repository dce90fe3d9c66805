package socket

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
	"net"
	"time"

	"bugle/store"
	"bugle/store/kv"
)

// protocol is the version of the protocol between processes. Processes with different versions cannot share a store.
const protocol = 5

// introduction is the first line of an owner on a connection, in JSON. All versions of the protocol have it.
type introduction struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	// ID is different each time a process opens the store.
	ID string `json:"id,omitempty"`
}

// helloPath is the path of the request that begins a connection, in all versions of the protocol.
const helloPath = "/local/hello"

// The requests. The owner keeps one snapshot for each connection.
const (
	opSnapshot op = iota + 1 // take a snapshot
	opRelease                // release the snapshot
	opGet
	opVersions
	opScan // one page of a scan, after Scan.From
	opCommit
	opVerify
	opSuspect  // somebody has found the damage Text
	opHeld     // whether Lease is held
	opSequence // the number of the latest news
	opFollow   // send news from now on; no other request follows
)

type op uint8

// request is a message of the client. Its exported fields are part of the protocol.
type request struct {
	Op     op
	Key    []byte // of a get; the prefix of a scan
	Keys   [][]byte
	Scan   kv.ScanOptions
	Size   int // of a page, in bytes
	Change kv.Change
	Lease  string // of the process that commits or follows
	Text   string
}

// response is a message of the owner: the answer to a request, or news. Its exported fields are part of the protocol.
type response struct {
	Item     kv.Item
	Items    []kv.Item // of a scan
	Versions []uint64
	More     bool // the scan continues
	Yes      bool
	Fault    *fault

	Sequence uint64         // number of the latest news
	Changes  []store.Change // what was committed
	Lease    string         // of the process that has committed it
	Problems []string       // of the store; in the first news those so far
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

// sendTimeout is how long the other process may take to read a message.
const sendTimeout = 5 * time.Second

// stream sends messages of type Out and receives messages of type In on a connection. Only one goroutine may send at a
// time, and one receive.
type stream[In, Out any] struct {
	net.Conn
	out *bufio.Writer
	enc *gob.Encoder
	dec *gob.Decoder
}

// newStream returns a stream on a connection. in reads from it.
func newStream[In, Out any](c net.Conn, in io.Reader) *stream[In, Out] {
	w := bufio.NewWriterSize(c, 16<<10)
	return &stream[In, Out]{Conn: c, out: w, enc: gob.NewEncoder(w), dec: gob.NewDecoder(in)}
}

func (s *stream[In, Out]) send(m *Out) error {
	_ = s.SetWriteDeadline(time.Now().Add(sendTimeout)) // if it fails, so does Flush
	return errors.Join(s.enc.Encode(m), s.out.Flush())
}

func (s *stream[In, Out]) receive() (m In, err error) {
	err = s.dec.Decode(&m)
	return m, err
}
