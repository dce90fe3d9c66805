package textfield

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"bugle/themes"
)

// A line is never wider than w for any text and cursor, and a click on a character moves the cursor before it.
func TestLineFits(t *testing.T) {
	for _, text := range []string{"", "abcdefghijklmnopqrstuvwxyz", "世界世界世界世界世界世界", "a👩‍👩‍👧b👩‍👩‍👧c👩‍👩‍👧de\u0301fghij", "a\x1b[31mb\u202ec"} {
		for w := 1; w < 40; w++ {
			for at := range len([]rune(text)) + 1 {
				l := line{text: OneLine(text), cursor: at, placeholder: "type something here"}
				if got := ansi.StringWidth(l.view(themes.Plain(), w)); got > max(w, 2) {
					t.Fatalf("%q with the cursor at %d takes %d of %d cells: %q", text, at, got, w, l.view(themes.Plain(), w))
				}
			}
		}
	}
	l := line{text: "abcdefghijklmnopqrstuvwxyz", cursor: 20}
	view := ansi.Strip(l.view(themes.Plain(), 12))
	for _, c := range "nopqrs" {
		if x := len([]rune(view[:strings.IndexRune(view, c)])); string([]rune(l.text)[l.at(x, 12)]) != string(c) {
			t.Errorf("a click on %c of %q puts the cursor before %c", c, view, []rune(l.text)[l.at(x, 12)])
		}
	}
}

// Every control character and invisible character round-trips, and is drawn as something else.
func TestEncodeHiddenCoversAllCharacters(t *testing.T) {
	if n := len(hiddenRunes); n > substituteEnd-substituteBase {
		t.Fatalf("there are %d hidden characters, and room for %d", n, substituteEnd-substituteBase)
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		s := "a" + string(r) + "b"
		if r >= 0xD800 && r < 0xE000 || !hasHidden(s) {
			continue
		}
		packed := encodeHidden(s, false)
		if decodeHidden(packed) != s || hasHidden(packed) {
			t.Fatalf("%U → %q → %q", r, packed, decodeHidden(packed))
		}
		if shown := showSubstitutes(packed); r != unicode.ReplacementChar && (hasHidden(shown) || strings.ContainsFunc(shown, isSubstitute)) {
			t.Fatalf("%U is drawn as %q", r, shown)
		}
		if line := OneLine(s); r != unicode.ReplacementChar && hasHidden(line) {
			t.Fatalf("%U is drawn as %q on a line", r, line)
		}
	}
	const england = "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"
	if packed := encodeHidden(england, false); packed != england || OneLine(england) != england {
		t.Errorf("a flag is drawn as %+q", packed)
	}
}
