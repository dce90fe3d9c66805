package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// The publish settings of a workspace (CONTRACT.md, Publish).
const (
	PublishBeta    = "beta"    // every publish through the API is refused
	PublishEnabled = "enabled" // publish does what the specification intends
)

// Workspace is the settings of one tenant.
type Workspace struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Timezone string `json:"timezone"` // IANA name
	Publish  string `json:"publish"`  // [PublishBeta] or [PublishEnabled]
	// Versioning makes a new version of a live campaign at each update.
	Versioning bool `json:"versioning"`
	// Flags are the features that the specification gates by workspace, by name.
	Flags map[string]bool `json:"flags"`

	Connectors             []Connector    `json:"connectors"`
	Gateways               []Gateway      `json:"push_gateways,omitempty"` // at most one of a provider
	SubscriptionCategories []string       `json:"subscription_categories"`
	Teams                  []string       `json:"teams"`
	Locales                []string       `json:"locales"`
	Events                 []EventType    `json:"events"`
	Attributes             []Attribute    `json:"attributes"` // of users
	Segments               []Segment      `json:"segments"`
	ContentBlocks          []ContentBlock `json:"content_blocks"`
	ContentAPIs            ContentPolicy  `json:"content_apis,omitzero"` // whom content APIs may call
	Keys                   []APIKey       `json:"keys"`
	CreatedAt              time.Time      `json:"created_at"`
	// Author is the email address that the terminal signs with.
	Author string `json:"author,omitempty"`
	// Sample says that the workspace was filled with the sample.
	Sample bool `json:"sample,omitempty"`
}

// IsWorkspaceID reports whether a workspace can have that id: letters, digits and signs that a header and a
// command line can carry, and no spaces or unprintable characters.
func IsWorkspaceID(id string) bool {
	odd := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) || unicode.IsSpace(r) }
	return id != "" && !strings.ContainsFunc(id, odd)
}

// Flags that the specification's tables ask for.
const (
	FlagAudienceLimit = "campaign_audience_limit"
	FlagQueuing       = "queuing"
	FlagPortfolio     = "portfolio"
)

// KnownFlags lists the flags, in the order in which they are shown.
func KnownFlags() []string { return []string{FlagAudienceLimit, FlagQueuing, FlagPortfolio} }

// The providers of a connector.
const (
	ProviderOutbox = "outbox" // keeps the message in the local store
	ProviderSMTP   = "smtp"   // speaks SMTP to a real server
)

// The providers of a push gateway. Each serves one platform.
const (
	ProviderFCM     = "fcm"     // Firebase Cloud Messaging, HTTP v1: Android
	ProviderAPNs    = "apns"    // Apple Push Notification service: iOS
	ProviderWebPush = "webpush" // RFC 8030, with VAPID (RFC 8292): browsers
)

// Gateway is a push service, configured for one platform. A platform that has none goes to the
// outbox (CONTRACT.md, Test sends).
type Gateway struct {
	Provider string `json:"provider"` // [ProviderFCM], [ProviderAPNs] or [ProviderWebPush]; the member of that name is set
	// Key is where the credential is: the service account's JSON (fcm), the .p8 signing key (apns) or
	// the VAPID private key in base64url (webpush).
	Key     SecretRef `json:"key"`
	FCM     *FCM      `json:"fcm,omitempty"`
	APNs    *APNs     `json:"apns,omitempty"`
	WebPush *WebPush  `json:"webpush,omitempty"`
	// CAFile names a PEM file with further certificates to trust; empty for those of the system alone.
	CAFile string `json:"ca_file,omitempty"`
}

// UnmarshalJSON reads a gateway, its provider also as stores before 2026-11 spell it.
func (g *Gateway) UnmarshalJSON(b []byte) error {
	type plain Gateway
	former := struct {
		*plain
		Provider string `json:"carrier"`
	}{plain: (*plain)(g)}
	g.Provider = ""
	if err := json.Unmarshal(b, &former); err != nil {
		return err
	}
	g.Provider = cmp.Or(g.Provider, former.Provider)
	return nil
}

// SecretRef says where a secret is. The secret itself is never stored. Exactly one member is set.
type SecretRef struct {
	Env     string   `json:"env,omitempty"`     // the environment variable that holds it
	File    string   `json:"file,omitempty"`    // a file that nobody but its owner can read
	Command []string `json:"command,omitempty"` // the command that prints it, word by word
	Keyring string   `json:"keyring,omitempty"` // its name in the system's keyring
}

