package proxy_test

import (
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"footnote/proxy/upstream"
)

// full is a host that drops every further attempt to connect, as a firewall
// does: its listener has a short queue, which is full.
type full struct{ addr string }

func (f full) URL() string  { return "http://" + f.addr + "/v1" }
func (f full) Addr() string { return f.addr }
func (f full) Count() int   { return 0 }
func (f full) Conns() int   { return 0 }

func dropsConnections(t *testing.T) modelServer {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for range 16 {
		c, err := net.DialTimeout("tcp", addr, 100*time.Millisecond)
		if err != nil {
			return full{addr}
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	t.Fatal("the queue does not fill up")
	return nil
}

func TestUpstreamFaultsDroppedConnections(t *testing.T) {
	want := refuses(504, timedOut)
	want.calls = noCalls
	playFaults(t, []fault{{id: "U-003 SYN dropped", serve: dropsConnections, want: want, tune: func(c *upstream.HTTPConfig) {
		c.Transport = upstream.NewTransport(200*time.Millisecond, 0)
	}}})
}
