package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"footnote/proxy/upstream/upstreamtest"
)

// certificate makes a self-signed certificate for an address.
func certificate(t *testing.T, ip string, until time.Time) tls.Certificate {
	t.Helper()
	cert, _ := upstreamtest.Certificate(t, ip, until)
	return cert
}

// secure starts an HTTPS server and returns it with the roots that trust it.
func secure(t *testing.T, conf *tls.Config, handler http.HandlerFunc) (*httptest.Server, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug) // it complains about handshakes that are meant to fail
	s.EnableHTTP2 = true
	s.TLS = conf
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(conf.Certificates[0].Leaf)
	return s, roots
}

func TestTLSFailuresAreNamed(t *testing.T) {
	later, past := time.Now().Add(24*time.Hour), time.Now().Add(-time.Hour)
	for name, c := range map[string]struct {
		conf    *tls.Config
		trusted bool
	}{
		"self-signed": {&tls.Config{Certificates: []tls.Certificate{certificate(t, "127.0.0.1", later)}}, false},
		"expired":     {&tls.Config{Certificates: []tls.Certificate{certificate(t, "127.0.0.1", past)}}, true},
		"wrong name":  {&tls.Config{Certificates: []tls.Certificate{certificate(t, "10.9.9.9", later)}}, true},
		"TLS 1.0": {&tls.Config{
			Certificates: []tls.Certificate{certificate(t, "127.0.0.1", later)},
			MinVersion:   tls.VersionTLS10, MaxVersion: tls.VersionTLS10,
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, roots := secure(t, c.conf, func(http.ResponseWriter, *http.Request) { t.Error("a request came through") })
			h := client(t, s.URL, func(cfg *HTTPConfig) {
				if c.trusted {
					cfg.Transport.TLSClientConfig = &tls.Config{RootCAs: roots}
				}
			})
			_, _, err := ask(t, h, Call{})
			wantError(t, err, CodeTLSFailed, http.StatusBadGateway)
		})
	}
}

func TestServersThatSpeakNoTLS(t *testing.T) {
	for name, greeting := range map[string]upstreamtest.Script{
		"plain HTTP": upstreamtest.Raw("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"hangs up":   upstreamtest.Close(),
		"silent":     upstreamtest.Hang(),
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t)
			s.Greet(greeting)
			h := client(t, "https://"+s.Addr(), func(c *HTTPConfig) { c.Transport = NewTransport(0, time.Second) })
			_, _, err := ask(t, h, Call{})
			wantError(t, err, CodeTLSFailed, http.StatusBadGateway)
			if s.Accepted() > 2 {
				t.Errorf("%d connections", s.Accepted())
			}
		})
	}
}

func TestHTTP2UpstreamsAreSpokenToAndNeverAskedTwice(t *testing.T) {
	var asked atomic.Int32
	conf := &tls.Config{Certificates: []tls.Certificate{certificate(t, "127.0.0.1", time.Now().Add(time.Hour))}}
	s, roots := secure(t, conf, func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Error("spoken to in", r.Proto)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		if asked.Add(1) > 1 {
			panic(http.ErrAbortHandler) // RST_STREAM
		}
		_, _ = io.WriteString(w, hello)
	})
	h := client(t, s.URL, func(c *HTTPConfig) { c.Transport.TLSClientConfig = &tls.Config{RootCAs: roots} })
	if _, body, err := ask(t, h, Call{}); err != nil || body != hello {
		t.Fatal(body, err)
	}
	_, _, err := ask(t, h, Call{Header: http.Header{"Idempotency-Key": {"k"}}})
	wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
	if asked.Load() != 2 {
		t.Errorf("asked %d times, want 2", asked.Load())
	}
}
