package engine

import (
	"bytes"
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
	PublishEnabled = "enabled" // publishing works as specified
)

// Workspace holds the settings of one workspace.
type Workspace struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Timezone string `json:"timezone"` // IANA name
	Publish  string `json:"publish"`  // [PublishBeta] or [PublishEnabled]
	// Versioning creates a new version of a live campaign on each update.
	Versioning bool `json:"versioning"`
	// Flags are the feature flags of the workspace, by name.
	Flags map[string]bool `json:"flags"`

	Connectors             []Connector    `json:"connectors"`
	Gateways               []Gateway      `json:"push_gateways,omitempty"` // at most one per provider
	SubscriptionCategories []string       `json:"subscription_categories"`
	Teams                  []string       `json:"teams"`
	Locales                []string       `json:"locales"`
	Events                 []EventType    `json:"events"`
	Attributes             []Attribute    `json:"attributes"` // of users
	Segments               []Segment      `json:"segments"`
	ContentBlocks          []ContentBlock `json:"content_blocks"`
	ContentAPIs            ContentPolicy  `json:"content_apis,omitzero"` // the hosts that content APIs may call
	Keys                   []APIKey       `json:"keys"`
	CreatedAt              time.Time      `json:"created_at"`
	// Author is the email address that the terminal uses as creator and updater.
	Author string `json:"author,omitempty"`
	// Sample reports that the workspace contains the sample data.
	Sample bool `json:"sample,omitempty"`
}

// IsWorkspaceID reports whether id is a valid workspace id: letters, digits and punctuation that fit in a
// header and on a command line, without spaces or unprintable characters.
func IsWorkspaceID(id string) bool {
	odd := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) || unicode.IsSpace(r) }
	return id != "" && !strings.ContainsFunc(id, odd)
}

// The feature flags that conditions in the catalog's tables use.
const (
	FlagAudienceLimit = "campaign_audience_limit"
	FlagQueuing       = "queuing"
	FlagPortfolio     = "portfolio"
)

// KnownFlags returns all feature flags in display order.
func KnownFlags() []string { return []string{FlagAudienceLimit, FlagQueuing, FlagPortfolio} }

// The providers of an email connector.
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

// Gateway is a push service that is configured for one platform. Messages for a platform without a gateway go
// to the outbox (CONTRACT.md, Test sends).
type Gateway struct {
	Provider string `json:"provider"` // [ProviderFCM], [ProviderAPNs] or [ProviderWebPush]; the field with the same name is set
	// Key refers to the credential: the service account's JSON (fcm), the .p8 signing key (apns) or the VAPID
	// private key in base64url (webpush).
	Key     SecretRef `json:"key"`
	FCM     *FCM      `json:"fcm,omitempty"`
	APNs    *APNs     `json:"apns,omitempty"`
	WebPush *WebPush  `json:"webpush,omitempty"`
	// CAFile names a PEM file with additional trusted certificates. Empty means only the system's.
	CAFile string `json:"ca_file,omitempty"`
}

// SecretRef describes where a secret is stored; the secret itself is never stored in the workspace. Exactly
// one field is set.
type SecretRef struct {
	Env     string   `json:"env,omitempty"`     // the name of an environment variable
	File    string   `json:"file,omitempty"`    // a file that only its owner can read
	Command []string `json:"command,omitempty"` // a command that prints the secret, as a list of arguments
	Keyring string   `json:"keyring,omitempty"` // the name of the secret in the system's keyring
}

// FCM configures Firebase Cloud Messaging.
type FCM struct {
	Project       string `json:"project,omitempty"`        // empty: the service account's project
	Endpoint      string `json:"endpoint,omitempty"`       // empty: Google's
	TokenEndpoint string `json:"token_endpoint,omitempty"` // empty: the service account's endpoint
}

// APNs configures the Apple Push Notification service.
type APNs struct {
	TeamID   string `json:"team_id"`
	KeyID    string `json:"key_id"`
	Topic    string `json:"topic"`              // the app's bundle id
	Sandbox  bool   `json:"sandbox,omitempty"`  // for apps that were built for development
	Endpoint string `json:"endpoint,omitempty"` // empty: Apple's
}

