package main

import (
	"fmt"
	"time"
)

// A goal is a bound that a figure of Footnote should keep: at most, or at least. Whether it does is
// printed and nothing more: figures belong to machines, tests do not.
type goal struct {
	id    string
	title string
	bound float64
	unit  string
	least bool
	value func(figures) (float64, bool) // false: not measured in this run
}

// goals are P1 to P4 and P8 of what Footnote promises about the cost of a chat.
var goals = []goal{
	{"P1", "JSON, 1 KB: CPU against ReverseProxy", 1.3, "×", false, cpuRatio(phaseJSON, nameReverse)},
	{"P1", "JSON, 1 KB: the aim", 1.1, "×", false, cpuRatio(phaseJSON, nameReverse)},
	{"P1", "JSON, 22 KB: CPU against ReverseProxy", 1.3, "×", false, cpuRatio(phaseJSONLong, nameReverse)},
	{"P1", "JSON, 1 KB: CPU against nginx", 4, "×", false, cpuRatio(phaseJSON, nameNginx)},
	{"P2", "stream, 1 KB: CPU against ReverseProxy", 1.5, "×", false, cpuRatio(phaseStream, nameReverse)},
	{"P2", "stream, 22 KB: CPU against ReverseProxy", 1.5, "×", false, cpuRatio(phaseStreamLong, nameReverse)},
	{"P2", "stream, 1 KB: CPU against encoding/json", 0.25, "×", false, cpuRatio(phaseStream, nameDecoding)},
	{"P3", "512 paced streams: CPU against ReverseProxy", 1.1, "×", false, cpuRatio(phasePaced, nameReverse)},
	{"P3", "512 paced streams: memory per stream", 130, "KB", false, memoryPerStream},
	{"P4", "JSON, one at a time: p50 added to no proxy", 0.2, "ms", false, added(phaseJSONAlone, wholeP50)},
	{"P4", "stream, one at a time: p50 added to no proxy", 0.5, "ms", false, added(phaseAlone, wholeP50)},
	{"P4", "stream, one at a time: first chunk added to no proxy", 1, "ms", false, added(phaseAlone, firstP50)},
	{"P8", "scanning text with markers", 200, "MB/s", true, speed(taskScan)},
	{"P8", "resolving 4 KB with 10 sources", 50, "µs", false, engineMicroseconds(taskResolve)},
	{"P8", "the same with support and quotes", 1000, "µs", false, engineMicroseconds(taskSupported)},
	{"P8", "stream, 1 KB: scanning, of its CPU", 5, "%", false, scanShare},
}

func cpuRatio(phase, base string) func(figures) (float64, bool) {
	return func(f figures) (float64, bool) { return f.ratio(phase, nameFootnote, base, cpuPerRequest) }
}

func memoryPerStream(f figures) (float64, bool) {
	return f.median(phasePaced, nameFootnote, kilobytesPerStream)
}

// added is how much later Footnote is than the upstream itself, in milliseconds.
func added(phase string, of func(sample) float64) func(figures) (float64, bool) {
	return func(f figures) (float64, bool) {
		with, ok := f.median(phase, nameFootnote, of)
		without, okToo := f.median(phase, nameDirect, of)
		return with - without, ok && okToo
	}
}

func cpuPerRequest(s sample) float64 { return microseconds(s.cpu) / float64(s.result.Answers) }

func cpuPerChunk(s sample) float64 { return cpuPerRequest(s) / streamChunks }

func allocationsPerRequest(s sample) float64 { return float64(s.mallocs) / float64(s.result.Answers) }

func kilobytesPerRequest(s sample) float64 {
	return float64(s.allocated) / 1024 / float64(s.result.Answers)
}

func kilobytesPerStream(s sample) float64 { return float64(s.memory) / 1024 / pacedStreams }

func wholeP50(s sample) float64 { return microseconds(s.result.Whole.P50) / 1000 }
func wholeP99(s sample) float64 { return microseconds(s.result.Whole.P99) / 1000 }
func firstP50(s sample) float64 { return microseconds(s.result.First.P50) / 1000 }

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// verdict says how a goal stands.
func (g goal) verdict(f figures) (figure, holds string) {
	v, ok := g.value(f)
	if !ok {
		return "–", "not measured"
	}
	holds = "no"
	if g.least && v >= g.bound || !g.least && v <= g.bound {
		holds = "yes"
	}
	return fmt.Sprintf("%.2f %s", v, g.unit), holds
}

// limit says the bound.
func (g goal) limit() string {
	sign := "≤"
	if g.least {
		sign = "≥"
	}
	return fmt.Sprintf("%s %g %s", sign, g.bound, g.unit)
}
