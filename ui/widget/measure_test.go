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
