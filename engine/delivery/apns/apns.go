// Package apns carries push notifications to iOS by Apple's push service, over
// HTTP/2 with a provider token.
package apns

import (
	"context"
	"crypto/elliptic"
	"crypto/x509"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/sideshow/apns2"
	"github.com/sideshow/apns2/token"

	"bugle/engine/catalog"
	"bugle/engine/delivery"
	"bugle/engine/delivery/gateway"
)

// The endpoints of Apple.
const (
	Production = "https://api.push.apple.com"
	Sandbox    = "https://api.sandbox.push.apple.com" // for apps that were built for development
)

// Config is how APNs is reached.
type Config struct {
	Key      []byte // the .p8 file of a signing key
	KeyID    string // ten characters
	TeamID   string // ten characters
	Endpoint string // "": Production
	Topic    string // the app's bundle id; a message's own header comes first
	Roots    *x509.CertPool
	Patience gateway.Patience
}

// Carrier is a [delivery.Carrier] for iOS. It may be used by several goroutines,
// and should live as long as notifications go out: Apple wants one provider token
// to be used for 20 to 60 minutes, and few connections.
type Carrier struct {
	client   apns2.Client
	host     string
	topic    string
	patience gateway.Patience
}

var (
	identifier  = regexp.MustCompile(`^[A-Z0-9]{10}$`)
	bundleID    = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)
	deviceToken = regexp.MustCompile(`^[0-9A-Fa-f]{2,}$`)
)

// Lengths in bytes. A limit in an expression would take a millisecond of every start of the program.
const (
	maxBundleID    = 155
	maxDeviceToken = 400
)

// New checks the settings and the key; nothing is connected yet.
func New(c Config) (*Carrier, error) {
	if c.Endpoint == "" {
		c.Endpoint = Production
	}
	u, err := gateway.Endpoint("the endpoint of APNs", c.Endpoint)
	if err != nil {
		return nil, err
	}
	if err := Settings(c); err != nil {
		return nil, err
	}
	key, err := token.AuthKeyFromBytes(c.Key)
	if err != nil || key.Curve != elliptic.P256() {
		return nil, gateway.Refuse("the key is not an APNs signing key; use the .p8 file from Certificates, Identifiers & Profiles, Keys")
	}
	http2 := gateway.Transport{Roots: c.Roots, HTTP2: true}.Client()
	http2.Transport = asking{http2.Transport}
	return &Carrier{
		client: apns2.Client{
			Host: u.String(), HTTPClient: http2,
			Token: &token.Token{AuthKey: key, KeyID: c.KeyID, TeamID: c.TeamID},
		},
		host: u.Host, topic: c.Topic, patience: c.Patience,
	}, nil
}

// Settings checks what can be checked without the key.
func Settings(c Config) error {
	switch {
	case !identifier.MatchString(c.KeyID):
		return gateway.Refuse("the APNs key id must have ten capital letters and digits, not %q; your developer account shows it next to the key", c.KeyID)
	case !identifier.MatchString(c.TeamID):
		return gateway.Refuse("the APNs team id must have ten capital letters and digits, not %q; your developer account shows it under Membership", c.TeamID)
	case len(c.Topic) > maxBundleID || !bundleID.MatchString(c.Topic):
		return gateway.Refuse("the APNs topic must be the bundle id of the app, such as com.example.shop, not %q", c.Topic)
	}
	return nil
}

// Host is where notifications go.
func (c *Carrier) Host() string { return c.host }

// Close lets go of the connections.
func (c *Carrier) Close() error {
	c.client.HTTPClient.CloseIdleConnections()
	return nil
}

// asking notes what the library does not hand on: the token that a request went
// out with, and how long its answer asks to wait.
type asking struct{ http.RoundTripper }

type exchange struct {
	bearer string
	pause  time.Duration
}

type exchangeKey struct{}

// once stands for an expiration of 0, one attempt, which the library takes for none.
const once = 1

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return a.RoundTripper.RoundTrip(r)
	}
	x.bearer = strings.TrimPrefix(r.Header.Get("Authorization"), "bearer ")
	if r.Header.Get("apns-expiration") == strconv.Itoa(once) {
		r = r.Clone(r.Context())
		r.Header.Set("apns-expiration", "0")
	}
	resp, err := a.RoundTripper.RoundTrip(r)
	if err == nil {
		x.pause = gateway.RetryAfter(resp.Header, time.Now())
	}
	return resp, err
}

