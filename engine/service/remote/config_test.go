package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/service/remote"
)

func TestConfig(t *testing.T) {
	for _, tt := range []struct{ base, dc, want string }{
		{"", "", "the base_url is missing"},
		{"api.example.com", "", "must begin with https://"},
		{"ftp://api.example.com", "", "must begin with https://"},
		{"https://user:hunter2@api.example.com", "", "must not contain credentials"},
		{"https://api.example.com?x=1", "", "must not contain ? or #"},
		{"https://api.example.com/v5/", "", "must not end with /v5"},
		{"http://api.example.com", "", "unencrypted"},
		{"https://api-{dc}.example.com", "07", "choose from 01, 02"},
		{"https://%zz", "", "cannot parse the base_url"},
		{"https://api.example.com?api_key=hunter2", "", "must not contain ? or #"},
		{"https://api.example.com?", "", "must not contain ? or #"},
		{"https://api.example.com/#hunter2", "", "must not contain ? or #"},
		{"api.example.com?api_key=hunter2", "", "must begin with https://"},
		{"user:hunter2@api.example.com", "", "must begin with https://"},
		{"https://api-{zone}.example.com", "", "cannot parse the base_url"},
		{"http://127.0.0.1.example.com", "", "unencrypted"},
		{"http://localhost.example.com", "", "unencrypted"},
		{"http://0.0.0.0", "", "unencrypted"},
		{"http://10.0.0.1:8080", "", "unencrypted"},
	} {
		_, err := remote.New(remote.Config{BaseURL: tt.base, DC: tt.dc})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q in it", tt.base, err, tt.want)
		}
	}
	for _, c := range []remote.Config{
		{BaseURL: "http://127.0.0.1:1"}, {BaseURL: "http://localhost"}, {BaseURL: "http://[::1]:8080"}, {BaseURL: "http://api.example.com", Insecure: true},
		{BaseURL: "https://api-{dc}.example.com", DC: "06"},
	} {
		if _, err := remote.New(c); err != nil {
			t.Errorf("%s: %v", c.BaseURL, err)
		}
	}
	if _, err := remote.New(remote.Config{BaseURL: "https://a.example.com", Dialect: remote.Dialect{StatusMethod: "PUT"}}); err == nil {
		t.Error("a dialect that cannot be was taken")
	}
}

func TestIDsAndCredentials(t *testing.T) {
	s, way := scripted(t, remote.Config{DC: "101"}, says(201, created))
	if _, err := s.Create(t.Context(), draft(t)); err != nil {
		t.Fatal(err)
	}
	r := way.got[0]
	user, key, _ := r.BasicAuth()
	if r.Method != "POST" || r.URL.String() != "https://api-101.example.com/base/v5/campaigns" || user != workspace || key != "s3cret-key" {
		t.Errorf("%s %s as %s:%s", r.Method, r.URL, user, key)
	}
	id, err := uuid.Parse(r.Header.Get("Idempotency-Key"))
	if err != nil || id.Version() != 4 || r.Header.Get("X-SVC-Request-Id") == "" || r.Header.Get("X-SVC-Tenant-ID") != workspace || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", r.Header)
	}
	// The ids of the caller, and of the body, are the ids of the call; a read has no key.
	call := engine.Call{RequestID: "mine", IdempotencyKey: "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"}
	_, _ = s.Create(t.Context(), engine.CreateRequest{Call: call, Body: draft(t).Body})
	_, _ = s.Create(t.Context(), engine.CreateRequest{Body: parse(t, `{"request_id":"in the body"}`)})
	_, _ = s.Get(t.Context(), "a/b ü")
	if h := way.got[1].Header; h.Get("X-SVC-Request-Id") != "mine" || h.Get("Idempotency-Key") != call.IdempotencyKey {
		t.Errorf("headers %v", h)
	}
	if h := way.got[2].Header; h.Get("X-SVC-Request-Id") != "in the body" {
		t.Errorf("headers %v", h)
	}
	if r := way.got[3]; r.URL.EscapedPath() != "/base/v5/campaigns/a%2Fb%20%C3%BC" || r.Header.Get("Idempotency-Key") != "" {
		t.Errorf("%s, headers %v", r.URL.EscapedPath(), r.Header)
	}
}

func TestRedirects(t *testing.T) {
	var stolen []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, fmt.Sprint(r.Header))
	}))
	defer other.Close()
	target, status := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			b, _ := io.ReadAll(r.Body)
			if r.Method != "POST" || len(b) == 0 || r.Header.Get("Authorization") == "" {
				t.Errorf("redirected as %s %q", r.Method, b)
			}
			w.WriteHeader(201)
			_, _ = io.WriteString(w, created)
			return
		}
		http.Redirect(w, r, target, status)
	}))
	defer server.Close()
	s := open(t, remote.Config{BaseURL: server.URL, Key: fixedKey("k3y-value")})
	for _, status = range []int{301, 302, 303, 307, 308} {
		target = other.URL + "/elsewhere"
		_, err := s.Create(t.Context(), draft(t))
		if e := engine.AsError(err); e == nil || e.HTTP != status || !strings.Contains(e.Message, other.URL) {
			t.Errorf("%d: %v", status, err)
		}
		if _, err := s.Get(t.Context(), "x"); engine.AsError(err) == nil {
			t.Errorf("%d: %v", status, err)
		}
		target = "/moved"
		_, err = s.Create(t.Context(), draft(t))
		if (err == nil) != (status == 307 || status == 308) {
			t.Errorf("%d to the same host: %v", status, err)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("followed to another host with %v", stolen)
	}
}

func TestKeys(t *testing.T) {
	asked := 0
	var fail error
	key := func(context.Context) (string, error) { asked++; return fmt.Sprintf("key-%d", asked), fail }
	s, way := scripted(t, remote.Config{Key: key}, says(200, `{"data":{"id":"x"}}`), says(200, `{"data":{"id":"x"}}`), says(401, `{"error":{"code":"UNAUTHORIZED","message":"wrong"}}`), says(200, `{"data":{"id":"x"}}`))
	for range 2 {
		if _, err := s.Get(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Get(t.Context(), "x")
	if e := engine.AsError(err); e == nil || e.Code != engine.Unauthorized || asked != 1 || len(way.got) != 3 {
		t.Errorf("asked %d times, %d requests: %v", asked, len(way.got), err)
	}
	if _, err := s.Get(t.Context(), "x"); err != nil || asked != 2 {
		t.Errorf("a key that was refused is asked for anew: %d, %v", asked, err)
	}
	fail = errors.New("the keyring is locked")
	s, way = scripted(t, remote.Config{Key: key}, says(200, `{}`))
	if _, err := s.Get(t.Context(), "x"); !errors.Is(err, fail) || len(way.got) != 0 {
		t.Errorf("%d requests: %v", len(way.got), err)
	}
}

// A key is asked for once, however many wait for it; who gives up does not wait.
func TestWaitingForAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		s, way := scripted(t, remote.Config{Key: func(context.Context) (string, error) { <-hold; return "k", nil }}, says(200, `{"data":{"id":"x"}}`))
		first := make(chan error, 1)
		go func() { _, err := s.Get(t.Context(), "x"); first <- err }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Get(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		close(hold)
		if err := <-first; err != nil || len(way.got) != 1 {
			t.Errorf("%d requests: %v", len(way.got), err)
		}
	})
}
