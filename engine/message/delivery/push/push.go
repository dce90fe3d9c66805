// Package push builds, for each platform, the request of a push gateway from a rendered notification: its body and its headers.
// Each rule cites the vendor's reference:
//
//   - FCM: Firebase Cloud Messaging, REST reference v1, projects.messages.
//   - APNs: Apple, User Notifications, "Generating a remote notification" (payload) and "Sending
//     notification requests to APNs" (headers).
//   - RFC 8030 (Web Push), RFC 8291 (its encryption); W3C Push API, declarative push message; WHATWG
//     Notifications API, NotificationOptions.
package push

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
)

// The largest payloads of the gateways in bytes.
const (
	MaxFCM  = 4096 // FCM, message types: 4096 bytes for both
	MaxAPNs = 4096 // APNs, Generating a remote notification: 4 KB
	MaxWeb  = 3993 // RFC 8291, 4: the rest of a record of 4096 octets
)

// maxTTL is the longest time to live of FCM (AndroidConfig.ttl: 4 weeks), and what push services of browsers keep at most.
// Longer ones are reduced to it.
const maxTTL = 28 * 24 * time.Hour

// Options holds what a payload needs besides the content of its platform.
type Options struct {
	Token    string    // of the device
	Advanced doc.Value // the campaign's component of that name; may be absent
	Topic    string    // of APNs; left out if empty
	Message  doc.Value // the content of all platforms: the web has the replace key of the others; may be absent
	Now      time.Time // the base of relative times
}

// Notification is the request for one device.
type Notification struct {
	// Title and Body are the visible texts, without markup.
	Title, Body string
	Headers     map[string]string // of the request
	Payload     doc.Value         // the request body
}

// Build returns the notification for a platform's rendered content (CONTRACT.md, campaign_content), without
// the fields that the template does not use. If the gateway would refuse it, for example because of its size,
// the error is a *[delivery.Error] with the reason [delivery.Invalid] and all that is wrong.
func Build(platform catalog.Platform, content doc.Value, o Options) (Notification, error) {
	build := map[catalog.Platform]func(doc.Value, Options) (Notification, error){catalog.Android: android, catalog.IOS: ios, catalog.Web: web}[platform]
	if build == nil {
		return Notification{}, refuse("there is no gateway for the platform %q", string(platform))
	}
	note, err := build(content, o)
	if err != nil { // with a line for each thing
		return Notification{}, refuse("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return note, nil
}

func refuse(format string, args ...any) error {
	return &delivery.Error{Reason: delivery.Invalid, Message: fmt.Sprintf(format, args...)}
}

// object collects the members of an object in order. It leaves out empty members and refuses duplicate names.
type object struct {
	members []doc.Member
}

func (b *object) add(name string, v doc.Value) {
	if !v.Empty() {
		b.members = append(b.members, doc.M(name, v))
	}
}

func (b *object) text(name, s string) { b.add(name, doc.NewString(s)) }

// set adds a member even if its value is empty or zero.
func (b *object) set(name string, v doc.Value) {
	if v.Exists() {
		b.members = append(b.members, doc.M(name, v))
	}
}

func (b *object) has(name string) bool {
	return slices.ContainsFunc(b.members, func(m doc.Member) bool { return m.Name == name })
}

// value returns the object, or an absent value if it has no members.
func (b *object) value() doc.Value {
	if len(b.members) == 0 {
		return doc.Value{}
	}
	return doc.NewObject(b.members...)
}

// pairs adds the author's key-value pairs. It refuses names that the gateway or the message uses.
func (b *object) pairs(list doc.Value, gateway string, reserved func(string) bool) error {
	seen := map[string]bool{}
	var wrong []error
	for _, pair := range list.Elems() {
		key, value := pair.Get("key").Text(), pair.Get("value")
		switch {
		case key == "":
			continue
		case reserved(key):
			wrong = append(wrong, refuse("the key-value pair %q cannot be sent, because %s reserves that name; rename the pair", key, gateway))
		case seen[key]:
			wrong = append(wrong, refuse("there are two key-value pairs %q; rename one", key))
		case b.has(key):
			wrong = append(wrong, refuse("the key-value pair %q has the name of a field of the message; rename the pair", key))
		default:
			seen[key] = true
			b.set(key, doc.NewString(textOf(value)))
		}
	}
	return errors.Join(wrong...)
}

// textOf returns a value as text: JSON unless it is a string.
func textOf(v doc.Value) string {
	switch v.Kind() {
	case doc.Absent, doc.Null:
		return ""
	case doc.String:
		return v.Text()
	}
	return string(v.Encode())
}

// neverSent are fields that configure the editor or are sent elsewhere in the payload.
var neverSent = []string{"apply_background_color_in_text_editor", "key_value_pairs"}

// others adds the members of v except those named in but.
func (b *object) others(v doc.Value, but ...string) {
	for name, m := range v.Members() {
		if !slices.Contains(but, name) && !slices.Contains(neverSent, name) && !b.has(name) {
			b.add(name, m)
		}
	}
}

// limit refuses a payload that is too large for its gateway, and names the largest part.
func limit(gateway string, most, size int, parts doc.Value) error {
	if size <= most {
		return nil
	}
	name, longest := largestText(parts)
	return refuse("the notification has %d bytes, but %s allows %d; shorten it (%s has %d)", size, gateway, most, name, longest)
}

// largestText returns the path and size of the largest text below v.
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

// timeToLive returns how long a gateway keeps a notification that it cannot deliver (CONTRACT.md, advanced).
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

// inbox adds how long the app keeps the message in its inbox. It is data for the app, because gateways have
// no such setting.
func (b *object) inbox(advanced doc.Value, as func(doc.Value) doc.Value) {
	settings := advanced.Get("expiration_settings")
	for _, name := range []string{"remove_from_inbox_after_value", "remove_from_inbox_after_type"} {
		if v := settings.Get(name); v.Exists() {
			b.set(name, as(v))
		}
	}
}
