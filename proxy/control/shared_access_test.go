package control_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

// A key opens what its assistants cite: documents of their own collections and
// of those that their settings name now. It cannot change the latter and does
// not see what only their owner needs.
func TestAKeyOpensWhatItsAssistantsReadFromOthers(t *testing.T) {
	w := newWorld(t)
	manuals, reader, third := w.assistant("manuals", ""), w.assistant("reader", `{"citation_link_mode":"Authenticated"}`), w.assistant("third", public)
	shared := `["` + w.collectionOf(manuals) + `"]`
	doc := w.document(manuals, "a.txt", "the text of a document")
	w.publish(doc, "the text of a document")
	bound := func(to string) func(*assistants.Key) {
		return func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistants.AssistantID(to)} }
	}
	chat := w.key(`{"name":"chat","scopes":["chat"],"assistants":["` + reader + `"]}`)
	admin := w.storeKey(bound(reader))
	strangers := map[string]string{
		"of another assistant": w.key(`{"name":"third","scopes":["chat","search"],"assistants":["` + third + `"]}`),
		"admin of another one": w.storeKey(bound(third)),
		"of another tenant":    w.storeKey(func(k *assistants.Key) { k.TenantID = "tenant-b" }),
	}
	reads := func(key string, want int) {
		t.Helper()
		for route := range readable {
			method, path, _ := strings.Cut(route, " ")
			path = strings.NewReplacer("/v1.0", "", ":document", doc, ":page", "1").Replace(path)
			if got := w.as(key, method, path, ""); got.status != want {
				t.Errorf("%s: %d %s, want %d", route, got.status, got.raw, want)
			}
		}
	}
	reads(chat, 404)
	w.settings(reader, `{"collections":`+shared+`}`)
	reads(chat, 200)
	reads(admin, 200)
	for _, name := range slices.Sorted(maps.Keys(strangers)) {
		reads(strangers[name], 404)
	}
	w.as(admin, "PATCH", "/documents/"+doc, `{"name":"mine"}`).fails(404, "not_found", "")
	w.as(admin, "POST", "/documents/"+doc+"/reprocess", "").fails(404, "not_found", "")
	w.as(admin, "GET", "/documents/"+doc+"/log", "").fails(404, "not_found", "")
	w.as(admin, "DELETE", "/documents/"+doc, "").fails(404, "not_found", "")

	// Whether it can be downloaded is up to the links of the assistants that the key sees.
	both := w.key(`{"name":"both","scopes":["chat"],"assistants":["` + manuals + `","` + reader + `"]}`)
	w.as(both, "GET", "/documents/"+doc+"/download", "").want(200)
	w.settings(reader, `{"citation_link_mode":"None"}`)
	w.as(both, "GET", "/documents/"+doc+"/download", "").fails(404, "not_found", "")
	w.as(chat, "GET", "/documents/"+doc+"/download", "").fails(404, "not_found", "")
	w.as(chat, "GET", "/documents/"+doc+"/text", "").want(200)
	w.as(admin, "GET", "/documents/"+doc+"/download", "").want(200)

	w.settings(reader, `{"collections":[],"citation_link_mode":"Authenticated"}`)
	reads(chat, 404)
	reads(admin, 404)
}

// Documents that an assistant's filters exclude are not opened by its keys and
// links either. Its own documents are not affected.
func TestFiltersApplyToDocumentsReadFromOthers(t *testing.T) {
	w := newWorld(t)
	manuals, reader := w.assistant("manuals", public), w.assistant("reader", public)
	doc, own := w.document(manuals, "a.txt", "the text of a document"), w.document(reader, "own.txt", "another text")
	w.publish(doc, "the text of a document")
	w.publish(own, "another text")
	for _, id := range []string{doc, own} {
		w.call("PATCH", "/documents/"+id, `{"labels":["confidential"],"tags":{"year":"2024"}}`).want(200)
	}
	w.settings(reader, `{"collections":["`+w.collectionOf(manuals)+`"]}`)
	link, owners, ownLink := w.link(reader, doc), w.link(manuals, doc), w.link(reader, own)
	chat := w.key(`{"name":"chat","scopes":["chat"],"assistants":["` + reader + `"]}`)
	both := w.key(`{"name":"both","scopes":["chat"],"assistants":["` + manuals + `","` + reader + `"]}`)
	opens := func(what string, want int) {
		t.Helper()
		for _, path := range []string{"/text", "/chunks", "/pages/1", "/download"} {
			if got := w.as(chat, "GET", "/documents/"+doc+path, ""); got.status != want {
				t.Errorf("%s: %s is %d, want %d", what, path, got.status, want)
			}
			w.as(chat, "GET", "/documents/"+own+path, "").want(200)
		}
		if got := w.open("GET", link); got.status != want {
			t.Errorf("%s: its link is %d, want %d", what, got.status, want)
		}
		w.open("GET", owners).want(200)
		w.open("GET", ownLink).want(200)
	}
	opens("no filter", 200)
	for filter, want := range map[string]int{
		`"retrieval_label_filter":{"excluded":["confidential"]}`:                                        404,
		`"retrieval_label_filter":{"required":["open"]}`:                                                404,
		`"retrieval_label_filter":{"required":["confidential"]}`:                                        200,
		`"retrieval_tag_filter":{"excluded":[{"key":"year","condition":"LessThan","value":"2025"}]}`:    404,
		`"retrieval_tag_filter":{"required":[{"key":"year","condition":"GreaterThan","value":"2023"}]}`: 200,
	} {
		w.settings(reader, `{"retrieval_label_filter":null,"retrieval_tag_filter":null}`)
		w.settings(reader, `{`+filter+`}`)
		opens(filter, want)
	}
	w.settings(reader, `{"retrieval_label_filter":{"excluded":["confidential"]},"retrieval_tag_filter":null}`)
	w.call("PATCH", "/documents/"+doc, `{"labels":[]}`).want(200)
	opens("the label is gone", 200)
	w.call("PATCH", "/documents/"+doc, `{"labels":["confidential"]}`).want(200)
	opens("the label is back", 404)

	// The links of an assistant that does not cite it give no download.
	w.settings(manuals, `{"citation_link_mode":"None"}`)
	w.as(both, "GET", "/documents/"+doc+"/text", "").want(200)
	w.as(both, "GET", "/documents/"+doc+"/download", "").fails(404, "not_found", "")
	w.settings(reader, `{"retrieval_label_filter":null}`)
	w.as(both, "GET", "/documents/"+doc+"/download", "").want(200)
}
