package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// What it costs to read documents, to embed them, and to start over them.

// documentsOptions of `footnote-bench documents`.
type documentsOptions struct {
	program   string
	documents string // folder of real PDF files
	model     string
	chunks    int
	pages     int // of the long manual
	rounds    int
	idle      time.Duration // between a start and the reading of the idle memory
	out       string
}

// Sizes of a full run.
const (
	fullChunks = 100_000
	fullPages  = 1000
)

func documentsCommand(ctx context.Context, args []string, out io.Writer) error {
	var o documentsOptions
	f := flag.NewFlagSet("documents", flag.ContinueOnError)
	f.StringVar(&o.program, "footnote", "bin/footnote", "the `program`")
	f.StringVar(&o.documents, "documents", ".cache/gold", "`folder` of the PDF files that are read")
	f.StringVar(&o.model, "model", "", "packed weights of the built-in embedder, a `file`; without them it is not measured")
	f.IntVar(&o.chunks, "chunks", fullChunks, "about how many chunks are indexed, and started over")
	f.IntVar(&o.pages, "pages", fullPages, "pages of the long PDF file")
	f.IntVar(&o.rounds, "rounds", fullRounds, "rounds; every figure is the median of them, but those of what takes minutes")
	f.DurationVar(&o.idle, "idle", 5*time.Second, "how long the program runs before its idle memory is read")
	f.StringVar(&o.out, "out", "", "write the report to this `file` too")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.chunks < 1 || o.pages < 1 || o.rounds < 1 || f.NArg() > 0 {
		return errors.New("chunks, pages and rounds are at least 1, and there are no arguments but flags")
	}
	report, err := o.run(ctx)
	if err != nil {
		return err
	}
	return publish(out, o.out, o.chunks < fullChunks || o.pages < fullPages || o.rounds < fullRounds, report)
}

// A documentsReport is what was measured.
type documentsReport struct {
	read    pagesRead
	long    longFile
	index   indexedChunks
	embed   embedderSpeed
	start   started
	options documentsOptions
}

func (o documentsOptions) run(ctx context.Context) (string, error) {
	began := time.Now()
	r := documentsReport{options: o}
	for _, part := range []func(context.Context, *documentsReport) error{o.readPages, o.embedPassages, o.ingest, o.startOver} {
		if err := part(ctx, &r); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(`# What documents cost

%s: %d rounds, in one run of %s.
%s

%s; the long one has %d pages of 51 lines. Chunks are those of %d manuals of text, which the program takes in over HTTP and reads, cuts and indexes on all processors.
The embedder of the last four rows is a server beside it that answers at once.

%s`, writtenBy("bench-documents", began), o.rounds, time.Since(began).Round(time.Second), machineLine(),
		r.read.of, o.pages, (o.chunks+chunksOfManual-1)/chunksOfManual, r.grid()), nil
}

// grid says how P7, P9 and P10 stand.
func (r *documentsReport) grid() grid {
	withModel := r.options.model != ""
	return grid{
		goalHead,
		atMost("P7: a question's vector from memory", 5, "µs").row(r.embed.fromMemory, withModel),
		unbound("a question's vector, made", r.embed.question, "ms", withModel),
		atLeast("P9: PDF by pages per second of one core (15 with headings and columns, as these are)", 50, "").row(r.read.rate, true),
		atLeast("P9: chunks read, cut and indexed per second", 2000, "").row(r.index.perSecond, true),
		unbound("the same per second of processor time", r.index.perCPU, "", true),
		atLeast("P9: passages embedded per second of one core", 10, "").row(r.embed.passages, withModel),
		unbound("P9: most memory of server and reader while the long PDF goes through", r.long.memory, "MB", true),
		unbound("the same pages per second, whole program", r.long.rate, "", true),
		unbound(fmt.Sprintf("chunks with vectors of %d dimensions", dimensions), float64(r.start.chunks), "", true),
		atMost("P10: from the start to /readyz", 3, "s").row(r.start.ready, true),
		unbound("memory of the whole server then, idle", r.start.memory, "MB", true),
		atMost("P10: of it not the index's vectors, codes and postings", 150, "MB").row(r.start.memory-r.start.index, true),
	}
}
