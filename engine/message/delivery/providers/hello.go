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
	helloTitle = "Test message from bugle"
	helloText  = "This connector works."
)

// Hello returns the notification that tries a gateway out on one device.
func Hello(g engine.Gateway, d engine.Device, now time.Time) (delivery.Message, error) {
	k, ok := KindOf(g.Provider)
	if !ok {
		return delivery.Message{}, Check(g)
	}
	if d.Platform != "" && d.Platform != string(k.Platform) {
		return delivery.Message{}, fmt.Errorf("%s sends to %s, but this device is for %s", k.Name, k.Platform.Label(), d.Platform)
	}
	p := Addressed(engine.Device{Platform: string(k.Platform), Token: d.Token, Keys: d.Keys})
	o := push.Options{Token: p.Token, Now: now}
	if g.APNs != nil {
		o.Topic = g.APNs.Topic
	}
	content := doc.NewObject(doc.M("basic_details", doc.NewObject(doc.M("title", doc.NewString(helloTitle)), doc.M("message", doc.NewString(helloText)))))
	note, err := push.Build(k.Platform, content, o)
	if err != nil {
		return delivery.Message{}, err
	}
	p.Title, p.Body, p.Headers, p.Payload = note.Title, note.Body, note.Headers, note.Payload.Encode()
	return delivery.Message{Key: "HELLO", Recipient: p.Token, Push: p}, nil
}

// HelloMail returns the mail that tries a connector out.
func HelloMail(from, to string) delivery.Message {
	return delivery.Message{Key: "HELLO", Recipient: to, Email: &delivery.Email{
		From: from, To: to, Subject: helloTitle, Text: helloText, HTML: "<p>" + helloText + "</p>",
	}}
}

// Addressed returns a push to a device, which lacks its content yet. A browser's
// token may be its whole subscription as JSON.
func Addressed(d engine.Device) *delivery.Push {
	p := &delivery.Push{Platform: d.Platform, Token: d.Token}
	if d.Keys != nil {
		p.P256dh, p.Auth = d.Keys.P256dh, d.Keys.Auth
	}
	if endpoint, keys, ok := webpush.Parse(d.Token); ok {
		p.Token, p.P256dh, p.Auth = endpoint, keys.P256dh, keys.Auth
	}
	return p
}
