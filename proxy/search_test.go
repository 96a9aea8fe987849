package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/search"
	"footnote/proxy/upstream/upstreamtest"
)

// Hits is the store's: the passages of the fixture's hits, in its one collection.
func (f *fixture) Hits(_ context.Context, _ assistants.TenantID, collections []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error) {
	var found []assistants.Hit
	for _, m := range matches {
		for _, h := range f.hits {
			if h.Chunk.ID == m.ChunkID && slices.Contains(collections, h.Document.CollectionID) {
				found = append(found, h)
			}
		}
	}
	return found, nil
}

// Collections is the store's.
func (f *fixture) Collections(_ context.Context, _ assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error) {
	list := make([]assistants.Collection, len(ids))
	for i, id := range ids {
		list[i] = assistants.Collection{ID: id, Name: "Name of " + string(id)}
	}
	return list, nil
}

// searchHits are hits of one document, whose passages are all distinct.
func searchHits(scores ...float64) []assistants.Hit {
	list := make([]assistants.Hit, len(scores))
	for i, score := range scores {
		list[i] = assistants.Hit{
			Score:    score,
			Document: assistants.Document{ID: "doc_one", Name: "Acme Proposal.pdf", CollectionID: "coll_test"},
			Chunk:    assistants.Chunk{ID: assistants.ChunkID("chunk_" + strconv.Itoa(i)), DocumentID: "doc_one", Index: i, Page: 14, CharStart: 3450, CharEnd: 3892, Text: strings.Repeat("a", 200)},
		}
	}
	return list
}

func searchFixture(t *testing.T, settings string, hits []assistants.Hit, scripts ...upstreamtest.Script) (*fixture, *upstreamtest.Server) {
	t.Helper()
	up := upstreamtest.New(t, scripts...)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(settings)), hits: hits, searches: search.Timings{Grace: 1}})
	return f, up
}

func (f *fixture) search(path, body string, header ...string) (*http.Response, string) {
	f.t.Helper()
	resp, answer := f.send(f.searchRequest(path, body, header...))
	return resp, string(answer)
}

func (f *fixture) searchRequest(path, body string, header ...string) *http.Request {
	f.t.Helper()
	req, err := http.NewRequest("POST", "/v1/search"+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

func decodeAnswer(t *testing.T, body string) (a search.Answer) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return a
}

func modelSays(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"choices":[{"index":0,"message":{"role":"assistant","content":` + string(quoted) + `},"finish_reason":"stop"}]}`
}

func delta(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"choices":[{"index":0,"delta":{"content":` + string(quoted) + `}}]}`
}

const asked = `{"query":"Which flow?","assistant":"support"}`

func TestSearchAnswersWithACitationForEveryMarker(t *testing.T) {
	f, up := searchFixture(t, `{}`, searchHits(.9, .85, .8, .7, .6, .5), upstreamtest.JSON(modelSays("OAuth 2.0 [1] with MFA [2] is required.")))
	resp, body := f.search("", asked)
	a := decodeAnswer(t, body)
	if resp.StatusCode != 200 || a.Answer != "OAuth 2.0 [1] with MFA [2] is required." || a.AnswerClean != "OAuth 2.0 with MFA is required." || len(a.Citations) != 2 || a.Confidence != .793 && a.Confidence != .792 {
		t.Fatalf("%d %s", resp.StatusCode, body) // Y1 by the table
	}
	c := a.Citations[1]
	if c.Number != 2 || c.DocumentName != "Acme Proposal.pdf" || *c.PageNumber != 14 || c.CharStart != 3450 || c.CharEnd != 3892 || c.Confidence != .85 {
		t.Errorf("citation %+v", c)
	}
	if a.ResultCount != 6 || a.Results[0].CollectionName != "Name of coll_test" {
		t.Errorf("results %+v", a.Results)
	}
	prompt := string(up.Last().Body)
	if !strings.Contains(prompt, `"temperature":0.3`) || !strings.Contains(prompt, `"max_tokens":500`) || !strings.Contains(prompt, "[5] (Source:") || strings.Contains(prompt, "[6] (Source:") {
		t.Errorf("the model got %s", prompt)
	}
}

