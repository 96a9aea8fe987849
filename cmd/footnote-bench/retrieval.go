package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Retrieval is measured in one process without HTTP: the program's index is compared
// with chromem-go for vectors and with bleve for words, in turns, on one core unless
// the name says otherwise.

// retrievalOptions of `footnote-bench retrieval`.
type retrievalOptions struct {
	sizes     []int // chunks
	rounds    int
	questions int // of each round
	alone     int // chunks from which on the others are left out
	out       string
	dir       string
}

// Sizes of a full run. A million chunks are asked for by name: they take 8 GB of
// memory and 4 GB of disk.
const (
	fullSizes     = "10000,100000"
	fullQuestions = 100
)

func retrievalCommand(ctx context.Context, args []string, out io.Writer) (err error) {
	var o retrievalOptions
	var sizes string
	f := flag.NewFlagSet("retrieval", flag.ContinueOnError)
	f.StringVar(&sizes, "chunks", fullSizes, "numbers of chunks, comma-separated")
	f.IntVar(&o.rounds, "rounds", fullRounds, "rounds; every figure is the median of them")
	f.IntVar(&o.questions, "questions", fullQuestions, "questions in each round")
	f.IntVar(&o.alone, "alone", 500_000, "`chunks` from which on chromem-go and bleve are left out, which take hours to fill")
	f.StringVar(&o.out, "out", "", "write the report to this `file` too")
	f.StringVar(&o.dir, "dir", "", "`directory` for the indexes while they are measured; the system's for temporary files if empty")
	if err := f.Parse(args); err != nil {
		return err
	}
	for size := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil || n < chunksPerDocument {
			return fmt.Errorf("%q is no number of chunks", size)
		}
		o.sizes = append(o.sizes, n)
	}
	if o.rounds < 1 || o.questions < 1 || f.NArg() > 0 {
		return errors.New("rounds and questions are at least 1, and there are no arguments but flags")
	}
	started := time.Now()
	var found []retrieved
	for _, n := range o.sizes {
		r, err := o.measure(ctx, n)
		if err != nil {
			return err
		}
		found = append(found, r)
	}
	trial := o.rounds < fullRounds || o.questions < fullQuestions
	return publish(out, o.out, trial, writeRetrieval(o, found, started))
}

// A retrieved is what was measured with one number of chunks.
type retrieved struct {
	chunks    int
	bandwidth []float64 // GB in a second of processor time, by round
	figures   map[string][]turned
	recall    float64
	opened    opened
	filled    time.Duration // processor time of making the index
}

// A turned is what a contender's turn took for each question.
type turned struct {
	cpu  time.Duration
	wall []time.Duration
}

// Names of what takes turns.
const (
	turnFloats  = "Footnote, every vector as float32"
	turnCodes   = "Footnote, codes and rescoring"
	turnCores   = "the same on all cores"
	turnChromem = "chromem-go v0.7.0"
	turnWords   = "Footnote, BM25"
	turnBleve   = "bleve v2.6.1"
	turnBoth    = "Footnote, both, fused"
	turnPrompt  = "the same and the prompt"
)

// measure fills an index, and the others, with n chunks and asks them.
func (o retrievalOptions) measure(ctx context.Context, n int) (retrieved, error) {
	r := retrieved{chunks: n, figures: map[string][]turned{}}
	dir, err := os.MkdirTemp(o.dir, "footnote-bench-*")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	w, err := newWorld(ctx, dir, n, n < o.alone)
	if err != nil {
		return r, err
	}
	defer w.close()
	r.filled = w.filled
	fmt.Fprintf(os.Stderr, "%d chunks are there\n", n)
	ways := w.ways()
	for round := range o.rounds {
		bandwidth, err := readBandwidth(n * dimensions * 4)
		if err != nil {
			return r, err
		}
		r.bandwidth = append(r.bandwidth, bandwidth)
		for i := range ways {
			way := ways[(i+round)%len(ways)]
			t, err := o.turn(way)
			if err != nil {
				return r, fmt.Errorf("%s: %w", way.name, err)
			}
			r.figures[way.name] = append(r.figures[way.name], t)
		}
		fmt.Fprintf(os.Stderr, "%d chunks: round %d of %d done\n", n, round+1, o.rounds)
	}
	if r.recall, err = w.recall(ctx, o.questions); err != nil {
		return r, err
	}
	if err := w.close(); err != nil {
		return r, err
	}
	r.opened, err = openInChild(ctx, w.path)
	return r, err
}

// turn asks the questions of a round.
func (o retrievalOptions) turn(way way) (turned, error) {
	cores := 1
	if way.parallel {
		cores = runtime.NumCPU()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	if err := way.ask(0); err != nil { // so that everything is where it is needed
		return turned{}, err
	}
	runtime.GC()
	var t turned
	asked := max(1, o.questions/way.dear)
	cpu, err := cpuUsed(os.Getpid(), func() error {
		for n := range asked {
			start := time.Now()
			if err := way.ask(n); err != nil {
				return err
			}
			t.wall = append(t.wall, time.Since(start))
		}
		return nil
	})
	t.cpu = cpu / time.Duration(asked)
	return t, err
}
