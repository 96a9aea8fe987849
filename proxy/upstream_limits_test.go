package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// longest is the longest line of an event that is relayed.
const longest = 8 << 20

// lineOf is a chunk that fills a line of n bytes, its field name included.
func lineOf(n int) string {
	frame := says("[1] ")
	return strings.Replace(frame, "[1] ", "[1] "+strings.Repeat("x", n-len("data: ")-len(frame)), 1)
}

func TestUpstreamFaultsLongLines(t *testing.T) {
	endless := upstreamtest.Repeat(1<<20, "10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n")
	playFaults(t, []fault{
		{id: "U-038 1 MiB", ask: asStream, script: ends(lineOf(1<<20), stops(), "[DONE]"), want: streams(lineOf(1<<20), stops())},
		{id: "U-038 8 MiB", ask: asStream, script: ends(lineOf(longest), stops(), "[DONE]"), want: streams(lineOf(longest), stops())},
		{id: "U-038 8 MiB and one byte", ask: asStream, script: ends(says("x"), lineOf(longest+1), stops(), "[DONE]"), want: cut(invalid, says("x"))},
		{id: "U-038 8 MiB and one byte at first", ask: asStream, script: ends(lineOf(longest+1), stops(), "[DONE]"), want: refuses(502, invalid)},
		{id: "U-038 a line without end", ask: asStream, script: sends(says("x")).Then(upstreamtest.Chunk("data: {\"x\":\""), endless), want: cut(invalid, says("x"))},
		{id: "U-038 a comment without end", ask: asStream, script: sends(says("x")).Then(upstreamtest.Chunk(": "), endless), want: cut(invalid, says("x"))},
		{id: "U-038 an event of lines without end", ask: asStream, script: sends(says("x")).Then(
			upstreamtest.Repeat(1<<20, fmt.Sprintf("%x\r\ndata: %s\n\r\n", 1<<16+7, strings.Repeat("x", 1<<16)))), want: cut(invalid, says("x"))},
		{id: "U-038 a line without end where JSON was asked", ask: asJSON, script: sends(says("x")).Then(upstreamtest.Chunk("data: {\"x\":\""), endless), want: refuses(502, invalid)},
		{id: "U-038 JSON without end", script: upstreamtest.Raw(upstreamtest.Head(200, "Transfer-Encoding: chunked")).Then(endless), want: refuses(502, invalid)},
	})
}

// What an upstream floods us with is neither kept nor read ahead.
func TestUpstreamFaultsALineWithoutEndCostsLittleMemory(t *testing.T) {
	const limit = 64 << 20 // of all that was ever allocated, here and in the test
	r := newRig(t, fault{script: sends(says("x")).Then(upstreamtest.Chunk("data: {\"x\":\""),
		upstreamtest.Repeat(1<<20, "10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n"))}, true)
	before := allocated()
	got := r.send(asStream)
	if n := allocated() - before; n > limit {
		t.Errorf("%d MiB were allocated for a line of more than 8 MiB", n>>20)
	}
	r.check(got, cut(invalid, says("x")))
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A burst of a million tiny frames, faster than any client reads, reaches the
// client in whole; what it does not take waits at the upstream, not in memory.
func TestUpstreamFaultsABurstOfTinyFrames(t *testing.T) {
	const batch, batches = 1000, 1000
	frames := batches
	if raceDetector {
		frames = batches / 20
	}
	frame := `{"choices":[{"index":0,"delta":{"content":"a"}}]}`
	piece := strings.Repeat("data: "+frame+"\n\n", batch)
	for _, citing := range []bool{false, true} {
		t.Run(fmt.Sprintf("U-039 citations=%v", citing), func(t *testing.T) {
			script := upstreamtest.Stream()
			for range frames {
				script = script.Then(upstreamtest.Chunk(piece))
			}
			r := newRig(t, fault{script: script.Then(upstreamtest.Event(stops()), upstreamtest.Event("[DONE]"), upstreamtest.EndStream())}, citing)
			resp := r.begin(asStream)
			defer resp.Body.Close()
			in := bufio.NewReader(resp.Body)
			before, seen, most := live(), 0, uint64(0)
			for {
				line, err := in.ReadSlice('\n')
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(string(line), "data: ") && strings.HasSuffix(string(line), frame[len(frame)-20:]+"\n") {
					seen++
				}
				if seen%(batch*frames/4) == 0 && seen > 0 && len(line) > 1 {
					most = max(most, live())
				}
			}
			if seen != batch*frames {
				t.Errorf("%d frames came, %d were sent", seen, batch*frames)
			}
			if most > before+32<<20 {
				t.Errorf("the heap grew from %d to %d MiB", before>>20, most>>20)
			}
		})
	}
}

// All connections that there may be are in use: a call waits a moment for one,
// and is refused after it.
func TestUpstreamFaultsNoFreeConnection(t *testing.T) {
	one := func(queue time.Duration) func(*upstream.HTTPConfig) {
		return func(c *upstream.HTTPConfig) {
			c.Transport = upstream.NewTransport(0, 0)
			c.Transport.MaxConnsPerHost = 1
			c.Timeouts.Queue = queue
		}
	}
	want := streams(says("x"), stops())
	for _, citing := range []bool{false, true} {
		for _, ask := range []answerKind{asJSON, asStream} {
			goOn := make(chan struct{})
			script := sends(says("x")).Then(upstreamtest.Wait(goOn)).Then(ends(stops(), "[DONE]")[1:]...)
			r := newRig(t, fault{id: "U-044 in use for long", script: script, tune: one(short)}, citing)
			first := r.begin(asStream)
			refused := r.send(ask)
			close(goOn)
			r.check(r.finish(first), want)
			busy := refuses(503, "overloaded")
			busy.header = map[string]string{"Retry-After": "1"}
			r.check(refused, busy)
		}
		goOn := make(chan struct{})
		script := sends(says("x")).Then(upstreamtest.Wait(goOn)).Then(ends(stops(), "[DONE]")[1:]...)
		r := newRig(t, fault{id: "U-044 free in time", script: script, tune: one(long)}, citing)
		first, second := r.begin(asStream), make(chan reply)
		go func() { second <- r.send(asStream) }()
		close(goOn)
		twice := want
		twice.calls = 2
		got := r.finish(first)
		r.check(<-second, twice)
		r.check(got, twice)
	}
}
