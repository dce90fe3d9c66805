package local_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gatewaytest"
	"bugle/engine/service/local"
)

const (
	iosToken = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

	threePlatforms = `"campaign_content":{"content":{"push":{
		"android":{"basic_details":{"title":"Hi {{user.first_name|default('you')}}","message":"m","notification_channel":"offers"},"advanced":{"collapse_replace_key":"spring"}},
		"ios":{"basic_details":{"title":"Hi {{user.first_name|default('you')}}","message":"m"}},
		"web":{"basic_details":{"title":"Hi {{user.first_name|default('you')}}","message":"m","redirect_url":"https://example.com/"}}}}}`
)

// gateways opens the push gateways of one test when they are first needed, because reading a key may take a
// while, and a gateway that cannot be opened should only fail its own messages.
type gateways struct {
	fcm  *gatewaytest.FCM
	apns *gatewaytest.APNs
	web  *gatewaytest.PushService
}

func newGateways(t *testing.T) gateways {
	return gateways{gatewaytest.NewFCM(t), gatewaytest.NewAPNs(t), gatewaytest.NewPushService(t)}
}

func (g gateways) configure(t *testing.T) func(*engine.Workspace) {
	t.Setenv("BUGLE_TEST_FCM_KEY", string(g.fcm.Account))
	t.Setenv("BUGLE_TEST_APNS_KEY", string(g.apns.Key))
	t.Setenv("BUGLE_TEST_VAPID_KEY", string(g.web.VAPID))
	return func(w *engine.Workspace) {
		w.Gateways = []engine.Gateway{
			{Provider: engine.ProviderFCM, Key: engine.SecretRef{Env: "BUGLE_TEST_FCM_KEY"}, FCM: &engine.FCM{Endpoint: g.fcm.URL}, CAFile: g.fcm.CAFile},
			{Provider: engine.ProviderAPNs, Key: engine.SecretRef{Env: "BUGLE_TEST_APNS_KEY"}, APNs: &engine.APNs{KeyID: g.apns.KeyID, TeamID: g.apns.TeamID, Topic: g.apns.Topic, Endpoint: g.apns.URL}, CAFile: g.apns.CAFile},
			{Provider: engine.ProviderWebPush, Key: engine.SecretRef{Env: "BUGLE_TEST_VAPID_KEY"}, WebPush: &engine.WebPush{Subject: "push@example.com", Endpoint: g.web.URL}, CAFile: g.web.CAFile},
		}
	}
}

// user puts in a user who has one device of each platform, and two of Android.
func (g gateways) user(b *bench, id string) {
	p256dh, auth := g.web.Keys()
	b.ok(b.PutUser(b.ctx, engine.User{ID: id, Attributes: map[string]any{"First Name": "Zoë"}, Devices: []engine.Device{
		{Platform: "ANDROID", Token: "phone-" + id}, {Platform: "ANDROID", Token: "tablet-" + id}, {Platform: "IOS", Token: iosToken},
		{Platform: "WEB", Token: g.web.Endpoint(id), Keys: &engine.WebKeys{P256dh: p256dh, Auth: auth}},
	}}))
}

func (b *bench) pushDraft(parts string) string {
	b.t.Helper()
	return b.create(`{%s,"basic_details":{"name":"Push","platforms":["ANDROID","IOS","WEB"],"platform_specific_details":{"ios":{"send_to_all_eligible_device":true}}},%s%s}`, pushHead, threePlatforms, parts)
}

