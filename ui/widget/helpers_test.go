package widget_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"bugle/themes"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// golden compares a view with testdata/NAME.golden. Line ends are marked, so that trailing blanks count.
func golden(t *testing.T, name, got string) {
	t.Helper()
	uitest.Golden(t, name, strings.ReplaceAll(got, "\n", "┆\n")+"┆\n")
}

// reporter is what testing.T and rapid.T have in common.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// wantBlock checks that a view is exactly w cells wide and h lines high and, being drawn with the plain theme,
// contains no control sequences.
func wantBlock(t reporter, what, view string, w, h int) {
	t.Helper()
	if w <= 0 || h <= 0 {
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Errorf("%s at %d×%d is %d lines high:\n%s", what, w, h, len(lines), view)
	}
	for i, line := range lines {
		if got := widget.Width(line); got != w || strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("%s at %d×%d: line %d is %d cells wide: %q", what, w, h, i, got, line)
		}
	}
}

// hostilePieces are the pieces of hostileText.
var hostilePieces = []string{
	"a", "word", " ", "  ", "\t", "\n", "\r\n", "\r", "0", "{", "\"", ":", "ü", "e\u0301", "\u0301", "\u0903", "世", "世界", "ﾊﾝｶｸ", "ﾞ", "한글", "\u1161",
	"🎉", "👩\u200d👩\u200d👧", "👍🏽", "🏽", "🇩🇪", "🇩", "☺\ufe0f", "1\ufe0f\u20e3", "\ufe0f", "\u200d", "\u200b", "\u00ad", "\ufeff", "กำ", "\u0e33", "नमस्ते", "עברית", "العربية",
	"\u202e", "\u2066", "\u200f", "\u0600", "\u06dd", "\u0d4e", "\x1b[31m", "\x1b[2J", "\x1b[999;999H", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1bP1$r\x1b\\", "\x1b", "\x9b31m", "\u009b31m",
	"\u009d0;t\u009c", "\x00", "\x07", "\x08", "\x7f", "\x80", "\xff", "\u2028", "\u0085", "…", "│", "●", "ﷺ", "\U000e0041", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴", "\U000e007f", "\u3164", "\U0001f9d1\u200d\U0001f680", "looooooooooooooooooooooooooooooooooooooong",
}

// hostileText generates text that tries to break a line.
func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostilePieces), rapid.StringN(0, 4, -1)), 0, 12).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

func plain() *themes.Theme { return themes.Plain() }
