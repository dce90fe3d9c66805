// Package webpush sends push notifications to browsers through their push services (RFC 8030), encrypted (RFC
// 8291) and signed with VAPID (RFC 8292).
package webpush

import (
	"cmp"
	"context"
	"crypto/ecdh"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	lib "github.com/SherClockHolmes/webpush-go"

	"bugle/engine/catalog"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gateway"
)

// Config configures Web Push.
type Config struct {
	Key     []byte // the VAPID private key: 32 bytes in base64url
	Subject string // contact for the push service: an email address or an https URL
	// Endpoint is a push service for tests, which may be on this machine. If it is "", only public push
	// services are used.
	Endpoint string
	Roots    *x509.CertPool
	Retry    gateway.Retry
}

// Sender is a [delivery.Sender] for browsers. It is safe for concurrent use.
//
// The endpoint comes from a user's data, which may be malicious. Except for the push service for tests, only
// public https addresses are used, checked when dialing.
type Sender struct {
	public, test    *http.Client
	endpoint        *url.URL // the push service for tests; nil without one
	subject         string
	private, signer string // the VAPID keys, in base64url
	retry           gateway.Retry
}

// New checks the settings and the key without connecting.
func New(c Config) (*Sender, error) {
	private, public, err := vapid(c.Key)
	if err != nil {
		return nil, err
	}
	subject, err := subjectOf(c.Subject)
	if err != nil {
		return nil, err
	}
	out := &Sender{
		public:  gateway.Transport{Roots: c.Roots, Control: delivery.PublicOnly}.Client(),
		subject: subject, private: private, signer: public, retry: c.Retry,
	}
	if c.Endpoint != "" {
		if out.endpoint, err = gateway.Endpoint("the endpoint of Web Push", c.Endpoint); err != nil {
			return nil, err
		}
		out.test = gateway.Transport{Roots: c.Roots}.Client()
	}
	return out, nil
}

// CheckSettings checks the settings except the key.
func CheckSettings(c Config) error {
	_, err := subjectOf(c.Subject)
	return err
}

// PublicKey returns the VAPID public key of a private key, which a site passes to PushManager.subscribe
// (applicationServerKey).
func PublicKey(private []byte) (string, error) {
	_, public, err := vapid(private)
	return public, err
}

func vapid(key []byte) (private, public string, err error) {
	text := strings.TrimRight(strings.TrimSpace(string(key)), "=")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		raw, err = base64.RawStdEncoding.DecodeString(text)
	}
	k, keyErr := ecdh.P256().NewPrivateKey(raw)
	if err != nil || keyErr != nil {
		return "", "", gateway.Refuse("the key is not a VAPID private key; it must be 32 bytes in base64url, about 43 characters")
	}
	return base64.RawURLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(k.PublicKey().Bytes()), nil
}

// subjectOf checks the contact (RFC 8292, 2.1). The library prefixes everything but https with mailto:.
func subjectOf(s string) (string, error) {
	s = strings.TrimPrefix(s, "mailto:")
	_, host, _ := strings.Cut(s, "@")
	if u, err := url.Parse(s); err == nil && u.Scheme == "https" && u.Host != "" {
		host = u.Hostname()
	} else if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
		return "", gateway.Refuse("the Web Push subject must be an email address or an https URL to contact you, not %q", s)
	}
	if isLocal(host) {
		return "", gateway.Refuse("push services refuse a Web Push subject that only this machine or its network knows; use an email address or an https URL to contact you, not %s", s)
	}
	return s, nil
}

// isLocal reports whether a host is this machine, or has a name without a domain.
func isLocal(host string) bool {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost")
}

// Close closes idle connections.
func (c *Sender) Close() error {
	c.public.CloseIdleConnections()
	if c.test != nil {
		c.test.CloseIdleConnections()
	}
	return nil
}

// ParseSubscription parses a device token that is a complete subscription as JSON.
func ParseSubscription(token string) (endpoint string, keys lib.Keys, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(token), "{") {
		return "", keys, false
	}
	var s lib.Subscription
	if err := json.Unmarshal([]byte(token), &s); err != nil || s.Endpoint == "" {
		return "", keys, false
	}
	return s.Endpoint, s.Keys, true
}

// Subscription returns the browser's subscription in a message (W3C Push API, PushSubscription.toJSON):
// either the token is its endpoint and the keys are separate, or the token is all of it as JSON.
func Subscription(p *delivery.Push) (lib.Subscription, error) {
	s := lib.Subscription{Endpoint: p.Token, Keys: lib.Keys{P256dh: p.P256dh, Auth: p.Auth}}
	if endpoint, keys, ok := ParseSubscription(p.Token); ok {
		s = lib.Subscription{Endpoint: endpoint, Keys: keys}
	}
	if s.Keys.P256dh == "" || s.Keys.Auth == "" {
		return s, gateway.Refuse("the browser's keys p256dh and auth are missing, and messages must be encrypted; add the keys to the user's device, or send the test to the whole subscription as JSON")
	}
	point, err := decode(s.Keys.P256dh)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(point)
	}
	if err != nil {
		return s, gateway.Refuse("the browser's key p256dh is not a public key; copy it from the subscription again")
	}
	if auth, err := decode(s.Keys.Auth); err != nil || len(auth) != 16 { // RFC 8291, 3.2
		return s, gateway.Refuse("the browser's key auth must have 16 bytes; copy it from the subscription again")
	}
	return s, nil
}

