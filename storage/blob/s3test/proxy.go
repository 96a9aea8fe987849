package s3test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// A Proxy stands before a server and can answer in its place.
type Proxy struct {
	URL string

	mu      sync.Mutex
	answer  func(w http.ResponseWriter, r *http.Request, server http.Handler)
	request []*http.Request
}

// NewProxy starts a proxy before a server, until the test ends.
func NewProxy(t testing.TB, endpoint string) *Proxy {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	forward := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is signed
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) },
	}
	p := &Proxy{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		answer := p.answer
		p.request = append(p.request, r.Clone(r.Context()))
		p.mu.Unlock()
		if answer == nil {
			forward.ServeHTTP(w, r)
			return
		}
		answer(w, r, forward)
	}))
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
		transport.CloseIdleConnections()
	})
	p.URL = front.URL
	return p
}

// Answer makes the proxy answer all requests with fn from now on; server passes a
// request on. nil: all are passed on.
func (p *Proxy) Answer(fn func(w http.ResponseWriter, r *http.Request, server http.Handler)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer, p.request = fn, nil
}

// Requests are those since the last call of Answer, without their bodies.
func (p *Proxy) Requests() []*http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.request
}

// Fail answers with an error of S3.
func Fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	// A client that has gone does not matter.
	_, _ = w.Write([]byte(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>` + code + `</Code><Message>told by the server</Message></Error>`))
}

// Cut passes a request on, sends the first n bytes of the answer's body and breaks the
// connection.
func Cut(w http.ResponseWriter, r *http.Request, server http.Handler, n int) {
	server.ServeHTTP(&cutWriter{ResponseWriter: w, left: n}, r)
}

type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Write(p []byte) (int, error) {
	if len(p) < c.left {
		c.left -= len(p)
		return c.ResponseWriter.Write(p)
	}
	if _, err := c.ResponseWriter.Write(p[:c.left]); err != nil {
		return 0, err
	}
	if f, ok := c.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
	panic(http.ErrAbortHandler)
}