func TestA7AFailingModelLeavesTheResults(t *testing.T) {
	for name, script := range map[string]upstreamtest.Script{
		"unavailable": upstreamtest.Status(503, `{}`), "rate limit": upstreamtest.Status(429, `{}`), "cut": upstreamtest.Close(), "empty": upstreamtest.JSON(modelSays("")),
		"timeout": upstreamtest.Hang(),
	} {
		f, _ := searchFixture(t, `{"search_timeout_seconds":1}`, searchHits(.9), script)
		resp, body := f.search("", asked)
		a := decodeAnswer(t, body)
		if resp.StatusCode != 200 || a.Answer != "" || len(a.Citations) != 0 || a.Confidence != 0 || a.ResultCount != 1 ||
			a.Message != "Answer synthesis temporarily unavailable. Showing search results only." {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
}

func TestAnAnswerBehindAByteOrderMarkIsRead(t *testing.T) {
	f, _ := searchFixture(t, `{}`, searchHits(.9), upstreamtest.JSON("\ufeff"+modelSays("Yes [1].")))
	if _, body := f.search("", asked); decodeAnswer(t, body).Answer != "Yes [1]." {
		t.Error(body)
	}
}

// A number without a source takes nothing from the other markers, in an answer as a whole
// as in a stream of it.
func TestK1AnOrphanLeavesTheOtherCitations(t *testing.T) {
	for _, policy := range []string{"drop", "disclaim", "error"} {
		f, _ := searchFixture(t, `{"orphan_policy":"`+policy+`"}`, searchHits(.9), upstreamtest.JSON(modelSays("Yes [1], no [3].")))
		_, body := f.search("", asked)
		a := decodeAnswer(t, body)
		if a.Answer != "Yes [1], no [3]." || a.AnswerClean != "Yes, no." || len(a.Citations) != 1 || a.Citations[0].Number != 1 || a.Message != "" ||
			!slices.Equal(a.Warnings, []string{"The answer cites [3], but there is no such source."}) {
			t.Errorf("%s: %s", policy, body)
		}
		_, events := f.search("?stream=true", asked)
		if got := strings.Join(names(t, events), " "); got != "status status token citation done" {
			t.Errorf("%s: %s", policy, got)
		}
		var done search.Answer
		_, last, _ := strings.Cut(events[strings.LastIndex(events, "event: done"):], "data: ")
		if err := json.Unmarshal([]byte(last), &done); err != nil || done.Confidence != a.Confidence || done.ConfidenceLevel != a.ConfidenceLevel || done.Message != "" || !slices.Equal(done.Warnings, a.Warnings) {
			t.Errorf("%s: %v, %s of %s", policy, err, last, body)
		}
	}
}

func TestQ1BoundsOfTheQuery(t *testing.T) {
	f, _ := searchFixture(t, `{}`, searchHits(.9), upstreamtest.JSON(modelSays("Yes [1].")))
	for query, want := range map[string]int{"": 400, " ": 400, strings.Repeat("ä", 500): 200, strings.Repeat("ä", 501): 400} {
		if resp, body := f.search("", `{"query":"`+query+`"}`); resp.StatusCode != want {
			t.Errorf("%d characters: %d %s", len([]rune(query)), resp.StatusCode, body)
		}
	}
}

func TestQ2QuickShowsBeginningsAndAsksNoModel(t *testing.T) {
	f, up := searchFixture(t, `{}`, searchHits(.9, .8, .7, .6, .5, .4), upstreamtest.JSON(modelSays("No.")))
	resp, body := f.search("/quick", `{"query":"Which flow?"}`)
	a := decodeAnswer(t, body)
	if resp.StatusCode != 200 || a.ResultCount != 5 || len(a.Results) != 5 || len(a.Results[0].Excerpt) != 103 || up.Count() != 0 {
		t.Errorf("%d %s, %d calls", resp.StatusCode, body, up.Count())
	}
}

func TestQ3AnInvisibleCollectionLooksAbsent(t *testing.T) {
	f, _ := searchFixture(t, `{}`, searchHits(.9), upstreamtest.JSON(modelSays("No.")))
	f.retrieve = func(context.Context, retrieval.Query) (retrieval.Result, error) {
		t.Error("it was searched")
		return retrieval.Result{}, nil
	}
	resp, body := f.search("", `{"query":"Which?","collections":["coll_test","coll_others"]}`)
	if resp.StatusCode != 404 || !strings.Contains(body, `"not_found"`) || strings.Contains(body, "coll_") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestQ4OneCollectionMayFail(t *testing.T) {
	f, _ := searchFixture(t, `{"collections":["coll_b","coll_c"]}`, searchHits(.9), upstreamtest.JSON(modelSays("Yes [1].")))
	failing := []assistants.CollectionID{"coll_b"}
	f.retrieve = func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
		if slices.Contains(failing, q.Collections[0]) {
			return retrieval.Result{}, errors.New("down")
		}
		hit := searchHits(.9)[0]
		hit.Chunk.ID = assistants.ChunkID("chunk_" + q.Collections[0])
		return retrieval.Result{Hits: []assistants.Hit{hit}}, nil
	}
	resp, body := f.search("", `{"query":"Which?"}`)
	if a := decodeAnswer(t, body); resp.StatusCode != 200 || a.ResultCount != 2 || len(a.Warnings) != 1 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	failing = []assistants.CollectionID{"coll_test", "coll_b", "coll_c"}
	if resp, body := f.search("", `{"query":"Which?"}`); resp.StatusCode != 503 || strings.Contains(body, "down") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// names returns the names of the events of a stream, and checks their form (S6).
func names(t *testing.T, body string) (list []string) {
	t.Helper()
	for ev := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		lines := strings.Split(ev, "\n")
		name := strings.TrimPrefix(lines[0], "event: ")
		if len(lines) != 3 || !strings.HasPrefix(lines[1], "id: ") || !strings.HasPrefix(lines[2], `data: {"type":"`+name+`"`) {
			t.Errorf("event %q", ev)
		}
		list = append(list, name)
	}
	return list
}

func TestSearchStreams(t *testing.T) {
	done := `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	for name, test := range map[string]struct {
		hits   []assistants.Hit
		script upstreamtest.Script
		want   string
	}{
		"S1":                       {searchHits(.9), upstreamtest.SSE(delta("OAuth "), delta("2.0 "), delta("[1]"), done, "[DONE]"), "status status token token token citation done"},
		"S2":                       {searchHits(.9), upstreamtest.SSE(delta("[1]"), delta(" and "), delta("[2]"), done, "[DONE]"), "status status token token citation token done"},
		"S3":                       {searchHits(.9), upstreamtest.SSE(delta("["), delta("1"), delta("]"), done, "[DONE]"), "status status token token token citation done"},
		"S4":                       {searchHits(.9), upstreamtest.Status(500, `{}`), "status status error"},
		"a stream of another type": {searchHits(.9), upstreamtest.Status(200, events(delta("OAuth "), delta("[1]"), done, "[DONE]"), "Content-Type: text/plain"), "status status token token citation done"},

		"S5": {nil, upstreamtest.JSON(modelSays("No.")), "status done"},
	} {
		f, _ := searchFixture(t, `{}`, test.hits, test.script)
		for _, asks := range [][]string{{"?stream=true", asked}, {"", strings.Replace(asked, "{", `{"stream":true,`, 1)}, {"", asked, "Accept", "text/event-stream"}} {
			_, body := f.search(asks[0], asks[1], asks[2:]...)
			got := names(t, body)
			// Until the character after it comes, [1] may begin a link such as [1](address).
			if strings.Join(got, " ") != test.want {
				t.Errorf("%s: %v, want %s\n%s", name, got, test.want, body)
			}
			if name == "S4" && !strings.Contains(body, `"code":"SERVICE_ERROR"`) {
				t.Error(body)
			}
		}
	}
}

func TestAStreamIsResumedWithTheRestOfItsEvents(t *testing.T) {
	f, up := searchFixture(t, `{}`, searchHits(.9), upstreamtest.SSE(delta("OAuth "), delta("[1]"), delta("."), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`))
	_, body := f.search("?stream=true", asked)
	whole := strings.SplitAfter(body, "\n\n")
	_, id, _ := strings.Cut(strings.Split(whole[2], "\n")[1], ": ")
	if _, rest := f.search("?stream=true", asked, "Last-Event-ID", id); rest != strings.Join(whole[3:], "") || up.Count() != 1 {
		t.Errorf("after %s: %s, of %s; %d calls", id, rest, body, up.Count())
	}
	for name, other := range map[string][2]string{
		"another query": {strings.Replace(asked, "Which", "What", 1), id},
		"no number":     {asked, "abc"}, "no such stream": {asked, "abc-0"}, "not sent yet": {asked, strings.TrimRight(id, "0123456789") + "99"},
	} {
		resp, refused := f.search("?stream=true", other[0], "Last-Event-ID", other[1])
		if resp.StatusCode != 404 || !strings.Contains(refused, `"code":"not_found"`) || !strings.Contains(refused, "without the header") || up.Count() != 1 {
			t.Errorf("%s: %d %s; %d calls", name, resp.StatusCode, refused, up.Count())
		}
	}
}

func TestAClientThatLeavesEndsTheModelsAnswer(t *testing.T) {
	gone := make(chan struct{})
	up := upstreamtest.New(t, upstreamtest.Stream().Then(upstreamtest.Event(delta("OAuth")), func(c *upstreamtest.Conn) error {
		<-c.Gone()
		close(gone)
		return nil
	}))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), hits: searchHits(.9), searches: search.Timings{Grace: time.Millisecond}})
	ctx, cancel := context.WithCancel(t.Context())
	resp := f.open(f.searchRequest("?stream=true", asked).WithContext(ctx))
	for in := bufio.NewScanner(resp.Body); in.Scan() && in.Text() != "event: token"; {
	}
	cancel()
	_ = resp.Body.Close()
	<-gone
}

func TestSimilarLeavesThePassageOutAndExplainNamesTheWords(t *testing.T) {
	hits := searchHits(.9, .8)
	hits[0].Chunk.Text = "Authentication needs a token."
	f, _ := searchFixture(t, `{}`, hits, upstreamtest.JSON(modelSays("No.")))
	_, body := f.search("/similar", `{"chunk_id":"chunk_0"}`)
	if a := decodeAnswer(t, body); a.Query != "Similar to: Acme Proposal.pdf" || a.ResultCount != 1 || a.Results[0].ChunkID != "chunk_1" {
		t.Error(body)
	}
	_, body = f.search("/explain", `{"query":"Which token?","chunk_id":"chunk_0"}`)
	if !strings.Contains(body, `{"word":"token","char_start":23,"char_end":28}`) || !strings.Contains(body, `"text":0.9`) {
		t.Error(body)
	}
	if resp, body := f.search("/explain", `{"query":"Which token?","chunk_id":"chunk_9"}`); resp.StatusCode != 404 {
		t.Error(resp.StatusCode, body)
	}
}
