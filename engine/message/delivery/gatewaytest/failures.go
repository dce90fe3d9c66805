package gatewaytest

import (
	"errors"
	"net"
	"strings"
	"testing"

	"bugle/engine/message/delivery"
)

// Check fails the test unless err is a [delivery.Error] with the reason and text, and neither its text nor
// that of a cause contains one of the secrets.
func Check(t testing.TB, err error, reason delivery.Reason, want string, secrets ...string) {
	t.Helper()
	var e *delivery.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error of delivery", err)
	}
	if e.Reason != reason || !strings.Contains(e.Message, want) {
		t.Errorf("got %s: %s\nwant %s: %s", e.Reason, e.Message, reason, want)
	}
	NoSecret(t, err, secrets...)
}

// NoSecret fails the test if an error or one that it wraps contains a secret.
func NoSecret(t testing.TB, err error, secrets ...string) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		for _, s := range secrets {
			if s != "" && strings.Contains(err.Error(), s) {
				t.Errorf("the error tells %q: %v", s, err)
			}
		}
		if strings.ContainsAny(err.Error(), "\r\n\x1b") {
			t.Errorf("the error is not one line: %q", err)
		}
	}
}

// ClosedPort returns a local address with no listener.
func ClosedPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