func decode(s string) ([]byte, error) {
	s = strings.TrimRight(s, "=")
	if b, err := base64.RawURLEncoding.DecodeString(s); err == nil {
		return b, nil
	}
	return base64.RawStdEncoding.DecodeString(s)
}

// route returns the HTTP client for an endpoint.
func (c *Sender) route(endpoint string) (*http.Client, *url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" {
		return nil, nil, gateway.Refuse("the endpoint of the browser's subscription is not a URL; update the user")
	}
	if t := c.endpoint; t != nil && u.Scheme == t.Scheme && u.Host == t.Host {
		return c.test, u, nil
	}
	if u.Scheme != "https" {
		return nil, nil, gateway.Refuse("the endpoint of the browser's subscription at %s must use https", u.Host)
	}
	return c.public, u, nil
}

// Deliver encrypts a notification and sends it to the browser's push service.
func (c *Sender) Deliver(ctx context.Context, m delivery.Message) (delivery.Receipt, error) {
	if m.Push == nil || m.Push.Platform != string(catalog.Web) {
		return delivery.Receipt{}, gateway.Refuse("the message %s is not for browsers, so Web Push cannot send it", m.Key)
	}
	s, err := Subscription(m.Push)
	if err != nil {
		return delivery.Receipt{}, err
	}
	client, to, err := c.route(s.Endpoint)
	if err != nil {
		return delivery.Receipt{}, err
	}
	ttl, _ := strconv.Atoi(m.Push.Headers["TTL"])
	options := &lib.Options{
		HTTPClient: client, Subscriber: c.subject, TTL: ttl, Urgency: lib.Urgency(m.Push.Headers["Urgency"]), Topic: m.Push.Headers["Topic"],
		VAPIDPublicKey: c.signer, VAPIDPrivateKey: c.private,
	}
	var location string
	err = c.retry.Do(ctx, "the push service", func(ctx context.Context) error {
		start := time.Now()
		resp, err := lib.SendNotificationWithContext(ctx, m.Push.Payload, &s, options)
		if errors.Is(err, lib.ErrMaxPadExceeded) {
			return gateway.Refuse("the notification is too long for Web Push; shorten it")
		}
		switch {
		case err != nil && client == c.public:
			return c.retry.NoResponse(ctx, "the push service at "+to.Host, start, err)
		case err != nil:
			return gateway.Undelivered("the push service", to.Host, err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body) // the status decides
		location = resp.Header.Get("Location")
		return explain(resp, body, to, s, c.subject)
	})
	if err != nil {
		return delivery.Receipt{}, err
	}
	return delivery.Receipt{ID: delivery.SanitizeText(location), Detail: "accepted by the push service at " + to.Host}, nil
}

// explain returns the error for a response (RFC 8030, 5 and 8.4), or nil if the message was accepted.
func explain(resp *http.Response, body []byte, to *url.URL, s lib.Subscription, subject string) error {
	if resp.StatusCode == http.StatusCreated || resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusAccepted {
		return nil
	}
	e := &delivery.Error{Reason: delivery.Refused, After: gateway.RetryAfter(resp.Header, time.Now())}
	service, code := "the push service at "+to.Host, resp.StatusCode
	status := strconv.Itoa(code)
	// Apple has a reason, Mozilla a message, and others a text.
	var answer struct{ Reason, Message string }
	_ = json.Unmarshal(body, &answer)
	said := gateway.ResponseText(cmp.Or(answer.Reason, answer.Message, string(body)), s.Endpoint, to.Path, s.Keys.Auth, s.Keys.P256dh, bearer(resp))
	if said != "" {
		status += ": " + said
	}
	switch {
	case code == http.StatusNotFound, code == http.StatusGone:
		e.Reason = delivery.Gone
		e.Message = fmt.Sprintf("%s no longer knows the browser (%s); its subscription has ended, so update the user", service, status)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		e.Reason = delivery.Auth
		e.Message = fmt.Sprintf("%s refused the VAPID key or its subject %s (%s); check if the browser subscribed with another key, if the subject is yours, and the clock of this machine", service, subject, status)
	case code == http.StatusRequestEntityTooLarge:
		e.Reason = delivery.Invalid
		e.Message = fmt.Sprintf("the notification is too long for %s (%s); shorten it", service, status)
	case code == http.StatusTooManyRequests:
		e.Reason, e.Temporary = delivery.Throttled, true
		e.Message = fmt.Sprintf("%s accepts no more messages for now (%s)", service, status)
	case code >= 500:
		e.Temporary = true
		e.Message = fmt.Sprintf("%s failed (%s); try again later", service, status)
	case code >= 300 && code < 400:
		e.Message = fmt.Sprintf("%s redirects (%d), which is not allowed; update the user", service, code)
	default:
		e.Message = fmt.Sprintf("%s refused the message (%d): %s", service, code, cmp.Or(said, "no reason given"))
	}
	return e
}

// bearer returns the signed token of a request, which a response may quote.
func bearer(resp *http.Response) string {
	if resp.Request == nil {
		return ""
	}
	t, _, _ := strings.Cut(strings.TrimPrefix(resp.Request.Header.Get("Authorization"), "vapid t="), ",")
	return t
}
