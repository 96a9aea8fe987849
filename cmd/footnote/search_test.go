package main

import (
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
