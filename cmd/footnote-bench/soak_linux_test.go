package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The soak holds idle and active streams against the real program for minutes. Every
// answer has to be whole. At the end all memory, goroutines and descriptors have to
// come back.

var soakFlags = struct {
	minutes      *float64
	idle, active *int
	late         *time.Duration
	patience     *time.Duration
}{
	flag.Float64("minutes", 0.05, "how long the soak holds all streams"),
	flag.Int("idle", 20, "its idle streams"),
	flag.Int("active", 20, "its streams of 20 chunks a second"),
	flag.Duration("late", time.Minute, "how much later than due a keep-alive may come"),
	flag.Duration("patience", 4*time.Minute, "how long the way back to the baseline may take; memory goes back slowly"),
}

// keepAlive is after how long without a byte the server sends one.
const keepAlive = 15 * time.Second

func TestAllStreamsAreWholeAndGivenBack(t *testing.T) {
	model, err := newSoakModel()
	check(t, err)
	defer model.close()
	server, err := startWithAssistant(t.Context(), realProgram(t), model.ln.Addr().String(), served{})
	check(t, err)
	defer func() { check(t, server.stop()) }()
	s := &soak{say: t.Logf, idle: *soakFlags.idle, active: *soakFlags.active, model: model, server: server, stopped: make(chan struct{})}
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A soak holds streams against a server.
type soak struct {
	say          func(format string, args ...any)
	idle, active int
	model        *soakModel
	server       *servedAssistant
	clients      sync.WaitGroup
	stopped      chan struct{} // closed when no further requests are to be sent
	nonces       atomic.Int64
	counts       struct{ whole, left, reset, objects, chunks, keepAlives, degraded, late atomic.Int64 }

	mu       sync.Mutex
	failures []error
	longest  time.Duration // without a byte from the server
}

// run holds the streams and judges.
func (s *soak) run(ctx context.Context) error {
	for range min(100, s.active) { // the server allocates what it keeps for ever
		s.clients.Go(func() {
			c := &soakClient{soak: s}
			defer c.hangUp()
			for range 3 {
				s.note(c.stream(ctx, s.script(soakActive, 10), 0), nil)
				s.note(c.object(ctx, s.script(soakObject, 0)), nil)
			}
		})
	}
	s.clients.Wait()
	s.model.hangUpIdle()
	if err := errors.Join(s.failures...); err != nil {
		return err
	}
	base, err := s.server.steady(ctx)
	if err != nil {
		return err
	}
	s.say("baseline: %s", base)
	for i := range s.idle {
		s.clients.Go(func() { s.beIdle(ctx, i) })
	}
	for i := range s.active {
		s.clients.Go(func() { s.beActive(ctx, i) })
	}
	s.clients.Go(func() { s.askForObjects(ctx) })
	held, err := s.hold(ctx)
	if err != nil {
		return err
	}
	close(s.stopped)
	close(s.model.ending)
	s.clients.Wait()
	s.say("all streams have ended: %s", s.tally())
	s.model.hangUpIdle()
	ended := time.Now()
	r, err := s.server.back(ctx, base)
	s.say("after %s: %s; a stream took %.0f KB", time.Since(ended).Round(time.Second), r, float64(held.resident-base.resident)/1024/float64(s.idle+s.active))
	return s.verdict(err)
}

// verdict is an error that names everything that was wrong; back is why the server is
// not back at the baseline.
func (s *soak) verdict(back error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := slices.Clone(s.failures)
	if more := len(problems) - 10; more > 0 {
		problems = append(problems[:10], fmt.Errorf("and %d more streams failed", more))
	}
	problems = append(problems, back)
	if n := s.counts.late.Load(); n > 0 {
		problems = append(problems, fmt.Errorf("%d keep-alives were late, one by %s", n, (s.longest-keepAlive).Round(time.Millisecond)))
	}
	if n := len(s.model.left); n > 0 {
		problems = append(problems, fmt.Errorf("%d clients left, and their upstream stream went on", n))
	}
	err := errors.Join(problems...)
	if complaints := s.server.recentWarnings(); err != nil && len(complaints) > 0 {
		err = fmt.Errorf("%w\nthe server's last complaints:\n%s", err, strings.Join(complaints, "\n"))
	}
	return err
}

func (s *soak) tally() string {
	c := &s.counts
	s.model.mu.Lock()
	freed, q := len(s.model.freed), quantilesOf(s.model.freed)
	s.model.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d streams whole, %d reset by the upstream, %d left by their client (%d noticed upstream, after %s p50, %s p99), %d objects, %d chunks, %d keep-alives, longest silence %s, %d without sources for want of time, %d failures",
		c.whole.Load(), c.reset.Load(), c.left.Load(), freed, q.p50.Round(time.Millisecond), q.p99.Round(time.Millisecond),
		c.objects.Load(), c.chunks.Load(), c.keepAlives.Load(), s.longest.Round(time.Millisecond), c.degraded.Load(), len(s.failures))
}

