package main

import (
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// print writes the table.
func (b *bench) print(started time.Time) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %d processors, load %s, %s; CPU by %s.\n", processorName(), runtime.NumCPU(), loadAverage(), runtime.Version(), cpuClock)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, p := range b.plan {
		fmt.Fprintf(w, "\n%s\t\t\t\t\t\t\t\n", p.title)
		fmt.Fprintf(w, "contender\tCPU µs\tratio\tallocs\tp50\tp99\tfirst p50\tKB/stream\n")
		for _, c := range b.contenders {
			cpu, ok := b.figures.median(p.name, c.name, cpuPerRequest)
			if !ok {
				continue
			}
			ratio, _ := b.figures.ratio(p.name, c.name, nameReverse, cpuPerRequest)
			allocs, _ := b.figures.median(p.name, c.name, allocationsPerRequest)
			p50, _ := b.figures.median(p.name, c.name, func(s sample) float64 { return float64(s.result.Whole.P50.Microseconds()) })
			p99, _ := b.figures.median(p.name, c.name, func(s sample) float64 { return float64(s.result.Whole.P99.Microseconds()) })
			first, _ := b.figures.median(p.name, c.name, func(s sample) float64 { return float64(s.result.First.P50.Microseconds()) })
			kb, _ := b.figures.median(p.name, c.name, func(s sample) float64 { return float64(s.memory) / 1024 / float64(p.concurrency) })
			fmt.Fprintf(w, "%s\t%.1f\t%.2f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\n", c.name, cpu, ratio, allocs, p50, p99, first, kb)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&text, "\ntook %s\n", time.Since(started).Round(time.Second))
	_, err := fmt.Fprint(b.out, text.String())
	return err
}
