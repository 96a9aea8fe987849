package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/search"
	"footnote/proxy/upstream/upstreamtest"
)

// hitIn is a hit in a collection.
func hitIn(collection assistants.CollectionID, score float64) assistants.Hit {
	hit := searchHits(score)[0]
	hit.Chunk.ID, hit.Document.CollectionID = assistants.ChunkID("chunk_"+collection), collection
	return hit
}

// withoutRequestID takes the request's id out of a body, which is all that may differ.
func withoutRequestID(resp *http.Response, body string) string {
	return strings.ReplaceAll(body, resp.Header.Get("X-Request-Id"), "")
}

// Q3: the answers for a collection of others and for none at all are the same.
func TestQ3AnInvisibleAndAnAbsentCollectionHaveTheSameAnswer(t *testing.T) {
	others := assistants.Assistant{ID: "asst_others", TenantID: assistants.DefaultTenant, Slug: "others", CollectionID: "coll_others", Settings: assistants.DefaultSettings()}
	up := upstreamtest.New(t)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), hits: searchHits(.9), others: []assistants.Assistant{others}})
	key := f.keys.add(func(k *assistants.Key) {
		k.Scopes, k.Assistants = []assistants.Scope{assistants.ScopeSearch}, []assistants.AssistantID{assistantID}
	})
	if resp, body := f.search("/quick", `{"query":"Which?","collections":["coll_others"]}`); resp.StatusCode != 200 {
		t.Fatalf("a key that sees all: %d %s", resp.StatusCode, body)
	}
	var bodies []string
	for _, path := range []string{"", "/quick"} {
		for _, id := range []string{"coll_others", "coll_nowhere"} {
			resp, body := f.search(path, `{"query":"Which?","collections":["`+id+`"]}`, "Authorization", "Bearer "+key)
			if resp.StatusCode != 404 {
				t.Errorf("%s of %s: %d %s", path, id, resp.StatusCode, body)
			}
			bodies = append(bodies, withoutRequestID(resp, body))
		}
	}
	if bodies = slices.Compact(bodies); len(bodies) != 1 {
		t.Errorf("answers differ: %q", bodies)
	}
}

// Q4: collections are searched at the same time: each waits here until all have begun.
func TestQ4CollectionsAreSearchedInParallel(t *testing.T) {
	f, _ := searchFixture(t, `{"collections":["coll_b","coll_c"]}`, nil)
	var begun sync.WaitGroup
	begun.Add(3)
	f.retrieve = func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
		begun.Done()
		all := make(chan struct{})
		go func() { begun.Wait(); close(all) }()
		select {
		case <-all:
		case <-ctx.Done():
			return retrieval.Result{}, ctx.Err()
		}
		score := map[assistants.CollectionID]float64{"coll_test": .5, "coll_b": .9, "coll_c": .7}[q.Collections[0]]
		return retrieval.Result{Hits: []assistants.Hit{hitIn(q.Collections[0], score)}}, nil
	}
	_, body := f.search("/quick", `{"query":"Which?"}`)
	var order []string
	for _, r := range decodeAnswer(t, body).Results {
		order = append(order, r.CollectionID)
	}
	if strings.Join(order, " ") != "coll_b coll_c coll_test" {
		t.Errorf("order by score: %v, %s", order, body)
	}
}

// Q4: two assistants read one collection through filters of their own, so it is searched
// twice. What one of the searches finds is not lost when the other one fails.
func TestQ4ACollectionOfWhichAPartFailsKeepsItsResults(t *testing.T) {
	filtered := func(tag string) assistants.Settings {
		return mergeSettings(t, []byte(`{"retrieval_label_filter":{"required":["`+tag+`"]}}`))
	}
	second := assistants.Assistant{ID: "asst_second", TenantID: assistants.DefaultTenant, Slug: "second", CollectionID: "coll_test", Settings: filtered("b")}
	up := upstreamtest.New(t)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: filtered("a"), others: []assistants.Assistant{second}})
	failing := func(q retrieval.Query) bool { return slices.Contains(q.Filter.Labels.Required, "b") }
	f.retrieve = func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
		if failing(q) {
			return retrieval.Result{}, errors.New("down")
		}
		return retrieval.Result{Hits: []assistants.Hit{hitIn("coll_test", .9)}}, nil
	}
	resp, body := f.search("/quick", `{"query":"Which?"}`)
	if a := decodeAnswer(t, body); resp.StatusCode != 200 || a.ResultCount != 1 || len(a.Warnings) != 1 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	failing = func(retrieval.Query) bool { return true }
	if resp, body := f.search("/quick", `{"query":"Which?"}`); resp.StatusCode != 503 {
		t.Errorf("all fail: %d %s", resp.StatusCode, body)
	}
}

