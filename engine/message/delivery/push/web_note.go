package push

import (
	"strconv"
	"time"

	"bugle/engine/doc"
)

// webDefaultTTL is the time to live if the campaign has none. RFC 8030, 5.2 requires one, and push services
// usually keep notifications for four weeks.
const webDefaultTTL = 28 * 24 * time.Hour

// web builds a push message for a browser. If it opens a page, it is a declarative one (W3C Push API,
// declarative push message), which new browsers show without a service worker. In other browsers the site's
// service worker reads the same fields, which have the names of NotificationOptions (WHATWG Notifications
// API).
func web(content doc.Value, o Options) (Notification, error) {
	basic := content.Get("basic_details")
	note := Notification{Title: basic.Get("title").Text(), Body: basic.Get("message").Text()}
	var n, root object
	n.text("title", note.Title)
	n.text("body", note.Body)
	n.text("navigate", basic.Get("redirect_url").Text())
	n.text("image", basic.Get("image_url").Text())
	n.text("icon", content.Get("advanced").Get("icon_url").Text())
	n.add("actions", webActions(content.Get("buttons")))
	// requireInteraction keeps it until somebody deals with it.
	if v := basic.Get("auto_dismiss_notification"); v.Kind() == doc.Bool {
		n.set("requireInteraction", doc.NewBool(!v.True()))
	}
	// data is the site's own: all that NotificationOptions has no name for.
	var data object
	data.others(basic, "title", "message", "redirect_url", "image_url", "auto_dismiss_notification")
	data.others(content.Get("advanced"), "icon_url", "icon_image_type")
	data.inbox(o.Advanced, func(v doc.Value) doc.Value { return v })
	if err := data.pairs(basic.Get("key_value_pairs"), "Web Push", func(string) bool { return false }); err != nil {
		return Notification{}, err
	}
	n.add("data", data.value())
	if n.has("navigate") && n.has("title") {
		root.set("web_push", doc.NewInt(8030)) // marks it as declarative
	}
	root.set("notification", doc.NewObject(n.members...))
	note.Payload = root.value()

	ttl := webDefaultTTL
	if d, ok := timeToLive(o.Advanced); ok {
		ttl = d
	}
	// RFC 8030, 5.2: seconds; 0 is one attempt. 5.3: normal is the urgency that is not said.
	note.Headers = map[string]string{"TTL": strconv.FormatInt(int64(ttl/time.Second), 10)}
	return note, limit("Web Push", MaxWeb, len(note.Payload.Encode()), note.Payload)
}

// webActions returns the buttons (NotificationAction: action, title, icon, navigate).
func webActions(buttons doc.Value) doc.Value {
	var out []doc.Value
	for i, b := range buttons.Elems() {
		var a object
		a.text("action", "button_"+strconv.Itoa(i+1))
		a.text("title", b.Get("title").Text())
		a.text("navigate", b.Get("url").Text())
		a.text("icon", b.Get("icon_url").Text())
		out = append(out, a.value())
	}
	if len(out) == 0 {
		return doc.Value{}
	}
	return doc.NewArray(out...)
}
