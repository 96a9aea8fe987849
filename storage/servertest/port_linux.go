package servertest

import (
	"os"
	"strconv"
	"syscall"
)

// ReservePort chooses a port of 127.0.0.1 for a server and keeps it until the test
// process ends: while the server is stopped, the system gives the port to no other
// process. A socket that is bound and does not listen does that. A server that sets
// SO_REUSEADDR, as all do, can still listen.
func ReservePort() (string, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return "", os.NewSyscallError("socket", err)
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return "", os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return "", os.NewSyscallError("bind", err)
	}
	address, err := syscall.Getsockname(fd)
	if err != nil {
		return "", os.NewSyscallError("getsockname", err)
	}
	return strconv.Itoa(address.(*syscall.SockaddrInet4).Port), nil
}
