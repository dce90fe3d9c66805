package widget

import "testing"

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
		if got := TruncateWords(c.text, c.w); got != c.want {
			t.Errorf("TruncateWords(%q, %d) = %q, want %q", c.text, c.w, got, c.want)
		}
	}
}
