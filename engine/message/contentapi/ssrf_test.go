package contentapi_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"bugle/engine"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/delivery/gatewaytest"
)

// Nothing of this machine's networks is reached unless the workspace says so, whatever is on its list.
func TestPrivateAddresses(t *testing.T) {
	var reached atomic.Int32
	base, policy := service(t, func(w http.ResponseWriter, _ *http.Request) { reached.Add(1); io.WriteString(w, `1`) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0x7f.1"} {
		api := engine.ContentAPI{Name: "a", URL: "http://" + host + ":" + port + "/"}
		u, err := url.Parse(api.URL)
		if err != nil {
			t.Fatal(err)
		}
		list := engine.ContentPolicy{Hosts: []string{u.Host}}
		if _, err := send(t, list, api).Functions()["a"](t.Context()); err == nil {
			t.Errorf("%s was called", host)
		} else if u.Hostname() == "localhost" && !strings.Contains(err.Error(), "private network") {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, address := range []string{"10.0.0.1", "192.168.0.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "[fd00::1]", "[fe80::1]", "[64:ff9b::a00:1]"} {
		s := send(t, engine.ContentPolicy{Hosts: []string{address}}, engine.ContentAPI{Name: "a", URL: "http://" + address + "/latest/meta-data"})
		if _, err := s.Functions()["a"](t.Context()); err == nil || !strings.Contains(err.Error(), "private network") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if reached.Load() != 0 {
		t.Errorf("%d calls came through", reached.Load())
	}
	if v, err := send(t, policy, engine.ContentAPI{Name: "a", URL: base}).Functions()["a"](t.Context()); err != nil {
		t.Errorf("allowed by the workspace: %v, %v", v, err)
	}
}

// silent is what a message gets to know of an API that gave no answer.
const silent = "its host is in a private network, which the workspace does not allow, or does not respond"

// Who sends messages learns nothing of this network from a content API: one sentence for a name that is not
// known, an address that is private, a connection that is refused and one that waits.
func TestErrorsHideTheNetwork(t *testing.T) {
	gatewaytest.FakeDNS(t, map[string]string{"known.internal.": "10.0.0.1", "here.internal.": "127.0.0.1", "slow.internal.": gatewaytest.NoResponse})
	mute, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	var log bytes.Buffer
	causes := map[string]bool{}
	for host, private := range map[string]bool{"unknown.internal": false, "known.internal": false, "slow.internal": false, "here.internal:1": true, mute.Addr().String(): true} {
		c := &contentapi.Client{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		s := c.NewSession([]engine.ContentAPI{{Name: "a", URL: "http://" + host + "/?key=secret", Timeout: 200}}, engine.ContentPolicy{Hosts: []string{host}, Private: private})
		_, err := s.Functions()["a"](t.Context())
		if err == nil || err.Error() != silent || errors.Unwrap(err) != nil {
			t.Errorf("%s: %v", host, err)
		}
		causes[s.Calls()[0].Err] = true
		s.Close()
	}
	for cause := range causes {
		if !strings.Contains(log.String(), cause) {
			t.Errorf("the log does not say that %s", cause)
		}
	}
	if len(causes) != 4 || strings.Contains(log.String(), "secret") {
		t.Errorf("the causes are %v, the log is\n%s", causes, &log)
	}
}

func TestHostList(t *testing.T) {
	base, policy := service(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `1`) })
	host := policy.Hosts[0]
	name, port, _ := net.SplitHostPort(host)
	for _, tt := range []struct {
		hosts []string
		ok    bool
	}{
		{nil, false}, {[]string{"api.example.com"}, false}, {[]string{name}, false}, {[]string{name + ":1"}, false},
		{[]string{"*." + name + ":" + port}, false}, {[]string{"x" + host}, false}, {[]string{"other.example.com", host}, true},
	} {
		s := send(t, engine.ContentPolicy{Hosts: tt.hosts, Private: true}, engine.ContentAPI{Name: "a", URL: base})
		_, err := s.Functions()["a"](t.Context())
		if (err == nil) != tt.ok || err != nil && err.Error() != "the host "+host+" is not on the workspace's list of hosts for content APIs" {
			t.Errorf("%v: %v", tt.hosts, err)
		}
	}
	for _, tt := range []struct {
		entry, url string
		ok         bool
	}{
		{"*.example.invalid", "https://api.example.invalid/", true}, {"*.example.invalid", "https://a.b.example.invalid/", true},
		{"*.example.invalid", "https://example.invalid/", false}, {"*.example.invalid", "https://evilexample.invalid/", false},
		{"example.invalid", "https://example.invalid.evil.invalid/", false}, {"example.invalid", "https://EXAMPLE.invalid./", true},
		{"example.invalid", "https://example.invalid:8443/", false}, {"example.invalid:8443", "https://example.invalid:8443/", true},
		{"example.invalid:443", "https://example.invalid/", true}, {"example.invalid:443", "http://example.invalid/", false},
	} {
		s := send(t, engine.ContentPolicy{Hosts: []string{tt.entry}}, engine.ContentAPI{Name: "a", URL: tt.url, Timeout: 1})
		_, err := s.Functions()["a"](t.Context())
		if err == nil || strings.Contains(err.Error(), "not on the workspace's list") == tt.ok {
			t.Errorf("%s with %s: %v", tt.url, tt.entry, err)
		}
	}
}

func TestRedirects(t *testing.T) {
	var secrets []string
	other, otherPolicy := service(t, func(w http.ResponseWriter, r *http.Request) {
		secrets = append(secrets, r.Header.Get("X-Key"))
		io.WriteString(w, "other")
	})
	base, policy := service(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/own":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/end":
			io.WriteString(w, r.Header.Get("X-Key"))
		case "/away":
			http.Redirect(w, r, other, http.StatusTemporaryRedirect)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		default:
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}
	})
	both := engine.ContentPolicy{Hosts: append(otherPolicy.Hosts, policy.Hosts...), Private: true}
	for _, tt := range []struct {
		path   string
		policy engine.ContentPolicy
		want   any
		err    string
	}{
		{"/own", policy, "secret", ""},
		{"/away", policy, nil, "it redirects to another host: the host " + otherPolicy.Hosts[0] + " is not on"},
		{"/away", both, "other", ""},
		{"/file", both, nil, "file"},
		{"/loop", both, nil, "redirected more than 3 times"},
	} {
		api := engine.ContentAPI{Name: "a", URL: base + tt.path, Headers: []engine.ContentHeader{{Name: "X-Key", Env: "TOKEN"}}}
		v, err := send(t, tt.policy, api).Functions()["a"](t.Context())
		if v != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, %v; want %v, %q", tt.path, v, err, tt.want, tt.err)
		}
	}
	if len(secrets) != 1 || secrets[0] != "" {
		t.Errorf("the other host got %q", secrets)
	}
}

// A header whose variable is not set keeps the call from going out.
func TestNoSecret(t *testing.T) {
	base, policy := service(t, func(http.ResponseWriter, *http.Request) { t.Error("it was called") })
	s := send(t, policy, engine.ContentAPI{Name: "a", URL: base, Headers: []engine.ContentHeader{{Name: "X-Key", Env: "OTHER"}}})
	if _, err := s.Functions()["a"](t.Context()); err == nil || !strings.Contains(err.Error(), "OTHER is not set") {
		t.Errorf("error %v", err)
	}
}
