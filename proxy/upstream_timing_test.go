package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"footnote/proxy/chat"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// A limit's two sides are tested by the order of events: with a limit that
// cannot run out the upstream goes on when the test says so, with a short one
// it never does.
const (
	short = 300 * time.Millisecond
	// afterCommit is short, but leaves time to commit to 200 before it runs out.
	afterCommit = 700 * time.Millisecond
	long        = time.Hour
)

const (
	firstToken = "upstream_first_token_timeout"
	stalled    = "upstream_stalled"
)

// bridged commits to 200 at once and sends comments all the time.
var bridged = chat.Timings{FirstFrame: time.Millisecond, KeepAlive: time.Millisecond}

// quiet neither commits to 200 by time nor sends comments: other limits run out without them.
var quiet = chat.Timings{FirstFrame: long, KeepAlive: long}

func limits(within upstream.Timeouts) func(*upstream.HTTPConfig) {
	return func(c *upstream.HTTPConfig) { c.Timeouts = within }
}

// firstWithin bounds what concerns a stream's first token, and totalWithin what
// concerns JSON. Each makes the other bound so short that it must not count.
func firstWithin(first time.Duration) func(*upstream.HTTPConfig) {
	return limits(upstream.Timeouts{FirstToken: first, Total: time.Millisecond})
}

func totalWithin(total time.Duration) func(*upstream.HTTPConfig) {
	return limits(upstream.Timeouts{FirstToken: time.Millisecond, Total: total})
}

func TestUpstreamFaultsLateHeaders(t *testing.T) {
	half := upstreamtest.Raw("HTTP/1.1 200 OK\r\nX-").Then(upstreamtest.Hangs())
	playFaults(t, []fault{
		{id: "U-015 no headers of a stream", ask: asStream, script: upstreamtest.Hang(), tune: firstWithin(short), want: refuses(504, firstToken)},
		{id: "U-015 half the headers of a stream", ask: asStream, script: half, tune: firstWithin(short), want: refuses(504, firstToken)},
		{id: "U-015 1xx and no headers", ask: asStream, script: upstreamtest.Raw("HTTP/1.1 103 Early Hints\r\n\r\n").Then(upstreamtest.Hangs()), tune: firstWithin(short), want: refuses(504, firstToken)},
		{id: "U-015 no headers of JSON", ask: asJSON, script: upstreamtest.Hang(), tune: totalWithin(short), want: refuses(504, timedOut)},
		{id: "U-015 half the headers of JSON", ask: asJSON, script: half, tune: totalWithin(short), want: refuses(504, timedOut)},
		{id: "U-015 JSON that does not end", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(200, "Content-Length: 999"), whole[:20]).Then(upstreamtest.Hangs()), tune: totalWithin(short), want: refuses(504, timedOut)},
		{id: "U-015 a refusal that does not end", ask: asJSON, script: upstreamtest.Raw(upstreamtest.Head(500, "Content-Length: 999"), "{").Then(upstreamtest.Hangs()), tune: totalWithin(short), want: refuses(504, timedOut)},
		{id: "U-015 a stream that does not end where JSON was asked", ask: asJSON, script: sends(says("x")).Then(upstreamtest.Hangs()), tune: totalWithin(short), want: refuses(504, timedOut)},
		{id: "U-015 no headers, the 200 is committed", ask: asStream, script: upstreamtest.Hang(), tune: firstWithin(afterCommit), timings: bridged, want: cut(firstToken)},
	})
}

func TestUpstreamFaultsHeadersInTime(t *testing.T) {
	for name, ask := range map[string]answerKind{"U-015 a stream": asStream, "U-015 JSON": asJSON} {
		t.Run(name, func(t *testing.T) {
			goOn := make(chan struct{})
			answer, want := upstreamtest.JSON(whole), answers(whole)
			if ask == asStream {
				answer, want = ends(says("x"), stops(), "[DONE]"), streams(says("x"), stops())
			}
			far := upstreamtest.New(t, upstreamtest.Script{upstreamtest.Wait(goOn)}.Then(answer...))
			r := newRig(t, fault{serve: func(*testing.T) modelServer { return far }, tune: limits(upstream.Timeouts{FirstToken: long, Total: long})}, false)
			go func() {
				far.WaitRequests(1)
				close(goOn)
			}()
			r.check(r.send(ask), want)
		})
	}
}

