package contentapi

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/message/delivery/gatewaytest"
)

// A public host that redirects into this network reaches nothing there, however the address is written and even if the
// workspace lists it: what counts is what is connected to. That is so as well for a name that has another address now.
func TestRedirectsIntoTheNetwork(t *testing.T) {
	inside := 0
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside++ }))
	defer private.Close()
	_, port, _ := net.SplitHostPort(private.Listener.Addr().String())
	gatewaytest.FakeDNS(t, map[string]string{"inside.example.": "127.0.0.1", "public.example.": "127.0.0.1"})
	for _, host := range []string{
		"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port, "[::ffff:7f00:1]:" + port, "0.0.0.0:" + port, "127.1:" + port, "2130706433:" + port,
		"0x7f.1:" + port, "inside.example:" + port, "169.254.169.254", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "public.example:" + port,
	} {
		asked := 0
		public := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			http.Redirect(w, r, "http://"+host+"/latest/meta-data", http.StatusTemporaryRedirect)
		}))
		s := new(Client).NewSession([]engine.ContentAPI{{Name: "a", URL: "http://public.example/"}}, engine.ContentPolicy{Hosts: []string{"public.example", host}})
		guarded := s.transport.DialContext
		s.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if address == "public.example:80" { // as it was when the workspace listed it
				return new(net.Dialer).DialContext(ctx, network, public.Listener.Addr().String())
			}
			return guarded(ctx, network, address)
		}
		_, err := s.Functions()["a"](t.Context())
		if err == nil || asked != 1 || !strings.Contains(err.Error(), "private network") {
			t.Errorf("%s: %v, after %d requests", host, err, asked)
		}
		s.Close()
		public.Close()
	}
	if inside > 0 {
		t.Errorf("%d requests came through", inside)
	}
}
