package push

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
)

// web builds a push message for a browser. If it opens a page, it is a declarative one (W3C Push API,
// declarative push message), which new browsers show without a service worker. In other browsers the site's
// service worker reads the same fields, which have the names of NotificationOptions (WHATWG Notifications
// API).
func web(content doc.Value, o Options) (Notification, error) {
	basic := content.Get("basic_details")
	note := Notification{Title: render.Words(basic.Get("title").Text()), Body: render.Words(basic.Get("message").Text())}
	var n, root object
	n.text("title", note.Title)
	n.text("body", note.Body)
	n.text("navigate", basic.Get("redirect_url").Text())
	n.text("image", basic.Get("image_url").Text())
	n.text("icon", content.Get("advanced").Get("icon_url").Text())
	// tag: a notification of the same tag is replaced.
	replace := replaceKey(o.Message)
	n.text("tag", replace)
	actions, opens := webActions(content.Get("buttons"))
	n.add("actions", actions)
	// requireInteraction keeps it until somebody deals with it.
	if v := basic.Get("auto_dismiss_notification"); v.Kind() == doc.Bool {
		n.set("requireInteraction", doc.NewBool(!v.True()))
	}
	// data is the site's own: all that NotificationOptions has no name for.
	var data object
	data.others(basic, "title", "message", "redirect_url", "image_url", "auto_dismiss_notification")
	data.others(content.Get("advanced"), "icon_url", "icon_image_type")
	data.inbox(o.Advanced, func(v doc.Value) doc.Value { return v })
	pairs := data.pairs(basic.Get("key_value_pairs"), "Web Push", func(string) bool { return false })
	// A browser drops navigate where a service worker shows the notification, and keeps data: there its handler of
	// notificationclick finds the links, unless the author has fields of these names.
	for _, link := range []doc.Member{doc.M("url", basic.Get("redirect_url")), doc.M("actions", opens)} {
		if !data.has(link.Name) {
			data.add(link.Name, link.Value)
		}
	}
	n.add("data", data.value())
	if n.has("navigate") && n.has("title") {
		root.set("web_push", doc.NewInt(8030)) // marks it as declarative
	}
	root.set("notification", doc.NewObject(n.members...))
	note.Payload = root.value()

	ttl := maxTTL
	if d, ok := timeToLive(o.Advanced); ok {
		ttl = min(d, maxTTL)
	}
	// RFC 8030, 5.2: seconds, which are required; 0 is one attempt.
	note.Headers = map[string]string{"TTL": strconv.FormatInt(int64(ttl/time.Second), 10)}
	if u := urgency(o.Advanced); u != "" {
		note.Headers["Urgency"] = u
	}
	if replace != "" {
		note.Headers["Topic"] = topic(replace)
	}
	return note, errors.Join(pairs, limit("Web Push", MaxWeb, len(note.Payload.Encode()), note.Payload))
}

// urgency returns the urgency (RFC 8030, 5.3) that the campaign asks for on the other platforms, Android first, because
// it has none for the web. Without one it is normal.
func urgency(advanced doc.Value) string {
	if v := androidPriority(advanced); v.Kind() == doc.Bool {
		return map[bool]string{true: "high", false: "normal"}[v.True()]
	}
	return map[string]string{"1": "low", "5": "normal", "10": "high"}[apnsPriority(advanced).Get("apns_priority").Text()]
}

// replaceKey returns the replace key of a message, which content for the web has no field for.
func replaceKey(message doc.Value) string {
	for _, p := range catalog.Platforms {
		if key := message.Get(p.Member()).Get("advanced").Get("collapse_replace_key").Text(); key != "" && p != catalog.Web {
			return key
		}
	}
	return ""
}

// topic returns the topic of a replace key: the key, or a hash of one that RFC 8030, 5.4 does not allow.
func topic(key string) string {
	const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	if len(key) <= 32 && strings.Trim(key, base64url) == "" {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

// webActions returns the buttons (NotificationAction: action, title, icon, navigate), and what each opens.
func webActions(buttons doc.Value) (actions, opens doc.Value) {
	var out []doc.Value
	var links object
	for i, b := range buttons.Elems() {
		var a object
		name := "button_" + strconv.Itoa(i+1)
		a.text("action", name)
		links.text(name, b.Get("url").Text())
		a.text("title", render.Words(b.Get("title").Text()))
		a.text("navigate", b.Get("url").Text())
		a.text("icon", b.Get("icon_url").Text())
		out = append(out, a.value())
	}
	if len(out) == 0 {
		return doc.Value{}, doc.Value{}
	}
	return doc.NewArray(out...), links.value()
}
