package control_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
	"footnote/storage/db/postgrestest"
)

// conditional sends JSON as admin with a condition, such as "If-Match".
func (w *world) conditional(method, path, body, header, tag string) reply {
	w.t.Helper()
	if body == "" {
		return w.send(method, path, adminKey, nil, header, tag)
	}
	return w.send(method, path, adminKey, strings.NewReader(body), "Content-Type", "application/json", header, tag)
}

// tag is the entity tag of what GET answers with.
func (w *world) tag(path string) string {
	w.t.Helper()
	tag := w.call("GET", path, "").want(200).header.Get("ETag")
	if len(tag) < 10 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		w.t.Errorf("%s has the tag %q", path, tag)
	}
	return tag
}

// taggedThings makes one of each thing that has an entity tag, and returns its path
// and bodies that change it.
func taggedThings(w *world) map[string][]string {
	w.t.Helper()
	mine := w.assistant("mine", "")
	document := w.document(mine, "a.txt", "some text")
	upstream := w.call("POST", "/upstreams", `{"name":"far","base_url":"http://127.0.0.1:9/v1"}`).object(201)["id"].(string)
	return map[string][]string{
		"/assistants/" + mine:               {`{"name":"one"}`, `{"name":"two","settings":{"temperature":0.1}}`, `{"slug":"three"}`},
		"/assistants/" + mine + "/settings": {`{"retrieval_top_k":3}`, `{"temperature":0.7,"retrieval_label_filter":{"required":null}}`, `{"system_prompt":"x","collections":[]}`},
		"/documents/" + document:            {`{"name":"one"}`, `{"labels":["a"],"tags":{"k":"v"}}`, `{"labels":["b"],"tags":null}`, `{"source_path":"/x"}`},
		"/upstreams/" + upstream:            {`{"name":"one"}`, `{"default_model":"m"}`, `{"api_key":"sk-1"}`, `{"api_key":"sk-2"}`, `{"headers":{"X-A":"1"}}`, `{"headers":{"X-A":"2"}}`},
	}
}

func TestATagChangesWithEveryChange(t *testing.T) {
	for _, database := range []string{"sqlite:" + filepath.Join(t.TempDir(), "footnote.db"), postgrestest.URL(t)} {
		w := newWorldOn(t, database)
		for path, bodies := range taggedThings(w) {
			seen := map[string]bool{w.tag(path): true}
			for _, body := range bodies {
				tag := w.call("PATCH", path, body).want(200).header.Get("ETag")
				if now := w.tag(path); tag != now || seen[tag] {
					t.Errorf("%s after %s: PATCH says %s, GET %s, before %v", path, body, tag, now, seen)
				}
				seen[tag] = true
			}
		}
	}
}

func TestATagIsOfWhatIsShown(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	settings := "/assistants/" + mine + "/settings"
	before, document := w.tag(settings), w.document(mine, "a.txt", "text")
	w.call("PATCH", "/assistants/"+mine, `{"name":"other"}`).want(200)
	if w.tag(settings) != before {
		t.Error("the name of the assistant changed the tag of its settings")
	}
	replaced := w.call("PUT", settings, `{"retrieval_top_k":3}`).want(200).header.Get("ETag")
	if replaced != w.tag(settings) || replaced == before {
		t.Errorf("PUT says %s", replaced)
	}
	if w.call("PUT", settings, `{}`).want(200).header.Get("ETag") != before {
		t.Error("the same settings have another tag")
	}
	path := "/documents/" + document
	before = w.tag(path)
	ref := assistants.VersionRef{Tenant: assistants.DefaultTenant, Document: assistants.DocumentID(document), Number: 1}
	if err := w.store.SetStatus(t.Context(), ref, assistants.StatusExtracting, assistants.Progress{Pages: 1}, nil); err != nil {
		t.Fatal(err)
	}
	if w.tag(path) == before {
		t.Error("progress did not change the tag")
	}
	key := w.call("POST", "/keys", `{"name":"k","scopes":["chat"]}`).object(201)["id"].(string)
	before = w.tag("/keys/" + key)
	w.call("DELETE", "/keys/"+key, "").want(204)
	if w.tag("/keys/"+key) == before {
		t.Error("revoking did not change the tag of the key")
	}
	collection := "/collections/" + w.call("GET", "/assistants/"+mine, "").object(200)["collection_id"].(string)
	before = w.tag(collection)
	w.document(mine, "b.txt", "another text")
	if w.tag(collection) == before {
		t.Error("a document did not change the tag of its collection")
	}
}

func TestWhatTheClientHasIsNotSentAgain(t *testing.T) {
	w := newWorld(t)
	things := taggedThings(w)
	key := w.call("POST", "/keys", `{"name":"k","scopes":["chat"]}`).object(201)["id"].(string)
	things["/keys/"+key], things["/collections/"+w.call("GET", "/assistants/mine", "").object(200)["collection_id"].(string)] = nil, nil
	for path := range things {
		tag := w.tag(path)
		for _, has := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
			if got := w.conditional("GET", path, "", "If-None-Match", has).want(304); len(got.raw) != 0 || got.header.Get("ETag") != tag {
				t.Errorf("%s: %s, %v", path, got.raw, got.header)
			}
		}
		for _, other := range []string{`"x"`, "", strings.Trim(tag, `"`)} {
			if got := w.conditional("GET", path, "", "If-None-Match", other); got.status != 200 || len(got.raw) == 0 {
				t.Errorf("%s with %q: %d", path, other, got.status)
			}
		}
	}
	w.as("", "GET", "/assistants/mine", "").fails(401, "invalid_api_key", "")
	w.send("GET", "/assistants/mine", "", nil, "If-None-Match", w.tag("/assistants/mine")).fails(401, "invalid_api_key", "")
}

