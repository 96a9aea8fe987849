package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/proxy/chat"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

const (
	streamRequest = `{"model":"support","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	textChunk     = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}`
	stopChunk     = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
)

// streaming is a fixture on a scripted upstream.
func streaming(t *testing.T, timings chat.Timings, settings string, scripts ...upstreamtest.Script) (*fixture, *upstreamtest.Server) {
	t.Helper()
	up := upstreamtest.New(t, scripts...)
	return newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(settings)), timings: timings}), up
}

// streamingWithin is the same with other bounds of the upstream's calls.
func streamingWithin(t *testing.T, within upstream.Timeouts, settings string, script upstreamtest.Script) (*fixture, *upstreamtest.Server) {
	t.Helper()
	up := upstreamtest.New(t, script)
	return newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(settings)), configure: limits(within)}), up
}

func TestEachEventIsForwardedWhenItComes(t *testing.T) {
	next := make(chan struct{})
	f, _ := streaming(t, chat.Timings{}, `{}`,
		upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Wait(next), upstreamtest.Event(stopChunk), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()))
	resp := f.open(chatRequest(t, streamRequest))
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	if line, err := r.ReadString('\n'); err != nil || line != "data: "+textChunk+"\n" {
		t.Fatal(line, err)
	}
	if resp.Header.Get("X-Accel-Buffering") != "no" || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Error(resp.Header)
	}
	close(next)
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "\ndata: "+stopChunk+"\n\ndata: [DONE]\n\n" {
		t.Errorf("%q %v", rest, err)
	}
}

func TestAClientThatLeavesFreesItsUpstream(t *testing.T) {
	for name, script := range map[string]upstreamtest.Script{
		"before the first event": upstreamtest.Hang(),
		"in mid-stream":          upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Hangs()),
	} {
		t.Run(name, func(t *testing.T) {
			f, up := streaming(t, chat.Timings{}, `{"enable_rag":true,"enable_citations":true}`, script)
			ctx, leave := context.WithCancel(context.Background())
			go func() {
				up.WaitRequests(1)
				leave()
			}()
			req := chatRequest(t, streamRequest).WithContext(ctx)
			out, err := http.NewRequestWithContext(ctx, "POST", f.url+"/v1/chat/completions", req.Body)
			if err != nil {
				t.Fatal(err)
			}
			out.Header.Set("Content-Type", "application/json")
			out.Header.Set("Authorization", "Bearer "+adminKey)
			if resp, err := http.DefaultClient.Do(out); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body) // until the cancel ends it
				_ = resp.Body.Close()
			}
			up.WaitConns(0)
		})
	}
}

func TestAQuietUpstreamIsBridgedByComments(t *testing.T) {
	next := make(chan struct{})
	f, _ := streaming(t, chat.Timings{FirstFrame: time.Millisecond, KeepAlive: time.Millisecond}, `{}`,
		upstreamtest.Stream().Then(upstreamtest.Wait(next), upstreamtest.Event(textChunk), upstreamtest.Event(stopChunk), upstreamtest.EndStream()))
	resp := f.open(chatRequest(t, streamRequest))
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for range 3 {
		if line, err := r.ReadString('\n'); err != nil || line != ": keep-alive\n" {
			t.Fatalf("%q %v", line, err)
		}
	}
	close(next)
	rest, err := io.ReadAll(r)
	text := strings.ReplaceAll(string(rest), ": keep-alive\n", "")
	if err != nil || text != "data: "+textChunk+"\n\ndata: "+stopChunk+"\n\ndata: [DONE]\n\n" {
		t.Errorf("%q %v", text, err)
	}
}

// terminals counts the ways a stream can end, of which there must be one.
func terminals(body string) (done, faults int) {
	return strings.Count(body, "data: [DONE]"), strings.Count(body, `data: {"error":`)
}

func TestEveryWayAStreamBreaksIsExactlyOneErrorFrame(t *testing.T) {
	for name, c := range map[string]struct {
		script upstreamtest.Script
		code   string
	}{
		"reset":        {upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Resets()), "upstream_stream_interrupted"},
		"closed":       {upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Closes()), "upstream_stream_interrupted"},
		"mid-frame":    {upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Chunk("data: {\"id\""), upstreamtest.EndStream()), "upstream_stream_interrupted"},
		"plain end":    {upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.EndStream()), "upstream_stream_interrupted"},
		"no JSON":      {upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Event("Internal Server Error"), upstreamtest.EndStream()), "upstream_invalid_response"},
		"error object": {upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Event(`{"error":{"message":"boom","code":"x1"}}`), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()), "boom"},
		"llama.cpp":    {upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Chunk("error: {\"code\":500,\"message\":\"boom\"}\n\n"), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()), "boom"},
		"stalled":      {upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Hangs()), "upstream_stalled"},
	} {
		for _, settings := range []string{`{}`, `{"enable_rag":true,"enable_citations":true}`} {
			t.Run(name+settings, func(t *testing.T) {
				within := upstream.Timeouts{}
				if c.code == "upstream_stalled" {
					within.Idle = short
				}
				f, up := streamingWithin(t, within, settings, c.script)
				resp, raw := f.send(chatRequest(t, streamRequest))
				body := string(raw)
				done, faults := terminals(body)
				if resp.StatusCode != 200 || done != 0 || faults != 1 || !strings.Contains(body, c.code) || !strings.HasPrefix(body, "data: "+textChunk+"\n\n") {
					t.Errorf("%d %q", resp.StatusCode, body)
				}
				if strings.Contains(body, up.Addr()) {
					t.Error("the upstream's address is in the answer")
				}
				if up.Count() != 1 {
					t.Errorf("%d calls", up.Count())
				}
				f.client.Close() // idle connections are kept on purpose
				up.WaitConns(0)
			})
		}
	}
}

