//go:build unix

package front

import (
	"math"
	"syscall"
)

// descriptorLimit is how many descriptors the process may have; 0: no bound.
// Go has raised the soft limit to the hard one by now.
func descriptorLimit() int64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	if n := uint64(limit.Cur); n < math.MaxInt32 { //nolint:unconvert // signed on some systems
		return int64(n)
	}
	return 0
}
