package socket

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
	"syscall"

	"bugle/store"
	"bugle/store/kv"
)

// The messages on a connection, encoded with encoding/gob: the client sends requests, the owner a response to each. The
// owner keeps one snapshot for each connection.
const (
	opSnapshot op = iota + 1 // take a snapshot
	opRelease                // release the snapshot
	opGet
	opVersions
	opScan // one page of a scan, after Scan.From
	opCommit
	opVerify
	opSuspect  // somebody has found the damage Name
	opHeld     // whether the lease Name is held
	opSequence // the number of the latest change
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
	Name   string
}

// response is a message of the owner. Its exported fields are part of the protocol.
type response struct {
	Item     kv.Item
	Items    []kv.Item // of a scan
	Versions []uint64
	More     bool // the scan continues
	Yes      bool
	Sequence uint64
	Fault    *fault
}

// fault is an error in a response.
type fault struct {
	Text    string
	Is      []int         // indexes in wireErrors
	Errno   syscall.Errno // 0: none
	Damaged *store.DamagedError
}

// wireErrors are the errors that clients check for. Their order is part of the protocol.
var wireErrors = []error{store.ErrTooLarge, store.ErrDiskFull, store.ErrClosed, kv.ErrConflict, errLeaving, io.EOF}

// errLeaving reports that the owner is quitting and did nothing.
var errLeaving = errors.New("the owner of the store is quitting")

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
	errors.As(err, &f.Errno)
	errors.As(err, &f.Damaged)
	return f
}

// err returns the error that the fault was made from, or one that wraps the same errors.
func (f *fault) err() error {
	switch {
	case f == nil:
		return nil
	case f.Damaged != nil:
		return f.Damaged
	}
	e := &remoteError{text: f.Text}
	for _, i := range f.Is {
		if i < 0 || i >= len(wireErrors) {
			continue
		}
		if wireErrors[i].Error() == f.Text {
			return wireErrors[i]
		}
		e.is = append(e.is, wireErrors[i])
	}
	if f.Errno != 0 {
		e.is = append(e.is, f.Errno)
	}
	return e
}

// remoteError is an error of the owner.
type remoteError struct {
	text string
	is   []error
}

func (e *remoteError) Error() string   { return e.text }
func (e *remoteError) Unwrap() []error { return e.is }

// stream sends messages of type Out and receives messages of type In. It must be used by one goroutine at a time.
type stream[In, Out any] struct {
	out *bufio.Writer
	enc *gob.Encoder
	dec *gob.Decoder
}

func newStream[In, Out any](in *bufio.Reader, out io.Writer) *stream[In, Out] {
	w := bufio.NewWriterSize(out, 16<<10)
	return &stream[In, Out]{out: w, enc: gob.NewEncoder(w), dec: gob.NewDecoder(in)}
}

func (s *stream[In, Out]) send(m *Out) error {
	return errors.Join(s.enc.Encode(m), s.out.Flush())
}

func (s *stream[In, Out]) receive() (*In, error) {
	m := new(In)
	return m, s.dec.Decode(m)
}
