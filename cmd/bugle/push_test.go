package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/message/delivery/gatewaytest"
)

const pushDraft = `{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Spring sale", "platforms": ["ANDROID", "IOS", "WEB"],
   "platform_specific_details": {"ios": {"send_to_all_eligible_device": true}}},
 "campaign_content": {"content": {"push": {
   "android": {"template_type": "BASIC", "basic_details": {"title": "Grüße", "message": "m"}},
   "ios": {"template_type": "BASIC", "basic_details": {"title": "Grüße", "message": "m"}},
   "web": {"template_type": "BASIC", "basic_details": {"title": "Grüße", "message": "m", "redirect_url": "https://example.com/"}}}}}}`

// A test message and a test send by the commands are delivered through all three gateways.
func TestPushThroughGateways(t *testing.T) {
	keyring.MockInit()
	fcm, apns, web := gatewaytest.NewFCM(t), gatewaytest.NewAPNs(t), gatewaytest.NewPushService(t)
	t.Setenv("BUGLE_TEST_FCM", string(fcm.Account))
	t.Setenv("BUGLE_TEST_APNS", string(apns.Key))
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	add := []string{"gateways", "put"}
	b.run(cli.ExitDone, "", append(add, "fcm", "key.env=BUGLE_TEST_FCM", "fcm.endpoint="+fcm.URL, "ca_file="+fcm.CAFile)...)
	b.run(cli.ExitDone, "", append(add, "apns", "key.env=BUGLE_TEST_APNS", "apns.key_id="+apns.KeyID, "apns.team_id="+apns.TeamID, "apns.topic="+apns.Topic, "apns.endpoint="+apns.URL, "ca_file="+apns.CAFile)...)
	b.run(cli.ExitDone, "", append(add, "webpush", "key.keyring=vapid", "webpush.subject=push@example.com", "webpush.endpoint="+web.URL, "ca_file="+web.CAFile)...)
	if _, errs := b.run(cli.ExitMisused, "", "gateways", "test", "webpush"); !strings.Contains(errs, "store it with `bugle gateways key`") {
		t.Error(errs)
	}
	if _, errs := b.run(cli.ExitMisused, "no key", "gateways", "key", "webpush"); !strings.Contains(errs, "not a VAPID private key") {
		t.Error(errs)
	}
	b.run(cli.ExitDone, string(web.VAPID)+"\n", "gateways", "key", "webpush")

	p256dh, auth := web.Keys()
	b.run(cli.ExitDone, fmt.Sprintf(`{"id": "U1", "attributes": {}, "devices": [{"platform": "ANDROID", "token": "phone"}, {"platform": "ANDROID", "token": "tablet"},
		{"platform": "IOS", "token": "00fc13ad"}, {"platform": "WEB", "token": %q, "keys": {"p256dh": %q, "auth": %q}}]}`, web.Endpoint("one"), p256dh, auth), "users", "put", "--file", "-")

	for name, want := range map[string]string{"fcm": "Sent a test message to 2 devices.\n", "apns": "Sent a test message to 1 device.\n", "webpush": "Sent a test message to 1 device.\n"} {
		if out, _ := b.run(cli.ExitDone, "", "gateways", "test", name, "U1"); out != want {
			t.Errorf("%s: %q", name, out)
		}
		if out, _ := b.run(cli.ExitDone, "", "gateways", "test", name); !strings.Contains(out, "The settings and the key work.") {
			t.Errorf("%s: %q", name, out)
		}
	}
	if out, _ := b.run(cli.ExitDone, "", "gateways", "test", "fcm", "another-token", "--json"); !strings.Contains(out, "Sent a test message to 1 device.") {
		t.Error(out)
	}
	for _, got := range [][]gatewaytest.Received{fcm.Messages(), apns.Messages(), web.Messages()} {
		if len(got) == 0 || !strings.Contains(string(got[0].Payload), "Test message from bugle") {
			t.Errorf("%+v", got)
		}
	}

	id := b.create(pushDraft)
	out, _ := b.run(cli.ExitDone, "", "test", id, "--to", "U1")
	if want := "Android sent\n  U1: accepted by FCM\niOS sent\n  U1: accepted by APNs\nWeb sent\n  U1: accepted by the push service at " + strings.TrimPrefix(web.URL, "https://") + "\nSent 3 messages.\n"; out != want {
		t.Errorf("bugle test wrote %q", out)
	}
	for _, got := range [][]gatewaytest.Received{fcm.Messages(), apns.Messages(), web.Messages()} {
		if last := got[len(got)-1]; !json.Valid(last.Payload) || !strings.Contains(string(last.Payload), "Grüße") {
			t.Errorf("%s", last.Payload)
		}
	}

	web.RespondAlways(gatewaytest.Response{Status: 410})
	out, _ = b.run(cli.ExitFailed, "", "test", id, "--to", "U1", "--platform", "WEB")
	if !strings.HasPrefix(out, "Web failed: U1: the push service at 127.0.0.1:") || !strings.Contains(out, "(410)") {
		t.Errorf("bugle test wrote %q", out)
	}
	if _, errs := b.run(cli.ExitFailed, "", "gateways", "test", "webpush", "U1"); !strings.Contains(errs, "(410); its subscription has ended") {
		t.Error(errs)
	}
	b.run(cli.ExitDone, "", "gateways", "delete", "webpush")
	if _, err := keyring.Get("bugle", "vapid"); err == nil {
		t.Error("the key is still in the keyring")
	}
}
