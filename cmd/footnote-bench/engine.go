package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"footnote/citations"
	"footnote/proxy"
)

// The citation engine is also measured alone, in a process of its own that
// collects garbage as the server does: what an answer costs that is scanned and
// resolved, without any HTTP around it.

const (
	roleEngine = "engine"

	taskScan      = "scan"
	taskPlain     = "scan-plain"
	taskStream    = "scan-stream"
	taskResolve   = "resolve"
	taskSupported = "resolve-support"

	answerBytes = 4 << 10
)

// A task is one kind of work of the engine.
type task struct {
	name  string
	title string
	share float64 // of the requests of the JSON phases
	text  func() []string
	opt   citations.Options
	whole bool // the set is made and the object written, too
}

var tasks = []task{
	{name: taskScan, title: "scanning 4 KB with a marker every 60 bytes", share: 1, text: markedText},
	{name: taskPlain, title: "scanning 4 KB of prose", share: 1, text: plainText},
	{name: taskStream, title: "scanning the stream of 200 chunks", share: 1, text: streamText},
	{name: taskResolve, title: "resolving 4 KB with 10 sources", share: 0.5, text: markedText, whole: true},
	{name: taskSupported, title: "the same with support and quotes", share: 0.05, text: markedText, opt: citations.Options{Support: true}, whole: true},
}

// requests is how often the task is done when the JSON phases have n requests.
func (t task) requests(n int) int { return max(1, int(float64(n)*t.share)) }

// markedText is an answer with a marker every 60 bytes.
func markedText() []string {
	const sentence = "Revenue grew 15% year-over-year to $4.2B, exceeding the guidance of the third quarter [1]. Margins were stable [2, 3].\n"
	return []string{strings.Repeat(sentence, answerBytes/len(sentence)+1)[:answerBytes]}
}

func plainText() []string {
	text := strings.Join(sentences[:2], " ") + " " + sentences[4] + " "
	return []string{strings.Repeat(text, answerBytes/len(text)+1)[:answerBytes]}
}

// streamText is what the chunks of a stream say.
func streamText() []string { return answerPieces(streamChunks - 2) }

// engineSources are as the prompts of the other phases have them.
func engineSources() []citations.Source {
	sources := make([]citations.Source, sourceCount)
	for i := range sources {
		sources[i] = citations.Source{
			DocumentID: fmt.Sprintf("doc_01benchmark%02d", i/3), DocumentName: fmt.Sprintf("manual-%d.pdf", i/3), ContentType: "application/pdf",
			Score: 0.95 - 0.05*float64(i), ChunkID: fmt.Sprintf("chunk_%d", i), ChunkIndex: i, CharStart: 1000 * i, CharEnd: 1000*i + sourceBytes,
			Text: sourceText(i + 1),
		}
	}
	return sources
}

// runEngine is the role of the engine.
func runEngine() error {
	proxy.RelaxGC() // as the program does
	known := ops{"allocations": allocationsSoFar}
	for _, t := range tasks {
		known[t.name] = t.order()
	}
	return obey(os.Stdin, os.Stdout, listening{}, known)
}

// order does the task a number of times and says how many markers it found.
func (t task) order() func(json.RawMessage) (any, error) {
	pieces, sources := t.text(), engineSources()
	set := citations.NewSet(sources, t.opt)
	var object []byte
	return func(args json.RawMessage) (markers any, err error) {
		var n int
		if err := json.Unmarshal(args, &n); err != nil {
			return nil, err
		}
		var tracker *citations.Tracker
		for range n {
			of := set
			if t.whole {
				of = citations.NewSet(sources, t.opt)
			}
			tracker = of.Tracker()
			for _, piece := range pieces {
				tracker.Write(0, piece)
			}
			tracker.Close(0)
			if t.whole {
				object = tracker.Result().AppendJSON(object[:0])
			}
		}
		return len(tracker.Result().Markers), nil
	}
}

// size is how many bytes of text the task takes.
func (t task) size() (bytes int) {
	for _, piece := range t.text() {
		bytes += len(piece)
	}
	return bytes
}

// startEngine starts the engine's process.
func (b *bench) startEngine(ctx context.Context) error {
	c, err := startChild(ctx, roleEngine)
	if err == nil {
		b.engine = &running{pid: c.pid(), child: c, stop: c.stop}
	}
	return err
}

// engineRound gives the engine every task once.
func (b *bench) engineRound() error {
	for _, t := range tasks {
		if err := b.engineTurn(t); err != nil {
			return fmt.Errorf("%s: %w", t.title, err)
		}
	}
	return nil
}

func (b *bench) engineTurn(t task) error {
	n := t.requests(b.requests)
	r := b.engine
	if err := r.child.call(t.name, n, nil); err != nil { // so that the heap's pages are there
		return err
	}
	before, err := r.allocations()
	if err != nil {
		return err
	}
	markers := 0
	s := sample{result: loadResult{Answers: n}}
	if s.cpu, err = cpuUsed(r.pid, func() error { return r.child.call(t.name, n, &markers) }); err != nil {
		return err
	}
	after, err := r.allocations()
	if err != nil {
		return err
	}
	if _, want := citedIn(strings.Join(t.text(), "")); markers != want {
		return errors.New("the engine finds other markers than there are")
	}
	s.mallocs, s.allocated = after.Mallocs-before.Mallocs, after.Bytes-before.Bytes
	b.figures.add(t.name, roleEngine, s)
	return nil
}

// engineGrid is the table of tasks.
func (b *bench) engineGrid() grid {
	g := grid{{"", "CPU µs", "MB/s", "allocations", "KB allocated"}}
	for _, t := range tasks {
		row := []string{t.title}
		for _, of := range []struct {
			format string
			value  func(sample) float64
		}{{"%.1f", cpuPerRequest}, {"%.0f", t.megabytes}, {"%.0f", allocationsPerRequest}, {"%.1f", kilobytesPerRequest}} {
			cell := ""
			if v, ok := b.figures.median(t.name, roleEngine, of.value); ok {
				cell = fmt.Sprintf(of.format, v)
			}
			row = append(row, cell)
		}
		g = append(g, row)
	}
	return g
}

// megabytes is how many MB of text the task takes in a second of processor time.
func (t task) megabytes(s sample) float64 { return float64(t.size()) / cpuPerRequest(s) }

// speed is the megabytes per second of a task.
func speed(name string) func(figures) (float64, bool) {
	return func(f figures) (float64, bool) {
		for _, t := range tasks {
			if t.name == name {
				return f.median(name, roleEngine, t.megabytes)
			}
		}
		return 0, false
	}
}

func engineMicroseconds(name string) func(figures) (float64, bool) {
	return func(f figures) (float64, bool) { return f.median(name, roleEngine, cpuPerRequest) }
}

// scanShare is how much of a stream's processor time scanning it takes, in per cent.
func scanShare(f figures) (float64, bool) {
	scan, ok := f.median(taskStream, roleEngine, cpuPerRequest)
	stream, okToo := f.median(phaseStream, nameFootnote, cpuPerRequest)
	return 100 * scan / stream, ok && okToo
}
