// Package publicnet dials public addresses alone. What others may name, such as an address in a campaign,
// must not lead into the networks that this program runs in.
package publicnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// ErrPrivate says that an address is not one of the public internet.
var ErrPrivate = errors.New("the address is not public")

// NoResponse says of an address that somebody else named that no answer came from it. It is the one sentence for all
// causes: whether a name is known here, leads into a private network, refuses the connection or lets it wait
// would tell who may name addresses what this network looks like. The cause belongs into the log alone.
const NoResponse = "is not public, or does not respond; the log has the cause"

// PadDelay waits until a second has passed since start, or a shorter limit, so that the time does not tell either
// why there was no answer. It returns the error of ctx when that ends first.
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

// Dialer returns a dialer that refuses with [ErrPrivate] what is not public. It looks at the address that is
// connected to, once its name is resolved: a name that changes its address between a check and the
// connection finds no gap.
func Dialer() *net.Dialer {
	return &net.Dialer{Control: Control}
}

// Control is a [net.Dialer.Control] that refuses with [ErrPrivate] what is not public.
func Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !IsPublic(at.Addr()) {
		return ErrPrivate
	}
	return nil
}

// globalUnicast are the IPv6 addresses that are given out for the internet (RFC 4291, section 2.4; IANA). Those
// that wrap an IPv4 address lie outside, but for the ones among others.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// reserved are the ranges that netip has no method for: this network, shared by carriers (RFC 6598), for
// protocols (RFC 6890), documentation (RFC 5737, 3849, 9637), relays (RFC 7526), measuring (RFC 2544),
// reserved; and the IPv6 ranges that wrap an IPv4 address or are for protocols (RFC 3056, 4380, 7343).
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("3fff::/20"),
}

// IsPublic reports whether an address is one of the public internet.
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
