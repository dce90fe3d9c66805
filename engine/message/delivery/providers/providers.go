// Package providers creates the delivery provider of a connector or push gateway from its settings (engine.Gateway and
// engine.Connector), and the test message for trying it out.
package providers

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/apns"
	"bugle/engine/message/delivery/fcm"
	"bugle/engine/message/delivery/gateway"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/message/delivery/webpush"
)

// Kind is a kind of push provider.
type Kind struct {
	Provider string // as in [engine.Gateway]
	Name     string // display name
	Platform catalog.Platform
	Key      string // describes its key
}

var kinds = []Kind{
	{engine.ProviderFCM, "FCM", catalog.Android, "the JSON of a service account's key"},
	{engine.ProviderAPNs, "APNs", catalog.IOS, "the .p8 signing key"},
	{engine.ProviderWebPush, "Web Push", catalog.Web, "the VAPID private key, in base64url"},
}

// Kinds returns all kinds of push providers in the order of the platforms.
func Kinds() []Kind { return kinds }

// KindOf returns the kind of a provider.
func KindOf(provider string) (Kind, bool) {
	for _, k := range kinds {
		if k.Provider == provider {
			return k, true
		}
	}
	return Kind{}, false
}

// KindFor returns the kind that serves a platform.
func KindFor(platform string) (Kind, bool) {
	for _, k := range kinds {
		if string(k.Platform) == platform {
			return k, true
		}
	}
	return Kind{}, false
}

// Check returns an error if no provider can be created from the settings. It does not need the key.
func Check(g engine.Gateway) error {
	k, ok := KindOf(g.Provider)
	if !ok {
		return fmt.Errorf("a push gateway must be fcm, apns or webpush, not %q", g.Provider)
	}
	if g.FCM != nil != (g.Provider == engine.ProviderFCM) || g.APNs != nil != (g.Provider == engine.ProviderAPNs) || g.WebPush != nil != (g.Provider == engine.ProviderWebPush) {
		return fmt.Errorf("the gateway %s must have the settings of its own service, and no others", k.Name)
	}
	if err := secret.Check(g.Key); err != nil {
		return fmt.Errorf("the key of %s: %w", k.Name, err)
	}
	switch {
	case g.FCM != nil:
		return cmp.Or(checkEndpoint("the endpoint of FCM", g.FCM.Endpoint), checkEndpoint("the token endpoint of FCM", g.FCM.TokenEndpoint))
	case g.APNs != nil:
		return checkEndpoint("the endpoint of APNs", g.APNs.Endpoint)
	}
	return checkEndpoint("the endpoint of Web Push", g.WebPush.Endpoint)
}

func checkEndpoint(what, address string) error {
	if address == "" {
		return nil
	}
	_, err := gateway.Endpoint(what, address)
	return err
}

// CheckSettings returns an error for settings that only the provider itself can check, such as a team id of
// APNs.
func CheckSettings(g engine.Gateway) error {
	if err := Check(g); err != nil {
		return err
	}
	switch {
	case g.APNs != nil:
		return apns.CheckSettings(apns.Config{KeyID: g.APNs.KeyID, TeamID: g.APNs.TeamID, Topic: g.APNs.Topic})
	case g.WebPush != nil:
		return webpush.CheckSettings(webpush.Config{Subject: g.WebPush.Subject})
	}
	return nil
}

// NewPushWithKey returns the provider of a gateway with the given key.
func NewPushWithKey(g engine.Gateway, key []byte) (delivery.Sender, error) {
	if err := Check(g); err != nil {
		return nil, err
	}
	return open(g, key)
}

func readKey(ctx context.Context, g engine.Gateway) ([]byte, error) {
	key, err := secret.Read(ctx, g.Key)
	if err != nil {
		k, _ := KindOf(g.Provider)
		return nil, &delivery.Error{Reason: delivery.NoSecret, Message: fmt.Sprintf("the key of %s is missing: %s", k.Name, err), Err: err}
	}
	return key, nil
}

