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
	"sync/atomic"
	"time"
)

// options of `footnote-bench run`.
type options struct {
	rounds    int
	requests  int
	only      string // names of contenders, comma-separated; "": all
	phases    string // names of phases, likewise
	profile   string // directory for profiles of Footnote; "": none
	footnote  string // path of the program
	database  string // URL of PostgreSQL; "": Footnote is not measured on it
	documents int    // in Footnote's index
	file      string // the report is written to; "": none
}

// contenders are all contenders, in the order of the table.
var contenders = []contender{
	{nameDirect, "no proxy", false, startDirect},
	{nameReverse, "httputil.ReverseProxy", false, startRole(nameReverse)},
	{nameNginx, "nginx", false, startNginx},
	{nameRelay, "a relay that decodes JSON", false, startRole(nameRelay)},
	{nameFootnote, "footnote serve", true, startServe(served{})},
	{namePostgres, "footnote serve on PostgreSQL", true, startServe(served{postgres: true})},
	{namePlain, "footnote serve without retrieval", false, startServe(served{plain: true})},
}

// startDirect stands for no proxy at all: latencies are compared with it.
func startDirect(_ context.Context, s startOptions) (*running, error) {
	return &running{addr: s.upstream, stop: func() error { return nil }}, nil
}

// A run with fewer rounds or requests is a trial, whose figures mean nothing.
const (
	fullRounds    = 5
	fullRequests  = 8000
	fullDocuments = 5000
)

// partial reports whether a run is a trial: too short, with too few documents, or
// without some contenders or phases.
func (o options) partial() bool {
	return o.rounds < fullRounds || o.requests < fullRequests || o.documents < fullDocuments || o.only != "" || o.phases != ""
}

