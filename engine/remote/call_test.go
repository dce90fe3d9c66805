package remote_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/remote"
)

// script answers requests one after the other, and keeps them. The last answer is given again and
// again.
type script struct {
	answers []func() (*http.Response, error)
	got     []*http.Request
	bodies  []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
	}
	s.got, s.bodies = append(s.got, r), append(s.bodies, body)
	return s.answers[min(len(s.got), len(s.answers))-1]()
}

func says(status int, body string, header ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return answering(status, body, h), nil
	}
}

func breaks(err error) func() (*http.Response, error) {
	return func() (*http.Response, error) { return nil, err }
}

const created = `{"response_id":"r","type":"campaign","data":{"id":"65f0a1b2c3d4e5f60718293a","status":"DRAFT"}}`

func scripted(t *testing.T, c remote.Config, answers ...func() (*http.Response, error)) (*remote.Service, *script) {
	t.Helper()
	way := &script{answers: answers}
	if c.BaseURL == "" {
		c.BaseURL = "https://api-{dc}.example.com/base/"
	}
	c.Transport = way
	if c.Key == nil {
		c.Key = fixedKey("s3cret-key")
	}
	return open(t, c), way
}

func draft(t *testing.T) engine.CreateRequest {
	return engine.CreateRequest{Body: parse(t, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com"}`)}
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

func TestConfig(t *testing.T) {
	for _, tt := range []struct{ base, dc, want string }{
		{"", "", "the base_url is missing"},
		{"api.example.com", "", "must begin with https://"},
		{"ftp://api.example.com", "", "must begin with https://"},
		{"https://user:hunter2@api.example.com", "", "holds credentials"},
		{"https://api.example.com?x=1", "", "before any ?"},
		{"https://api.example.com/v5/", "", "before /v5"},
		{"http://api.example.com", "", "without TLS"},
		{"https://api-{dc}.example.com", "07", "choose one of 01, 02"},
		{"https://%zz", "", "cannot be read"},
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

// What breaks is sent again, with the same words and the same key; what says no is not.
func TestRepeats(t *testing.T) {
	broken := says(500, `{"error":{"code":"INTERNAL_ERROR","message":"broken"}}`)
	lost := breaks(errReset)
	conflict := says(409, `{"error":{"code":"BAD_REQUEST","message":"in progress"}}`)
	for name, tt := range map[string]struct {
		answers []func() (*http.Response, error)
		retries int
		sent    int
		http    int // of the refusal; 0: it went well, or nobody answered
		fails   bool
	}{
		"at once":              {answers: []func() (*http.Response, error){says(201, created)}, sent: 1},
		"lost, broken, good":   {answers: []func() (*http.Response, error){lost, broken, says(503, ""), says(201, created)}, sent: 4},
		"broken to the end":    {answers: []func() (*http.Response, error){broken}, sent: 5, http: 500, fails: true},
		"lost to the end":      {answers: []func() (*http.Response, error){lost}, sent: 5, fails: true},
		"never":                {answers: []func() (*http.Response, error){broken}, retries: -1, sent: 1, http: 500, fails: true},
		"a no":                 {answers: []func() (*http.Response, error){says(400, `{"error":{"code":"VALIDATION_FAILED","message":"no"}}`)}, sent: 1, http: 400, fails: true},
		"not implemented":      {answers: []func() (*http.Response, error){says(501, "")}, sent: 1, http: 501, fails: true},
		"conflict":             {answers: []func() (*http.Response, error){conflict}, sent: 1, http: 409, fails: true},
		"at work, then done":   {answers: []func() (*http.Response, error){lost, conflict, conflict, says(201, created, "Idempotent-Replayed", "true")}, sent: 4},
		"a no after something": {answers: []func() (*http.Response, error){lost, says(422, `{}`)}, sent: 2, http: 422, fails: true},
		"no such host":         {answers: []func() (*http.Response, error){breaks(&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true})}, sent: 1, fails: true},
		"certificate":          {answers: []func() (*http.Response, error){breaks(&tls.CertificateVerificationError{Err: errors.New("x509: expired")})}, sent: 1, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, way := scripted(t, remote.Config{Retries: tt.retries}, tt.answers...)
				_, err := s.Create(t.Context(), draft(t))
				if len(way.got) != tt.sent || (err != nil) != tt.fails {
					t.Fatalf("sent %d times, want %d: %v", len(way.got), tt.sent, err)
				}
				e := engine.AsError(err)
				if got := e != nil; got != (tt.http != 0) || got && e.HTTP != tt.http {
					t.Errorf("%+v", err)
				}
				var unanswered *remote.UnansweredError
				if errors.As(err, &unanswered) != (tt.fails && tt.http == 0) {
					t.Errorf("%#v", err)
				}
				for i, r := range way.got {
					first := way.got[0].Header
					if r.Header.Get("Idempotency-Key") != first.Get("Idempotency-Key") || r.Header.Get("X-SVC-Request-Id") != first.Get("X-SVC-Request-Id") || way.bodies[i] != way.bodies[0] {
						t.Errorf("attempt %d is another request", i)
					}
				}
			})
		})
	}
}

// A test send whose answer went astray may take its time; the same key gets its answer in the end.
// It is never sent with another one.
func TestATestStillAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		n := 0
		way := &wire{fault: func(*http.Request, func() *http.Response) (*http.Response, error) {
			if n++; n == 1 {
				return nil, errReset
			}
			if time.Since(start) < 3*time.Minute {
				return answering(409, `{"error":{"code":"BAD_REQUEST","message":"in progress; retry with a new key"}}`, nil), nil
			}
			return answering(200, `{"response_id":"r","data":{"data":{"EMAIL_default_variation_1":{"status":"SENT"}},"message":"m"}}`, nil), nil
		}}
		s := open(t, remote.Config{BaseURL: "https://api.example.com", Transport: way})
		out, err := s.Test(t.Context(), engine.TestRequest{Body: parse(t, `{}`)})
		if err != nil || len(out.Keys) != 1 {
			t.Errorf("%+v, %v", out, err)
		}
		start, n = time.Now().Add(time.Hour), 0
		_, err = s.Test(t.Context(), engine.TestRequest{Body: parse(t, `{}`)})
		if e := engine.AsError(err); e == nil || e.HTTP != 409 || !strings.Contains(e.Message, "look before you do it again") {
			t.Errorf("%v", err)
		}
	})
}

func TestUnansweredSaysWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := scripted(t, remote.Config{}, breaks(errReset))
		r := draft(t)
		r.Call = engine.NewCall()
		_, err := s.Create(t.Context(), r)
		var e *remote.UnansweredError
		if !errors.As(err, &e) || !e.Write || e.Call != r.Call || e.Attempts != 5 || !errors.Is(err, errReset) {
			t.Fatalf("%#v", err)
		}
		want := "api-01.example.com gave no answer to create in 5 attempts: connection reset by peer; it may have been done all the same, so look before you do it again"
		if err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
		s, _ = scripted(t, remote.Config{}, breaks(&net.OpError{Op: "dial", Err: errors.New("connection refused")}))
		if _, err = s.Create(t.Context(), r); !errors.As(err, &e) || e.Write {
			t.Errorf("what never left was not done: %v", err)
		}
		if _, err = s.Get(t.Context(), "x"); !errors.As(err, &e) || e.Write {
			t.Errorf("a read does nothing: %v", err)
		}
	})
}

// A service that says nothing is given up after a while, however it goes about it.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		way := &wire{fault: func(r *http.Request, _ func() *http.Response) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}}
		s := open(t, remote.Config{BaseURL: "https://api.example.com", Transport: way, Timeout: 10 * time.Second, Retries: 1})
		start := time.Now()
		_, err := s.Get(t.Context(), "x")
		if took := time.Since(start); took < 20*time.Second || took > 21*time.Second || err == nil || !strings.Contains(err.Error(), "nothing came within 10s") {
			t.Errorf("after %s: %v", took, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Create(ctx, draft(t)); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 23*time.Second {
			t.Errorf("%v", err)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := says(429, `{"error":{"code":"RATE_LIMITED","message":"slow down"}}`, "Retry-After", "7")
		date := says(429, ``, "Retry-After", time.Now().Add(10*time.Second).UTC().Format(http.TimeFormat))
		var waits []remote.Wait
		s, way := scripted(t, remote.Config{Waiting: func(w remote.Wait) { waits = append(waits, w) }}, full, date, says(201, created))
		start := time.Now()
		if _, err := s.Create(t.Context(), draft(t)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 10*time.Second || len(way.got) != 3 {
			t.Errorf("%d requests took %s", len(way.got), took)
		}
		if len(waits) != 4 || waits[0].For != 7*time.Second || waits[0].Over || !waits[1].Over || waits[0].Reason != remote.Limited ||
			waits[0].Operation != "create" || !waits[0].Until.Equal(start.Add(7*time.Second)) || waits[2].For != 3*time.Second {
			t.Errorf("%+v", waits)
		}
		if way.got[0].Header.Get("Idempotency-Key") != way.got[2].Header.Get("Idempotency-Key") {
			t.Error("another key")
		}
	})
}

func TestAWaitCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		over := 0
		s, way := scripted(t, remote.Config{Waiting: func(w remote.Wait) {
			if w.Over {
				over++
				return
			}
			time.AfterFunc(2*time.Second, cancel)
		}}, says(429, ``, "Retry-After", "7"))
		start := time.Now()
		_, err := s.Create(ctx, draft(t))
		if !errors.Is(err, context.Canceled) || time.Since(start) != 2*time.Second || len(way.got) != 1 || over != 1 {
			t.Errorf("after %s and %d requests: %v", time.Since(start), len(way.got), err)
		}
	})
}

func TestAWaitThatIsTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, way := scripted(t, remote.Config{MaxWait: time.Minute}, says(429, `{"error":{"code":"RATE_LIMITED","message":"come back tomorrow"}}`, "Retry-After", "3600"))
		start := time.Now()
		_, err := s.Create(t.Context(), draft(t))
		e := engine.AsError(err)
		if e == nil || e.Code != engine.RateLimited || e.RetryAfter != time.Hour || len(way.got) != 1 || time.Since(start) != 0 {
			t.Errorf("%+v", err)
		}
		// The client's own limits alike: the sixth creation of a minute waits, or is told how long.
		s, way = scripted(t, remote.Config{MaxWait: time.Second, Limits: true}, says(201, created))
		for range 5 {
			if _, err := s.Create(t.Context(), draft(t)); err != nil {
				t.Fatal(err)
			}
		}
		_, err = s.Create(t.Context(), draft(t))
		e = engine.AsError(err)
		if e == nil || e.Code != engine.RateLimited || e.RetryAfter != time.Minute || len(way.got) != 5 {
			t.Fatalf("%d requests: %+v", len(way.got), err)
		}
		if want := "the service takes 5 new campaigns per minute, and they are used up; the next can go out in 60 s"; e.Message != want {
			t.Errorf("got  %s\nwant %s", e.Message, want)
		}
	})
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
