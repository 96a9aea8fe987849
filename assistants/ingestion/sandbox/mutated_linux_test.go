//go:build !race

// Under the race detector a child's memory includes the detector's, so the limits
// cannot be checked. These tests therefore run without it, in a command of their own.

package sandbox

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// mutatedLimits are those of a server, with room for a busy machine.
var mutatedLimits = Limits{Wall: 2 * time.Minute}

// openFiles counts the open files of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// checkChildMemory checks that no child has taken more memory than it may: its
// data, and the program itself.
func checkChildMemory(t *testing.T, limit int64) {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		t.Fatal(err)
	}
	t.Logf("the largest child took %d MiB", used.Maxrss>>10)
	if used.Maxrss<<10 > limit+128<<20 {
		t.Errorf("a child took %d MiB", used.Maxrss>>10)
	}
}
