package gatewaytest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// NoResponse is the address in [FakeDNS] of a name whose lookups get no response.
const NoResponse = "silent"

// FakeDNS answers the DNS lookups of this process until the end of the test: each name with its IPv4 address,
// other names as unknown. Tests that use it must not run in parallel with others.
func FakeDNS(t testing.TB, addresses map[string]string) {
	usual := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = usual })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() { // ends with the question
			defer far.Close()
			answer(far, addresses)
		}()
		return near, nil
	}}
}

func answer(c net.Conn, addresses map[string]string) {
	var size [2]byte // as over TCP: a pipe has no packets
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return
	}
	b := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, b); err != nil {
		return
	}
	var m dnsmessage.Message
	if m.Unpack(b) != nil || len(m.Questions) != 1 {
		return
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	switch address := addresses[q.Name.String()]; {
	case address == NoResponse:
		_, _ = c.Read(size[:]) // until the client gives up
		return
	case address == "":
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, Body: &dnsmessage.AResource{A: netip.MustParseAddr(address).As4()},
		}}
	}
	out, err := m.AppendPack(make([]byte, 2))
	if err != nil {
		return
	}
	binary.BigEndian.PutUint16(out, uint16(len(out)-2)) //nolint:gosec // short
	_, _ = c.Write(out)
}
