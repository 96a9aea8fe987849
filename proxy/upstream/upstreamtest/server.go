// Package upstreamtest is a model server for tests that does exactly what it
// is told: it speaks raw TCP, so that it can send any bytes, cut them where a
// test wants, break off, reset or stay silent, and it records what it was sent.
//
// It obeys one rule: it never sleeps and sets no time limits. A script that
// has to wait does so on a channel of the test. It must not be imported by
// anything but tests and the bench.
package upstreamtest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A Request is one request as it arrived.
type Request struct {
	Method string
	Path   string // with the query
	Host   string
	Header http.Header
	Body   []byte
	// Conn numbers the connection, from 1: equal numbers are one kept alive.
	Conn int
}

// A Server plays scripts to its clients. Each request gets the next
// script; the last one stays for all further requests.
type Server struct {
	listener net.Listener
	scheme   string
	stop     chan struct{}
	running  sync.WaitGroup

	mu       sync.Mutex
	arrived  *sync.Cond // a request was recorded, or a connection ended
	scripts  []Script
	greeting Script
	models   Script // the answer to requests for the list of models; nil: the next script
	requests []Request
	open     map[net.Conn]bool
	accepted int
}

// New starts a server on a free loopback port and stops it with the test.
func New(t testing.TB, scripts ...Script) *Server {
	t.Helper()
	s, err := Start(scripts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// NewTLS starts a server that speaks TLS; see [Certificate]. A greeting is
// played inside the secure connection.
func NewTLS(t testing.TB, conf *tls.Config, scripts ...Script) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(tls.NewListener(l, conf), "https", scripts)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server on a free loopback port; Close stops it.
func Start(scripts ...Script) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return serveOn(l, "http", scripts), nil
}

func serveOn(l net.Listener, scheme string, scripts []Script) *Server {
	s := &Server{listener: l, scheme: scheme, stop: make(chan struct{}), open: map[net.Conn]bool{}, scripts: scripts}
	s.arrived = sync.NewCond(&s.mu)
	s.running.Go(s.accept)
	return s
}

// URL is the server's base URL, as an OpenAI SDK wants it.
func (s *Server) URL() string { return s.scheme + "://" + s.Addr() + "/v1" }

// Addr is the server's host and port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Play replaces the scripts that are still to be played.
func (s *Server) Play(scripts ...Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts = scripts
}

// Greet sets a script that is played to each new connection before anything is
// read from it, for servers that fail at once.
func (s *Server) Greet(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.greeting = script
}

// ListModels makes the server answer requests for its list of models on its own.
// They take no script and are not recorded.
func (s *Server) ListModels(names ...string) *Server {
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf(`{"id":%q}`, name))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = JSON(`{"object":"list","data":[` + strings.Join(list, ",") + `]}`)
	return s
}

// Requests returns what has arrived, in order. A request counts once its body
// is complete.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Count is the number of requests that have arrived.
func (s *Server) Count() int { return len(s.Requests()) }

// Last returns the newest request; it is empty when none has arrived.
func (s *Server) Last() Request {
	all := s.Requests()
	if len(all) == 0 {
		return Request{}
	}
	return all[len(all)-1]
}

// WaitRequests blocks until n requests have arrived, or the server is closed.
func (s *Server) WaitRequests(n int) {
	s.wait(func() bool { return len(s.requests) >= n })
}

// WaitConns blocks until exactly n connections are open, or the server is
// closed. Zero waits until every client has gone.
func (s *Server) WaitConns(n int) {
	s.wait(func() bool { return len(s.open) == n })
}

func (s *Server) wait(ready func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !ready() {
		select {
		case <-s.stop:
			return
		default:
			s.arrived.Wait()
		}
	}
}

// Conns is the number of connections that are open.
func (s *Server) Conns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Accepted is the number of connections that were made, closed ones included.
func (s *Server) Accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted
}

// CloseListener stops accepting: further connections are refused, those that
// are open go on.
func (s *Server) CloseListener() { _ = s.listener.Close() } // closing twice is fine

// Close ends all connections and waits for the scripts to end.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
	s.CloseListener()
	for c := range s.open {
		_ = c.Close() // ends a blocked read
	}
	s.arrived.Broadcast()
	s.mu.Unlock()
	s.running.Wait()
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		s.mu.Lock()
		select {
		case <-s.stop:
			_ = c.Close() // too late to be served
			s.mu.Unlock()
			return
		default:
		}
		s.accepted++
		s.open[c] = true
		number, greeting := s.accepted, s.greeting
		s.mu.Unlock()
		s.running.Go(func() { s.serve(c, number, greeting) })
	}
}

// serve reads requests of one connection and plays a script to each, until a
// step ends the connection or the peer does.
func (s *Server) serve(c net.Conn, number int, greeting Script) {
	defer func() {
		_ = c.Close() // most often closed by the script already
		s.mu.Lock()
		delete(s.open, c)
		s.arrived.Broadcast()
		s.mu.Unlock()
	}()
	conn := &Conn{Conn: c, stop: s.stop, gone: make(chan struct{})}
	if greeting.play(conn) != nil {
		return
	}
	received := make(chan Request)
	s.running.Go(func() { s.receive(conn, number, received) })
	for r := range received {
		if s.next(r).play(conn) != nil {
			_ = c.Close() // ends receive
			for range received {
				continue // what was on its way
			}
			return
		}
	}
}

// receive reads requests while a script plays, so that a peer that leaves is
// noticed at once.
func (s *Server) receive(c *Conn, number int, received chan<- Request) {
	defer close(received)
	defer close(c.gone)
	in := bufio.NewReader(c.Conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return // the peer left, or sent something that is no request
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		request := Request{
			Method: r.Method, Path: r.URL.RequestURI(), Host: r.Host,
			Header: r.Header, Body: bytes.Clone(body), Conn: number,
		}
		s.record(request)
		select {
		case received <- request:
		case <-s.stop:
			return
		}
	}
}

func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.listsFor(r) {
		s.requests = append(s.requests, r)
	}
	s.arrived.Broadcast()
}

func (s *Server) listsFor(r Request) bool {
	return s.models != nil && strings.HasSuffix(r.Path, "/models")
}

// next takes the script for a request.
func (s *Server) next(r Request) Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listsFor(r) {
		return s.models
	}
	if len(s.scripts) == 0 {
		return Script{closeNow}
	}
	script := s.scripts[0]
	if len(s.scripts) > 1 {
		s.scripts = s.scripts[1:]
	}
	return script
}

// A Conn is a connection that a script plays to.
type Conn struct {
	net.Conn
	stop <-chan struct{}
	gone chan struct{}
}

// tcp is the connection below TLS, if there is any; nil if it is no TCP.
func (c *Conn) tcp() *net.TCPConn {
	below := c.Conn
	if secure, ok := below.(*tls.Conn); ok {
		below = secure.NetConn()
	}
	tcp, _ := below.(*net.TCPConn)
	return tcp
}

// Gone is closed when the peer has closed the connection, or its sending half.
func (c *Conn) Gone() <-chan struct{} { return c.gone }

// errEnd is what a step returns that ended the connection.
var errEnd = errors.New("the script ended the connection")
