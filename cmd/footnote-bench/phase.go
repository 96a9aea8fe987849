package main

// A phase is one kind of load that every contender gets in every round.
type phase struct {
	name        string
	title       string
	stream      bool
	kind        string // what the upstream answers
	size        int    // bytes of the conversation
	concurrency int
	share       float64 // of the requests of the JSON phases
	alone       bool    // one request at a time, for latencies
	fresh       bool    // every contender is restarted, so that its memory can be measured
}

const (
	loadConcurrency = 64
	pacedStreams    = 512
	smallTalk       = 1 << 10
	longTalk        = 22 << 10
)

// Names of phases that goals speak of.
const (
	phaseJSON       = "json-1k"
	phaseJSONLong   = "json-22k"
	phaseStream     = "stream-1k"
	phaseStreamLong = "stream-22k"
	phasePaced      = "paced"
	phaseJSONAlone  = "json-alone"
	phaseAlone      = "stream-alone"
)

var phases = []phase{
	{name: phaseJSON, title: "JSON, 1 KB conversation", kind: kindJSON, size: smallTalk, concurrency: loadConcurrency, share: 1},
	{name: phaseJSONLong, title: "JSON, 22 KB conversation", kind: kindJSON, size: longTalk, concurrency: loadConcurrency, share: 1},
	{name: phaseStream, title: "stream of 200 chunks, 1 KB conversation", stream: true, kind: kindStream, size: smallTalk, concurrency: loadConcurrency, share: 0.25},
	{name: phaseStreamLong, title: "stream of 200 chunks, 22 KB conversation", stream: true, kind: kindStream, size: longTalk, concurrency: loadConcurrency, share: 0.25},
	{name: phaseJSONAlone, title: "JSON, one at a time", kind: kindJSON, size: smallTalk, concurrency: 1, share: 0.1, alone: true},
	{name: phaseAlone, title: "stream, one at a time", stream: true, kind: kindStream, size: smallTalk, concurrency: 1, share: 0.05, alone: true},
	{name: phasePaced, title: "512 paced streams of 50 tokens/s", stream: true, kind: kindPaced, size: smallTalk, concurrency: pacedStreams, fresh: true},
}

// requests is how many requests the phase has when the JSON phases have n:
// the same number for every connection, and at least one.
func (p phase) requests(n int) int {
	return max(1, int(float64(n)*p.share)/p.concurrency) * p.concurrency
}

// warmUp is how many requests each connection sends before anything is measured.
func (p phase) warmUp(n int) int {
	if p.fresh {
		return 0
	}
	return max(1, p.requests(n)/p.concurrency/10)
}
