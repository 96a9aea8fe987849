package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// soakOptions of `footnote-bench soak`.
type soakOptions struct {
	footnote string
	minutes  float64
	idle     int
	active   int
	late     time.Duration // how much later than due a keep-alive may be
	patience time.Duration // for the way back to the baseline
}

func soakCommand(ctx context.Context, args []string, out io.Writer) error {
	var o soakOptions
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	f.StringVar(&o.footnote, "footnote", "bin/footnote", "the `program` to hold")
	f.Float64Var(&o.minutes, "minutes", 10, "how long all streams are held")
	f.IntVar(&o.idle, "idle", 2000, "idle streams")
	f.IntVar(&o.active, "active", 500, "streams of 20 chunks a second")
	f.DurationVar(&o.late, "late", 2*time.Second, "how much later than due a keep-alive may come")
	f.DurationVar(&o.patience, "patience", 4*time.Minute, "how long the way back to the baseline may take; memory goes back slowly")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.minutes <= 0 || o.idle < 0 || o.active < 1 || f.NArg() > 0 {
		return errors.New("there is at least one active stream and some time, and no arguments but flags")
	}
	limit, err := raiseDescriptors()
	if err != nil {
		return err
	}
	if need := uint64(3 * (o.idle + o.active)); limit < need {
		return fmt.Errorf("%d open files are allowed, %d are needed: raise the hard limit (ulimit -Hn)", limit, need)
	}
	model, err := newSoakModel(50*time.Millisecond, time.Minute)
	if err != nil {
		return err
	}
	defer model.close()
	server, err := startFurnished(ctx, o.footnote, model.ln.Addr().String())
	if err != nil {
		return err
	}
	s := &soak{soakOptions: o, out: out, model: model, server: server, silence: 15 * time.Second, stopped: make(chan struct{})}
	return errors.Join(s.run(ctx), server.stop())
}

// A soak holds streams against a server for a long time.
type soak struct {
	soakOptions
	out     io.Writer
	model   *soakModel
	server  *furnished
	silence time.Duration // after which a keep-alive is due
	clients sync.WaitGroup
	stopped chan struct{} // closed when no further requests are to be sent
	nonces  atomic.Int64
	counts  struct{ whole, left, reset, objects, chunks, keepAlives, degraded atomic.Int64 }

	mu       sync.Mutex
	failures []string
	failed   int
	longest  time.Duration // without a byte from the server
	lateOnes int           // keep-alives that were late
}

// run holds the streams and judges.
func (s *soak) run(ctx context.Context) error {
	if err := s.warmUp(ctx); err != nil {
		return err
	}
	base, err := s.server.steady(ctx)
	if err != nil {
		return err
	}
	s.say("baseline: %s", base)
	s.say("%d idle and %d active streams are held for %g minutes; then at most %s until all is given back",
		s.idle, s.active, s.minutes, s.patience)
	for i := range s.idle {
		s.clients.Go(func() { s.beIdle(ctx, i) })
	}
	for i := range s.active {
		s.clients.Go(func() { s.beActive(ctx, i) })
	}
	for range 4 {
		s.clients.Go(func() { s.askForObjects(ctx) })
	}
	held, err := s.hold(ctx)
	if err != nil {
		return err
	}
	close(s.stopped)
	close(s.model.ending)
	s.clients.Wait()
	s.say("all streams have ended: %s; waiting for the server to give back what they held", s.tally())
	s.model.hangUpIdle()
	ended := time.Now()
	r, too, err := s.server.back(ctx, base, s.patience)
	if err != nil {
		return err
	}
	s.say("after %s: %s", time.Since(ended).Round(time.Second), r)
	if n := s.idle + s.active; n > 0 {
		s.say("a stream took %.0f KB of resident memory, %d of them", float64(held.resident-base.resident)/1024/float64(n), n)
	}
	return s.verdict(too)
}

// say prints a line with the time.
func (s *soak) say(format string, args ...any) {
	fmt.Fprintf(s.out, "%s  %s\n", time.Now().UTC().Format("15:04:05"), fmt.Sprintf(format, args...))
}

// verdict is an error that names everything that was wrong.
func (s *soak) verdict(too string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := slices.Clone(s.failures)
	if s.failed > len(s.failures) {
		problems = append(problems, fmt.Sprintf("and %d more streams failed", s.failed-len(s.failures)))
	}
	if too != "" {
		problems = append(problems, "not back at the baseline: too much "+too)
	}
	if s.lateOnes > 0 {
		problems = append(problems, fmt.Sprintf("%d keep-alives were late, one by %s", s.lateOnes, (s.longest-s.silence).Round(time.Millisecond)))
	}
	if n := s.model.forgotten(); n > 0 {
		problems = append(problems, fmt.Sprintf("%d clients left, and their upstream stream went on", n))
	}
	if heard := s.server.complaints(); len(problems) > 0 && len(heard) > 0 {
		problems = append(problems, "the server's last complaints:\n"+strings.Join(heard, "\n"))
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "\n"))
	}
	s.say("passed")
	return nil
}

