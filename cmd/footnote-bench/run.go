package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options of `footnote-bench run`.
type options struct {
	rounds   int
	requests int
	only     string // names of contenders, comma-separated; "": all
	phases   string // names of phases, likewise
	profile  string // directory for profiles of Footnote; "": none
	footnote string // path of the real program
	file     string // the report is written to; "": none
}

// What a figure needs to be one: fewer say how the bench works, not how fast anything is.
const (
	fullRounds   = 5
	fullRequests = 8000
)

// partial reports that a run is too short to judge by, or left something out.
func (o options) partial() bool {
	return o.rounds < fullRounds || o.requests < fullRequests || o.only != "" || o.phases != ""
}

func runCommand(ctx context.Context, args []string, out io.Writer) error {
	var o options
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.IntVar(&o.rounds, "rounds", fullRounds, "rounds; every figure is the median of them")
	f.IntVar(&o.requests, "requests", fullRequests, "requests of a JSON phase, for each contender and round; the other phases follow from it")
	f.StringVar(&o.only, "only", "", "contenders, comma-separated: "+names(contenders, func(c contender) string { return c.name }))
	f.StringVar(&o.phases, "phases", "", "phases, comma-separated: "+names(phases, func(p phase) string { return p.name }))
	f.StringVar(&o.profile, "profile", "", "write CPU profiles of Footnote, one for each phase and round, to this `directory`")
	f.StringVar(&o.footnote, "footnote", "bin/footnote", "the `program` for the row with real retrieval, left out if there is none")
	f.StringVar(&o.file, "out", "", "write the report to this `file` too")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.rounds < 1 || o.requests < 1 || f.NArg() > 0 {
		return errors.New("rounds and requests are at least 1, and there are no arguments but flags")
	}
	b, err := newBench(o, out)
	if err != nil {
		return err
	}
	return b.run(ctx)
}

func names[T any](all []T, name func(T) string) string {
	var list []string
	for _, one := range all {
		list = append(list, name(one))
	}
	return strings.Join(list, ", ")
}

// pick keeps those whose names are listed, all if none is.
func pick[T any](all []T, list string, name func(T) string) ([]T, error) {
	if list == "" {
		return all, nil
	}
	var picked []T
	for wanted := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(one T) bool { return name(one) == strings.TrimSpace(wanted) })
		if i < 0 {
			return nil, fmt.Errorf("%q is none of %s", wanted, names(all, name))
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}

// A bench is a run.
type bench struct {
	options
	out        io.Writer
	contenders []contender
	absent     []contender // not installed
	plan       []phase
	site       site
	upstream   *child
	load       *child
	engine     *running
	running    map[string]*running
	figures    figures
}

func newBench(o options, out io.Writer) (*bench, error) {
	b := &bench{options: o, out: out, running: map[string]*running{}, figures: figures{}}
	var err error
	if b.contenders, err = pick(contenders, o.only, func(c contender) string { return c.name }); err != nil {
		return nil, err
	}
	if b.plan, err = pick(phases, o.phases, func(p phase) string { return p.name }); err != nil {
		return nil, err
	}
	if o.profile != "" {
		b.profile, err = filepath.Abs(o.profile)
		err = errors.Join(err, os.MkdirAll(b.profile, 0o755))
	}
	return b, err
}

