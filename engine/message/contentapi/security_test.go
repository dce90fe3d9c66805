package contentapi_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"bugle/engine"
)

// A key in the query of an address is not told to the host that it redirects to.
func TestRedirectDropsTheQuery(t *testing.T) {
	told := ""
	other, otherPolicy := service(t, func(w http.ResponseWriter, r *http.Request) {
		told += fmt.Sprint(r.URL, r.Header)
		io.WriteString(w, "1")
	})
	base, policy := service(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+"/end", http.StatusFound) })
	both := engine.ContentPolicy{Hosts: append(otherPolicy.Hosts, policy.Hosts...), Private: true}
	if _, err := send(t, both, engine.ContentAPI{Name: "a", URL: base + "/?api_key=canary"}).Functions()["a"](t.Context()); err != nil {
		t.Fatal(err)
	}
	if told == "" || strings.Contains(told, "canary") {
		t.Errorf("it was told %s", told)
	}
}

// Arguments, which a campaign's author writes, and values of the environment stay what they are: no header,
// no other path, no other host.
func TestArgumentsAreOnlyArguments(t *testing.T) {
	var got []string
	base, policy := service(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+" "+r.URL.EscapedPath())
		if len(r.Header.Values("X-Evil")) > 0 || strings.Contains(r.Host, "evil") {
			t.Errorf("%s %s %v", r.Host, r.RequestURI, r.Header)
		}
		io.WriteString(w, "1")
	})
	api := engine.ContentAPI{Name: "a", URL: base + "/in/{city}/now", Params: []string{"city", "more"}}
	for _, arg := range []string{"x\r\nX-Evil: 1", "../../admin", "..", "@evil.example/", "//evil.example", "x?y=z#f", "%2e%2e%2f", "\x00", "x HTTP/1.1\r\nX-Evil: 1\r\n\r\n"} {
		_, _ = send(t, policy, api).Functions()["a"](t.Context(), arg, arg)
	}
	for _, g := range got {
		if strings.Count(g, "/") != 3 || !strings.HasPrefix(g, "GET /in/") || !strings.HasSuffix(g, "/now") {
			t.Errorf("it was asked for %q", g)
		}
	}
	if len(got) < 5 {
		t.Errorf("it was asked for %q", got)
	}
}

// Whatever a host answers, the call ends with an error in time: too long, packed, no HTTP, without end.
func TestHostileAnswers(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"too long": func(w http.ResponseWriter, _ *http.Request) { io.CopyN(w, zeros{}, 32<<20) },
		"a bomb": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "" {
				t.Errorf("it asks for %s", r.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.CopyN(z, zeros{}, 32<<20)
			z.Close()
		},
		"headers without end": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("x", 1<<20)) },
		"deep": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, strings.Repeat("[", 200_000))
		},
		"no HTTP":             func(w http.ResponseWriter, _ *http.Request) { raw(w, "SSH-2.0-x\r\n") },
		"a status that rules": func(w http.ResponseWriter, _ *http.Request) { raw(w, "HTTP/1.1 500 \x1b[2Jx\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			base, policy := service(t, answer)
			if v, err := send(t, policy, engine.ContentAPI{Name: "a", URL: base, Timeout: 2000}).Functions()["a"](t.Context()); err == nil {
				t.Errorf("it gives %.40v", v)
			}
		})
	}
}

func raw(w http.ResponseWriter, answer string) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func(c net.Conn) { _ = c.Close() }(c)
	_, _ = io.WriteString(c, answer)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
