package main

import (
	"strings"
	"testing"
)

// Documents of an assistant without retrieval change no answer, so ingest says so.
func TestIngestTellsOfAnAssistantThatDoesNotAnswerFromItsDocuments(t *testing.T) {
	h := newHive(t)
	h.write(h.at("a.txt"), "Wax melts at sixty degrees.")
	p := start(t, h.dir, nil)
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "bees"}, nil); status != 201 {
		t.Fatal(status)
	}
	server := []string{"--url", p.url, "--key", testAdminKey}
	settings := func() (s struct {
		EnableRAG       bool `json:"enable_rag"`
		EnableCitations bool `json:"enable_citations"`
	}) {
		p.json("GET", "/v1.0/assistants/bees/settings", nil, &s)
		return s
	}
	ingest := append([]string{"ingest", "--assistant", "bees", "pr"}, server...)
	stdout, stderr, code := run(t, h.dir, ingest...)
	if code != 0 || !strings.Contains(stdout, "1 ready") || !strings.Contains(stderr, "enable_rag is off. Add --create to switch it on.") || settings().EnableRAG {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	stdout, stderr, code = run(t, h.dir, append(ingest, "--create")...)
	if s := settings(); code != 0 || !strings.Contains(stderr, "Switched on enable_rag") || !s.EnableRAG || !s.EnableCitations {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	if stdout, stderr, code = run(t, h.dir, ingest...); code != 0 || strings.Contains(stderr, "enable_rag") {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	_, stderr, code = run(t, h.dir, append([]string{"ask", "--assistant", "wasps", "When does wax melt?"}, server...)...)
	if code == 0 || !strings.Contains(stderr, `The assistant "wasps" does not exist`) {
		t.Errorf("a wrong assistant: %d %s", code, stderr)
	}
}
