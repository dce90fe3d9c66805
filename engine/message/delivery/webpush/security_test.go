package webpush_test

import (
	"strings"
	"testing"

	. "bugle/engine/message/delivery/gatewaytest"
)

// What a message says of its urgency adds no header of its own.
func TestNoHeaderIsInjected(t *testing.T) {
	p := NewPushService(t)
	for _, value := range []string{"high\r\nTTL: 0", "high\nX: y", "high\x00"} {
		m := message(p, "x")
		m.Push.Headers["Urgency"] = value
		if _, err := open(t, config(p)).Deliver(t.Context(), m); err != nil && strings.ContainsAny(err.Error(), "\r\n\x00") {
			t.Errorf("%q: %v", value, err)
		}
	}
	for _, got := range p.Messages() {
		if got.Header.Get("X") != "" || got.Header.Get("TTL") == "0" || len(got.Header.Values("TTL")) != 1 {
			t.Errorf("got %v", got.Header)
		}
	}
}
