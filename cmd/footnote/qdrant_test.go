package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"footnote/storage/vector/qdranttest"
)

// The whole program with its index on Qdrant: documents are found and cited;
// with the server away answers go on without sources or fail, as the assistant
// is set, and it comes back by itself; what the server lost is put back.
func TestTheIndexMayBeOnQdrant(t *testing.T) {
	t.Parallel()
	q := qdranttest.New(t)
	q.RequireKey("the-key-of-qdrant")
	url := fmt.Sprintf("FOOTNOTE_VECTOR_URL=qdrant://127.0.0.1:%d?api_key=the-key-of-qdrant&collection_prefix=test_", q.Port)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bees.md"), []byte("# Honey\n\nA colony needs 20 kg of honey to come through the winter.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, nil, url)
	defer p.kill()
	if _, stderr, code := run(t, dir, "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "bees", "--create", "bees.md"); code != 0 {
		t.Fatal(stderr)
	}
	ask := func(p *process) (int, string) {
		t.Helper()
		code, raw, err := p.exchange(http.MethodPost, "/v1/chat/completions", "application/json",
			strings.NewReader(`{"model":"bees","messages":[{"role":"user","content":"How much honey does a colony need?"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Citations struct{ Status string } }
		_ = json.Unmarshal(raw, &got) // an error has no citations
		if strings.Contains(string(raw), "qdrant") || strings.Contains(string(raw), "power cut") {
			t.Errorf("internal words leave the server: %s", raw)
		}
		return code, got.Citations.Status
	}
	expect := func(p *process, code int, citations string) {
		t.Helper()
		if gotCode, got := ask(p); gotCode != code || got != citations {
			t.Errorf("%d %q, want %d %q\n%s", gotCode, got, code, citations, p.stderr)
		}
	}
	expect(p, 200, "cited")
	for _, code := range []codes.Code{codes.Unauthenticated, codes.PermissionDenied, codes.Unavailable, codes.Internal} {
		q.Before(func(context.Context, string) error { return status.Error(code, "power cut") })
		expect(p, 200, "unavailable")
	}
	q.Before(func(ctx context.Context, _ string) error { // silent
		<-ctx.Done()
		return ctx.Err()
	})
	expect(p, 200, "unavailable")
	if code := p.json(http.MethodPatch, "/v1.0/assistants/bees/settings", map[string]string{"on_retrieval_error": "fail"}, nil); code != 200 {
		t.Fatal(code)
	}
	expect(p, 503, "")
	q.Before(nil)
	expect(p, 200, "cited")
	q.Before(func(context.Context, string) error { return status.Error(codes.NotFound, "power cut") }) // as if all were lost
	expect(p, 503, "")
	q.Before(nil)
	eventually(t, "it is ready again", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	expect(p, 200, "cited")
	p.kill()
	if strings.Contains(p.stderr.String(), "the-key-of-qdrant") {
		t.Error("the key is in the log")
	}

	q.Lose("test_words", func(map[string]*qdrant.Value) bool { return true })
	p = start(t, dir, nil, url)
	defer p.kill()
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	expect(p, 200, "cited")
}

// A server that answers with another assistant's passages, and says that they
// are the asker's, gets none of them into an answer: the database knows better,
// and the log tells.
func TestPassagesThatQdrantTakesFromOthersAreDropped(t *testing.T) {
	q := qdranttest.New(t)
	dir := t.TempDir()
	p := start(t, dir, nil, fmt.Sprintf("FOOTNOTE_VECTOR_URL=qdrant://127.0.0.1:%d", q.Port))
	for name, text := range map[string]string{"bees": "A colony needs 20 kg of honey.", "wasps": "A colony needs 99 tons of honey, which is a secret."} {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := run(t, dir, "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", name, "--create", name+".md"); code != 0 {
			t.Fatal(stderr)
		}
	}
	ask := func(assistant string) string {
		return p.raw("/v1/chat/completions", `{"model":"`+assistant+`","messages":[{"role":"user","content":"How much honey does a colony need?"}]}`) +
			p.raw("/v1.0/assistants/"+assistant+"/retrieve", `{"query":"How much honey does a colony need?"}`)
	}
	var mu sync.Mutex
	var foreign *qdrant.ScoredPoint
	q.Lie(func(point *qdrant.ScoredPoint) {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := point.Payload["chunk"]; ok {
			foreign = &qdrant.ScoredPoint{Payload: maps.Clone(point.Payload), Vectors: point.Vectors}
		}
	})
	if got := ask("wasps"); !strings.Contains(got, "99 tons") || foreign == nil {
		t.Fatalf("%v, %s", foreign, got)
	}
	lies := 0
	q.Lie(func(point *qdrant.ScoredPoint) {
		mu.Lock()
		defer mu.Unlock()
		if of, ok := point.Payload["collection"]; ok {
			point.Payload, point.Vectors = maps.Clone(foreign.Payload), foreign.Vectors
			point.Payload["collection"] = of
			lies++
		}
	})
	if got := ask("bees"); strings.Contains(got, "99 tons") || strings.Contains(got, "wasps") || !strings.Contains(got, `"no_sources"`) || !strings.Contains(got, `"sources":[]`) {
		t.Error(got)
	}
	q.Lie(nil)
	if got := ask("bees"); !strings.Contains(got, "20 kg") {
		t.Errorf("afterwards: %s", got)
	}
	p.kill()
	document := foreign.Payload["document"].GetStringValue()
	if log := p.stderr.String(); lies == 0 || strings.Count(log, "security: ") < 2 || !strings.Contains(log, document) {
		t.Errorf("%d lies about %s, and the log has\n%s", lies, document, log)
	}
}

// A server that lost everything must not look like one that finds nothing: the
// program is unready and unsearched until the index is built again, at once.
func TestAnIndexThatQdrantHasLostIsBuiltAgainAtOnce(t *testing.T) {
	t.Parallel()
	q := qdranttest.New(t)
	p := start(t, t.TempDir(), nil, fmt.Sprintf("FOOTNOTE_VECTOR_URL=qdrant://127.0.0.1:%d", q.Port))
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "bees", "settings": map[string]any{"enable_rag": true, "enable_citations": true}}, nil); code != 201 {
		t.Fatal(code)
	}
	if _, code := p.note("bees", "bees.txt", "A colony needs 20 kg of honey to come through the winter."); code >= 300 {
		t.Fatal(code)
	}
	p.documents("bees")
	status := func() string {
		var answer chatAnswer
		question := map[string]any{"model": "bees", "messages": []map[string]string{{"role": "user", "content": "How much honey does a colony need?"}}}
		if code := p.json("POST", "/v1/chat/completions", question, &answer); code != 200 || answer.Citations == nil {
			t.Fatalf("%d %+v", code, answer)
		}
		return answer.Citations.Status
	}
	if got := status(); got != "cited" {
		t.Fatal(got)
	}
	q.Wipe()
	seen := map[string]bool{}
	eventually(t, "it is cited again", func() bool {
		got := status()
		seen[got] = true
		return got == "cited"
	})
	if seen["no_sources"] || seen["none"] {
		t.Errorf("meanwhile it answered %v", seen)
	}
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	if log := p.stderr.String(); !strings.Contains(log, "has lost the index") {
		t.Error(log)
	}
}

// Two installations that are given the same collections by mistake: the second
// does not start, and the first keeps its documents.
func TestASecondInstallationDoesNotTakeTheCollectionsOver(t *testing.T) {
	t.Parallel()
	q := qdranttest.New(t)
	url := fmt.Sprintf("FOOTNOTE_VECTOR_URL=qdrant://127.0.0.1:%d", q.Port)
	dir := t.TempDir()
	p := start(t, dir, nil, url)
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "bees"}, nil); code != 201 {
		t.Fatal(code)
	}
	if _, code := p.note("bees", "bees.txt", "A colony needs 20 kg of honey to come through the winter."); code >= 300 {
		t.Fatal(code)
	}
	p.documents("bees")
	p.stop(os.Interrupt)
	points := func() int { return q.Points("footnote_documents") + q.Points("footnote_words") }
	before := points()

	second := t.TempDir()
	_, stderr, code := runIn(t, second, []string{url, "FOOTNOTE_ADMIN_KEY=" + testAdminKey}, "serve", "--data-dir", second)
	if code != 1 || !strings.Contains(stderr, "belong to another installation") || !strings.Contains(stderr, "collection_prefix") {
		t.Errorf("%d %s", code, stderr)
	}
	_, stderr, code = runIn(t, second, []string{url}, "check", "--data-dir", second)
	if code != 1 || !strings.Contains(stderr, "belong to another installation") {
		t.Errorf("check: %d %s", code, stderr)
	}
	calls := q.Calls("Upsert") + q.Calls("Delete") + q.Calls("CreateFieldIndex")
	if stdout, stderr, code := runIn(t, dir, []string{url}, "check", "--deep", "--data-dir", dir); code != 0 {
		t.Errorf("check of its own: %d %s %s", code, stdout, stderr)
	}
	if now := q.Calls("Upsert") + q.Calls("Delete") + q.Calls("CreateFieldIndex"); now != calls || points() != before {
		t.Errorf("check made %d writes; %d points, before %d", now-calls, points(), before)
	}
	other := start(t, second, nil, url+"?collection_prefix=second_")
	eventually(t, "another prefix works", func() bool { return other.request("GET", "/readyz", "", nil, nil) == 200 })
}
