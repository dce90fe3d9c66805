package push_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/push"
	"bugle/engine/message/render"
)

var update = flag.Bool("update", false, "write the golden files")

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	if s == "" {
		return doc.Value{}
	}
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

const urgent = `{"expiration_settings":{"expire_notification_after_value":36,"expire_notification_after_type":"HOUR","remove_from_inbox_after_value":30,"remove_from_inbox_after_type":"DAY"},
	"platform_level_priority":{"android_specific_priority":{"send_with_priority":true},"ios_specific_priority":{"apns_priority":"5","interruption_level":"Time sensitive","relevance_score":0.5}}}`

var cases = []struct {
	name     string
	platform catalog.Platform
	content  string
	advanced string
}{
	{"android-basic", catalog.Android, `{"basic_details":{"title":"Spring","message":"<b>25%</b> off &amp; more<br>today","summary":"Ends tonight","notification_channel":"offers",
		"image_url":"https://cdn.example.com/a.png","default_click_action":"DEEPLINKING","default_click_action_value":"shop://spring",
		"key_value_pairs":[{"key":"promo_code","value":"SPRING25"}]},"advanced":{"collapse_replace_key":"spring","group_key":"sale"}}`, urgent},
	{"android-buttons", catalog.Android, `{"template_type":"BASIC","basic_details":{"title":"Spring","message":"<b>25%</b> off","apply_background_color_in_text_editor":true},
		"buttons":[{"btn_name":"Shop","click_action_type":"DEEPLINKING","click_action_value":"shop://spring"},{"btn_name":"Later","click_action_type":"SNOOZE"}],
		"advanced":{"make_notification_sticky":true,"dismiss_button_text":"Close","coupon_code":"SPRING25"}}`,
		`{"platform_level_priority":{"android_specific_priority":{"send_with_priority":false}}}`},
	{"android-carousel", catalog.Android, `{"template_type":"SIMPLE_IMAGE_CAROUSEL","basic_details":{"title":"Spring","message":"Look","background_color_code":"#FFF4E5",
		"carousel_content":{"slider_transition":"MANUAL","slide_data":[{"image_url":"https://cdn.example.com/1.png"},{"image_url":"https://cdn.example.com/2.png"}]}},
		"template_backup":{"title":"Spring","message":"Look"}}`, `{"expiration_settings":{"expire_notification_after_value":90,"expire_notification_after_type":"DAY"}}`},
	{"android-timer", catalog.Android, `{"template_type":"TIMER","basic_details":{"title":"Spring","message":"Look"},"timer":{"timer_ends_at":"DURATION","duration_hour":"2","duration_minute":"30"},"unknown":{"kept":[1,2.50]}}`, ""},
	{"ios-basic", catalog.IOS, `{"basic_details":{"title":"Spring","subtitle":"Only today","message":"25% <off>","default_click_action":"DEEPLINKING","default_click_action_value":"shop://spring",
		"key_value_pairs":[{"key":"promo_code","value":"SPRING25"}]},"advanced":{"sound_file":"chime.caf","enable_ios_badge":true,"group_key":"sale","collapse_replace_key":"spring","coupon_code":"S25"}}`, urgent},
	{"ios-rich", catalog.IOS, `{"template_type":"BASIC","basic_details":{"title":"Spring","message":"Look","allow_bg_refresh":true,"rich_media_type":"Video","rich_media_value":"https://cdn.example.com/a.mp4"},
		"buttons":[{"button_category":"SHOP_OR_LATER"}]}`,
		`{"expiration_settings":{"expire_notification_after_value":0,"expire_notification_after_type":"HOUR"},"platform_level_priority":{"ios_specific_priority":{"apns_priority":"10","interruption_level":"Critical","relevance_score":0}}}`},
	{"ios-carousel", catalog.IOS, `{"template_type":"SIMPLE_IMAGE_CAROUSEL","basic_details":{"title":"Spring","message":"Look","image_url":"https://cdn.example.com/0.png",
		"carousel_content":{"slide_data":[{"image_url":"https://cdn.example.com/1.png"}]}},"template_backup":{"title":"Spring","message":"Look"}}`, ""},
	{"web-basic", catalog.Web, `{"template_type":"BASIC","basic_details":{"title":"Spring","message":"25% off","redirect_url":"https://shop.example.com/spring?a=b&c=d","image_url":"https://cdn.example.com/a.png","auto_dismiss_notification":false,"campaign":"s1"},
		"buttons":[{"title":"Shop","url":"https://shop.example.com","icon_url":"https://cdn.example.com/cart.png"},{"title":"Later"}],
		"advanced":{"icon_image_type":"ICON_URL","icon_url":"https://cdn.example.com/icon.png"}}`, urgent},
	{"web-plain", catalog.Web, `{"basic_details":{"title":"Spring","message":"25% off"}}`, ""},
}