// FCM says how to reach Firebase Cloud Messaging.
type FCM struct {
	Project       string `json:"project,omitempty"`        // empty: that of the service account
	Endpoint      string `json:"endpoint,omitempty"`       // empty: Google's
	TokenEndpoint string `json:"token_endpoint,omitempty"` // empty: that of the service account
}

// APNs says how to reach Apple's push service.
type APNs struct {
	TeamID   string `json:"team_id"`
	KeyID    string `json:"key_id"`
	Topic    string `json:"topic"`              // the app's bundle id
	Sandbox  bool   `json:"sandbox,omitempty"`  // for apps that were built for development
	Endpoint string `json:"endpoint,omitempty"` // empty: Apple's
}

// WebPush says who sends to browsers. Where it goes is in each subscription.
type WebPush struct {
	Subject string `json:"subject"` // contact for the push service: an email address or an https URL
	// Endpoint is the address of a push service for tests, which may be on this machine. Empty: public
	// push services alone, by https.
	Endpoint string `json:"endpoint,omitempty"`
}

// Gateway returns the workspace's gateway of a provider.
func (w Workspace) Gateway(provider string) (Gateway, bool) {
	for _, g := range w.Gateways {
		if g.Provider == provider {
			return g, true
		}
	}
	return Gateway{}, false
}

// Connector is a mail server, configured for email (CONTRACT.md, connector).
type Connector struct {
	Type     string `json:"connector_type"`
	Name     string `json:"connector_name"`
	Provider string `json:"provider"` // [ProviderOutbox] or [ProviderSMTP]
	SMTP     *SMTP  `json:"smtp,omitempty"`
}

// UnmarshalJSON reads a connector, its provider also as stores before 2026-11 spell it.
func (c *Connector) UnmarshalJSON(b []byte) error {
	type plain Connector
	former := struct {
		*plain
		Provider string `json:"carrier"`
	}{plain: (*plain)(c)}
	c.Provider = ""
	if err := json.Unmarshal(b, &former); err != nil {
		return err
	}
	c.Provider = cmp.Or(c.Provider, former.Provider)
	return nil
}

// SMTP says how to reach a mail server.
type SMTP struct {
	Host string `json:"host"`
	Port int    `json:"port"`
	TLS  string `json:"tls"`  // none, starttls, opportunistic, tls
	Auth string `json:"auth"` // none, plain, login, cram-md5, auto
	User string `json:"user,omitempty"`
	// PasswordEnv names the environment variable that holds the password: it is never stored.
	PasswordEnv string `json:"password_env,omitempty"`
}

// EventType is an event that the workspace's apps report.
type EventType struct {
	Name       string      `json:"name"`
	Business   bool        `json:"business,omitempty"` // a business event, not a user's
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute is a named value of users or events.
type Attribute struct {
	Name     string `json:"name"`
	DataType string `json:"data_type"` // string, double, datetime, bool
	Category string `json:"category,omitempty"`
}

// Segment is a named set of users: those on its list, and those that its filters pick.
type Segment struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Members []string `json:"members"` // profile ids
	// Filters is a filter group (CONTRACT.md, Audience); nil for a list alone. Numbers
	// in it are json.Number. [Segment.Group] and [Segment.SetGroup] take it for a document.
	Filters map[string]any `json:"filters,omitempty"`
}

