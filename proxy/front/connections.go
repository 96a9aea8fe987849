package front

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

// Bounds on what a client can hold open before its request is known.
const (
	headerTime = 10 * time.Second
	idleTime   = 120 * time.Second
	// headerBytes bounds a request's line and headers.
	headerBytes = 64 << 10
	// headerSlop is what net/http reads beyond its limit.
	headerSlop = 4 << 10
	// sendBuffer bounds what the kernel keeps for a client that does not read.
	// By default it keeps up to 4 MiB for each.
	sendBuffer = 128 << 10
)

// An HTTPServer is net/http's server with the bounds above. Its connections are
// counted, are cut when the client takes nothing of what is written, and every
// refusal on them is JSON.
type HTTPServer struct {
	*http.Server
	front *Front
}

// HTTPServer returns a server of h. It has no WriteTimeout: an answer may last
// as long as the client takes some of it now and then.
func (f *Front) HTTPServer(h http.Handler) *HTTPServer {
	s := &HTTPServer{front: f}
	s.Server = &http.Server{
		Handler:                      markAnswered(h),
		ConnContext:                  withConn,
		ConnState:                    trackState,
		ReadHeaderTimeout:            headerTime,
		IdleTimeout:                  idleTime,
		MaxHeaderBytes:               headerBytes - headerSlop,
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is a path like any other
		ErrorLog:                     slog.NewLogLogger(f.log.Handler(), slog.LevelWarn),
	}
	f.load.closeIdle = s.closeIdle
	return s
}

// connKey finds a request's connection in its context.
type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// markAnswered notes on the connection that a handler has the request. From
// here on, what is written is an answer even if it looks like a refusal.
func markAnswered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*clientConn); ok {
			c.answered.Store(true)
			defer func() { // after a panic
				if c.held != nil {
					_ = Sender{c}.Send()
				}
			}()
		}
		next.ServeHTTP(w, r)
	})
}

// trackState follows a connection. Once it is idle its answer is out and
// net/http may write a refusal again, even if the next request has come already.
func trackState(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*clientConn)
	if !ok {
		return
	}
	if state == http.StateIdle {
		c.answered.Store(false)
	}
	c.setIdle(state == http.StateIdle)
}

// Serve serves the connections of ln until Shutdown or Close.
func (s *HTTPServer) Serve(ln net.Listener) error {
	return s.Server.Serve(&clientListener{Listener: ln, server: s})
}

// A clientListener accepts connections as long as there are descriptors for them.
type clientListener struct {
	net.Listener
	server *HTTPServer
}

// Accept waits for a connection that can be served. Others get an error and are closed.
func (l *clientListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			if isExhausted(err) {
				l.server.closeIdle()
			}
			return nil, err // net/http tries again after a pause
		}
		c := &clientConn{Conn: conn, front: l.server.front}
		if !l.server.front.load.connect() {
			l.server.closeIdle()
			go c.turnAway()
			continue
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(sendBuffer) // a refusal of the kernel costs memory, not correctness
		}
		return c, nil
	}
}

// closeIdle closes the connections that only wait for a next request: they hold
// descriptors that others need now.
func (s *HTTPServer) closeIdle() {
	if s.front.load.idle.Load() == 0 {
		return
	}
	s.SetKeepAlivesEnabled(false) // closes what is idle
	s.SetKeepAlivesEnabled(true)
}

// A clientConn is a client's connection.
type clientConn struct {
	net.Conn
	front    *Front
	deadline time.Time // of the writes
	closed   sync.Once
	idle     atomic.Bool
	answered atomic.Bool // a handler has the request, and may have written

	held   *[]byte // what a [Sender] holds back; nil: nothing is held back
	failed error   // of sending that; net/http does not know of it
}

// Write writes p as long as the client takes some of it within Timings.Write.
func (c *clientConn) Write(p []byte) (int, error) {
	if c.held != nil {
		*c.held = append(*c.held, p...)
		return len(p), nil
	}
	if c.failed != nil {
		return 0, c.failed
	}
	if answer := c.refusal(p); answer != nil {
		_, err := c.send(answer)
		c.linger() // here, because Close may run under a lock of net/http
		return len(p), err
	}
	return c.send(p)
}

// send writes p in steps of a quarter of Timings.Write: a write says only at its
// end that the client took something. Deadlines are absolute, so each is moved
// once it comes near.
func (c *clientConn) send(p []byte) (n int, err error) {
	patience := c.front.cfg.Write
	step := patience / 4
	now := time.Now()
	for moved := now; ; now = time.Now() {
		if limit := now.Add(step); limit.Sub(c.deadline) > step/4 {
			if err := c.SetWriteDeadline(limit); err != nil {
				return n, err
			}
		}
		m, err := c.Conn.Write(p[n:])
		n += m
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if m > 0 {
			moved = time.Now()
		} else if time.Since(moved) >= patience {
			return n, err
		}
	}
}

// SetWriteDeadline notes the deadline: net/http clears it between requests.
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

// setIdle notes whether the connection only waits for a next request.
func (c *clientConn) setIdle(idle bool) {
	switch {
	case c.idle.Swap(idle) == idle:
	case idle:
		c.front.load.idle.Add(1)
	default:
		c.front.load.idle.Add(-1)
	}
}

// Close closes the connection and frees its place.
func (c *clientConn) Close() error {
	c.closed.Do(c.front.load.disconnect)
	c.setIdle(false)
	return c.Conn.Close()
}
