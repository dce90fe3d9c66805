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

// The messages on a connection: the client sends requests, the owner sends responses, both encoded with encoding/gob.
// opView and opUpdate begin a transaction and have two responses: one with Begun, and one with the result when
// it has ended. In between, opSet and opDelete have no response. If an update has to run again because of a conflict,
// the response to opEnd is another Begun.
const (
	opView   op = iota + 1
	opUpdate    // Name is the commit id
	opSettle    // whether the commit with the id Name was made
	opSync      // the sequence number of the latest change
	opLost      // the lost parts of the store
	opEnd       // of the transaction; commits an update
	opAbort     // of the transaction
	opGet
	opSet
	opDelete
	opScan
	opNext // more of the scan
	opStop // end of the scan
	opCounts
	opHeld // whether the lease Name is held
)

type op uint8

// request is a message of the client. Its exported fields are part of the protocol.
type request struct {
	Op         op
	Key, Value []byte // Key is the prefix of a scan
	Scan       kv.ScanOptions
	Name       string
}

// response is a message of the owner. Its exported fields are part of the protocol.
type response struct {
	Begun        bool
	Keys, Values [][]byte // of a scan
	Value        []byte
	More         bool // the scan continues
	Counts       kv.Counts
	Yes          bool
	Lost         []string
	Sequence     uint64
	Fault        *fault
}

// fault is an error in a response.
type fault struct {
	Text  string
	Is    []int         // indexes in wireErrors
	Errno syscall.Errno // 0: none
}

// wireErrors are the errors that clients check for. Their order is part of the protocol.
var wireErrors = []error{
	store.ErrNotFound, store.ErrDataLost, store.ErrTooLarge, store.ErrDiskFull, store.ErrReadOnly, store.ErrClosed, errLeaving, io.EOF,
}

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
	return f
}

// err returns the error that the fault was made from, or one that wraps the same errors.
func (f *fault) err() error {
	if f == nil {
		return nil
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

// send queues a message, which is sent with the next receive or flush.
func (s *stream[In, Out]) send(m *Out) error { return s.enc.Encode(m) }

func (s *stream[In, Out]) flush() error { return s.out.Flush() }

func (s *stream[In, Out]) receive() (*In, error) {
	if err := s.out.Flush(); err != nil {
		return nil, err
	}
	m := new(In)
	return m, s.dec.Decode(m)
}