// Group returns the segment's filters as a filter group; absent for a list alone.
func (s Segment) Group() doc.Value {
	if len(s.Filters) == 0 {
		return doc.Value{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.Filters); err != nil {
		return doc.NullValue() // which no filter group is
	}
	v, err := doc.Parse(b.Bytes())
	if err != nil {
		return doc.NullValue()
	}
	return v
}

// SetGroup sets the filter group of the segment; an absent one makes it a list alone. It fails where group
// is no object.
func (s *Segment) SetGroup(group doc.Value) error {
	if !group.Exists() {
		s.Filters = nil
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(group.Encode()))
	d.UseNumber()
	var filters map[string]any
	if err := d.Decode(&filters); err != nil || filters == nil {
		return fmt.Errorf("the filters of the segment %q must be a filter group, not %s", s.Name, group.Kind())
	}
	s.Filters = filters
	return nil
}

// ContentBlock is a piece of content that expressions can include.
type ContentBlock struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// APIKey is a credential of the HTTP API. Only the hash of the key is kept.
type APIKey struct {
	ID        string    `json:"id"`
	Hash      string    `json:"hash,omitempty"` // SHA-256 of the key, hexadecimal
	Scopes    []string  `json:"scopes"`
	CreatedAt time.Time `json:"created_at"`
}

// The scopes of an API key (CONTRACT.md, Authentication). Each includes
// those before it.
const (
	ScopeView    = "campaigns:view"                  // read
	ScopeManage  = "campaigns:create_manage"         // create, change, test, and what else is no publishing
	ScopePublish = "campaigns:create_manage_publish" // publish
)

// KnownScopes lists the scopes, each after those that it includes.
func KnownScopes() []string { return []string{ScopeView, ScopeManage, ScopePublish} }

// Grants reports whether scopes hold need, or a scope that includes it.
func Grants(scopes []string, need string) bool {
	known := KnownScopes()
	i := slices.Index(known, need)
	return i >= 0 && slices.ContainsFunc(known[i:], func(s string) bool { return slices.Contains(scopes, s) })
}

// User is one user of the workspace's apps.
type User struct {
	ID         string         `json:"id"` // unique id
	Attributes map[string]any `json:"attributes"`
	Devices    []Device       `json:"devices,omitempty"`
	Events     []Event        `json:"events,omitempty"` // oldest first
	OptedOut   bool           `json:"opted_out,omitempty"`
}

// The attributes of a profile that identify its user.
const (
	AttrEmail  = "Email (Standard)"
	AttrMobile = "Mobile Number (Standard)"
)

// AttrEventTime is an attribute that every event has: when it happened. Filters on events compare it
// as a date, which is how they say "in the last 7 days".
const AttrEventTime = "Event Time (Standard)"

// Device is an app or browser that takes push notifications.
type Device struct {
	Platform string `json:"platform"` // ANDROID, IOS, WEB
	// Token is what the push service knows it by: FCM's registration token, APNs' device token in
	// hexadecimal, or the endpoint of a browser's subscription.
	Token       string `json:"token"`
	AdvertiseID string `json:"advertising_id,omitempty"` // GAID or IDFA
	// Keys are those of a browser's subscription (W3C Push API, PushSubscription.toJSON).
	Keys *WebKeys `json:"keys,omitempty"`
}

// WebKeys encrypt what goes to a browser (RFC 8291), in base64url.
type WebKeys struct {
	P256dh string `json:"p256dh"` // its public key
	Auth   string `json:"auth"`   // its authentication secret
}

// Event is something that a user did.
type Event struct {
	Name       string         `json:"name"`
	At         time.Time      `json:"at"`
	Attributes map[string]any `json:"attributes,omitempty"`
}

// Lists returns the names that the tables offer and check, by list.
func (w Workspace) Lists(list string) ([]string, bool) {
	var out []string
	switch list {
	case "connectors":
		for _, c := range w.Connectors {
			out = append(out, catalog.ConnectorPair(c.Type, c.Name))
		}
	case "connector_names":
		for _, c := range w.Connectors {
			out = append(out, c.Name)
		}
	case "connector_types":
		for _, c := range w.Connectors {
			out = append(out, c.Type)
		}
	case "subscription_categories":
		out = w.SubscriptionCategories
	case "teams":
		out = w.Teams
	case "locales":
		out = w.Locales
	case "events":
		for _, e := range w.Events {
			if !e.Business {
				out = append(out, e.Name)
			}
		}
	case "business_events":
		for _, e := range w.Events {
			if e.Business {
				out = append(out, e.Name)
			}
		}
	case "event_attributes":
		for _, e := range w.Events {
			for _, a := range e.Attributes {
				if !slices.Contains(out, a.Name) {
					out = append(out, a.Name)
				}
			}
		}
	case "user_attributes":
		for _, a := range w.Attributes {
			out = append(out, a.Name)
		}
	case "segments":
		for _, s := range w.Segments {
			out = append(out, s.Name)
		}
	case "content_blocks":
		for _, b := range w.ContentBlocks {
			out = append(out, b.Name)
		}
	default:
		return nil, false
	}
	return out, true
}
