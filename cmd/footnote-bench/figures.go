package main

import (
	"slices"
	"time"
)

// A sample is what was measured in one turn.
type sample struct {
	result  loadResult
	cpu     time.Duration
	mallocs uint64
	// allocated is bytes; of the engine alone.
	allocated uint64
	memory    int64 // more bytes resident than before, at most; 0 unless watched
}

// figures are all samples by phase and contender, in the order of rounds.
type figures map[[2]string][]sample

func (f figures) add(phase, contender string, s sample) {
	key := [2]string{phase, contender}
	f[key] = append(f[key], s)
}

// median is the median of what of says about each round; ok is false when
// nothing was measured.
func (f figures) median(phase, contender string, of func(sample) float64) (float64, bool) {
	var values []float64
	for _, s := range f[[2]string{phase, contender}] {
		values = append(values, of(s))
	}
	return medianOf(values)
}

// ratio is the median of a contender's multiple of another, each within one
// round: what slows a round down slows both.
func (f figures) ratio(phase, contender, base string, of func(sample) float64) (float64, bool) {
	mine, theirs := f[[2]string{phase, contender}], f[[2]string{phase, base}]
	var values []float64
	for i := range min(len(mine), len(theirs)) {
		if b := of(theirs[i]); b > 0 {
			values = append(values, of(mine[i])/b)
		}
	}
	return medianOf(values)
}

func medianOf(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2, true
}

// cpuUsed is the processor time that a process and its descendants use while work runs.
func cpuUsed(pid int, work func() error) (time.Duration, error) {
	before, err := cpuOf(pid)
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	after, err := cpuOf(pid)
	return after - before, err
}
