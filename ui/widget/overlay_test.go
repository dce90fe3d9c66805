package widget_test

import (
	"testing"

	"bugle/ui/widget"
)

func TestOverlayCutsWideCharacters(t *testing.T) {
	for _, test := range []struct {
		base, box string
		x         int
		want      string
	}{
		{"世界世界", "XX", 1, " XX 世界"},
		{"世界世界", "XX", 2, "世XX世界"},
		{"世界世界", "X", 2, "世X 世界"},
		{"abcdefgh", "XX", 7, "abcdefgX"},
		{"abcdefgh", "XX", -1, "Xbcdefgh"},
		{"abcdefgh", "XX", 8, "abcdefgh"},
		{"abcdefgh", "XX", -2, "abcdefgh"},
		{"ab", "世", 5, "ab   世 "},
	} {
		if got := widget.Overlay(test.base, test.box, test.x, 0, 8, 1); got != test.want {
			t.Errorf("%q over %q at %d: %q, want %q", test.box, test.base, test.x, got, test.want)
		}
	}
}

// A line that does not end its color colors neither the box nor what follows.
func TestOverlayEndsColors(t *testing.T) {
	got := widget.Overlay("\x1b[31mabcdef", "\x1b[32mXX", 2, 0, 6, 1)
	if want := "\x1b[31mab\x1b[0m\x1b[32mXX\x1b[0m\x1b[31mef"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Text that a box covers in part is left out; separate text stays.
func TestCoverLeavesNoFragments(t *testing.T) {
	for _, test := range []struct {
		base string
		x    int
		want string
	}{
		{"│ Winter sale  x │", 6, "│     XXXX     x │"},
		{"│ Winter  sale x │", 6, "│     XXXXsale x │"},
		{"│ Win  ter   end │", 6, "│ Win XXXX   end │"},
		{"────────────────", 6, "──────XXXX──────  "},
		{"│ 世界世界  x │", 6, "│     XXXX  x │   "},
		{"│ Winter  sale x │", 3, "   XXXX   sale x │"},
		{"│ Winter  sale x │", 12, "│ Winter    XXXX  "},
	} {
		if got := widget.Cover(test.base, "XXXX", test.x, 0, 18, 1); got != test.want {
			t.Errorf("over %q: %q, want %q", test.base, got, test.want)
		}
	}
	if got, want := widget.Dropdown("│ Winter  sale x │", "XXXX", 3, 0, 18, 1), "│  XXXX   sale x │"; got != want {
		t.Errorf("in a panel: %q, want %q", got, want)
	}
}
