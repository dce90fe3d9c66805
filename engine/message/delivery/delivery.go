// Package delivery delivers one rendered message to one recipient: to the outbox of a workspace or through a
// mail server. It also fetches the attachments that a message has as URLs. Its subpackages implement the push
// gateways.
package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Message is a message for one recipient. Exactly one of Email and Push is set. All texts are rendered.
type Message struct {
	Key       string // {PLATFORM}_{locale}_{variation}, as in a test result
	Recipient string // the identifier value of the test: a user id, an address, a device token
	Email     *Email
	Push      *Push
}

// Email is one email. Addresses are as in RFC 5322, with or without a display name.
type Email struct {
	ID                      string // the part of the Message-ID before the @; "" is a new one
	From, FromName, ReplyTo string // FromName and ReplyTo may be empty
	To                      string
	Cc, Bcc                 []string // never in the headers
	Subject                 string
	PreviewText             string // the text that inboxes show after the subject
	HTML, Text              string // Text is derived from HTML when empty
	Attachments             []Attachment
	Headers                 map[string]string // additional headers, such as List-Unsubscribe
}

// Attachment is a file attached to an [Email].
type Attachment struct {
	Name        string // without a path
	ContentType string // "" is application/octet-stream
	Data        []byte
}

// Push is a push notification for a gateway.
type Push struct {
	Platform string // ANDROID, IOS or WEB
	Token    string // of the device; for a browser the endpoint of its subscription
	P256dh   string // a browser's public key in base64url
	Auth     string // a browser's authentication secret in base64url
	// Title and Body are the visible texts.
	Title, Body string
	Headers     map[string]string // gateway headers, such as TTL; may be nil
	Payload     json.RawMessage   // request body before encryption
}

// Receipt identifies a delivered message.
type Receipt struct {
	ID     string // Message-ID of an email, or id in the outbox
	Detail string // one sentence for the user
}

// Sender delivers messages. An *[Error] of Deliver that does not wrap [ErrUnknown] is known to precede the acceptance of
// the message. After any other error the message may have been delivered, and must not be sent again on its own.
type Sender interface {
	Deliver(ctx context.Context, m Message) (Receipt, error)
}

type progressKey struct{}

// WithProgress returns a context with a function that senders call with a sentence when they have to wait.
func WithProgress(ctx context.Context, report func(sentence string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

func report(ctx context.Context, format string, args ...any) {
	if f, ok := ctx.Value(progressKey{}).(func(string)); ok {
		f(fmt.Sprintf(format, args...))
	}
}

// OutboxStore stores messages.
type OutboxStore interface {
	Put(ctx context.Context, m Message, at time.Time) (id string, err error)
}

// Outbox is a [Sender] that stores messages for reading.
type Outbox struct {
	store OutboxStore
	now   func() time.Time
}

// NewOutbox returns an Outbox that stores messages in k. A nil now means time.Now.
func NewOutbox(k OutboxStore, now func() time.Time) *Outbox {
	if now == nil {
		now = time.Now
	}
	return &Outbox{store: k, now: now}
}

// Deliver stores m. It checks an email like a real send, except that the sender may be missing.
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

// ErrUnknown is wrapped by the error for a message that may have been delivered.
var ErrUnknown = errors.New("it may have been delivered; look before you repeat")

// Unconfirmed returns the error for a message that was passed to a server whose response is missing.
func Unconfirmed(server string, err error) *Error {
	cause := RootCause(err)
	switch {
	case errors.Is(err, context.Canceled):
		cause = "the test was canceled"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		cause = "no response in time"
	}
	return &Error{
		Reason: Unreachable, Message: fmt.Sprintf("%s got the message but did not confirm it (%s): %s", server, cause, ErrUnknown),
		Err: fmt.Errorf("%w: %w", ErrUnknown, err),
	}
}

// WasCanceled returns the error for a message that was canceled before a server accepted it.
func WasCanceled(server string, err error) *Error {
	return &Error{Reason: Canceled, Message: fmt.Sprintf("sending with %s was canceled: %s", server, err), Err: err}
}

// Reason is the machine-readable kind of a delivery error.
type Reason string

const (
	Invalid     Reason = "invalid"     // the message or the settings are wrong; nothing was sent
	Unreachable Reason = "unreachable" // no connection, or it was interrupted
	Insecure    Reason = "insecure"    // TLS failed, or the certificate is not trusted
	Auth        Reason = "auth"        // user name or password refused
	Refused     Reason = "refused"     // the sender, recipient or content was rejected
	Gone        Reason = "gone"        // the device is unknown or no longer registered
	Throttled   Reason = "throttled"   // too many messages at once
	Canceled    Reason = "canceled"    // the context ended; nothing was sent
	NoSecret    Reason = "no secret"   // a password or key is not where the settings say; nothing was sent
)

// Error is a failed delivery. Its message is one sentence for the user, with what to do if that is known.
type Error struct {
	Reason    Reason
	Message   string
	Temporary bool          // a retry may succeed
	After     time.Duration // requested delay before a retry; 0 if unknown
	Err       error         // the cause, may be nil
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

func refuse(format string, args ...any) *Error {
	return &Error{Reason: Invalid, Message: fmt.Sprintf(format, args...)}
}
