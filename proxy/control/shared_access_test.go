package control_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

// A key opens what the assistants that it may see cite: documents of their own
// collection and of those that their settings name now. It changes none of the latter.
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
