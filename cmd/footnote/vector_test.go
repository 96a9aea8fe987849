package main

import (
	"encoding/json"
	"strings"
	"testing"

	"footnote/proxy/upstream/extractive"
)

// Without an embedder search_mode Vector is stored and warned of; chats say that
// nothing could be searched and what helps, and not that nothing was found.
func TestVectorSearchWithoutAnEmbedderSaysSo(t *testing.T) {
	p := startWithBees(t)
	var saved struct {
		Mode     string `json:"search_mode"`
		Warnings []string
	}
	if code := p.json("PATCH", "/v1.0/assistants/bees/settings", map[string]any{"search_mode": "Vector"}, &saved); code != 200 || saved.Mode != "Vector" ||
		len(saved.Warnings) != 1 || !strings.Contains(saved.Warnings[0], "`footnote model import`") {
		t.Errorf("%d %+v", code, saved)
	}
	ask := func(stream string) string {
		return p.raw("/v1/chat/completions", `{"model":"bees","stream":`+stream+`,"messages":[{"role":"user","content":"How much honey does a colony need?"}]}`)
	}
	var got struct {
		Choices   []struct{ Message struct{ Content string } }
		Citations struct {
			Status   string
			Warnings []string
		}
	}
	if err := json.Unmarshal([]byte(ask("false")), &got); err != nil || got.Citations.Status != "unavailable" || len(got.Citations.Warnings) != 1 ||
		!strings.Contains(got.Citations.Warnings[0], "FOOTNOTE_EMBEDDING_URL") || got.Choices[0].Message.Content != extractive.Unsearched {
		t.Errorf("%v %+v", err, got)
	}
	if stream := ask("true"); strings.Contains(stream, "could not find") || !strings.Contains(stream, "FOOTNOTE_EMBEDDING_URL") || !strings.Contains(stream, "could") {
		t.Error(stream)
	}
	if code := p.json("PATCH", "/v1.0/assistants/bees/settings", map[string]any{"search_mode": "Hybrid"}, &saved); code != 200 {
		t.Fatal(code)
	}
	got.Citations.Warnings = nil
	if err := json.Unmarshal([]byte(ask("false")), &got); err != nil || got.Citations.Status != "cited" || len(got.Citations.Warnings) != 0 {
		t.Errorf("%v %+v", err, got)
	}
}
