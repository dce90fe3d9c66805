package widget_test

import (
	"slices"
	"testing"

	"bugle/ui/widget"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":                 "plain text",
		"two\nlines\tand a tab":      "two lines and a tab",
		"\x1b[31mred\x1b[0m":         "red",
		"\x1b]0;a title\x07after":    "after",
		"\x1b]8;;http://x\x1b\\link": "link",
		"\u009b2Jc1":                 "c1",
		"bell\x07 back\b null\x00":   "bell back null",
		"\u202egnp.exe":              "gnp.exe",
		"caf\xe9":                    "caf\ufffd",
		"e\u0301te\u0301":            "e\u0301te\u0301",
		"\u0301":                     "◌\u0301",
		"☺\ufe0f":                    "☺",
		"世界 🎉 👩\u200d👩\u200d👧 🇩🇪": "世界 🎉 👩\u200d👩\u200d👧 🇩🇪",
		"ends in \u0600":                     "ends in ",
		"tags\U000e0069\U000e0067\U000e007f": "tags",
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
		"pay\u200dpal\u3164": "paypal", "e\u0301\t\u200d": "e\u0301 ",
	} {
		if got := widget.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := widget.CleanVisible("a\tb\r\nc"); got != "a⇥b⏎c" {
		t.Errorf("CleanMarks gives %q", got)
	}
	if got := widget.CleanLines("a\tb\r\nc\rd\x1b[1m"); got != "a    b\nc\nd" {
		t.Errorf("CleanLines gives %q", got)
	}
}

// Wrapped lines break between words, and a flag stays whole.
func TestWrap(t *testing.T) {
	want := []string{"Choose with", "--data or", "--theme.", "世界世界世", "界"}
	if got := widget.Wrap("Choose with --data or --theme. 世界世界世界", 11); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
