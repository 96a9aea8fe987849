package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The kinds of streams of the soak. Each request names its kind in the system
// message, so that the model server needs no other input.
const (
	soakActive = "active" // chunks at a steady pace
	soakIdle   = "idle"   // a chunk now and then
	soakReset  = "reset"  // like active, but the upstream resets the connection after its last chunk
	soakObject = "object" // no stream
)

// A soakScript is one answer of the soak.
type soakScript struct {
	kind   string
	nonce  string // in every chunk, so that no two answers can be mixed up unseen
	chunks int    // before the finish chunk
}

// body is the request that asks for the script.
func (s soakScript) body() []byte {
	script := fmt.Sprintf("soak/%s/%s/%d/", s.kind, s.nonce, s.chunks)
	return mustJSON(map[string]any{
		"model": modelName, "stream": s.kind != soakObject,
		"messages": []map[string]string{{"role": "system", "content": script}, {"role": "user", "content": question}},
	})
}

var errNoScript = errors.New("a request without a script")

// scriptIn finds the script in a request.
func scriptIn(body []byte) (s soakScript, err error) {
	_, rest, ok := bytes.Cut(body, []byte("soak/"))
	parts := strings.SplitN(string(rest[:min(len(rest), 200)]), "/", 4)
	if !ok || len(parts) < 4 {
		return s, errNoScript
	}
	s.kind, s.nonce = parts[0], parts[1]
	s.chunks, err = strconv.Atoi(parts[2])
	return s, err
}

// delta is the text of a script's chunk n, counted from 0. One of them cites.
func (s soakScript) delta(n int) string {
	if n == 2 {
		return " [1]."
	}
	return fmt.Sprintf(" %s:%d", s.nonce, n)
}

// A soakModel is the model server of the soak, on raw TCP in the soak's own process.
type soakModel struct {
	ln     net.Listener
	pace   time.Duration // between chunks of active streams
	seldom time.Duration // between chunks of idle ones
	ending chan struct{} // closed when all streams are to come to their end
	conns  sync.WaitGroup

	mu    sync.Mutex
	open  map[net.Conn]bool    // true: it answers a request
	sent  map[string]int       // chunks of streams that are through, until their client asks
	left  map[string]time.Time // clients that left, until the upstream notices
	freed []time.Duration      // how long that took
}

func newSoakModel(pace, seldom time.Duration) (*soakModel, error) {
	ln, err := listen()
	if err != nil {
		return nil, err
	}
	m := &soakModel{
		ln: ln, pace: pace, seldom: seldom, ending: make(chan struct{}),
		open: map[net.Conn]bool{}, sent: map[string]int{}, left: map[string]time.Time{},
	}
	m.conns.Go(m.serve)
	return m, nil
}

func (m *soakModel) serve() {
	for {
		conn, err := m.ln.Accept()
		if err != nil {
			return // it was closed
		}
		m.mark(conn, false)
		m.conns.Go(func() {
			m.converse(conn)
			m.mu.Lock()
			delete(m.open, conn)
			m.mu.Unlock()
			_ = conn.Close() // what was to be said was said
		})
	}
}

// close ends the server and every connection.
func (m *soakModel) close() {
	_ = m.ln.Close()
	m.mu.Lock()
	for conn := range m.open {
		_ = conn.Close() // its handler ends
	}
	m.mu.Unlock()
	m.conns.Wait()
}

// hangUpIdle closes the connections that wait for a request.
func (m *soakModel) hangUpIdle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for conn, busy := range m.open {
		if !busy {
			_ = conn.Close() // its handler ends
		}
	}
}

func (m *soakModel) mark(conn net.Conn, busy bool) {
	m.mu.Lock()
	m.open[conn] = busy
	m.mu.Unlock()
}

// clientLeft notes that the client of a stream has gone, unless the stream was
// through before anybody could notice.
func (m *soakModel) clientLeft(nonce string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, through := m.sent[nonce]; through {
		delete(m.sent, nonce)
		return
	}
	m.left[nonce] = time.Now()
}