func (b *bench) push(id, identifier, values string) engine.TestResult {
	b.t.Helper()
	return b.test(parse(b.t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"%s","identifier_values":[%s]}}`, id, identifier, values))
}

// What arrives at each gateway is what the outbox shows.
func TestPushThroughGateways(t *testing.T) {
	g := newGateways(t)
	b := newBench(t, local.Options{}, g.configure(t))
	g.user(b, "ZOE")
	id := b.pushDraft(`,"advanced":{"expiration_settings":{"expire_notification_after_value":2,"expire_notification_after_type":"HOUR"},"platform_level_priority":{"android_specific_priority":{"send_with_priority":true}}}`)
	for range 2 {
		if got := show(b.push(id, "USER_ATTRIBUTE_UNIQUE_ID", `"ZOE"`)); got != "ANDROID_default_variation_1 SENT\nIOS_default_variation_1 SENT\nWEB_default_variation_1 SENT" {
			t.Fatal(got)
		}
	}
	if len(g.fcm.Messages()) != 4 || len(g.apns.Messages()) != 2 || len(g.web.Messages()) != 2 {
		t.Fatalf("%d, %d and %d arrived", len(g.fcm.Messages()), len(g.apns.Messages()), len(g.web.Messages()))
	}
	if g.fcm.Tokens() != 1 || g.apns.Bearers() != 1 {
		t.Errorf("two tests took %d access tokens and %d provider tokens", g.fcm.Tokens(), g.apns.Bearers())
	}
	arrived := map[string]gatewaytest.Received{}
	for _, got := range [][]gatewaytest.Received{g.fcm.Messages(), g.apns.Messages(), g.web.Messages()} {
		for _, m := range got {
			arrived[m.To] = m
		}
	}
	msgs, err := b.Outbox(b.ctx, 4)
	b.ok(err)
	for _, m := range msgs {
		got := arrived[strings.TrimPrefix(m.Push.Token, g.web.URL+"/push/")]
		have, err := doc.Parse(got.Payload)
		if err != nil || !doc.Equal(have, m.Push.Payload) {
			t.Errorf("%s: %s arrived, and the outbox shows %s (%v)", m.Key, got.Payload, m.Push.Payload.Encode(), err)
		}
		for name, value := range m.Push.Headers {
			if got.Header.Get(name) != value {
				t.Errorf("%s: %s is %q, and in the outbox %q", m.Key, name, got.Header.Get(name), value)
			}
		}
		if m.Push.Platform == "IOS" && m.Push.Headers["apns-topic"] != g.apns.Topic {
			t.Errorf("the outbox does not show the topic: %v", m.Push.Headers)
		}
		if m.Push.Title != "Hi Zoë" || m.Connector != map[string]string{"ANDROID": "FCM", "IOS": "APNs", "WEB": "Web Push"}[m.Push.Platform] {
			t.Errorf("%+v", m)
		}
	}
	contains(t, string(arrived["phone-ZOE"].Payload), `"ttl":"7200s"`, `"priority":"HIGH"`, `"channel_id":"offers"`, `"title":"Hi Zoë"`)
	if h := arrived["ZOE"].Header; h.Get("Topic") != "spring" || h.Get("Urgency") != "high" {
		t.Errorf("the push service got %v", h)
	}
	if h := arrived[iosToken].Header; h.Get("apns-expiration") != fmt.Sprint(b.clock.Now().Unix()+7200) {
		t.Errorf("apns-expiration is %q", h.Get("apns-expiration"))
	}
}

// Without a gateway the payload that would go out is in the outbox.
func TestPushWithoutGateway(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.pushDraft("")
	b.push(id, "USER_ATTRIBUTE_UNIQUE_ID", `"USER_1"`)
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	if len(msgs) != 2 {
		t.Fatalf("%+v", msgs)
	}
	for _, m := range msgs {
		want := `{"message":{"token":"tok-a","notification":{"title":"Hi Ida","body":"m"},"android":{"collapse_key":"spring","priority":"HIGH","notification":{"channel_id":"offers","tag":"spring"}}}}`
		if m.Push.Platform == "WEB" {
			want = `{"web_push":8030,"notification":{"title":"Hi Ida","body":"m","navigate":"https://example.com/","tag":"spring","data":{"url":"https://example.com/"}}}`
		}
		if got := string(m.Push.Payload.Encode()); got != want || m.Connector != "" {
			t.Errorf("got %s by %q, want %s", got, m.Connector, want)
		}
	}
}

// One device that is gone does not keep the others from theirs, and is told of.
func TestPushToSeveralDevices(t *testing.T) {
	g := newGateways(t)
	b := newBench(t, local.Options{}, g.configure(t))
	g.user(b, "ZOE")
	id := b.pushDraft("")
	g.fcm.Respond(gatewaytest.FCMError(404, "NOT_FOUND", "UNREGISTERED", "x"))
	out := b.push(id, "USER_ATTRIBUTE_UNIQUE_ID", `"ZOE"`)
	contains(t, show(out), "ANDROID_default_variation_1 FAILED ZOE: 1 of 2 devices: FCM no longer knows the device (UNREGISTERED)", "IOS_default_variation_1 SENT")
	if n := len(g.fcm.Messages()); n != 1 {
		t.Errorf("%d of the other devices got it", n)
	}
}

// A browser can be named by its whole subscription, which is kept without its keys.
func TestPushToSubscription(t *testing.T) {
	g := newGateways(t)
	b := newBench(t, local.Options{}, g.configure(t))
	p256dh, auth := g.web.Keys()
	subscription := fmt.Sprintf(`{"endpoint":%q,"keys":{"p256dh":%q,"auth":%q}}`, g.web.Endpoint("free"), p256dh, auth)
	id := b.pushDraft("")
	body, err := parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["x"],"platform":"WEB"}}`, id).
		Set(doc.P("test_campaign_meta", "identifier_values", 0), doc.NewString(subscription))
	b.ok(err)
	if got := show(b.test(body)); got != "WEB_default_variation_1 SENT" {
		t.Fatal(got)
	}
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	if m := msgs[0]; m.Push.Token != g.web.Endpoint("free") || m.Recipient != m.Push.Token || strings.Contains(asJSON(t, m.Push.Headers)+string(m.Document().Encode()), auth) {
		t.Errorf("%+v", m)
	}
	// Its endpoint alone is not enough where no profile has its keys.
	contains(t, show(b.push(id, "PUSH_ID", `"`+g.web.Endpoint("free")+`"`)), "WEB_default_variation_1 FAILED", "the browser's keys p256dh and auth are missing")
}