// What waits behind a finish chunk is bounded; the object still stands on the last one.
func TestChunksBetweenTwoFinishChunksDoNotPileUp(t *testing.T) {
	usage := `{"id":"c","choices":[],"usage":null,"x":"` + strings.Repeat("x", 10<<10) + `"}`
	events := []string{textChunk, stopChunk}
	for range 20 {
		events = append(events, usage)
	}
	second := strings.Replace(stopChunk, `"index":0`, `"index":1`, 1)
	f, _ := streaming(t, chat.Timings{}, `{"enable_rag":true,"enable_citations":true}`, upstreamtest.SSE(append(events, second, "[DONE]")...))
	_, raw := f.send(chatRequest(t, strings.Replace(streamRequest, `{`, `{"n":2,`, 1)))
	got := dataOf(t, string(raw))
	last := len(events) // the second finish chunk, before [DONE]
	if len(got) != last+2 || !slices.Equal(got[:last], events) {
		t.Fatalf("%d frames, want %d; or they were changed", len(got), last+2)
	}
	if bare, ours := withoutOurs(t, got[last]); bare != second || !ours {
		t.Error(clipped(got[last]))
	}
}

func TestFailuresBeforeTheFirstFrameAreRealStatuses(t *testing.T) {
	for name, c := range map[string]struct {
		script upstreamtest.Script
		status int
		code   string
	}{
		"error frame first": {upstreamtest.Stream().Then(upstreamtest.Event(`{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}`), upstreamtest.EndStream()), 429, "upstream_rate_limited"},
		"empty stream":      {upstreamtest.Stream().Then(upstreamtest.EndStream()), 502, "upstream_stream_interrupted"},
		"reset":             {upstreamtest.Reset(), 502, "upstream_"},
		"never a frame":     {upstreamtest.Stream().Then(upstreamtest.Hangs()), 504, "upstream_first_token_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			within := upstream.Timeouts{}
			if c.code == "upstream_first_token_timeout" {
				within.FirstToken = short
			}
			f, up := streamingWithin(t, within, `{"enable_rag":true,"enable_citations":true}`, c.script)
			resp, body := f.send(chatRequest(t, streamRequest))
			if resp.StatusCode != c.status || !strings.Contains(string(body), c.code) || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
			}
			if up.Count() != 1 {
				t.Errorf("%d calls", up.Count())
			}
		})
	}
}

func TestStopEndsStreamsWithAnErrorFrame(t *testing.T) {
	f, _ := streaming(t, chat.Timings{}, `{}`, upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Hangs()))
	resp := f.open(chatRequest(t, streamRequest))
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	f.server.Drain()
	if resp, body := f.send(getRequest(t, "/readyz")); resp.StatusCode != 503 || !strings.Contains(string(body), "draining") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	f.server.Stop()
	rest, err := io.ReadAll(r)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(string(rest), "server_shutting_down") || strings.Contains(string(rest), "[DONE]") {
		t.Errorf("%q %v", rest, err)
	}
}

func getRequest(t *testing.T, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequest("GET", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestMetricsCountWhatHappened(t *testing.T) {
	f, _ := streaming(t, chat.Timings{}, `{"enable_rag":true,"enable_citations":true}`, upstreamtest.SSE(textChunk, stopChunk, "[DONE]"))
	f.send(chatRequest(t, streamRequest))
	_, body := f.send(getRequest(t, "/metrics"))
	for _, want := range []string{
		`footnote_requests_total{method="POST",route="/v1/chat/completions",status="200"} 1`,
		`footnote_upstream_responses_total{status="200"} 1`,
		`footnote_answers_total{status="no_sources"} 1`,
		`footnote_first_byte_seconds_count{stream="true"} 1`,
		`footnote_documents{status="ready"} 0`,
		`footnote_confidence_bucket{le="0.3"}`, `footnote_confidence_bucket{le="0.8"}`, // not 0.30000000000000004
		`footnote_retrieval_duration_seconds_count{stage="text"} 1`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
}
