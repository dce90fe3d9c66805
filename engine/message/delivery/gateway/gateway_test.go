package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gateway"
)

func TestEndpoint(t *testing.T) {
	for raw, want := range map[string]string{
		"https://push.example.com":      "https://push.example.com",
		"https://push.example.com/a/":   "https://push.example.com/a",
		"http://127.0.0.1:9000":         "http://127.0.0.1:9000",
		"http://[::1]:9000/":            "http://[::1]:9000",
		"http://localhost:9000":         "http://localhost:9000",
		"http://push.example.com":       "",
		"http://localhost.example.com":  "",
		"http://10.0.0.1":               "",
		"ftp://127.0.0.1":               "",
		"push.example.com":              "",
		"https://user:pw@example.com":   "",
		"https://push.example.com?k=v":  "",
		"https://push.example.com\r\nx": "",
		"":                              "",
	} {
		u, err := gateway.Endpoint("the endpoint", raw)
		if err != nil && want != "" || err == nil && u.String() != want {
			t.Errorf("%q: got %v, %v", raw, u, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"": 0, "30": 30 * time.Second, "-1": 0, "x": 0, "99999999999999999999": 0,
		"Sun, 01 Nov 2026 12:00:20 GMT": 20 * time.Second, "Sun, 01 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := gateway.RetryAfter(http.Header{"Retry-After": {v}}, now); got != want {
			t.Errorf("%q: got %s, want %s", v, got, want)
		}
	}
}

// Time that is asked for is waited by the clock, and never beyond the limit.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, n := time.Now(), 0
		err := gateway.Retry{}.Do(t.Context(), "X", func(context.Context) error {
			if n++; n < 3 {
				return &delivery.Error{Reason: delivery.Throttled, Temporary: true, After: 10 * time.Second, Message: "busy"}
			}
			return nil
		})
		if took := time.Since(begun); err != nil || took != 20*time.Second {
			t.Errorf("%v after %s", err, took)
		}

		begun = time.Now()
		err = gateway.Retry{Limit: 15 * time.Second}.Do(t.Context(), "X", func(context.Context) error {
			return &delivery.Error{Reason: delivery.Throttled, Temporary: true, After: 10 * time.Second, Message: "busy"}
		})
		if took := time.Since(begun); took != 10*time.Second || err == nil || err.Error() != "busy; it asks to wait 10s, but a test waits at most 15s" {
			t.Errorf("%v after %s", err, took)
		}

		begun, n = time.Now(), 0
		_ = gateway.Retry{}.Do(t.Context(), "X", func(context.Context) error {
			n++
			return &delivery.Error{Reason: delivery.Refused, Temporary: true, Message: "down"}
		})
		if took := time.Since(begun); took != 3*time.Second || n != 3 {
			t.Errorf("tried %d times in %s", n, took)
		}

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		err = gateway.Retry{}.Do(ctx, "X", func(context.Context) error {
			return &delivery.Error{Reason: delivery.Throttled, Temporary: true, After: 10 * time.Second}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestResponseText(t *testing.T) {
	if got := gateway.ResponseText("the key s3cret\r\n\x1b[31mis wrong s3cret", "s3cret", "", "a"); got != "the key … [31mis wrong …" {
		t.Errorf("got %q", got)
	}
	if got := gateway.ResponseText(strings.Repeat("x", 5000)); len(got) > 2100 {
		t.Errorf("%d bytes", len(got))
	}
}