// A gateway that cannot be opened or reached fails its own messages and says why; the secrets are
// nowhere.
func TestPushThatFails(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*testing.T, gateways, *engine.Workspace)
		want   string
	}{
		"another key": {func(t *testing.T, g gateways, _ *engine.Workspace) {
			t.Setenv("BUGLE_TEST_FCM_KEY", strings.Replace(string(gatewaytest.NewFCM(t).Account), "token_uri", "token_uri_of_another", 1))
		}, "the token endpoint of FCM"},
		"unreachable": {func(t *testing.T, _ gateways, w *engine.Workspace) {
			w.Gateways[0].FCM.Endpoint = "http://" + gatewaytest.ClosedPort(t)
		}, "cannot reach FCM at 127.0.0.1:"},
		"throttled": {func(_ *testing.T, g gateways, _ *engine.Workspace) {
			g.fcm.RespondAlways(gatewaytest.Response{Status: 429, Header: map[string]string{"Retry-After": "90"}})
		}, "FCM accepts no more messages for now (429); it asks to wait 1m30s"},
		"certificates": {func(_ *testing.T, _ gateways, w *engine.Workspace) { w.Gateways[0].CAFile = "nowhere.pem" },
			"cannot read the certificates in nowhere.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateways(t)
			b := newBench(t, local.Options{}, g.configure(t), func(w *engine.Workspace) { tt.change(t, g, w) })
			g.user(b, "ZOE")
			out := b.push(b.pushDraft(""), "USER_ATTRIBUTE_UNIQUE_ID", `"ZOE"`)
			contains(t, show(out), "ANDROID_default_variation_1 FAILED ZOE: 2 of 2 devices: "+tt.want, "IOS_default_variation_1 SENT", "WEB_default_variation_1 SENT")
			tests, err := b.Tests(b.ctx, "", 0)
			b.ok(err)
			msgs, err := b.Outbox(b.ctx, 0)
			b.ok(err)
			for _, secret := range []string{"PRIVATE KEY", "ya29.", "BEGIN", string(g.web.VAPID)} {
				if text := fmt.Sprintf("%+v %+v", tests, msgs); strings.Contains(text, secret) {
					t.Errorf("%q is in what is kept", secret)
				}
			}
		})
	}
}

