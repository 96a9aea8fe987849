package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
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

const (
	soakPace   = 50 * time.Millisecond // between chunks of active streams
	soakSeldom = time.Minute           // between chunks of idle ones, at most
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

// scriptIn finds the script in a request.
func scriptIn(body []byte) (s soakScript, err error) {
	_, rest, ok := bytes.Cut(body, []byte("soak/"))
	parts := strings.SplitN(string(rest[:min(len(rest), 200)]), "/", 4)
	if !ok || len(parts) < 4 {
		return s, errors.New("a request without a script")
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

// A soakModel is the model server of the soak, on raw TCP.
type soakModel struct {
	ln     net.Listener
	ending chan struct{} // closed when all streams are to come to their end
	conns  sync.WaitGroup

	mu    sync.Mutex
	open  map[net.Conn]bool    // true: it answers a request
	sent  map[string]int       // chunks of streams that are through, until their client asks
	left  map[string]time.Time // clients that left, until the upstream notices
	freed []time.Duration      // how long that took
}

func newSoakModel() (*soakModel, error) {
	m := &soakModel{ending: make(chan struct{}), open: map[net.Conn]bool{}, sent: map[string]int{}, left: map[string]time.Time{}}
	var err error
	if m.ln, err = listen(); err == nil {
		m.conns.Go(m.serve)
	}
	return m, err
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
	m.hangUp(true)
	m.conns.Wait()
}

// hangUpIdle closes the connections that wait for a request.
func (m *soakModel) hangUpIdle() { m.hangUp(false) }

func (m *soakModel) hangUp(all bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for conn, busy := range m.open {
		if all || !busy {
			_ = conn.Close() // its handler ends
		}
	}
}

func (m *soakModel) mark(conn net.Conn, busy bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open[conn] = busy
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
	defer func() {
		_ = conn.Close()     // ends the reading
		for range requests { // what came after the end
		}
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
	pace := soakPace
	if s.kind == soakIdle {
		pace = soakSeldom/2 + rand.N(soakSeldom/2)
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

// A reading is what a server holds at a moment. The heap and the resident memory are
// bytes; the heap has what is not yet collected, too.
type reading struct{ goroutines, descriptors, heap, resident int64 }

// slack is how much more than at the baseline a server may hold when all is over. The
// heap is compared as it is between two collections, and memory goes back to the
// system in its own time.
var slack = reading{goroutines: 10, descriptors: 5, heap: 16 << 20, resident: 64 << 20}

func (r reading) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, heap %d MiB, resident %d MiB", r.goroutines, r.descriptors, r.heap>>20, r.resident>>20)
}

// read takes a reading.
func (s *server) read(ctx context.Context) (r reading, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+"/metrics", nil)
	if err != nil {
		return r, err
	}
	req.Close = true // the server would count a connection that stays open
	http.DefaultClient.CloseIdleConnections()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, err
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return r, err
	}
	if r.goroutines, err = metric(string(text), "go_goroutines"); err != nil {
		return r, err
	}
	if r.heap, err = metric(string(text), "go_memstats_heap_alloc_bytes"); err != nil {
		return r, err
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		return r, err
	}
	r.descriptors = int64(len(files))
	r.resident, err = rssOf(s.cmd.Process.Pid)
	return r, err
}

// metric is the value of a metric without labels.
func metric(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return int64(v), err
		}
	}
	return 0, fmt.Errorf("/metrics has no %s", name)
}

// beyond says what a reading has too much of, "" for nothing. Memory that is free
// goes back after minutes, so a soak that is shorter leaves it out.
func (r reading) beyond(base reading, memory bool) string {
	type count struct {
		name           string
		is, was, slack int64
	}
	counts := []count{
		{"goroutines", r.goroutines, base.goroutines, slack.goroutines}, {"descriptors", r.descriptors, base.descriptors, slack.descriptors},
	}
	if memory {
		counts = append(counts, count{"heap", r.heap, base.heap, slack.heap}, count{"resident memory", r.resident, base.resident, slack.resident})
	}
	var too []string
	for _, c := range counts {
		if c.is > c.was+c.slack {
			too = append(too, c.name)
		}
	}
	return strings.Join(too, ", ")
}

// steady waits until two readings in a row have the same counts.
func (s *server) steady(ctx context.Context) (r reading, err error) {
	for last := (reading{}); err == nil; last = r {
		if r, err = s.read(ctx); r.goroutines == last.goroutines && r.descriptors == last.descriptors || err != nil {
			break
		}
		err = pause(ctx, 2*time.Second)
	}
	return r, err
}

// back waits until the server is back at the baseline, but not for ever.
func (s *server) back(ctx context.Context, base reading) (r reading, err error) {
	for end := time.Now().Add(*soakFlags.patience); err == nil; err = pause(ctx, time.Second) {
		if r, err = s.read(ctx); err != nil {
			break
		}
		too := r.beyond(base, *soakFlags.minutes >= 1)
		if too == "" {
			return r, nil
		}
		if time.Now().After(end) {
			return r, fmt.Errorf("not back at the baseline: too much %s", too)
		}
	}
	return r, err
}
