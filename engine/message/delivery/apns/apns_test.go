package apns_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/apns"
	"bugle/engine/message/delivery/gateway"
	. "bugle/engine/message/delivery/gatewaytest"
)

const device = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

func config(a *APNs) apns.Config {
	return apns.Config{
		Key: a.Key, KeyID: a.KeyID, TeamID: a.TeamID, Topic: a.Topic, Endpoint: a.URL, Roots: a.Roots,
		Retry: gateway.Retry{Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
	}
}

func open(t *testing.T, c apns.Config) *apns.Sender {
	t.Helper()
	out, err := apns.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return out
}

func message(headers map[string]string) delivery.Message {
	h := map[string]string{"apns-push-type": "alert"}
	maps.Copy(h, headers)
	return delivery.Message{Key: "IOS_default_variation_1", Recipient: "USER_2", Push: &delivery.Push{
		Platform: "IOS", Token: device, Headers: h, Payload: json.RawMessage(`{"aps":{"alert":{"title":"Hé <b>"}},"k":1.50}`),
	}}
}

func TestDeliver(t *testing.T) {
	a := NewAPNs(t)
	c := open(t, config(a))
	headers := map[string]string{"apns-priority": "5", "apns-expiration": "1793664000", "apns-collapse-id": "spring", "apns-topic": a.Topic}
	for range 2 {
		r, err := c.Deliver(t.Context(), message(headers))
		if err != nil {
			t.Fatal(err)
		}
		if r.ID == "" || r.Detail != "accepted by APNs" {
			t.Errorf("%+v", r)
		}
	}
	got := a.Messages()
	if len(got) != 2 || got[0].To != device || got[0].Conn != got[1].Conn || a.Bearers() != 1 {
		t.Fatalf("%+v, %d provider tokens", got, a.Bearers())
	}
	var sent, want any
	if err := errors.Join(json.Unmarshal(got[0].Payload, &sent), json.Unmarshal(message(nil).Push.Payload, &want)); err != nil || fmt.Sprint(sent) != fmt.Sprint(want) {
		t.Errorf("sent %s (%v)", got[0].Payload, err)
	}
	headers["apns-push-type"] = "alert"
	for name, value := range headers {
		if have := got[0].Header.Get(name); have != value {
			t.Errorf("%s is %q, want %q", name, have, value)
		}
	}
}

// What a message does not say is not sent, and an expiration of 0 is.
func TestHeaders(t *testing.T) {
	a := NewAPNs(t)
	c := open(t, config(a))
	for _, h := range []map[string]string{nil, {"apns-expiration": "0"}} {
		if _, err := c.Deliver(t.Context(), message(h)); err != nil {
			t.Fatal(err)
		}
	}
	got := a.Messages()
	for _, name := range []string{"apns-expiration", "apns-priority", "apns-collapse-id"} {
		if v, ok := got[0].Header[http.CanonicalHeaderKey(name)]; ok {
			t.Errorf("%s is %q", name, v)
		}
	}
	if v := got[1].Header.Get("apns-expiration"); v != "0" {
		t.Errorf("apns-expiration is %q", v)
	}
	if v := got[0].Header.Get("apns-topic"); v != a.Topic {
		t.Errorf("apns-topic is %q", v)
	}
}

func TestExpired(t *testing.T) {
	a := NewAPNs(t)
	c := open(t, config(a))
	send := func() error { _, err := c.Deliver(t.Context(), message(nil)); return err }
	if err := send(); err != nil {
		t.Fatal(err)
	}
	a.Expire()
	if err := send(); err != nil || a.Bearers() != 2 {
		t.Errorf("a provider token that Apple takes for expired is renewed: %v, %d", err, a.Bearers())
	}
	// Many that find it expired renew it once.
	a.Expire()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if err := send(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if a.Bearers() != 3 {
		t.Errorf("%d provider tokens", a.Bearers())
	}
	a.RespondAlways(APNsError(403, "ExpiredProviderToken"))
	Check(t, send(), delivery.Auth, "expired; check the clock of this machine (ExpiredProviderToken)")
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		Name   string
		Answer Response // of every request
		Reason delivery.Reason
		Want   string
	}{
		{"wrong token", APNsError(400, "BadDeviceToken"), delivery.Gone, "APNs does not know the device; check if the gateway uses production or sandbox"},
		{"removed", Response{Status: 410, Body: `{"reason":"Unregistered","timestamp":1454402113000}`}, delivery.Gone, "the app was removed from the device, or its token was renewed; update the user (Unregistered)"},
		{"expired device", APNsError(410, "ExpiredToken"), delivery.Gone, "has expired; update the user (ExpiredToken)"},
		{"other app", APNsError(400, "DeviceTokenNotForTopic"), delivery.Refused, "belongs to another app"},
		{"wrong key", APNsError(403, "InvalidProviderToken"), delivery.Auth, "check the key, the key id and the team id of the gateway (InvalidProviderToken)"},
		{"throttled", APNsError(429, "TooManyRequests"), delivery.Throttled, "too many notifications were sent to this device"},
		{"throttled for long", Response{Status: 429, Header: map[string]string{"Retry-After": "3600"}, Body: `{"reason":"TooManyRequests"}`}, delivery.Throttled, "it asks to wait 1h0m0s"},
		{"down", APNsError(503, "ServiceUnavailable"), delivery.Refused, "APNs is not available; try again later (ServiceUnavailable)"},
		{"too long", APNsError(413, "PayloadTooLarge"), delivery.Invalid, "too long for APNs"},
		{"new", APNsError(400, "Something\r\nNew"), delivery.Refused, "APNs refused the notification (Something New)"},
		{"no reason", Response{Status: 400}, delivery.Refused, "APNs refused the notification (400)"},
		{"no JSON", Response{Status: 502, Body: "<html>\x1b[31m"}, delivery.Refused, "APNs refused the notification (502)"},
	} {
		t.Run(tt.Name, func(t *testing.T) {
			a := NewAPNs(t)
			a.RespondAlways(tt.Answer)
			_, err := open(t, config(a)).Deliver(t.Context(), message(nil))
			Check(t, err, tt.Reason, tt.Want, device, "PRIVATE KEY")
		})
	}
}

// The server checks the token as Apple does: each of these is told apart.
func TestCredentials(t *testing.T) {
	a := NewAPNs(t)
	for _, tt := range []struct {
		change func(*apns.Config)
		want   string
	}{
		{func(c *apns.Config) { c.KeyID = "OTHER12345" }, "InvalidProviderToken"},
		{func(c *apns.Config) { c.TeamID = "OTHER12345" }, "InvalidProviderToken"},
		{func(c *apns.Config) { c.Key = NewAPNs(t).Key }, "InvalidProviderToken"},
		{func(c *apns.Config) { c.Topic = "com.example.other" }, "TopicDisallowed"},
	} {
		c := config(a)
		tt.change(&c)
		_, err := open(t, c).Deliver(t.Context(), message(nil))
		var e *delivery.Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		Check(t, err, e.Reason, tt.want)
	}
}

func TestRetry(t *testing.T) {
	a := NewAPNs(t)
	a.Respond(Response{Status: 503, Header: map[string]string{"Retry-After": "2"}, Body: `{"reason":"Shutdown"}`}, APNsError(500, "InternalServerError"))
	var waited []time.Duration
	c := config(a)
	c.Retry.Wait = func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
	if _, err := open(t, c).Deliver(t.Context(), message(nil)); err != nil || len(waited) != 2 || waited[0] != 2*time.Second {
		t.Errorf("%v after %v", err, waited)
	}
}

func TestNoResponse(t *testing.T) {
	a := NewAPNs(t)
	a.OnRequest(func(*http.Request) { panic(http.ErrAbortHandler) })
	_, err := open(t, config(a)).Deliver(t.Context(), message(nil))
	Check(t, err, delivery.Unreachable, "it may have been delivered; look before you repeat")
	if a.Requests() != 1 {
		t.Errorf("sent %d times", a.Requests())
	}
}

func TestUnreachable(t *testing.T) {
	a := NewAPNs(t)
	c := config(a)
	c.Endpoint = "http://" + ClosedPort(t)
	_, err := open(t, c).Deliver(t.Context(), message(nil))
	Check(t, err, delivery.Unreachable, "cannot reach APNs at 127.0.0.1:", device)
	c = config(a)
	c.Roots = nil
	_, err = open(t, c).Deliver(t.Context(), message(nil))
	Check(t, err, delivery.Insecure, "the certificate of APNs at 127.0.0.1:", device)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, config(a)).Deliver(ctx, message(nil)); !errors.Is(err, context.Canceled) || len(a.Messages()) > 0 {
		t.Errorf("%v, %d sent", err, len(a.Messages()))
	}
}

func TestSettings(t *testing.T) {
	a := NewAPNs(t)
	for want, change := range map[string]func(*apns.Config){
		"not an APNs signing key": func(c *apns.Config) { c.Key = []byte("secret-key") },
		"the APNs key id":         func(c *apns.Config) { c.KeyID = "short" },
		"the APNs team id":        func(c *apns.Config) { c.TeamID = "" },
		"the APNs topic":          func(c *apns.Config) { c.Topic = "a b\r\n" },
		"is not encrypted":        func(c *apns.Config) { c.Endpoint = "http://api.example.com" },
	} {
		c := config(a)
		change(&c)
		_, err := apns.New(c)
		Check(t, err, delivery.Invalid, want, "secret-key")
	}
	c := open(t, config(a))
	for _, token := range []string{"", "../../x", "zz", "ab?x=y", "ab\r\nx: y"} {
		m := message(nil)
		m.Push.Token = token
		_, err := c.Deliver(t.Context(), m)
		Check(t, err, delivery.Invalid, "hexadecimal")
	}
	m := message(nil)
	m.Push.Platform = "WEB"
	_, err := c.Deliver(t.Context(), m)
	Check(t, err, delivery.Invalid, "is not for iOS")
}
