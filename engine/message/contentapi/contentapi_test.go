package contentapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/contentapi"
)

// service is a server for content APIs, and the policy that lets it be called.
func service(t *testing.T, h http.HandlerFunc) (base string, p engine.ContentPolicy) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return s.URL, engine.ContentPolicy{Hosts: []string{u.Host}, Private: true}
}

func send(t *testing.T, p engine.ContentPolicy, apis ...engine.ContentAPI) *contentapi.Session {
	c := &contentapi.Client{Getenv: func(name string) (string, bool) { return "secret", name == "TOKEN" }}
	s := c.NewSession(apis, p)
	t.Cleanup(s.Close)
	return s
}

// What goes out: where arguments stand, and the headers.
func TestRequest(t *testing.T) {
	var got string
	base, policy := service(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = strings.TrimSpace(strings.Join([]string{r.Method, r.RequestURI, string(body), r.Header.Get("X-Key"), r.Header.Get("Content-Type")}, " "))
		io.WriteString(w, `{"ok": 1.50}`)
	})
	for _, tt := range []struct {
		api  engine.ContentAPI
		args []any
		want string
	}{
		{engine.ContentAPI{URL: "/w"}, nil, "GET /w"},
		{engine.ContentAPI{URL: "/w", Params: []string{"city", "days"}}, []any{"São Paulo/?&", 3}, "GET /w?city=S%C3%A3o+Paulo%2F%3F%26&days=3"},
		{engine.ContentAPI{URL: "/w?k=1", Params: []string{"city"}}, []any{"x"}, "GET /w?k=1&city=x"},
		{engine.ContentAPI{URL: "/in/{city}/now?u={unit}", Params: []string{"city", "unit", "n"}}, []any{"a/../b?", "°C", json.Number("1.50")}, "GET /in/a%2F..%2Fb%3F/now?u=%C2%B0C&n=1.50"},
		{engine.ContentAPI{URL: "/in/{city}", Params: []string{"city"}}, []any{"{city}#"}, "GET /in/%7Bcity%7D%23"},
		{engine.ContentAPI{URL: "/w", Params: []string{"city", "days"}}, []any{"x"}, "GET /w?city=x"},
		{engine.ContentAPI{URL: "/p/{id}", Method: "POST", Params: []string{"id", "tags"}}, []any{1, []any{"a"}}, `POST /p/1 {"tags":["a"]}  application/json`},
		{engine.ContentAPI{URL: "/w", Headers: []engine.ContentHeader{{Name: "x-key", Env: "TOKEN"}}}, nil, "GET /w  secret"},
		{engine.ContentAPI{URL: "/w", Headers: []engine.ContentHeader{{Name: "X-Key", Value: "plain"}}}, nil, "GET /w  plain"},
	} {
		tt.api.Name, tt.api.URL = "a", base+tt.api.URL
		s := send(t, policy, tt.api)
		v, err := s.Functions()["a"](t.Context(), tt.args...)
		if err != nil || got != tt.want || result(v) != `{"ok":1.50}` {
			t.Errorf("%+v\ngot  %s\nwant %s\n%v, %v", tt.api, got, tt.want, v, err)
		}
		calls := s.Calls()
		if len(calls) != 1 || calls[0].Status != 200 || string(calls[0].Response) != `{"ok": 1.50}` || !strings.HasPrefix(calls[0].URL, base) || calls[0].End.Before(calls[0].Start) {
			t.Errorf("noted as %+v", calls)
		}
		if shown := calls[0].RequestHeader.Get("X-Key"); strings.Contains(shown, "secret") {
			t.Errorf("the note holds the secret: %q", shown)
		}
	}
}

// result returns what an expression gets, as text.
func result(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case doc.Value:
		return string(v.Encode())
	}
	return v.(string)
}

