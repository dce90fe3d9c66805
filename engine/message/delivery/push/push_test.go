package push_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/push"
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
	if err != nil || note.Title != "Spring" || note.Body != "25% off & more\ntoday" {
		t.Errorf("%q, %q, %v", note.Title, note.Body, err)
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
