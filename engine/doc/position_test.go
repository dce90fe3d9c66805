package doc_test

import (
	"fmt"
	"testing"

	"bugle/engine/doc"
)

func TestPosition(t *testing.T) {
	const text = "{\n  \"ü\": {\"a\": 1, \"b\\u0063\": [10,\n    {\"x\": true}]},\n\t\"last\" : null\n}"
	for path, want := range map[string]string{
		"":           "1:1",
		"ü":          "2:3",
		"ü.a":        "2:9",
		"ü.bc":       "2:17",
		"ü.bc[0]":    "2:29",
		"ü.bc[1]":    "3:5",
		"ü.bc[1].x":  "3:6",
		"last":       "4:2",
		"ü.missing":  "2:3",
		"ü.bc[7].x":  "2:17",
		"last.below": "4:2",
		"[0]":        "1:1",
	} {
		p, err := doc.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		line, column := doc.Position([]byte(text), p)
		if got := fmt.Sprintf("%d:%d", line, column); got != want {
			t.Errorf("%q is at %s, want %s", path, got, want)
		}
	}
}

func TestPositionOfAbsentValue(t *testing.T) {
	for _, text := range []string{"", "{", `{"a"`, `[1,`, "nonsense"} {
		doc.Position([]byte(text), doc.P("a", 0)) // must not panic
	}
}

func TestTextPosition(t *testing.T) {
	const text = "{\"a\": [\n  \"x\\n\\u00fc\\ud83d\\ude00 é{{\"], \"n\": 1}"
	places := doc.NewPlaces([]byte(text))
	for _, tt := range []struct {
		path   doc.Path
		offset int
		want   string
	}{
		{doc.P("a", 0), 0, "2:4"}, {doc.P("a", 0), 1, "2:5"}, {doc.P("a", 0), 2, "2:7"}, {doc.P("a", 0), 4, "2:13"}, {doc.P("a", 0), 8, "2:25"},
		{doc.P("a", 0), 11, "2:27"}, {doc.P("a", 0), 99, "2:29"}, {doc.P("n"), 3, "2:33"}, {doc.P("a", 1), 3, "1:2"},
	} {
		line, column := places.TextPosition(tt.path, tt.offset)
		if got := fmt.Sprintf("%d:%d", line, column); got != tt.want {
			t.Errorf("byte %d of %s is at %s, want %s", tt.offset, tt.path, got, tt.want)
		}
	}
}
