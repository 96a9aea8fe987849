package db

import (
	"bytes"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// A flakyLine forwards TCP connections and closes all of them at the n-th piece
// that passes in either direction, before or after the piece is delivered.
type flakyLine struct {
	listener net.Listener
	target   string
	cutAt    atomic.Int64 // number of pieces until the cut, which happens once
	atCommit atomic.Bool  // the cut is at the next request to commit instead
	deliver  atomic.Bool  // whether the last piece is delivered

	mu    sync.Mutex
	pairs []*pair // not cut yet
	gone  []*pair
}

// A pair is a client's connection and the matching one to the server.
type pair struct {
	client, server *net.TCPConn
	forwarding     sync.WaitGroup
}

func newFlakyLine(t *testing.T, target string) *flakyLine {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	line := &flakyLine{listener: l, target: target}
	var accepting sync.WaitGroup
	accepting.Go(line.accept)
	t.Cleanup(func() {
		_ = l.Close()
		accepting.Wait()
		line.cut()
		line.wait()
	})
	return line
}

func (l *flakyLine) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", l.target) //nolint:noctx // it ends with the line
		if err != nil {
			_ = client.Close()
			continue
		}
		p := &pair{client: client.(*net.TCPConn), server: server.(*net.TCPConn)} //nolint:forcetypeassert // both are TCP
		p.forwarding.Go(func() { l.forward(p.server, p.client) })
		p.forwarding.Go(func() { l.forward(p.client, p.server) })
		l.mu.Lock()
		l.pairs = append(l.pairs, p)
		l.mu.Unlock()
	}
}

// forward copies data until the connection ends.
func (l *flakyLine) forward(to, from *net.TCPConn) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		switch {
		case n > 0 && (l.cutAt.Add(-1) == 0 || commits(piece[:n]) && l.atCommit.CompareAndSwap(true, false)):
			l.last(to, piece[:n])
		case n > 0:
			_, _ = to.Write(piece[:n])
		}
		if err != nil {
			_ = to.CloseWrite()
			return
		}
	}
}

// commits reports whether a piece is a request to commit, to PostgreSQL or to MySQL.
func commits(piece []byte) bool {
	return bytes.HasPrefix(piece, []byte("Q\x00\x00\x00\vcommit\x00")) || bytes.Equal(piece, []byte("\x07\x00\x00\x00\x03COMMIT"))
}

// last delivers the last piece, or drops it, and closes all connections.
func (l *flakyLine) last(to *net.TCPConn, piece []byte) {
	l.mu.Lock()
	toServer := slices.ContainsFunc(l.pairs, func(p *pair) bool { return p.server == to })
	l.mu.Unlock()
	if l.deliver.Load() && !toServer {
		_, _ = to.Write(piece)
	}
	l.closeClients()
	if l.deliver.Load() && toServer {
		_, _ = to.Write(piece)
	}
	l.cut()
}

func (l *flakyLine) closeClients() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.pairs {
		_ = p.client.Close()
	}
}

// cut closes all connections, to the server after it has read what was
// delivered.
func (l *flakyLine) cut() {
	l.closeClients()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.pairs {
		if l.deliver.Load() {
			_ = p.server.CloseWrite()
		} else {
			_ = p.server.Close()
		}
	}
	l.pairs, l.gone = nil, append(l.gone, l.pairs...)
}

// wait waits until nothing is in transit on connections that were cut.
func (l *flakyLine) wait() {
	l.mu.Lock()
	gone := l.gone
	l.gone = nil
	l.mu.Unlock()
	for _, p := range gone {
		p.forwarding.Wait()
		_ = p.server.Close()
	}
}
