// Package delivery carries one rendered message to one recipient: into the
// outbox of a workspace, or through a mail server. It also fetches the
// attachments that a message names by URL. Below it are the gateways that carry
// push notifications.
package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Message is what one recipient gets. Exactly one of Email and Push is set;
// all texts are rendered, nothing is left to be resolved.
type Message struct {
	Key       string // {PLATFORM}_{locale}_{variation}, as in a test result
	Recipient string // as the tester named it: a user id, an address, a device token
	Email     *Email
	Push      *Push
}

// Email is one mail. Addresses are as in RFC 5322, with or without a name.
type Email struct {
	From, FromName, ReplyTo string // FromName and ReplyTo may be empty
	To                      string
	Cc, Bcc                 []string // Bcc never shows in the headers
	Subject                 string
	PreviewText             string // what an inbox shows after the subject
	HTML, Text              string // Text is derived from HTML when empty
	Attachments             []Attachment
	Headers                 map[string]string // further ones, such as List-Unsubscribe
}

// Attachment is a file of an Email.
type Attachment struct {
	Name        string // without folders
	ContentType string // "" is application/octet-stream
	Data        []byte
}

// Push is one notification, as a gateway takes it.
type Push struct {
	Platform    string            // ANDROID, IOS or WEB
	Token       string            // of the device; of a browser, the endpoint of its subscription
	P256dh      string            // of a browser: its public key in base64url
	Auth        string            // of a browser: its authentication secret in base64url
	Title, Body string            // as its reader sees them
	Headers     map[string]string // what the gateway is told beside the payload, such as TTL; may be nil
	Payload     json.RawMessage   // the body of the request, before it is encrypted
}

// Receipt says where a message went.
type Receipt struct {
	ID     string // of the mail (Message-ID), or in the outbox
	Detail string // one sentence for a person
}

// Sender takes a message to its recipient. When Deliver returns an error
// nothing is known to have arrived. Errors that are about the message or the
// other side are *Error.
type Sender interface {
	Deliver(ctx context.Context, m Message) (Receipt, error)
}

// OutboxStore stores messages.
type OutboxStore interface {
	Put(ctx context.Context, m Message, at time.Time) (id string, err error)
}

// Outbox is the Sender that keeps messages where they can be read.
type Outbox struct {
	store OutboxStore
	now   func() time.Time
}

// NewOutbox keeps messages in k. A nil now is time.Now.
func NewOutbox(k OutboxStore, now func() time.Time) *Outbox {
	if now == nil {
		now = time.Now
	}
	return &Outbox{store: k, now: now}
}

// Deliver stores m. A mail is checked as it would be before it goes to a
// server, except that a draft's sender may still be missing.
func (o *Outbox) Deliver(ctx context.Context, m Message) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, err
	}
	switch {
	case m.Email != nil && m.Push == nil:
		if err := checkEmail(m.Email); err != nil {
			return Receipt{}, err
		}
	case m.Push != nil && m.Email == nil:
		if m.Push.Token == "" {
			return Receipt{}, refuse("the recipient %s has no device token for %s", m.Recipient, m.Push.Platform)
		}
	default:
		return Receipt{}, refuse("the message %s is neither an email nor a push notification", m.Key)
	}
	id, err := o.store.Put(ctx, m, o.now())
	if err != nil {
		return Receipt{}, fmt.Errorf("the outbox could not keep the message: %w", err)
	}
	return Receipt{ID: id, Detail: "kept in the outbox"}, nil
}

// Reason sorts delivery errors for those who branch on them.
type Reason string

const (
	Invalid     Reason = "invalid"     // the message or the settings are wrong; nothing was sent
	Unreachable Reason = "unreachable" // no connection, or it broke
	Insecure    Reason = "insecure"    // TLS was not possible, or the certificate is not trusted
	Auth        Reason = "auth"        // user name or password refused
	Refused     Reason = "refused"     // the other side said no to sender, recipient or content
	Gone        Reason = "gone"        // the device is not known any more, or never was
	Throttled   Reason = "throttled"   // too much at once
)

// Error is a delivery that failed. Its text is one sentence for a person, with
// what to do where that is known.
type Error struct {
	Reason    Reason
	Message   string
	Temporary bool          // the same may work later
	After     time.Duration // how long the other side asks to wait before that, 0 where it does not say
	Err       error         // the cause, may be nil
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

func refuse(format string, args ...any) *Error {
	return &Error{Reason: Invalid, Message: fmt.Sprintf(format, args...)}
}
