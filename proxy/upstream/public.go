package upstream

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"
)

// notPublic are the blocks of IPv4 that lead to this host, to a private network or
// nowhere: IANA's registry of special-purpose addresses as of 2026-11, with
// multicast and the blocks after it, and Azure's platform address, which only looks
// public. Other guards were bypassed through forgotten blocks. The best library,
// doyensec/safeurl v0.2.2, lacks fec0::/10 and 64:ff9b:1::/48, rejects every port
// that is not listed, and panics at an address with a zone.
var notPublic = prefixes(
	"0.0.0.0/8",          // this network; 0.0.0.0 is this host (RFC 791)
	"10.0.0.0/8",         // private (RFC 1918)
	"100.64.0.0/10",      // shared by carriers, CGNAT (RFC 6598); Alibaba's metadata
	"127.0.0.0/8",        // loopback (RFC 1122)
	"168.63.129.16/32",   // Azure's platform, on every host of its own
	"169.254.0.0/16",     // link-local, metadata of most clouds (RFC 3927)
	"172.16.0.0/12",      // private (RFC 1918)
	"192.0.0.0/24",       // protocol assignments (RFC 6890); Oracle's metadata
	"192.0.2.0/24",       // documentation (RFC 5737)
	"192.31.196.0/24",    // AS112 (RFC 7535)
	"192.52.193.0/24",    // AMT (RFC 7450)
	"192.88.99.0/24",     // relays from 6to4, withdrawn (RFC 7526)
	"192.168.0.0/16",     // private (RFC 1918)
	"192.175.48.0/24",    // AS112 (RFC 7534)
	"198.18.0.0/15",      // benchmarks (RFC 2544)
	"198.51.100.0/24",    // documentation (RFC 5737)
	"203.0.113.0/24",     // documentation (RFC 5737)
	"224.0.0.0/4",        // multicast (RFC 5771)
	"240.0.0.0/4",        // reserved (RFC 1112)
	"255.255.255.255/32", // broadcast (RFC 919)
)

// public6 is the only block of IPv6 with global unicast addresses (RFC 4291).
// Loopback, mapped and compatible IPv4, NAT64 (64:ff9b::/96 and 64:ff9b:1::/48),
// discard (100::/64), unique local (fc00::/7), link-local, site-local (fec0::/10),
// segment routing (5f00::/16) and multicast are outside it.
var public6 = netip.MustParsePrefix("2000::/3")

// notPublic6 are the special blocks within it.
var notPublic6 = prefixes(
	"2001::/23",         // protocol assignments (RFC 2928): Teredo, benchmarks, ORCHID
	"2001:db8::/32",     // documentation (RFC 3849)
	"2002::/16",         // 6to4, which holds an IPv4 address (RFC 3056)
	"2620:4f:8000::/48", // AS112 (RFC 7534)
	"3fff::/20",         // documentation (RFC 9637)
)

func prefixes(blocks ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(blocks))
	for i, b := range blocks {
		list[i] = netip.MustParsePrefix(b)
	}
	return list
}

// isPublic reports whether an address belongs to a host on the public internet. An
// IPv4 address written as IPv6 counts as IPv4.
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	special := notPublic
	if !a.Is4() {
		if a.Zone() != "" || !public6.Contains(a) {
			return false
		}
		special = notPublic6
	}
	for _, block := range special {
		if block.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}

// errNotPublic is the reason to refuse a connection to a private address.
var errNotPublic = errors.New("the address is not public")

// refusePrivate lets a dialer connect to public addresses only. It sees the final
// address, after the name was looked up, so a name that changes its address gains
// nothing.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(to.Addr()) {
		return errNotPublic
	}
	return nil
}

// NewPublicTransport is [NewTransport] for upstreams that must be on the public
// internet. It ignores HTTPS_PROXY, because a proxy looks up names itself and could
// reach private addresses.
func NewPublicTransport(dial, handshake time.Duration) *http.Transport {
	return publicTransport(net.Dialer{Timeout: dial, KeepAlive: keepAlive}, handshake)
}

func publicTransport(d net.Dialer, handshake time.Duration) *http.Transport {
	d.Control = refusePrivate
	t := newTransport(d, handshake)
	t.Proxy = nil
	return t
}

// notPublicHost reports whether the host of a URL is private without a look-up: an
// address in any spelling, or this host's own name. Other names are judged by their
// addresses when they are dialled.
func notPublicHost(host string) bool {
	if !isASCII(host) {
		// net/http does the same before it dials: digits and dots exist in many scripts.
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return true
		}
		host = ascii
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return !isPublic(a)
	}
	host = strings.ToLower(strings.TrimRight(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	// No top-level domain begins with a digit, so such a name is an address in a
	// spelling that only some programs read (WHATWG URL, "ends in a number").
	return last == "" || last == "localhost" || last[0] >= '0' && last[0] <= '9'
}
