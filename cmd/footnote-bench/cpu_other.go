//go:build !linux

package main

import (
	"errors"
	"time"
)

// Processor time and memory of other processes are read from Linux's
// /proc. On other systems the program builds, and returns an error.

var errLinux = errors.New("footnote-bench measures on Linux only")

const cpuClock = "nothing"

func cpuOf(int) (time.Duration, error) { return 0, errLinux }

func rssOf(int) (int64, error) { return 0, errLinux }

func processorName() string { return "unknown processor" }

func loadAverage() string { return "unknown" }
