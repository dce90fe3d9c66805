package providers

import (
	"fmt"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/push"
	"bugle/engine/message/delivery/webpush"
)

const (
	testTitle = "Test message from bugle"
	testText  = "This connector works."
)

// TestPush returns the notification for testing a gateway with one device.
func TestPush(g engine.Gateway, d engine.Device, now time.Time) (delivery.Message, error) {
	k, ok := KindOf(g.Provider)
	if !ok {
		return delivery.Message{}, Check(g)
	}
	if d.Platform != "" && d.Platform != string(k.Platform) {
		return delivery.Message{}, fmt.Errorf("%s sends to %s, but this device is for %s", k.Name, k.Platform.Label(), d.Platform)
	}
	p := PushTo(engine.Device{Platform: string(k.Platform), Token: d.Token, Keys: d.Keys})
	o := push.Options{Token: p.Token, Now: now}
	if g.APNs != nil {
		o.Topic = g.APNs.Topic
	}
	content := doc.NewObject(doc.M("basic_details", doc.NewObject(doc.M("title", doc.NewString(testTitle)), doc.M("message", doc.NewString(testText)))))
	note, err := push.Build(k.Platform, content, o)
	if err != nil {
		return delivery.Message{}, err
	}
	p.Title, p.Body, p.Headers, p.Payload = note.Title, note.Body, note.Headers, note.Payload.Encode()
	return delivery.Message{Key: "HELLO", Recipient: p.Token, Push: p}, nil
}

// TestEmail returns the email for testing a connector.
func TestEmail(from, to string) delivery.Message {
	return delivery.Message{Key: "HELLO", Recipient: to, Email: &delivery.Email{
		From: from, To: to, Subject: testTitle, Text: testText, HTML: "<p>" + testText + "</p>",
	}}
}

// PushTo returns a push to a device, without content. A browser's token may be its complete subscription as
// JSON.
func PushTo(d engine.Device) *delivery.Push {
	p := &delivery.Push{Platform: d.Platform, Token: d.Token}
	if d.Keys != nil {
		p.P256dh, p.Auth = d.Keys.P256dh, d.Keys.Auth
	}
	if endpoint, keys, ok := webpush.ParseSubscription(d.Token); ok {
		p.Token, p.P256dh, p.Auth = endpoint, keys.P256dh, keys.Auth
	}
	return p
}
