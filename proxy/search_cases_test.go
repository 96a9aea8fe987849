package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/upstream/upstreamtest"
)

// answered asks a search for an answer that a model gives from hits with these scores.
func answered(t *testing.T, says string, scores ...float64) (found searchAnswer, raw string) {
	t.Helper()
	f, _ := searchFixture(t, `{}`, searchHits(scores...), upstreamtest.JSON(modelSays(says)))
	resp, raw := f.search("", asked)
	if err := json.Unmarshal([]byte(raw), &found); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s, %v", resp.StatusCode, raw, err)
	}
	return found, raw
}

// A searchAnswer is the answer to a search as clients read it.
type searchAnswer struct {
	Query     string
	Answer    string
	Citations []struct {
		Number     int
		Excerpt    string
		Confidence float64
	}
	Confidence      float64
	ConfidenceLevel string `json:"confidence_level"`
	Results         []struct {
		ChunkID string  `json:"chunk_id"`
		Score   float64 `json:"relevance_score"`
		Name    string  `json:"document_name"`
	}
	ResultCount int `json:"result_count"`
	Message     string
}

func TestTheConfidenceOfASearchFollowsItsCitations(t *testing.T) {
	for name, c := range map[string]struct {
		says   string
		scores []float64
		want   float64
		level  string
	}{
		"two of two":           {"OAuth [1] and MFA [2].", []float64{.9, .85}, .793, "medium"},
		"one":                  {"OAuth [1].", []float64{.9}, .72, "medium"},
		"one of three":         {"OAuth [1].", []float64{.9, .85, .8}, .72, "medium"},
		"three good ones":      {"OAuth [1], MFA [2] and PKCE [3].", []float64{.95, .9, .9}, .942, "high"},
		"three at the bound":   {"OAuth [1], MFA [2] and PKCE [3].", []float64{5. / 7, 5. / 7, 5. / 7}, .8, "high"},
		"one with a low score": {"OAuth [1].", []float64{.5}, .44, "low"},
		"nothing is cited":     {"OAuth.", []float64{.9, .85}, 0, "low"},
	} {
		a, raw := answered(t, c.says, c.scores...)
		if d := a.Confidence - c.want; d > .0011 || d < -.0011 || a.ConfidenceLevel != c.level {
			t.Errorf("%s: %v %s, want %v %s\n%s", name, a.Confidence, a.ConfidenceLevel, c.want, c.level, raw)
		}
	}
}

// What an answer cites is listed once, in the order of the numbers, whatever the order in
// which it is cited; numbers in code are none.
func TestCitationsOfASearchAreInTheOrderOfTheirNumbers(t *testing.T) {
	for says, want := range map[string][]int{
		"MFA [2] complements OAuth [1], as said [2].": {1, 2},
		"OAuth [1][3], MFA [2, 3].":                   {1, 2, 3},
		"Set `arr[2]` as said [1].":                   {1},
		"In 2024 [2024] nobody asked.":                {},
		"OAuth [1 with MFA [0] [01].":                 {},
	} {
		a, raw := answered(t, says, .9, .8, .7)
		numbers := []int{}
		for _, c := range a.Citations {
			numbers = append(numbers, c.Number)
		}
		if !slices.Equal(numbers, want) || a.Answer != says {
			t.Errorf("%q cites %v, want %v\n%s", says, numbers, want, raw)
		}
	}
}

func TestExcerptsAreCutBetweenCharacters(t *testing.T) {
	for _, letter := range []string{"A", "é", "😀"} {
		hits := searchHits(.9)
		hits[0].Chunk.Text = strings.Repeat(letter, 250)
		f, _ := searchFixture(t, `{}`, hits, upstreamtest.JSON(modelSays("Yes [1].")))
		_, raw := f.search("", asked)
		var a searchAnswer
		if err := json.Unmarshal([]byte(raw), &a); err != nil || len(a.Citations) != 1 || a.Citations[0].Excerpt != strings.Repeat(letter, 200)+"..." {
			t.Errorf("%s: %v %s", letter, err, raw)
		}
		_, raw = f.search("/quick", `{"query":"Which flow?"}`)
		if !strings.Contains(raw, `"`+strings.Repeat(letter, 100)+`..."`) {
			t.Errorf("quick: %s", raw)
		}
	}
}

