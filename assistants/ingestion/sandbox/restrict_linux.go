package sandbox

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hardCPU is what the limit on processor time may be raised to, in seconds.
const hardCPU = 3600

// restrict takes away from this process what a reader does not need.
func restrict(req request) error {
	limits := []struct {
		name     string
		resource int
		value    uint64
	}{
		{"core", unix.RLIMIT_CORE, 0},
		{"nofile", unix.RLIMIT_NOFILE, 64},
	}
	if !raceDetector {
		// The race detector maps its shadow memory as data.
		limits = append(limits, struct {
			name     string
			resource int
			value    uint64
		}{"data", unix.RLIMIT_DATA, uint64(req.Memory)})
	}
	for _, l := range limits {
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.value, Max: l.value}); err != nil {
			return fmt.Errorf("limit %s: %w", l.name, err)
		}
	}
	// The next two calls concern the calling thread. The filter is installed with
	// TSYNC, which extends both to all other threads.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	// A kernel without filters confines less; Isolation reports that.
	_ = filter()
	used := make(chan os.Signal, 1)
	signal.Notify(used, syscall.SIGXCPU)
	go func() {
		<-used
		os.Exit(exitCPU)
	}()
	allowCPU(req.CPU)
	return nil
}

// allowCPU sets the processor time this process may use in all. A failure is
// ignored, because the limit on elapsed time still applies.
func allowCPU(d time.Duration) {
	seconds := min(uint64((d+time.Second-1)/time.Second), hardCPU)
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: hardCPU})
}

// waitedForCPU returns how long a process was ready to run but waited for a
// processor: the time of the thread that waited longest, or 0 if it is unknown.
func waitedForCPU(pid int) time.Duration {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var most time.Duration
	for _, name := range threads {
		var ran, waited int64
		if raw, err := os.ReadFile(name); err == nil {
			_, _ = fmt.Sscan(string(raw), &ran, &waited) // the file of a thread that has ended is empty
		}
		most = max(most, time.Duration(waited))
	}
	return most
}
