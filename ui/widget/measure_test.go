package widget

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// A simple character takes one cell next to any other, as the grapheme library measures it.
func TestSimpleWidth(t *testing.T) {
	var simple []rune
	for r := rune(0x80); r < 0x30000; r++ {
		if isSimple(r) {
			simple = append(simple, r)
		}
	}
	if len(simple) < 500 {
		t.Fatalf("%d simple characters", len(simple))
	}
	for _, r := range simple {
		for _, s := range []string{string(r), "a" + string(r) + "b", string(r) + string(r)} {
			if got, ok := simpleWidth(s); !ok || got != ansi.StringWidth(s) {
				t.Errorf("%q (%U) has width %d, %v; the library says %d", s, r, got, ok, ansi.StringWidth(s))
			}
		}
	}
	if all := string(simple); Width(all) != ansi.StringWidth(all) {
		t.Errorf("all together: %d, the library says %d", Width(all), ansi.StringWidth(all))
	}
}

func FuzzWidth(f *testing.F) {
	for _, s := range []string{
		"", "plain", "\x1b[1;38;2;1;2;3mred\x1b[0m", "│ caf\u00e9 …│", "e\u0301", "日本", "👩‍👩‍👧", "✓\ufe0f", "©\ufe0f", "a\tb", "\x1b]8;;x\x1b\\link",
		"\x1b[", "\x1b[1", "\x1b[?25l", "\x1b[4:3mx", "\xff", "\u00ad", "→\u200d←", "\x1b[1\x1b[2mx", "\x9b1m",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Errorf("%q has width %d, want %d", s, got, want)
		}
	})
}