// Each golden file holds the headers and the body as they go out.
func TestPayloads(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			note, err := push.Build(tt.platform, parse(t, tt.content), push.Options{Token: "tok", Topic: "com.example.shop", Advanced: parse(t, tt.advanced), Now: now})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, name := range slices.Sorted(maps.Keys(note.Headers)) {
				fmt.Fprintf(&b, "%s: %s\n", name, note.Headers[name])
			}
			b.WriteString("\n")
			b.Write(note.Payload.Indent())
			b.WriteString("\n")
			file := filepath.Join("testdata", tt.name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}

// What a reader sees is told beside the payload.
func TestWords(t *testing.T) {
	note, err := push.Build(catalog.Android, parse(t, cases[0].content), push.Options{})
	if err != nil || note.Title != "Spring" || note.Body != "25% off & more\ntoday\nEnds tonight" {
		t.Errorf("%q, %q, %v", note.Title, note.Body, err)
	}
}

// What the system draws is words without tags, in the title as in the message, and the preview shows the same words. What
// the app draws keeps its tags in both.
func TestMarkup(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"<b>25%</b> &amp; <i>more</i><br>today", "25% & more\ntoday"},
		{"1 < 2 &lt; 3, I <3 you", "1 < 2 < 3, I <3 you"},
		{"Code <SPRING25>", "Code <SPRING25>"},
		{"<ul><li>a<li>b</ul>", "• a\n• b"},
		{"two\nlines", "two\nlines"},
	} {
		for _, platform := range catalog.Platforms {
			text := doc.NewString(tt.text)
			content := doc.NewObject(doc.M("basic_details", doc.NewObject(doc.M("title", text), doc.M("message", text))))
			note, err := push.Build(platform, content, push.Options{Now: now})
			if err != nil {
				t.Fatal(err)
			}
			sent := map[catalog.Platform]string{catalog.Android: "message.notification", catalog.IOS: "aps.alert", catalog.Web: "notification"}[platform]
			shown := render.Push(platform, content, render.Options{})
			got := []string{note.Title, note.Body, at(t, note.Payload, sent+".title"), at(t, note.Payload, sent+".body"), shown.Title.String(), shown.Body.String()}
			if slices.ContainsFunc(got, func(s string) bool { return s != tt.want }) {
				t.Errorf("%s on %s: %q, want %q", tt.text, platform, got, tt.want)
			}
		}
	}
	for platform, content := range map[catalog.Platform]string{
		catalog.Android: `{"template_type":"TIMER","basic_details":{"title":"<b>t</b>","message":"<i>m</i>"}}`,
		catalog.IOS:     `{"template_type":"STYLIZED_BASIC","basic_details":{"title":"<b>t</b>","subtitle":"s","message":"<i>m</i>"}}`,
	} {
		note, err := push.Build(platform, parse(t, content), push.Options{Now: now})
		under := map[catalog.Platform]string{catalog.Android: "message.data."}[platform]
		if err != nil || at(t, note.Payload, under+"title") != "<b>t</b>" || at(t, note.Payload, under+"message") != "<i>m</i>" || note.Title != "t" || note.Body != "m" {
			t.Errorf("%s: %v, %q, %q in %s", platform, err, note.Title, note.Body, note.Payload.Encode())
		}
		if platform == catalog.IOS && (at(t, note.Payload, "aps.alert.body") != "m" || note.Payload.Get("subtitle").Exists()) {
			t.Errorf("%s", note.Payload.Encode())
		}
	}
}

func at(t *testing.T, v doc.Value, path string) string {
	t.Helper()
	p, err := doc.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	return v.Lookup(p).Text()
}

// A message for Android always has a priority: without one, Android delays what the app draws while the device sleeps.
func TestAndroidPriority(t *testing.T) {
	const plain, drawn = `{"basic_details":{"title":"t","message":"m"}}`, `{"template_type":"TIMER","basic_details":{"title":"t","message":"m"}}`
	for _, tt := range []struct{ content, advanced, want string }{
		{plain, "", "HIGH"},
		{drawn, "", "HIGH"},
		{drawn, `{"platform_level_priority":{"android_specific_priority":{"send_with_priority":true}}}`, "HIGH"},
		{drawn, `{"platform_level_priority":{"android_specific_priority":{"send_with_priority":false}}}`, "NORMAL"},
	} {
		note, err := push.Build(catalog.Android, parse(t, tt.content), push.Options{Advanced: parse(t, tt.advanced)})
		if got := at(t, note.Payload, "message.android.priority"); err != nil || got != tt.want {
			t.Errorf("%s with %s: %q, %v", tt.content, tt.advanced, got, err)
		}
	}
}

