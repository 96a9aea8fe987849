package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"footnote/assistants"
)

// Two assistants read a third's documents; one of them may no longer. It
// finds nothing from then on, by any way of asking, though nothing in the index
// has changed and the same question was answered before; the other two go on.
func TestAnAssistantThatMayNoLongerReadACollectionFindsNothingThere(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bees.md"), []byte("# Honey\n\nA colony needs 20 kg of honey to come through the winter.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, nil)
	if _, stderr, code := run(t, dir, "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "owner", "--create", "bees.md"); code != 0 {
		t.Fatal(stderr)
	}
	var owner struct {
		Collection string `json:"collection_id"`
	}
	if code := p.request("GET", "/v1.0/assistants/owner", "", nil, &owner); code != 200 || owner.Collection == "" {
		t.Fatal(code)
	}
	public := map[string]any{"citation_link_mode": "Public"}
	if code := p.json("PATCH", "/v1.0/assistants/owner/settings", public, nil); code != 200 {
		t.Fatal(code)
	}
	public["enable_rag"], public["enable_citations"], public["collections"] = true, true, []string{owner.Collection}
	for _, name := range []string{"guest", "friend"} {
		if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": name, "settings": public}, nil); code != 201 {
			t.Fatal(code)
		}
	}
	links := map[string][]string{}
	finds := func(name string, want bool) {
		t.Helper()
		links[name] = p.findsHoney(t, name, want, links[name])
	}
	opens := func(name string, want int) {
		t.Helper()
		if len(links[name]) != 1 {
			t.Fatalf("links of %s: %q", name, links[name])
		}
		if resp, _ := follow(t, links[name][0]); resp.StatusCode != want {
			t.Errorf("the link of %s: %d, want %d", name, resp.StatusCode, want)
		}
	}
	for _, name := range []string{"owner", "guest", "friend", "guest"} {
		finds(name, true)
		opens(name, 200)
	}
	if code := p.json("PATCH", "/v1.0/assistants/guest/settings", map[string]any{"collections": []string{}}, nil); code != 200 {
		t.Fatal(code)
	}
	finds("guest", false)
	opens("guest", 404)
	for _, name := range []string{"owner", "friend"} {
		finds(name, true)
		opens(name, 200)
	}
	if code := p.request("DELETE", "/v1.0/assistants/guest", "", nil, nil); code != 204 {
		t.Fatal(code)
	}
	finds("friend", true) // what goes with an assistant is its own, not what it read
	if code := p.request("DELETE", "/v1.0/assistants/owner", "", nil, nil); code != 204 {
		t.Fatal(code)
	}
	finds("friend", false)
	opens("friend", 404)
}

// findsHoney asks an assistant in every way and checks whether it finds what
// bees.md says. It returns the links of the answer, or those known before when
// there is nothing to find.
func (p *process) findsHoney(t *testing.T, name string, want bool, known []string) []string {
	t.Helper()
	const question = "How much honey does a colony need?"
	chat := p.raw("/v1/chat/completions", `{"model":"`+name+`","messages":[{"role":"user","content":"`+question+`"}]}`)
	all := chat + p.raw("/v1/chat/completions", `{"model":"`+name+`","stream":true,"messages":[{"role":"user","content":"`+question+`"}]}`)
	retrieved := p.raw("/v1.0/assistants/"+name+"/retrieve", `{"query":"`+question+`"}`)
	var got struct {
		Citations struct {
			Status  string
			Sources []any
		}
	}
	if err := json.Unmarshal([]byte(chat), &got); err != nil {
		t.Fatal(err)
	}
	status := map[bool]string{true: "cited", false: "no_sources"}[want]
	if got.Citations.Status != status || len(got.Citations.Sources) > 0 != want || strings.Count(all, "20 kg of honey") > 1 != want || strings.Contains(retrieved, "20 kg of honey") != want {
		t.Errorf("%s: %s %s", name, all, retrieved)
	}
	if want {
		known, _ = linksIn(t, chat)
	} else if strings.Contains(all+retrieved, "bees.md") {
		t.Errorf("%s is told of the document: %s %s", name, all, retrieved)
	}
	return known
}

