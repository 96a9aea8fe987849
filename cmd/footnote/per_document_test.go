package main

import (
	"fmt"
	"strings"
	"testing"
)

// of counts sources of a document.
func of(name string, names []string) (n int) {
	for _, s := range names {
		if s == name {
			n++
		}
	}
	return n
}

// A document that has more passages on a subject than a search returns leaves places to
// the others, in chats, searches and what retrieve shows.
func TestALongDocumentLeavesPlacesToTheOthers(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	const asked = "When does the harbour ferry leave?"
	settings := map[string]any{"enable_rag": true, "enable_citations": true, "retrieval_score_threshold": 0, "search_mode": "FullText", "retrieval_top_k": 6}
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Ferries", "settings": settings}, nil); code != 201 {
		t.Fatal(code)
	}
	var long strings.Builder
	for i := range 80 {
		fmt.Fprintf(&long, "Quay %d\n\nThe harbour ferry %d does leave, the harbour ferry. %s\n\n", i, i, strings.Repeat(fmt.Sprintf("The harbour ferry of quay %d must leave. ", i), 40))
	}
	p.note("ferries", "long.txt", long.String())
	for i := range 3 {
		p.note("ferries", fmt.Sprintf("notice-%d.txt", i), fmt.Sprintf("Notice %d. Passengers and bicycles: a ferry may leave late in fog, and its fare is then refunded at booth %d.\n", i, i))
	}
	p.documents("ferries")

	type source struct {
		Name string `json:"document_name"`
	}
	names := func(sources []source) (out []string) {
		for _, s := range sources {
			out = append(out, s.Name)
		}
		return out
	}
	shown := func() map[string][]string {
		t.Helper()
		var retrieved struct{ Data []source }
		if code := p.json("POST", "/v1.0/assistants/ferries/retrieve", map[string]any{"query": asked}, &retrieved); code != 200 {
			t.Fatal(code)
		}
		var searched struct{ Results []source }
		if code := p.json("POST", "/v1/search", map[string]any{"query": asked, "assistant": "ferries", "limit": 6}, &searched); code != 200 {
			t.Fatal(code)
		}
		var answer struct{ Citations struct{ Sources []source } }
		chat := map[string]any{"model": "ferries", "messages": []map[string]string{{"role": "user", "content": asked}}}
		if code := p.json("POST", "/v1/chat/completions", chat, &answer); code != 200 {
			t.Fatal(code)
		}
		return map[string][]string{"retrieve": names(retrieved.Data), "search": names(searched.Results), "chat": names(answer.Citations.Sources)}
	}
	for _, step := range []struct {
		most              any
		ofLong, ofNotices int
	}{{2, 2, 3}, {1, 1, 3}, {4, 4, 2}, {50, 6, 0}, {nil, 6, 0}} {
		var saved struct {
			Most *int `json:"max_sources_per_document"`
		}
		if code := p.json("PATCH", "/v1.0/assistants/ferries/settings", map[string]any{"max_sources_per_document": step.most}, &saved); code != 200 {
			t.Fatal(code)
		}
		if (saved.Most == nil) != (step.most == nil) || saved.Most != nil && *saved.Most != step.most {
			t.Errorf("%v was kept as %v", step.most, saved.Most)
		}
		for where, sources := range shown() {
			if n := of("long.txt", sources); n != step.ofLong || len(sources)-n != step.ofNotices {
				t.Errorf("at most %v, %s: %q", step.most, where, sources)
			}
		}
	}
}

func TestAWrongNumberOfSourcesPerDocumentIsNamed(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Ferries"}, nil); code != 201 {
		t.Fatal(code)
	}
	for _, wrong := range []any{-1, 0, 51, 1.5, "2", true} {
		var refused struct {
			Error struct{ Param, Code, Message string }
		}
		if code := p.json("PATCH", "/v1.0/assistants/ferries/settings", map[string]any{"max_sources_per_document": wrong}, &refused); code != 400 ||
			refused.Error.Param != "max_sources_per_document" || refused.Error.Code == "" || !strings.Contains(refused.Error.Message, "max_sources_per_document") {
			t.Errorf("%v: %d %+v", wrong, code, refused)
		}
	}
}

// Boilerplate that stands in every document is one source, and the answer says how often
// it was left out.
func TestBoilerplateOfManyDocumentsIsOneSource(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	settings := map[string]any{"enable_rag": true, "enable_citations": true, "search_mode": "FullText", "retrieval_top_k": 2, "retrieval_score_threshold": 0}
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Ferries", "settings": settings}, nil); code != 201 {
		t.Fatal(code)
	}
	for i := range 4 {
		p.note("ferries", fmt.Sprintf("notice-%d.txt", i), fmt.Sprintf("Passengers board the harbour ferry at their own risk.%s\n", strings.Repeat("\n", i)))
	}
	p.note("ferries", "fares.txt", "A passenger pays nothing on the last ferry of the day.\n")
	p.documents("ferries")
	type trace struct {
		Repeated int `json:"chunks_repeated"`
	}
	var retrieved struct {
		Data      []struct{ Text string }
		Retrieval trace
	}
	const asked = "At whose risk do passengers board the harbour ferry?"
	if code := p.json("POST", "/v1.0/assistants/ferries/retrieve", map[string]any{"query": asked}, &retrieved); code != 200 ||
		len(retrieved.Data) != 2 || retrieved.Data[0].Text == retrieved.Data[1].Text || retrieved.Retrieval.Repeated != 3 {
		t.Errorf("%d %+v", code, retrieved)
	}
	var answer struct{ Retrieval trace }
	chat := map[string]any{"model": "ferries", "messages": []map[string]string{{"role": "user", "content": asked}}}
	if code := p.json("POST", "/v1/chat/completions", chat, &answer); code != 200 || answer.Retrieval.Repeated != 3 {
		t.Errorf("the answer: %d %+v", code, answer)
	}
}