// hold waits until all have come and been held, says every minute how things are, and
// returns the last reading.
func (s *soak) hold(ctx context.Context) (r reading, err error) {
	end := time.Now().Add(arrival(s.idle+s.active) + time.Duration(*soakFlags.minutes*float64(time.Minute)))
	for left := time.Until(end); left > 0 && err == nil; left = time.Until(end) {
		if err = pause(ctx, min(left, time.Minute)); err == nil {
			r, err = s.server.read(ctx)
			s.say("%s; %s", r, s.tally())
		}
	}
	return r, err
}

// soakRun is a beginning of nonces that no other soak has.
var soakRun = rand.Text()[:6]

func (s *soak) script(kind string, chunks int) soakScript {
	return soakScript{kind: kind, nonce: fmt.Sprintf("%s-%d", soakRun, s.nonces.Add(1)), chunks: chunks}
}

// arrival is when the client of a place in the queue comes: a hundred do in a second.
func arrival(place int) time.Duration { return time.Duration(place) * time.Second / 100 }

// beIdle holds one stream until all are to end.
func (s *soak) beIdle(ctx context.Context, i int) {
	if pause(ctx, arrival(i*(s.idle+s.active)/s.idle)) != nil {
		return
	}
	c := &soakClient{soak: s}
	defer c.hangUp()
	s.note(c.stream(ctx, s.script(soakIdle, 1<<30), 0), &s.counts.whole)
}

// beActive asks for one stream after the other: most are read to their end, of
// some the client or the upstream goes away in the middle.
func (s *soak) beActive(ctx context.Context, i int) {
	if pause(ctx, arrival(i*(s.idle+s.active)/s.active)) != nil {
		return
	}
	c := &soakClient{soak: s}
	defer c.hangUp()
	for !s.over(ctx) {
		chunks := 100 + mathrand.IntN(500) // 5 to 30 s
		switch mathrand.IntN(10) {
		case 0:
			s.note(c.stream(ctx, s.script(soakActive, chunks), chunks/2), &s.counts.left)
			c.hangUp()
		case 1:
			s.note(c.stream(ctx, s.script(soakReset, chunks), 0), &s.counts.reset)
			c.hangUp()
		default:
			s.note(c.stream(ctx, s.script(soakActive, chunks), 0), &s.counts.whole)
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
	for !s.over(ctx) && pause(ctx, 50*time.Millisecond) == nil {
		s.note(c.object(ctx, s.script(soakObject, 0)), &s.counts.objects)
	}
}

func (s *soak) over(ctx context.Context) bool {
	select {
	case <-s.stopped:
		return true
	default:
		return ctx.Err() != nil
	}
}

// note keeps a failure, or counts what went well.
func (s *soak) note(err error, count *atomic.Int64) {
	switch {
	case err != nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.failures = append(s.failures, err)
	case count != nil:
		count.Add(1)
	}
}

// quiet notes for how long nothing came on a stream.
func (s *soak) quiet(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = max(s.longest, d)
	if d > keepAlive+*soakFlags.late {
		s.counts.late.Add(1)
	}
}

// A soakClient is a connection that may serve for several requests.
type soakClient struct {
	soak *soak
	conn net.Conn
	r    *bufio.Reader
}

func (c *soakClient) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing more is wanted from it
		c.conn = nil
	}
}

// ask sends a script's request and returns the answer's body. It is to be read
// to its end or given up with the connection; closing it would read it too.
func (c *soakClient) ask(ctx context.Context, s soakScript) (io.Reader, error) {
	if c.conn == nil {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", c.soak.server.addr)
		if err != nil {
			return nil, err
		}
		c.conn, c.r = conn, bufio.NewReader(conn)
	}
	body := s.body()
	if err := c.conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return nil, err
	}
	_, err := fmt.Fprintf(c.conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		c.soak.server.addr, c.soak.server.key, len(body), body)
	if err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(c.r, nil) //nolint:bodyclose // the connection is closed instead
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(resp.Body, 500))
		return nil, errors.Join(fmt.Errorf("%s: %s", resp.Status, text), err)
	}
	return resp.Body, nil
}

// object asks for an answer that is no stream and checks it.
func (c *soakClient) object(ctx context.Context, s soakScript) error {
	answered, err := c.ask(ctx, s)
	if err != nil {
		c.hangUp()
		return err
	}
	body, err := io.ReadAll(answered)
	var a answer
	if err == nil {
		err = a.add(body)
	}
	if err != nil {
		return err
	}
	return c.soak.cited(a.citations, a.text == s.nonce+" [1].")
}

