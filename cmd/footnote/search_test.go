package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// A search of the demo is answered from its documents, cites the page, and is in the
// audit log without its answer.
func TestTheDemoAnswersSearches(t *testing.T) {
	p := demoServer(t)
	var answer struct {
		Answer    string
		Citations []struct {
			Number       int
			DocumentName string `json:"document_name"`
			PageNumber   int    `json:"page_number"`
		}
		Results []struct {
			ChunkID string `json:"chunk_id"`
		}
	}
	ask := map[string]any{"query": "How many vacation days do I get per year?", "assistant": "handbook"}
	if code := p.json("POST", "/v1/search", ask, &answer); code != 200 || !strings.Contains(answer.Answer, "[1]") || len(answer.Citations) == 0 || answer.Citations[0].PageNumber == 0 {
		t.Fatalf("%d %+v", code, answer)
	}
	chunk := answer.Results[0].ChunkID
	for path, body := range map[string]any{
		"quick": map[string]any{"query": "vacation days"}, "similar": map[string]any{"chunk_id": chunk}, "explain": map[string]any{"query": "vacation days", "chunk_id": chunk},
	} {
		if code := p.json("POST", "/v1/search/"+path, body, nil); code != 200 {
			t.Errorf("%s: %d", path, code)
		}
	}
	var log struct{ Data []map[string]any }
	if code := p.json("GET", "/v1.0/audit?action=search", nil, &log); code != 200 || len(log.Data) != 4 {
		t.Errorf("%d, events %v", code, log.Data)
	}
}

// A new key may search 30 times a minute; the 31st search is refused, and says when to
// come back. What was searched for is in the audit log as data, with both outcomes.
func TestTheThirtyFirstSearchOfAMinuteIsRefused(t *testing.T) {
	p := demoServer(t)
	key := p.searchKey()
	const query = `<script>alert("31")</script>'; DROP TABLE audit_events; --`
	quick := func() *http.Response {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, p.url+"/v1/search/quick", strings.NewReader(`{"query":`+quoted(query)+`}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		return resp
	}
	for n := range 31 {
		resp := quick()
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		want := 200
		if n == 30 {
			want = 429
			if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 60 {
				t.Errorf("Retry-After: %q", resp.Header.Get("Retry-After"))
			}
		}
		if resp.StatusCode != want {
			t.Fatalf("search %d: %d", n+1, resp.StatusCode)
		}
	}
	var log struct{ Data []map[string]any }
	eventually(t, "all searches are in the audit log", func() bool {
		return p.request("GET", "/v1.0/audit?action=search&limit=100", "", nil, &log) == 200 && len(log.Data) == 31
	})
	for _, e := range log.Data {
		if e["query"] != query {
			t.Fatalf("an event: %v", e)
		}
	}
}
