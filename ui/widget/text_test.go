package widget_test

import (
	"slices"
	"testing"

	"bugle/ui/widget"
)

func TestTruncateWords(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"it all fits", 11, "it all fits"},
		{"Commas between the values", 18, "Commas between …"},
		{"Commas between the values", 16, "Commas between …"},
		{"Commas between the values", 15, "Commas …"},
		{"unforeseeable, as it were", 10, "unforesee…"},
		{"a uniformresourcelocator", 16, "a uniformresour…"},
		{"世界 世界 世界", 12, "世界 世界 …"},
		{"Business-event", 12, "Business-…"},
		{"anything", 0, ""},
	} {
		if got := widget.TruncateWords(c.text, c.w); got != c.want {
			t.Errorf("TruncateWords(%q, %d) = %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

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
		{"one two three", 7, 1, []string{"one …"}},
		{"one two three four", 7, 2, []string{"one two", "three …"}},
		{"one two threes four", 7, 2, []string{"one two", "threes…"}},
		{"", 7, 2, []string{""}},
	} {
		if got := widget.WrapMax(c.text, c.w, c.n); !slices.Equal(got, c.want) {
			t.Errorf("WrapMost(%q, %d, %d) = %q, want %q", c.text, c.w, c.n, got, c.want)
		}
	}
}