func TestAStaleChangeIsRefused(t *testing.T) {
	w := newWorld(t)
	for path, bodies := range taggedThings(w) {
		stale := w.tag(path)
		fresh := w.conditional("PATCH", path, bodies[0], "If-Match", stale).want(200).header.Get("ETag")
		before := string(w.call("GET", path, "").want(200).raw)
		methods := []string{"PATCH", "DELETE"}
		if strings.HasSuffix(path, "/settings") {
			methods = []string{"PATCH", "PUT"}
		}
		for _, method := range methods {
			body := bodies[1]
			if method == "DELETE" {
				body = ""
			}
			for _, tag := range []string{stale, "W/" + stale, `"x", "y"`, "", strings.Trim(fresh, `"`)} {
				w.conditional(method, path, body, "If-Match", tag).fails(412, "precondition_failed", "")
			}
		}
		if now := string(w.call("GET", path, "").want(200).raw); now != before {
			t.Errorf("%s: refused changes made %s of %s", path, now, before)
		}
		fresh = w.conditional("PATCH", path, bodies[1], "If-Match", `"x", W/`+fresh).want(200).header.Get("ETag")
		w.conditional("PATCH", path, bodies[2], "If-Match", "*").want(200)
		if methods[1] == "DELETE" && !strings.HasPrefix(path, "/assistants") {
			w.conditional("DELETE", path, "", "If-Match", fresh).fails(412, "precondition_failed", "")
			w.conditional("DELETE", path, "", "If-Match", w.tag(path)).want(204)
			w.conditional("DELETE", path, "", "If-Match", fresh).fails(404, "not_found", "")
		}
	}
	key := w.call("POST", "/keys", `{"name":"k","scopes":["chat"]}`).object(201)["id"].(string)
	w.conditional("DELETE", "/keys/"+key, "", "If-Match", `"x"`).fails(412, "precondition_failed", "")
	tag := w.tag("/keys/" + key)
	w.conditional("DELETE", "/keys/"+key, "", "If-Match", tag).want(204)
	w.conditional("DELETE", "/keys/"+key, "", "If-Match", tag).fails(412, "precondition_failed", "")

	mine := w.assistant("gone", "")
	document := "/documents/" + w.document(mine, "a.txt", "the first text")
	stale := w.tag(document)
	w.call("PATCH", document, `{"name":"b.txt"}`).want(200)
	body, contentType := encode(t, part{"file", "a.txt", "the second text"})
	w.send("PUT", document+"/file", adminKey, body, "Content-Type", contentType, "If-Match", stale).fails(412, "precondition_failed", "")
	body, contentType = encode(t, part{"file", "a.txt", "the second text"})
	got := w.send("PUT", document+"/file", adminKey, body, "Content-Type", contentType, "If-Match", w.tag(document)).want(202)
	if got.header.Get("ETag") != w.tag(document) {
		t.Error("PUT has another tag than GET")
	}
	stale = w.tag("/assistants/" + mine)
	w.call("PATCH", "/assistants/"+mine, `{"name":"x"}`).want(200)
	w.conditional("DELETE", "/assistants/"+mine, "", "If-Match", stale).fails(412, "precondition_failed", "")
	w.conditional("DELETE", "/assistants/"+mine, "", "If-Match", w.tag("/assistants/"+mine)).want(204)
}

// TestOfAdminsWhoWriteAtOnceOneSucceeds has several admins change what they have
// read at the same time: one change is made, and the others learn that they are late.
func TestOfAdminsWhoWriteAtOnceOneSucceeds(t *testing.T) {
	for _, database := range []string{"sqlite:" + filepath.Join(t.TempDir(), "footnote.db"), postgrestest.URL(t)} {
		w := newWorldOn(t, database)
		for path := range taggedThings(w) {
			tag := w.tag(path)
			const admins = 6
			statuses := make([]int, admins)
			var wg sync.WaitGroup
			for i := range statuses {
				wg.Go(func() {
					method, body := "PATCH", fmt.Sprintf(`{"name":"admin %d"}`, i)
					switch {
					case strings.HasSuffix(path, "/settings"):
						body = fmt.Sprintf(`{"retrieval_top_k":%d}`, i+20)
					case strings.HasPrefix(path, "/upstreams"):
						body = fmt.Sprintf(`{"default_model":"m%d"}`, i)
					}
					if i == 0 && strings.HasPrefix(path, "/documents") {
						method, body = "DELETE", ""
					}
					statuses[i] = w.conditional(method, path, body, "If-Match", tag).status
				})
			}
			wg.Wait()
			made := 0
			for i, status := range statuses {
				switch {
				case status == 200 || status == 204:
					made++
				case status != 412 && (status != 404 || !strings.HasPrefix(path, "/documents")): // 404 after the deletion
					t.Errorf("%s: admin %d got %d", path, i, status)
				}
			}
			if made != 1 {
				t.Errorf("%s: %d changes were made: %v", path, made, statuses)
			}
		}
	}
}
