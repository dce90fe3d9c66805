package schema

import (
	"net/mail"
	"net/url"
	"regexp"
	"testing"
	"time"
)

// What is taken for plain, the parser of the form takes too; and what a name on the wire is, a
// pattern says in one line.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"https://example.com/a?b=c&d=e#f", "app://x", "x://a.b:1/", "https://-", "http:///x", "a.b+c@x-y.z", "a@b", "a..b@c", "a@b.", "2026-12-01T09:00:00Z",
		"2024-02-29T23:59:59-23:59", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-12-01T24:00:00Z", "2026-12-01T09:00:00+24:00",
		"start_time", "a__b", "_a", "a_", "9_a", "a_9", "noSuchWord", "Word", "noX", "noXY", "noXYz", "FIRST", "IS", "A1B", "UTM_1",
	} {
		f.Add(s)
	}
	word := regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z]+)+|[A-Z]{3,})$`)
	f.Fuzz(func(t *testing.T, s string) {
		if plainURL(s) {
			if u, err := url.Parse(s); err != nil || u.Host == "" || !scheme.MatchString(s) {
				t.Errorf("%q is no plain URL: %v", s, err)
			}
		}
		if plainAddress(s) {
			if a, err := mail.ParseAddress(s); err != nil || a.Name != "" || a.Address != s {
				t.Errorf("%q is no plain address: %v", s, err)
			}
		}
		if plainTime(s) {
			if _, err := time.Parse(time.RFC3339, s); err != nil {
				t.Errorf("%q is no plain time: %v", s, err)
			}
		}
		if wordChars.span(s) == len(s) && s != "" && isWireName(s) != word.MatchString(s) {
			t.Errorf("%q is a word of the wire: %v", s, isWireName(s))
		}
	})
}

// The common shapes do take the short way.
func TestPlain(t *testing.T) {
	for _, s := range []string{"https://cdn.example.com/a/b-c_d.png?w=1&h=2#top", "northwind://coffee/new"} {
		if !plainURL(s) {
			t.Errorf("%q goes the long way", s)
		}
	}
	if !plainAddress("ann.b+c@mail.example.com") || !plainTime("2026-12-01T09:00:00Z") || !plainTime("2024-02-29T09:00:00+05:30") {
		t.Error("an address or a time goes the long way")
	}
}
