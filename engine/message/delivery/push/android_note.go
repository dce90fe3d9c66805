package push

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"bugle/engine/doc"
	"bugle/engine/message/render"
)

// android builds a message of FCM (projects.messages, Message).
//
// A simple notification is a notification message, which the system shows, as plain text. What only the app can draw
// ([render.SystemDraws]) is a data message for the app (FCM, message types): the fields of the content as strings, markup
// included, with objects and lists as JSON.
func android(content doc.Value, o Options) (Notification, error) {
	basic := content.Get("basic_details")
	note := Notification{Title: render.Words(basic.Get("title").Text()), Body: render.Words(basic.Get("message").Text())}
	shown := render.SystemDraws(content)

	var notification, own object
	inNotification := []string{}
	if shown {
		// FCM, Notification: title, body, image. Nothing there shows a summary beside them.
		note.Body = strings.TrimSpace(note.Body + "\n" + render.Words(basic.Get("summary").Text()))
		notification.text("title", note.Title)
		notification.text("body", note.Body)
		notification.text("image", basic.Get("image_url").Text())
		inNotification = []string{"title", "message", "summary", "image_url", "notification_channel"}
		own = androidNotification(content)
	}
	data, err := androidData(content, o.Advanced, inNotification, shown)
	config := androidConfig(content, o.Advanced)
	config.add("notification", own.value())
	var message object
	message.text("token", o.Token)
	message.add("notification", notification.value())
	message.add("data", data)
	message.add("android", config.value())
	note.Payload = doc.NewObject(doc.M("message", message.value()))

	counted := doc.NewObject(doc.M("notification", notification.value()), doc.M("data", data), doc.M("android", own.value()))
	return note, errors.Join(err, limit("FCM", MaxFCM, len(counted.Encode()), counted))
}

// androidConfig returns FCM's AndroidConfig without its notification.
func androidConfig(content, advanced doc.Value) object {
	var config object
	// AndroidConfig.collapse_key: the last message of a key is the one that is delivered.
	config.text("collapse_key", content.Get("advanced").Get("collapse_replace_key").Text())
	// AndroidConfig.priority: NORMAL or HIGH, which wakes a sleeping device. Without one, only notification messages are HIGH.
	priority := "HIGH"
	if v := androidPriority(advanced); v.Kind() == doc.Bool && !v.True() {
		priority = "NORMAL"
	}
	config.text("priority", priority)
	// AndroidConfig.ttl: seconds with the suffix s.
	if d, ok := timeToLive(advanced); ok {
		config.text("ttl", fmt.Sprintf("%ds", int64(min(d, maxTTL)/time.Second)))
	}
	return config
}

// androidPriority returns whether the campaign wakes sleeping devices; absent where it does not say so.
func androidPriority(advanced doc.Value) doc.Value {
	return advanced.Get("platform_level_priority").Get("android_specific_priority").Get("send_with_priority")
}

// androidNotification returns FCM's AndroidNotification: settings for the system besides title, body and
// image.
func androidNotification(content doc.Value) object {
	var own object
	// AndroidNotification.channel_id: a channel that the app has made.
	own.text("channel_id", content.Get("basic_details").Get("notification_channel").Text())
	// AndroidNotification.tag: a notification of the same tag in the drawer is replaced.
	own.text("tag", content.Get("advanced").Get("collapse_replace_key").Text())
	return own
}

// androidData returns FCM's Message.data, which only contains strings.
func androidData(content, advanced doc.Value, shown []string, drawn bool) (doc.Value, error) {
	var all object
	if t := content.Get("template_type").Text(); !drawn || t != "" && t != "BASIC" {
		all.text("template_type", orBasic(t))
	}
	basic := content.Get("basic_details")
	all.others(basic, shown...)
	all.others(content, "template_type", "basic_details", "advanced")
	all.others(content.Get("advanced"), "collapse_replace_key")
	same := func(v doc.Value) doc.Value { return v }
	all.inbox(advanced, same)
	var data object
	for _, m := range all.members {
		data.set(m.Name, doc.NewString(textOf(m.Value)))
	}
	err := data.pairs(basic.Get("key_value_pairs"), "FCM", fcmReserved)
	return data.value(), err
}

func orBasic(template string) string {
	if template == "" {
		return "BASIC"
	}
	return template
}

// fcmReserved reports whether Message.data must not have a key: from, message_type, and the prefixes google.
// and gcm.
func fcmReserved(key string) bool {
	return key == "from" || key == "message_type" || strings.HasPrefix(key, "google.") || strings.HasPrefix(key, "gcm.")
}
