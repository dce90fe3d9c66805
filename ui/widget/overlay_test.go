package widget_test

import (
	"testing"

	"bugle/ui/widget"
)

// A line that does not end its color colors neither the box nor what follows.
func TestCoverEndsColors(t *testing.T) {
	got := widget.Cover("\x1b[31mab  ef", "\x1b[32mXX", 2, 0, 6, 1)
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
		{"│ Winter  sale x │", 3, "│  XXXX   sale x │"},
		{"│ Winter  sale x │", 12, "│ Winter    XXXX │"},
	} {
		if got := widget.Cover(test.base, "XXXX", test.x, 0, 18, 1); got != test.want {
			t.Errorf("over %q: %q, want %q", test.base, got, test.want)
		}
	}
}
