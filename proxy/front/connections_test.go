package front

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
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

// Writing a refusal waits for the client. Closing must not wait: net/http may
// hold a lock meanwhile.
func TestClosingARefusedConnectionDoesNotWait(t *testing.T) {
	silent := &silentConn{reading: make(chan struct{}), closed: make(chan struct{})}
	c := &clientConn{Conn: silent, front: New(Config{}, slog.New(slog.DiscardHandler))}
	wrote, closed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request"+plainHeaders+"400 Bad Request")
	}()
	giveUp := time.After(30 * time.Second)
	select {
	case <-silent.reading:
	case <-giveUp:
		t.Fatal("what a refused client still sends is not read")
	case <-wrote:
		t.Error("the refusal is written, but what the client still sends is not read")
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

// A client that took something at the beginning and then nothing more is cut
// within five quarters of the time, not after twice as much.
func TestAClientThatStopsReadingIsCutSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		defer client.Close()
		c := &clientConn{Conn: server, front: New(Config{Timings: Timings{Write: 40 * time.Second}}, slog.New(slog.DiscardHandler))}
		go func() {
			for range 3 {
				<-time.After(time.Second)
				_, _ = client.Read(make([]byte, 1))
			}
		}()
		began := time.Now()
		n, err := c.send(make([]byte, 100))
		if took := time.Since(began); n != 3 || !errors.Is(err, os.ErrDeadlineExceeded) || took < 43*time.Second || took > 53*time.Second {
			t.Errorf("%d bytes, %v after %v", n, err, took)
		}
	})
}