// The headers of Web Push are what RFC 8030 allows, whatever the campaign says.
func TestWebHeaders(t *testing.T) {
	priority := func(s string) string { return `{"platform_level_priority":` + s + `}` }
	for _, tt := range []struct{ advanced, replace, ttl, urgency, topic string }{
		{"", "", "2419200", "", ""},
		{`{"expiration_settings":{"expire_notification_after_value":60,"expire_notification_after_type":"DAY"}}`, "spring-sale_1", "2419200", "", "spring-sale_1"},
		{`{"expiration_settings":{"expire_notification_after_value":0,"expire_notification_after_type":"DAY"}}`, strings.Repeat("k", 32), "0", "", strings.Repeat("k", 32)},
		{priority(`{"android_specific_priority":{"send_with_priority":true}}`), strings.Repeat("k", 33), "2419200", "high", "x"},
		{priority(`{"android_specific_priority":{"send_with_priority":false}}`), "Frühling 25 %", "2419200", "normal", "x"},
		{priority(`{"ios_specific_priority":{"apns_priority":"1"}}`), "", "2419200", "low", ""},
		{priority(`{"ios_specific_priority":{"apns_priority":"5"}}`), "", "2419200", "normal", ""},
		{priority(`{"ios_specific_priority":{"apns_priority":"10"}}`), "", "2419200", "high", ""},
	} {
		note, err := push.Build(catalog.Web, parse(t, `{"basic_details":{"title":"t","message":"m"}}`), push.Options{
			Advanced: parse(t, tt.advanced), Message: parse(t, `{"android":{},"ios":{"advanced":{"collapse_replace_key":"`+tt.replace+`"}}}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		topic := note.Headers["Topic"]
		if tt.topic == "x" && regexp.MustCompile(`^[A-Za-z0-9_-]{32}$`).MatchString(topic) {
			tt.topic = topic
		}
		if note.Headers["TTL"] != tt.ttl || note.Headers["Urgency"] != tt.urgency || topic != tt.topic {
			t.Errorf("%s, %q: %v", tt.advanced, tt.replace, note.Headers)
		}
		if got := at(t, note.Payload, "notification.tag"); got != tt.replace {
			t.Errorf("the tag is %q, not %q", got, tt.replace)
		}
	}
}

// Links are where the click handler of a service worker finds them; fields of the author's own names stay theirs.
func TestWebLinks(t *testing.T) {
	const buttons = `,"buttons":[{"title":"Shop","url":"https://shop.example.com"},{"title":"Later"}]}`
	for content, want := range map[string]string{
		`{"basic_details":{"title":"t","message":"m","redirect_url":"https://a.example"}` + buttons:                                         `{"url":"https://a.example","actions":{"button_1":"https://shop.example.com"}}`,
		`{"basic_details":{"title":"t","message":"m","redirect_url":"https://a.example","key_value_pairs":[{"key":"url","value":"mine"}]}}`: `{"url":"mine"}`,
		`{"basic_details":{"title":"t","message":"m"}}`:                                                                                     ``,
	} {
		note, err := push.Build(catalog.Web, parse(t, content), push.Options{})
		if got := string(note.Payload.Get("notification").Get("data").Encode()); err != nil || got != want {
			t.Errorf("%s: %s, %v", content, got, err)
		}
	}
}

// The summary reaches the notification that Android draws: below the message, where its own field has no room for it.
func TestAndroidSummary(t *testing.T) {
	note, err := push.Build(catalog.Android, parse(t, `{"basic_details":{"title":"t","message":"m","summary":"<b>Ends</b> tonight"}}`), push.Options{})
	if err != nil || note.Body != "m\nEnds tonight" || at(t, note.Payload, "message.notification.body") != note.Body {
		t.Errorf("%q, %v", note.Body, err)
	}
	note, err = push.Build(catalog.Android, parse(t, `{"template_type":"TIMER","basic_details":{"title":"t","message":"m","summary":"Ends"}}`), push.Options{})
	if err != nil || note.Body != "m" || at(t, note.Payload, "message.data.summary") != "Ends" {
		t.Errorf("%q, %v, %s", note.Body, err, note.Payload.Encode())
	}
}

func TestRefused(t *testing.T) {
	long := strings.Repeat("é", 2100)
	for _, tt := range []struct {
		name     string
		platform catalog.Platform
		content  string
		want     string
	}{
		{"FCM's words", catalog.Android, `{"basic_details":{"title":"t","message":"m","key_value_pairs":[{"key":"from","value":"x"}]}}`, `the key-value pair "from" cannot be sent, because FCM reserves that name`},
		{"FCM's prefixes", catalog.Android, `{"basic_details":{"title":"t","message":"m","key_value_pairs":[{"key":"google.x","value":"x"}]}}`, `"google.x" cannot be sent`},
		{"Apple's word", catalog.IOS, `{"basic_details":{"title":"t","message":"m","key_value_pairs":[{"key":"aps","value":"x"}]}}`, `"aps" cannot be sent, because APNs reserves`},
		{"twice", catalog.Web, `{"basic_details":{"title":"t","message":"m","key_value_pairs":[{"key":"a","value":"x"},{"key":"a","value":"y"}]}}`, `two key-value pairs "a"`},
		{"a part of the message", catalog.IOS, `{"basic_details":{"title":"t","message":"m","image_url":"https://x.example","key_value_pairs":[{"key":"image_url","value":"x"}]}}`, `"image_url" has the name of a field of the message`},
		{"collapse id", catalog.IOS, `{"basic_details":{"title":"t","message":"m"},"advanced":{"collapse_replace_key":"` + strings.Repeat("k", 65) + `"}}`, "the replace key has 65 bytes, but APNs allows 64"},
		{"a header in a collapse id", catalog.IOS, `{"basic_details":{"title":"t","message":"m"},"advanced":{"collapse_replace_key":"a\r\nx: y"}}`, "use letters, digits and dashes"},
		{"long for FCM", catalog.Android, `{"basic_details":{"title":"t","message":"` + long + `"}}`, "bytes, but FCM allows 4096; shorten it (notification.body has 4202)"},
		{"long for APNs", catalog.IOS, `{"basic_details":{"title":"t","message":"` + long + `"}}`, "bytes, but APNs allows 4096; shorten it (aps.alert.body has 4202)"},
		{"long for browsers", catalog.Web, `{"basic_details":{"title":"t","message":"` + strings.Repeat("x", 3960) + `"}}`, "Web Push allows 3993; shorten it (notification.body has"},
		{"no platform", "FRIDGE", `{}`, `no gateway for the platform "FRIDGE"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := push.Build(tt.platform, parse(t, tt.content), push.Options{Token: "tok", Now: now})
			var e *delivery.Error
			if !errors.As(err, &e) || e.Reason != delivery.Invalid || !strings.Contains(e.Message, tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// A payload of exactly the size that a gateway takes goes out.
func TestLargest(t *testing.T) {
	for platform, most := range map[catalog.Platform]int{catalog.IOS: push.MaxAPNs, catalog.Web: push.MaxWeb} {
		build := func(n int) (push.Notification, error) {
			return push.Build(platform, parse(t, `{"basic_details":{"title":"t","message":"`+strings.Repeat("x", n)+`"}}`), push.Options{Now: now})
		}
		empty, err := build(1)
		if err != nil {
			t.Fatal(err)
		}
		room := most - len(empty.Payload.Encode()) + 1
		if note, err := build(room); err != nil || len(note.Payload.Encode()) != most {
			t.Errorf("%s: %v, %d bytes", platform, err, len(note.Payload.Encode()))
		}
		if _, err := build(room + 1); err == nil {
			t.Errorf("%s: %d bytes were taken", platform, most+1)
		}
	}
}

// A random document never panics, and what is built parses.
func FuzzBuild(f *testing.F) {
	for _, tt := range cases {
		f.Add(string(tt.platform), tt.content, tt.advanced)
	}
	f.Fuzz(func(t *testing.T, platform, content, advanced string) {
		c, err := doc.Parse([]byte(content))
		if err != nil {
			return
		}
		a, _ := doc.Parse([]byte(advanced))
		note, err := push.Build(catalog.Platform(platform), c, push.Options{Token: "tok", Advanced: a, Now: now})
		if err != nil {
			return
		}
		if _, err := doc.Parse(note.Payload.Encode()); err != nil {
			t.Errorf("the payload does not parse: %v\n%s", err, note.Payload.Encode())
		}
	})
}

// BenchmarkBuild makes the payload of a rendered push of about 4 KB.
func BenchmarkBuild(b *testing.B) {
	content := parse(b, `{"template_type":"BASIC","basic_details":{"title":"Hi","message":"`+strings.Repeat("Hello Zoë, spring is here. ", 130)+`","key_value_pairs":[{"key":"promo","value":"S25"}]},"buttons":[{"btn_name":"Shop"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := push.Build(catalog.Android, content, push.Options{Token: "tok", Now: now}); err != nil {
			b.Fatal(err)
		}
	}
}
