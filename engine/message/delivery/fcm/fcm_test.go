package fcm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/fcm"
	"bugle/engine/message/delivery/gateway"
	. "bugle/engine/message/delivery/gatewaytest"
)

// pauses notes how long it was asked to wait, and does not.
type pauses struct {
	mu   sync.Mutex
	list []time.Duration
}

func (p *pauses) wait(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, d)
	return ctx.Err()
}

func config(f *FCM, p *pauses) fcm.Config {
	return fcm.Config{Key: f.Account, Endpoint: f.URL, Roots: f.Roots, Retry: gateway.Retry{Wait: p.wait}}
}

func open(t *testing.T, c fcm.Config) *fcm.Sender {
	t.Helper()
	out, err := fcm.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return out
}

func message(token string) delivery.Message {
	return delivery.Message{Key: "ANDROID_default_variation_1", Recipient: "USER_1", Push: &delivery.Push{
		Platform: "ANDROID", Token: token, Title: "Hi",
		Payload: json.RawMessage(`{"message":{"token":"` + token + `","data":{"title":"Hé"},"android":{"priority":"HIGH"}}}`),
	}}
}

func TestDeliver(t *testing.T) {
	f := NewFCM(t)
	c := open(t, config(f, &pauses{}))
	for i := range 3 {
		r, err := c.Deliver(t.Context(), message(fmt.Sprint("tok-", i)))
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("projects/shop-1/messages/%d", i+1); r.ID != want || r.Detail != "accepted by FCM" {
			t.Errorf("%+v", r)
		}
	}
	got := f.Messages()
	if len(got) != 3 || string(got[1].Payload) != string(message("tok-1").Push.Payload) || got[0].Conn != got[2].Conn {
		t.Errorf("%+v", got)
	}
	if n := f.Tokens(); n != 1 {
		t.Errorf("%d access tokens for three messages", n)
	}
}

// Many at once share one token.
func TestAtOnce(t *testing.T) {
	f := NewFCM(t)
	c := open(t, config(f, &pauses{}))
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			if _, err := c.Deliver(t.Context(), message(fmt.Sprint("tok-", i))); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if len(f.Messages()) != 20 || f.Tokens() != 1 {
		t.Errorf("%d messages, %d tokens", len(f.Messages()), f.Tokens())
	}
}

func TestExpired(t *testing.T) {
	f := NewFCM(t)
	c := open(t, config(f, &pauses{}))
	send := func() error { _, err := c.Deliver(t.Context(), message("tok")); return err }
	if err := send(); err != nil {
		t.Fatal(err)
	}
	f.Expire()
	if err := send(); err != nil || f.Tokens() != 2 {
		t.Errorf("a token that FCM takes for expired is renewed: %v, %d tokens", err, f.Tokens())
	}
	f.RespondAlways(FCMError(401, "UNAUTHENTICATED", "", "no"))
	Check(t, send(), delivery.Auth, "FCM refused a new access token (UNAUTHENTICATED: no)")
	if f.Tokens() != 3 {
		t.Errorf("it was renewed %d times, not once", f.Tokens()-2)
	}
}

