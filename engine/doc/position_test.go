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