// A missing key is found before anything is sent, also through the other gateways, and the request can be repeated. A platform
// that the test sends nothing to needs no key.
func TestPushWithoutKey(t *testing.T) {
	const unset = "BUGLE_TEST_THAT_NOBODY_SETS"
	g := newGateways(t)
	b := newBench(t, local.Options{}, g.configure(t), func(w *engine.Workspace) { w.Gateways[0].Key = engine.SecretRef{Env: unset} })
	g.user(b, "ZOE")
	b.ok(b.PutUser(b.ctx, engine.User{ID: "IDA", Devices: []engine.Device{{Platform: "IOS", Token: strings.Repeat("0a", 32)}}}))
	id := b.pushDraft("")
	r := engine.TestRequest{
		Call: engine.Call{IdempotencyKey: key()},
		Body: parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"USER_ATTRIBUTE_UNIQUE_ID","identifier_values":["ZOE"]}}`, id),
	}
	_, err := b.Test(b.ctx, r)
	contains(t, refused(t, err, engine.ValidationFailed, 400).Message, "the key of FCM is missing: the environment variable "+unset+" is not set")
	if e := (*delivery.Error)(nil); !errors.As(err, &e) || e.Reason != delivery.NoSecret {
		t.Errorf("got %v", err)
	}
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	tests, err := b.Tests(b.ctx, "", 0)
	b.ok(err)
	if len(msgs)+len(tests) > 0 {
		t.Errorf("it left %d messages and %d tests", len(msgs), len(tests))
	}
	contains(t, show(b.push(id, "USER_ATTRIBUTE_UNIQUE_ID", `"IDA"`)), "IOS_default_variation_1 SENT", "ANDROID_default_variation_1 FAILED IDA: the user has no device")
	t.Setenv(unset, string(g.fcm.Account))
	out, err := b.Test(b.ctx, r)
	b.ok(err)
	contains(t, show(out), "ANDROID_default_variation_1 SENT")
}

// Cancelling stops what has not left, and the request that is under way.
func TestCanceledPush(t *testing.T) {
	g := newGateways(t)
	b := newBench(t, local.Options{}, g.configure(t))
	for i := range 10 {
		g.user(b, fmt.Sprint("U", i))
	}
	id := b.pushDraft("")
	ctx, cancel := context.WithCancel(b.ctx)
	entered := make(chan struct{}, 100)
	g.fcm.OnRequest(func(r *http.Request) {
		entered <- struct{}{}
		<-r.Context().Done()
	})
	done := make(chan engine.TestResult)
	go func() {
		values := `"U0"`
		for i := range 9 {
			values += fmt.Sprintf(`,"U%d"`, i+1)
		}
		out, err := b.Test(ctx, engine.TestRequest{Body: parse(t, `{"draft_id":"%s","test_campaign_meta":{"identifier":"USER_ATTRIBUTE_UNIQUE_ID","identifier_values":[%s],"platform":"ANDROID"}}`, id, values)})
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	for range 8 {
		<-entered
	}
	cancel()
	out := <-done
	contains(t, show(out), "(the test was canceled): it may have been delivered; look before you repeat", "the test was canceled before it was sent")
	if out.Message != "Sent 0 of 10 messages; 2 failed; 8 may have been delivered. The test was canceled." || len(g.fcm.Messages()) > 0 {
		t.Errorf("%s; %d arrived", out.Message, len(g.fcm.Messages()))
	}
}

// A workspace does not take gateways that cannot work, nor a secret.
func TestGatewaysOfAWorkspace(t *testing.T) {
	b := newBench(t, local.Options{})
	key := engine.SecretRef{Env: "X"}
	for want, list := range map[string][]engine.Gateway{
		`must be fcm, apns or webpush, not "fax"`:   {{Provider: "fax", Key: key}},
		"must have the settings of its own service": {{Provider: "fcm", Key: key, APNs: &engine.APNs{}}},
		"set where the key is":                      {{Provider: "fcm", FCM: &engine.FCM{}}},
		"two fcm gateways":                          {{Provider: "fcm", Key: key, FCM: &engine.FCM{}}, {Provider: "fcm", Key: key, FCM: &engine.FCM{}}},
		"is not encrypted":                          {{Provider: "fcm", Key: key, FCM: &engine.FCM{Endpoint: "http://fcm.example.com"}}},
	} {
		err := b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.Gateways = list; return nil })
		contains(t, refused(t, err, engine.ValidationFailed, 400).Message, want)
	}
}

// The zero provider of tests: it takes what comes.
type taking struct{}

func (taking) Deliver(ctx context.Context, m delivery.Message) (delivery.Receipt, error) {
	if m.Push == nil {
		return delivery.Receipt{}, errors.New("no push")
	}
	return delivery.Receipt{ID: "1"}, ctx.Err()
}

// BenchmarkPush sends a push of about 4 KB to ten users, eight keys each: rendered, made into its
// payload and handed to a gateway that takes it at once, and kept in the outbox in memory.
func BenchmarkPush(b *testing.B) {
	bench := newBench(b, local.Options{
		Gateways: func(context.Context, engine.Gateway) (delivery.Sender, error) { return taking{}, nil },
	}, func(w *engine.Workspace) {
		w.Gateways = []engine.Gateway{{Provider: engine.ProviderFCM, Key: engine.SecretRef{Env: "X"}, FCM: &engine.FCM{}}}
	})
	values := make([]string, 10)
	for i := range values {
		id := fmt.Sprint("U", i)
		values[i] = `"` + id + `"`
		if err := bench.PutUser(b.Context(), engine.User{ID: id, Attributes: map[string]any{"First Name": "Zoë"}, Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-" + id}}}); err != nil {
			b.Fatal(err)
		}
	}
	text := strings.Repeat("Hello {{user.first_name|default('you')}}, spring is here and so is your 25% off. ", 45)
	cell := `{"push":{"android":{"basic_details":{"title":"Hi {{user.first_name}}","message":"` + text + `","key_value_pairs":[{"key":"promo","value":"{{user.first_name}}-25"}]}}}}`
	body := parse(b, `{"channel":"PUSH","campaign_content":{"locales":["de","fr","es"],"variation_details":{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}},
		"content":{%s}},"test_campaign_meta":{"identifier":"USER_ATTRIBUTE_UNIQUE_ID","identifier_values":[%s]}}`, cells(cell), strings.Join(values, ","))
	b.ReportAllocs()
	for b.Loop() {
		out, err := bench.Test(b.Context(), engine.TestRequest{Body: body})
		if err != nil || out.Message != "Sent 80 messages." {
			b.Fatal(out.Message, show(out), err)
		}
	}
}

func cells(cell string) string {
	var out []string
	for _, locale := range []string{"default", "de", "fr", "es"} {
		out = append(out, fmt.Sprintf(`"%s":{"variation_1":%s,"variation_2":%s}`, locale, cell, cell))
	}
	return strings.Join(out, ",")
}
