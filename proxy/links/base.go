package links

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A Base computes the address that links in an answer start with. It uses the
// X-Forwarded-* headers of trusted proxies only.
type Base struct {
	PublicURL      string   // the absolute address of this server; "": the request's host, if it is a known one
	AllowedHosts   []string // names that this server is called by, with or without a port
	TrustedProxies []string // addresses or networks of proxies whose X-Forwarded-* headers are used
}

// For returns the absolute address of this server for a request, without a
// slash at its end: the configured one, else the request's host if that is
// loopback or listed. Clients choose the Host header, so for any other host
// ok is false.
func (b Base) For(r *http.Request) (base string, ok bool) {
	if b.PublicURL != "" {
		return strings.TrimRight(b.PublicURL, "/"), true
	}
	name := r.Host
	if h, _, err := net.SplitHostPort(r.Host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	known := strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback() ||
		slices.ContainsFunc(b.AllowedHosts, func(a string) bool { return strings.EqualFold(a, r.Host) || strings.EqualFold(a, name) })
	if !known {
		return "", false
	}
	scheme := "http"
	if r.TLS != nil || b.trusts(r.RemoteAddr) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	return scheme + "://" + r.Host, true
}

// trusts reports whether the peer is a trusted proxy.
func (b Base) trusts(remote string) bool {
	peer, err := netip.ParseAddrPort(remote)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(b.TrustedProxies, func(p string) bool {
		if network, err := netip.ParsePrefix(p); err == nil {
			return network.Contains(peer.Addr().Unmap())
		}
		addr, err := netip.ParseAddr(p)
		return err == nil && addr.Unmap() == peer.Addr().Unmap()
	})
}
