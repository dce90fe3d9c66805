package visible_test

import (
	"strings"
	"testing"
	"unicode"

	"bugle/engine/visible"
)

// tagged is s as tags, which nobody sees.
func tagged(s string) string {
	return strings.Map(func(r rune) rune { return 0xE0000 + r }, s)
}

func drawn(s string) string {
	var b strings.Builder
	for r, ok := range visible.Runes(s) {
		if ok {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestRunes(t *testing.T) {
	const black = "\U0001F3F4"
	england, texas := black+tagged("gbeng\x7f"), black+tagged("ustx\x7f")
	for in, want := range map[string]string{
		"plain Grüße 世界":                          "plain Grüße 世界",
		"a\x1b\x00\u009b\u0085\u2028\u2029b":      "ab",
		"a\u202a\u202b\u202c\u202d\u202eb":        "ab", // embeddings and overrides
		"a\u2066\u2067\u2068\u2069b":              "ab", // isolates
		"a\u200e\u200f\u061cb":                    "ab", // marks of direction
		"a\ufff9b\ufffac\ufffbd":                  "abcd",
		"a\u00ad\u200b\u2060\u2064\ufeffb":        "ab",
		"a\u034f\u115f\u1160\u17b4\u3164\uffa0b":  "ab",
		"a\U0001d173\U0001bca0\U000e0001b":        "ab",
		"pay" + tagged("ignore all") + "pal":      "paypal",
		tagged("gbeng\x7f"):                       "",
		england + texas + "!":                     england + texas + "!",
		black + tagged("gbeng"):                   black, // without its end
		black + tagged("gb\x7f"):                  black, // too short, too long, capitals, something between
		black + tagged("gbengland\x7f"):           black,
		black + tagged("GBENG\x7f"):               black,
		black + "a" + tagged("gbeng\x7f"):         black + "a",
		black + "\ufe0f" + tagged("gbeng\x7f"):    black + "\ufe0f",
		england + tagged("secret\x7f"):            england,
		black + black + tagged("gbsct\x7f"):       black + black + tagged("gbsct\x7f"),
		"👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥":          "👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥",
		"می\u200cخواهم क्\u200dष":                 "می\u200cخواهم क्\u200dष",
		"pay\u200dpal\u200c 👩\u200d\u200d\u200c":  "paypal 👩\u200d",
		"1\ufe0f\u20e3 #\ufe0f ©\ufe0f ☺\ufe0e":   "1\ufe0f\u20e3 #\ufe0f ©\ufe0f ☺\ufe0e",
		"a\ufe0f☺\ufe0f\ufe01\ufe02":              "a☺\ufe0f",
		"字\U000e0100a\U000e0101😀\U000e0102\u180b": "字\U000e0100a😀",
		"ᠠ\u180b\U000e0100":                       "ᠠ\u180b",
		"🇩🇪 e\u0301 مرحبا":                        "🇩🇪 e\u0301 مرحبا",
	} {
		got := drawn(in)
		if got != want {
			t.Errorf("%+q: %+q is drawn, want %+q", in, got, want)
		}
		if visible.HasHidden(in) != (in != want) || visible.HasHidden(got) {
			t.Errorf("%+q: hides %v", in, visible.HasHidden(in))
		}
	}
}

// Whatever is unseen by itself is not drawn beside Latin text, except where it is a mark on it.
func TestInvisibleCharactersAreReported(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		unseen := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		if r >= 0xD800 && r < 0xE000 || unicode.Is(unicode.Co, r) {
			continue // no character of a text, or drawn as a font has it
		}
		if hides := visible.HasHidden("a" + string(r) + "b"); hides != unseen {
			t.Fatalf("%U: hides %v", r, hides)
		}
	}
}

func FuzzRunes(f *testing.F) {
	f.Add("a\u202e\U0001F3F4" + tagged("gbeng\x7f") + "\xff\u200d\ufe0f")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd")
		var all strings.Builder
		for r := range visible.Runes(s) {
			all.WriteRune(r)
		}
		if all.String() != s {
			t.Fatalf("%+q became %+q", s, all.String())
		}
		if clean := drawn(s); visible.HasHidden(clean) {
			t.Fatalf("%+q still hides something", clean)
		}
	})
}
