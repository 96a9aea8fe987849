package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A load describes the requests that a generator sends.
type load struct {
	addr        string
	key         string
	cites       bool   // the answers have citations
	kind        string // of the answers
	size        int    // bytes of the conversation
	concurrency int
	cold        bool          // every question is a new one
	documents   int           // that questions are about
	asked       *atomic.Int64 // counts the new questions of all loads
}

// A loadResult is the outcome of a load.
type loadResult struct {
	answers  int // number of correct answers
	failures []string
	whole    quantiles // request to last byte
	first    quantiles // request to first byte of the body
}

// quantiles of a set of durations.
type quantiles struct{ p50, p99 time.Duration }

func quantilesOf(d []time.Duration) quantiles {
	if len(d) == 0 {
		return quantiles{}
	}
	slices.Sort(d)
	return quantiles{p50: d[len(d)/2], p99: d[min(len(d)-1, len(d)*99/100)]}
}

// A generator sends a load on connections that stay open.
type generator struct {
	load
	stream  bool
	request []byte // with a place for the number that makes a question another one
	number  int    // where it is
	next    atomic.Int64
	verify  *verifier
	clients []*client
}

func newGenerator(l load) (*generator, error) {
	g := &generator{load: l, stream: l.kind != kindJSON}
	body := conversation(l.size, g.stream)
	head := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nUser-Agent: footnote-bench\r\nAccept: application/json\r\nContent-Type: application/json\r\n", l.addr)
	if l.key != "" {
		head += "Authorization: Bearer " + l.key + "\r\n"
	}
	g.request = fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
	g.number = bytes.Index(g.request, []byte(anyNumber))
	var err error
	if g.verify, err = newVerifier(l.cites, g.stream); err != nil {
		return nil, err
	}
	for range l.concurrency {
		g.clients = append(g.clients, &client{addr: l.addr})
	}
	return g, nil
}

func (g *generator) close() {
	for _, c := range g.clients {
		c.hangUp()
	}
}

// maxFailures is how many failures are reported one by one.
const maxFailures = 5

// run sends perConnection requests on every connection.
func (g *generator) run(perConnection int) loadResult {
	var (
		workers  sync.WaitGroup
		mu       sync.Mutex
		result   loadResult
		whole    []time.Duration
		first    []time.Duration
		failures atomic.Int64
	)
	for _, c := range g.clients {
		workers.Go(func() {
			times := make([]exchangeTimes, 0, perConnection)
			for range perConnection {
				t, err := g.exchange(c)
				if err == nil {
					times = append(times, t)
					continue
				}
				c.hangUp()
				if failures.Add(1) <= maxFailures {
					mu.Lock()
					result.failures = append(result.failures, err.Error())
					mu.Unlock()
				}
			}
			mu.Lock()
			defer mu.Unlock()
			result.answers += len(times)
			for _, t := range times {
				whole, first = append(whole, t.whole), append(first, t.first)
			}
		})
	}
	workers.Wait()
	if n := failures.Load(); n > maxFailures {
		result.failures = append(result.failures, fmt.Sprintf("and %d more", n-maxFailures))
	}
	result.whole, result.first = quantilesOf(whole), quantilesOf(first)
	return result
}

// exchangeTimes are the times of one request.
type exchangeTimes struct{ whole, first time.Duration }

// warmQuestions is how many questions come again and again.
const warmQuestions = 100

// question returns the number of the next question. New ones go through the documents,
// and further numbers are in none of them.
func (g *generator) question() int {
	if !g.cold {
		return int(g.next.Add(1)) % min(warmQuestions, g.documents)
	}
	return warmQuestions + int(g.asked.Add(1))
}

// exchange sends one request and checks its answer.
func (g *generator) exchange(c *client) (exchangeTimes, error) {
	var t exchangeTimes
	if err := c.dial(); err != nil {
		return t, err
	}
	c.request = append(c.request[:0], g.request...)
	copy(c.request[g.number:], numberText(g.question()))
	start := time.Now()
	if _, err := c.conn.Write(c.request); err != nil {
		return t, err
	}
	m, err := readHead(c.r)
	if err != nil {
		return t, err
	}
	c.body, err = m.readBody(c.r, c.body[:0], func() { t.first = time.Since(start) })
	if err != nil {
		return t, fmt.Errorf("the answer broke off: %w", err)
	}
	t.whole = time.Since(start)
	if m.close {
		c.hangUp()
	}
	if !strings.HasPrefix(m.first, "HTTP/1.1 200 ") {
		return t, fmt.Errorf("%s: %.300s", m.first, c.body)
	}
	if m.stream != g.stream {
		return t, errors.New("a stream and an object were mixed up")
	}
	return t, g.verify.check(c.body)
}

// A client is one connection, opened when it is needed.
type client struct {
	addr string
	conn net.Conn
	r    *bufio.Reader

	request, body []byte
}

// answerTimeout is how long an answer may take.
const answerTimeout = 60 * time.Second

func (c *client) dial() error {
	if c.conn == nil {
		d := net.Dialer{Timeout: answerTimeout}
		conn, err := d.DialContext(context.Background(), "tcp", c.addr)
		if err != nil {
			return err
		}
		if c.r == nil {
			c.r = bufio.NewReaderSize(nil, 16<<10)
		}
		c.conn = conn
		c.r.Reset(conn)
	}
	return c.conn.SetDeadline(time.Now().Add(answerTimeout))
}

func (c *client) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing more is wanted from it
		c.conn = nil
	}
}
