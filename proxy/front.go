package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds on what a client can hold open before it is known.
const (
	headerTime = 10 * time.Second
	idleTime   = 120 * time.Second
	// headerBytes is the most that a request's line and headers may have.
	headerBytes = 64 << 10
	// headerSlop is what net/http reads beyond the limit it is told.
	headerSlop = 4 << 10
	// sendBuffer bounds what the kernel keeps for a client that does not read:
	// left alone it takes up to 4 MiB for each.
	sendBuffer = 128 << 10
)

// An HTTPServer faces the clients. It is net/http's server with the bounds
// above, on connections that are counted, that are cut when nobody takes what
// is written to them, and on which every refusal is JSON.
type HTTPServer struct {
	*http.Server
	proxy *Server
}

// NewHTTPServer returns the HTTP server of s. There is no WriteTimeout: an
// answer may last as long as the client takes some of it now and then.
func NewHTTPServer(s *Server) *HTTPServer {
	h := &HTTPServer{proxy: s}
	h.Server = &http.Server{
		Handler:                      answering(s.Handler()),
		ConnContext:                  withConn,
		ConnState:                    connState,
		ReadHeaderTimeout:            headerTime,
		IdleTimeout:                  idleTime,
		MaxHeaderBytes:               headerBytes - headerSlop,
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is a path like any other
		ErrorLog:                     slog.NewLogLogger(s.deps.Log.Handler(), slog.LevelWarn),
	}
	s.load.makeRoom = h.makeRoom
	return h
}

// connKey finds a request's connection in its context.
type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// answering notes on the connection that a handler has the request: whatever
// is written from here on is an answer, whatever it looks like.
func answering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*clientConn); ok {
			c.answered.Store(true)
		}
		next.ServeHTTP(w, r)
	})
}

// connState follows a connection: once it is idle its answer is out, and it is
// net/http's again, also when the next request has come already.
func connState(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*clientConn)
	if !ok {
		return
	}
	if state == http.StateIdle {
		c.answered.Store(false)
	}
	c.rest(state == http.StateIdle)
}

// Serve serves the connections of ln until Shutdown or Close.
func (h *HTTPServer) Serve(ln net.Listener) error {
	return h.Server.Serve(&clientListener{Listener: ln, front: h})
}

// A clientListener accepts connections as long as there are descriptors for them.
type clientListener struct {
	net.Listener
	front *HTTPServer
}

// Accept waits for a connection that can be served. Others are told and closed.
func (l *clientListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			if isExhausted(err) {
				l.front.makeRoom()
			}
			return nil, err // net/http tries again after a pause
		}
		c := &clientConn{Conn: conn, front: l.front}
		if !l.front.proxy.load.connect() {
			l.front.makeRoom()
			go c.turnAway()
			continue
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(sendBuffer) // a refusal of the kernel costs memory, not correctness
		}
		return c, nil
	}
}

// makeRoom closes the connections that only wait for a next request: they hold
// descriptors that others need now.
func (h *HTTPServer) makeRoom() {
	if h.proxy.load.idle.Load() == 0 {
		return
	}
	h.SetKeepAlivesEnabled(false) // closes what is idle
	h.SetKeepAlivesEnabled(true)
}

// A clientConn is a client's connection.
type clientConn struct {
	net.Conn
	front    *HTTPServer
	deadline time.Time // of the writes
	gone     sync.Once
	idle     atomic.Bool
	answered atomic.Bool // a handler has the request, and may have written
}

// Write writes p for as long as the client takes some of it within the time a
// write may take. Deadlines are absolute, so each is moved once it comes near.
func (c *clientConn) Write(p []byte) (int, error) {
	if answer := c.refusal(p); answer != nil {
		_, err := c.send(answer)
		c.linger() // here, where the connection is served: whoever closes it may hold a lock
		return len(p), err
	}
	return c.send(p)
}

func (c *clientConn) send(p []byte) (n int, err error) {
	patience := c.front.proxy.cfg.Timings.Write
	for {
		if limit := time.Now().Add(patience); limit.Sub(c.deadline) > patience/16 {
			if err := c.SetWriteDeadline(limit); err != nil {
				return n, err
			}
		}
		m, err := c.Conn.Write(p[n:])
		n += m
		if err == nil || m == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

// SetWriteDeadline notes the deadline: net/http takes it off between requests.
func (c *clientConn) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return c.Conn.SetWriteDeadline(t)
}

// CloseWrite ends the answer while the client may still be sending.
func (c *clientConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// rest notes whether the connection only waits for a next request.
func (c *clientConn) rest(idle bool) {
	switch {
	case c.idle.Swap(idle) == idle:
	case idle:
		c.front.proxy.load.idle.Add(1)
	default:
		c.front.proxy.load.idle.Add(-1)
	}
}

// Close closes the connection and gives its place away.
func (c *clientConn) Close() error {
	c.gone.Do(c.front.proxy.load.disconnect)
	c.rest(false)
	return c.Conn.Close()
}
