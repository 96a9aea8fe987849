package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

type addedSynonym struct {
	Phrase string
	Added  []string
}

type foundPassage struct {
	Chunk string `json:"chunk_id"`
	Text  string
}

type foundBySynonyms struct {
	Data      []foundPassage
	Retrieval struct {
		Queries  []string
		Synonyms []addedSynonym
	}
}

// looksFor asks for passages and returns what was added to the question.
func (p *process) looksFor(assistant, question string) (found foundBySynonyms) {
	p.t.Helper()
	if code := p.json("POST", "/v1.0/assistants/"+assistant+"/retrieve", map[string]any{"query": question}, &found); code != 200 {
		p.t.Fatal(code)
	}
	return found
}

// A reader's words find what a document calls differently: by built-in synonyms, by an
// assistant's own, from a file, and by a shared collection's. Each answer says what was
// added.
func TestAQuestionFindsWhatADocumentCallsDifferently(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Reports", "settings": map[string]any{"enable_rag": true, "enable_citations": true}}, nil); code != 201 {
		t.Fatal(code)
	}
	p.note("reports", "statements.txt", "Purchases of property, plant and equipment were 41 million.\n")
	p.note("reports", "people.txt", "The Grand Vizier signs all treaties of the realm.\n")
	p.documents("reports")
	const money, boss = "How much capex was there?", "Who is the chieftain?"

	found := p.looksFor("reports", money)
	if len(found.Data) != 1 || !strings.HasPrefix(found.Data[0].Text, "Purchases") || len(found.Retrieval.Synonyms) != 1 || found.Retrieval.Synonyms[0].Phrase != "capex" {
		t.Fatalf("by a built-in synonym: %+v", found)
	}
	var explained struct {
		Synonyms []addedSynonym
		Matched  []struct{ Word string } `json:"matched_words"`
	}
	asked := map[string]any{"query": money, "chunk_id": found.Data[0].Chunk}
	if code := p.json("POST", "/v1/search/explain", asked, &explained); code != 200 || len(explained.Synonyms) != 1 || len(explained.Matched) == 0 || explained.Matched[0].Word != "Purchases" {
		t.Errorf("the explanation: %d %+v", code, explained)
	}
	var searched struct{ Answer string }
	if code := p.json("POST", "/v1/search", map[string]any{"query": money}, &searched); code != 200 || !strings.HasPrefix(searched.Answer, "Purchases of property") {
		t.Errorf("the answer of a search: %d %q", code, searched.Answer)
	}
	if code := p.json("PATCH", "/v1.0/assistants/reports/settings", map[string]any{"synonym_packs": []string{}}, nil); code != 200 {
		t.Fatal(code)
	}
	if found := p.looksFor("reports", money); len(found.Data) != 0 || found.Retrieval.Synonyms != nil {
		t.Errorf("without built-in synonyms: %+v", found)
	}

	if found := p.looksFor("reports", boss); len(found.Data) != 0 {
		t.Errorf("without synonyms: %+v", found)
	}
	file := "\ufeff# titles\r\nchieftain => \"grand vizier\"\r\n\r\ncapex,spending\r\n"
	var saved struct{ Synonyms []string }
	if code := p.request("PUT", "/v1.0/assistants/reports/synonyms", "text/csv; charset=utf-8", strings.NewReader(file), &saved); code != 200 || !slices.Equal(saved.Synonyms, []string{`chieftain => "grand vizier"`, "capex,spending"}) {
		t.Fatalf("%d %q", code, saved.Synonyms)
	}
	want := fmt.Sprint([]addedSynonym{{"chieftain", []string{"grand vizier"}}})
	if found := p.looksFor("reports", boss); len(found.Data) != 1 || fmt.Sprint(found.Retrieval.Synonyms) != want || !slices.Equal(found.Retrieval.Queries, []string{boss}) {
		t.Errorf("by its own synonyms: %+v", found)
	}
	var answer struct {
		Citations *struct{ Status string }
		Retrieval struct{ Synonyms []addedSynonym }
	}
	chat := map[string]any{"model": "reports", "messages": []map[string]string{{"role": "user", "content": boss}}}
	if code := p.json("POST", "/v1/chat/completions", chat, &answer); code != 200 || answer.Citations == nil || answer.Citations.Status == "no_sources" || fmt.Sprint(answer.Retrieval.Synonyms) != want {
		t.Errorf("the answer: %d %+v", code, answer)
	}
	if code := p.json("PATCH", "/v1.0/assistants/reports/settings", map[string]any{"synonyms": nil}, &saved); code != 200 || len(saved.Synonyms) != 0 {
		t.Errorf("reset: %d %q", code, saved.Synonyms)
	}
	if found := p.looksFor("reports", boss); len(found.Data) != 0 {
		t.Errorf("after the reset: %+v", found)
	}
}

