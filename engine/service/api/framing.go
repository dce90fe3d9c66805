package api

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"bugle/engine"
	"bugle/engine/operation"
)

// framing watches the headers that come over a connection of HTTP/1, because net/http takes a request
// that has both a Content-Length and a Transfer-Encoding, and does not tell: it forgets the length. A
// proxy before this server may go by the length, and find the end of the request elsewhere (RFC 9112,
// section 6.1). It follows the requests as net/http reads them: a header, and a body of so many bytes.
// After a request with a Transfer-Encoding it watches no more, because that is the last one of its
// connection.
type framing struct {
	line    []byte // the beginning of a line that is not whole yet
	started bool   // the line of the request has come
	skip    int64  // bytes of a body that are still to come
	length  int64  // of the request whose header is coming; -1 where it is not known
	both    bool   // it has a length
	encoded bool   // it has a Transfer-Encoding
	over    bool   // nothing is watched any more

	// What the last request that was watched was.
	ambiguous atomic.Bool // it has a length and an encoding
	last      atomic.Bool // it has an encoding
	unclear   atomic.Bool // where it ends is not known here
}

// maxLine is how much of a line is kept: more than the headers that matter ever need.
const maxLine = 256

func (f *framing) watch(p []byte) {
	for len(p) > 0 && !f.over {
		if f.skip > 0 {
			n := min(f.skip, int64(len(p)))
			f.skip -= n
			p = p[n:]
			continue
		}
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			f.keep(p)
			return
		}
		line := p[:end]
		if len(f.line) > 0 {
			f.keep(line)
			line = f.line
		}
		f.header(line)
		f.line, p = f.line[:0], p[end+1:]
	}
}

func (f *framing) keep(p []byte) {
	if room := maxLine - len(f.line); room > 0 {
		f.line = append(f.line, p[:min(room, len(p))]...)
	}
}

// header takes one line of a header.
func (f *framing) header(line []byte) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	switch {
	case !f.started:
		f.started = len(line) > 0 // empty lines before a request do not count
		return
	case len(line) == 0:
		f.request()
		return
	case line[0] == ' ' || line[0] == '\t': // the line before goes on, whatever it was
		f.both, f.length = true, -1
		return
	}
	if first := line[0] | 0x20; first != 'c' && first != 't' {
		return
	}
	colon := bytes.IndexByte(line, ':')
	switch {
	case colon == len("Content-Length") && strings.EqualFold(string(line[:colon]), "Content-Length"):
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line[colon+1:])), 10, 64)
		if err != nil || len(line) >= maxLine {
			n = -1
		}
		f.both, f.length = true, n
	case colon == len("Transfer-Encoding") && strings.EqualFold(string(line[:colon]), "Transfer-Encoding"):
		f.encoded = true
	}
}

// request ends the header of a request.
func (f *framing) request() {
	switch {
	case f.encoded:
		f.ambiguous.Store(f.both)
		f.last.Store(true)
		f.over = true
	case f.length < 0:
		f.unclear.Store(true)
		f.over = true
	}
	f.skip, f.length, f.started, f.both = max(f.length, 0), 0, false, false
}

// ambiguousKey is in the context of a request of which two readers can find the end in different places.
type ambiguousKey struct{}

// rejectAmbiguous marks a request that is ambiguous, and has the connection closed after one that is, or may be.
func (c *conn) rejectAmbiguous(w http.ResponseWriter, r *http.Request) *http.Request {
	f := c.framing
	if f == nil || !f.last.Load() && !f.unclear.Load() {
		return r
	}
	// Requests before the last one may still be answered; of those none has an encoding.
	if len(r.TransferEncoding) > 0 && f.ambiguous.Load() || f.last.Load() && !r.ProtoAtLeast(1, 1) {
		w.Header().Set("Connection", "close")
		return r.WithContext(context.WithValue(r.Context(), ambiguousKey{}, true))
	}
	if f.unclear.Load() {
		w.Header().Set("Connection", "close")
	}
	return r
}

// isAmbiguous reports whether a request was marked so.
func isAmbiguous(r *http.Request) bool { return r.Context().Value(ambiguousKey{}) != nil }

// ambiguous is a request whose end is not certain.
var ambiguous = &route{Operation: &operation.Operation{Name: "ambiguous"}, open: true, run: func(context.Context, *exchange) (result, error) {
	e := engine.Errorf(engine.BadRequest, http.StatusBadRequest, "Content-Length and Transfer-Encoding cannot be combined; send one of them")
	e.Target = "Transfer-Encoding"
	return result{}, e
}}