func (s *soak) tally() string {
	c := &s.counts
	freed, q, most := s.model.freedAfter()
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d streams whole, %d reset by the upstream, %d left by their client (upstream freed in %s p50, %s p99, %s at most, %d of them), %d objects, %d chunks, %d keep-alives, longest silence %s, %d without sources for want of time, %d failures",
		c.whole.Load(), c.reset.Load(), c.left.Load(), q.P50.Round(time.Millisecond), q.P99.Round(time.Millisecond), most.Round(time.Millisecond), freed,
		c.objects.Load(), c.chunks.Load(), c.keepAlives.Load(), s.longest.Round(time.Millisecond), c.degraded.Load(), s.failed)
}

// hold waits until all have come and been held, says every minute how things
// are, and returns the last reading.
func (s *soak) hold(ctx context.Context) (r reading, err error) {
	end := time.Now().Add(s.arrival(s.idle+s.active) + time.Duration(s.minutes*float64(time.Minute)))
	for left := time.Until(end); left > 0; left = time.Until(end) {
		if err := pause(ctx, min(left, time.Minute)); err != nil {
			return r, err
		}
		if r, err = s.server.read(ctx); err != nil {
			return r, err
		}
		s.say("%s; %s", r, s.tally())
	}
	return r, nil
}

// warmUp sends what makes a server allocate what it keeps for ever.
func (s *soak) warmUp(ctx context.Context) error {
	var clients sync.WaitGroup
	for range min(100, s.active) {
		clients.Go(func() {
			c := &soakClient{soak: s}
			defer c.hangUp()
			for range 3 {
				s.note(c.stream(ctx, s.script(soakActive, 10), 0))
				s.note(c.object(ctx, s.script(soakObject, 0)))
			}
		})
	}
	clients.Wait()
	s.model.hangUpIdle()
	if s.failed > 0 {
		return fmt.Errorf("the server does not work: %s", strings.Join(s.failures, "; "))
	}
	return ctx.Err()
}

// soakRun is a beginning of nonces that no other soak has.
var soakRun = rand.Text()[:6]

// script is a new script.
func (s *soak) script(kind string, chunks int) soakScript {
	return soakScript{kind: kind, nonce: fmt.Sprintf("%s-%d", soakRun, s.nonces.Add(1)), chunks: chunks}
}

// spread lets the clients come one after the other, a hundred a second: client
// i of so many of its kind.
func (s *soak) spread(ctx context.Context, i, of int) bool {
	return pause(ctx, s.arrival(i*(s.idle+s.active)/of)) == nil
}

// arrival is when the client of a place in the queue comes.
func (s *soak) arrival(place int) time.Duration { return time.Duration(place) * time.Second / 100 }

// beIdle holds one stream until all are to end.
func (s *soak) beIdle(ctx context.Context, i int) {
	if !s.spread(ctx, i, s.idle) {
		return
	}
	c := &soakClient{soak: s}
	defer c.hangUp()
	if s.note(c.stream(ctx, s.script(soakIdle, 1<<30), 0)) {
		s.counts.whole.Add(1)
	}
}

// beActive asks for one stream after the other: most are read to their end, of
// some the client or the upstream goes away in the middle.
func (s *soak) beActive(ctx context.Context, i int) {
	if !s.spread(ctx, i, s.active) {
		return
	}
	c := &soakClient{soak: s}
	defer c.hangUp()
	for !s.over(ctx) {
		chunks := 100 + mathrand.IntN(500) // 5 to 30 s
		switch mathrand.IntN(10) {
		case 0:
			if s.note(c.stream(ctx, s.script(soakActive, chunks), chunks/2)) {
				s.counts.left.Add(1)
			}
			c.hangUp()
		case 1:
			if s.note(c.stream(ctx, s.script(soakReset, chunks), 0)) {
				s.counts.reset.Add(1)
			}
			c.hangUp()
		default:
			if s.note(c.stream(ctx, s.script(soakActive, chunks), 0)) {
				s.counts.whole.Add(1)
			}
			if mathrand.IntN(2) == 0 {
				c.hangUp()
			}
		}
	}
}

// askForObjects asks for answers that are no streams, now and then.
func (s *soak) askForObjects(ctx context.Context) {
	c := &soakClient{soak: s}
	defer c.hangUp()
	for !s.over(ctx) && pause(ctx, 200*time.Millisecond) == nil {
		if s.note(c.object(ctx, s.script(soakObject, 0))) {
			s.counts.objects.Add(1)
		} else {
			c.hangUp()
		}
	}
}

func (s *soak) over(ctx context.Context) bool {
	select {
	case <-s.stopped:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// note keeps a failure and reports whether there was none.
func (s *soak) note(err error) bool {
	if err == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed++; s.failed <= 10 {
		s.failures = append(s.failures, err.Error())
	}
	return false
}

// quiet notes for how long nothing came on a stream.
func (s *soak) quiet(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = max(s.longest, d)
	if d > s.silence+s.late {
		s.lateOnes++
	}
}
