package proxy_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"footnote/assistants/retrieval"
	"footnote/proxy/upstream/upstreamtest"
)

// The log tells which state of the index an answer is from, if the index counts
// its states.
func TestTheLogNamesTheGenerationOfTheIndex(t *testing.T) {
	log := &lockedLog{}
	up := upstreamtest.New(t, upstreamtest.JSON(`{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`))
	generation := uint64(41)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true}`)), log: log,
		retrieve: func(context.Context, retrieval.Query) (retrieval.Result, error) {
			return retrieval.Result{Trace: retrieval.Trace{Generation: generation}}, nil
		}})
	for range 2 {
		f.send(chatRequest(t, plainRequest))
		generation++
	}
	generation = 0
	f.send(chatRequest(t, plainRequest))
	if err := f.front.Shutdown(t.Context()); err != nil { // the line may come behind the answer
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "route=/v1/chat/completions") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 3 || !strings.Contains(lines[0], "index_generation=41") || !strings.Contains(lines[1], "index_generation=42") || strings.Contains(lines[2], "generation") {
		t.Errorf("%q", lines)
	}
}

// The log shows that an assistant answers without its documents.
func TestTheLogSaysThatRetrievalIsOff(t *testing.T) {
	for settings, want := range map[string]bool{`{"enable_rag":false}`: true, `{"enable_rag":true}`: false} {
		log := &lockedLog{}
		up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
		f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(settings)), log: log})
		f.send(chatRequest(t, plainRequest))
		if err := f.front.Shutdown(t.Context()); err != nil { // the line may come behind the answer
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "retrieval=off"); got != want {
			t.Errorf("%s: %s", settings, log.String())
		}
	}
}

// What an upstream says may be what a user wrote. The client gets its words,
// the log only what kind of failure it was.
func TestTheLogDoesNotRepeatAnUpstreamsWords(t *testing.T) {
	const words = "cannot parse: private words of a user"
	report := `{"error":{"message":"` + words + `","param":"messages: ` + words + `","type":"server_error","code":"` + words + `"}}`
	for name, c := range map[string]struct {
		request string
		script  upstreamtest.Script
	}{
		"in a stream":         {streamRequest, upstreamtest.SSE(textChunk, report)},
		"first in a stream":   {streamRequest, upstreamtest.SSE(report)},
		"instead of JSON":     {plainRequest, upstreamtest.JSON(report)},
		"JSON for a stream":   {streamRequest, upstreamtest.JSON(report)},
		"in a stream of JSON": {plainRequest, upstreamtest.SSE(textChunk, report)},
		"with a status":       {plainRequest, upstreamtest.Status(500, report)},
	} {
		t.Run(name, func(t *testing.T) {
			log, before := &lockedLog{}, slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(log, nil))) // the log of failed requests
			t.Cleanup(func() { slog.SetDefault(before) })
			up := upstreamtest.New(t, c.script)
			f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil), log: log})
			_, body := f.send(chatRequest(t, c.request))
			if !strings.Contains(string(body), words) {
				t.Errorf("the client got %s", body)
			}
			if s := log.String(); strings.Contains(s, "private") {
				t.Error("the log says", s)
			} else if name != "with a status" && !strings.Contains(s, "upstream_error") {
				t.Error("the log does not say what it was:", s)
			}
		})
	}
}
