package main

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A goal is a bound that a figure should keep: at most, or at least. Whether it does is
// printed and nothing more: figures belong to machines, tests do not.
type goal struct {
	title string
	bound float64
	unit  string
	least bool
}

func atMost(title string, bound float64, unit string) goal { return goal{title, bound, unit, false} }

func atLeast(title string, bound float64, unit string) goal { return goal{title, bound, unit, true} }

var goalHead = []string{"goal", "bound", "is", "holds"}

// row says in a table how a goal stands; measured is false if this run left it out.
func (g goal) row(v float64, measured bool) []string {
	sign := "≤"
	if g.least {
		sign = "≥"
	}
	row := append([]string{g.title, withUnit(sign+" "+strconv.FormatFloat(g.bound, 'f', -1, 64), g.unit)}, figureOf(v, g.unit, measured))
	switch {
	case !measured:
		return append(row, "not measured")
	case g.least && v >= g.bound, !g.least && v <= g.bound:
		return append(row, "yes")
	}
	return append(row, "no")
}

// unbound is a row for a figure without a goal.
func unbound(title string, v float64, unit string, measured bool) []string {
	return []string{title, "–", figureOf(v, unit, measured), ""}
}

// figureOf writes a figure with as many digits as mean something.
func figureOf(v float64, unit string, measured bool) string {
	if !measured {
		return "–"
	}
	digits := 4
	switch size := math.Abs(v); {
	case size >= 100:
		digits = 0
	case size >= 10:
		digits = 1
	case size >= 1:
		digits = 2
	}
	return withUnit(strconv.FormatFloat(v, 'f', digits, 64), unit)
}

func withUnit(figure, unit string) string { return strings.TrimSuffix(figure+" "+unit, " ") }

// A chatGoal is one of a run's figures.
type chatGoal struct {
	goal
	value func(figures) (float64, bool) // false: not measured in this run
}

// goals are P1 to P4 and P8 of what Footnote promises about the cost of a chat.
var goals = []chatGoal{
	{atMost("P1: JSON, 1 KB: CPU against ReverseProxy", 1.3, "×"), cpuRatio(phaseJSON, nameReverse)},
	{atMost("P1: JSON, 1 KB: the aim", 1.1, "×"), cpuRatio(phaseJSON, nameReverse)},
	{atMost("P1: JSON, 22 KB: CPU against ReverseProxy", 1.3, "×"), cpuRatio(phaseJSONLong, nameReverse)},
	{atMost("P1: JSON, 1 KB: CPU against nginx", 4, "×"), cpuRatio(phaseJSON, nameNginx)},
	{atMost("P2: stream, 1 KB: CPU against ReverseProxy", 1.5, "×"), cpuRatio(phaseStream, nameReverse)},
	{atMost("P2: stream, 22 KB: CPU against ReverseProxy", 1.5, "×"), cpuRatio(phaseStreamLong, nameReverse)},
	{atMost("P2: stream, 1 KB: CPU against encoding/json", 0.25, "×"), cpuRatio(phaseStream, nameDecoding)},
	{atMost("P3: 512 paced streams: CPU against ReverseProxy", 1.1, "×"), cpuRatio(phasePaced, nameReverse)},
	{atMost("P3: 512 paced streams: memory per stream", 130, "KB"), memoryPerStream},
	{atMost("P4: JSON, one at a time: p50 added to no proxy", 0.2, "ms"), added(phaseJSONAlone, wholeP50)},
	{atMost("P4: stream, one at a time: p50 added to no proxy", 0.5, "ms"), added(phaseAlone, wholeP50)},
	{atMost("P4: stream, one at a time: first chunk added to no proxy", 1, "ms"), added(phaseAlone, firstP50)},
	{atLeast("P8: scanning text with markers", 200, "MB/s"), speed(taskScan)},
	{atMost("P8: resolving 4 KB with 10 sources", 50, "µs"), engineMicroseconds(taskResolve)},
	{atMost("P8: the same with support and quotes", 1000, "µs"), engineMicroseconds(taskSupported)},
	{atMost("P8: stream, 1 KB: scanning, of its CPU", 5, "%"), scanShare},
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