// A token is renewed before its end.
func TestShortLived(t *testing.T) {
	f := NewFCM(t)
	f.SetTokenLifetime(30)
	c := open(t, config(f, &pauses{}))
	for range 2 {
		if _, err := c.Deliver(t.Context(), message("tok")); err != nil {
			t.Fatal(err)
		}
	}
	if f.Tokens() != 2 {
		t.Errorf("%d tokens", f.Tokens())
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		Name   string
		Answer Response // of every request
		Reason delivery.Reason
		Want   string
	}{
		{"unregistered", FCMError(404, "NOT_FOUND", "UNREGISTERED", "Requested entity was not found."), delivery.Gone, "FCM no longer knows the device (UNREGISTERED); the app was removed"},
		{"wrong token", FCMError(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token"), delivery.Gone, "FCM refused the device token (INVALID_ARGUMENT)"},
		{"wrong message", FCMError(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Invalid TTL"), delivery.Refused, "FCM refused the message (INVALID_ARGUMENT): Invalid TTL"},
		{"other project", FCMError(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", "x"), delivery.Refused, "another Firebase project (SENDER_ID_MISMATCH)"},
		{"no right", FCMError(403, "PERMISSION_DENIED", "", "x"), delivery.Auth, "is not allowed to send for this project (PERMISSION_DENIED: x)"},
		{"no such project", FCMError(404, "NOT_FOUND", "", "x"), delivery.Refused, "FCM does not know the project (NOT_FOUND: x)"},
		{"other platform", FCMError(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", "x"), delivery.Auth, "(THIRD_PARTY_AUTH_ERROR: x)"},
		{"throttled", FCMError(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", "x"), delivery.Throttled, "FCM accepts no more messages for now (QUOTA_EXCEEDED: x)"},
		{"throttled for long", Response{Status: 429, Header: map[string]string{"Retry-After": "120"}}, delivery.Throttled, "(429); it asks to wait 2m0s, but a test waits at most 30s"},
		{"down", FCMError(503, "UNAVAILABLE", "UNAVAILABLE", "x"), delivery.Refused, "FCM failed (UNAVAILABLE: x)"},
		{"not JSON", Response{Status: 502, Body: "<html>\r\nBad \x1b[31m Gateway"}, delivery.Refused, "FCM failed (502)"},
		{"strange", Response{Status: 418, Body: `{"error":{"message":"a\r\nb"}}`}, delivery.Refused, "FCM refused the message (418 I'm a teapot): a b"},
		{"redirect", Response{Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}, delivery.Refused, "302 Found"},
		{"not FCM", Response{Status: 200, Body: `{}`}, delivery.Refused, "is not from FCM"},
		{"echo", FCMError(400, "FAILED_PRECONDITION", "", "your token ya29.access-1 of tok-secret"), delivery.Refused, "your token … of …"},
	} {
		t.Run(tt.Name, func(t *testing.T) {
			f := NewFCM(t)
			f.RespondAlways(tt.Answer)
			_, err := open(t, config(f, &pauses{})).Deliver(t.Context(), message("tok-secret"))
			Check(t, err, tt.Reason, tt.Want, "ya29.access", "tok-secret", "PRIVATE KEY")
		})
	}
}

func TestTokenFailures(t *testing.T) {
	for _, tt := range []struct {
		Name   string
		Answer Response // of every request
		Reason delivery.Reason
		Want   string
	}{
		{"deleted key", Response{Status: 400, Body: `{"error":"invalid_grant","error_description":"Invalid JWT Signature."}`}, delivery.Auth, "Google refused the service account of FCM (invalid_grant: Invalid JWT Signature.)"},
		{"no JSON", Response{Status: 404, Body: `nothing`}, delivery.Auth, "(404 Not Found)"},
		{"throttled", Response{Status: 429}, delivery.Throttled, "returns no more tokens for now (429)"},
		{"down", Response{Status: 500}, delivery.Refused, "failed (500 Internal Server Error)"},
		{"empty", Response{Status: 200, Body: `{}`}, delivery.Auth, "returned no access token"},
	} {
		t.Run(tt.Name, func(t *testing.T) {
			f := NewFCM(t)
			f.Refuse = &tt.Answer
			_, err := open(t, config(f, &pauses{})).Deliver(t.Context(), message("tok"))
			Check(t, err, tt.Reason, tt.Want, "PRIVATE KEY", "assertion")
			if len(f.Messages()) > 0 {
				t.Error("something was sent")
			}
		})
	}
}

// The token endpoint checks the signature: the key of another account is told apart.
func TestAnotherAccount(t *testing.T) {
	f, other := NewFCM(t), NewFCM(t)
	c := config(f, &pauses{})
	c.Key, c.TokenEndpoint = other.Account, f.URL+"/token"
	_, err := open(t, c).Deliver(t.Context(), message("tok"))
	Check(t, err, delivery.Auth, "Google refused the service account of FCM (invalid_grant: Invalid JWT", "PRIVATE KEY")
	if f.Tokens()+len(f.Messages()) > 0 {
		t.Error("it was let in")
	}
}

// What passes is tried again: after the time that was asked for, or a little more each time.
func TestRetry(t *testing.T) {
	f, p := NewFCM(t), &pauses{}
	f.Respond(Response{Status: 429, Header: map[string]string{"Retry-After": "3"}}, FCMError(503, "UNAVAILABLE", "UNAVAILABLE", "x"))
	if _, err := open(t, config(f, p)).Deliver(t.Context(), message("tok")); err != nil {
		t.Fatal(err)
	}
	if len(p.list) != 2 || p.list[0] != 3*time.Second || p.list[1] != 2*time.Second {
		t.Errorf("waited %v", p.list)
	}
}

func TestUnreachable(t *testing.T) {
	f := NewFCM(t)
	c := config(f, &pauses{})
	c.Endpoint = "http://" + ClosedPort(t)
	_, err := open(t, c).Deliver(t.Context(), message("tok-secret"))
	Check(t, err, delivery.Unreachable, "cannot reach FCM at 127.0.0.1:", "tok-secret")
	if !strings.Contains(err.Error(), "connection refused") {
		t.Error(err)
	}

	c = config(f, &pauses{})
	c.TokenEndpoint = "http://" + ClosedPort(t) + "/token"
	_, err = open(t, c).Deliver(t.Context(), message("tok"))
	Check(t, err, delivery.Unreachable, "cannot reach the token endpoint of FCM at 127.0.0.1:")

	c = config(f, &pauses{})
	c.Roots = nil
	_, err = open(t, c).Deliver(t.Context(), message("tok"))
	Check(t, err, delivery.Insecure, "the certificate of the token endpoint of FCM at 127.0.0.1:")
}

// One that says nothing is given up at the limit, and at once where the test is canceled.
func TestSilent(t *testing.T) {
	f := NewFCM(t)
	entered, leave := make(chan struct{}, 2), make(chan struct{})
	t.Cleanup(func() { close(leave) })
	f.OnRequest(func(r *http.Request) {
		entered <- struct{}{}
		select {
		case <-leave:
		case <-r.Context().Done():
		}
	})
	c := config(f, &pauses{})
	c.Retry.Limit = 200 * time.Millisecond
	_, err := open(t, c).Deliver(t.Context(), message("tok"))
	Check(t, err, delivery.Unreachable, "got the message but did not confirm it (no response in time): it may have been delivered; look before you repeat")
	<-entered

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	if _, err := open(t, config(f, &pauses{})).Deliver(ctx, message("tok")); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "may have been delivered") {
		t.Errorf("got %v", err)
	}
}

// A message may have been delivered only if it was sent: not where a connection or the access token is missing.
func TestWhetherItMayHaveBeenDelivered(t *testing.T) {
	f := NewFCM(t)
	f.OnRequest(func(*http.Request) { panic(http.ErrAbortHandler) })
	p := &pauses{}
	_, err := open(t, config(f, p)).Deliver(t.Context(), message("tok"))
	Check(t, err, delivery.Unreachable, "it may have been delivered; look before you repeat")
	if f.Requests() != 1 {
		t.Errorf("sent %d times", f.Requests())
	}
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(silent.Close)
	silent.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, change := range []func(*fcm.Config){
		func(c *fcm.Config) { c.Endpoint = "http://" + ClosedPort(t) },
		func(c *fcm.Config) { c.TokenEndpoint = silent.URL },
	} {
		c := config(f, p)
		change(&c)
		if _, err := open(t, c).Deliver(t.Context(), message("tok")); err == nil || strings.Contains(err.Error(), "may have been delivered") {
			t.Errorf("got %v", err)
		}
	}
}

func TestSettings(t *testing.T) {
	f := NewFCM(t)
	for name, change := range map[string]func(*fcm.Config){
		"not a service account JSON file": func(c *fcm.Config) { c.Key = []byte("secret-key") },
		"no valid private_key":            func(c *fcm.Config) { c.Key = []byte(`{"type":"service_account","private_key":"secret-key"}`) },
		"is not encrypted":                func(c *fcm.Config) { c.Endpoint = "http://fcm.example.com" },
		"is not a URL":                    func(c *fcm.Config) { c.Endpoint = "fcm.example.com" },
		"token endpoint of FCM":           func(c *fcm.Config) { c.TokenEndpoint = "ftp://x" },
		"the FCM project is missing":      func(c *fcm.Config) { c.Project = "../other" },
	} {
		c := config(f, &pauses{})
		change(&c)
		_, err := fcm.New(c)
		Check(t, err, delivery.Invalid, name, "secret-key")
	}
	m := message("tok")
	m.Push.Platform = "IOS"
	_, err := open(t, config(f, &pauses{})).Deliver(t.Context(), m)
	Check(t, err, delivery.Invalid, "is not for Android")
}
