package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// A soakClient is one client of the soak: a connection that may serve for
// several requests.
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
	if err := c.conn.SetDeadline(time.Now().Add(giveUp)); err != nil {
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
		return err
	}
	body, err := io.ReadAll(answered)
	if err != nil {
		return err
	}
	var a answer
	if err := a.add(body); err != nil {
		return err
	}
	if a.text != s.nonce+" [1]." || !a.citesFirst() && !a.degraded() {
		return fmt.Errorf("another client's answer, or one without citations: %.300s", body)
	}
	if a.degraded() {
		c.soak.counts.degraded.Add(1)
	}
	return nil
}

func (a answer) citesFirst() bool {
	return a.citations != nil && a.citations.Status == "cited" && slices.Equal(a.citations.ReferencedIndices, []int{1})
}

// degraded reports whether the answer says that retrieval took too long, as it
// may on a machine that is too busy.
func (a answer) degraded() bool {
	return a.citations != nil && a.citations.Status == "unavailable"
}

// stream asks for a stream and checks it as it comes. A client that leaves
// does so after leaveAfter chunks; 0 stays.
func (c *soakClient) stream(ctx context.Context, s soakScript, leaveAfter int) error {
	body, err := c.ask(ctx, s)
	if err != nil {
		return err
	}
	seen := soakSeen{script: s}
	err = c.follow(body, &seen, leaveAfter)
	switch {
	case err != nil:
		c.hangUp()
		return fmt.Errorf("%s after %d chunks: %w", s.kind, seen.chunks, err)
	case leaveAfter > 0 && seen.chunks >= leaveAfter:
		c.soak.model.clientLeft(s.nonce) // before the hang-up, so that the model cannot notice first
		c.hangUp()
		return nil
	}
	if err := seen.end(c.soak.model); err != nil {
		return fmt.Errorf("%s after %d chunks: %w", s.kind, seen.chunks, err)
	}
	if seen.degraded {
		c.soak.counts.degraded.Add(1)
	}
	return nil
}

// follow reads a stream to its end, or until the client leaves.
func (c *soakClient) follow(body io.Reader, seen *soakSeen, leaveAfter int) error {
	lines := bufio.NewReader(body)
	last := time.Now()
	for {
		// Something has to come all the time, be it a comment.
		if err := c.conn.SetReadDeadline(last.Add(c.soak.silence + giveUp/2)); err != nil {
			return err
		}
		line, err := lines.ReadBytes('\n')
		now := time.Now()
		if gap := now.Sub(last); len(line) > 0 {
			c.soak.quiet(gap)
			last = now
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("nothing came for %s", time.Since(last).Round(time.Second))
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		before := *seen
		if err := seen.line(bytes.TrimRight(line, "\n")); err != nil {
			return err
		}
		c.soak.counts.chunks.Add(int64(seen.chunks - before.chunks))
		c.soak.counts.keepAlives.Add(int64(seen.keepAlives - before.keepAlives))
		if errors.Is(err, io.EOF) || leaveAfter > 0 && seen.chunks >= leaveAfter {
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
	cited      bool
	degraded   bool   // retrieval took too long, and the citations say so
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
		a := answer{citations: c.Citations}
		s.finished, s.cited, s.degraded = true, a.citesFirst(), a.degraded()
		return nil
	case c.Choices[0].Delta.Content != s.script.delta(s.chunks):
		return fmt.Errorf("chunk %q instead of %q", c.Choices[0].Delta.Content, s.script.delta(s.chunks))
	}
	s.chunks++
	return nil
}

// end judges how the stream ended: as its script says, with every chunk that was sent.
func (s *soakSeen) end(m *soakModel) error {
	if s.script.kind == soakReset && !s.done && s.failed != "" {
		if s.finished || !strings.Contains(s.failed, `"code"`) {
			return fmt.Errorf("a strange error: %s", s.failed)
		}
		return nil
	}
	sent := m.sentTo(s.script.nonce)
	switch {
	case s.failed != "":
		return fmt.Errorf("an error: %s", s.failed)
	case !s.done || !s.finished:
		return errors.New("it broke off without a word")
	case s.chunks != sent:
		return fmt.Errorf("%d chunks of %d arrived", s.chunks, sent)
	case !s.cited && !s.degraded:
		return errors.New("its citations are missing or wrong")
	}
	return nil
}
