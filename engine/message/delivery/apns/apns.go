// Package apns sends push notifications to iOS through the Apple Push Notification service, over HTTP/2 with
// a provider token.
package apns

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"bugle/engine/catalog"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gateway"
)

// Apple's endpoints.
const (
	Production = "https://api.push.apple.com"
	Sandbox    = "https://api.sandbox.push.apple.com" // for development builds
)

// Config configures APNs.
type Config struct {
	Key      []byte // the .p8 file of a signing key
	KeyID    string // ten characters
	TeamID   string // ten characters
	Endpoint string // "": Production
	Topic    string // the app's bundle id; a message's own header takes precedence
	Roots    *x509.CertPool
	Retry    gateway.Retry
}

// Sender is a [delivery.Sender] for iOS. It is safe for concurrent use. Keep it as long as notifications are
// sent, because Apple asks to use one provider token for 20 to 60 minutes, and few connections.
type Sender struct {
	client *http.Client
	token  token
	device string // the URL of a device without its token
	host   string
	topic  string
	retry  gateway.Retry
}

var (
	identifier  = regexp.MustCompile(`^[A-Z0-9]{10}$`)
	bundleID    = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)
	deviceToken = regexp.MustCompile(`^[0-9A-Fa-f]{2,}$`)
)

// Lengths in bytes. They are not part of the regular expressions, because compiling those would slow down
// every start by a millisecond.
const (
	maxBundleID    = 155
	maxDeviceToken = 400
)

// New checks the settings and the key without connecting.
func New(c Config) (*Sender, error) {
	if c.Endpoint == "" {
		c.Endpoint = Production
	}
	u, err := gateway.Endpoint("the endpoint of APNs", c.Endpoint)
	if err != nil {
		return nil, err
	}
	if err := CheckSettings(c); err != nil {
		return nil, err
	}
	key, err := jwt.ParseECPrivateKeyFromPEM(c.Key)
	if err != nil || key.Curve != elliptic.P256() {
		return nil, gateway.Refuse("the key is not an APNs signing key; use the .p8 file from Certificates, Identifiers & Profiles, Keys")
	}
	return &Sender{
		client: gateway.Transport{Roots: c.Roots, HTTP2: true}.Client(),
		token:  token{key: key, keyID: c.KeyID, team: c.TeamID},
		device: u.String() + "/3/device/", host: u.Host, topic: c.Topic, retry: c.Retry,
	}, nil
}

// CheckSettings checks the settings except the key.
func CheckSettings(c Config) error {
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

// Host returns the host that notifications are sent to.
func (c *Sender) Host() string { return c.host }

// Close closes idle connections.
func (c *Sender) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

// token is the provider token (a JSON Web Token) that authenticates requests.
type token struct {
	key         *ecdsa.PrivateKey
	keyID, team string

	mu     sync.Mutex
	signed string
	at     time.Time
}

// tokenAge is the age at which a provider token is renewed. Apple refuses tokens older than an hour, and
// renewals that are too frequent (Establishing a token-based connection to APNs).
const tokenAge = 50 * time.Minute

// bearer returns a provider token that is not too old and not the refused one.
func (t *token) bearer(refused string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.signed != refused && time.Since(t.at) < tokenAge {
		return t.signed, nil
	}
	now := time.Now()
	claims := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{"iss": t.team, "iat": now.Unix()})
	claims.Header["kid"] = t.keyID
	signed, err := claims.SignedString(t.key)
	if err != nil {
		return "", gateway.Refuse("the key of APNs cannot sign: %s", delivery.RootCause(err))
	}
	t.signed, t.at = signed, now
	return signed, nil
}

// Deliver sends a notification to its device. It renews an expired provider token once.
func (c *Sender) Deliver(ctx context.Context, m delivery.Message) (delivery.Receipt, error) {
	if m.Push == nil || m.Push.Platform != string(catalog.IOS) {
		return delivery.Receipt{}, gateway.Refuse("the message %s is not for iOS, so APNs cannot send it", m.Key)
	}
	// The token becomes a part of the address.
	if len(m.Push.Token) > maxDeviceToken || !deviceToken.MatchString(m.Push.Token) {
		return delivery.Receipt{}, gateway.Refuse("the device token is not a valid APNs token (hexadecimal); update the user")
	}
	var id string
	err := c.retry.Do(ctx, "APNs", func(ctx context.Context) error {
		bearer, err := c.token.bearer("")
		if err != nil {
			return err
		}
		id, err = c.post(ctx, m.Push, bearer)
		if errors.Is(err, errExpired) {
			if bearer, err = c.token.bearer(bearer); err != nil {
				return err
			}
			id, err = c.post(ctx, m.Push, bearer)
		}
		return err
	})
	if err != nil {
		return delivery.Receipt{}, err
	}
	return delivery.Receipt{ID: id, Detail: "accepted by APNs"}, nil
}

