package servertest

import (
	"net"
	"testing"
)

// A server listens at its reserved port, and does again after it has stopped.
func TestAServerListensAtItsReservedPort(t *testing.T) {
	port, err := ReservePort()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String()); err == nil {
			_ = conn.Close()
			t.Fatal("a stopped server accepts connections")
		}
	}
}