func open(g engine.Gateway, key []byte) (delivery.Sender, error) {
	roots, err := gateway.Roots(g.CAFile)
	if err != nil {
		return nil, err
	}
	switch {
	case g.FCM != nil:
		return fcm.New(fcm.Config{Key: key, Project: g.FCM.Project, Endpoint: g.FCM.Endpoint, TokenEndpoint: g.FCM.TokenEndpoint, Roots: roots})
	case g.APNs != nil:
		c := apns.Config{Key: key, KeyID: g.APNs.KeyID, TeamID: g.APNs.TeamID, Topic: g.APNs.Topic, Endpoint: g.APNs.Endpoint, Roots: roots}
		if c.Endpoint == "" && g.APNs.Sandbox {
			c.Endpoint = apns.Sandbox
		}
		return apns.New(c)
	case g.WebPush != nil:
		return webpush.New(webpush.Config{Key: key, Subject: g.WebPush.Subject, Endpoint: g.WebPush.Endpoint, Roots: roots})
	}
	return nil, errors.New("the gateway has no settings")
}

// SMTPConfig returns the settings of a connector without its secret and its certificates.
func SMTPConfig(c engine.SMTP) delivery.SMTPConfig {
	return delivery.SMTPConfig{
		Host: c.Host, Port: c.Port, TLS: delivery.TLSMode(c.TLS), Auth: delivery.AuthMode(c.Auth), Username: c.User, LocalName: c.Helo,
	}
}

// NewMail returns the provider of an SMTP connector. It reads the password but does not connect. The provider is an
// io.Closer.
func NewMail(c engine.Connector) (delivery.Sender, error) {
	if c.Provider != engine.ProviderSMTP || c.SMTP == nil {
		return nil, fmt.Errorf("the connector %q cannot send email yet; set its provider to outbox, or to smtp with a host", c.Name)
	}
	config := SMTPConfig(*c.SMTP)
	if c.SMTP.PasswordEnv != "" {
		var set bool
		if config.Password, set = os.LookupEnv(c.SMTP.PasswordEnv); !set {
			return nil, &delivery.Error{Reason: delivery.NoSecret, Message: fmt.Sprintf("the password of the connector %q is missing: set the environment variable %s", c.Name, c.SMTP.PasswordEnv)}
		}
	}
	roots, err := gateway.Roots(c.SMTP.CAFile)
	if err != nil {
		return nil, err
	}
	config.TLSConfig = &tls.Config{RootCAs: roots}
	return delivery.NewSMTP(config)
}

// Pool reuses the providers of gateways and connectors, with their connections and tokens, because Apple asks to use a
// provider token for a while, and mail servers limit connections. A new provider is made when settings or key change.
// The zero value is ready for use and safe for concurrent use.
type Pool struct {
	mu   sync.Mutex
	have map[string]pooled // by the provider of a gateway, or the name of a connector
}

type pooled struct {
	made     [sha256.Size]byte // hash of settings and key
	provider delivery.Sender
}

// Get returns the provider of a gateway.
func (p *Pool) Get(ctx context.Context, g engine.Gateway) (delivery.Sender, error) {
	if err := Check(g); err != nil {
		return nil, err
	}
	key, err := readKey(ctx, g)
	if err != nil {
		return nil, err
	}
	return p.reuse("gateway "+g.Provider, g, key, func() (delivery.Sender, error) { return open(g, key) })
}

// Mail returns the provider of a connector.
func (p *Pool) Mail(c engine.Connector) (delivery.Sender, error) {
	provider, err := NewMail(c)
	if err != nil {
		return nil, err
	}
	trusted, _ := os.ReadFile(c.SMTP.CAFile) // NewMail has read it
	return p.reuse("connector "+c.Type+" "+c.Name, c, append(trusted, os.Getenv(c.SMTP.PasswordEnv)...), func() (delivery.Sender, error) { return provider, nil })
}

// reuse returns the provider that was made with the same settings and secret, or opens one.
func (p *Pool) reuse(name string, settings any, secret []byte, open func() (delivery.Sender, error)) (delivery.Sender, error) {
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("the settings of the %s: %w", name, err)
	}
	made := sha256.Sum256(append(text, secret...))
	p.mu.Lock()
	defer p.mu.Unlock()
	old, ok := p.have[name]
	if ok && old.made == made {
		return old.provider, nil
	}
	c, err := open()
	if err != nil {
		return nil, err
	}
	if closer, is := old.provider.(io.Closer); is {
		_ = closer.Close() // lets go of idle connections alone; a send under way keeps its own
	}
	if p.have == nil {
		p.have = map[string]pooled{}
	}
	p.have[name] = pooled{made, c}
	return c, nil
}