// Q4: a collection whose search panics fails alone, and does not end the program.
func TestQ4ACollectionWhoseSearchPanicsFailsAlone(t *testing.T) {
	f, _ := searchFixture(t, `{"collections":["coll_b"]}`, nil)
	broken := []assistants.CollectionID{"coll_b"}
	f.retrieve = func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
		if slices.Contains(broken, q.Collections[0]) {
			panic("internal text")
		}
		return retrieval.Result{Hits: []assistants.Hit{hitIn(q.Collections[0], .9)}}, nil
	}
	resp, body := f.search("/quick", `{"query":"Which?"}`)
	if a := decodeAnswer(t, body); resp.StatusCode != 200 || a.ResultCount != 1 || len(a.Warnings) != 1 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	broken = append(broken, "coll_test")
	if resp, body := f.search("/quick", `{"query":"Which?"}`); resp.StatusCode != 503 || strings.Contains(body, "internal text") {
		t.Errorf("all panic: %d %s", resp.StatusCode, body)
	}
}

// auditLog keeps events in memory.
type auditLog struct {
	noted  chan struct{} // gets a value for each event; nil: nothing waits for them
	mu     sync.Mutex
	events []assistants.AuditEvent
}

// Record notes an event.
func (l *auditLog) Record(e assistants.AuditEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	if l.noted != nil {
		l.noted <- struct{}{}
	}
}

func (l *auditLog) last() assistants.AuditEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) == 0 {
		return assistants.AuditEvent{}
	}
	return l.events[len(l.events)-1]
}

// D40: every search is in the audit log, with empty results and with errors as well.
func TestD40EverySearchIsAudited(t *testing.T) {
	ok := func(context.Context, retrieval.Query) (retrieval.Result, error) {
		return retrieval.Result{Hits: searchHits(.9)}, nil
	}
	none := func(context.Context, retrieval.Query) (retrieval.Result, error) { return retrieval.Result{}, nil }
	down := func(context.Context, retrieval.Query) (retrieval.Result, error) {
		return retrieval.Result{}, errors.New("down")
	}
	for name, test := range map[string]struct {
		path, body string
		retrieve   func(context.Context, retrieval.Query) (retrieval.Result, error)
		want       assistants.AuditEvent
	}{
		"search":        {"", `{"query":"Which flow?"}`, ok, assistants.AuditEvent{Query: "Which flow?", Results: 1, Status: 200}},
		"a stream":      {"?stream=true", `{"query":"Which flow?"}`, ok, assistants.AuditEvent{Query: "Which flow?", Results: 1, Status: 200}},
		"quick":         {"/quick", `{"query":"Which flow?"}`, ok, assistants.AuditEvent{Query: "Which flow?", Results: 1, Status: 200}},
		"similar":       {"/similar", `{"chunk_id":"chunk_0"}`, ok, assistants.AuditEvent{Query: "Similar to: Acme Proposal.pdf", Status: 200}},
		"explain":       {"/explain", `{"query":"Which flow?","chunk_id":"chunk_0"}`, ok, assistants.AuditEvent{Query: "Which flow?", Results: 1, Status: 200}},
		"no result":     {"", `{"query":"Which flow?"}`, none, assistants.AuditEvent{Query: "Which flow?", Status: 200}},
		"an error":      {"/quick", `{"query":"Which flow?"}`, down, assistants.AuditEvent{Query: "Which flow?", Status: 503, Code: "retrieval_unavailable"}},
		"a stream's":    {"?stream=true", `{"query":"Which flow?"}`, down, assistants.AuditEvent{Query: "Which flow?", Status: 503, Code: "retrieval_unavailable"}},
		"bad input":     {"/quick", `{"query":""}`, ok, assistants.AuditEvent{Status: 400, Code: "invalid_value"}},
		"an invisible":  {"", `{"query":"Which flow?","collections":["coll_x"]}`, ok, assistants.AuditEvent{Query: "Which flow?", Status: 404, Code: "not_found"}},
		"without scope": {"", `{"query":"Which flow?"}`, ok, assistants.AuditEvent{Status: 403, Code: "permission_denied"}},
	} {
		t.Run(name, func(t *testing.T) {
			log := &auditLog{}
			up := upstreamtest.New(t, upstreamtest.JSON(modelSays("Secret answer [1].")))
			f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), hits: searchHits(.9), retrieve: test.retrieve, audit: log})
			var header []string
			if name == "without scope" {
				header = []string{"Authorization", "Bearer " + f.keys.add(func(*assistants.Key) {})}
			}
			f.search(test.path, test.body, header...)
			if err := f.front.Shutdown(t.Context()); err != nil { // the event may come behind the answer
				t.Fatal(err)
			}
			e := log.last()
			if len(log.events) != 1 || e.Action != "search" || e.Query != test.want.Query || e.Results != test.want.Results || e.Status != test.want.Status || e.Code != test.want.Code {
				t.Errorf("%d events, %+v, want %+v", len(log.events), e, test.want)
			}
			if e.Status == 200 && (len(e.Collections) != 1 || e.Took <= 0) {
				t.Errorf("collections and duration of %+v", e)
			}
		})
	}
}

