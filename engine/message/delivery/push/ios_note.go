package push

import (
	"errors"
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/message/render"
)

// apnsCollapse is the longest collapse id (APNs, apns-collapse-id: 64 bytes).
const apnsCollapse = 64

// ios builds a notification of APNs: the aps dictionary, and next to it what the app and its service
// extension read (APNs, Generating a remote notification).
func ios(content doc.Value, o Options) (Notification, error) {
	basic, advanced := content.Get("basic_details"), content.Get("advanced")
	note := Notification{Title: render.Words(basic.Get("title").Text()), Body: render.Words(basic.Get("message").Text())}
	priority := apnsPriority(o.Advanced)

	var alert, aps, root object
	// alert: title, subtitle, body, which are plain text.
	alert.text("title", note.Title)
	alert.text("subtitle", render.Words(basic.Get("subtitle").Text()))
	alert.text("body", note.Body)
	aps.add("alert", alert.value())
	// badge: the number on the app's icon.
	if advanced.Get("enable_ios_badge").True() {
		aps.set("badge", doc.NewInt(1))
	}
	level := strings.ReplaceAll(strings.ToLower(priority.Get("interruption_level").Text()), " ", "-")
	aps.add("sound", apnsSound(advanced.Get("sound_file").Text(), level))
	// thread-id groups notifications.
	aps.text("thread-id", advanced.Get("group_key").Text())
	// category: the set of buttons that the app has registered. There is one; the first counts.
	aps.text("category", content.Get("buttons").At(0).Get("button_category").Text())
	// content-available wakes the app in the background.
	if basic.Get("allow_bg_refresh").True() {
		aps.set("content-available", doc.NewInt(1))
	}
	// mutable-content hands it to the app's service extension before it is shown, which
	// fetches pictures and draws what the system cannot.
	if needsExtension(content) {
		aps.set("mutable-content", doc.NewInt(1))
	}
	// interruption-level: passive, active, time-sensitive or critical; relevance-score: 0 to 1.
	aps.text("interruption-level", level)
	aps.set("relevance-score", priority.Get("relevance_score"))

	root.add("aps", aps.value())
	if t := orBasic(content.Get("template_type").Text()); t != "BASIC" {
		root.text("template_type", t)
		// The app's extension draws the markup that the alert cannot have.
		for _, name := range []string{"title", "subtitle", "message"} {
			if s := basic.Get(name).Text(); render.Words(s) != s {
				root.text(name, s)
			}
		}
	}
	root.others(basic, "title", "subtitle", "message", "allow_bg_refresh")
	root.others(content, "template_type", "basic_details", "advanced", "buttons")
	root.others(advanced, "enable_ios_badge", "sound_file", "group_key", "collapse_replace_key")
	root.inbox(o.Advanced, func(v doc.Value) doc.Value { return v })
	// Custom keys stand beside aps, which is the only name that Apple keeps.
	pairs := root.pairs(basic.Get("key_value_pairs"), "APNs", func(key string) bool { return key == "aps" })
	note.Payload = root.value()
	var headers error
	note.Headers, headers = apnsHeaders(advanced.Get("collapse_replace_key").Text(), priority.Get("apns_priority").Text(), o)
	return note, errors.Join(pairs, headers, limit("APNs", MaxAPNs, len(note.Payload.Encode()), note.Payload))
}

func apnsPriority(advanced doc.Value) doc.Value {
	return advanced.Get("platform_level_priority").Get("ios_specific_priority")
}

// apnsSound returns the sound: "default" is the system's. A critical alert needs a dictionary (APNs, sound
// dictionary); otherwise it could be muted.
func apnsSound(file, level string) doc.Value {
	if file == "" {
		file = "default"
	}
	if level != "critical" {
		return doc.NewString(file)
	}
	return doc.NewObject(doc.M("critical", doc.NewInt(1)), doc.M("name", doc.NewString(file)), doc.M("volume", doc.NewInt(1)))
}

// needsExtension reports whether iOS cannot show the content without a service extension.
func needsExtension(content doc.Value) bool {
	if orBasic(content.Get("template_type").Text()) != "BASIC" {
		return true
	}
	basic := content.Get("basic_details")
	for _, name := range []string{"rich_media_value", "image_url", "input_gif_url", "carousel_content"} {
		if !basic.Get(name).Empty() {
			return true
		}
	}
	return false
}

// apnsHeaders returns the headers of a request (APNs, Sending notification requests to APNs).
func apnsHeaders(collapse, priority string, o Options) (map[string]string, error) {
	// apns-push-type: alert is for visible notifications.
	h := map[string]string{"apns-push-type": "alert"}
	if o.Topic != "" {
		h["apns-topic"] = o.Topic // the app's bundle id
	}
	if priority != "" {
		h["apns-priority"] = priority // 10 at once, 5 as power allows, 1 never waking the device
	}
	if len(collapse) > apnsCollapse {
		return nil, refuse("the replace key has %d bytes, but APNs allows %d; shorten it", len(collapse), apnsCollapse)
	}
	if strings.ContainsFunc(collapse, func(c rune) bool { return c < ' ' || c > '~' }) {
		return nil, refuse("APNs sends the replace key %q in a header; use letters, digits and dashes", collapse)
	}
	if collapse != "" {
		h["apns-collapse-id"] = collapse
	}
	if d, ok := timeToLive(o.Advanced); ok {
		// apns-expiration: seconds since 1970 in UTC; 0 is one attempt, and no storing.
		at := "0"
		if d > 0 {
			at = strconv.FormatInt(o.Now.Add(d).Unix(), 10)
		}
		h["apns-expiration"] = at
	}
	return h, nil
}