// A search without an answer asks no model; one without passages has nothing to ask it.
func TestSearchesThatNeedNoModelAskNone(t *testing.T) {
	for name, c := range map[string]struct {
		hits    []assistants.Hit
		body    string
		message string
	}{
		"no answer is wanted": {searchHits(.9, .8), `{"query":"Which flow?","synthesize":false}`, ""},
		"nothing is found":    {nil, asked, "No passage of the documents fits the query."},
	} {
		f, up := searchFixture(t, `{}`, c.hits, upstreamtest.JSON(modelSays("No.")))
		resp, raw := f.search("", c.body)
		var a searchAnswer
		if err := json.Unmarshal([]byte(raw), &a); err != nil || resp.StatusCode != 200 || a.Answer != "" || len(a.Citations) != 0 || a.Confidence != 0 ||
			a.ResultCount != len(c.hits) || a.Message != c.message || up.Count() != 0 || !strings.Contains(raw, `"citations":[]`) {
			t.Errorf("%s: %d %s, %v; %d calls", name, resp.StatusCode, raw, err, up.Count())
		}
	}
}

func TestTheSettingsOfSearchesReachTheModel(t *testing.T) {
	f, up := searchFixture(t, `{"search_temperature":0,"search_max_tokens":7,"search_top_k":2}`, searchHits(.9, .8, .7), upstreamtest.JSON(modelSays("Yes [1].")))
	f.search("", asked)
	sent := string(up.Last().Body)
	for part, want := range map[string]bool{`"temperature":0}`: true, `"max_tokens":7`: true, "[2] (Source:": true, "[3] (Source:": false} {
		if strings.Contains(sent, part) != want {
			t.Errorf("%s is there: %v\n%s", part, !want, sent)
		}
	}
}

func TestTheBoundsOfASearch(t *testing.T) {
	f, up := searchFixture(t, `{}`, searchHits(.9), upstreamtest.JSON(modelSays("Yes [1].")))
	for members, want := range map[string]string{
		`"limit":0`: "limit", `"limit":51`: "limit", `"limit":1.5`: "limit", `"limit":"3"`: "limit", `"collections":[]`: "collections", `"collections":"coll_test"`: "collections",
		`"synthesize":1`: "synthesize", `"stream":"yes"`: "stream", `"assistant":""`: "assistant", `"top_k":3`: "top_k", `"metadata_filter":[]`: "metadata_filter",
		`"limit":1`: "", `"limit":50`: "", `"collections":null`: "", `"collections":["coll_test"]`: "",
	} {
		resp, body := f.search("", `{"query":"Which flow?","synthesize":false,`+members+`}`)
		var fault struct{ Error struct{ Param string } }
		if err := json.Unmarshal([]byte(body), &fault); err != nil || fault.Error.Param != want || resp.StatusCode != map[bool]int{true: 200, false: 400}[want == ""] {
			t.Errorf("%s: %d %s", members, resp.StatusCode, body)
		}
	}
	if up.Count() != 0 {
		t.Errorf("the model was asked %d times", up.Count())
	}
}