// cited checks an answer's citations. They may say that retrieval took too long, as it
// does on a machine that is too busy.
func (s *soak) cited(c *citationsSeen, right bool) error {
	switch {
	case !right:
		return errors.New("another client's answer")
	case c != nil && c.Status == "unavailable":
		s.counts.degraded.Add(1)
	case c == nil || c.Status != "cited" || !slices.Equal(c.ReferencedIndices, []int{1}):
		return errors.New("its citations are missing or wrong")
	}
	return nil
}

// stream asks for a stream and checks it as it comes. A client that leaves
// does so after leaveAfter chunks; 0 stays.
func (c *soakClient) stream(ctx context.Context, s soakScript, leaveAfter int) error {
	seen := soakSeen{script: s}
	body, err := c.ask(ctx, s)
	if err == nil {
		err = c.follow(body, &seen, leaveAfter)
	}
	switch {
	case err != nil:
		c.hangUp()
	case leaveAfter > 0 && seen.chunks >= leaveAfter:
		c.soak.model.clientLeft(s.nonce) // before the hang-up, so that the model cannot notice first
		c.hangUp()
		return nil
	default:
		err = seen.end(c.soak)
	}
	if err != nil {
		return fmt.Errorf("%s after %d chunks: %w", s.kind, seen.chunks, err)
	}
	return nil
}

// follow reads a stream to its end, or until the client leaves.
func (c *soakClient) follow(body io.Reader, seen *soakSeen, leaveAfter int) error {
	lines, last := bufio.NewReader(body), time.Now()
	for {
		// Something has to come all the time, be it a comment.
		if err := c.conn.SetReadDeadline(last.Add(keepAlive + answerTimeout/2)); err != nil {
			return err
		}
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			c.soak.quiet(time.Since(last))
			last = time.Now()
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("nothing came for %s", time.Since(last).Round(time.Second))
		}
		// After an error the server breaks the transfer.
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && seen.failed != ""
		if err != nil && !ended {
			return err
		}
		before := *seen
		if err := seen.line(bytes.TrimRight(line, "\n")); err != nil {
			return err
		}
		c.soak.counts.chunks.Add(int64(seen.chunks - before.chunks))
		c.soak.counts.keepAlives.Add(int64(seen.keepAlives - before.keepAlives))
		if ended || leaveAfter > 0 && seen.chunks >= leaveAfter {
			return nil
		}
	}
}

// soakSeen is what a client has seen of its stream.
type soakSeen struct {
	script     soakScript
	chunks     int
	keepAlives int
	finished   bool
	citations  *citationsSeen
	failed     string // the error frame
	done       bool
}

// line takes a line of the stream.
func (s *soakSeen) line(line []byte) error {
	data, isData := bytes.CutPrefix(line, []byte("data: "))
	switch {
	case len(line) == 0:
		return nil
	case line[0] == ':':
		s.keepAlives++
		return nil
	case s.done || s.failed != "":
		return fmt.Errorf("a line after the end: %.80q", line)
	case !isData:
		return fmt.Errorf("a strange line: %.80q", line)
	case string(data) == "[DONE]":
		s.done = true
		return nil
	}
	return s.chunk(data)
}

// chunk takes a chunk and makes sure that it is the next one of this stream.
func (s *soakSeen) chunk(data []byte) error {
	var c struct {
		ID      string
		Choices []struct {
			Delta        struct{ Content string }
			FinishReason string `json:"finish_reason"`
		}
		Citations *citationsSeen
		Error     json.RawMessage
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	switch {
	case c.Error != nil:
		s.failed = string(c.Error)
		return nil
	case c.ID != s.script.nonce || len(c.Choices) != 1 || s.finished:
		return fmt.Errorf("a chunk of another answer: %.200s", data)
	case c.Choices[0].FinishReason != "":
		s.finished, s.citations = true, c.Citations
		return nil
	case c.Choices[0].Delta.Content != s.script.delta(s.chunks):
		return fmt.Errorf("chunk %q instead of %q", c.Choices[0].Delta.Content, s.script.delta(s.chunks))
	}
	s.chunks++
	return nil
}

// end judges how the stream ended: as its script says, with every chunk that was sent.
func (s *soakSeen) end(soak *soak) error {
	if s.script.kind == soakReset && !s.done && s.failed != "" {
		if s.finished || !strings.Contains(s.failed, `"code"`) {
			return fmt.Errorf("a strange error: %s", s.failed)
		}
		return nil
	}
	sent := soak.model.sentTo(s.script.nonce)
	switch {
	case s.failed != "":
		return fmt.Errorf("an error: %s", s.failed)
	case !s.done || !s.finished:
		return errors.New("it broke off without a word")
	case s.chunks != sent:
		return fmt.Errorf("%d chunks of %d arrived", s.chunks, sent)
	}
	return soak.cited(s.citations, true)
}