// WebPush configures sending to browsers. The destination is part of each subscription.
type WebPush struct {
	Subject string `json:"subject"` // contact for the push service: an email address or an https URL
	// Endpoint is a push service for tests, which may be on this machine. If it is empty, only public push
	// services are used, over https.
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

// Connector is a configured email provider (CONTRACT.md, connector).
type Connector struct {
	Type     string `json:"connector_type"`
	Name     string `json:"connector_name"`
	Provider string `json:"provider"` // [ProviderOutbox] or [ProviderSMTP]
	SMTP     *SMTP  `json:"smtp,omitempty"`
}

// SMTP configures a mail server.
type SMTP struct {
	Host string `json:"host"`
	Port int    `json:"port"`
	TLS  string `json:"tls"`  // none, starttls, opportunistic, tls
	Auth string `json:"auth"` // none, plain, login, cram-md5, auto
	User string `json:"user,omitempty"`
	// PasswordEnv names the environment variable with the password, which is never stored.
	PasswordEnv string `json:"password_env,omitempty"`
	// Helo is the name of this computer that EHLO says. Empty means its own, or its address.
	Helo string `json:"helo,omitempty"`
	// CAFile names a PEM file with additional trusted certificates. Empty means only the system's.
	CAFile string `json:"ca_file,omitempty"`
}

// EventType is an event that the workspace's apps report.
type EventType struct {
	Name       string      `json:"name"`
	Business   bool        `json:"business,omitempty"` // a business event, not a user's
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute is an attribute of users or events, with its data type.
type Attribute struct {
	Name     string `json:"name"`
	DataType string `json:"data_type"` // string, double, datetime, bool
	Category string `json:"category,omitempty"`
}

// Segment is a named set of users: the users on its list and those that match its filters.
type Segment struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Members []string `json:"members"` // user ids
	// Filters is a filter group (CONTRACT.md, Audience), or nil for a segment with only a list. Numbers are
	// json.Number. See [Segment.Group] and [Segment.SetGroup].
	Filters map[string]any `json:"filters,omitempty"`
}

// Group returns the segment's filters as a filter group, or an absent value if it has none.
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

// SetGroup sets the segment's filter group; an absent group removes it. It fails if group is not an object.
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

// ContentBlock is a reusable piece of content that expressions can include.
type ContentBlock struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// APIKey is a credential of the HTTP API. Only the hash of the key is stored.
type APIKey struct {
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty"` // what it is for
	Hash      string    `json:"hash,omitempty"` // SHA-256 of the key, hexadecimal
	Scopes    []string  `json:"scopes"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"` // zero: never
	UsedAt    time.Time `json:"used_at,omitzero"`    // the last use, to the hour
}

// KeyUseInterval is how often the last use of an API key is stored.
const KeyUseInterval = time.Hour

// The scopes of an API key (CONTRACT.md, Authentication). Each includes
// those before it.
const (
	ScopeView    = "campaigns:view"                  // read
	ScopeManage  = "campaigns:create_manage"         // create, change and test, but not publish
	ScopePublish = "campaigns:create_manage_publish" // publish
)

// KnownScopes returns all scopes, each after those that it includes.
func KnownScopes() []string { return []string{ScopeView, ScopeManage, ScopePublish} }

// Grants reports whether scopes contain need or a scope that includes it.
func Grants(scopes []string, need string) bool {
	known := KnownScopes()
	i := slices.Index(known, need)
	return i >= 0 && slices.ContainsFunc(known[i:], func(s string) bool { return slices.Contains(scopes, s) })
}

// User is a user of the workspace's apps.
type User struct {
	ID         string         `json:"id"` // unique id
	Attributes map[string]any `json:"attributes"`
	Devices    []Device       `json:"devices,omitempty"`
	Events     []Event        `json:"events,omitempty"` // oldest first
	OptedOut   bool           `json:"opted_out,omitempty"`
}

// The user attributes that identify a user.
const (
	AttrEmail  = "Email (Standard)"
	AttrMobile = "Mobile Number (Standard)"
)

// AttrEventTime is an attribute of every event: the time at which it happened. Filters on events compare it
// as a date, for example to require an event within the last 7 days.
const AttrEventTime = "Event Time (Standard)"

// Device is an app or browser that receives push notifications.
type Device struct {
	Platform string `json:"platform"` // ANDROID, IOS, WEB
	// Token identifies the device at its push service: FCM's registration token, APNs' device token in
	// hexadecimal, or the endpoint of a browser's subscription.
	Token       string `json:"token"`
	AdvertiseID string `json:"advertising_id,omitempty"` // GAID or IDFA
	// Keys are the keys of a browser's subscription (W3C Push API, PushSubscription.toJSON).
	Keys *WebKeys `json:"keys,omitempty"`
}

// WebKeys are the keys that encrypt messages to a browser (RFC 8291), in base64url.
type WebKeys struct {
	P256dh string `json:"p256dh"` // its public key
	Auth   string `json:"auth"`   // its authentication secret
}

// Event is an event of a user.
type Event struct {
	Name       string         `json:"name"`
	At         time.Time      `json:"at"`
	Attributes map[string]any `json:"attributes,omitempty"`
}

// Lists returns the names in one of the workspace's lists, which the tables suggest and check.
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
