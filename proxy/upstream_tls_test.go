package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// secured starts a server that speaks TLS as conf says; with trust the rig
// knows its certificate.
func secured(t *testing.T, ip string, until time.Time, conf *tls.Config, script upstreamtest.Script) (modelServer, *x509.CertPool) {
	t.Helper()
	cert, roots := upstreamtest.Certificate(t, ip, until)
	conf.Certificates = []tls.Certificate{cert}
	return upstreamtest.NewTLS(t, conf, script), roots
}

func TestUpstreamFaultsTLS(t *testing.T) {
	later, past := time.Now().Add(24*time.Hour), time.Now().Add(-time.Hour)
	want := refuses(502, "upstream_tls_failed")
	want.calls, want.header = noCalls, map[string]string{"X-Should-Retry": "false"}
	for _, c := range []struct {
		name    string
		ip      string
		until   time.Time
		conf    *tls.Config
		trusted bool
	}{
		{"self-signed", "127.0.0.1", later, &tls.Config{}, false},
		{"expired", "127.0.0.1", past, &tls.Config{}, true},
		{"wrong name", "10.9.9.9", later, &tls.Config{}, true},
		{"TLS 1.0", "127.0.0.1", later, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10}, true},
		{"TLS 1.1", "127.0.0.1", later, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, true},
	} {
		var roots *x509.CertPool
		playFaults(t, []fault{{
			id: "U-004 " + c.name, want: want,
			serve: func(t *testing.T) (s modelServer) {
				s, roots = secured(t, c.ip, c.until, c.conf.Clone(), upstreamtest.JSON(whole))
				return s
			},
			tune: func(h *upstream.HTTPConfig) {
				if c.trusted {
					h.Transport = upstream.NewTransport(0, 0)
					h.Transport.TLSClientConfig = &tls.Config{RootCAs: roots}
				}
			},
		}})
	}
}

// noTLS is a server that is asked for TLS and speaks something else.
type noTLS struct{ *upstreamtest.Server }

func (s noTLS) URL() string { return "https://" + s.Addr() + "/v1" }

func TestUpstreamFaultsNoTLS(t *testing.T) {
	want := refuses(502, "upstream_tls_failed|"+connectFailed) // a reset may meet the dial itself
	want.calls = noCalls
	for name, greeting := range map[string]upstreamtest.Script{
		"plain HTTP":          upstreamtest.Raw("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"another protocol":    upstreamtest.Raw("SSH-2.0-OpenSSH_9.9\r\n"),
		"closed at once":      upstreamtest.Close(),
		"reset at once":       upstreamtest.Reset(),
		"the handshake hangs": {upstreamtest.Swallows()},
		"half a handshake":    upstreamtest.Raw("\x16\x03\x03\x00\x7a\x02").Then(upstreamtest.Swallows()),
		"an alert":            upstreamtest.Raw("\x15\x03\x03\x00\x02\x02\x28").Then(upstreamtest.Closes()),
	} {
		playFaults(t, []fault{{id: "U-004 " + name, want: want,
			serve: func(t *testing.T) modelServer {
				s := upstreamtest.New(t)
				s.Greet(greeting)
				return noTLS{s}
			},
			tune: func(h *upstream.HTTPConfig) { h.Transport = upstream.NewTransport(0, 500*time.Millisecond) },
		}})
	}
}

func TestUpstreamFaultsInsideTLS(t *testing.T) {
	text := says("The fox [1]")
	for _, c := range []fault{
		{id: "U-018 TLS, a whole answer", ask: asJSON, script: upstreamtest.JSON(whole), want: answers(whole)},
		{id: "U-018 TLS, a whole stream", ask: asStream, script: ends(text, stops(), "[DONE]"), want: streams(text, stops())},
		{id: "U-018 TLS, closed without a goodbye", ask: asStream, script: sends(text).Then(upstreamtest.CloseWrite(), upstreamtest.Hangs()), want: cut(interrupted, text)},
		{id: "U-018 TLS, reset", ask: asStream, script: sends(text).Then(upstreamtest.Resets()), want: cut(interrupted, text)},
		{id: "U-019 TLS, closed without length and goodbye", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Connection: close"), whole[:50]).Then(upstreamtest.CloseWrite(), upstreamtest.Hangs()),
			want: refuses(502, invalid)},
		{id: "U-005 TLS, closed before the answer", script: upstreamtest.Close(), want: refuses(502, invalid)},
	} {
		var roots *x509.CertPool
		c.serve = func(t *testing.T) (s modelServer) {
			s, roots = secured(t, "127.0.0.1", time.Now().Add(time.Hour), &tls.Config{}, c.script)
			return s
		}
		c.tune = func(h *upstream.HTTPConfig) {
			h.Transport = upstream.NewTransport(0, 0)
			h.Transport.TLSClientConfig = &tls.Config{RootCAs: roots}
		}
		playFaults(t, []fault{c})
	}
}
