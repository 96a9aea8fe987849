package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A load is what the load generator is to send.
type load struct {
	Addr        string `json:"addr"`
	Key         string `json:"key"`
	Stream      bool   `json:"stream"`
	Size        int    `json:"size"` // bytes of the conversation
	Concurrency int    `json:"concurrency"`
	Requests    int    `json:"requests"` // altogether; each connection sends its share
	Verify      string `json:"verify"`   // verifyVerbatim, verifySpliced or verifyDecoded
	Expect      string `json:"expect"`   // the kind of answer: kindJSON, kindStream or kindPaced
}

// A loadResult is the outcome of a load.
type loadResult struct {
	Answers  int       `json:"answers"` // those that were right
	Failures []string  `json:"failures,omitempty"`
	Whole    quantiles `json:"whole"` // request to last byte
	First    quantiles `json:"first"` // request to first byte of the body
}

// quantiles of a set of durations.
type quantiles struct {
	P50 time.Duration `json:"p50"`
	P99 time.Duration `json:"p99"`
}

func quantilesOf(d []time.Duration) quantiles {
	if len(d) == 0 {
		return quantiles{}
	}
	slices.Sort(d)
	return quantiles{P50: d[len(d)/2], P99: d[min(len(d)-1, len(d)*99/100)]}
}

// A generator is the load generator's state between its orders: connections
// that were opened and warmed up and then wait for the start.
type generator struct {
	load    load
	request []byte
	verify  *verifier
	clients []*client
}

// runLoad is the role of the load generator.
func runLoad() error {
	var g *generator
	return obey(os.Stdin, os.Stdout, listening{}, ops{
		"prepare": orderOf(func(l load) (err error) {
			g, err = newGenerator(l)
			return err
		}),
		// warm opens the connections and sends requests on each.
		"warm": orderOf(func(each int) error {
			if result := g.run(each); len(result.Failures) > 0 {
				return errors.New(strings.Join(result.Failures, "; "))
			}
			return nil
		}),
		"run": func(json.RawMessage) (any, error) {
			return g.run(max(1, g.load.Requests/g.load.Concurrency)), nil
		},
		"close": func(json.RawMessage) (any, error) {
			g.close()
			return nil, nil
		},
	})
}

func newGenerator(l load) (*generator, error) {
	body := conversation(l.Size, l.Stream)
	head := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nUser-Agent: footnote-bench\r\nAccept: application/json\r\nContent-Type: application/json\r\n", l.Addr)
	if l.Key != "" {
		head += "Authorization: Bearer " + l.Key + "\r\n"
	}
	g := &generator{load: l, request: fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)}
	var err error
	if g.verify, err = newVerifier(l.Verify, l.Expect); err != nil {
		return nil, err
	}
	for range l.Concurrency {
		g.clients = append(g.clients, &client{addr: l.Addr})
	}
	return g, nil
}

func (g *generator) close() {
	for _, c := range g.clients {
		c.hangUp()
	}
}

// maxFailures is how many failures are reported in words.
const maxFailures = 5

// run sends each requests on every connection.
func (g *generator) run(each int) loadResult {
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
			times := make([]exchangeTimes, 0, each)
			for range each {
				t, err := g.exchange(c)
				if err == nil {
					times = append(times, t)
					continue
				}
				c.hangUp()
				if failures.Add(1) <= maxFailures {
					mu.Lock()
					result.Failures = append(result.Failures, err.Error())
					mu.Unlock()
				}
			}
			mu.Lock()
			defer mu.Unlock()
			result.Answers += len(times)
			for _, t := range times {
				whole, first = append(whole, t.whole), append(first, t.first)
			}
		})
	}
	workers.Wait()
	if n := failures.Load(); n > maxFailures {
		result.Failures = append(result.Failures, fmt.Sprintf("and %d more", n-maxFailures))
	}
	result.Whole, result.First = quantilesOf(whole), quantilesOf(first)
	return result
}

// exchangeTimes are the times of one request.
type exchangeTimes struct{ whole, first time.Duration }

// exchange sends one request and checks its answer.
func (g *generator) exchange(c *client) (exchangeTimes, error) {
	var t exchangeTimes
	if err := c.dial(); err != nil {
		return t, err
	}
	start := time.Now()
	if _, err := c.conn.Write(g.request); err != nil {
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
	if m.stream != g.load.Stream {
		return t, errors.New("a stream and an object were mixed up")
	}
	return t, g.verify.check(c.body)
}

// A client is one connection, opened when it is needed.
type client struct {
	addr string
	conn net.Conn
	r    *bufio.Reader
	body []byte
}

// giveUp is how long an answer may take before the run is given up.
const giveUp = 60 * time.Second

func (c *client) dial() error {
	if c.conn == nil {
		d := net.Dialer{Timeout: giveUp}
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
	return c.conn.SetDeadline(time.Now().Add(giveUp))
}

func (c *client) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing more is wanted from it
		c.conn = nil
	}
}
