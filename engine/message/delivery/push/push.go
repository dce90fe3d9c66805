// Package push makes of a rendered notification what a push gateway takes: the
// body of the request and what is said beside it. Each rule names the part of
// the vendor's reference that it comes from:
//
//   - FCM: Firebase Cloud Messaging, REST reference v1, projects.messages.
//   - APNs: Apple, User Notifications, "Generating a remote notification"
//     (payload) and "Sending notification requests to APNs" (headers).
//   - RFC 8030 (Web Push), RFC 8291 (its encryption); W3C Push API, declarative
//     push message; WHATWG Notifications API, NotificationOptions.
package push

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
)

// The sizes that the gateways take, in bytes.
const (
	MaxFCM  = 4096 // FCM, message types: 4096 bytes for both
	MaxAPNs = 4096 // APNs, Generating a remote notification: 4 KB
	MaxWeb  = 3993 // RFC 8291, 4: what is left of a record of 4096 octets
)

// Options are what a payload needs besides the content of its platform.
type Options struct {
	Token    string    // of the device
	Advanced doc.Value // the campaign's component of that name; may be absent
	Topic    string    // of APNs; left out where it is empty
	Now      time.Time // times that count from now are taken from it
}

// Notification is what one device is to get.
type Notification struct {
	Title, Body string            // as its reader sees them
	Headers     map[string]string // of the request
	Payload     doc.Value         // its body
}

// Build makes the note of a platform's rendered content (CONTRACT.md, campaign_content):
// without the members that the template does not use, and with nothing left to be
// resolved. What the gateway would refuse, a payload above its size among it, is
// a *[delivery.Error] with the reason [delivery.Invalid].
func Build(platform catalog.Platform, content doc.Value, o Options) (Notification, error) {
	switch platform {
	case catalog.Android:
		return android(content, o)
	case catalog.IOS:
		return ios(content, o)
	case catalog.Web:
		return web(content, o)
	}
	return Notification{}, refuse("there is no gateway for the platform %q", string(platform))
}

func refuse(format string, args ...any) error {
	return &delivery.Error{Reason: delivery.Invalid, Message: fmt.Sprintf(format, args...)}
}

// object gathers the members of an object in order. Members without content are
// left out, and no name is taken twice.
type object struct {
	members []doc.Member
}

func (b *object) add(name string, v doc.Value) {
	if !v.Empty() {
		b.members = append(b.members, doc.M(name, v))
	}
}

func (b *object) text(name, s string) { b.add(name, doc.NewString(s)) }

// set adds a member that counts although its value may be empty, such as 0.
func (b *object) set(name string, v doc.Value) {
	if v.Exists() {
		b.members = append(b.members, doc.M(name, v))
	}
}

func (b *object) has(name string) bool {
	return slices.ContainsFunc(b.members, func(m doc.Member) bool { return m.Name == name })
}

// value returns the object, and nothing where it has no members.
func (b *object) value() doc.Value {
	if len(b.members) == 0 {
		return doc.Value{}
	}
	return doc.NewObject(b.members...)
}

// pairs adds the author's key-value pairs. A name that the gateway or the message
// itself needs would take something away from either: it is refused.
func (b *object) pairs(list doc.Value, gateway string, reserved func(string) bool) error {
	seen := map[string]bool{}
	for _, pair := range list.Elems() {
		key, value := pair.Get("key").Text(), pair.Get("value")
		switch {
		case key == "":
			continue
		case reserved(key):
			return refuse("the key-value pair %q cannot be sent, because %s reserves that name; rename the pair", key, gateway)
		case seen[key]:
			return refuse("there are two key-value pairs %q; rename one", key)
		case b.has(key):
			return refuse("the key-value pair %q has the name of a field of the message; rename the pair", key)
		}
		seen[key] = true
		b.set(key, doc.NewString(textOf(value)))
	}
	return nil
}

// textOf returns a value as one text: what is no text itself as JSON.
func textOf(v doc.Value) string {
	switch v.Kind() {
	case doc.Absent, doc.Null:
		return ""
	case doc.String:
		return v.Text()
	}
	return string(v.Encode())
}

// Members that say how the editor behaves, or that stand elsewhere in a payload.
var neverSent = []string{"apply_background_color_in_text_editor", "key_value_pairs"}

// others adds the members of v but for those named, each as it is.
func (b *object) others(v doc.Value, but ...string) {
	for name, m := range v.Members() {
		if !slices.Contains(but, name) && !slices.Contains(neverSent, name) && !b.has(name) {
			b.add(name, m)
		}
	}
}

// limit refuses a payload above what its gateway takes, and names the part that
// takes most.
func limit(gateway string, most, size int, parts doc.Value) error {
	if size <= most {
		return nil
	}
	name, longest := largestText(parts)
	return refuse("the notification has %d bytes, but %s allows %d; shorten it (%s has %d)", size, gateway, most, name, longest)
}

// largestText returns the biggest text below v, by its path.
func largestText(v doc.Value) (path string, size int) {
	for name, m := range v.Members() {
		p, n := name, len(m.Encode())
		if m.Kind() == doc.Object {
			if inner, k := largestText(m); k > 0 {
				p, n = name+"."+inner, k
			}
		}
		if n > size {
			path, size = p, n
		}
	}
	return path, size
}

// timeToLive is how long a gateway keeps a notification that it cannot deliver
// (CONTRACT.md, advanced).
func timeToLive(advanced doc.Value) (time.Duration, bool) {
	settings := advanced.Get("expiration_settings")
	n, ok := settings.Get("expire_notification_after_value").Int()
	if !ok || n < 0 {
		return 0, false
	}
	unit := time.Hour
	if settings.Get("expire_notification_after_type").Text() == "DAY" {
		unit = 24 * time.Hour
	}
	// Longer than any gateway keeps anything, and far from what a Duration holds.
	const years = 10 * 365 * 24 * time.Hour
	if n > int64(years/unit) {
		return years, true
	}
	return time.Duration(n) * unit, true
}

// inbox adds how long the app keeps the message in its inbox: no gateway has a
// word for it, so the app reads it.
func (b *object) inbox(advanced doc.Value, as func(doc.Value) doc.Value) {
	settings := advanced.Get("expiration_settings")
	for _, name := range []string{"remove_from_inbox_after_value", "remove_from_inbox_after_type"} {
		if v := settings.Get(name); v.Exists() {
			b.set(name, as(v))
		}
	}
}

// plain returns what a reader sees of a text that may use HTML (CONTRACT.md,
// campaign_content).
func plain(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			if breaks[string(name)] && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte('\n')
			}
		}
	}
}

// breaks are the elements that begin a line.
var breaks = map[string]bool{"br": true, "p": true, "div": true, "li": true, "ul": true, "ol": true, "h1": true, "h2": true, "h3": true}