// errExpired is wrapped by the error for a provider token that APNs considers expired.
var errExpired = errors.New("the provider token has expired")

// headers are the headers that a notification may have (Sending notification requests to APNs), besides
// apns-topic.
var headers = []string{"apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"}

// post sends a notification once and returns its APNs id.
func (c *Sender) post(ctx context.Context, p *delivery.Push, bearer string) (id string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.device+p.Token, bytes.NewReader(p.Payload))
	if err != nil {
		return "", gateway.Refuse("the APNs endpoint does not work: %s", delivery.RootCause(err))
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("Authorization", "bearer "+bearer)
	req.Header.Set("apns-topic", cmp.Or(p.Headers["apns-topic"], c.topic))
	for _, name := range headers {
		if v := p.Headers[name]; v != "" {
			req.Header.Set(name, v)
		}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return "", gateway.Undelivered("APNs", c.host, err)
	}
	defer resp.Body.Close()
	var answer struct {
		Reason string `json:"reason"`
	}
	err = json.NewDecoder(resp.Body).Decode(&answer)
	if resp.StatusCode != http.StatusOK {
		return "", explain(resp, answer.Reason)
	}
	if err != nil && !errors.Is(err, io.EOF) { // it is not from APNs, or cut short
		return "", delivery.Unconfirmed("APNs at "+c.host, err)
	}
	return resp.Header.Get("apns-id"), nil
}

const expiredProviderToken = "ExpiredProviderToken"

// reasons are Apple's reasons (APNs, Handling notification responses from APNs) with the messages for the
// user.
var reasons = map[string]struct {
	reason delivery.Reason
	says   string
}{
	"BadDeviceToken":              {delivery.Gone, "APNs does not know the device; check if the gateway uses production or sandbox, and the token of the user"},
	"DeviceTokenNotForTopic":      {delivery.Refused, "the device token belongs to another app; check the topic of the gateway, which is the app's bundle id"},
	"Unregistered":                {delivery.Gone, "the app was removed from the device, or its token was renewed; update the user"},
	"ExpiredToken":                {delivery.Gone, "the device token has expired; update the user"},
	"TopicDisallowed":             {delivery.Refused, "the key is not allowed to send for this app; check the topic and the team id of the gateway"},
	"BadTopic":                    {delivery.Refused, "APNs refused the topic; it must be the app's bundle id"},
	"MissingTopic":                {delivery.Refused, "the gateway has no topic; set it to the app's bundle id"},
	expiredProviderToken:          {delivery.Auth, "APNs treats new provider tokens as expired; check the clock of this machine"},
	"InvalidProviderToken":        {delivery.Auth, "APNs refused the provider token; check the key, the key id and the team id of the gateway"},
	"MissingProviderToken":        {delivery.Auth, "APNs got no provider token; check the key of the gateway"},
	"Forbidden":                   {delivery.Auth, "APNs does not allow this; check the permissions of the key"},
	"BadEnvironmentKeyInToken":    {delivery.Auth, "the key is only for production or only for sandbox; check which one the gateway uses"},
	"PayloadTooLarge":             {delivery.Invalid, "the notification is too long for APNs; shorten it"},
	"TooManyRequests":             {delivery.Throttled, "too many notifications were sent to this device; wait a moment"},
	"TooManyProviderTokenUpdates": {delivery.Throttled, "the provider token was renewed too often; wait 20 minutes"},
	"ServiceUnavailable":          {delivery.Refused, "APNs is not available; try again later"},
	"InternalServerError":         {delivery.Refused, "APNs failed; try again later"},
	"Shutdown":                    {delivery.Refused, "APNs is shutting down; try again later"},
}

// explain returns the error for a response with a reason.
func explain(resp *http.Response, reason string) error {
	code := delivery.SanitizeText(reason)
	if code == "" {
		code = strconv.Itoa(resp.StatusCode)
	}
	throttled := resp.StatusCode == http.StatusTooManyRequests
	e := &delivery.Error{
		Reason: delivery.Refused, After: gateway.RetryAfter(resp.Header, time.Now()), Temporary: resp.StatusCode >= 500 || throttled,
		Message: "APNs refused the notification (" + code + ")",
	}
	if known, ok := reasons[reason]; ok {
		e.Reason, e.Message = known.reason, known.says+" ("+code+")"
	} else if throttled {
		e.Reason = delivery.Throttled
	}
	if reason == expiredProviderToken {
		e.Err = errExpired
	}
	return e
}
