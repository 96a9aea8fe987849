package upstream

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	for _, a := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15", "::ffff:8.8.8.8",
		"2000::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::", "2003::1", "2606:4700:4700::1111", "2a00:1450::1", "3ffe::1", "3fff:1000::1",
	} {
		if !isPublic(netip.MustParseAddr(a)) {
			t.Errorf("%s is refused", a)
		}
		if err := refusePrivate("tcp", net.JoinHostPort(a, "443"), nil); err != nil {
			t.Errorf("a connection to %s: %v", a, err)
		}
	}
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255", "127.0.0.1", "127.255.255.254",
		"168.63.129.16", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.31.196.1",
		"192.52.193.1", "192.88.99.1", "192.168.0.1", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
		"239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:0:127.0.0.1", "::ffff:100.64.0.1",
		"64:ff9b::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "100:0:0:1::1", "1fff:ffff::1",
		"2001::1", "2001:0:7f00:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff::1", "2001:db8::1", "2002::1", "2002:7f00:1::1", "2002:a9fe:a9fe::1",
		"2620:4f:8000::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "fe80::1%eth0", "febf::1",
		"fec0::1", "feff::1", "ff02::1", "ffff:ffff::1", "2606:4700::1%eth0",
	} {
		if isPublic(netip.MustParseAddr(a)) {
			t.Errorf("%s passes for public", a)
		}
		if err := refusePrivate("tcp", net.JoinHostPort(a, "443"), nil); !errors.Is(err, errNotPublic) {
			t.Errorf("a connection to %s: %v", a, err)
		}
	}
	for _, a := range []string{"", "localhost:80", "1.1.1.1", "/run/socket"} {
		if err := refusePrivate("tcp", a, nil); !errors.Is(err, errNotPublic) {
			t.Errorf("a connection to %q: %v", a, err)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address passes for public")
	}
}

// hostsOfLoopback are spellings of addresses that lead home, or to a name that
// somebody else can point there.
var hostsOfLoopback = strings.Fields(`
 127.0.0.1 127.0.0.2 127.1 127.0.1 127.000.000.001 0127.0.0.1 0177.0.0.1 0177.0.0.01 0x7f.0.0.1 0x7f.0x0.0x0.0x1 0x7F000001 0x7f000001
 2130706433 017700000001 00000000000000000000000000000000177.0.0.1 127.0.0.1. 127.0.0.1.. 0 0.0.0.0 0. 0x0 00 0.0.0.0.
 [::1] [::] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:0001]
 [::ffff:0:127.0.0.1] [::ffff:0.0.0.0] [64:ff9b::127.0.0.1] [64:ff9b:1::127.0.0.1] [2002:7f00:1::] [2001:0:7f00:1::1] [fe80::1%25lo] [::1%25lo] [::ffff:127.0.0.1%25lo]
 [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1] localhost LOCALHOST localhost. localhost.. a.localhost a.b.localhost. LocalHost.
 １２７.０.０.１ 127。0。0。1 127．0．0．1 127｡0｡0｡1 ①②⑦.⓪.⓪.① ⓛocalhost ｌｏｃａｌｈｏｓｔ loca\u006chost
 localtest.test 127.0.0.1.nip.test 127-0-0-1.sslip.test rebind.test metadata.google.internal example.com.
 169.254.169.254 0xA9FEA9FE 2852039166 [::ffff:a9fe:a9fe] [::ffff:169.254.169.254] 100.64.0.1 100.100.100.200 10.0.0.1 172.16.0.1 192.168.0.1 192.0.0.192 168.63.129.16
`)