// run measures everything in interleaved rounds and prints the report.
func (b *bench) run(ctx context.Context) (err error) {
	if _, err := raiseDescriptors(); err != nil {
		return err
	}
	started := time.Now()
	defer func() { err = errors.Join(err, b.stop()) }()
	if err := b.start(ctx); err != nil {
		return err
	}
	for round := range b.rounds {
		for _, p := range b.plan {
			if err := b.round(ctx, round, p); err != nil {
				return err
			}
		}
		if err := b.engineRound(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d done after %s\n", round+1, b.rounds, time.Since(started).Round(time.Second))
	}
	if err := b.heapProfile(); err != nil {
		return err
	}
	return publish(b.out, b.file, b.partial(), b.report(started))
}

// start starts every process of the run.
func (b *bench) start(ctx context.Context) (err error) {
	if b.upstream, err = startChild(ctx, roleUpstream); err != nil {
		return err
	}
	b.site = site{upstream: b.upstream.hello.Addr, footnote: b.footnote}
	if b.load, err = startChild(ctx, roleLoad); err != nil {
		return err
	}
	if err = b.startEngine(ctx); err != nil {
		return err
	}
	var there []contender
	for _, c := range b.contenders {
		r, err := c.start(ctx, b.site)
		if errors.Is(err, errNotInstalled) {
			b.absent = append(b.absent, c)
			continue
		}
		if err != nil {
			return err
		}
		b.running[c.name] = r
		there = append(there, c)
	}
	b.contenders = there
	return nil
}

func (b *bench) stop() error {
	var errs []error
	for _, r := range b.running {
		errs = append(errs, r.stop())
	}
	if b.engine != nil {
		errs = append(errs, b.engine.stop())
	}
	for _, c := range []*child{b.load, b.upstream} {
		if c != nil {
			errs = append(errs, c.stop())
		}
	}
	return errors.Join(errs...)
}

// round gives every contender the phase once, beginning with another one each time.
func (b *bench) round(ctx context.Context, round int, p phase) error {
	for i := range b.contenders {
		c := b.contenders[(i+round)%len(b.contenders)]
		if p.fresh && c.name == nameDirect {
			continue // no process, no figure
		}
		if err := b.turn(ctx, round, p, c); err != nil {
			return fmt.Errorf("%s, %s: %w", c.name, p.name, err)
		}
	}
	return nil
}

// turn is one contender's turn in one phase.
func (b *bench) turn(ctx context.Context, round int, p phase, c contender) (err error) {
	r := b.running[c.name]
	if p.fresh {
		if r, err = c.start(ctx, b.site); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.stop()) }()
	}
	n := p.requests(b.requests)
	err = b.upstream.call("kind", p.kind, nil)
	if err == nil {
		err = b.load.call("prepare", load{
			Addr: r.addr, Key: r.key, Stream: p.stream, Size: p.size, Concurrency: p.concurrency, Requests: n, Verify: c.verify, Expect: p.kind,
		}, nil)
	}
	if err == nil {
		err = b.load.call("warm", p.warmUp(b.requests), nil)
	}
	if err == nil {
		err = b.upstream.call("tally", nil, &upstreamTally{})
	}
	if err != nil {
		return err
	}
	endProfile, err := b.startProfile(round, p, c, r)
	if err != nil {
		return err
	}
	s, err := b.measure(p, r)
	if err = errors.Join(err, endProfile(), b.load.call("close", nil, nil)); err != nil {
		return err
	}
	b.figures.add(p.name, c.name, s)
	return b.agree(c, s, n)
}

// measure lets the load run and takes the figures.
func (b *bench) measure(p phase, r *running) (s sample, err error) {
	before, err := r.allocations()
	if err != nil {
		return s, err
	}
	watch, err := watchMemory(p, r)
	if err != nil {
		return s, err
	}
	run := func() error { return b.load.call("run", nil, &s.result) }
	if r.pid == 0 {
		err = run()
	} else {
		s.cpu, err = cpuUsed(r.pid, run)
	}
	if err != nil {
		return s, err
	}
	if s.memory, err = watch(); err != nil {
		return s, err
	}
	after, err := r.allocations()
	s.mallocs = after.Mallocs - before.Mallocs
	return s, err
}

// agree makes sure that what was measured is what was meant: every answer
// right, and as many requests at the upstream as were sent, with sources where
// there should be some. A figure of anything else would mean nothing.
func (b *bench) agree(c contender, s sample, requests int) error {
	if s.result.Answers != requests {
		return fmt.Errorf("%d of %d answers are wrong: %s", requests-s.result.Answers, requests, strings.Join(s.result.Failures, "; "))
	}
	var t upstreamTally
	if err := b.upstream.call("tally", nil, &t); err != nil {
		return err
	}
	sourced := int64(0)
	if c.verify != verifyVerbatim {
		sourced = t.Requests
	}
	if t.Requests != int64(requests) || t.Sourced != sourced {
		return fmt.Errorf("of %d requests %d reached the upstream, %d with sources", requests, t.Requests, t.Sourced)
	}
	return nil
}

// watchMemory samples a contender's memory in phases that report it. The
// function it returns ends that, and returns how much more there was at most.
func watchMemory(p phase, r *running) (func() (int64, error), error) {
	if !p.fresh {
		return func() (int64, error) { return 0, nil }, nil
	}
	idle, err := rssOf(r.pid)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	most := make(chan int64, 1)
	go func() { most <- mostMemory(ctx, r.pid, 100*time.Millisecond) }()
	return func() (int64, error) {
		stop()
		return max(0, <-most-idle), nil
	}, nil
}

// mostMemory samples a process and its descendants until ctx ends, and returns
// the largest resident memory, in bytes.
func mostMemory(ctx context.Context, pid int, every time.Duration) int64 {
	most := int64(0)
	for pause(ctx, every) == nil {
		if n, err := rssOf(pid); err == nil { // a descendant may end while it is read
			most = max(most, n)
		}
	}
	return most
}

// startProfile begins a profile of Footnote's turn if one is wanted.
func (b *bench) startProfile(round int, p phase, c contender, r *running) (end func() error, err error) {
	if b.profile == "" || c.name != nameFootnote {
		return func() error { return nil }, nil
	}
	path := filepath.Join(b.profile, fmt.Sprintf("%s-%d.prof", p.name, round+1))
	return func() error { return r.child.call("profiled", nil, nil) }, r.child.call("profile", path, nil)
}

// heapProfile writes what Footnote has allocated in the whole run.
func (b *bench) heapProfile() error {
	r := b.running[nameFootnote]
	if b.profile == "" || r == nil {
		return nil
	}
	return r.child.call("heap", filepath.Join(b.profile, "allocs.prof"), nil)
}
