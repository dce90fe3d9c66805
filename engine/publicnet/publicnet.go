// Package publicnet restricts outgoing connections to public addresses, for URLs that untrusted input
// contains, such as those in a campaign. They must not reach the networks that this program runs in.
package publicnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// ErrPrivate reports that an address is not public.
var ErrPrivate = errors.New("the address is not public")

// NoResponse is the one message for every address in untrusted input that did not respond. Different messages
// for unknown names, private networks, refused connections and timeouts would reveal the local network. Only
// the log has the cause.
const NoResponse = "is not public, or does not respond"

// PadDelay waits until a second, or limit if that is shorter, has passed since start, so that the duration
// does not reveal why there was no response. It returns the error of ctx if that ends first.
func PadDelay(ctx context.Context, start time.Time, limit time.Duration) error {
	timer := time.NewTimer(min(time.Second, limit) - time.Since(start))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Dialer returns a dialer that returns [ErrPrivate] for addresses that are not public. It checks the address
// after resolving the name, so that a name whose address changes between check and connection is no way
// around.
func Dialer() *net.Dialer {
	return &net.Dialer{Control: Control}
}

// Control is a [net.Dialer].Control that returns [ErrPrivate] for addresses that are not public.
func Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !IsPublic(at.Addr()) {
		return ErrPrivate
	}
	return nil
}

// globalUnicast is the range of IPv6 addresses that are assigned for the internet (RFC 4291, section 2.4;
// IANA). Addresses that embed an IPv4 address are outside of it, except for those in reserved.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// reserved are the ranges that netip has no method for: this network, shared by carriers (RFC 6598),
// protocols (RFC 6890), documentation (RFC 5737, 3849, 9637), relays (RFC 7526), benchmarking (RFC 2544),
// reserved; and the IPv6 ranges that embed an IPv4 address or are for protocols (RFC 3056, 4380, 7343).
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("3fff::/20"),
}

// IsPublic reports whether an address is public.
func IsPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.Is6() && !globalUnicast.Contains(ip) {
		return false
	}
	for _, p := range reserved {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}
