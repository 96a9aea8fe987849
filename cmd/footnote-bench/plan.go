package main

import (
	"context"
	"errors"
	"net"
)

// A contender is a program between client and upstream.
type contender struct {
	name  string
	title string
	cites bool // adds sources to requests and citations to answers
	start func(ctx context.Context, s startOptions) (*running, error)
}

// startOptions are what a contender needs to start.
type startOptions struct {
	upstream string // address of the scripted upstream
	footnote string // path of the program
}

// A running contender.
type running struct {
	addr  string
	key   string // that requests need; "": none
	pid   int    // 0: no process, the upstream is called directly
	child *child // nil: another program
	stop  func() error
}

var errNotInstalled = errors.New("not installed")

// Names of contenders.
const (
	nameDirect    = "direct"
	nameReverse   = "reverseproxy"
	nameNginx     = "nginx"
	nameFootnote  = "footnote"
	nameUnchecked = "footnote-unchecked"
	nameServe     = "serve"
)

// A phase is one kind of load that every contender gets in every round.
type phase struct {
	name         string
	kind         string // what the upstream answers
	size         int    // bytes of the conversation
	concurrency  int
	requestShare float64 // of the number of requests of the JSON phases
	fresh        bool    // every contender is restarted, so that its memory can be measured
}

const (
	loadConcurrency = 64
	pacedStreams    = 512
	smallTalk       = 1 << 10
	longTalk        = 22 << 10
)

// Names of phases.
const (
	phaseJSON        = "json-1k"
	phaseJSONLong    = "json-22k"
	phaseStream      = "stream-1k"
	phaseStreamLong  = "stream-22k"
	phasePaced       = "paced"
	phaseJSONAlone   = "json-alone"
	phaseStreamAlone = "stream-alone"
)

var phases = []phase{
	{name: phaseJSON, kind: kindJSON, size: smallTalk, concurrency: loadConcurrency, requestShare: 1},
	{name: phaseJSONLong, kind: kindJSON, size: longTalk, concurrency: loadConcurrency, requestShare: 1},
	{name: phaseStream, kind: kindStream, size: smallTalk, concurrency: loadConcurrency, requestShare: 0.25},
	{name: phaseStreamLong, kind: kindStream, size: longTalk, concurrency: loadConcurrency, requestShare: 0.25},
	{name: phaseJSONAlone, kind: kindJSON, size: smallTalk, concurrency: 1, requestShare: 0.1},
	{name: phaseStreamAlone, kind: kindStream, size: smallTalk, concurrency: 1, requestShare: 0.05},
	{name: phasePaced, kind: kindPaced, size: smallTalk, concurrency: pacedStreams, fresh: true},
}

// perConnection is how many requests a connection sends if a JSON phase has n requests.
func (p phase) perConnection(n int) int { return max(1, int(float64(n)*p.requestShare)/p.concurrency) }

// requests is how many requests all connections send together.
func (p phase) requests(n int) int { return p.perConnection(n) * p.concurrency }

// listen opens a free port of the loopback address.
func listen() (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
}
