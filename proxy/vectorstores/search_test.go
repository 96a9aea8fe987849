package vectorstores

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestASearchAnswersWithPassagesAndIsNoted(t *testing.T) {
	w := newWorld(t)
	store := w.vectorStore("store")
	w.caller.Key.Scopes = []assistants.Scope{assistants.ScopeSearch} // enough, where the finder sees the store
	w.hits = []assistants.Hit{
		{Score: 0.9, Document: assistants.Document{ID: "doc_a", Name: "a.pdf", Tags: map[string]string{"year": "2026"}}, Chunk: assistants.Chunk{ID: "chunk_a", Text: "One.", TableHeader: "Head"}},
		{Score: 0.5, Document: assistants.Document{ID: "doc_b", Name: "b.pdf"}, Chunk: assistants.Chunk{ID: "chunk_b", Text: "Two."}},
	}
	got := w.ask(200, "POST", "/vector_stores/"+store+"/search", `{"query":[" one ","two"],"max_num_results":2,"ranking_options":{"ranker":"auto","score_threshold":0.4},"rewrite_query":false}`)
	want := object{
		"object": "vector_store.search_results.page", "search_query": []any{"one", "two"}, "has_more": false, "next_page": nil,
		"data": []any{
			map[string]any{"file_id": "doc_a", "filename": "a.pdf", "score": 0.9, "attributes": map[string]any{"year": "2026"}, "content": []any{map[string]any{"type": "text", "text": "Head\nOne."}}},
			map[string]any{"file_id": "doc_b", "filename": "b.pdf", "score": 0.5, "attributes": map[string]any{}, "content": []any{map[string]any{"type": "text", "text": "Two."}}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if q := w.asked; string(q.Collection) != store || q.Limit != 2 || q.Threshold != 0.4 || !slices.Equal(q.Texts, []string{"one", "two"}) || len(q.Any) != 1 || !q.Any[0].IsZero() {
		t.Errorf("asked for %+v", q)
	}
	e := w.events[len(w.events)-1]
	if e.Action != assistants.AuditSearch || e.Query != "one\ntwo" || e.Results != 2 || len(e.Documents) != 2 || len(e.Collections) != 1 || e.Fields != nil || e.Status != 200 {
		t.Errorf("noted: %+v", e)
	}
	w.caller.Key.Scopes = []assistants.Scope{assistants.ScopeChat}
	w.ask(403, "POST", "/vector_stores/"+store+"/search", `{"query":"one"}`)
}

func TestSearchesAreRefused(t *testing.T) {
	w := newWorld(t)
	path := "/vector_stores/" + w.vectorStore("store") + "/search"
	w.ask(200, "POST", path, `{"query":"`+strings.Repeat("é", maxQuery)+`"}`)
	for body, want := range map[string][2]string{
		`{}`: {"missing_required_parameter", "query"}, `{"query":""}`: {"invalid_value", "query"}, `{"query":" "}`: {"invalid_value", "query"},
		`{"query":[]}`: {"invalid_value", "query"}, `{"query":[null]}`: {"invalid_type", "query"}, `{"query":null}`: {"invalid_value", "query"}, `{"query":7}`: {"invalid_type", "query"},
		`{"query":"` + strings.Repeat("é", maxQuery+1) + `"}`:         {"invalid_value", "query"},
		`{"query":["` + strings.Repeat(`a","`, maxQueries) + `a"]}`:   {"invalid_value", "query"},
		`{"query":"a","max_num_results":0}`:                           {"invalid_value", "max_num_results"},
		`{"query":"a","max_num_results":51}`:                          {"invalid_value", "max_num_results"},
		`{"query":"a","rewrite_query":true}`:                          {"unsupported_parameter", "rewrite_query"},
		`{"query":"a","ranking_options":{"ranker":"mine"}}`:           {"invalid_value", "ranking_options.ranker"},
		`{"query":"a","ranking_options":{"score_threshold":1.1}}`:     {"invalid_value", "ranking_options.score_threshold"},
		`{"query":"a","ranking_options":{"hybrid_search":{}}}`:        {"unsupported_parameter", "ranking_options.hybrid_search"},
		`{"query":"a","filters":{"type":"like","key":"k","value":1}}`: {"invalid_value", "filters.type"},
	} {
		if code, param := w.ask(400, "POST", path, body).fault(); code != want[0] || param != want[1] {
			t.Errorf("%.80s: %s %s, want %v", body, code, param, want)
		}
	}
}

func TestFiltersAreRefused(t *testing.T) {
	w := newWorld(t)
	path := "/vector_stores/" + w.vectorStore("store") + "/search"
	one := `{"type":"eq","key":"k","value":1}`
	deep := one
	for range 4 {
		deep = `{"type":"and","filters":[` + deep + `]}`
	}
	either := `{"type":"in","key":"k","value":[1,2,3]}`
	for filter, param := range map[string]string{
		`[]`: "filters", `{}`: "filters.type", `{"type":"eq"}`: "filters.key", `{"type":"eq","key":"k"}`: "filters.value", `{"type":"eq","key":"k","value":[1]}`: "filters.value",
		`{"type":"eq","key":"","value":1}`: "filters.key", `{"type":"gt","key":"k","value":""}`: "filters.value", `{"type":"in","key":"k","value":1}`: "filters.value",
		`{"type":"in","key":"k","value":[[]]}`: "filters.value", `{"type":"in","key":"k","value":[1,2,3,4,5,6,7,8,9]}`: "filters",
		`{"type":"eq","key":"k","value":1,"filters":[]}`: "filters.filters", `{"type":"and","filters":[]}`: "filters", `{"type":"or","key":"k","filters":[` + one + `]}`: "filters",
		`{"type":"and","filters":[{"type":"eq"}]}`: "filters.filters[0].key", `{"type":"and","filters":[` + either + `,` + either + `]}`: "filters",
		deep: "filters" + strings.Repeat(".filters[0]", 3), `{"type":"eq","key":"k","value":1,"x":1}`: "filters.x",
		`{"type":"eq","key":"k","value":"a\u0000"}`: "filters.value",
	} {
		if code, got := w.ask(400, "POST", path, `{"query":"a","filters":`+filter+`}`).fault(); got != param || code == "" {
			t.Errorf("%s: %s %q, want %q", filter, code, got, param)
		}
	}
}
