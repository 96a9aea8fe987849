package servertest

import (
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A server listens at its reserved port, and does again after it has stopped. In between
// no other socket gets the port.
func TestAServerListensAtItsReservedPort(t *testing.T) {
	port, err := ReservePort()
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", port)
	for range 2 {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address); err == nil {
			_ = conn.Close()
			t.Fatal("a stopped server accepts connections")
		}
		if runtime.GOOS == "linux" {
			refused(t, address)
		}
	}
}

// refused checks that a socket which does not share its port cannot have this one, as those
// that the system gives a port cannot.
func refused(t *testing.T, address string) {
	t.Helper()
	alone := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		if err := c.Control(func(fd uintptr) { failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0) }); err != nil {
			return err
		}
		return failed
	}}
	l, err := alone.Listen(t.Context(), "tcp", address)
	if err == nil {
		_ = l.Close()
		t.Fatal("the port of a stopped server can be had")
	}
	if !strings.Contains(err.Error(), "address already in use") {
		t.Error(err)
	}
}
