package proxy_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/proxy/chat"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// What must never be seen outside: the upstream's key, the assistant's system
// prompt, the text of the sources. (The upstream's address is the fourth.)
const (
	canaryKey    = "canary.Key~of/the=upstream"
	canaryPrompt = "Canary system prompt that is nobody else's business."
	canarySource = "Canary passage: the fox crosses the river at dawn."
)

// A fault is one row of the table of upstream faults, by its id there. It is
// played through the whole server, from a real client to a scripted upstream,
// for each answerKind it concerns, with citations off and on; [rig] says what is
// checked every time.
type fault struct {
	id      string
	ask     answerKind          // which kinds of answer it concerns; zero: both
	script  upstreamtest.Script // what the upstream does
	serve   func(t *testing.T) modelServer
	with    string // further members of the request, each with a comma behind it
	timings chat.Timings
	tune    func(*upstream.HTTPConfig)
	want    outcome
}

// answerKind says how the client asks.
type answerKind int

const (
	asJSON answerKind = 1 << iota
	asStream
)

// A modelServer is the far end of a rig.
type modelServer interface {
	URL() string
	Addr() string
	Count() int
	Conns() int
}

// An outcome is what the client has to get.
type outcome struct {
	status int      // 0: 200
	code   string   // of the error that ends it, or several between bars; "": it ends well
	says   string   // what the error's message holds
	frames []string // data of the stream's events, without the terminal
	cited  []string // the same with citations on, where that is not the same
	body   string   // of a JSON answer, without our members
	bare   string   // the same with citations off, where that is an answer and else none; "": the same outcome
	header map[string]string
	calls  int // requests that reach the upstream; 0: one
}

const noCalls = -1

// streams is a stream that ends well; what ends as cut ends with an error frame.
func streams(frames ...string) outcome { return outcome{frames: frames} }

func cut(code string, frames ...string) outcome { return outcome{code: code, frames: frames} }

// answers is a JSON answer, refuses an error of ours, passes one of the upstream's.
func answers(body string) outcome { return outcome{body: body} }

func refuses(status int, code string) outcome { return outcome{status: status, code: code} }

func passes(status int, body string) outcome { return outcome{status: status, body: body} }

// playFaults plays a table.
func playFaults(t *testing.T, faults []fault) {
	for _, row := range faults {
		for _, ask := range []answerKind{asJSON, asStream} {
			if row.ask != 0 && row.ask != ask {
				continue
			}
			for _, citing := range []bool{false, true} {
				name := fmt.Sprintf("%s/%s/citations=%v", row.id, map[answerKind]string{asJSON: "json", asStream: "sse"}[ask], citing)
				t.Run(name, func(t *testing.T) {
					r, want := newRig(t, row, citing), row.want
					if want.bare != "" && ask == asJSON && !citing {
						want = answers(want.bare)
					}
					r.check(r.send(ask), want)
				})
			}
		}
	}
}

// A rig is a client, the server and a model server that misbehaves. When it is
// checked it proves what holds for every fault: no secret leaves (I1), there is
// exactly one terminal (I2), the client got what the upstream sent (I3),
// citations name only this request's sources and stand on no error (I4), the
// upstream was asked as often as expected (I5), and goroutines, connections and
// file descriptors are back where they were (I8).
type rig struct {
	*fixture
	t      *testing.T
	row    fault
	citing bool
	far    modelServer
	near   *http.Client
	logged *lockedLog
}

// lockedLog is a log that a test reads while the server writes.
type lockedLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends to the log.
func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func newRig(t *testing.T, row fault, citing bool) *rig {
	t.Helper()
	r := &rig{t: t, row: row, citing: citing, logged: &lockedLog{}}
	r.settleAtTheEnd()
	before := slog.Default()
	slog.SetDefault(slog.New(upstream.DiscreetLog(slog.NewTextHandler(r.logged, nil))))
	t.Cleanup(func() { slog.SetDefault(before) })
	if row.serve != nil {
		r.far = row.serve(t)
	} else {
		r.far = upstreamtest.New(t, row.script)
	}
	settings := fmt.Sprintf(`{"system_prompt":%q,"enable_rag":%v,"enable_citations":%v}`, canaryPrompt, citing, citing)
	r.fixture = newFixture(t, fixture{
		upstreamURL: r.far.URL(), settings: mergeSettings(t, []byte(settings)), timings: row.timings, hits: canaryHits(), log: r.logged,
		configure: func(c *upstream.HTTPConfig) {
			c.APIKey = canaryKey
			if row.tune != nil {
				row.tune(c)
			}
		},
	})
	transport := &http.Transport{DisableCompression: true}
	r.near = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	return r
}

func canaryHits() []assistants.Hit {
	hit := func(doc string, score float64) assistants.Hit {
		id := assistants.DocumentID(doc)
		return assistants.Hit{Score: score, Document: assistants.Document{ID: id, Name: doc + ".txt", Version: assistants.Version{ContentType: "text/plain"}},
			Chunk: assistants.Chunk{ID: assistants.ChunkID("chunk_" + doc), DocumentID: id, Text: canarySource, CharEnd: len(canarySource)}}
	}
	return []assistants.Hit{hit("doc_one", 0.9), hit("doc_two", 0.8)}
}

// settleAtTheEnd compares goroutines and descriptors before and after the test.
func (r *rig) settleAtTheEnd() {
	warmUp.Do(func() { // the first use of the network opens descriptors for good
		upstreamtest.New(r.t)
	})
	known, files := goleak.IgnoreCurrent(), descriptors()
	r.t.Cleanup(func() {
		eventually(r.t, "goroutines are back where they were", func() bool { return goleak.Find(known) == nil })
		eventually(r.t, "file descriptors are back where they were", func() bool { return descriptors() <= files })
	})
}

var warmUp sync.Once

// descriptors counts this process's open files, where the system tells.
func descriptors() int {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(all)
}

// A reply is what the client got.
type reply struct {
	status int
	header http.Header
	body   string
	broken error // how the body ended; nil: well
}

// send asks and reads the whole reply.
func (r *rig) send(ask answerKind) reply {
	r.t.Helper()
	resp := r.begin(ask)
	return r.finish(resp)
}

// begin asks, and returns once the status is there.
func (r *rig) begin(ask answerKind) *http.Response {
	r.t.Helper()
	body := fmt.Sprintf(`{"model":"support",%s"stream":%v,"messages":[{"role":"user","content":"Where does the fox cross?"}]}`, r.row.with, ask == asStream)
	req, err := http.NewRequest("POST", r.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+adminKey)
	req.Header.Set("Idempotency-Key", "the transport would replay a request that has one")
	resp, err := r.near.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp
}

// finish reads the rest of a reply.
func (r *rig) finish(resp *http.Response) reply {
	raw, err := readBody(resp)
	_ = resp.Body.Close() // read
	return reply{status: resp.StatusCode, header: resp.Header, body: string(raw), broken: err}
}
