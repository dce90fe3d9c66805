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

// The messages on a connection: the process without the store sends requests, the owner responses, both as
// encoding/gob writes them. opView, opUpdate and opKept begin a transaction, and are answered twice: with Begun, and with
// the result when it has ended. In between, opSet and opDelete have no response. An update that has to run again because
// of a conflict answers opEnd with another Begun.
const (
	opView   op = iota + 1
	opUpdate    // Name is the commit's id
	opKept      // Name is what is kept; see [store.CacheStore]
	opSettle    // whether the commit with the id Name was made
	opSync      // the sequence number of the latest change
	opLost      // what is lost of the store
	opEnd       // of the transaction, which is committed if it is an update
	opAbort     // of the transaction
	opGet
	opSet
	opDelete
	opScan
	opNext // more of the scan
	opStop // enough of the scan
	opCounts
	opHeld // whether the lease Name is held
	opRead // some of what is kept
)

type op uint8

// request is what a process without the store asks.
type request struct {
	Op         op
	Key, Value []byte // Key is the prefix of a scan
	Scan       kv.ScanOptions
	Name       string
}

// response is what the owner answers.
type response struct {
	Begun          bool
	Version, Since uint64   // of a transaction that has begun
	Keys, Values   [][]byte // of a scan
	Value          []byte
	More           bool // the scan goes on
	Counts         kv.Counts
	Yes            bool
	Lost           []string
	Sequence       uint64
	Fault          *fault
}

// fault is an error as it crosses the socket.
type fault struct {
	Text  string
	Is    []int         // places in known
	Errno syscall.Errno // 0: none
}

// wireErrors are the errors that callers ask for.
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

// err returns the error that the fault was made of, or one like it.
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

// stream sends messages of type Out and receives those of type In. It belongs to one goroutine.
type stream[In, Out any] struct {
	out *bufio.Writer
	enc *gob.Encoder
	dec *gob.Decoder
}

func newStream[In, Out any](in *bufio.Reader, out io.Writer) *stream[In, Out] {
	w := bufio.NewWriterSize(out, 16<<10)
	return &stream[In, Out]{out: w, enc: gob.NewEncoder(w), dec: gob.NewDecoder(in)}
}

// send queues a message, which leaves with the next receive or flush.
func (s *stream[In, Out]) send(m *Out) error { return s.enc.Encode(m) }

func (s *stream[In, Out]) flush() error { return s.out.Flush() }

func (s *stream[In, Out]) receive() (*In, error) {
	if err := s.out.Flush(); err != nil {
		return nil, err
	}
	m := new(In)
	return m, s.dec.Decode(m)
}
