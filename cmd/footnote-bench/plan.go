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
	database string // URL of PostgreSQL, where databases may be created; "": there is none
	profiles bool   // Footnote serves profiles of itself
	// documents is how many documents Footnote's index holds.
	documents int
}

// A running contender.
type running struct {
	addr  string
	key   string           // that requests need; "": none
	pid   int              // 0: no process, the upstream is called directly
	child *child           // nil: another program
	serve *servedAssistant // nil: not Footnote
	stop  func() error
}

var errNotInstalled = errors.New("not installed")

// Names of contenders.
const (
	nameDirect   = "direct"
	nameReverse  = "reverseproxy"
	nameNginx    = "nginx"
	nameRelay    = "json-relay"
	nameFootnote = "footnote"
	namePostgres = "footnote-postgres"
	namePlain    = "footnote-plain"
)

// A phase is one kind of load that every contender gets in every round.
type phase struct {
	name         string
	kind         string // what the upstream answers
	size         int    // bytes of the conversation
	concurrency  int
	requestShare float64 // of the number of requests of the JSON phases
	cold         bool    // every question is a new one, else the same hundred come again and again
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
	phaseJSONCold    = "json-cold"
	phaseJSONLong    = "json-22k"
	phaseStream      = "stream-1k"
	phaseStreamCold  = "stream-cold"
	phaseStreamLong  = "stream-22k"
	phasePaced       = "paced"
	phaseJSONAlone   = "json-alone"
	phaseStreamAlone = "stream-alone"
)

var phases = []phase{
	{name: phaseJSON, kind: kindJSON, size: smallTalk, concurrency: loadConcurrency, requestShare: 1},
	{name: phaseJSONCold, kind: kindJSON, size: smallTalk, concurrency: loadConcurrency, requestShare: 0.5, cold: true},
	{name: phaseJSONLong, kind: kindJSON, size: longTalk, concurrency: loadConcurrency, requestShare: 1},
	{name: phaseStream, kind: kindStream, size: smallTalk, concurrency: loadConcurrency, requestShare: 0.25},
	{name: phaseStreamCold, kind: kindStream, size: smallTalk, concurrency: loadConcurrency, requestShare: 0.25, cold: true},
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
