package widget_test

import (
	"slices"
	"testing"

	"bugle/ui/widget"
)

func TestWrapKeepsFlagsWhole(t *testing.T) {
	want := []string{"Choose with", "--data or", "--theme."}
	if got := widget.Wrap("Choose with --data or --theme.", 13); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrapMax(t *testing.T) {
	for _, c := range []struct {
		text string
		w, n int
		want []string
	}{
		{"one two three", 7, 2, []string{"one two", "three"}},
		{"one two three", 7, 1, []string{"one tw…"}},
		{"one two three four", 7, 2, []string{"one two", "three …"}},
		{"one two threes four", 7, 2, []string{"one two", "threes…"}},
		{"", 7, 2, []string{""}},
	} {
		if got := widget.WrapMax(c.text, c.w, c.n); !slices.Equal(got, c.want) {
			t.Errorf("WrapMost(%q, %d, %d) = %q, want %q", c.text, c.w, c.n, got, c.want)
		}
	}
}
