//go:build !linux

package sandbox

import "time"

// restrict does nothing here: the limits it would set are Linux's.
func restrict(request) error { return nil }

func allowCPU(time.Duration) {}

// waitedForCPU is not known here.
func waitedForCPU(int) time.Duration { return 0 }