func (a asking) CloseIdleConnections() {
	if c, ok := a.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Deliver sends a notification to its device. A provider token that Apple takes
// for expired is renewed once.
func (c *Carrier) Deliver(ctx context.Context, m delivery.Message) (delivery.Receipt, error) {
	if m.Push == nil || m.Push.Platform != string(catalog.IOS) {
		return delivery.Receipt{}, gateway.Refuse("the message %s is not for iOS, so APNs cannot send it", m.Key)
	}
	// The token becomes a part of the address.
	if len(m.Push.Token) > maxDeviceToken || !deviceToken.MatchString(m.Push.Token) {
		return delivery.Receipt{}, gateway.Refuse("the device token is not a valid APNs token (hexadecimal); update the user")
	}
	n := c.notification(m.Push)
	var id string
	err := c.patience.Do(ctx, "APNs", func(ctx context.Context) error {
		resp, x, err := c.push(ctx, n)
		if err == nil && resp.Reason == apns2.ReasonExpiredProviderToken {
			if err = c.fresh(x.bearer); err == nil {
				resp, x, err = c.push(ctx, n)
			}
		}
		if err != nil {
			return err
		}
		if !resp.Sent() {
			return explain(resp, x.pause)
		}
		id = resp.ApnsID
		return nil
	})
	if err != nil {
		return delivery.Receipt{}, err
	}
	return delivery.Receipt{ID: id, Detail: "accepted by APNs"}, nil
}

// notification returns the library's own.
func (c *Carrier) notification(p *delivery.Push) *apns2.Notification {
	n := &apns2.Notification{
		DeviceToken: p.Token, Topic: p.Headers["apns-topic"], CollapseID: p.Headers["apns-collapse-id"],
		PushType: apns2.EPushType(p.Headers["apns-push-type"]), Payload: []byte(p.Payload),
	}
	if n.Topic == "" {
		n.Topic = c.topic
	}
	n.Priority, _ = strconv.Atoi(p.Headers["apns-priority"]) // 0 is not sent
	if s, err := strconv.ParseInt(p.Headers["apns-expiration"], 10, 64); err == nil {
		n.Expiration = time.Unix(max(s, once), 0)
	}
	return n
}

func (c *Carrier) push(ctx context.Context, n *apns2.Notification) (*apns2.Response, exchange, error) {
	var x exchange
	resp, err := c.client.PushWithContext(context.WithValue(ctx, exchangeKey{}, &x), n)
	if err != nil {
		return nil, x, gateway.Unreachable("APNs", c.host, err)
	}
	return resp, x, nil
}

// fresh makes a provider token in the place of used, unless somebody has already.
func (c *Carrier) fresh(used string) error {
	c.client.Token.Lock()
	defer c.client.Token.Unlock()
	if c.client.Token.Bearer != used {
		return nil
	}
	if _, err := c.client.Token.Generate(); err != nil {
		return gateway.Refuse("the key of APNs cannot sign: %s", delivery.Cause(err))
	}
	return nil
}

// reasons are Apple's (APNs, Handling notification responses from APNs), and what
// they mean to the person who tests.
var reasons = map[string]struct {
	reason delivery.Reason
	says   string
}{
	apns2.ReasonBadDeviceToken:              {delivery.Gone, "APNs does not know the device; check if the gateway uses production or sandbox, and the token of the user"},
	apns2.ReasonDeviceTokenNotForTopic:      {delivery.Refused, "the device token belongs to another app; check the topic of the gateway, which is the app's bundle id"},
	apns2.ReasonUnregistered:                {delivery.Gone, "the app was removed from the device, or its token was renewed; update the user"},
	apns2.ReasonExpiredToken:                {delivery.Gone, "the device token has expired; update the user"},
	apns2.ReasonTopicDisallowed:             {delivery.Refused, "the key is not allowed to send for this app; check the topic and the team id of the gateway"},
	apns2.ReasonBadTopic:                    {delivery.Refused, "APNs refused the topic; it must be the app's bundle id"},
	apns2.ReasonMissingTopic:                {delivery.Refused, "the gateway has no topic; set it to the app's bundle id"},
	apns2.ReasonExpiredProviderToken:        {delivery.Auth, "APNs treats new provider tokens as expired; check the clock of this machine"},
	apns2.ReasonInvalidProviderToken:        {delivery.Auth, "APNs refused the provider token; check the key, the key id and the team id of the gateway"},
	apns2.ReasonMissingProviderToken:        {delivery.Auth, "APNs got no provider token; check the key of the gateway"},
	apns2.ReasonForbidden:                   {delivery.Auth, "APNs does not allow this; check the permissions of the key"},
	"BadEnvironmentKeyInToken":              {delivery.Auth, "the key is only for production or only for sandbox; check which one the gateway uses"},
	apns2.ReasonPayloadTooLarge:             {delivery.Invalid, "the notification is too long for APNs; shorten it"},
	apns2.ReasonTooManyRequests:             {delivery.Throttled, "too many notifications were sent to this device; wait a moment"},
	apns2.ReasonTooManyProviderTokenUpdates: {delivery.Throttled, "the provider token was renewed too often; wait 20 minutes"},
	apns2.ReasonServiceUnavailable:          {delivery.Refused, "APNs is not available; try again later"},
	apns2.ReasonInternalServerError:         {delivery.Refused, "APNs failed; try again later"},
	apns2.ReasonShutdown:                    {delivery.Refused, "APNs is shutting down; try again later"},
}

func explain(r *apns2.Response, pause time.Duration) error {
	code := delivery.OneSentence(r.Reason)
	if code == "" {
		code = strconv.Itoa(r.StatusCode)
	}
	e := &delivery.Error{
		Reason: delivery.Refused, After: pause, Temporary: r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests,
		Message: "APNs refused the notification (" + code + ")",
	}
	if known, ok := reasons[r.Reason]; ok {
		e.Reason, e.Message = known.reason, known.says+" ("+code+")"
	} else if r.StatusCode == http.StatusTooManyRequests {
		e.Reason = delivery.Throttled
	}
	return e
}
