package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"time"
)

// runReverseProxy is the role of httputil.ReverseProxy, set up to be fast: large
// pools of idle connections, a pool of buffers, no compression, and the timeouts of
// Footnote's own server.
func runReverseProxy(upstream string) error {
	target := &url.URL{Scheme: "http", Host: upstream}
	proxy := &httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:  &http.Transport{MaxIdleConns: 4096, MaxIdleConnsPerHost: 4096, IdleConnTimeout: 90 * time.Second, DisableCompression: true},
		BufferPool: &buffers{sync.Pool{New: func() any { return new([bufferBytes]byte) }}},
		ErrorLog:   slog.NewLogLogger(slog.NewTextHandler(io.Discard, nil), slog.LevelWarn),
	}
	return serveChild(&http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// The server closes the request's body when the answer begins, even if
			// the transport is about to read its end, and then one stream in some
			// thousands breaks off (golang/go#40747); full duplex keeps it open.
			_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1.1 always can
			proxy.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(slog.NewTextHandler(os.Stderr, nil), slog.LevelWarn),
	}, "")
}

const bufferBytes = 32 << 10

// buffers is a pool for httputil.ReverseProxy.
type buffers struct{ pool sync.Pool }

// Get returns a buffer.
func (b *buffers) Get() []byte {
	buffer, _ := b.pool.Get().(*[bufferBytes]byte)
	return buffer[:]
}

// Put takes a buffer back.
func (b *buffers) Put(p []byte) { b.pool.Put((*[bufferBytes]byte)(p)) }