// D28: the log has one line for a search, with these keys, and no word of question or answer.
func TestD28TheLogHasALineForEachSearch(t *testing.T) {
	log := &lockedLog{}
	up := upstreamtest.New(t, upstreamtest.JSON(modelSays("OAuth [1].")))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), hits: searchHits(.9), log: log})
	f.search("", asked)
	var lines []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "msg=search_completed") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 {
		t.Fatalf("%q", lines)
	}
	for _, want := range []string{" query_length=11 ", " kb_count=1 ", " result_count=1 ", " citation_count=1 ", " confidence=0.72 ", " latency_ms=", " cached=false"} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("no %q in %s", want, lines[0])
		}
	}
	if strings.Contains(lines[0], "OAuth") || strings.Contains(lines[0], "flow") {
		t.Error(lines[0])
	}
}

// While the model is silent, comments keep the connection alive.
func TestASearchStreamIsKeptAlive(t *testing.T) {
	heard := make(chan struct{})
	up := upstreamtest.New(t, upstreamtest.Stream().Then(upstreamtest.Event(delta("OAuth")), func(c *upstreamtest.Conn) error {
		select {
		case <-heard:
		case <-c.Gone():
		}
		return nil
	}, upstreamtest.Event(delta(".")), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), hits: searchHits(.9), searches: search.Timings{KeepAlive: time.Millisecond}})
	resp := f.open(f.searchRequest("?stream=true", asked))
	var last string
	told := sync.OnceFunc(func() { close(heard) })
	defer told()
	for in := bufio.NewScanner(resp.Body); in.Scan(); {
		if strings.HasPrefix(in.Text(), ":") {
			told()
		}
		if name, ok := strings.CutPrefix(in.Text(), "event: "); ok {
			last = name
		}
	}
	if err := resp.Body.Close(); err != nil || last != "done" {
		t.Errorf("the last event is %q, %v", last, err)
	}
	select {
	case <-heard:
	default:
		t.Error("no comment came")
	}
}

// A stream that another key resumes is not there for it.
func TestAStreamIsNotResumedWithAnotherKey(t *testing.T) {
	f, up := searchFixture(t, `{}`, searchHits(.9), upstreamtest.SSE(delta("OAuth "), delta("[1]"), delta("."), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`))
	key := f.keys.add(func(k *assistants.Key) {
		k.ID, k.Scopes = "key_other", []assistants.Scope{assistants.ScopeSearch}
		k.Assistants = []assistants.AssistantID{assistantID}
	})
	_, body := f.search("?stream=true", asked)
	_, id, _ := strings.Cut(strings.Split(body, "\n")[1], ": ")
	if resp, other := f.search("?stream=true", asked, "Last-Event-ID", id, "Authorization", "Bearer "+key); up.Count() != 1 || resp.StatusCode != 404 {
		t.Errorf("%d calls, %d %s", up.Count(), resp.StatusCode, other)
	}
}

// A client that reads too slowly for the buffer is told that events are gone: it gets
// those before the gap in order, then an error.
func TestASlowReaderOfAStreamIsToldWhatItMissed(t *testing.T) {
	const pieces = 250_000 // whose events exceed what the connection and the buffer hold
	many := strings.Repeat("data: "+delta("a")+"\n\n", pieces)
	up := upstreamtest.New(t, upstreamtest.Stream().Then(upstreamtest.Chunk(many), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()))
	log := &auditLog{noted: make(chan struct{}, 1)}
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), hits: searchHits(.9), audit: log})
	resp := f.open(f.searchRequest("?stream=true", asked))
	<-log.noted // the whole answer is made
	in, next, last := bufio.NewScanner(resp.Body), 0, ""
	for in.Scan() {
		if name, ok := strings.CutPrefix(in.Text(), "event: "); ok {
			last = name
		}
		if id, ok := strings.CutPrefix(in.Text(), "id: "); ok {
			if _, number, _ := strings.Cut(id, "-"); number != strconv.Itoa(next) {
				t.Fatalf("event %s, want number %d", id, next)
			}
			next++
		}
	}
	if err := errors.Join(in.Err(), resp.Body.Close()); err != nil || last != "error" || next >= pieces {
		t.Errorf("the last of %d events is %q, %v", next, last, err)
	}
}