func runCommand(ctx context.Context, args []string, out io.Writer) error {
	var o options
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.IntVar(&o.rounds, "rounds", fullRounds, "rounds; every figure is the median of them")
	f.IntVar(&o.requests, "requests", fullRequests, "requests of a JSON phase, for each contender and round; the other phases follow from it")
	f.StringVar(&o.only, "only", "", "contenders, comma-separated: "+names(contenders, func(c contender) string { return c.name }))
	f.StringVar(&o.phases, "phases", "", "phases, comma-separated: "+names(phases, func(p phase) string { return p.name }))
	f.StringVar(&o.profile, "profile", "", "write CPU profiles of Footnote, one for each phase and round, to this `directory`")
	f.StringVar(&o.footnote, "footnote", "bin/footnote", "the `program` for the rows of Footnote, left out if there is none")
	f.StringVar(&o.database, "postgres", os.Getenv("FOOTNOTE_TEST_POSTGRES_URL"), "`URL` of a PostgreSQL whose user may create databases, for the row of Footnote on it, else left out")
	f.IntVar(&o.documents, "documents", fullDocuments, "documents in Footnote's index")
	f.StringVar(&o.file, "out", "", "write the report to this `file` too")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.rounds < 1 || o.requests < 1 || o.documents < sourceCount || f.NArg() > 0 {
		return errors.New("rounds and requests are at least 1, documents at least 10, and there are no arguments but flags")
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

// selectNamed returns the items whose names are in a comma-separated list, or all
// items if the list is empty.
func selectNamed[T any](all []T, list string, name func(T) string) ([]T, error) {
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
	out          io.Writer
	contenders   []contender
	absent       []contender // not installed
	plan         []phase
	upstream     *scripted
	startOptions startOptions
	running      map[string]*running
	figures      figures
	asked        atomic.Int64 // questions that were new
}

func newBench(o options, out io.Writer) (*bench, error) {
	b := &bench{options: o, out: out, running: map[string]*running{}, figures: figures{}}
	var err error
	if b.contenders, err = selectNamed(contenders, o.only, func(c contender) string { return c.name }); err != nil {
		return nil, err
	}
	if b.plan, err = selectNamed(phases, o.phases, func(p phase) string { return p.name }); err != nil {
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
	started := time.Now()
	if b.upstream, err = startScripted(); err != nil {
		return err
	}
	defer b.upstream.ln.Close() //nolint:errcheck // nothing more is wanted from it
	defer func() {
		for _, r := range b.running {
			err = errors.Join(err, r.stop())
		}
	}()
	if err := b.start(ctx); err != nil {
		return err
	}
	for round := range b.rounds {
		for _, p := range b.plan {
			if err := b.round(ctx, round, p); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d done after %s\n", round+1, b.rounds, time.Since(started).Round(time.Second))
	}
	if r := b.running[nameFootnote]; b.profile != "" && r != nil {
		if err := r.serve.saveProfile(ctx, "allocs", filepath.Join(b.profile, "allocs.prof")); err != nil {
			return err
		}
	}
	return b.publish(started)
}

// start starts the contenders that are installed.
func (b *bench) start(ctx context.Context) error {
	b.startOptions = startOptions{
		upstream: b.upstream.ln.Addr().String(), footnote: b.footnote, database: b.database, profiles: b.profile != "", documents: b.documents,
	}
	var installed []contender
	for _, c := range b.contenders {
		r, err := c.start(ctx, b.startOptions)
		if errors.Is(err, errNotInstalled) {
			b.absent = append(b.absent, c)
			continue
		}
		if err != nil {
			return err
		}
		b.running[c.name] = r
		installed = append(installed, c)
	}
	b.contenders = installed
	return nil
}

// round measures every contender in a phase. Each round begins with another
// contender.
func (b *bench) round(ctx context.Context, round int, p phase) error {
	for i := range b.contenders {
		c := b.contenders[(i+round)%len(b.contenders)]
		if p.fresh && c.name == nameDirect {
			continue // there is no process to measure
		}
		if err := b.turn(ctx, round, p, c); err != nil {
			return fmt.Errorf("%s, %s: %w", c.name, p.name, err)
		}
	}
	return nil
}

// turn measures one contender in one phase.
func (b *bench) turn(ctx context.Context, round int, p phase, c contender) (err error) {
	r := b.running[c.name]
	switch {
	case p.fresh && r.serve != nil:
		if err := r.restart(ctx); err != nil { // it keeps its documents
			return err
		}
	case p.fresh:
		if r, err = c.start(ctx, b.startOptions); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.stop()) }()
	}
	b.upstream.kind.Store(p.kind)
	g, err := newGenerator(load{
		addr: r.addr, key: r.key, cites: c.cites, kind: p.kind, size: p.size, concurrency: p.concurrency, cold: p.cold, documents: b.documents, asked: &b.asked,
	})
	if err != nil {
		return err
	}
	defer g.close()
	perConnection := p.perConnection(b.requests)
	if !p.fresh { // warm up
		if result := g.run(max(1, perConnection/10)); len(result.failures) > 0 {
			return errors.New(strings.Join(result.failures, "; "))
		}
	}
	profiled := make(chan error, 1)
	if b.profile != "" && c.name == nameFootnote {
		path := filepath.Join(b.profile, fmt.Sprintf("%s-%d.prof", p.name, round+1))
		go func() { profiled <- r.serve.saveProfile(ctx, "profile?seconds=5", path) }()
	} else {
		profiled <- nil
	}
	b.upstream.requests.Store(0)
	b.upstream.withSources.Store(0)
	s, err := measure(ctx, g, perConnection, p.fresh, r)
	if err = errors.Join(err, <-profiled); err != nil {
		return err
	}
	key := [2]string{p.name, c.name}
	b.figures[key] = append(b.figures[key], s)
	if err = b.checkSample(c, s, p.requests(b.requests)); err != nil && r.serve != nil {
		err = fmt.Errorf("%w\n%s", err, strings.Join(r.serve.recentWarnings(), "\n"))
	}
	return err
}

// measure sends perConnection requests on every connection and returns the figures.
func measure(ctx context.Context, g *generator, perConnection int, memory bool, r *running) (s sample, err error) {
	before, err := r.mallocs(ctx)
	if err != nil {
		return s, err
	}
	work := func() error { s.result = g.run(perConnection); return nil }
	if memory {
		if s.memory, err = memoryUsed(r.pid, func() error { s.cpu, err = cpuUsed(r.pid, work); return err }); err != nil {
			return s, err
		}
	} else if r.pid == 0 {
		_ = work()
	} else if s.cpu, err = cpuUsed(r.pid, work); err != nil {
		return s, err
	}
	after, err := r.mallocs(ctx)
	s.mallocs = after - before
	return s, err
}

// mallocs is how many objects a contender has allocated so far, 0 if that is not known.
func (r *running) mallocs(ctx context.Context) (uint64, error) {
	if r.serve != nil {
		return r.serve.mallocs(ctx)
	}
	reply, err := r.child.call(orderMallocs)
	return reply.Mallocs, err
}

// checkSample checks that every answer is right, that as many requests reached the
// upstream as were sent, and that they had sources if the contender cites.
func (b *bench) checkSample(c contender, s sample, requests int) error {
	if s.result.answers != requests {
		return fmt.Errorf("%d of %d answers are wrong: %s", requests-s.result.answers, requests, strings.Join(s.result.failures, "; "))
	}
	reached, sourced := b.upstream.requests.Load(), b.upstream.withSources.Load()
	if reached != int64(requests) || c.cites != (sourced > 0) || c.cites && sourced != reached {
		return fmt.Errorf("of %d requests %d reached the upstream, %d with sources", requests, reached, sourced)
	}
	return nil
}

// publish prints a report, and writes it to a file if one is named. A trial does
// not replace the figures of a full run.
func (b *bench) publish(started time.Time) error {
	report := b.report(started)
	_, err := fmt.Fprint(b.out, report)
	switch {
	case b.file == "":
	case b.partial():
		fmt.Fprintf(os.Stderr, "%s is left as it is: this was a trial.\n", b.file)
	default:
		err = errors.Join(err, os.WriteFile(b.file, []byte(report), 0o644)) //nolint:gosec // everybody may read it
	}
	return err
}

// report is the report of a run.
func (b *bench) report(started time.Time) string {
	var w strings.Builder
	fmt.Fprintf(&w, `# What Footnote costs beside other proxies

Written by `+"`make bench-proxies`"+` on %s: %d rounds of all contenders in turns, in one run of %s on loopback; %s.
%s`, started.UTC().Format("2006-01-02 15:04 UTC"), b.rounds, time.Since(started).Round(time.Second), requestsText(b.requests), machineLine())
	for _, c := range b.absent {
		w.WriteString(" " + c.title + " is not installed here and left out.")
	}
	fmt.Fprintf(&w, `

CPU µs of the contender's processes per request, the median of the rounds, and in brackets the multiple of `+"`httputil.ReverseProxy`"+`, the
median of each round's. Measured by %s.
64 connections, or %d streams with a chunk every %s; an answer is an object of 1 KB or %d chunks of about %d bytes; every answer is checked byte for byte.
Footnote is `+"`footnote serve`"+` as it is shipped, with %d documents in its index and a key: it adds 4 KB of sources to the request and citations
to the answer; the others add nothing. The same hundred questions come again and again, or, in the cold columns, each question is new.
The citation engine alone is measured by `+"`make bench-citations`"+`.
Footnote, as it is shipped, lets its heap grow to 64 MiB before it collects garbage, and to 192 MiB under load; ReverseProxy is measured as Go sets it.

`, cpuClock, pacedStreams, pace, streamChunks, chunkBytes, b.documents)
	if b.partial() {
		fmt.Fprintf(&w, "**A trial, not a measurement**: a full run has every contender and phase, %d rounds, %d documents and %s. Judge nothing by these figures.\n\n",
			fullRounds, fullDocuments, requestsText(fullRequests))
	}
	goalRows := [][]string{{"goal", "bound", "is", "holds"}}
	for _, goal := range goals {
		goalRows = append(goalRows, goal.row(b.figures))
	}
	w.WriteString(contendersTable(b.figures, b.contenders, costColumns))
	w.WriteString("\nMilliseconds, the median of the rounds; they depend on the machine.\n\n")
	w.WriteString(contendersTable(b.figures, b.contenders, latencyColumns))
	w.WriteString("\nGoals for the row “footnote serve”.\n\n")
	w.WriteString(table(goalRows))
	return w.String()
}
