package upstreamtest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Step is one thing a script does. An error ends the connection.
type Step func(c *Conn) error

// A Script is what a server does after it has read a request. A script that
// ends without closing leaves the connection open for the next request.
type Script []Step

// Then returns a script that does more after s.
func (s Script) Then(steps ...Step) Script { return append(slices.Clone(s), steps...) }

func (s Script) play(c *Conn) error {
	for _, step := range s {
		if err := step(c); err != nil {
			return err
		}
	}
	return nil
}

// JSON answers 200 with a JSON body.
func JSON(body string) Script { return Status(http.StatusOK, body) }

// Status answers with a status, a JSON body, and further headers given as
// "Name: value"; one of them may replace Content-Type.
func Status(status int, body string, headers ...string) Script {
	return Script{Bytes(Head(status, append([]string{"Content-Length: " + strconv.Itoa(len(body))}, headers...)...) + body)}
}

// Head is a status line and headers, with the blank line that ends them.
// Content-Type is JSON's unless a header says otherwise.
func Head(status int, headers ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	if !slices.ContainsFunc(headers, func(h string) bool {
		name, _, _ := strings.Cut(h, ":")
		return strings.EqualFold(name, "Content-Type")
	}) {
		b.WriteString("Content-Type: application/json\r\n")
	}
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	b.WriteString("\r\n")
	return b.String()
}

// SSE streams events, given as their data, and ends the body. A "[DONE]" has
// to be among them if it is wanted. Each event is a chunk of its own.
func SSE(data ...string) Script {
	script := Stream()
	for _, d := range data {
		script = append(script, Event(d))
	}
	return append(script, EndStream())
}

// Stream begins an event stream; [Event], [Chunk] and [EndStream] go on.
func Stream(headers ...string) Script {
	headers = append([]string{"Content-Type: text/event-stream", "Transfer-Encoding: chunked"}, headers...)
	return Script{Bytes(Head(http.StatusOK, headers...))}
}

// Event sends one event in a chunk of its own.
func Event(data string) Step { return Chunk("data: " + data + "\n\n") }

// Chunk sends bytes in a chunk of chunked transfer coding.
func Chunk(b string) Step {
	if b == "" {
		return func(*Conn) error { return nil } // an empty chunk would end the body
	}
	return Bytes(fmt.Sprintf("%x\r\n%s\r\n", len(b), b))
}

// EndStream ends a chunked body.
func EndStream() Step { return Bytes("0\r\n\r\n") }

// Raw sends bytes as they are, one write each, and leaves the connection open.
func Raw(pieces ...string) Script {
	var script Script
	for _, p := range pieces {
		script = append(script, Bytes(p))
	}
	return script
}

// Bytes sends bytes as they are in one write.
func Bytes(b string) Step {
	return func(c *Conn) error {
		_, err := c.Write([]byte(b))
		return err
	}
}

// Repeat sends the same bytes n times, one write each, until the peer takes no
// more; it holds no more than b in memory.
func Repeat(n int, b string) Step {
	return func(c *Conn) error {
		piece := []byte(b)
		for range n {
			if _, err := c.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}
}

// Split sends bytes in several writes, cut at the given offsets. The peer may
// still read two of them at once; put [Wait] between steps to rule that out.
func Split(b string, at ...int) Script {
	var script Script
	from := 0
	for _, cut := range append(slices.Sorted(slices.Values(at)), len(b)) {
		if cut = min(max(cut, from), len(b)); cut > from {
			script = append(script, Bytes(b[from:cut]))
			from = cut
		}
	}
	return script
}

// Dribble sends bytes one write each.
func Dribble(b string) Script {
	cuts := make([]int, len(b))
	for i := range cuts {
		cuts[i] = i
	}
	return Split(b, cuts...)
}

// Wait holds the script until the test closes ch or sends on it, or the peer leaves.
func Wait(ch <-chan struct{}) Step {
	return func(c *Conn) error {
		select {
		case <-ch:
			return nil
		case <-c.Gone():
			return errEnd
		case <-c.stop:
			return errEnd
		}
	}
}

// Tell closes ch: the script has come this far.
func Tell(ch chan<- struct{}) Step {
	return func(*Conn) error {
		close(ch)
		return nil
	}
}

// Hang is silent until the peer leaves or the server is closed.
func Hang() Script { return Script{Wait(nil)} }

// Hangs is [Hang] as a step.
func Hangs() Step { return Wait(nil) }

// Swallows reads and drops what the peer sends until it leaves. It belongs in
// greetings, where nothing else reads.
func Swallows() Step {
	return func(c *Conn) error {
		_, _ = io.Copy(io.Discard, c.Conn) // however it ends
		return errEnd
	}
}

// Reset breaks the connection off with a TCP reset.
func Reset() Script { return Script{Resets()} }

// Resets is [Reset] as a step.
func Resets() Step {
	return func(c *Conn) error {
		if tcp := c.tcp(); tcp != nil {
			if err := tcp.SetLinger(0); err != nil {
				return err
			}
			_ = tcp.Close() // at once: TLS would say goodbye first
		}
		return errEnd
	}
}

// Close closes the connection.
func Close() Script { return Script{closeNow} }

// Closes is [Close] as a step.
func Closes() Step { return closeNow }

func closeNow(*Conn) error { return errEnd }

// CloseWrite closes the sending half of the TCP connection, without TLS's
// goodbye, and leaves the other open.
func CloseWrite() Step {
	return func(c *Conn) error {
		tcp := c.tcp()
		if tcp == nil {
			return errEnd
		}
		return tcp.CloseWrite()
	}
}
