package filters_test

import (
	"strings"
	"testing"

	"bugle/ui/filters"
)

// Each operation is one key in the tree, after which the cursor is on what it changed.
func TestKeyOfEachOperation(t *testing.T) {
	for keys, want := range map[string]string{
		"j!":     "! Country is not India or Nepal",
		"jj!":    "▸ ├ and ! Did not do Added to Cart at least 2 times",
		"jjjjj!": "▸ └ and Age is between 18 and 65.0", // back
		"jc":     "▸ ├ and Country is India or Nepal",
		"jx":     "▸ ├     Did Added to Cart",
		"jJ":     "▸ ├ and Country",
		"jjK":    "▸ ├     Did Added to Cart",
		"jjjjj>": "▸   └ and  ! Age",
		"jjj<":   "▸ ├ and Price",
		"jjj ":   "▸ │ ├ with Price",
		" ":      "▸ Include · ANY",
		"G ":     "▸ └ and Member is yes",
		"Gx":     "▸ └     In the segment Staff",
	} {
		e := filters.New(config(t, audienceJSON, 70, 30))
		press(e, strings.Split(keys, "")...)
		if _, changed := e.Edited(); !changed || !strings.Contains(e.View(), want) {
			t.Errorf("after %q (changed: %v) the window does not show %q:\n%s", keys, changed, want, e.View())
		}
	}
}

// An operation that is not possible explains why and what to do instead, and changes nothing.
func TestDisabledOperationsExplain(t *testing.T) {
	for keys, want := range map[string]string{
		"j>":   "no event above",
		"jj>":  "only an attribute filter can become a condition of an event",
		"jjj>": "already part of its event",
		"j<":   "already at the top level",
		"Gk!":  "a segment can't be inverted",
		"!":    "works on a single filter",
		"c":    "works on a single filter",
	} {
		cfg := config(t, audienceJSON, 70, 30)
		e := filters.New(cfg)
		press(e, strings.Split(keys, "")...)
		if got := strings.ToLower(strings.Join(strings.Fields(e.View()), " ")); !strings.Contains(got, strings.ToLower(want)) {
			t.Errorf("%q does not say %q:\n%s", keys, want, e.View())
		}
		wantUnchanged(t, e, cfg.Root)
	}
}