// An assistant may read a thousand further collections, and finds what is in the last.
func TestAnAssistantReadsAThousandCollections(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	number := 60
	if nightly {
		number = assistants.MaxCollections
	}
	var ids []string
	for i := range number {
		var made struct {
			Collection string `json:"collection_id"`
		}
		if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": fmt.Sprint("Shelf ", i), "slug": fmt.Sprint("shelf-", i)}, &made); code != 201 {
			t.Fatal(code)
		}
		ids = append(ids, made.Collection)
	}
	last := number - 1
	if _, code := p.note(fmt.Sprint("shelf-", last), "bees.txt", "A colony needs 20 kg of honey to come through the winter."); code >= 300 {
		t.Fatal(code)
	}
	p.documents(fmt.Sprint("shelf-", last))
	reader := map[string]any{"name": "Reader", "slug": "reader", "settings": map[string]any{"enable_rag": true, "enable_citations": true, "collections": make([]string, assistants.MaxCollections+1)}}
	var refused struct{ Error apiError }
	if code := p.json("POST", "/v1.0/assistants", reader, &refused); code != 400 || !strings.Contains(refused.Error.Message, "at most 1000 entries") {
		t.Errorf("one too many: %d %+v", code, refused)
	}
	reader["settings"].(map[string]any)["collections"] = ids
	if code := p.json("POST", "/v1.0/assistants", reader, nil); code != 201 {
		t.Fatal(code)
	}
	var answer chatAnswer
	question := map[string]any{"model": "reader", "messages": []map[string]string{{"role": "user", "content": "How much honey does a colony need?"}}}
	if code := p.json("POST", "/v1/chat/completions", question, &answer); code != 200 || answer.Citations == nil || answer.Citations.Status != "cited" {
		t.Errorf("%d %+v", code, answer)
	}
}

// A collection that no assistant owns is read by those that name it, cited with
// links that work, and passes a check of what is stored.
func TestAnAssistantCitesASharedCollection(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil)
	var common, document struct{ ID, Status string }
	if code := p.json("POST", "/v1.0/collections", map[string]any{"name": "Common"}, &common); code != 201 {
		t.Fatal(code)
	}
	form, contentType := formOf(t, "bees.md", "# Honey\n\nA colony needs 20 kg of honey to come through the winter.\n")
	if code := p.request("POST", "/v1.0/collections/"+common.ID+"/documents", contentType, strings.NewReader(form), &document); code != 202 {
		t.Fatal(code)
	}
	eventually(t, "the document is ready", func() bool {
		return p.request("GET", "/v1.0/documents/"+document.ID, "", nil, &document) == 200 && document.Status == "ready"
	})
	settings := map[string]any{"citation_link_mode": "Public", "enable_rag": true, "enable_citations": true, "collections": []string{common.ID}}
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "reader", "settings": settings}, nil); code != 201 {
		t.Fatal(code)
	}
	links := p.findsHoney(t, "reader", true, nil)
	if len(links) != 1 {
		t.Fatalf("links %q", links)
	}
	if resp, _ := follow(t, links[0]); resp.StatusCode != 200 {
		t.Errorf("the link: %d", resp.StatusCode)
	}
	if code := p.json("PATCH", "/v1.0/assistants/reader/settings", map[string]any{"collections": []string{}}, nil); code != 200 {
		t.Fatal(code)
	}
	p.findsHoney(t, "reader", false, links)
	if resp, _ := follow(t, links[0]); resp.StatusCode != 404 {
		t.Errorf("the link of an assistant that may no longer read it: %d", resp.StatusCode)
	}
	p.stop(syscall.SIGTERM)
	if stdout, stderr, code := run(t, dir, "check", "--data-dir", dir); code != 0 {
		t.Errorf("check: %d %s %s", code, stdout, stderr)
	}
	p = start(t, dir, nil)
	if code := p.request("DELETE", "/v1.0/collections/"+common.ID, "", nil, nil); code != 204 {
		t.Error(code)
	}
	if code := p.request("GET", "/v1.0/documents/"+document.ID, "", nil, nil); code != 404 {
		t.Errorf("its document: %d", code)
	}
}
