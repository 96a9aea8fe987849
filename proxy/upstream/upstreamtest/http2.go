package upstreamtest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// HTTP2 is a server that speaks HTTP/2 over TLS frame by frame, so that it can
// break every rule of it.
type HTTP2 struct {
	listener net.Listener
	script   func(*HTTP2Conn) error
	running  sync.WaitGroup

	mu       sync.Mutex
	open     map[net.Conn]bool
	accepted int
	requests int
	closed   bool
}

// NewHTTP2 starts a server that plays the script to each connection, after the
// client's preface, and closes the connection when the script returns.
func NewHTTP2(t testing.TB, cert tls.Certificate, script func(*HTTP2Conn) error) *HTTP2 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conf := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{http2.NextProtoTLS}}
	s := &HTTP2{listener: tls.NewListener(l, conf), script: script, open: map[net.Conn]bool{}}
	s.running.Go(s.accept)
	t.Cleanup(s.Close)
	return s
}

// URL is the server's base URL, as an OpenAI SDK wants it.
func (s *HTTP2) URL() string { return "https://" + s.Addr() + "/v1" }

// Addr is the server's host and port.
func (s *HTTP2) Addr() string { return s.listener.Addr().String() }

// Count is the number of requests that have begun.
func (s *HTTP2) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Accepted is the number of connections that were made, closed ones included.
func (s *HTTP2) Accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted
}

// Conns is the number of connections that are open.
func (s *HTTP2) Conns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Close ends all connections and waits for the scripts to end.
func (s *HTTP2) Close() {
	s.mu.Lock()
	s.closed = true
	_ = s.listener.Close() // closing twice is fine
	for c := range s.open {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
}

func (s *HTTP2) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		s.mu.Lock()
		if s.closed {
			_ = c.Close()
		}
		s.accepted++
		s.open[c] = true
		s.mu.Unlock()
		s.running.Go(func() { s.serve(c) })
	}
}

func (s *HTTP2) serve(c net.Conn) {
	defer func() {
		_ = c.Close() // the script may have done so
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
	}()
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c, preface); err != nil || string(preface) != http2.ClientPreface {
		return
	}
	conn := &HTTP2Conn{Framer: http2.NewFramer(c, c), Conn: c, server: s}
	conn.hpack = hpack.NewEncoder(&conn.block)
	_ = s.script(conn) // it ends with the connection
}

// HTTP2Conn is a connection that a script plays to.
type HTTP2Conn struct {
	*http2.Framer
	Conn   net.Conn
	server *HTTP2
	hpack  *hpack.Encoder
	block  bytes.Buffer
}

// errNoStream says that the client closed a stream that the script waited for.
var errNoStream = errors.New("the client gave the stream up")

// Request waits for a whole request and returns its stream. On the way it
// answers pings and settings, and gives the client room to send.
func (c *HTTP2Conn) Request() (stream uint32, err error) {
	for {
		f, err := c.ReadFrame()
		if err != nil {
			return 0, err
		}
		ended := false
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				err = c.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !f.IsAck() {
				err = c.WritePing(true, f.Data)
			}
		case *http2.HeadersFrame:
			c.server.mu.Lock()
			c.server.requests++
			c.server.mu.Unlock()
			ended = f.StreamEnded()
		case *http2.DataFrame:
			ended = f.StreamEnded()
			if n := uint32(len(f.Data())); n > 0 {
				err = errors.Join(c.WriteWindowUpdate(0, n), c.WriteWindowUpdate(f.StreamID, n))
			}
		case *http2.RSTStreamFrame:
			return 0, errNoStream
		}
		if err != nil || ended {
			return f.Header().StreamID, err
		}
	}
}

// Drain reads frames until the client has gone.
func (c *HTTP2Conn) Drain() error {
	for {
		if _, err := c.ReadFrame(); err != nil {
			return err
		}
	}
}

// Head sends the headers of an answer; each header is a name and a value.
func (c *HTTP2Conn) Head(stream uint32, status int, headers ...string) error {
	c.block.Reset()
	fields := append([]string{":status", strconv.Itoa(status)}, headers...)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := c.hpack.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}); err != nil {
			return err
		}
	}
	return c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: c.block.Bytes(), EndHeaders: true})
}

// Events begins an event stream and sends events, each in a frame of its own.
func (c *HTTP2Conn) Events(stream uint32, data ...string) error {
	if err := c.Head(stream, 200, "content-type", "text/event-stream"); err != nil {
		return err
	}
	for _, d := range data {
		if err := c.WriteData(stream, false, []byte("data: "+d+"\n\n")); err != nil {
			return err
		}
	}
	return nil
}
