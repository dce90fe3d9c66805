package phrase

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{{0, "user", "0 users"}, {1, "user", "1 user"}, {2, "category", "2 categories"}, {3, "day", "3 days"}, {12, "key", "12 keys"}} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"title", "message", "summary", "sumo"}
	for in, want := range map[string]string{"titel": "title", "Message": "message", "mesage": "message", "xyz": "", "": "", "summa": "summary", "sumo": "sumo", "sum": "sumo", "su": "", strings.Repeat("a", 100): ""} {
		if got := Nearest(in, names); got != want {
			t.Errorf("nearest to %q is %q, want %q", in, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	for _, c := range []struct{ text, capital, lower, sentence string }{
		{"", "", "", ""},
		{"the name is missing", "The name is missing", "the name is missing", "The name is missing."},
		{"Élan ist besetzt!", "Élan ist besetzt!", "élan ist besetzt!", "Élan ist besetzt!"},
		{"élan ist besetzt", "Élan ist besetzt", "élan ist besetzt", "Élan ist besetzt."},
		{"iOS has no title", "iOS has no title", "iOS has no title", "iOS has no title."},
		{"API keys:", "API keys:", "API keys:", "API keys:"},
		{"\xff?", "\xff?", "\xff?", "\xff?"},
		{" 日本 ", " 日本 ", " 日本 ", "日本."},
	} {
		if a, b, d := Capitalize(c.text), Uncapitalize(c.text), Sentence(c.text); a != c.capital || b != c.lower || d != c.sentence {
			t.Errorf("%q: %q, %q, %q", c.text, a, b, d)
		}
	}
}
