//go:build !linux

package servertest

import (
	"context"
	"errors"
	"net"
)

// ReservePort asks the system for a port of 127.0.0.1. Another process may take it
// while the server is stopped.
func ReservePort() (string, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}
