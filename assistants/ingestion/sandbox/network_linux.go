package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// canIsolate says whether children may be asked to have a network of their own.
const canIsolate = true

// withoutNetwork gives a child a network of its own, which has no interface
// that is up. That takes a user namespace, in which the child keeps our user and
// group ids.
func withoutNetwork(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: syscall.Getuid(), HostID: syscall.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: syscall.Getgid(), HostID: syscall.Getgid(), Size: 1}},
	}
}

// refusesNamespace reports whether a kernel, a container or a policy allows no
// user namespaces.
func refusesNamespace(err error) bool {
	for _, e := range []error{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSPC, syscall.EUSERS, syscall.ENOSYS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// filter forbids every thread of this process to open a socket, with a seccomp
// filter. io_uring could open one behind the filter's back, and ptrace could
// have another process do it, so both are forbidden, too.
func filter() error {
	arch, known := auditArch[runtime.GOARCH]
	if !known {
		return errors.ErrUnsupported
	}
	refuse := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EACCES)
	calls := []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_IO_URING_SETUP, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_WRITEV}
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 4}, // the architecture
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: arch, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS}, // system calls of another one
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},               // the call's number
		// Calls of x32 have numbers of their own.
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: 0x40000000, Jt: uint8(len(calls) + 1)},
	}
	for i, n := range calls {
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: n, Jt: uint8(len(calls) - i)})
	}
	program = append(program,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: refuse})
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return fmt.Errorf("install the filter: %w", errno)
	}
	return nil
}

var auditArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// isolation finds out what this process cannot do by trying.
func isolation() Isolation {
	var i Isolation
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	i.Filter = errors.Is(err, unix.EACCES)
	i.Namespace = hasNoNetwork()
	switch {
	case i.Namespace && i.Filter:
		i.Network = "namespace, filter"
	case i.Namespace:
		i.Network = "namespace"
	case i.Filter:
		i.Network = "filter"
	default:
		i.Network = "none"
	}
	var limit unix.Rlimit
	i.Memory = unix.Getrlimit(unix.RLIMIT_DATA, &limit) == nil && limit.Cur < 1<<40
	i.CPU = unix.Getrlimit(unix.RLIMIT_CPU, &limit) == nil && limit.Cur <= hardCPU
	return i
}

// hasNoNetwork reports whether there is no way out of this process's network: no
// interface but the loopback one.
func hasNoNetwork() bool {
	raw, err := os.ReadFile("/proc/self/net/dev")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(raw)) {
		if name, _, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) != "lo" {
			return false
		}
	}
	return true
}

// dieWithParent has a command killed when this thread ends.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
