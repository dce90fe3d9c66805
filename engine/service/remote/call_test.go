package remote_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/operation"
	"bugle/engine/service/remote"
)

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
		"a full disk":          {answers: []func() (*http.Response, error){says(507, `{"error":{"code":"INTERNAL_ERROR","message":"full"}}`)}, sent: 1, http: 507, fails: true},
		"doubled on the way":   {answers: []func() (*http.Response, error){says(409, `{"error":{"code":"BAD_REQUEST","message":"a send for this key is still in progress"}}`), says(201, created)}, sent: 2},
		"conflict":             {answers: []func() (*http.Response, error){conflict}, sent: 1, http: 409, fails: true},
		"at work, then done":   {answers: []func() (*http.Response, error){lost, conflict, conflict, says(201, created, operation.HeaderReplayed, "true")}, sent: 4},
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
				var unanswered *remote.NoResponseError
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
		if e := engine.AsError(err); e == nil || e.HTTP != 409 || !strings.Contains(e.Message, "check the campaign before you try again") {
			t.Errorf("%v", err)
		}
	})
}

func TestNoResponseErrorMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := scripted(t, remote.Config{}, breaks(errReset))
		r := draft(t)
		r.Call = engine.NewCall()
		_, err := s.Create(t.Context(), r)
		var e *remote.NoResponseError
		if !errors.As(err, &e) || !e.Write || e.Call != r.Call || e.Attempts != 5 || !errors.Is(err, errReset) {
			t.Fatalf("%#v", err)
		}
		want := "no response from api-01.example.com to create after 5 attempts: connection reset by peer; it may have been done anyway, so check before you try again"
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
		if took := time.Since(start); took < 20*time.Second || took > 21*time.Second || err == nil || !strings.Contains(err.Error(), "no response within 10s") {
			t.Errorf("after %s: %v", took, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Create(ctx, draft(t)); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 23*time.Second {
			t.Errorf("%v", err)
		}
	})
}