// Every spelling is refused before a packet goes out (S-01), and so is every
// name when it turns out to lead home, whatever it led to before (S-03): each
// name here does, and the server behind all of them hears nothing.
func TestNoSpellingOfAPrivateAddressIsReached(t *testing.T) {
	canary := upstreamtest.New(t, upstreamtest.JSON(`{"data":[]}`))
	port := canary.Addr()[strings.LastIndexByte(canary.Addr(), ':'):]
	home := net.Dialer{Resolver: homeResolver()}
	if len(hostsOfLoopback) < 60 {
		t.Fatalf("only %d spellings", len(hostsOfLoopback))
	}
	reached := 0
	for _, host := range hostsOfLoopback {
		base := "http://" + strings.ReplaceAll(host, `\u006c`, "l") + port + "/v1"
		guarded := publicTransport(home, 0)
		h, err := NewHTTP(HTTPConfig{BaseURL: base, Transport: guarded})
		if err != nil {
			continue // not even a URL
		}
		if _, err := h.Probe(t.Context()); err == nil {
			t.Errorf("%s answers", host)
		} else if strings.Contains(err.Error(), "not public") {
			wantError(t, err, CodeConnectFailed, 502)
			reached++
		}
		h.Close()
	}
	if canary.Accepted() != 0 {
		t.Errorf("%d connections came through", canary.Accepted())
	}
	if reached < 30 {
		t.Errorf("only %d were refused as what they are", reached)
	}
	for _, host := range []string{"127.0.0.1", "rebind.test", "127。0。0。1"} { // the same without a guard
		h := client(t, "http://"+host+port+"/v1", func(c *HTTPConfig) {
			c.Transport = newTransport(home, 0)
			c.Transport.Proxy = nil
		})
		if _, err := h.Probe(t.Context()); err != nil {
			t.Errorf("%s is not reached without a guard: %v", host, err)
		}
	}
}

func TestAnAddressThatIsNotPublicIsNotEvenStored(t *testing.T) {
	s := NewStored(StoredConfig{PublicOnly: true})
	defer s.Close()
	byName := map[string]bool{ // judged when they are dialled
		"localtest.test": true, "127.0.0.1.nip.test": true, "127-0-0-1.sslip.test": true, "rebind.test": true,
		"metadata.google.internal": true, "example.com.": true,
	}
	for _, host := range hostsOfLoopback {
		host = strings.ReplaceAll(host, `\u006c`, "l")
		err := s.Check(assistants.Upstream{BaseURL: "https://" + host + "/v1"})
		if byName[host] {
			if err != nil {
				t.Errorf("%s: %v", host, err)
			}
			continue
		}
		f, ok := errors.AsType[*assistants.FieldError](err)
		if !ok || f.Field != "base_url" || !errors.Is(err, ErrURLNotAllowed) && !strings.Contains(f.Message, "cannot be read") {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, host := range []string{"api.openai.com", "1.1.1.1", "[2606:4700:4700::1111]:8443", "xn--bcher-kva.example", "bücher.example", "my_host.example"} {
		if err := s.Check(assistants.Upstream{BaseURL: "https://" + host + "/v1"}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	anywhere := NewStored(StoredConfig{})
	defer anywhere.Close()
	if err := anywhere.Check(assistants.Upstream{BaseURL: "http://127.0.0.1:11434/v1"}); err != nil {
		t.Errorf("where private addresses are allowed: %v", err)
	}
}

func TestOtherSchemesAreNoUpstreams(t *testing.T) {
	s := NewStored(StoredConfig{})
	defer s.Close()
	for _, base := range []string{
		"file:///etc/passwd", "gopher://127.0.0.1:70/_x", "ftp://host/v1", "data:text/plain,x", "unix:/run/docker.sock", "http+unix://%2frun%2fx/v1",
		"javascript:alert(1)", "//host/v1", "/v1", "host/v1", "http:host", "http:/host", "https://user@host/v1", "https://user:pass@host/v1", "http://good.test@127.0.0.1/",
		"http://127.0.0.1\\@good.test/", "http://good.test#@127.0.0.1/", "http://[::1", "http://host:99999999/v1 ", "http://ho\nst/", "http://h\x00st/",
	} {
		err := s.Check(assistants.Upstream{BaseURL: base})
		if f, ok := errors.AsType[*assistants.FieldError](err); !ok || f.Field != "base_url" || strings.Contains(f.Message, "pass") && !strings.Contains(f.Message, "password") {
			t.Errorf("%q: %v", base, err)
		}
	}
}

// A proxy looks up names itself, so it would be a way round.
func TestNoProxyLeadsRoundTheGuard(t *testing.T) {
	if NewPublicTransport(0, 0).Proxy != nil {
		t.Error("the guarded transport uses a proxy")
	}
	if NewTransport(0, 0).Proxy == nil {
		t.Error("the other one does not")
	}
}

// S-02: what answers may lie in public, but where it points to does not.
func TestRedirectsToPrivateAddressesAreNotFollowed(t *testing.T) {
	canary := upstreamtest.New(t, upstreamtest.JSON(hello))
	for _, status := range []int{301, 302, 303, 307, 308} {
		far := upstreamtest.New(t, upstreamtest.Status(status, "", "Location: "+canary.URL()+"/chat/completions"))
		h := client(t, far.URL(), nil)
		_, _, err := ask(t, h, Call{})
		wantError(t, err, CodeInvalidResponse, 502)
		_, err = h.Probe(t.Context())
		wantError(t, err, CodeInvalidResponse, 502)
	}
	if canary.Accepted() != 0 {
		t.Errorf("%d connections to where the redirects lead", canary.Accepted())
	}
}

// homeResolver finds 127.0.0.1 and ::1 behind every name.
func homeResolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go answerNames(there)
		return here, nil
	}}
}

// answerNames speaks DNS as over TCP, until the other side has enough.
func answerNames(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		raw := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, raw); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(raw) != nil || len(m.Questions) != 1 {
			return
		}
		m.Response, m.Additionals = true, nil
		header := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET}
		switch m.Questions[0].Type {
		case dnsmessage.TypeA:
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
		case dnsmessage.TypeAAAA:
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: netip.IPv6Loopback().As16()}}}
		}
		packed, err := m.AppendPack(make([]byte, 2))
		if err != nil {
			return
		}
		binary.BigEndian.PutUint16(packed, uint16(len(packed)-2))
		if _, err := conn.Write(packed); err != nil {
			return
		}
	}
}

