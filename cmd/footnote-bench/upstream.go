package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// The kinds of answer that the scripted upstream gives.
const (
	kindJSON   = "json"   // one object
	kindStream = "stream" // chunks as fast as they go, each written on its own
	kindPaced  = "paced"  // a chunk every pace
)

// pace is the time between two chunks of a paced stream: 50 tokens a second.
const pace = 20 * time.Millisecond

// scripted is a model server on raw TCP. It answers every request with the kind of
// answer that is set in kind, and counts the requests.
type scripted struct {
	ln          net.Listener
	kind        atomic.Value // string
	requests    atomic.Int64
	withSources atomic.Int64 // requests with the sources in them
	reply       []byte       // the whole HTTP response
	chunks      [][]byte     // the pieces of a streamed HTTP response: the head first, the end last
}

func newScripted() *scripted {
	const head = "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nServer: scripted\r\nX-Request-Id: req_abc\r\nContent-Type: "
	const streamHead = head + "text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
	reply := jsonReply()
	s := &scripted{reply: fmt.Appendf(nil, "%sapplication/json\r\nContent-Length: %d\r\n\r\n%s", head, len(reply), reply)}
	s.chunks = append(s.chunks, []byte(streamHead))
	for _, data := range append(streamData("bench"), []byte("[DONE]")) {
		s.chunks = append(s.chunks, transferChunk(appendEvent(nil, data)))
	}
	s.chunks = append(s.chunks, []byte("0\r\n\r\n"))
	s.kind.Store(kindJSON)
	return s
}

// startScripted starts a model server, which serves until its listener is closed.
func startScripted() (*scripted, error) {
	s := newScripted()
	var err error
	if s.ln, err = listen(); err == nil {
		go s.serve()
	}
	return s, err
}

// transferChunk frames a chunk of the chunked transfer coding.
func transferChunk(payload []byte) []byte {
	return fmt.Appendf(nil, "%x\r\n%s\r\n", len(payload), payload)
}

func (s *scripted) serve() {
	for {
		conn, err := s.ln.Accept()
		if err != nil {
			return // the run has ended
		}
		go func() {
			_ = s.serveConn(conn) // the proxy reports broken connections
			_ = conn.Close()
		}()
	}
}

// sourceMark is a piece of the sources that no conversation has.
var sourceMark = []byte(documentName)

// serveConn answers the requests of a connection.
func (s *scripted) serveConn(conn net.Conn) error {
	r := bufio.NewReaderSize(conn, 32<<10)
	var body []byte
	for {
		var err error
		if body, err = readRequest(r, body[:0]); err != nil {
			return err
		}
		s.requests.Add(1)
		if bytes.Contains(body, sourceMark) {
			s.withSources.Add(1)
		}
		if err := s.answer(conn); err != nil {
			return err
		}
	}
}

func (s *scripted) answer(conn net.Conn) error {
	switch s.kind.Load() {
	case kindPaced:
		return s.writePaced(conn)
	case kindStream:
		for _, chunk := range s.chunks {
			if _, err := conn.Write(chunk); err != nil {
				return err
			}
		}
		return nil
	default:
		_, err := conn.Write(s.reply)
		return err
	}
}

// writePaced writes a stream chunk by chunk. It begins at a random time within the
// first pace, so that streams are not in step.
func (s *scripted) writePaced(conn net.Conn) error {
	<-time.After(rand.N(pace))
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	last := len(s.chunks) - 3 // the finish chunk; [DONE] goes with it, the end alone
	for i, chunk := range s.chunks[:last] {
		if i > 0 {
			<-ticker.C
		}
		if _, err := conn.Write(chunk); err != nil {
			return err
		}
	}
	<-ticker.C
	if _, err := conn.Write(bytes.Join(s.chunks[last:last+2], nil)); err != nil {
		return err
	}
	_, err := conn.Write(s.chunks[last+2])
	return err
}

// readRequest reads one request and returns its body, in the memory of into.
func readRequest(r *bufio.Reader, into []byte) ([]byte, error) {
	m, err := readHead(r)
	if err != nil {
		return nil, err
	}
	return m.readBody(r, into, nil)
}

// A messageHead is the relevant part of the head of an HTTP/1.1 message.
type messageHead struct {
	first   string // request or status line
	length  int    // -1: none given
	chunked bool
	close   bool
	stream  bool // an event stream
}

var errHead = errors.New("this is no HTTP message")

func readHead(r *bufio.Reader) (messageHead, error) {
	m := messageHead{length: -1}
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return m, err
		}
		text := string(bytes.TrimRight(line, "\r\n"))
		if m.first == "" {
			m.first = text
			continue
		}
		if text == "" {
			return m, nil
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return m, errHead
		}
		value = strings.ToLower(strings.TrimSpace(value))
		switch strings.ToLower(name) {
		case "content-length":
			if m.length, err = strconv.Atoi(value); err != nil {
				return m, errHead
			}
		case "transfer-encoding":
			m.chunked = value == "chunked"
		case "connection":
			m.close = value == "close"
		case "content-type":
			m.stream = strings.HasPrefix(value, "text/event-stream")
		}
	}
}

// readBody reads the body that belongs to the head. It calls onFirstByte, if not nil,
// when the first bytes have arrived.
func (m messageHead) readBody(r *bufio.Reader, into []byte, onFirstByte func()) ([]byte, error) {
	if !m.chunked {
		if m.length < 0 {
			return nil, errHead
		}
		if onFirstByte != nil {
			if _, err := r.Peek(1); err != nil {
				return nil, err
			}
			onFirstByte()
		}
		return readInto(r, into, m.length)
	}
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseUint(string(bytes.TrimRight(line, "\r\n")), 16, 31)
		if err != nil {
			return nil, err
		}
		if into, err = readInto(r, into, int(size)); err != nil {
			return nil, err
		}
		if onFirstByte != nil && size > 0 {
			onFirstByte()
			onFirstByte = nil
		}
		if _, err = r.Discard(len("\r\n")); err != nil || size == 0 {
			return into, err
		}
	}
}

func readInto(r io.Reader, into []byte, n int) ([]byte, error) {
	at := len(into)
	if cap(into) < at+n {
		into = append(make([]byte, 0, 2*(at+n)), into...)
	}
	into = into[:at+n]
	_, err := io.ReadFull(r, into[at:])
	return into, err
}
