package links

import (
	"net/http"
	"testing"
)

func TestTheBaseOfLinksIsBelievedOnlyOfKnownHostsAndProxies(t *testing.T) {
	for _, c := range []struct {
		base              Base
		host, peer, proto string
		want              string
	}{
		{Base{PublicURL: "https://docs.test/"}, "evil.test", "", "", "https://docs.test"},
		{Base{}, "127.0.0.1:8080", "", "", "http://127.0.0.1:8080"},
		{Base{}, "[::1]:8080", "", "", "http://[::1]:8080"},
		{Base{}, "localhost", "", "", "http://localhost"},
		{Base{}, "evil.test", "", "", ""},
		{Base{AllowedHosts: []string{"docs.test"}}, "docs.test:80", "", "", "http://docs.test:80"},
		{Base{AllowedHosts: []string{"docs.test"}}, "docs.test", "10.0.0.1:5", "https", "http://docs.test"},
		{Base{AllowedHosts: []string{"docs.test"}, TrustedProxies: []string{"10.0.0.0/8"}}, "docs.test", "10.0.0.1:5", "https", "https://docs.test"},
	} {
		r := &http.Request{Host: c.host, RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-Proto": {c.proto}}}
		if got, ok := c.base.For(r); got != c.want || ok != (c.want != "") {
			t.Errorf("%+v: %q %v", c, got, ok)
		}
	}
}
