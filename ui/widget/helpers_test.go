package widget_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/widget"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a view with testdata/NAME.golden. Line ends are marked, so that trailing blanks count.
func golden(t *testing.T, name, got string) {
	t.Helper()
	var b strings.Builder
	for line := range strings.SplitSeq(got, "\n") {
		b.WriteString(line + "┆\n")
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", name, b.String(), want)
	}
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
	wantAtMost(t, what, view, w, h)
	if w <= 0 || h <= 0 {
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Errorf("%s at %d×%d is %d lines high:\n%s", what, w, h, len(lines), view)
	}
	for i, line := range lines {
		if got := widget.Width(line); got != w {
			t.Errorf("%s at %d×%d: line %d is %d cells wide: %q", what, w, h, i, got, line)
		}
	}
}

// wantAtMost checks that a view is no wider than w and no higher than h.
func wantAtMost(t reporter, what, view string, w, h int) {
	t.Helper()
	if view == "" {
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) > h {
		t.Errorf("%s at %d×%d is %d lines high:\n%s", what, w, h, len(lines), view)
	}
	for i, line := range lines {
		if got := widget.Width(line); got > w {
			t.Errorf("%s at %d×%d: line %d is %d cells wide: %q", what, w, h, i, got, line)
		}
		for _, r := range line {
			if unicode.IsControl(r) {
				t.Errorf("%s: line %d holds a control character: %q", what, i, line)
			}
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

// key returns the message for a key name as Bubble Tea spells it.
func key(name string) tea.KeyMsg {
	if msg, ok := keymap.KeyMsg(name); ok {
		return msg
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}
