package api_test

import (
	"context"
	"io"
	"net/http/httptest"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
)

// heapUsed is how many bytes of the heap are in use, garbage that was not collected yet included.
func heapUsed() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// watched is an HTTP/1 connection over TLS.
type watched struct {
	io.Reader
	peak *atomic.Int64
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err == io.EOF {
		note(w.peak)
	}
	return n, err
}

func note(peak *atomic.Int64) {
	used := heapUsed()
	for was := peak.Load(); used > was && !peak.CompareAndSwap(was, used); was = peak.Load() {
	}
}

// Many hostile searches at once, each with a body of 1 MiB full of problems, take no more memory than the
// API may, twice for the collector, and are refused one by one.
func TestHostileSearchesAtOnce(t *testing.T) {
	const memory, atOnce = 64 << 20, 24
	b := newBench(t, func(b *bench, _ *engine.Workspace) { b.api.Memory = memory })
	for name, list := range map[string]string{
		"more values than a body may have": strings.Repeat("{},", engine.MaxBody/3-100),
		"as many as it may have":           strings.Repeat(`{"a":""},`, 16_000),
		"numbers":                          strings.Repeat("1,", 49_900),
		"texts":                            strings.Repeat(`"\u0061",`, 49_900),
	} {
		t.Run(name, func(t *testing.T) {
			body := `{"limit":1,"page":1,"campaign_fields":{"ids":[` + strings.TrimSuffix(list, ",") + `]}}`
			debug.FreeOSMemory() // the collector begins anew, from what is in use
			before := heapUsed()
			var peak atomic.Int64
			var done sync.WaitGroup
			for range atOnce {
				done.Go(func() {
					r := request(t.Context(), "POST", campaigns+"/search", "")
					r.Header.Set("Content-Type", "application/json")
					r.Body, r.ContentLength = io.NopCloser(watched{strings.NewReader(body), &peak}), int64(len(body))
					if a := send(t, b, r); a.status != 400 && a.status != 503 && a.status != 200 {
						t.Errorf("%d %.200s", a.status, a.raw)
					}
					note(&peak)
				})
			}
			done.Wait()
			if took := peak.Load() - before; took > 2*memory+32<<20 {
				t.Errorf("%d MiB were taken", took>>20)
			} else {
				t.Logf("%d MiB were taken", took>>20)
			}
		})
	}
}

// While others hold all that there is, a request waits a moment and is refused with 503; another key
// still has its room, and those who look after the server are answered.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench, _ *engine.Workspace) { b.api.Memory = 8 << 20 })
		const search = `{"limit":1,"page":1}`
		arriving, arrives := io.Pipe()
		first := make(chan answer, 1)
		go func() {
			r := request(t.Context(), "POST", campaigns+"/"+unused+"/validate", "")
			r.Body, r.ContentLength = arriving, 2
			first <- send(t, b, r)
		}()
		synctest.Wait()

		start := time.Now()
		a := b.do("POST", campaigns+"/"+unused+"/status", search, requestID("r")).refused(503, engine.Internal, "").is(503, "response_id", "r")
		if took := time.Since(start); took > 3*time.Second || a.header.Get("Retry-After") != "1" || !strings.Contains(a.at("error.message"), "try again") {
			t.Errorf("after %s: %v %s", took, a.header, a.raw)
		}
		b.do("POST", campaigns+"/"+unused+"/status", `{}`, as("TEST", keyRead)).is(403) // of another key
		for _, path := range []string{"/healthz", "/metrics"} {
			w := httptest.NewRecorder()
			if b.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Code != 200 {
				t.Errorf("%s: %d", path, w.Code)
			}
		}

		waiting := make(chan answer, 1)
		go func() { waiting <- b.do("POST", campaigns+"/"+unused+"/status", `{"action":"STOP"}`) }()
		synctest.Wait()
		if _, err := io.WriteString(arrives, "[]"); err != nil {
			t.Fatal(err)
		}
		arrives.Close()
		(<-first).is(400)
		(<-waiting).is(404) // as soon as there is room
	})
}

// A client that leaves while it waits is not waited for.
func TestBusyClientsDisconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(b *bench, _ *engine.Workspace) { b.api.Memory = 8 << 20 })
		arriving, arrives := io.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r := request(t.Context(), "POST", campaigns+"/search", "")
			r.Body, r.ContentLength = arriving, 2
			send(t, b, r)
		}()
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		leave()
		start := time.Now()
		send(t, b, request(ctx, "POST", campaigns+"/search", `{}`))
		if took := time.Since(start); took > 0 {
			t.Errorf("it was waited for %s", took)
		}
		arrives.Close()
		<-ended
	})
}
