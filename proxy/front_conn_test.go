package proxy

import (
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"
)

// A silentConn takes what is written; its reads last until it is closed.
type silentConn struct {
	net.Conn
	reading, closed chan struct{}
	read, gone      sync.Once
}

func (c *silentConn) Write(p []byte) (int, error)      { return len(p), nil }
func (c *silentConn) SetReadDeadline(time.Time) error  { return nil }
func (c *silentConn) SetWriteDeadline(time.Time) error { return nil }
func (c *silentConn) CloseWrite() error                { return nil }

func (c *silentConn) Read([]byte) (int, error) {
	c.read.Do(func() { close(c.reading) })
	<-c.closed
	return 0, io.EOF
}

func (c *silentConn) Close() error {
	c.gone.Do(func() { close(c.closed) })
	return nil
}

// Whoever writes a refusal waits for its client; whoever closes the connection
// may hold net/http's lock, and waits for nobody.
func TestClosingARefusedConnectionWaitsForNobody(t *testing.T) {
	silent := &silentConn{reading: make(chan struct{}), closed: make(chan struct{})}
	s := &Server{deps: Deps{Log: slog.New(slog.DiscardHandler)}, load: newLoad(0)}
	s.cfg.Timings = s.cfg.Timings.withDefaults()
	c := &clientConn{Conn: silent, front: &HTTPServer{proxy: s}}
	wrote, closed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request"+plainHeaders+"400 Bad Request")
	}()
	giveUp := time.After(30 * time.Second)
	select {
	case <-silent.reading:
	case <-giveUp:
		t.Fatal("nobody reads what a refused client still sends")
	case <-wrote:
		t.Error("the refusal is written, and nobody reads what the client still sends")
	}
	go func() {
		defer close(closed)
		_ = c.Close()
	}()
	select {
	case <-closed:
	case <-giveUp:
		t.Error("the connection cannot be closed while its client is silent")
	}
	_ = silent.Close()
	<-closed
	<-wrote
}
