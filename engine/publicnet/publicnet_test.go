package publicnet_test

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"bugle/engine/publicnet"
)

func TestPublic(t *testing.T) {
	for _, s := range []string{"93.184.216.34", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"} {
		if !publicnet.Public(netip.MustParseAddr(s)) {
			t.Errorf("%s is public", s)
		}
	}
	for _, s := range []string{
		"127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "0.0.0.0", "0.1.2.3",
		"100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
		"fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::",
	} {
		if publicnet.Public(netip.MustParseAddr(s)) {
			t.Errorf("%s is not public", s)
		}
	}
}

// A name is as good as what it leads to.
func TestDialer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost"} {
		c, err := publicnet.Dialer().DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if !errors.Is(err, publicnet.ErrPrivate) {
			t.Errorf("%s: %v, %v", host, c, err)
		}
	}
}
