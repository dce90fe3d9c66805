package push

import (
	"fmt"
	"strings"
	"time"

	"bugle/engine/doc"
)

// fcmMaxTTL is the longest time to live (FCM, AndroidConfig.ttl: 4 weeks). FCM refuses longer ones, so they
// are reduced to it.
const fcmMaxTTL = 28 * 24 * time.Hour

// android builds a message of FCM (projects.messages, Message).
//
// A simple notification is a notification message, which the system shows. What only the app can draw (other
// templates, buttons, a GIF, a sticky or self-dismissing notification) is a data message for the app (FCM,
// message types): the fields of the content as strings, with objects and lists as JSON.
func android(content doc.Value, o Options) (Notification, error) {
	basic := content.Get("basic_details")
	note := Notification{Title: basic.Get("title").Text(), Body: plain(basic.Get("message").Text())}
	shown := systemDraws(content)

	var notification, own object
	inNotification := []string{}
	if shown {
		// FCM, Notification: title, body, image.
		notification.text("title", note.Title)
		notification.text("body", note.Body)
		notification.text("image", basic.Get("image_url").Text())
		inNotification = []string{"title", "message", "image_url", "notification_channel"}
		own = androidNotification(content)
	}
	data, err := androidData(content, o.Advanced, inNotification, shown)
	if err != nil {
		return Notification{}, err
	}

	config := androidConfig(content, o.Advanced)
	config.add("notification", own.value())
	var message object
	message.text("token", o.Token)
	message.add("notification", notification.value())
	message.add("data", data)
	message.add("android", config.value())
	note.Payload = doc.NewObject(doc.M("message", message.value()))

	counted := doc.NewObject(doc.M("notification", notification.value()), doc.M("data", data), doc.M("android", own.value()))
	return note, limit("FCM", MaxFCM, len(counted.Encode()), counted)
}

// systemDraws reports whether Android itself can show all of the content.
func systemDraws(content doc.Value) bool {
	if t := content.Get("template_type").Text(); t != "" && t != "BASIC" {
		return false
	}
	advanced := content.Get("advanced")
	for _, name := range []string{"make_notification_sticky", "auto_dismiss_notification", "use_large_icon"} {
		if advanced.Get(name).True() {
			return false
		}
	}
	return content.Get("buttons").Empty() && content.Get("basic_details").Get("input_gif_url").Empty() && advanced.Get("coupon_code").Empty()
}

// androidConfig returns FCM's AndroidConfig without its notification.
func androidConfig(content, advanced doc.Value) object {
	var config object
	// AndroidConfig.collapse_key: the last message of a key is the one that is delivered.
	config.text("collapse_key", content.Get("advanced").Get("collapse_replace_key").Text())
	// AndroidConfig.priority: NORMAL or HIGH, which wakes a sleeping device.
	if v := advanced.Get("platform_level_priority").Get("android_specific_priority").Get("send_with_priority"); v.Kind() == doc.Bool {
		priority := "NORMAL"
		if v.True() {
			priority = "HIGH"
		}
		config.text("priority", priority)
	}
	// AndroidConfig.ttl: seconds with the suffix s.
	if d, ok := timeToLive(advanced); ok {
		config.text("ttl", fmt.Sprintf("%ds", int64(min(d, fcmMaxTTL)/time.Second)))
	}
	return config
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
	if err := data.pairs(basic.Get("key_value_pairs"), "FCM", fcmReserved); err != nil {
		return doc.Value{}, err
	}
	return data.value(), nil
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