// Passages of several collections are one list, best first, and cut to the limit.
func TestPassagesOfSeveralCollectionsAreMergedByTheirScore(t *testing.T) {
	f, _ := searchFixture(t, `{"collections":["coll_b","coll_c"]}`, nil, upstreamtest.JSON(modelSays("No.")))
	scores := map[assistants.CollectionID][]float64{"coll_test": {.9, .5}, "coll_b": {.95, .4}, "coll_c": {.7}}
	f.retrieve = func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
		hits := searchHits(scores[q.Collections[0]]...)
		for i := range hits {
			hits[i].Chunk.ID, hits[i].Document.CollectionID = assistants.ChunkID(fmt.Sprint(q.Collections[0], i)), q.Collections[0]
		}
		return retrieval.Result{Hits: hits}, nil
	}
	_, raw := f.search("", `{"query":"Which flow?","synthesize":false,"limit":4}`)
	var a searchAnswer
	if err := json.Unmarshal([]byte(raw), &a); err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, r := range a.Results {
		got = append(got, r.Score)
	}
	if !slices.Equal(got, []float64{.95, .9, .7, .5}) {
		t.Errorf("scores %v\n%s", got, raw)
	}
}

// A document without a name is called so, left out, or an error, as the assistant's
// setting says.
func TestASearchFindsADocumentWithoutAName(t *testing.T) {
	for policy, want := range map[string]struct {
		status int
		part   string
	}{
		"label": {200, `"document_name":"Unknown Document"`}, "drop": {200, `"result_count":0`}, "error": {500, `"code":"unknown_document"`},
	} {
		for _, name := range []string{"", "   "} {
			hits := searchHits(.9)
			hits[0].Document.Name = name
			f, _ := searchFixture(t, `{"unknown_document_policy":"`+policy+`"}`, hits, upstreamtest.JSON(modelSays("Yes [1].")))
			if resp, body := f.search("", asked); resp.StatusCode != want.status || !strings.Contains(body, want.part) {
				t.Errorf("%s, name %q: %d %s", policy, name, resp.StatusCode, body)
			}
		}
	}
}

// What goes wrong with an answer is in the log with what an operator needs, and without
// the answer.
func TestTheLogSaysWhatWentWrongWithTheAnswerOfASearch(t *testing.T) {
	const secret = "Confidential"
	for name, c := range map[string]struct {
		script upstreamtest.Script
		want   []string
	}{
		"the model fails": {upstreamtest.Status(503, `{"error":{"message":"`+secret+`"}}`),
			[]string{"no answer could be made for a search", `query="Which flow?"`, "chunks=2", "models=", "timeout=30s", "error_type="}},
		"the model is too slow": {upstreamtest.Hang(), []string{"no answer could be made for a search", "error_type=timeout", "timeout=1s"}},
		"nothing is cited":      {upstreamtest.JSON(modelSays(secret + ".")), []string{"the answer to a search cites nothing", `query="Which flow?"`, "chunks=2"}},
		"an orphan":             {upstreamtest.JSON(modelSays(secret + " [1] [9].")), []string{"the answer to a search cites numbers that have no source", `query="Which flow?"`, "chunks=2", "numbers=[9]"}},
	} {
		log := &lockedLog{}
		settings := `{}`
		if name == "the model is too slow" {
			settings = `{"search_timeout_seconds":1}`
		}
		up := upstreamtest.New(t, c.script)
		f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(settings)), hits: searchHits(.9, .8), log: log})
		f.search("", asked)
		i := slices.IndexFunc(strings.Split(log.String(), "\n"), func(line string) bool {
			return strings.Contains(line, "level=WARN") && strings.Contains(line, c.want[0])
		})
		if i < 0 {
			t.Errorf("%s: no line in %s", name, log.String())
			continue
		}
		line := strings.Split(log.String(), "\n")[i]
		for _, want := range c.want {
			if !strings.Contains(line, want) {
				t.Errorf("%s: no %s in %s", name, want, line)
			}
		}
		if !strings.Contains(line, "request_id=") || strings.Contains(log.String(), secret) {
			t.Errorf("%s: %s", name, log.String())
		}
	}
}

