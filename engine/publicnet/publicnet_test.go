package publicnet_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"bugle/engine/publicnet"
)

func TestPublic(t *testing.T) {
	for _, s := range []string{"93.184.216.34", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"} {
		if !publicnet.IsPublic(netip.MustParseAddr(s)) {
			t.Errorf("%s is public", s)
		}
	}
	for _, s := range []string{
		"127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "0.0.0.0", "0.1.2.3",
		"100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
		"fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::",
		"::ffff:0:127.0.0.1", "fec0::1", "100::1", "3fff::1", "5f00::1", "2001:20::1", "2001:db8::1", "192.88.99.1", "4000::1", "64:ff9b:1::a00:1",
	} {
		if publicnet.IsPublic(netip.MustParseAddr(s)) {
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

// A name that leads to a public address when it is looked at, and to this machine when it is called, is
// refused: what counts is the address that is connected to.
func TestRebinding(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	reached := make(chan struct{}, 1)
	go func() { // ends with l
		if c, err := l.Accept(); err == nil {
			c.Close()
			reached <- struct{}{}
		}
	}()
	names := &turncoat{answers: []netip.Addr{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("127.0.0.1")}}
	d := publicnet.Dialer()
	d.Resolver = &net.Resolver{PreferGo: true, Dial: names.dial}
	first, err := d.Resolver.LookupNetIP(t.Context(), "ip4", "turncoat.example.")
	if err != nil || len(first) != 1 || !publicnet.IsPublic(first[0]) {
		t.Fatalf("%v, %v", first, err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if c, err := d.DialContext(t.Context(), "tcp4", net.JoinHostPort("turncoat.example.", port)); !errors.Is(err, publicnet.ErrPrivate) {
		t.Errorf("%v, %v", c, err)
	}
	select {
	case <-reached:
		t.Error("this machine was reached")
	default:
	}
}

// turncoat is a name server that gives another address each time.
type turncoat struct{ answers []netip.Addr }

func (s *turncoat) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go func() { // ends with the question
		defer far.Close()
		var size [2]byte // as over TCP: a pipe has no packets
		if _, err := io.ReadFull(far, size[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(far, b); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(b) != nil {
			return
		}
		m.Response, m.Additionals = true, nil
		if q := m.Questions[0]; q.Type == dnsmessage.TypeA && len(s.answers) > 0 {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}, Body: &dnsmessage.AResource{A: s.answers[0].As4()},
			}}
			s.answers = s.answers[1:]
		}
		out, err := m.AppendPack(make([]byte, 2))
		if err != nil {
			return
		}
		binary.BigEndian.PutUint16(out, uint16(len(out)-2)) //nolint:gosec // short
		_, _ = far.Write(out)
	}()
	return near, nil
}