func TestAnswers(t *testing.T) {
	long := strings.Repeat("x", contentapi.MaxAnswer+1)
	for _, tt := range []struct {
		status     int
		kind, body string
		want       string
		err        string
	}{
		{200, "application/json", `[1, {"a": null}]`, `[1,{"a":null}]`, ""},
		{200, "application/json; charset=utf-8", ` "x" `, `"x"`, ""},
		{200, "application/problem+json", `true`, "true", ""},
		{200, "text/plain", "mild, 12°", "mild, 12°", ""},
		{200, "text/html", `{"a": "b"}`, `{"a":"b"}`, ""},
		{200, "text/html", `{{ user.first_name }}`, "{{ user.first_name }}", ""}, // a value: it is not filled again
		{204, "", "", "", ""},
		{200, "application/json", `{"a": }`, "", "its response is not valid JSON"},
		{200, "application/json", `{} {}`, "", "there is data after the end"},
		{200, "image/png", "PNG", "", "its response is image/png, neither JSON nor text"},
		{200, "text/plain", "\xff\xfe", "", "neither JSON nor text"},
		{200, "text/plain", long, "", "longer than 256 KiB"},
		{404, "application/json", `{"a": 1}`, "", "it responded 404 Not Found"},
		{500, "text/plain", long, "", "longer than 256 KiB"},
		{302, "text/plain", "", "", "302"},
	} {
		base, policy := service(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.kind)
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		s := send(t, policy, engine.ContentAPI{Name: "a", URL: base})
		v, err := s.Functions()["a"](t.Context())
		if result(v) != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%d %s %.20q: %v, %v; want %v, %q", tt.status, tt.kind, tt.body, v, err, tt.want, tt.err)
		}
		if c := s.Calls(); len(c) != 1 || err != nil && c[0].Err != err.Error() || len(c[0].Response) > contentapi.MaxAnswer {
			t.Errorf("noted as %d calls, %q", len(c), c[0].Err)
		}
	}
}

// Many messages that ask the same at once make one call.
func TestOneCallForAll(t *testing.T) {
	var calls atomic.Int32
	release := make(chan struct{})
	base, policy := service(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		<-release
		http.Error(w, "busy", http.StatusServiceUnavailable)
	})
	s := send(t, policy, engine.ContentAPI{Name: "a", URL: base, Params: []string{"x"}})
	ask := s.Functions()["a"]
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, err := ask(t.Context(), i%2); err == nil || !strings.Contains(err.Error(), "503") {
				t.Errorf("error %v", err)
			}
		})
	}
	close(release)
	all.Wait()
	if n := calls.Load(); n != 2 {
		t.Errorf("%d calls for two questions", n)
	}
	again := 0
	for _, c := range s.Calls() {
		again += c.Reused
	}
	if again != 18 {
		t.Errorf("the answers were used %d times again, not 18", again)
	}
}

// Who gives up leaves the call to those that still wait.
func TestCanceledCall(t *testing.T) {
	arrived, release := make(chan struct{}, 2), make(chan struct{})
	base, policy := service(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-release:
			io.WriteString(w, "x")
		case <-r.Context().Done():
		}
	})
	s := send(t, policy, engine.ContentAPI{Name: "a", URL: base})
	ask := s.Functions()["a"]
	ctx, cancel := context.WithCancel(t.Context())
	var both sync.WaitGroup
	both.Go(func() {
		if _, err := ask(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the first: %v", err)
		}
	})
	<-arrived
	both.Go(func() {
		if v, err := ask(t.Context()); v != "x" || err != nil {
			t.Errorf("the second: %v, %v", v, err)
		}
	})
	cancel()
	<-arrived
	close(release)
	both.Wait()
}

func TestTimeLimit(t *testing.T) {
	done := make(chan struct{})
	base, policy := service(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done(); close(done) })
	s := send(t, policy, engine.ContentAPI{Name: "a", URL: base, Timeout: 20})
	_, err := s.Functions()["a"](t.Context())
	if err == nil || err.Error() != silent || s.Calls()[0].Err != "it did not respond within 20ms" {
		t.Errorf("error %v", err)
	}
	<-done
}

// A body that never ends is cut off, also one that is small until it is unpacked.
func TestEndlessBody(t *testing.T) {
	gone := make(chan struct{})
	base, policy := service(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		for {
			if _, err := w.Write([]byte(strings.Repeat("x", 64<<10))); err != nil {
				return
			}
		}
	})
	s := send(t, policy, engine.ContentAPI{Name: "a", URL: base})
	if _, err := s.Functions()["a"](t.Context()); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("error %v", err)
	}
	<-gone
}