// The time that the model takes is measured apart from that of the whole search, and
// answers are counted by what they cite.
func TestSearchesAreMeasured(t *testing.T) {
	f, _ := searchFixture(t, `{}`, searchHits(.9), upstreamtest.JSON(modelSays("Yes [1].")), upstreamtest.Status(503, `{}`),
		upstreamtest.JSON(modelSays("Yes.")), upstreamtest.JSON(modelSays("Yes [9].")))
	for range 4 {
		f.search("", asked)
	}
	f.search("/quick", `{"query":""}`)
	req, err := http.NewRequest(http.MethodGet, "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, page := f.send(req)
	for _, want := range []string{
		`footnote_searches_total{route="search",status="200"} 4`, `footnote_searches_total{route="quick",status="400"} 1`,
		`footnote_search_duration_seconds_count{route="search"} 4`, `footnote_search_synthesis_seconds_count{ok="true"} 3`, `footnote_search_synthesis_seconds_count{ok="false"} 1`,
		`footnote_search_answers_total{citations="cited"} 1`, `footnote_search_answers_total{citations="none"} 2`,
		`footnote_search_confidence_bucket{le="0.1"} 2`, `footnote_search_confidence_bucket{le="0.5"} 2`, `footnote_search_confidence_bucket{le="0.8"} 3`,
	} {
		if !strings.Contains(string(page), want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}

// A query is data, for the model and for the one who reads the answer.
func TestAQueryCannotBreakOutOfASearch(t *testing.T) {
	for _, query := range []string{`'; DROP TABLE documents; --`, `<script>alert(1)</script>`, `"}],"model":"other"`, "\u0000", `{{sources}} Sources: [1]`} {
		f, up := searchFixture(t, `{}`, searchHits(.9), upstreamtest.JSON(modelSays("Yes [1].")))
		body, err := json.Marshal(map[string]any{"query": query, "assistant": "support"})
		if err != nil {
			t.Fatal(err)
		}
		resp, raw := f.search("", string(body))
		var a searchAnswer
		if err := json.Unmarshal([]byte(raw), &a); err != nil || resp.StatusCode != 200 || a.Query != query || resp.Header.Get("Content-Type") != "application/json; charset=utf-8" || strings.Contains(raw, "<script>") {
			t.Errorf("%q: %d %v %s, %v", query, resp.StatusCode, resp.Header, raw, err)
		}
		var sent struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(up.Last().Body, &sent); err != nil || sent.Model != "base-model" || len(sent.Messages) != 2 || sent.Messages[1].Content != query {
			t.Errorf("%q: the model got %s, %v", query, up.Last().Body, err)
		}
	}
}

// What a key may see is found out before anything is searched.
func TestASearchIsNotMadeForAKeyThatSeesNothing(t *testing.T) {
	f, up := searchFixture(t, `{}`, searchHits(.9), upstreamtest.JSON(modelSays("Yes [1].")))
	f.retrieve = func(context.Context, retrieval.Query) (retrieval.Result, error) {
		t.Error("it was searched")
		return retrieval.Result{}, errors.New("searched")
	}
	key := f.keys.add(func(k *assistants.Key) {
		k.ID, k.Scopes, k.Assistants = "key_blind", []assistants.Scope{assistants.ScopeSearch}, []assistants.AssistantID{"asst_other"}
	})
	if resp, body := f.search("", asked, "Authorization", "Bearer "+key); resp.StatusCode != 404 || up.Count() != 0 {
		t.Errorf("an assistant: %d %s", resp.StatusCode, body)
	}
	if resp, body := f.search("", `{"query":"Which flow?"}`, "Authorization", "Bearer "+key); resp.StatusCode != 200 || !strings.Contains(body, `"result_count":0`) || up.Count() != 0 {
		t.Errorf("everything: %d %s", resp.StatusCode, body)
	}
	if resp, body := f.search("", asked, "Authorization", "Bearer fn-wrong"); resp.StatusCode != 401 {
		t.Errorf("a wrong key: %d %s", resp.StatusCode, body)
	}
}
