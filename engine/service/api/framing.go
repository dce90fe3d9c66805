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

// framing watches the headers on an HTTP/1 connection, because net/http accepts a request with both a
// Content-Length and a Transfer-Encoding and drops the length without reporting it. A proxy before this
// server may use the length, and find the end of the request elsewhere (RFC 9112, section 6.1). It parses
// requests like net/http: a header, and a body of a known length. After a request with a Transfer-Encoding it
// stops, because that is the last one on its connection.
type framing struct {
	line    []byte // the beginning of an incomplete line
	started bool   // the request line was read
	skip    int64  // remaining bytes of a body
	length  int64  // of the current request; -1 if unknown
	both    bool   // it has a length
	encoded bool   // it has a Transfer-Encoding
	over    bool   // watching has ended

	// What the last request that was watched was.
	ambiguous atomic.Bool // it has a length and an encoding
	last      atomic.Bool // it has an encoding
	unclear   atomic.Bool // its end is unknown here
}

// maxLine is how much of a line is kept: more than the relevant headers need.
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

// header parses one line of a header.
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

// request handles the end of a header.
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

// ambiguousKey marks the context of a request whose end two readers may find at different places.
type ambiguousKey struct{}

// rejectAmbiguous marks an ambiguous request, and closes the connection after a request that is or may be
// ambiguous.
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

// isAmbiguous reports whether a request was marked as ambiguous.
func isAmbiguous(r *http.Request) bool { return r.Context().Value(ambiguousKey{}) != nil }

// ambiguous is the route for requests whose end is ambiguous.
var ambiguous = &route{Operation: &operation.Operation{Name: "ambiguous"}, open: true, run: func(context.Context, *exchange) (result, error) {
	e := engine.Errorf(engine.BadRequest, http.StatusBadRequest, "Content-Length and Transfer-Encoding cannot be combined; send one of them")
	e.Target = "Transfer-Encoding"
	return result{}, e
}}