func TestUpstreamFaultsLateFirstTokens(t *testing.T) {
	comments := sends().Then(upstreamtest.Repeat(1<<30, "9\r\n: alive\n\n\r\n"))
	playFaults(t, []fault{
		{id: "U-016 headers and nothing more", ask: asStream, script: sends().Then(upstreamtest.Hangs()), timings: quiet, tune: firstWithin(short), want: refuses(504, firstToken)},
		{id: "U-016 no headers", ask: asStream, script: upstreamtest.Hang(), timings: quiet, tune: firstWithin(short), want: refuses(504, firstToken)},
		{id: "U-016 half a frame", ask: asStream, script: sends().Then(upstreamtest.Chunk("data: {"), upstreamtest.Hangs()), timings: quiet, tune: firstWithin(short), want: refuses(504, firstToken)},
		{id: "U-016 comments and nothing more", ask: asStream, script: comments, timings: quiet, tune: firstWithin(short), want: refuses(504, firstToken)},
		{id: "U-016 headers and nothing more, the 200 is committed", ask: asStream, script: sends().Then(upstreamtest.Hangs()), timings: bridged, tune: firstWithin(afterCommit), want: cut(firstToken)},
		{id: "U-016 no headers, the 200 is committed", ask: asStream, script: upstreamtest.Hang(), timings: bridged, tune: firstWithin(afterCommit), want: cut(firstToken)},
	})
}

func TestUpstreamFaultsFirstTokenInTime(t *testing.T) {
	for _, citing := range []bool{false, true} {
		goOn := make(chan struct{})
		r := newRig(t, fault{timings: bridged, script: sends().Then(upstreamtest.Wait(goOn)).Then(ends(says("x"), stops(), "[DONE]")[1:]...)}, citing)
		resp := r.begin(asStream)
		for range 3 { // comments come while nothing else does
			line := make([]byte, len(": keep-alive\n"))
			if _, err := io.ReadFull(resp.Body, line); err != nil || string(line) != ": keep-alive\n" {
				t.Fatalf("%q %v", line, err)
			}
		}
		close(goOn)
		r.check(r.finish(resp), streams(says("x"), stops()))
	}
}

func TestUpstreamFaultsStalls(t *testing.T) {
	text := says("The fox [1]")
	idle := limits(upstream.Timeouts{Idle: short})
	playFaults(t, []fault{
		{id: "U-017 behind a frame", ask: asStream, script: sends(text).Then(upstreamtest.Hangs()), timings: quiet, tune: idle, want: cut(stalled, text)},
		{id: "U-017 inside a frame", ask: asStream, script: sends(text).Then(upstreamtest.Chunk("data: {"), upstreamtest.Hangs()), timings: quiet, tune: idle, want: cut(stalled, text)},
		{id: "U-017 between two of three choices", ask: asStream, with: `"n":3,`, script: sends(text, stops()).Then(upstreamtest.Hangs()), timings: quiet, tune: idle, want: cut(stalled, text, stops())},
		{id: "U-017 behind the finish chunk", ask: asStream, script: sends(text, stops()).Then(upstreamtest.Hangs()), timings: quiet, tune: idle, want: streams(text, stops())},
		{id: "U-017 behind [DONE]", ask: asStream, script: sends(text, stops(), "[DONE]").Then(upstreamtest.Hangs()), timings: quiet, tune: idle, want: streams(text, stops())},
		{id: "U-017 too long as a whole", ask: asStream, script: sends(text).Then(upstreamtest.Hangs()), timings: chat.Timings{FirstFrame: long, KeepAlive: long, StreamTotal: short}, tune: limits(upstream.Timeouts{Idle: long, Total: short}), want: cut("stream_too_long", text)},
	})
}

// A pause is no stall: text that waited is whole when it comes.
func TestUpstreamFaultsPauses(t *testing.T) {
	for _, citing := range []bool{false, true} {
		goOn := make(chan struct{})
		script := sends(says("The fox [")).Then(upstreamtest.Chunk("data: "+says("1] runs")[:50]), upstreamtest.Wait(goOn), upstreamtest.Chunk(says("1] runs")[50:]+"\n\n"))
		r := newRig(t, fault{timings: bridged, script: script.Then(ends(stops(), "[DONE]")[1:]...)}, citing)
		resp := r.begin(asStream)
		head := make([]byte, len("data: "+says("The fox [")+"\n\n: keep-alive\n"))
		if _, err := io.ReadFull(resp.Body, head); err != nil || strings.Contains(string(head), "error") {
			t.Fatalf("%q %v", head, err)
		}
		close(goOn)
		got := r.finish(resp)
		got.body = string(head) + got.body
		r.check(got, streams(says("The fox ["), says("1] runs"), stops()))
	}
}

// An upstream that reads nothing does not hold a request for ever.
func TestUpstreamFaultsQuestionsThatNobodyReads(t *testing.T) {
	quit := make(chan struct{})
	deaf := func(t *testing.T) modelServer {
		s := upstreamtest.New(t)
		// What waits in the system's buffers is not read afterwards, either.
		s.Greet(upstreamtest.Script{upstreamtest.Wait(quit), upstreamtest.Resets()})
		return s
	}
	for ask, code := range map[answerKind]string{asJSON: timedOut, asStream: firstToken} {
		want := refuses(http.StatusGatewayTimeout, code)
		want.calls = noCalls
		quit = make(chan struct{})
		r := newRig(t, fault{serve: deaf, tune: limits(upstream.Timeouts{FirstToken: short, Total: short}), with: `"x":"` + strings.Repeat("x", 900<<10) + `",`}, false)
		got := r.send(ask)
		close(quit)
		r.check(got, want)
	}
}
