package proxy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"footnote/citations"
	"footnote/proxy/upstream/upstreamtest"
)

// With no_sources_policy refuse, no model is asked what no passage fits.
func TestNoModelIsAskedWhatNoPassageFits(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true,"no_sources_policy":"refuse"}`))})
	f.hits = nil
	for _, stream := range []bool{false, true} {
		asked := fmt.Sprintf(`{"model":"support","stream":%v,"messages":[{"role":"user","content":"How did revenue develop?"}]}`, stream)
		resp, body := f.send(chatRequest(t, asked))
		text, status := answerOf(t, string(body), stream)
		if resp.StatusCode != 200 || text != citations.NoInformation || status != "no_sources" || up.Count() != 0 {
			t.Errorf("stream %v: %d, %q, status %q, %d requests to the model", stream, resp.StatusCode, text, status, up.Count())
		}
	}
	f.hits = canaryHits()
	if resp, body := f.send(chatRequest(t, `{"model":"support","messages":[{"role":"user","content":"Where does the fox cross?"}]}`)); resp.StatusCode != 200 || up.Count() != 1 {
		t.Errorf("with sources: %d %s, %d requests to the model", resp.StatusCode, body, up.Count())
	}
}

// Sources that all lack room in the context window are as if none was found: the model is
// told so, and the policies for answers that cite nothing do not apply.
func TestSourcesWithoutRoomAreAsIfNoneWasFound(t *testing.T) {
	const asked = `{"model":"support","messages":[{"role":"user","content":"Where does the fox cross?"}]%s}`
	for name, c := range map[string]struct{ settings, request string }{
		"a window as small as the reserve":   {`"context_window":1024`, ""},
		"an answer larger than the window":   {`"max_tokens":40000`, ""},
		"a request larger than the window":   {`"no_marker_policy":"empty"`, `,"max_tokens":40000`},
		"answers without citations may fail": {`"context_window":1024,"no_marker_policy":"fail"`, ""},
		"all sources count as cited":         {`"context_window":1024,"no_marker_policy":"all_sources"`, ""},
	} {
		up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
		f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true,`+c.settings+`}`))})
		f.hits = canaryHits()
		resp, body := f.send(chatRequest(t, fmt.Sprintf(asked, c.request)))
		_, status := answerOf(t, string(body), false)
		if resp.StatusCode != 200 || status != "no_sources" || strings.Contains(string(body), "auto_populated") || !strings.Contains(string(body), "left out because the prompt would exceed") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
		if sent := string(up.Last().Body); !strings.Contains(sent, citations.NoInformation) {
			t.Errorf("%s: the model got %s", name, sent)
		}
	}
}

func TestNoModelIsAskedWhenNoSourceHasRoom(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true,"context_window":1024,"no_sources_policy":"refuse"}`))})
	f.hits = canaryHits()
	for _, stream := range []bool{false, true} {
		resp, body := f.send(chatRequest(t, fmt.Sprintf(`{"model":"support","stream":%v,"messages":[{"role":"user","content":"Where does the fox cross?"}]}`, stream)))
		text, status := answerOf(t, string(body), stream)
		if resp.StatusCode != 200 || text != citations.NoInformation || status != "no_sources" || up.Count() != 0 {
			t.Errorf("stream %v: %d, %q, status %q, %d requests to the model", stream, resp.StatusCode, text, status, up.Count())
		}
	}
}

// answerOf returns the text of an answer and the status of its citations.
func answerOf(t *testing.T, body string, stream bool) (text, status string) {
	t.Helper()
	frames := []string{body}
	if stream {
		frames = strings.Split(body, "\n\n")
	}
	for _, frame := range frames {
		frame = strings.TrimPrefix(frame, "data: ")
		if frame == "" || frame == "[DONE]" {
			continue
		}
		var part struct {
			Choices []struct {
				Message, Delta struct{ Content string }
			}
			Citations struct{ Status string }
		}
		if err := json.Unmarshal([]byte(frame), &part); err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		for _, c := range part.Choices {
			text += c.Message.Content + c.Delta.Content
		}
		status += part.Citations.Status
	}
	return text, status
}
