package control_test

import (
	"strings"
	"testing"

	"footnote/assistants"
)

// shared makes a shared collection and returns its id.
func (w *world) shared(name string) string {
	w.t.Helper()
	got := w.call("POST", "/collections", `{"name":"`+name+`"}`)
	made := got.object(201)
	if made["name"] != name || made["assistant_id"] != nil || got.header.Get("ETag") != w.tag("/collections/"+made["id"].(string)) {
		w.t.Errorf("made %v", made)
	}
	return made["id"].(string)
}

func TestASharedCollectionIsFilledReadAndDeleted(t *testing.T) {
	w := newWorld(t)
	common := w.shared("Company policies")
	path := "/collections/" + common
	document := w.upload("POST", path+"/documents", part{"file", "policy.txt", "You may work from home."}, part{"labels", "", `["hr"]`}).object(202)
	if document["collection_id"] != common {
		t.Errorf("uploaded %v", document)
	}
	id := document["id"].(string)
	if again := w.upload("POST", path+"/documents", part{"file", "other.txt", "You may work from home."}).object(200); again["id"] != id || again["duplicate"] != true {
		t.Errorf("the same bytes: %v", again)
	}
	var docs listed
	if w.call("GET", path+"/documents?label=hr&count=true", "").into(200, &docs); docs.names() != "policy.txt" || *docs.Total != 1 {
		t.Errorf("documents %q", docs.names())
	}
	w.publish(id, "You may work from home.")

	// Admins of the tenant see the document, and those who may ask a reader, what it cites.
	reader := w.assistant("reader", `{"collections":["`+common+`"],"citation_link_mode":"Authenticated"}`)
	w.assistant("stranger", "")
	chat := w.key(`{"name":"chat","scopes":["chat"],"assistants":["reader"]}`)
	stranger := w.key(`{"name":"stranger","scopes":["chat"],"assistants":["stranger"]}`)
	for _, p := range []string{"", "/log", "/chunks", "/text", "/download"} {
		w.call("GET", "/documents/"+id+p, "").want(200)
		if got := w.as(stranger, "GET", "/documents/"+id+p, "").status; got != 404 && got != 403 {
			t.Errorf("a stranger reads %s: %d", p, got)
		}
	}
	for _, p := range []string{"/chunks", "/text", "/download"} {
		w.as(chat, "GET", "/documents/"+id+p, "").want(200)
	}
	w.call("PATCH", "/documents/"+id, `{"labels":["hr","2026"]}`).want(200)
	bound := w.storeKey(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistants.AssistantID(reader)} })
	w.as(bound, "PATCH", "/documents/"+id, `{"labels":[]}`).fails(404, "not_found", "")
	w.as(bound, "DELETE", "/documents/"+id, "").fails(404, "not_found", "")

	var readers listed
	if w.call("GET", path+"/assistants?count=true", "").into(200, &readers); readers.names() != "reader" || *readers.Total != 1 {
		t.Errorf("readers %q", readers.names())
	}
	w.call("DELETE", path, "").fails(409, "conflict", "")
	w.call("PATCH", "/assistants/reader/settings", `{"collections":[]}`).want(200)
	w.as(chat, "GET", "/documents/"+id+"/text", "").fails(404, "not_found", "")
	w.call("DELETE", path, "").want(204)
	w.call("GET", path, "").fails(404, "not_found", "")
	w.call("GET", "/documents/"+id, "").fails(404, "not_found", "")
	w.call("PATCH", "/assistants/reader/settings", `{"collections":["`+common+`"]}`).fails(400, "invalid_value", "collections")
}

func TestACollectionOfAnAssistantHasItsNameAndItsEnd(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	path := "/collections/" + w.collectionOf("mine")
	before := w.call("GET", path, "").object(200)
	if id := w.call("GET", "/assistants/mine", "").object(200)["id"]; before["assistant_id"] != id || before["name"] != "mine" {
		t.Errorf("before: %v", before)
	}
	w.call("PATCH", path, `{"name":"x"}`).fails(409, "conflict", "")
	w.call("DELETE", path, "").fails(409, "conflict", "")
	w.upload("POST", path+"/documents", part{"file", "a.txt", "text"}).want(202)
	var docs, readers listed
	if w.call("GET", "/assistants/mine/documents", "").into(200, &docs); docs.names() != "a.txt" {
		t.Errorf("documents %q", docs.names())
	}
	if w.call("GET", path+"/assistants", "").into(200, &readers); readers.names() != "mine" {
		t.Errorf("readers %q", readers.names())
	}
}

func TestASharedCollectionIsRenamedUnlessItWasChanged(t *testing.T) {
	w := newWorld(t)
	path := "/collections/" + w.shared("one")
	stale := w.tag(path)
	tag := w.conditional("PATCH", path, `{"name":"two"}`, "If-Match", stale).want(200).header.Get("ETag")
	if tag != w.tag(path) || tag == stale || w.call("GET", path, "").object(200)["name"] != "two" {
		t.Errorf("renamed: %s", tag)
	}
	w.conditional("PATCH", path, `{"name":"three"}`, "If-Match", stale).fails(412, "precondition_failed", "")
	w.upload("POST", path+"/documents", part{"file", "a.txt", "text"}).want(202)
	w.conditional("DELETE", path, "", "If-Match", tag).fails(412, "precondition_failed", "") // it shows the number of documents
	w.call("PATCH", path, `{}`).want(200)
	for body, want := range map[string][2]string{
		`{"name":""}`: {"invalid_value", "name"}, `{"name":null}`: {"invalid_type", "name"}, `{"name":"x","space":{}}`: {"unsupported_parameter", "space"},
		`{"name":"` + strings.Repeat("x", 256) + `"}`: {"invalid_value", "name"},
	} {
		w.call("PATCH", path, body).fails(400, want[0], want[1])
		w.call("POST", "/collections", body).fails(400, want[0], want[1])
	}
	w.call("POST", "/collections", `{}`).fails(400, "missing_required_parameter", "name")
	w.conditional("DELETE", path, "", "If-Match", w.tag(path)).want(204)
	var all listed
	if w.call("GET", "/collections", "").into(200, &all); len(all.Data) != 0 {
		t.Errorf("left: %+v", all)
	}
}
