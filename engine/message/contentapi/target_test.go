package contentapi

import (
	"net/url"
	"strings"
	"testing"

	"bugle/engine"
)

// FuzzTarget: whatever an argument is, the call goes to the host that the API's URL names, and the argument
// stays in its place.
func FuzzTarget(f *testing.F) {
	for _, seed := range [][2]string{
		{"https://api.example.com/in/{a}", "Oslo"}, {"https://api.example.com/{a}?b={a}", "../../x?y#z"}, {"http://h:8080/x", "@evil.example"},
		{"https://api.example.com/?u={a}", "&a=b"}, {"https://api.example.com/{a}", ".."}, {"https://api.example.com//{a}", "//evil.example"},
		{"https://api.example.com/{a}{a}", "."}, {"https://h?{a}", "\r\nHost: evil"}, {"http://[::1]/{a}", "%2f"}, {"https://h\\@evil/{a}", "x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, raw, arg string) {
		api := engine.ContentAPI{Name: "x", URL: raw, Params: []string{"a"}}
		if Check(api) != nil {
			return
		}
		plain, err := target(api, nil)
		if err != nil {
			t.Fatalf("%q passes the check and has no target: %v", raw, err)
		}
		got, err := target(api, []any{arg})
		if err != nil {
			return
		}
		if got.url.Host != plain.url.Host || got.url.Scheme != plain.url.Scheme || got.url.User != nil || got.url.Fragment != "" {
			t.Fatalf("%q with %q leads to %s", raw, arg, got.url)
		}
		again, err := url.Parse(got.url.String())
		if err != nil || again.Host != plain.url.Host {
			t.Fatalf("%q with %q is written as %s", raw, arg, got.url)
		}
		if want := strings.Count(plain.url.EscapedPath(), "/"); strings.Count(got.url.EscapedPath(), "/") != want {
			t.Fatalf("%q with %q has the path %s", raw, arg, got.url.EscapedPath())
		}
	})
}
