package webpush_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gateway"
	. "bugle/engine/message/delivery/gatewaytest"
	"bugle/engine/message/delivery/webpush"
)

const payload = `{"web_push":8030,"notification":{"title":"Hé <b>","navigate":"https://shop.example.com/"}}`

func config(p *PushService) webpush.Config {
	return webpush.Config{
		Key: p.VAPID, Subject: "mailto:push@example.com", Endpoint: p.URL, Roots: p.Roots,
		Retry: gateway.Retry{Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
	}
}

func open(t *testing.T, c webpush.Config) *webpush.Sender {
	t.Helper()
	out, err := webpush.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return out
}

func message(p *PushService, id string) delivery.Message {
	p256dh, auth := p.Keys()
	return delivery.Message{Key: "WEB_default_variation_1", Recipient: "USER_1", Push: &delivery.Push{
		Platform: "WEB", Token: p.Endpoint(id), P256dh: p256dh, Auth: auth,
		Headers: map[string]string{"TTL": "129600"}, Payload: json.RawMessage(payload),
	}}
}

// The browser decrypts what was sent, and the push service learns who sent it and no more.
func TestDeliver(t *testing.T) {
	p := NewPushService(t)
	for _, subject := range []string{"mailto:push@example.com", "push@example.com", "https://example.com/contact"} {
		config := config(p)
		config.Subject = subject
		r, err := open(t, config).Deliver(t.Context(), message(p, "one"))
		if err != nil {
			t.Fatal(err)
		}
		if r.ID == "" {
			t.Errorf("%+v", r)
		}
	}
	got := p.Messages()
	if len(got) != 3 || got[0].To != "one" || string(got[0].Payload) != payload || got[0].Header.Get("TTL") != "129600" {
		t.Errorf("%+v", got)
	}
}

// A whole subscription as JSON is as good as its parts.
func TestSubscriptionAsJSON(t *testing.T) {
	p := NewPushService(t)
	m := message(p, "two")
	m.Push.Token = fmt.Sprintf(`{"endpoint":%q,"expirationTime":null,"keys":{"p256dh":%q,"auth":%q}}`, m.Push.Token, m.Push.P256dh, m.Push.Auth)
	m.Push.P256dh, m.Push.Auth = "", ""
	if _, err := open(t, config(p)).Deliver(t.Context(), m); err != nil || len(p.Messages()) != 1 {
		t.Errorf("%v, %d", err, len(p.Messages()))
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		Name   string
		Answer Response // of every request
		Reason delivery.Reason
		Want   string
	}{
		{"gone", Response{Status: 410}, delivery.Gone, "no longer knows the browser (410); its subscription has ended, so update the user"},
		{"unknown", Response{Status: 404}, delivery.Gone, "(404)"},
		{"other key", Response{Status: 403, Body: `{"reason":"BadJwtToken"}`}, delivery.Auth, "refused the VAPID key or its subject push@example.com (403: BadJwtToken)"},
		{"a text", Response{Status: 403, Body: "VAPID public key\nmismatch"}, delivery.Auth, "(403: VAPID public key mismatch)"},
		{"gone, with a reason", Response{Status: 410, Body: `{"code":410,"errno":106,"error":"Gone","message":"Request did not validate"}`}, delivery.Gone, "(410: Request did not validate)"},
		{"unauthorised", Response{Status: 401}, delivery.Auth, "refused the VAPID key or its subject push@example.com (401)"},
		{"too long", Response{Status: 413}, delivery.Invalid, "too long"},
		{"throttled", Response{Status: 429}, delivery.Throttled, "accepts no more messages for now (429)"},
		{"throttled for long", Response{Status: 429, Header: map[string]string{"Retry-After": "60"}}, delivery.Throttled, "it asks to wait 1m0s, but a test waits at most 30s"},
		{"down", Response{Status: 500}, delivery.Refused, "failed (500)"},
		{"redirect", Response{Status: 307, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}, delivery.Refused, "redirects (307)"},
		{"bad", Response{Status: 400, Body: "no\r\n\x1b[31msuch thing"}, delivery.Refused, "refused the message (400): no [31msuch thing"},
	} {
		t.Run(tt.Name, func(t *testing.T) {
			p := NewPushService(t)
			p.RespondAlways(tt.Answer)
			m := message(p, "capability")
			_, err := open(t, config(p)).Deliver(t.Context(), m)
			Check(t, err, tt.Reason, tt.Want, "capability", m.Push.Auth, string(p.VAPID))
		})
	}
}

// An answer that repeats what it was told does not make it known.
func TestEcho(t *testing.T) {
	p := NewPushService(t)
	m := message(p, "capability")
	p.RespondAlways(Response{Status: 400, Body: "you asked " + m.Push.Token + " with " + m.Push.Auth})
	_, err := open(t, config(p)).Deliver(t.Context(), m)
	Check(t, err, delivery.Refused, "you asked … with …", "capability", m.Push.Auth)
}

// The push service checks the key that the browser subscribed with.
func TestOtherKey(t *testing.T) {
	p, other := NewPushService(t), NewPushService(t)
	c := config(p)
	c.Key = other.VAPID
	_, err := open(t, c).Deliver(t.Context(), message(p, "x"))
	Check(t, err, delivery.Auth, "refused the VAPID key or its subject push@example.com (403: another key than the browser subscribed with); check if the browser subscribed with another key")
}

func TestRetry(t *testing.T) {
	p := NewPushService(t)
	p.Respond(Response{Status: 429, Header: map[string]string{"Retry-After": "1"}}, Response{Status: 503})
	if _, err := open(t, config(p)).Deliver(t.Context(), message(p, "x")); err != nil || p.Requests() != 3 {
		t.Errorf("%v after %d", err, p.Requests())
	}
}

// Where a notification goes is said by a profile: nobody makes this program ask within its own
// network, but for the push service that the workspace names.
func TestWhereTo(t *testing.T) {
	FakeDNS(t, map[string]string{"known.internal.": "10.0.0.1"})
	p, other := NewPushService(t), NewPushService(t)
	for _, tt := range []struct {
		endpoint string
		reason   delivery.Reason
		want     string
	}{
		{other.Endpoint("x"), delivery.Unreachable, " cannot be reached: its address is not public, or does not respond"},
		{"https://10.0.0.1/push", delivery.Unreachable, "is not public, or does not respond"},
		{"https://169.254.169.254/latest/meta-data", delivery.Unreachable, "is not public, or does not respond"},
		{"https://[::1]:1/push", delivery.Unreachable, "is not public, or does not respond"},
		{"https://unknown.internal/push", delivery.Unreachable, "the push service at unknown.internal cannot be reached: its address is not public, or does not respond"},
		{"https://known.internal/push", delivery.Unreachable, "the push service at known.internal cannot be reached: its address is not public, or does not respond"},
		{"https://localhost:1/push", delivery.Unreachable, "is not public, or does not respond"},
		{"http://updates.push.example.com/x", delivery.Invalid, "must use https"},
		{"file:///etc/passwd", delivery.Invalid, "is not a URL"},
		{"https://user@" + p.URL[len("https://"):] + "/push/x", delivery.Invalid, "is not a URL"},
		{"tok-w", delivery.Invalid, "is not a URL"},
		{"https://a b/\r\n", delivery.Invalid, "is not a URL"},
	} {
		m := message(p, "x")
		m.Push.Token = tt.endpoint
		_, err := open(t, config(p)).Deliver(t.Context(), m)
		Check(t, err, tt.reason, tt.want)
	}
	if len(p.Messages())+len(other.Messages())+other.Requests() > 0 {
		t.Error("somebody was asked")
	}
	c := config(p)
	c.Endpoint = ""
	_, err := open(t, c).Deliver(t.Context(), message(p, "x"))
	Check(t, err, delivery.Unreachable, "is not public, or does not respond", "/push/x")
}

func TestKeysOfTheBrowser(t *testing.T) {
	p := NewPushService(t)
	for want, change := range map[string]func(*delivery.Push){
		"p256dh and auth are missing": func(p *delivery.Push) { p.P256dh = "" },
		"p256dh is not a public key":  func(p *delivery.Push) { p.P256dh = "BAAA" },
		"auth must have 16 bytes":     func(p *delivery.Push) { p.Auth = "AAAA" },
	} {
		m := message(p, "x")
		change(m.Push)
		_, err := open(t, config(p)).Deliver(t.Context(), m)
		Check(t, err, delivery.Invalid, want)
	}
	m := message(p, "x")
	m.Push.Payload = json.RawMessage(fmt.Sprintf("%3994s", "x"))
	_, err := open(t, config(p)).Deliver(t.Context(), m)
	Check(t, err, delivery.Invalid, "too long for Web Push")
	m.Push.Payload = m.Push.Payload[1:]
	if _, err := open(t, config(p)).Deliver(t.Context(), m); err != nil {
		t.Errorf("3993 bytes: %v", err)
	}
}

func TestNoResponse(t *testing.T) {
	p := NewPushService(t)
	p.OnRequest(func(*http.Request) { panic(http.ErrAbortHandler) })
	_, err := open(t, config(p)).Deliver(t.Context(), message(p, "x"))
	Check(t, err, delivery.Unreachable, "it may have been delivered; look before you repeat")
	if p.Requests() != 1 {
		t.Errorf("sent %d times", p.Requests())
	}
}

func TestUnreachable(t *testing.T) {
	p := NewPushService(t)
	c := config(p)
	c.Endpoint = "http://" + ClosedPort(t)
	m := message(p, "x")
	m.Push.Token = c.Endpoint + "/push/capability"
	_, err := open(t, c).Deliver(t.Context(), m)
	Check(t, err, delivery.Unreachable, "cannot reach the push service at 127.0.0.1:", "capability")
	c = config(p)
	c.Roots = nil
	_, err = open(t, c).Deliver(t.Context(), message(p, "x"))
	Check(t, err, delivery.Insecure, "the certificate of the push service at 127.0.0.1:")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, config(p)).Deliver(ctx, message(p, "x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSettings(t *testing.T) {
	p := NewPushService(t)
	for want, change := range map[string]func(*webpush.Config){
		"not a VAPID private key":  func(c *webpush.Config) { c.Key = []byte("secret-key") },
		"the Web Push subject":     func(c *webpush.Config) { c.Subject = "somebody" },
		"an https URL":             func(c *webpush.Config) { c.Subject = "http://example.com" },
		"the endpoint of Web Push": func(c *webpush.Config) { c.Endpoint = "http://push.example.com" },
		"not somebody@localhost":   func(c *webpush.Config) { c.Subject = "mailto:somebody@localhost" },
		"not a@x.localhost":        func(c *webpush.Config) { c.Subject = "a@x.localhost" },
		"not https://localhost:80": func(c *webpush.Config) { c.Subject = "https://localhost:8080/contact" },
		"not https://127.0.0.1":    func(c *webpush.Config) { c.Subject = "https://127.0.0.1" },
		"not https://[::1]":        func(c *webpush.Config) { c.Subject = "https://[::1]/" },
		"not a@[127.0.0.1]":        func(c *webpush.Config) { c.Subject = "a@[127.0.0.1]" },
		"to contact you, not \"\"": func(c *webpush.Config) { c.Subject = "" },
	} {
		c := config(p)
		change(&c)
		_, err := webpush.New(c)
		Check(t, err, delivery.Invalid, want, "secret-key")
	}
	if public, err := webpush.PublicKey(p.VAPID); err != nil || len(public) != 87 {
		t.Errorf("%q, %v", public, err)
	}
	m := message(p, "x")
	m.Push.Platform = "IOS"
	_, err := open(t, config(p)).Deliver(t.Context(), m)
	Check(t, err, delivery.Invalid, "is not for browsers")
}
