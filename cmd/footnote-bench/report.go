package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A sample is what was measured in one turn.
type sample struct {
	result  loadResult
	cpu     time.Duration
	mallocs uint64
	memory  int64 // largest growth of the resident memory, in bytes; 0 if it was not measured
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func cpuPerRequest(s sample) float64 { return microseconds(s.cpu) / float64(s.result.answers) }

func cpuPerChunk(s sample) float64 { return cpuPerRequest(s) / streamChunks }

func allocationsPerRequest(s sample) float64 { return float64(s.mallocs) / float64(s.result.answers) }

func kilobytesPerStream(s sample) float64 { return float64(s.memory) / 1024 / pacedStreams }

func wholeP50(s sample) float64 { return microseconds(s.result.whole.p50) / 1000 }
func wholeP99(s sample) float64 { return microseconds(s.result.whole.p99) / 1000 }
func firstP50(s sample) float64 { return microseconds(s.result.first.p50) / 1000 }

// figures are all samples by phase and contender, in the order of rounds.
type figures map[[2]string][]sample

// median is the median of a metric over the rounds; NaN when nothing was measured.
func (f figures) median(phase, contender string, metric func(sample) float64) float64 {
	var values []float64
	for _, s := range f[[2]string{phase, contender}] {
		values = append(values, metric(s))
	}
	return medianOf(values)
}

// ratio is the median of the ratios of a contender's metric to another's. Each ratio
// is of one round, because what slows a round down slows both.
func (f figures) ratio(phase, contender, base string, metric func(sample) float64) float64 {
	mine, theirs := f[[2]string{phase, contender}], f[[2]string{phase, base}]
	var values []float64
	for i := range min(len(mine), len(theirs)) {
		if b := metric(theirs[i]); b > 0 {
			values = append(values, metric(mine[i])/b)
		}
	}
	return medianOf(values)
}

func medianOf(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// A goal is an upper bound for a figure of Footnote. The report says whether it
// holds. A test must not, because figures depend on the machine.
type goal struct {
	title string
	bound float64
	unit  string
	value func(figures) float64 // NaN: not measured in this run
}

// goals are Footnote's goals P1 to P4 for the cost of a chat.
var goals = []goal{
	{"P1: JSON, question seen before: CPU against ReverseProxy", 3, "×", cpuRatio(phaseJSON, nameFootnote, nameReverse)},
	{"P1: JSON, new question: CPU against ReverseProxy", 6, "×", cpuRatio(phaseJSONCold, nameFootnote, nameReverse)},
	{"P1: JSON, without retrieval: CPU against ReverseProxy", 1.4, "×", cpuRatio(phaseJSON, namePlain, nameReverse)},
	{"P2: stream, question seen before: CPU against ReverseProxy", 2.2, "×", cpuRatio(phaseStream, nameFootnote, nameReverse)},
	{"P2: stream, without retrieval: CPU against ReverseProxy", 1.3, "×", cpuRatio(phaseStream, namePlain, nameReverse)},
	{"P3: 512 paced streams: CPU against ReverseProxy", 1.15, "×", cpuRatio(phasePaced, nameFootnote, nameReverse)},
	{"P3: 512 paced streams: memory per stream", 130, "KB", func(f figures) float64 { return f.median(phasePaced, nameFootnote, kilobytesPerStream) }},
	{"P4: JSON, one at a time: p50 added to no proxy", 0.5, "ms", addedLatency(phaseJSONAlone, wholeP50)},
	{"P4: stream, one at a time: p50 added to no proxy", 0.5, "ms", addedLatency(phaseStreamAlone, wholeP50)},
	{"P4: stream, one at a time: first chunk added to no proxy", 1, "ms", addedLatency(phaseStreamAlone, firstP50)},
	{"P4: JSON, 64 at a time: p99 against ReverseProxy", 4, "×", func(f figures) float64 { return f.ratio(phaseJSON, nameFootnote, nameReverse, wholeP99) }},
	{"PostgreSQL: JSON: CPU against SQLite", 1.5, "×", cpuRatio(phaseJSON, namePostgres, nameFootnote)},
	{"PostgreSQL: stream: CPU against SQLite", 1.5, "×", cpuRatio(phaseStream, namePostgres, nameFootnote)},
}

func cpuRatio(phase, contender, base string) func(figures) float64 {
	return func(f figures) float64 { return f.ratio(phase, contender, base, cpuPerRequest) }
}

// addedLatency is the latency that Footnote adds to that of the upstream.
func addedLatency(phase string, metric func(sample) float64) func(figures) float64 {
	return func(f figures) float64 {
		return f.median(phase, nameFootnote, metric) - f.median(phase, nameDirect, metric)
	}
}

// row is the goal's row in the table of goals.
func (g goal) row(f figures) []string {
	v, is, holds := g.value(f), "–", "not measured"
	if !math.IsNaN(v) {
		is, holds = strconv.FormatFloat(v, 'f', 2, 64)+" "+g.unit, "no"
		if v <= g.bound {
			holds = "yes"
		}
	}
	return []string{g.title, fmt.Sprintf("≤ %v %s", g.bound, g.unit), is, holds}
}

// A column of the tables of contenders.
type column struct {
	title  string
	phase  string
	format string
	metric func(sample) float64
	ratio  bool // also print the ratio to the reverse proxy
}

var costColumns = []column{
	{"JSON, 1 KB", phaseJSON, "%.0f", cpuPerRequest, true},
	{"JSON, cold", phaseJSONCold, "%.0f", cpuPerRequest, true},
	{"JSON, 22 KB", phaseJSONLong, "%.0f", cpuPerRequest, true},
	{"stream, 1 KB", phaseStream, "%.0f", cpuPerRequest, true},
	{"stream, cold", phaseStreamCold, "%.0f", cpuPerRequest, true},
	{"stream, 22 KB", phaseStreamLong, "%.0f", cpuPerRequest, true},
	{"paced, per chunk", phasePaced, "%.1f", cpuPerChunk, true},
	{"KB per paced stream", phasePaced, "%.0f", kilobytesPerStream, false},
	{"allocations, JSON", phaseJSON, "%.0f", allocationsPerRequest, false},
	{"allocations, stream", phaseStream, "%.0f", allocationsPerRequest, false},
}

var latencyColumns = []column{
	{"JSON alone, p50", phaseJSONAlone, "%.3f", wholeP50, false},
	{"p99", phaseJSONAlone, "%.3f", wholeP99, false},
	{"stream alone, p50", phaseStreamAlone, "%.3f", wholeP50, false},
	{"p99", phaseStreamAlone, "%.3f", wholeP99, false},
	{"its first chunk, p50", phaseStreamAlone, "%.3f", firstP50, false},
	{"JSON at 64, p50", phaseJSON, "%.1f", wholeP50, false},
	{"p99", phaseJSON, "%.1f", wholeP99, false},
	{"stream at 64, p50", phaseStream, "%.1f", wholeP50, false},
	{"p99", phaseStream, "%.1f", wholeP99, false},
}

// cell is the column's figure of a contender, "" when there is none.
func (c column) cell(f figures, contender string) string {
	v := f.median(c.phase, contender, c.metric)
	if math.IsNaN(v) || v == 0 {
		return ""
	}
	text := fmt.Sprintf(c.format, v)
	if ratio := f.ratio(c.phase, contender, nameReverse, c.metric); c.ratio && !math.IsNaN(ratio) {
		text += fmt.Sprintf(" (%.2f×)", ratio)
	}
	return text
}

// contendersTable has a row for each contender.
func contendersTable(f figures, contenders []contender, columns []column) string {
	rows := [][]string{{""}}
	for _, c := range columns {
		rows[0] = append(rows[0], c.title)
	}
	for _, who := range contenders {
		row := []string{who.title}
		for _, c := range columns {
			row = append(row, c.cell(f, who.name))
		}
		rows = append(rows, row)
	}
	return table(rows)
}

// table is Markdown whose columns are aligned in the source, too. The first row is the head.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for at, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text.WriteString("| " + cell + pad)
			} else {
				text.WriteString(" | " + pad + cell)
			}
		}
		text.WriteString(" |\n")
		if at > 0 {
			continue
		}
		text.WriteString("|" + strings.Repeat("-", widths[0]+2))
		for _, width := range widths[1:] {
			text.WriteString("|" + strings.Repeat("-", width+1) + ":")
		}
		text.WriteString("|\n")
	}
	return text.String()
}

func requestsText(n int) string {
	list := make([]string, len(phases))
	for i, p := range phases {
		list[i] = fmt.Sprintf("%s %d", p.name, p.requests(n))
	}
	return "requests in each: " + strings.Join(list, ", ")
}

// cpuUsed runs work, and returns the processor time that a process and its
// descendants used meanwhile.
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

// memoryUsed runs work, and returns how many bytes the resident memory of a process
// and its descendants grew meanwhile, at most.
func memoryUsed(pid int, work func() error) (int64, error) {
	idle, err := rssOf(pid)
	if err != nil {
		return 0, err
	}
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		var top int64
		for {
			if n, err := rssOf(pid); err == nil { // a descendant may end while it is read
				top = max(top, n)
			}
			select {
			case <-done:
				most <- top
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	err = work()
	close(done)
	return max(0, <-most-idle), err
}

// machineLine describes the machine at the end of a run.
func machineLine() string {
	return fmt.Sprintf("%s, %d processors, load %s at the end, %s %s/%s.", processorName(), runtime.NumCPU(), loadAverage(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
