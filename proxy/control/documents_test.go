package control_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestADocumentIsChangedAndDeleted(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", "text")
	path := "/documents/" + id
	got := w.call("PATCH", path, `{"name":"B","labels":["x","y","x"],"tags":{"k":"v"}}`).object(200)
	if got["name"] != "B" || fmt.Sprint(got["labels"]) != "[x y]" || fmt.Sprint(got["tags"]) != "map[k:v]" {
		t.Errorf("changed %v", got)
	}
	if got = w.call("PATCH", path, `{"tags":{}}`).object(200); got["name"] != "B" || fmt.Sprint(got["labels"]) != "[x y]" || len(got["tags"].(map[string]any)) != 0 {
		t.Errorf("only the tags: %v", got)
	}
	if got = w.call("PATCH", path, `{"labels":null}`).object(200); fmt.Sprint(got["labels"]) != "[]" {
		t.Errorf("null empties: %v", got)
	}
	if got = w.call("PATCH", path, `{"source_path":"/x/a.txt"}`).object(200); got["source_path"] != "/x/a.txt" || got["name"] != "B" || got["status"] != "pending" {
		t.Errorf("moved: %v", got)
	}
	for body, want := range map[string][2]string{
		`{"name":""}`:           {"invalid_value", "name"},
		`{"labels":"x"}`:        {"invalid_type", "labels"},
		`{"labels":[""]}`:       {"invalid_value", "labels[0]"},
		`{"tags":{"a":1}}`:      {"invalid_type", "tags"},
		`{"status":"ready"}`:    {"unsupported_parameter", "status"},
		`{"sha256":"0"}`:        {"unsupported_parameter", "sha256"},
		`{"source_path":""}`:    {"invalid_value", "source_path"},
		`{"source_path":null}`:  {"invalid_type", "source_path"},
		`{"collection_id":"x"}`: {"unsupported_parameter", "collection_id"},
	} {
		w.call("PATCH", path, body).fails(400, want[0], want[1])
	}
	w.call("DELETE", path, "").want(204)
	if w.woken != 1 {
		t.Errorf("the worker was woken %d times, want once", w.woken)
	}
	for _, p := range []string{"", "/log", "/chunks", "/text", "/pages/1", "/download"} {
		w.call("GET", path+p, "").fails(404, "not_found", "")
	}
	w.call("DELETE", path, "").fails(404, "not_found", "")
	w.call("POST", path+"/reprocess", "").fails(404, "not_found", "")
}

func TestTheStatesOfADocument(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", "text")
	ctx, tenant, doc := t.Context(), assistants.DefaultTenant, assistants.DocumentID(id)
	if err := w.store.SetStatus(ctx, assistants.VersionRef{Tenant: tenant, Document: doc, Number: 1}, assistants.StatusExtracting, assistants.Progress{Pages: 3, PagesTotal: 10}, nil); err != nil {
		t.Fatal(err)
	}
	got := w.call("GET", "/documents/"+id, "").object(200)
	if got["status"] != "extracting" || fmt.Sprint(got["progress"]) != "map[pages:3 pages_total:10]" {
		t.Errorf("in work: %v", got)
	}
	cause := &assistants.Cause{Code: assistants.CodeEncrypted, Message: "The document needs a password."}
	if err := w.store.SetStatus(ctx, assistants.VersionRef{Tenant: tenant, Document: doc, Number: 1}, assistants.StatusFailed, assistants.Progress{}, cause); err != nil {
		t.Fatal(err)
	}
	got = w.call("GET", "/documents/"+id, "").object(200)
	if _, ok := got["progress"]; ok || got["status"] != "failed" || fmt.Sprint(got["error"]) != "map[code:document_encrypted message:The document needs a password.]" {
		t.Errorf("failed: %v", got)
	}
	if got = w.call("POST", "/documents/"+id+"/reprocess", "").object(202); got["status"] != "pending" || got["error"] != nil || w.woken != 1 {
		t.Errorf("reprocessed: %v, woken %d", got, w.woken)
	}
	w.publish(id, "text")
	if got = w.call("GET", "/documents/"+id, "").object(200); got["status"] != "ready" || got["searchable"] != "text" || got["ready_at"] == nil || got["pages"] != 1.0 || got["chunks"] != 1.0 {
		t.Errorf("ready: %v", got)
	}
	var log struct {
		Data []struct {
			Time, Status string
			Version      int
			Error        *assistants.Cause
		}
		Next *string `json:"next_cursor"`
	}
	w.call("GET", "/documents/"+id+"/log", "").into(200, &log)
	var states []string
	for _, e := range log.Data {
		states = append(states, e.Status)
		if e.Time == "" || e.Version != 1 || (e.Status == "failed") != (e.Error != nil) {
			t.Errorf("entry %+v", e)
		}
	}
	if want := []string{"pending", "extracting", "failed", "pending", "ready"}; !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	var paged []string
	for query := "?limit=2"; query != ""; {
		w.call("GET", "/documents/"+id+"/log"+query, "").into(200, &log)
		if len(log.Data) > 2 {
			t.Errorf("a page of %d entries", len(log.Data))
		}
		for _, e := range log.Data {
			paged = append(paged, e.Status)
		}
		if query = ""; log.Next != nil {
			query = "?limit=2&cursor=" + *log.Next
		}
	}
	if !slices.Equal(paged, states) {
		t.Errorf("pages %v, want %v", paged, states)
	}
	for query, param := range map[string]string{
		"limit=0": "limit", "limit=1001": "limit", "limit=x": "limit", "cursor=x": "cursor", "cursor=0": "cursor", "cursor=6": "cursor",
	} {
		w.call("GET", "/documents/"+id+"/log?"+query, "").fails(400, "invalid_value", param)
	}
}

