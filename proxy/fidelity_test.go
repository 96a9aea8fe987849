package proxy_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
	"footnote/proxy/wire"
)

// oddBodies are requests that an encoder would change: each must arrive byte for byte.
var oddBodies = []string{
	`{"model":"base-model","messages":[{"role":"user","content":"hi"}],"temperature":0}`,
	`{ "messages" : [ {"content":"a\u00e9\ud83d\ude00\/","role":"user"} ] , "model" : "base-model" , "seed":123456789012345678901234567890 }`,
	"{\n\t\"temperature\": 1.0e-0,\n\t\"model\": \"base-model\",\n\t\"x_vendor\": {\"b\": 1, \"a\": [1.0, null, -0.0]},\n\t\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"image_url\", \"image_url\": {\"url\": \"http://169.254.169.254/\"}}]}]\n}\n",
	`{"model":"base-model","max_tokens":null,"stream":false,"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"x":1,"x":2}}}],"messages":[{"role":"tool","tool_call_id":"c","content":""},{"role":"weird","content":7}]}`,
	`{"model":"base-model","messages":[{"role":"user","content":"\u2028 <b>&amp;</b> \u0000"}],"logit_bias":{"50256":-100},"api_base":"http://10.0.0.1/"}`,
}

// oddAnswers are answers that an encoder would change.
var oddAnswers = []string{
	`{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"hi","role":"assistant","reasoning":"\u00e9[2]"}}],"usage":{"cost":0.10,"n":12345678901234567890},"citations":["https://a.test"]}`,
	"{\n \"id\": \"x\", \"choices\": [ {\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"function\":{\"arguments\":\"{\\\"a\\\": [1]}\"}}]},\"finish_reason\":\"tool_calls\"} ]\n}\n",
}

// emptyAnswers have no choice to which anything could be added.
var emptyAnswers = []string{
	`{"id":"x","choices":[], "prompt_filter_results":[{"prompt_index":0}],"usage":{"total_tokens":7.0}}`,
	" {\"choices\":[ ]}\n",
}

func TestWithEverythingOffRequestAndAnswerAreByteIdentical(t *testing.T) {
	for _, answer := range slices.Concat(oddAnswers, emptyAnswers) {
		for _, body := range oddBodies {
			up := upstreamtest.New(t, upstreamtest.JSON(answer))
			f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil)})
			req, err := http.NewRequest("POST", "/assistants/support/v1/chat/completions", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			resp, got := f.send(req)
			if resp.StatusCode != 200 || string(got) != answer {
				t.Errorf("answer %d\n%s\nwant\n%s", resp.StatusCode, got, answer)
			}
			if sent := up.Last().Body; string(sent) != body {
				t.Errorf("request\n%s\nwant\n%s", sent, body)
			}
		}
	}
}

// The corpus of odd requests that proxy/wire is tested with, through the whole
// server: a request that names a model and none of our extensions is not edited.
func TestTheCorpusOfRequestsArrivesByteForByte(t *testing.T) {
	files, err := filepath.Glob("wire/testdata/requests/*.json")
	if err != nil {
		t.Fatal(err)
	}
	up := upstreamtest.New(t, upstreamtest.JSON(oddAnswers[0]))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil)})
	sent := 0
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := wire.ReadRequest(body)
		if err != nil {
			t.Fatal(file, err)
		}
		if r.Model() == "" || r.Has("retrieval_options") || r.Has("metadata_filter") || r.Has("citation_options") {
			continue
		}
		sent++
		req, err := http.NewRequest("POST", "/assistants/support/v1/chat/completions", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if resp, answer := f.send(req); resp.StatusCode != 200 || !bytes.Equal(up.Last().Body, body) {
			t.Errorf("%s: %d %s\n%s\nwant\n%s", file, resp.StatusCode, answer, up.Last().Body, body)
		}
	}
	if sent < 29 || up.Count() != sent {
		t.Errorf("%d requests of the corpus sent, %d arrived", sent, up.Count())
	}
}

func TestWithCitationsOnTakingOursOutRestoresTheAnswer(t *testing.T) {
	hits, err := os.ReadFile("testdata/hits.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range oddAnswers {
		up := upstreamtest.New(t, upstreamtest.JSON(answer))
		f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true}`)), hits: readHits(t, hits)})
		_, got := f.send(chatRequest(t, `{"model":"support","messages":[{"role":"user","content":"hi"}]}`))
		var members map[string]json.RawMessage
		if err := json.Unmarshal(got, &members); err != nil {
			t.Fatal(err)
		}
		restored := bytes.Replace(got, []byte(`"upstream_citations"`), []byte(`"citations"`), 1)
		for _, ours := range []string{"retrieval", "citations"} {
			restored = bytes.Replace(restored, append([]byte(`,"`+ours+`":`), members[ours]...), nil, 1)
		}
		if string(restored) != answer {
			t.Errorf("left is\n%s\nwant\n%s", restored, answer)
		}
	}
}

func TestExtensionsThatAreNullAreAsIfAbsent(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(oddAnswers[0]))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil)})
	const nulls = `"retrieval_options":null,"citation_options":null,"metadata_filter":null,`
	resp, body := f.send(chatRequest(t, `{"model":"support",`+nulls+`"messages":[{"role":"user","content":"hi"}]}`))
	if resp.StatusCode != 200 || strings.Contains(string(up.Last().Body), "null") {
		t.Errorf("%d %s, the upstream got %s", resp.StatusCode, body, up.Last().Body)
	}
}

func chatRequest(t *testing.T, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequest("POST", "/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req
}

func TestOurSystemPromptCountsTowardsTheContextWindow(t *testing.T) {
	hits, err := os.ReadFile("testdata/hits.json")
	if err != nil {
		t.Fatal(err)
	}
	up := upstreamtest.New(t, upstreamtest.JSON(oddAnswers[0]))
	settings := mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true,"context_window":1024,"max_tokens":64}`))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: settings, hits: readHits(t, hits)})
	const question = `{"model":"support","messages":[{"role":"user","content":"hi"}]}`
	if _, got := f.send(chatRequest(t, question)); bytes.Contains(got, []byte("left out")) {
		t.Errorf("a source that fits is left out: %s", got)
	}
	f.settings.SystemPrompt = strings.Repeat("word ", 900)
	if _, got := f.send(chatRequest(t, question)); !bytes.Contains(got, []byte("1 of 1 sources were left out")) {
		t.Errorf("the prompt outgrows the window: %s", got)
	}
}

func TestEveryGoldenSaysWhatItProves(t *testing.T) {
	files, err := filepath.Glob("testdata/chat/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if comment, _, _ := strings.Cut(string(raw), "\n-- "); len(strings.TrimSpace(comment)) < 20 {
			t.Errorf("%s has no sentence at its top", file)
		}
	}
}
