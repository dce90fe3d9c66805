package attach

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"bugle/engine"
)

// The paths on the socket. That of the introduction is the same for all protocols, for ever.
const (
	ownPaths    = "/local/"
	helloPath   = ownPaths + "hello"
	root        = ownPaths + "v1/"
	changesPath = root + "changes"
	stopPath    = root + "stop"
)

// maxCall bounds the body of one call; the largest is a document of some MiB.
const maxCall = 64 << 20

// peerKey finds why the process at the other end of a connection is refused.
type peerKey struct{}

func (h *host) handler(v5 http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+helloPath, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, h.intro) })
	mux.HandleFunc("GET "+changesPath, h.serveChanges)
	mux.HandleFunc("POST "+stopPath, func(w http.ResponseWriter, r *http.Request) {
		var call string
		if err := readJSON(w, r, &call); err != nil {
			writeFault(w, err)
			return
		}
		h.stop(call)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST "+root+"{method}", h.serveCall)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err, _ := r.Context().Value(peerKey{}).(error); err != nil {
			h.log.Warn("a connection was refused", "error", err)
			writeFault(w, engine.Errorf(engine.Forbidden, http.StatusForbidden, "%w", err))
			return
		}
		if v5 != nil && !strings.HasPrefix(r.URL.Path, ownPaths) {
			v5.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), servedKey{}, true)))
			return
		}
		if id := r.Header.Get(ownerHeader); id != "" && id != h.intro.ID {
			writeFault(w, errLeaving) // the one that is meant has left
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func readJSON(w http.ResponseWriter, r *http.Request, v any) error {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	if err == nil {
		err = decode(b, v)
	}
	if err != nil {
		return engine.Errorf(engine.BadRequest, http.StatusBadRequest, "cannot read the request: %w", err)
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := encode(v)
	if err != nil {
		b, status = []byte(`{"fault":{"kind":"other","message":"cannot write the response"}}`), http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // where it fails, nobody listens any more
}

func writeFault(w http.ResponseWriter, err error) {
	f := faultOf(err)
	writeJSON(w, max(f.HTTP, http.StatusBadRequest), said{Fault: f})
}

// serveCall does one call. A method with steps answers with a line for each, and then the result;
// one without, with the result alone.
func (h *host) serveCall(w http.ResponseWriter, r *http.Request) {
	e, ok := endpoints[path.Base(r.URL.Path)]
	if !ok {
		writeFault(w, engine.Errorf(engine.NotFound, http.StatusNotFound, "unknown method %q", path.Base(r.URL.Path)))
		return
	}
	var q asked
	if err := readJSON(w, r, &q); err != nil {
		writeFault(w, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.work, cancel)()
	if e.steps {
		h.serveSteps(ctx, w, e, q)
		return
	}
	out, err := e.serve(ctx, h, q, nil)
	if err != nil {
		writeFault(w, err)
		return
	}
	writeJSON(w, http.StatusOK, said{Out: out})
}

// serveSteps answers while the call runs, which never waits for the reader.
func (h *host) serveSteps(ctx context.Context, w http.ResponseWriter, e endpoint, q asked) {
	ctx, ended := h.stoppable(ctx, q.Call)
	defer ended()
	rc := http.NewResponseController(w)
	w.Header().Set("Content-Type", "application/jsonl")
	w.WriteHeader(http.StatusOK)
	_ = rc.Flush() // the caller sees that the call was taken

	steps := newQueue(everything[engine.TestProgress])
	last := make(chan said, 1)
	go func() { // ends with the call, which ctx ends
		out, err := e.serve(ctx, h, q, steps.put)
		if err != nil {
			last <- said{Fault: faultOf(err)}
			return
		}
		last <- said{Out: out}
	}()
	for {
		select {
		case <-steps.wake:
			writeSteps(w, steps.take())
		case end := <-last:
			writeSteps(w, steps.take())
			writeLine(w, end)
			return
		}
		_ = rc.Flush()
	}
}

func writeSteps(w io.Writer, steps []engine.TestProgress) {
	for _, p := range steps {
		writeLine(w, said{Step: &p})
	}
}

func writeLine(w io.Writer, v any) {
	b, err := encode(v)
	if err != nil {
		b = fmt.Appendf(nil, `{"fault":{"kind":"other","message":%q}}`, "cannot write the response")
	}
	_, _ = w.Write(append(b, '\n')) // where it fails, the request's context ends the call
}

// serveChanges tells of every change until the reader or the owner leaves.
func (h *host) serveChanges(w http.ResponseWriter, r *http.Request) {
	if !h.calls.enter() { // so that no feed begins while they end
		writeFault(w, errLeaving)
		return
	}
	h.feeds.Add(1)
	h.calls.leave()
	defer h.feeds.Done()
	changes := h.news.subscribe(r.Context())
	rc := http.NewResponseController(w)
	w.Header().Set("Content-Type", "application/jsonl")
	line := func(n news) {
		_ = rc.SetWriteDeadline(time.Now().Add(stopTimeout)) // a reader that hangs is cut off
		writeLine(w, n)
		_ = rc.Flush()
	}
	line(news{})
	for {
		select {
		case n, ok := <-changes:
			if !ok { // the reader has left
				return
			}
			line(n)
		case <-h.goaway:
			line(news{Bye: h.let})
			return
		}
	}
}