func TestTheGuardedTransportIsTheOtherOneInAllElse(t *testing.T) {
	plain, guarded := NewTransport(0, 0), NewPublicTransport(0, 0)
	if guarded.TLSHandshakeTimeout != plain.TLSHandshakeTimeout || guarded.MaxIdleConnsPerHost != plain.MaxIdleConnsPerHost ||
		guarded.MaxResponseHeaderBytes != plain.MaxResponseHeaderBytes || !guarded.DisableCompression || !guarded.Protocols.HTTP2() {
		t.Error("limits are missing")
	}
	req := &http.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/"}, Header: http.Header{}}
	if _, err := guarded.RoundTrip(req.WithContext(t.Context())); !errors.Is(err, errNotPublic) {
		t.Errorf("the error is not passed on: %v", err)
	}
}

// What the standard library knows of special addresses is a part of what the
// table does.
func FuzzNoSpecialAddressIsPublic(f *testing.F) {
	for _, a := range []string{"1.1.1.1", "::ffff:10.0.0.1", "fe80::1", "2606:4700::1111", "224.0.0.1"} {
		f.Add(netip.MustParseAddr(a).AsSlice())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok || !isPublic(a) {
			return
		}
		plain := a.Unmap()
		if !plain.IsGlobalUnicast() || plain.IsPrivate() || plain.IsLoopback() || plain.IsLinkLocalUnicast() || plain.IsMulticast() || plain.IsUnspecified() {
			t.Errorf("%s passes for public", a)
		}
		if notPublicHost(a.String()) {
			t.Errorf("%s is dialled, but not stored", a)
		}
	})
}
