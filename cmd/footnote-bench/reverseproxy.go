package main

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"time"

	footnoteproxy "footnote/proxy"
)

// A listener serves HTTP until it is closed.
type listener interface {
	Serve(ln net.Listener) error
	Close() error
}

// plainServer serves a handler with the bounds that Footnote's own server has.
func plainServer(h http.Handler) listener {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(slog.NewTextHandler(os.Stderr, nil), slog.LevelWarn),
	}
}

// serveChild serves in the role of a contender, and knows the orders that all
// contenders of ours know.
func serveChild(server listener, key string, more ops) error {
	ln, err := listen()
	if err != nil {
		return err
	}
	go func() { _ = server.Serve(ln) }() // it ends with the process
	known := ops{"allocations": allocationsSoFar}
	for name, op := range more {
		known[name] = op
	}
	if err := obey(os.Stdin, os.Stdout, listening{Addr: ln.Addr().String(), Key: key}, known); err != nil {
		return err
	}
	return server.Close()
}

// tunedTransport has idle pools large enough for every connection of a run.
func tunedTransport() *http.Transport {
	return &http.Transport{MaxIdleConns: 4096, MaxIdleConnsPerHost: 4096, IdleConnTimeout: 90 * time.Second, DisableCompression: true}
}

// runReverseProxy is the role of httputil.ReverseProxy, set up with care:
// large idle pools, a pool of buffers, and no work that is not asked for. The
// roomy one collects garbage as seldom as Footnote does.
func runReverseProxy(upstream string, roomy bool) error {
	if roomy {
		footnoteproxy.RelaxGC()
	}
	target := &url.URL{Scheme: "http", Host: upstream}
	proxy := &httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:  tunedTransport(),
		BufferPool: &buffers{sync.Pool{New: func() any { return new([bufferBytes]byte) }}},
		ErrorLog:   slog.NewLogLogger(slog.NewTextHandler(io.Discard, nil), slog.LevelWarn),
	}
	return serveChild(plainServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The server closes the request's body when the answer begins, even if
		// the transport is about to read its end, and then one stream in some
		// thousands breaks off (golang/go#40747); full duplex keeps it open.
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1.1 can
		proxy.ServeHTTP(w, r)
	})), "", nil)
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
