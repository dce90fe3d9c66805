package apns_test

import (
	"strings"
	"testing"

	"bugle/engine/message/delivery"
	. "bugle/engine/message/delivery/gatewaytest"
)

// A campaign's replace key and the like add no header of their own, and nothing of the sort leaves. Nor does
// a device's token lead to another path.
func TestNoHeaderIsInjected(t *testing.T) {
	a := NewAPNs(t)
	c := open(t, config(a))
	for _, name := range []string{"apns-collapse-id", "apns-topic", "apns-push-type"} {
		for _, value := range []string{"x\r\napns-priority: 10", "x\ny", "x\x00", "x\r\n\r\nGET / HTTP/1.1"} {
			if _, err := c.Deliver(t.Context(), message(map[string]string{name: value})); err == nil || strings.ContainsAny(err.Error(), "\r\n\x00") {
				t.Errorf("%s %q: %v", name, value, err)
			}
		}
	}
	for _, token := range []string{"../../x", "00ff/../..", "00ff\r\nX: y", "00ff?x", "00ff#", ""} {
		m := message(nil)
		m.Push.Token = token
		_, err := c.Deliver(t.Context(), m)
		Check(t, err, delivery.Invalid, "not a valid APNs token")
	}
	if got := a.Messages(); len(got) > 0 {
		t.Errorf("%d went out", len(got))
	}
}
