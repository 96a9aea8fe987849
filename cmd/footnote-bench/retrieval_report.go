package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func (r retrieved) cpu(name string) (ms float64, ok bool) {
	var values []float64
	for _, t := range r.figures[name] {
		values = append(values, float64(t.cpu.Nanoseconds())/1e6)
	}
	return medianOf(values)
}

// wall is the median of the rounds' quantiles.
func (r retrieved) wall(name string, quantile float64) (ms float64, ok bool) {
	var values []float64
	for _, t := range r.figures[name] {
		sorted := slices.Sorted(slices.Values(t.wall))
		at := sorted[min(len(sorted)-1, int(quantile*float64(len(sorted))))]
		values = append(values, float64(at.Nanoseconds())/1e6)
	}
	return medianOf(values)
}

// times is how many times as much processor time one takes as another, the median
// of each round's.
func (r retrieved) times(name, base string) (float64, bool) {
	var values []float64
	for i, t := range r.figures[name] {
		if i < len(r.figures[base]) {
			values = append(values, float64(t.cpu)/float64(r.figures[base][i].cpu))
		}
	}
	return medianOf(values)
}

// share is how much of the bandwidth of its round the scan of floats reads.
func (r retrieved) share() float64 {
	var values []float64
	for i, t := range r.figures[turnFloats] {
		read := float64(r.chunks*dimensions*4) / float64(t.cpu.Nanoseconds())
		values = append(values, 100*read/r.bandwidth[i])
	}
	v, _ := medianOf(values)
	return v
}

func writeRetrieval(o retrievalOptions, found []retrieved, started time.Time) string {
	var w strings.Builder
	fmt.Fprintf(&w, `# What finding passages costs

%s: %d rounds in turns, %d questions in each (fewer for what is slow), in one run of %s.
%s

Chunks of 80 to 160 words as frequent as those of natural language, 100 to a document; vectors of %d dimensions around %d topics; questions of six such words and a
vector near a topic; the best %d are asked for. On one core but where said. CPU is processor time per question, the median of the rounds; p50 and p95 are by the clock, and
those of a machine that does other things as well.

`, writtenBy("bench-retrieval", started), o.rounds, o.questions, time.Since(started).Round(time.Second), machineLine(), dimensions, topics, hits)
	if o.rounds < fullRounds || o.questions < fullQuestions {
		w.WriteString("**A trial, not a measurement.** Judge nothing by these figures.\n\n")
	}
	head := []string{""}
	for _, r := range found {
		head = append(head, fmt.Sprintf("%d chunks: CPU ms", r.chunks), "p50", "p95")
	}
	g := grid{head}
	for _, name := range []string{turnFloats, turnCodes, turnCores, turnChromem, turnWords, turnBleve, turnBoth, turnPrompt} {
		row := []string{name}
		for _, r := range found {
			cpu, ok := r.cpu(name)
			if !ok {
				row = append(row, "left out", "", "")
				continue
			}
			p50, _ := r.wall(name, 0.5)
			p95, _ := r.wall(name, 0.95)
			row = append(row, fmt.Sprintf("%.2f", cpu), fmt.Sprintf("%.2f", p50), fmt.Sprintf("%.2f", p95))
		}
		g = append(g, row)
	}
	fmt.Fprint(&w, g, "\nThe index itself. Opening is by a process that does nothing else; memory is what it then has more than before.\n\n", indexGrid(found), "\nGoals.\n\n", goalGrid(found))
	return w.String()
}

func indexGrid(found []retrieved) grid {
	g := grid{{"", "filled, chunks per CPU second", "file, MB", "opened, s", "opened, CPU s", "memory, MB", "of it vectors and codes, MB"}}
	for _, r := range found {
		g = append(g, []string{
			fmt.Sprintf("%d chunks", r.chunks), fmt.Sprintf("%.0f", float64(r.chunks)/r.filled.Seconds()), fmt.Sprintf("%.0f", float64(r.opened.File)/1e6),
			fmt.Sprintf("%.2f", r.opened.Ready.Seconds()), fmt.Sprintf("%.2f", r.opened.CPU.Seconds()),
			fmt.Sprintf("%.0f", float64(r.opened.RSS-r.opened.Before)/1e6), fmt.Sprintf("%.0f", float64(r.chunks*dimensions*5)/1e6),
		})
	}
	return g
}

// goalGrid says how P5, P6 and P10 stand with 100,000 chunks, or with as many as
// there were.
func goalGrid(found []retrieved) grid {
	r := found[len(found)-1]
	for _, one := range found {
		if one.chunks == 100_000 {
			r = one
		}
	}
	codes, _ := r.cpu(turnCodes)
	floats, _ := r.cpu(turnFloats)
	chromem, chromemOK := r.times(turnChromem, turnCodes)
	bleve, bleveOK := r.times(turnWords, turnBleve)
	p95, _ := r.wall(turnPrompt, 0.95)
	bandwidth, _ := medianOf(slices.Clone(r.bandwidth))
	return grid{
		append([]string{fmt.Sprintf("goal, with %d chunks", r.chunks)}, goalHead[1:]...),
		atLeast(fmt.Sprintf("P5: scan of float32, of the %.1f GB/s that one core reads", bandwidth), 70, "%").row(r.share(), true),
		atMost("P5: scan of float32, CPU", 7, "ms").row(floats, true),
		atMost("P5: codes and rescoring, CPU", 2.5, "ms").row(codes, true),
		atLeast("P5: recall@10 of that", 0.999, "").row(r.recall, true),
		atLeast("P5: CPU of chromem-go against that", 12, "×").row(chromem, chromemOK),
		atMost("P6: both, fused, with the prompt: p95", 10, "ms").row(p95, true),
		atMost("P6: BM25, CPU against bleve", 0.3, "×").row(bleve, bleveOK),
		atMost("P10: the index is open", 3, "s").row(r.opened.Ready.Seconds(), true),
	}
}
