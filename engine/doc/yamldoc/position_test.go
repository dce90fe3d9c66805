package yamldoc

import (
	"fmt"
	"testing"

	"bugle/engine/doc"
)

const placed = `# a comment
a: 1
ü:
  b: [x, {c: 2}]
  text: |
    one
      {{ two }}
  "quoted name": >-
    folded
`

func TestPosition(t *testing.T) {
	for path, want := range map[string]string{
		"": "2:1", "a": "2:1", "ü.b": "4:3", "ü.b[1]": "4:10", "ü.b[1].c": "4:11", "ü.missing": "3:1", "ü.b[7]": "4:3", `ü["quoted name"]`: "8:3", "a.below": "2:1",
	} {
		p, err := doc.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		line, column := NewPlaces([]byte(placed)).Position(p)
		if got := fmt.Sprintf("%d:%d", line, column); got != want {
			t.Errorf("%q is at %s, want %s", path, got, want)
		}
	}
	for _, s := range []string{"", "a: [", "---"} {
		if line, column := NewPlaces([]byte(s)).Position(doc.P("a", 0)); line != 1 || column < 1 {
			t.Errorf("in %q it is at %d:%d", s, line, column)
		}
	}
}

// A place in a block is that of its line; other styles have the place of the value.
func TestTextPosition(t *testing.T) {
	for _, tt := range []struct {
		path   string
		offset int
		want   string
	}{
		{"text", 0, "6:5"}, {"text", 2, "6:7"}, {"text", 6, "7:7"}, {"text", 4, "7:5"}, {"quoted name", 3, "8:3"}, {"none", 3, "3:1"},
	} {
		line, column := NewPlaces([]byte(placed)).TextPosition(doc.P("ü", tt.path), tt.offset)
		if got := fmt.Sprintf("%d:%d", line, column); got != tt.want {
			t.Errorf("byte %d of %s is at %s, want %s", tt.offset, tt.path, got, tt.want)
		}
	}
}
