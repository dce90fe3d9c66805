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

// What is left and right of a box stays where it was, also where the box cuts a wide character.
func TestCoverCuts(t *testing.T) {
	for _, test := range []struct {
		base string
		x    int
		want string
	}{
		{"│ Winter sale  x │", 6, "│ WintXXXXale  x │"},
		{"│ 世界世界  x │", 6, "│ 世界XXXX  x │   "},
		{"│ 世界世界  x │", 5, "│ 世 XXXX   x │   "},
		{"│ Winter  sale x │", 15, "│ Winter  sale XXX"},
	} {
		if got := widget.Cover(test.base, "XXXX", test.x, 0, 18, 1); got != test.want {
			t.Errorf("over %q: %q, want %q", test.base, got, test.want)
		}
	}
}