func TestTooManyCalls(t *testing.T) {
	s := send(t, engine.ContentPolicy{}, engine.ContentAPI{Name: "a", URL: "https://api.example.com", Params: []string{"n"}})
	var err error
	for i := range contentapi.MaxCalls + 1 {
		_, err = s.Functions()["a"](t.Context(), i)
	}
	if err == nil || !strings.Contains(err.Error(), "at most 1000 times") || len(s.Calls()) != contentapi.MaxCalls {
		t.Errorf("%d calls, %v", len(s.Calls()), err)
	}
}

func TestTry(t *testing.T) {
	base, policy := service(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"q": "`+r.URL.RawQuery+`"}`) })
	c := &contentapi.Client{}
	got := c.Try(t.Context(), engine.ContentAPI{Name: "a", URL: base, Params: []string{"x"}}, policy, []any{"5"})
	if result(got.Value) != `{"q":"x=5"}` || got.Call.Status != 200 || got.Call.Err != "" {
		t.Errorf("%+v", got)
	}
	got = c.Try(t.Context(), engine.ContentAPI{Name: "a", URL: base}, policy, []any{"5"})
	if got.Value != nil || got.Call.Err != "it takes no arguments, and was called with 1" {
		t.Errorf("%+v", got)
	}
}

func TestCheck(t *testing.T) {
	good := engine.ContentAPI{Name: "a", URL: "https://api.example.com/{city}?u={unit}", Params: []string{"city", "unit"}, Headers: []engine.ContentHeader{{Name: "X-Key", Env: "KEY"}}}
	if err := contentapi.Check(good); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*engine.ContentAPI){
		"begin with https":             func(a *engine.ContentAPI) { a.URL = "file:///etc/passwd" },
		"and a host":                   func(a *engine.ContentAPI) { a.URL = "/weather" },
		"must start with a fixed host": func(a *engine.ContentAPI) { a.URL = "https://{city}.example.com/" },
		"a fixed host; param":          func(a *engine.ContentAPI) { a.URL = "https://api.example.com{city}" },
		"contain a password":           func(a *engine.ContentAPI) { a.URL = "https://u:p@api.example.com/" },
		"a fragment":                   func(a *engine.ContentAPI) { a.URL += "#x" },
		"must be encoded":              func(a *engine.ContentAPI) { a.URL = "https://api.example.com/a b/{city}" },
		"cannot be read":               func(a *engine.ContentAPI) { a.URL = "https://api.example.com:x/" },
		"not one of its":               func(a *engine.ContentAPI) { a.URL += "&z={zip}" },
		"GET or POST":                  func(a *engine.ContentAPI) { a.Method = "DELETE" },
		"at most 20000":                func(a *engine.ContentAPI) { a.Timeout = 60_000 },
		"letters, digits":              func(a *engine.ContentAPI) { a.Params = append(a.Params, "a b") },
		"two parameters":               func(a *engine.ContentAPI) { a.Params = append(a.Params, "city") },
		"cannot be set":                func(a *engine.ContentAPI) { a.Headers[0].Name = "host" },
		"not a valid header name":      func(a *engine.ContentAPI) { a.Headers[0].Name = "a b" },
		"headers cannot contain":       func(a *engine.ContentAPI) { a.Headers[0] = engine.ContentHeader{Name: "X", Value: "a\r\nb"} },
		"not both":                     func(a *engine.ContentAPI) { a.Headers[0].Value = "x" },
	} {
		bad := good
		bad.Params, bad.Headers = append([]string(nil), good.Params...), append([]engine.ContentHeader(nil), good.Headers...)
		change(&bad)
		if err := contentapi.Check(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", bad, err, want)
		}
	}
	if err := contentapi.CheckHosts([]string{"api.example.com", "*.example.com", "localhost:8080", "[::1]:80", "10.0.0.1"}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "https://x.example.com", "*", "x.*.com", "x.example.com/path", "a b", "u@x.example.com"} {
		if contentapi.CheckHosts([]string{bad}) == nil {
			t.Errorf("%q is taken for a host", bad)
		}
	}
}
