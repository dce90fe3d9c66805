package attach

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// codec is how values cross the socket: nothing that a Go value says is lost. Documents keep their
// spelling, absent is not null and nil not empty, and numbers of no set type are json.Number as
// the store gives them.
var codec = json.JoinOptions(
	json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(writeDocument), json.MarshalToFunc(writeNumber))),
	json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(readDocument), json.UnmarshalFromFunc(readAny))),
	json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true),
	jsontext.PreserveRawStrings(true), jsontext.AllowInvalidUTF8(true),
)

func encode(v any) ([]byte, error) { return json.Marshal(v, codec) }

func decode(b []byte, v any) error { return json.Unmarshal(b, v, codec) }

// writeDocument writes a document as an array of it, which is empty for an absent one.
func writeDocument(e *jsontext.Encoder, v doc.Value) error {
	b := append(v.AppendTo([]byte{'['}), ']')
	return e.WriteValue(b)
}

func readDocument(d *jsontext.Decoder, v *doc.Value) error {
	if t, err := d.ReadToken(); err != nil {
		return err
	} else if t.Kind() != '[' {
		return fmt.Errorf("a document begins with %q", t.Kind())
	}
	*v = doc.Value{}
	if d.PeekKind() != ']' {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		if *v, err = doc.Parse(raw); err != nil {
			return &unkeptError{err}
		}
	}
	_, err := d.ReadToken()
	return err
}

// unkeptError says that a document is none that could be kept.
type unkeptError struct{ error }

func (e *unkeptError) Unwrap() error { return e.error }

func writeNumber(e *jsontext.Encoder, n stdjson.Number) error {
	return e.WriteValue(jsontext.Value(n))
}

func readAny(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported // as usual
	}
	raw, err := d.ReadValue()
	*v = stdjson.Number(raw)
	return err
}

// fingerprint tells settings apart by what the store keeps of them, where nil is empty.
func fingerprint(w engine.Workspace) (string, error) {
	b, err := json.Marshal(w, codec, json.Deterministic(true), json.FormatNilSliceAsNull(false), json.FormatNilMapAsNull(false))
	if err != nil {
		return "", fmt.Errorf("cannot compare the settings: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// asked is the body of a call.
type asked struct {
	Workspace string         `json:"workspace"`
	Node      string         `json:"node"` // who calls
	Call      string         `json:"call"` // what the call can be stopped by
	In        jsontext.Value `json:"in"`
}

// said is one line of an answer. Steps come before the last line, which has an Out or a Fault.
type said struct {
	Step  *engine.TestProgress `json:"step,omitempty"`
	Out   jsontext.Value       `json:"out,omitempty"` // absent: null
	Fault *fault               `json:"fault,omitempty"`
}

// fault is an error as it crosses the socket.
type fault struct {
	Kind       string           `json:"kind"` // one of those below
	Code       engine.Code      `json:"code,omitempty"`
	HTTP       int              `json:"http,omitempty"`
	Message    string           `json:"message"`
	Target     string           `json:"target,omitempty"`
	Details    []engine.Detail  `json:"details,omitempty"`
	RequestID  string           `json:"request_id,omitempty"`
	RetryAfter int64            `json:"retry_after,omitempty"` // nanoseconds
	Problems   []schema.Problem `json:"problems,omitempty"`
	Cause      string           `json:"cause,omitempty"`
}

// The kinds of faults.
const (
	refusedFault  = "refused"  // an engine.Error
	canceledFault = "canceled" // a context's
	lateFault     = "late"     // a context's
	leavingFault  = "leaving"  // nothing was done: the owner leaves
	otherFault    = "other"
)

// errLeaving says that the owner took the call no more, and did nothing.
var errLeaving = errors.New("the owner of the store is quitting")

func faultOf(err error) *fault {
	if e := engine.AsError(err); e != nil {
		f := &fault{
			Kind: refusedFault, Code: e.Code, HTTP: e.HTTP, Message: e.Message, Target: e.Target, Details: e.Details,
			RequestID: e.RequestID, RetryAfter: int64(e.RetryAfter), Problems: e.Problems,
		}
		if e.Err != nil {
			f.Cause = e.Err.Error()
		}
		return f
	}
	f := &fault{Kind: otherFault, HTTP: http.StatusInternalServerError, Message: err.Error()}
	switch {
	case errors.Is(err, errLeaving):
		f.Kind, f.HTTP = leavingFault, http.StatusServiceUnavailable
	case errors.Is(err, context.Canceled):
		f.Kind = canceledFault
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind = lateFault
	}
	return f
}

func (f *fault) err() error {
	switch f.Kind {
	case refusedFault:
		e := &engine.Error{
			Code: f.Code, HTTP: f.HTTP, Message: f.Message, Target: f.Target, Details: f.Details,
			RequestID: f.RequestID, RetryAfter: time.Duration(f.RetryAfter), Problems: f.Problems,
		}
		if f.Cause != "" {
			e.Err = errors.New(f.Cause)
		}
		return e
	case leavingFault:
		return errLeaving
	case canceledFault:
		return context.Canceled
	case lateFault:
		return context.DeadlineExceeded
	}
	return errors.New(f.Message)
}

// hello is how an owner introduces itself, to every protocol.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	// ID is of this time that a process has the store, and no other.
	ID string `json:"id,omitempty"`
}

// ownerHeader names with a call the owner that its caller was introduced to, by [hello]'s ID. A new
// connection may come to the next one before it is seen that the former is gone.
const ownerHeader = "X-Bugle-Owner"

// news is one line of the feed of changes. The first one is empty: from there on nothing is missed.
type news struct {
	Change Change `json:"change"`
	Node   string `json:"node,omitempty"` // who made the change
	// Bye says that every call that the owner took has been answered, and that it has let the
	// store go.
	Bye bool `json:"bye,omitempty"`
	// Notice says what was found to be wrong with the store; then there is no change.
	Notice string `json:"notice,omitempty"`
}
