package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gatewaytest"
)

// drawing begins as a web page may do, too.
const drawing = "<!-- Generator: Adobe Illustrator --><svg xmlns=\"http://www.w3.org/2000/svg\"/>"

func fileServer(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/files/terms.pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf; charset=x")
		fmt.Fprint(w, "%PDF")
	})
	mux.HandleFunc("/named", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename*=UTF-8''..%2F..%2FM%C3%A4rz.txt`)
		fmt.Fprint(w, "hello")
	})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "root") })
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<p>Log in</p>")
	}
	for _, path := range []string{"/login", "/soft/404.pdf", "/page.html"} {
		mux.HandleFunc(path, page)
	}
	mux.HandleFunc("/export", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=report.html")
		page(w, r)
	})
	for from, to := range map[string]string{"/private/terms.pdf": "/login?next=secret", "/moved.html": "/page.html", "/old": "/export"} {
		mux.Handle(from, http.RedirectHandler(to, http.StatusFound))
	}
	mux.HandleFunc("/empty.pdf", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/9mb.zip", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 9<<20)) })
	mux.HandleFunc("/27mb.zip", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 27<<20)) })
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 2000)) })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, _ *http.Request) {
		for range 20 {
			fmt.Fprint(w, strings.Repeat("x", 100))
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/stalled", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "x")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/inline", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "inline; filename=x.html")
		_, _ = fmt.Fprint(w, "<p>Log in</p>")
	})
	untyped := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = fmt.Fprint(w, body)
		}
	}
	mux.HandleFunc("/logo.svg", untyped(drawing))
	mux.HandleFunc("/untyped/404.pdf", untyped("<!-- 404 -->\n<!DOCTYPE HTML><p>No file</p>"))
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/r/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		if n == 0 {
			http.Redirect(w, r, "/files/terms.pdf", http.StatusFound)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/r/%d", n-1), http.StatusFound)
	})
	mux.HandleFunc("/tofile", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

func TestFetch(t *testing.T) {
	srv := fileServer(t)
	f := &delivery.Fetcher{AllowPrivate: true, MaxBytes: 1000}
	for _, tt := range []struct{ path, name, kind, body string }{
		{"/files/terms.pdf?v=2#x", "terms.pdf", "application/pdf; charset=x", "%PDF"},
		{"/named", "März.txt", "text/plain; charset=utf-8", "hello"},
		{"/", "attachment", "text/plain; charset=utf-8", "root"},
		{"/r/2", "terms.pdf", "application/pdf; charset=x", "%PDF"},
		{"/page.html", "page.html", "text/html; charset=utf-8", "<p>Log in</p>"},
		{"/moved.html", "page.html", "text/html; charset=utf-8", "<p>Log in</p>"},
		{"/old", "report.html", "text/html; charset=utf-8", "<p>Log in</p>"},
		{"/inline", "x.html", "text/html; charset=utf-8", "<p>Log in</p>"},
		{"/logo.svg", "logo.svg", "text/html; charset=utf-8", drawing},
	} {
		a, err := f.Fetch(t.Context(), srv.URL+tt.path)
		if err != nil || a.Name != tt.name || a.ContentType != tt.kind || string(a.Data) != tt.body {
			t.Errorf("%s: %+v, %v", tt.path, a, err)
		}
	}
	for _, tt := range []struct {
		url      string
		reason   delivery.Reason
		sentence string
	}{
		{srv.URL + "/files/no.pdf", delivery.Refused, "/files/no.pdf cannot be fetched: the server answered 404 Not Found"},
		{srv.URL + "/private/terms.pdf", delivery.Refused, "/private/terms.pdf redirects to " + srv.URL + "/login, which is a web page and not a file; use an address that works without logging in"},
		{srv.URL + "/soft/404.pdf", delivery.Refused, "/soft/404.pdf is a web page and not a file; use an address that works without logging in"},
		{srv.URL + "/untyped/404.pdf", delivery.Refused, "/untyped/404.pdf is a web page and not a file"},
		{srv.URL + "/empty.pdf", delivery.Refused, "/empty.pdf is empty; check the address"},
		{srv.URL + "/gone", delivery.Refused, "/gone cannot be fetched: the server answered 410 Gone"},
		{srv.URL + "/large?sig=secret", delivery.Invalid, "/large is larger than 1000 bytes"},
		{srv.URL + "/stream", delivery.Invalid, "is larger than 1000 bytes"},
		{srv.URL + "/r/3", delivery.Refused, "redirected more than 3 times"},
		{srv.URL + "/tofile", delivery.Refused, "redirects to something that is not an http or https address"},
		{"file:///etc/passwd", delivery.Invalid, "is not an http or https address"},
		{"not a url", delivery.Invalid, "is not an http or https address"},
		{"http://", delivery.Invalid, "is not an http or https address"},
		{"http://127.0.0.1:1/x", delivery.Unreachable, "cannot be fetched: its address is not public, or does not respond"},
	} {
		_, err := f.Fetch(t.Context(), tt.url)
		wantError(t, err, tt.reason, tt.sentence)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the query stands in the error: %v", err)
		}
	}
}

func TestFetchLimits(t *testing.T) {
	srv := fileServer(t)
	large := &delivery.Fetcher{AllowPrivate: true}
	if a, err := large.Fetch(t.Context(), srv.URL+"/9mb.zip"); err != nil || len(a.Data) != 9<<20 {
		t.Errorf("%d bytes, %v", len(a.Data), err)
	}
	_, err := large.Fetch(t.Context(), srv.URL+"/27mb.zip")
	wantError(t, err, delivery.Invalid, "/27mb.zip is larger than 10 MiB")
	f := &delivery.Fetcher{AllowPrivate: true, Timeout: 50 * time.Millisecond}
	_, err = f.Fetch(t.Context(), srv.URL+"/slow")
	wantError(t, err, delivery.Unreachable, "/slow cannot be fetched: its address is not public, or does not respond")
	_, err = f.Fetch(t.Context(), srv.URL+"/stalled")
	wantError(t, err, delivery.Unreachable, "/stalled took longer than 50ms")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Fetch(ctx, srv.URL+"/slow"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestFetchPrivate(t *testing.T) {
	srv := fileServer(t)
	port := srv.URL[strings.LastIndex(srv.URL, ":"):]
	f := &delivery.Fetcher{Timeout: 120 * time.Millisecond}
	for _, url := range []string{
		srv.URL, "http://localhost" + port, "http://[::1]" + port, "http://[::ffff:127.0.0.1]" + port, "http://0.0.0.0" + port,
		"http://10.0.0.1", "http://192.168.1.1", "http://172.16.0.1", "http://169.254.169.254/latest/meta-data", "http://100.64.0.1",
		"http://[fe80::1]", "http://[fd00::1]", "http://[64:ff9b::7f00:1]", "http://[2002:7f00:1::]", "http://240.0.0.1", "http://224.0.0.1",
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel() // each waits
			_, err := f.Fetch(t.Context(), url+"/x?token=secret")
			wantError(t, err, delivery.Unreachable, "/x cannot be fetched: its address is not public, or does not respond")
			if !errors.Is(err, delivery.ErrPrivate) {
				t.Errorf("%s: the cause is %v", url, errors.Unwrap(err))
			}
		})
	}
}

// Who names an attachment learns nothing of this network: not which names resolve, not what refuses a
// connection, not what lets it wait. The cause, for the log, is kept.
func TestFetchErrorsHideTheNetwork(t *testing.T) {
	gatewaytest.FakeDNS(t, map[string]string{"known.internal.": "10.0.0.1", "here.internal.": "127.0.0.1", "slow.internal.": gatewaytest.NoResponse})
	mute, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	const limit = 120 * time.Millisecond
	public, private := &delivery.Fetcher{Timeout: limit}, &delivery.Fetcher{Timeout: limit, AllowPrivate: true}
	causes := map[string]bool{}
	for _, tt := range []struct {
		by   *delivery.Fetcher
		host string
	}{
		{public, "unknown.internal"}, {public, "known.internal"}, {public, "here.internal"}, {public, "slow.internal"}, {public, "127.0.0.1"},
		{private, "unknown.internal"}, {private, "here.internal:1"}, {private, mute.Addr().String()},
	} {
		start := time.Now()
		_, err := tt.by.Fetch(t.Context(), "http://"+tt.host+"/x")
		took := time.Since(start)
		var e *delivery.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", tt.host, err)
		}
		cause := e.Err
		causes[cause.Error()] = true
		e.Err = nil
		want := delivery.Error{Reason: delivery.Unreachable, Temporary: true, Message: "the attachment http://" + tt.host + "/x cannot be fetched: its address is not public, or does not respond"}
		if *e != want {
			t.Errorf("%s: got %+v\nwant %+v", tt.host, *e, want)
		}
		if took < limit {
			t.Errorf("%s: told after %s", tt.host, took)
		}
	}
	if len(causes) < 5 {
		t.Errorf("the causes are %v", causes)
	}
}
