package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"time"
)

// wire leads to a handler in the same process. What is in its way is up to fault, which may answer
// itself, or change what becomes of handle. The handler goes on when the client has gone.
type wire struct {
	handler http.Handler
	fault   func(r *http.Request, handle func() *http.Response) (*http.Response, error)
	running sync.WaitGroup
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		r.Body.Close()
	}
	handle := func() *http.Response {
		rec := httptest.NewRecorder()
		again := r.Clone(context.WithoutCancel(r.Context()))
		again.Body, again.RequestURI = io.NopCloser(bytes.NewReader(body)), r.URL.RequestURI()
		w.handler.ServeHTTP(rec, again)
		return rec.Result()
	}
	type result struct {
		res *http.Response
		err error
	}
	done := make(chan result, 1)
	w.running.Go(func() {
		res, err := w.fault(r, handle)
		done <- result{res, err}
	})
	select {
	case got := <-done:
		return got.res, got.err
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

var errReset = errors.New("connection reset by peer")

// dialectFault is one problem of a dialect.
type dialectFault struct {
	name string
	do   func(draw func(int) int, handle func() *http.Response) (*http.Response, error)
}

const (
	broken = `{"response_id":"x","error":{"code":"INTERNAL_ERROR","message":"broken"}}`
	full   = `{"error":{"code":"RATE_LIMITED","message":"slow down"}}`
)

// faults are all of them: what the service never gets, and what it has done all the same.
var faults = []dialectFault{
	{"dropped on the way there", func(func(int) int, func() *http.Response) (*http.Response, error) { return nil, errReset }},
	{"dropped on the way back", func(_ func(int) int, handle func() *http.Response) (*http.Response, error) {
		handle()
		return nil, errReset
	}},
	{"delayed on the way there", func(draw func(int) int, handle func() *http.Response) (*http.Response, error) {
		time.Sleep(time.Duration(draw(60)) * time.Second)
		return handle(), nil
	}},
	{"delayed on the way back", func(draw func(int) int, handle func() *http.Response) (*http.Response, error) {
		res := handle()
		time.Sleep(time.Duration(draw(60)) * time.Second)
		return res, nil
	}},
	{"given up, and done afterwards", func(draw func(int) int, handle func() *http.Response) (*http.Response, error) {
		time.Sleep(time.Duration(300+draw(60)) * time.Second) // later than any call waits for one answer
		return handle(), nil
	}},
	{"done, and given up", func(draw func(int) int, handle func() *http.Response) (*http.Response, error) {
		res := handle()
		time.Sleep(time.Duration(300+draw(60)) * time.Second)
		return res, nil
	}},
	{"doubled, both at once", func(_ func(int) int, handle func() *http.Response) (*http.Response, error) {
		var other sync.WaitGroup
		other.Go(func() { handle() })
		res := handle()
		other.Wait()
		return res, nil
	}},
	{"doubled, one after the other", func(_ func(int) int, handle func() *http.Response) (*http.Response, error) {
		handle()
		return handle(), nil
	}},
	{"truncated", func(draw func(int) int, handle func() *http.Response) (*http.Response, error) {
		return cut(handle(), draw), nil
	}},
	{"500 and not done", func(func(int) int, func() *http.Response) (*http.Response, error) {
		return answering(500, broken, nil), nil
	}},
	{"500 and done", func(_ func(int) int, handle func() *http.Response) (*http.Response, error) {
		handle()
		return answering(500, broken, nil), nil
	}},
	{"502 and done", func(_ func(int) int, handle func() *http.Response) (*http.Response, error) {
		handle()
		return answering(502, "<html>Bad Gateway</html>", http.Header{"Content-Type": {"text/html"}}), nil
	}},
	{"429 and not done", func(draw func(int) int, _ func() *http.Response) (*http.Response, error) {
		return answering(429, full, http.Header{"Retry-After": {fmt.Sprint(draw(4))}}), nil
	}},
	{"429 and done", func(draw func(int) int, handle func() *http.Response) (*http.Response, error) {
		handle()
		return answering(429, full, http.Header{"Retry-After": {fmt.Sprint(draw(4))}}), nil
	}},
}

// mishaps makes about every second request fail, and counts what it did to which operation.
type mishaps struct {
	mu   sync.Mutex
	rnd  *rand.Rand
	done map[string]int
}

func newMishaps(seed uint64) *mishaps {
	return &mishaps{rnd: rand.New(rand.NewPCG(seed, 2)), done: map[string]int{}}
}

func (m *mishaps) draw(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rnd.IntN(n)
}

func (m *mishaps) happen(r *http.Request, handle func() *http.Response) (*http.Response, error) {
	time.Sleep(time.Duration(m.draw(50)) * time.Millisecond)
	i := m.draw(2 * len(faults))
	if i >= len(faults) {
		return handle(), nil
	}
	m.mu.Lock()
	m.done[path.Base(r.URL.Path)+" "+r.Method+", "+faults[i].name]++
	m.mu.Unlock()
	return faults[i].do(m.draw, handle)
}

// cut ends an answer early, with or without a word about it.
func cut(res *http.Response, draw func(int) int) *http.Response {
	b, _ := io.ReadAll(res.Body)
	rest := io.Reader(bytes.NewReader(b[:draw(len(b))]))
	if draw(2) == 0 {
		rest = io.MultiReader(rest, failing{})
	}
	res.Body = io.NopCloser(rest)
	return res
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func answering(status int, body string, h http.Header) *http.Response {
	if h == nil {
		h = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(bytes.NewReader([]byte(body)))}
}
