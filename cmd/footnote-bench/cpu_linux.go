package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuClock names the clock of cpuOf in the report.
const cpuClock = "the processes' CPU clocks (clock_gettime, in nanoseconds; user and system time of all threads, those that ended included)"

// cpuOf is the processor time that a process and its descendants have used. It reads
// their CPU clocks, which count nanoseconds; /proc/PID/stat counts ticks of 10 ms.
func cpuOf(pid int) (time.Duration, error) {
	pids, err := processTree(pid)
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, p := range pids {
		// clock_getcpuclockid(3): the complement of the pid, and CPUCLOCK_SCHED.
		var ts unix.Timespec
		if err := unix.ClockGettime(int32(^p<<3|2), &ts); err != nil {
			return 0, fmt.Errorf("CPU clock of process %d: %w", p, err)
		}
		sum += time.Duration(ts.Nano())
	}
	return sum, nil
}

// processTree lists a process and its descendants.
func processTree(pid int) ([]int, error) {
	pids := []int{pid}
	for i := 0; i < len(pids); i++ {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pids[i]))
		if err != nil {
			return nil, err
		}
		for _, task := range tasks {
			children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pids[i], task.Name()))
			if errors.Is(err, fs.ErrNotExist) {
				continue // the thread has ended
			}
			if err != nil {
				return nil, err
			}
			for field := range strings.FieldsSeq(string(children)) {
				child, err := strconv.Atoi(field)
				if err != nil {
					return nil, err
				}
				pids = append(pids, child)
			}
		}
	}
	return pids, nil
}

// rssOf is the resident memory of a process and its descendants, in bytes.
func rssOf(pid int) (int64, error) {
	pids, err := processTree(pid)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, p := range pids {
		n, err := statusBytes(p, "VmRSS:")
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// statusBytes reads a field of /proc/PID/status that is given in kB.
func statusBytes(pid int, field string) (int64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("process %d has no %s; it has ended", pid, field)
}

// processorName is the processor's model.
func processorName() string {
	raw, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// loadAverage is the machine's load over the last minute.
func loadAverage() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(raw), " ")
	return first
}
