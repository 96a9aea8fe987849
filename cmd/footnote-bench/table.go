package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"
)

// A grid is a table: its first row is the head.
type grid [][]string

// String is the grid as Markdown whose columns are aligned in the source, too.
func (g grid) String() string {
	widths := make([]int, len(g[0]))
	for _, row := range g {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for at, row := range g {
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

// machineLine describes the machine and the time of a report.
func machineLine() string {
	return fmt.Sprintf("%s, %d processors, load %s at the end, %s %s/%s.", processorName(), runtime.NumCPU(), loadAverage(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// writtenBy says which target wrote a report, and when.
func writtenBy(target string, started time.Time) string {
	return fmt.Sprintf("Written by `make %s` on %s", target, started.UTC().Format("2006-01-02 15:04 UTC"))
}

// publish prints a report, and writes it to a file if one is named. A trial does
// not replace the figures of a full run.
func publish(out io.Writer, file string, trial bool, report string) error {
	_, err := io.WriteString(out, report)
	switch {
	case file == "":
	case trial:
		fmt.Fprintf(os.Stderr, "%s is left as it is: this was a trial.\n", file)
	default:
		err = errors.Join(err, os.WriteFile(file, []byte(report), 0o644)) //nolint:gosec // everybody may read it
	}
	return err
}

// A column of the table of contenders.
type column struct {
	title  string
	phase  string
	format string
	of     func(sample) float64
	ratio  bool // with the multiple of the reverse proxy's
}

var costColumns = []column{
	{"JSON, 1 KB", phaseJSON, "%.0f", cpuPerRequest, true},
	{"JSON, 22 KB", phaseJSONLong, "%.0f", cpuPerRequest, true},
	{"stream, 1 KB", phaseStream, "%.0f", cpuPerRequest, true},
	{"stream, 22 KB", phaseStreamLong, "%.0f", cpuPerRequest, true},
	{"paced, per chunk", phasePaced, "%.1f", cpuPerChunk, true},
	{"KB per paced stream", phasePaced, "%.0f", kilobytesPerStream, false},
	{"allocations, JSON", phaseJSON, "%.0f", allocationsPerRequest, false},
	{"allocations, stream", phaseStream, "%.0f", allocationsPerRequest, false},
}

var latencyColumns = []column{
	{"JSON alone, p50", phaseJSONAlone, "%.3f", wholeP50, false},
	{"p99", phaseJSONAlone, "%.3f", wholeP99, false},
	{"stream alone, p50", phaseAlone, "%.3f", wholeP50, false},
	{"p99", phaseAlone, "%.3f", wholeP99, false},
	{"its first chunk, p50", phaseAlone, "%.3f", firstP50, false},
	{"JSON at 64, p50", phaseJSON, "%.1f", wholeP50, false},
	{"p99", phaseJSON, "%.1f", wholeP99, false},
	{"stream at 64, p50", phaseStream, "%.1f", wholeP50, false},
	{"p99", phaseStream, "%.1f", wholeP99, false},
}

// cell is the column's figure of a contender, "" when there is none.
func (c column) cell(f figures, contender string) string {
	v, ok := f.median(c.phase, contender, c.of)
	if !ok || v == 0 {
		return ""
	}
	text := fmt.Sprintf(c.format, v)
	if ratio, ok := f.ratio(c.phase, contender, nameReverse, c.of); ok && c.ratio {
		text += fmt.Sprintf(" (%.2f×)", ratio)
	}
	return text
}

func (b *bench) grid(columns []column) grid {
	head := []string{""}
	for _, c := range columns {
		head = append(head, c.title)
	}
	g := grid{head}
	for _, who := range b.contenders {
		row := []string{who.title}
		for _, c := range columns {
			row = append(row, c.cell(b.figures, who.name))
		}
		g = append(g, row)
	}
	return g
}

// report is the report of a run.
func (b *bench) report(started time.Time) string {
	var w strings.Builder
	fmt.Fprintf(&w, `# What Footnote costs beside other proxies

%s: %d rounds of all contenders in turns, in one run of %s on loopback; %s.
%s`, writtenBy("bench-proxies", started), b.rounds, time.Since(started).Round(time.Second), requestsText(b.requests), machineLine())
	for _, c := range b.absent {
		w.WriteString(" " + c.title + " is not installed here and left out.")
	}
	fmt.Fprintf(&w, `

CPU µs of the contender's processes per request, the median of the rounds, and in brackets the multiple of `+"`httputil.ReverseProxy`"+`, the
median of each round's. Measured by %s.
64 connections, or %d streams with a chunk every %s; an answer is an object of 1 KB or %d chunks of about %d bytes; every answer is checked byte for byte.
Footnote adds 4 KB of sources to the request and citations to the answer; so does the relay through encoding/json; the others add nothing.
Footnote, as it is shipped, lets its heap grow to 64 MiB before it collects garbage; ReverseProxy is measured as Go sets it, and once more with the same room.

`, cpuClock, pacedStreams, pace, streamChunks, chunkBytes)
	if b.partial() {
		fmt.Fprintf(&w, "**A trial, not a measurement**: a full run has every contender and phase, %d rounds and %s. Judge nothing by these figures.\n\n",
			fullRounds, requestsText(fullRequests))
	}
	goalTable := grid{goalHead}
	for _, goal := range goals {
		goalTable = append(goalTable, goal.row(goal.value(b.figures)))
	}
	for _, part := range []any{
		b.grid(costColumns),
		"\nMilliseconds, the median of the rounds; they depend on the machine.\n\n",
		b.grid(latencyColumns),
		"\nThe citation engine alone, in a process of its own with the server's heap; per answer, the median of the rounds. “Resolving” is all of it: the set of sources, scanning, the object as JSON.\n\n",
		b.engineGrid(),
		"\nGoals for the row “Footnote, retrieval stubbed”: the whole server, keys and settings from its database, metrics and access log.\n\n",
		goalTable,
	} {
		fmt.Fprint(&w, part)
	}
	return w.String()
}

func requestsText(n int) string {
	list := make([]string, len(phases))
	for i, p := range phases {
		list[i] = fmt.Sprintf("%s %d", p.name, p.requests(n))
	}
	return "requests in each: " + strings.Join(list, ", ")
}
