package providers_test

import (
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/message/delivery/gatewaytest"
	"bugle/engine/message/delivery/providers"
)

// A provider lives as long as its settings and its key.
func TestPool(t *testing.T) {
	a := gatewaytest.NewAPNs(t)
	t.Setenv("BUGLE_TEST_KEY", string(a.Key))
	g := engine.Gateway{Provider: engine.ProviderAPNs, Key: engine.SecretRef{Env: "BUGLE_TEST_KEY"}, APNs: &engine.APNs{KeyID: a.KeyID, TeamID: a.TeamID, Topic: a.Topic, Endpoint: a.URL}, CAFile: a.CAFile}
	var pool providers.Pool
	get := func() any {
		t.Helper()
		c, err := pool.Get(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := get()
	if get() != first {
		t.Error("the same gateway got another provider")
	}
	g.APNs.Topic = "com.example.other"
	second := get()
	t.Setenv("BUGLE_TEST_KEY", string(gatewaytest.NewAPNs(t).Key))
	if third := get(); second == first || third == second {
		t.Error("a gateway that was changed kept its provider")
	}
	t.Setenv("BUGLE_TEST_PASSWORD", "a")
	c := engine.Connector{Name: "C", Provider: engine.ProviderSMTP, SMTP: &engine.SMTP{Host: "mail.example.com", User: "u", PasswordEnv: "BUGLE_TEST_PASSWORD"}}
	mail := func() any {
		t.Helper()
		s, err := pool.Mail(c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one := mail()
	if mail() != one {
		t.Error("the same connector got another provider, with more connections")
	}
	if t.Setenv("BUGLE_TEST_PASSWORD", "b"); mail() == one {
		t.Error("another password has the same provider")
	}
	g.APNs = nil
	if _, err := pool.Get(t.Context(), g); err == nil {
		t.Error("a gateway without settings got a provider")
	}
}

func TestCheckNamesTheFirstProblem(t *testing.T) {
	g := engine.Gateway{Provider: engine.ProviderFCM, Key: engine.SecretRef{Env: "X"}, FCM: &engine.FCM{Endpoint: "ftp://a", TokenEndpoint: "ftp://b"}}
	for range 20 {
		if err := providers.Check(g); err == nil || !strings.HasPrefix(err.Error(), "the endpoint of FCM") {
			t.Fatalf("got %v", err)
		}
	}
}

func TestTestPush(t *testing.T) {
	g := engine.Gateway{Provider: engine.ProviderAPNs, APNs: &engine.APNs{Topic: "com.example.shop"}}
	m, err := providers.TestPush(g, engine.Device{Token: "00ff"}, time.Now())
	if err != nil || m.Push.Headers["apns-topic"] != "com.example.shop" || !strings.Contains(string(m.Push.Payload), `"title":"Test message from bugle"`) {
		t.Errorf("%+v, %v", m.Push, err)
	}
	if _, err := providers.TestPush(g, engine.Device{Platform: "WEB", Token: "x"}, time.Now()); err == nil || !strings.Contains(err.Error(), "APNs sends to iOS") {
		t.Errorf("got %v", err)
	}
}

// Apple's other address is that of apps built for development.
func TestSandbox(t *testing.T) {
	a := gatewaytest.NewAPNs(t)
	g := engine.Gateway{Provider: engine.ProviderAPNs, Key: engine.SecretRef{Env: "X"}, APNs: &engine.APNs{KeyID: a.KeyID, TeamID: a.TeamID, Topic: a.Topic, Sandbox: true}}
	c, err := providers.NewPushWithKey(g, a.Key)
	if err != nil {
		t.Fatal(err)
	}
	if h, ok := c.(interface{ Host() string }); !ok || h.Host() != "api.sandbox.push.apple.com" {
		t.Errorf("%+v", c)
	}
}