// An abbreviation that a document defines finds passages with what it stands for, in every
// document of the assistant, and the other way round. People can take it away.
func TestAnAbbreviationOfADocumentFindsWhatItStandsFor(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Rules", "settings": map[string]any{"enable_rag": true}}, nil); code != 201 {
		t.Fatal(code)
	}
	p.note("rules", "glossary.txt", "Each team has a designated safety steward (DSS).\n")
	p.note("rules", "alarms.txt", "The safety steward, who is designated, rings the bell.\n")
	documents := p.documents("rules")
	const question = "Wem gehört die DSS?"

	found := p.looksFor("rules", question)
	want := fmt.Sprint([]addedSynonym{{"DSS", []string{"designated safety steward"}}})
	if len(found.Data) != 2 || fmt.Sprint(found.Retrieval.Synonyms) != want {
		t.Fatalf("%+v", found)
	}
	var document struct {
		Profile struct{ Abbreviations, Edited []string }
	}
	path := "/v1.0/documents/" + documents[slices.IndexFunc(documents, func(d remoteDocument) bool { return d.Name == "glossary.txt" })].ID
	if code := p.json("GET", path, nil, &document); code != 200 || !slices.Equal(document.Profile.Abbreviations, []string{"DSS, designated safety steward"}) {
		t.Fatalf("%d %+v", code, document)
	}
	if code := p.json("PATCH", path, map[string]any{"profile": map[string]any{"abbreviations": []string{}}}, &document); code != 200 || len(document.Profile.Abbreviations) != 0 || !slices.Equal(document.Profile.Edited, []string{"abbreviations"}) {
		t.Fatalf("%d %+v", code, document)
	}
	eventually(t, "the question has its own words only", func() bool {
		found := p.looksFor("rules", question)
		return len(found.Data) == 1 && found.Retrieval.Synonyms == nil
	})
}

func TestASharedCollectionBringsItsSynonyms(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	var common, document struct {
		ID, Status string
		Synonyms   []string
	}
	if code := p.json("POST", "/v1.0/collections", map[string]any{"name": "Common"}, &common); code != 201 || common.Synonyms == nil {
		t.Fatal(code, common)
	}
	form, contentType := formOf(t, "people.txt", "The Grand Vizier signs all treaties of the realm.\n")
	if code := p.request("POST", "/v1.0/collections/"+common.ID+"/documents", contentType, strings.NewReader(form), &document); code != 202 {
		t.Fatal(code)
	}
	eventually(t, "the document is ready", func() bool {
		return p.request("GET", "/v1.0/documents/"+document.ID, "", nil, &document) == 200 && document.Status == "ready"
	})
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "reader", "settings": map[string]any{"collections": []string{common.ID}}}, nil); code != 201 {
		t.Fatal(code)
	}
	const boss = "Who is the chieftain?"
	for _, step := range []struct {
		method, path, contentType, body string
		finds                           int
	}{
		{"PATCH", "", "application/json", `{"name":"Realm"}`, 0},
		{"PATCH", "", "application/json", `{"synonyms":["chieftain, grand vizier"]}`, 1},
		{"PATCH", "", "application/json", `{"name":"Realm 2"}`, 1}, // they stay
		{"PUT", "/synonyms", "application/json", `{"synonyms":[]}`, 0},
		{"PUT", "/synonyms", "text/csv", "chieftain,grand vizier\n", 1},
	} {
		if code := p.request(step.method, "/v1.0/collections/"+common.ID+step.path, step.contentType, strings.NewReader(step.body), &common); code != 200 || len(common.Synonyms) != step.finds {
			t.Errorf("%s: %d %+v", step.body, code, common)
		}
		if found := p.looksFor("reader", boss); len(found.Data) != step.finds {
			t.Errorf("%s: %+v", step.body, found)
		}
	}
}

func TestSynonymsThatCannotBeReadAreRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	var owner struct {
		Collection string `json:"collection_id"`
	}
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "a"}, &owner); code != 201 {
		t.Fatal(code)
	}
	messages := map[string]string{ // by code and body
		"invalid_type" + `{"synonyms":[1]}`: "synonyms must be a list of strings.",
		"conflictboss,chief":                "Set the synonyms in the assistant's settings.",
		"invalid_valueboss,\xe4":            "must be UTF-8",
	}
	for _, c := range []struct {
		method, path, contentType, body string
		status                          int
		param, code                     string
	}{
		{"PUT", "/assistants/a/synonyms", "text/csv", "boss,chief\nalone\n", 400, "synonyms", "invalid_value"},
		{"PUT", "/assistants/a/synonyms", "text/csv", strings.Repeat("boss,chief\n", 1001), 400, "synonyms", "invalid_value"},
		{"PUT", "/assistants/a/synonyms", "text/csv", "boss," + strings.Repeat("b", 200), 400, "synonyms", "invalid_value"},
		{"PUT", "/assistants/a/synonyms", "text/csv", "boss,\xe4", 400, "synonyms", "invalid_value"},
		{"PUT", "/assistants/a/synonyms", "text/csv; charset=latin1", "a,b", 415, "", "unsupported_media_type"},
		{"PUT", "/assistants/a/synonyms", "text/plain", "a,b", 415, "", "unsupported_media_type"},
		{"PUT", "/assistants/a/synonyms", "text/csv", strings.Repeat("#", 2<<20), 413, "", "request_too_large"},
		{"PUT", "/assistants/a/synonyms", "application/json", `{}`, 400, "synonyms", ""},
		{"PUT", "/assistants/nobody/synonyms", "text/csv", "a,b", 404, "", ""},
		{"PATCH", "/assistants/a/settings", "application/json", `{"synonyms":["boss =>"]}`, 400, "synonyms", "invalid_value"},
		{"PATCH", "/assistants/a/settings", "application/json", `{"synonym_packs":["cooking"]}`, 400, "synonym_packs", "invalid_value"},
		{"PUT", "/collections/" + owner.Collection + "/synonyms", "text/csv", "boss,chief", 409, "", "conflict"}, // it has those of its assistant
		{"PATCH", "/assistants/a/settings", "application/json", `{"synonyms":[1]}`, 400, "synonyms", "invalid_type"},
		{"PUT", "/assistants/a/synonyms", "application/json", `{"synonyms":[1]}`, 400, "synonyms", "invalid_type"},
		{"PATCH", "/collections/" + owner.Collection, "application/json", `{"synonyms":[1]}`, 400, "synonyms", "invalid_type"},
	} {
		var refused struct {
			Error struct{ Message, Param, Code string }
		}
		status := p.request(c.method, "/v1.0"+c.path, c.contentType, strings.NewReader(c.body), &refused)
		if status != c.status || refused.Error.Param != c.param || c.code != "" && refused.Error.Code != c.code || !strings.Contains(refused.Error.Message, messages[c.code+c.body]) || refused.Error.Message == "" {
			t.Errorf("%s %s with %.20q: %d %+v", c.method, c.path, c.body, status, refused)
		}
	}
	var stored struct{ Synonyms []string }
	if code := p.request(http.MethodGet, "/v1.0/assistants/a/settings", "", nil, &stored); code != 200 || len(stored.Synonyms) != 0 {
		t.Errorf("%d %q", code, stored.Synonyms)
	}
}

// A passage that is found by what stands above it says so when it is explained.
func TestAPassageIsExplainedByWhatStandsAboveIt(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Islands", "settings": map[string]any{"enable_rag": true}}, nil); code != 201 {
		t.Fatal(code)
	}
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "Boat B%d leaves pier %d at %d o'clock and carries %d people.\n\n", 100+i, 7*i, i%24, 11*i)
	}
	p.note("islands", "ferries.md", "# Zanzibar\n\n"+text.String())
	p.documents("islands")
	found := p.looksFor("islands", "Zanzibar")
	i := slices.IndexFunc(found.Data, func(d foundPassage) bool { return !strings.Contains(d.Text, "Zanzibar") })
	if i < 0 {
		t.Fatalf("%+v", found)
	}
	var explained struct{ Explanation string }
	if code := p.json("POST", "/v1/search/explain", map[string]any{"query": "Zanzibar", "chunk_id": found.Data[i].Chunk}, &explained); code != 200 || !strings.HasPrefix(explained.Explanation, "Relevant because of what stands above the passage") {
		t.Errorf("%d %+v", code, explained)
	}
}