func TestADocumentSaysHowManyPagesCouldNotBeRead(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.pdf", "text")
	ref := assistants.VersionRef{Tenant: assistants.DefaultTenant, Document: assistants.DocumentID(id), Number: 1}
	text := assistants.Text{Text: "text", Runes: 4, Pages: []assistants.Page{{Number: 1, End: 4}, {Number: 2, Start: 4, End: 4}}, Profile: &assistants.Profile{Unread: 1}}
	if err := w.store.SaveVersion(t.Context(), ref, "application/pdf", text, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Publish(t.Context(), ref, noon, assistants.StatusReady); err != nil {
		t.Fatal(err)
	}
	got := w.call("GET", "/documents/"+id, "").object(200)
	if got["status"] != "ready" || fmt.Sprint(got["error"]) != "map[code:pages_unreadable message:1 of 2 pages could not be read; the file may be damaged.]" {
		t.Errorf("%v", got)
	}
}

func TestTextIsClampedAndCountedInCodePoints(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", "x")
	w.call("GET", "/documents/"+id+"/text", "").fails(404, "not_found", "") // nothing is extracted yet
	const text = "aé漢😀 b"
	w.publish(id, text)
	for query, want := range map[string]string{
		"":                                  "aé漢😀 b 0 6",
		"?start=1&end=4":                    "é漢😀 1 4",
		"?start=3":                          "😀 b 3 6",
		"?end=2":                            "aé 0 2",
		"?start=-5&end=1":                   "a 0 1",
		"?start=4&end=999":                  " b 4 6",
		"?start=6&end=6":                    " 6 6",
		"?start=50":                         " 6 6",
		"?start=50&end=60":                  " 6 6",
		"?start=2&end=2":                    " 2 2",
		"?start=0&end=99999999999999999999": "aé漢😀 b 0 6",
	} {
		got := w.call("GET", "/documents/"+id+"/text"+query, "").object(200)
		if text := fmt.Sprintf("%s %v %v", got["text"], got["start"], got["end"]); text != want || got["total"] != 6.0 {
			t.Errorf("%q: %q, want %q (%v)", query, text, want, got)
		}
	}
	for query, param := range map[string]string{
		"?start=4&end=3": "start", "?start=x": "start", "?end=1.5": "end", "?end=": "end", "?start=60&end=50": "start", "?end=-1": "start",
	} {
		w.call("GET", "/documents/"+id+"/text"+query, "").fails(400, "invalid_value", param)
	}
}

func TestPagesAndChunksAreThoseOfTheText(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", "x")
	w.publish(id, "Erste Seite – ü. ", "Zweite 😀.")
	if got := w.call("GET", "/documents/"+id+"/pages/2", "").object(200); fmt.Sprint(got) != "map[char_end:26 char_start:17 page:2 pages:2 text:Zweite 😀.]" {
		t.Errorf("page 2: %v", got)
	}
	w.call("GET", "/documents/"+id+"/pages/1?format=text", "").want(200)
	for _, n := range []string{"0", "3", "-1", "x", "1.0", "99999999999999999999"} {
		w.call("GET", "/documents/"+id+"/pages/"+n, "").fails(404, "not_found", "")
	}
	w.call("GET", "/documents/"+id+"/pages/1?format=png&highlight=0-3", "").fails(400, "not_available", "format") // no PDF
	w.call("GET", "/documents/"+id+"/pages/1?format=gif", "").fails(400, "invalid_value", "format")

	type list struct {
		Data []map[string]any
		Next *string `json:"next_cursor"`
	}
	var first, second list
	w.call("GET", "/documents/"+id+"/chunks?limit=1", "").into(200, &first)
	if len(first.Data) != 1 || first.Next == nil {
		t.Fatalf("first page %+v", first)
	}
	w.call("GET", "/documents/"+id+"/chunks?limit=1&cursor="+*first.Next, "").into(200, &second)
	if len(second.Data) != 1 || second.Next != nil {
		t.Fatalf("second page %+v", second)
	}
	ch := second.Data[0]
	if want := []string{"char_end", "char_start", "id", "index", "page_end", "page_number", "section_header", "table_header", "text"}; !slices.Equal(slices.Sorted(maps.Keys(ch)), want) {
		t.Errorf("members of %v, want %v", ch, want)
	}
	if ch["index"] != 1.0 || ch["text"] != "Zweite 😀." || ch["page_number"] != 2.0 || ch["section_header"] != "Part" || ch["table_header"] != "Größe | Preis" || ch["char_start"] != 17.0 || ch["char_end"] != 26.0 ||
		!strings.HasPrefix(ch["id"].(string), "chunk_") {
		t.Errorf("chunk %v", ch)
	}
}