// through notes that all of a stream is about to be sent.
func (m *soakModel) through(nonce string, sent int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, left := m.left[nonce]; left {
		delete(m.left, nonce)
		return
	}
	m.sent[nonce] = sent
}

// gone notes that Footnote has closed the stream.
func (m *soakModel) gone(nonce string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, ok := m.left[nonce]; ok {
		m.freed = append(m.freed, time.Since(at))
		delete(m.left, nonce)
	}
}

// forgotten counts the clients that left without their stream being closed.
func (m *soakModel) forgotten() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.left)
}

// freedAfter says how long it took to close the streams of clients that left.
func (m *soakModel) freedAfter() (n int, q quantiles, most time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q = quantilesOf(m.freed)
	if n = len(m.freed); n > 0 {
		most = m.freed[n-1] // they are sorted now
	}
	return n, q, most
}

// sentTo takes the number of chunks that went into a stream.
func (m *soakModel) sentTo(nonce string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.sent[nonce]
	delete(m.sent, nonce)
	return n
}

// converse answers the requests of a connection.
func (m *soakModel) converse(conn net.Conn) {
	requests := make(chan []byte)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer conn.Close() // ends the reading
	reading.Go(func() {
		defer close(requests)
		r := bufio.NewReader(conn)
		for {
			body, err := readRequest(r, nil)
			if err != nil {
				return // it was closed, by one side or the other
			}
			requests <- body
		}
	})
	defer func() { // whatever comes after the end
		go func() {
			for range requests {
			}
		}()
	}()
	for body := range requests {
		m.mark(conn, true)
		script, err := scriptIn(body)
		if err != nil {
			return
		}
		if err := m.answer(conn, script, requests); err != nil {
			m.gone(script.nonce)
			return
		}
		m.mark(conn, false)
	}
}

const soakHead = "HTTP/1.1 200 OK\r\nContent-Type: "

var errPeerGone = errors.New("the peer has gone")

// answer plays a script.
func (m *soakModel) answer(conn net.Conn, s soakScript, requests <-chan []byte) error {
	if s.kind == soakObject {
		body := fmt.Appendf(nil, `{"id":"%[1]s","object":"chat.completion","created":1767225600,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"%[1]s [1]."},"finish_reason":"stop"}]}`, s.nonce)
		_, err := fmt.Fprintf(conn, "%sapplication/json\r\nContent-Length: %d\r\n\r\n%s", soakHead, len(body), body)
		return err
	}
	if _, err := fmt.Fprint(conn, soakHead+"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"); err != nil {
		return err
	}
	sent, err := m.stream(conn, s, requests)
	if err != nil {
		return err
	}
	if s.kind == soakReset {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // makes the close a reset
		}
		return errPeerGone
	}
	m.through(s.nonce, sent)
	_, err = conn.Write(append(soakFrame(s.nonce, "{}", `"stop"`), append(transferChunk(appendEvent(nil, []byte("[DONE]"))), "0\r\n\r\n"...)...))
	return err
}

// stream writes the chunks of a script until they are through or all streams
// are to end, and returns how many there were.
func (m *soakModel) stream(conn net.Conn, s soakScript, requests <-chan []byte) (sent int, err error) {
	pace := m.pace
	if s.kind == soakIdle {
		pace = m.seldom/2 + rand.N(m.seldom/2)
	}
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for ; sent < s.chunks; sent++ {
		if sent >= 3 { // the first come at once, with the marker in them
			select {
			case <-ticker.C:
			case <-requests:
				return sent, errPeerGone // a client does not ask again before the answer ends, so the connection was closed
			case <-m.ending:
				return sent, nil
			}
		}
		if _, err := conn.Write(soakFrame(s.nonce, `{"content":"`+s.delta(sent)+`"}`, "null")); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// soakFrame is a chunk as it goes over the wire.
func soakFrame(nonce, delta, finish string) []byte {
	return transferChunk(appendEvent(nil, fmt.Appendf(nil,
		`{"id":"%s","object":"chat.completion.chunk","created":1767225600,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`, nonce, delta, finish)))
}
