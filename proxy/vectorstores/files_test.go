package vectorstores

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestAFileWaitsUntilItIsInAVectorStore(t *testing.T) {
	w := newWorld(t)
	id := w.file("report.md", "# Report")
	if again := w.file("copy.md", "# Report"); again != id {
		t.Errorf("the same bytes are %s and %s", id, again)
	}
	got := w.ask(200, "GET", "/files/"+id, "")
	if got.text("filename") != "report.md" || got.text("status") != "processed" || got["bytes"] != 8.0 || got.text("purpose") != "assistants" {
		t.Errorf("a file: %v", got)
	}
	if n, err := w.store.CountJobs(t.Context(), assistants.JobIngest); err != nil || n != 0 {
		t.Errorf("%d jobs, %v", n, err)
	}
	store := w.vectorStore("one", id)
	if n, err := w.store.CountJobs(t.Context(), assistants.JobIngest); err != nil || n != 1 || w.woken == 0 {
		t.Errorf("%d jobs in a vector store, %v; woken %d times", n, err, w.woken)
	}
	if got := w.ask(200, "GET", "/vector_stores/"+store+"/files/"+id, ""); got.text("status") != "in_progress" || got["last_error"] != nil {
		t.Errorf("while it is read: %v", got)
	}
	w.ask(404, "GET", "/vector_stores/"+store+"/files/"+id+"/content", "")
	w.read(id)
	if got := w.ask(200, "GET", "/vector_stores/"+store, ""); got.text("status") != "completed" || got["usage_bytes"] != 8.0 {
		t.Errorf("afterwards: %v", got)
	}
	w.ask(200, "GET", "/vector_stores/"+store+"/files/"+id+"/content", "")
	if again := w.file("report.md", "# Report"); again == id {
		t.Error("the same bytes for another vector store are the same file")
	}
}

func TestUploadsAreRefused(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		status      int
		file        string
		content     string
		fields      []string
		code, param string
	}{
		"no purpose":               {400, "a.md", "# A", nil, "missing_required_parameter", "purpose"},
		"another purpose":          {400, "a.md", "# A", []string{"purpose", "fine-tune"}, "invalid_value", "purpose"},
		"two purposes":             {400, "a.md", "# A", []string{"purpose", "assistants", "purpose", "assistants"}, "duplicate_key", "purpose"},
		"a file that expires":      {400, "a.md", "# A", []string{"purpose", "assistants", "expires_after[seconds]", "3600"}, "unsupported_parameter", "expires_after[seconds]"},
		"no file":                  {400, "", "", []string{"purpose", "assistants"}, "missing_required_parameter", "file"},
		"an empty file":            {422, "a.md", "", []string{"purpose", "assistants"}, "empty_file", ""},
		"no text":                  {415, "a.bin", "\x7fELF\x02\x01\x01\x00\x00\x00", []string{"purpose", "assistants"}, "unsupported_media_type", ""},
		"a file that is too large": {413, "a.md", strings.Repeat("a", 1<<16+1), []string{"purpose", "assistants"}, "request_too_large", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if code, param := w.form(c.status, c.file, c.content, c.fields...).fault(); code != c.code || param != c.param {
				t.Errorf("%s %s, want %s %s", code, param, c.code, c.param)
			}
		})
	}
	if got := w.ask(200, "GET", "/files", ""); len(got.ids()) != 0 {
		t.Errorf("files: %v", got.ids())
	}
}

func TestListsArePagedBothWaysAndFromAnyItem(t *testing.T) {
	w := newWorld(t)
	store := w.vectorStore("paged")
	var files, stores []string
	for _, content := range []string{"# 1", "# 2", "# 3", "# 4", "# 5"} {
		id := w.file("f.md", content)
		w.ask(200, "POST", "/vector_stores/"+store+"/files", `{"file_id":"`+id+`"}`)
		files = append(files, id)
	}
	for range 4 {
		stores = append(stores, w.vectorStore("more"))
	}
	stores = append([]string{store}, stores...)
	for path, want := range map[string][]string{"/files": files, "/vector_stores/" + store + "/files": files, "/vector_stores": stores} {
		var all []string
		for after := ""; ; {
			got := w.ask(200, "GET", path+"?limit=2&order=asc&after="+after, "")
			all = append(all, got.ids()...)
			if after = got.text("last_id"); after != all[len(all)-1] || got.text("first_id") != got.ids()[0] {
				t.Fatalf("%s: %v", path, got)
			}
			if got["has_more"] == false {
				break
			}
		}
		if !slices.Equal(all, want) {
			t.Errorf("%s: %v, want %v", path, all, want)
		}
		if got := w.ask(200, "GET", path, ""); got.ids()[0] != want[4] || got["has_more"] != false {
			t.Errorf("%s, the newest first: %v", path, got.ids())
		}
		if got := w.ask(200, "GET", path+"?limit=2&order=asc&before="+want[3], ""); !slices.Equal(got.ids(), want[1:3]) || got["has_more"] != true {
			t.Errorf("%s before the fourth: %v", path, got)
		}
		for query, wanted := range map[string][2]string{
			"?limit=0": {"invalid_value", "limit"}, "?limit=x": {"invalid_value", "limit"}, "?limit=99999": {"invalid_value", "limit"}, "?limit=1&limit=1": {"duplicate_key", "limit"},
			"?order=up": {"invalid_value", "order"}, "?after=x": {"invalid_value", "after"}, "?before=%27": {"invalid_value", "before"},
			"?after=" + want[0] + "&before=" + want[1]:     {"invalid_value", "before"},
			"?after=" + string(assistants.NewDocumentID()): {"invalid_value", "after"}, "?before=" + string(assistants.NewCollectionID()): {"invalid_value", "before"},
		} {
			if code, param := w.ask(400, "GET", path+query, "").fault(); code != wanted[0] || param != wanted[1] {
				t.Errorf("%s%s: %s %s", path, query, code, param)
			}
		}
	}
	empty := w.vectorStore("empty")
	if got := w.ask(200, "GET", "/vector_stores/"+empty+"/files", ""); got["first_id"] != nil || got["last_id"] != nil || got["has_more"] != false {
		t.Errorf("an empty list: %v", got)
	}
	if got := w.ask(200, "GET", "/files?purpose=batch", ""); len(got.ids()) != 0 {
		t.Errorf("files of another purpose: %v", got.ids())
	}
	w.read(files[1])
	for filter, want := range map[string]int{"completed": 1, "in_progress": 4, "failed": 0, "cancelled": 0} {
		if got := w.ask(200, "GET", "/vector_stores/"+store+"/files?filter="+filter, ""); len(got.ids()) != want {
			t.Errorf("%s: %v", filter, got.ids())
		}
	}
	w.ask(400, "GET", "/vector_stores/"+store+"/files?filter=ready", "")
}

func TestAFileIsInOneVectorStore(t *testing.T) {
	w := newWorld(t)
	id := w.file("a.md", "# A")
	first, second := w.vectorStore("first", id), w.vectorStore("second")
	refuse := func(status int, method, path, body, code, param string) {
		t.Helper()
		if gotCode, gotParam := w.ask(status, method, path, body).fault(); gotCode != code || gotParam != param {
			t.Errorf("%s %s: %s %s, want %s %s", path, body, gotCode, gotParam, code, param)
		}
	}
	refuse(400, "POST", "/vector_stores/"+second+"/files", `{"file_id":"`+id+`"}`, "invalid_value", "file_id")
	refuse(400, "POST", "/vector_stores", `{"file_ids":["`+id+`"]}`, "invalid_value", "file_ids")
	refuse(400, "POST", "/vector_stores/"+second+"/file_batches", `{"file_ids":["`+id+`"]}`, "invalid_value", "file_ids")
	refuse(400, "POST", "/vector_stores/"+second+"/file_batches", `{"files":[{"file_id":"`+id+`"}]}`, "invalid_value", "files")
	refuse(404, "POST", "/vector_stores/"+second+"/files", `{"file_id":"`+string(assistants.NewDocumentID())+`"}`, "not_found", "")
	refuse(404, "GET", "/vector_stores/"+second+"/files/"+id, "", "not_found", "")
	refuse(404, "DELETE", "/vector_stores/"+second+"/files/"+id, "", "not_found", "")
	refuse(404, "POST", "/vector_stores/"+second+"/files/"+id, `{"attributes":{}}`, "not_found", "")
	w.ask(200, "POST", "/vector_stores/"+first+"/files", `{"file_id":"`+id+`"}`) // it is there already
	twin := w.file("twin.md", "# A")
	refuse(409, "POST", "/vector_stores/"+first+"/files", `{"file_id":"`+twin+`"}`, "conflict", "file_id")
	w.ask(200, "POST", "/vector_stores/"+second+"/files", `{"file_id":"`+twin+`"}`)
	refuse(409, "DELETE", "/vector_stores/"+first+"/files/"+id, "", "conflict", "") // it is being read
	w.read(id)
	w.ask(200, "DELETE", "/vector_stores/"+first+"/files/"+id, "")
	if got := w.ask(200, "GET", "/files/"+id, ""); got.text("id") != id {
		t.Errorf("taken out: %v", got)
	}
	w.ask(200, "DELETE", "/files/"+id, "")
	refuse(404, "GET", "/files/"+id, "", "not_found", "")
}

func TestADeletedVectorStoreLeavesItsFiles(t *testing.T) {
	w := newWorld(t)
	kept, twin := w.file("kept.md", "# Kept"), w.file("twin.md", "# Twin")
	store := w.vectorStore("store", kept, twin)
	other := w.file("other.md", "# Twin")
	w.ask(409, "DELETE", "/vector_stores/"+store, "") // its files are being read
	w.read(kept)
	w.read(twin)
	if got := w.ask(200, "DELETE", "/vector_stores/"+store, ""); got.text("object") != "vector_store.deleted" || got["deleted"] != true {
		t.Errorf("deleted: %v", got)
	}
	w.ask(404, "GET", "/vector_stores/"+store, "")
	w.ask(200, "GET", "/files/"+kept, "")
	w.ask(200, "GET", "/files/"+other, "")
	w.ask(404, "GET", "/files/"+twin, "") // the other one has its bytes
	w.work()

	owner := assistants.Assistant{ID: assistants.NewAssistantID(), TenantID: tenant, Slug: "a", Name: "A", CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings()}
	w.must(w.store.CreateAssistant(t.Context(), owner))
	w.ask(409, "DELETE", "/vector_stores/"+string(owner.CollectionID), "")
	w.ask(409, "POST", "/vector_stores/"+string(owner.CollectionID), `{"name":"mine"}`)
	read := w.vectorStore("read", kept)
	w.read(kept)
	reader := owner
	reader.ID, reader.Slug, reader.CollectionID = assistants.NewAssistantID(), "b", assistants.NewCollectionID()
	reader.Settings.Collections = []string{read}
	w.must(w.store.CreateAssistant(t.Context(), reader))
	w.ask(409, "DELETE", "/vector_stores/"+read, "")
	w.ask(200, "GET", "/vector_stores/"+read+"/files/"+kept, "")
	w.ask(404, "GET", "/vector_stores/"+string(assistants.FilesCollection(tenant)), "") // it is none
}

func TestABatchCountsItsFiles(t *testing.T) {
	w := newWorld(t)
	store, a, b, c := w.vectorStore("store"), w.file("a.md", "# A"), w.file("b.md", "# B"), w.file("c.md", "# C")
	path := "/vector_stores/" + store + "/file_batches"
	batch := w.ask(200, "POST", path, `{"file_ids":["`+a+`","`+b+`","`+a+`"],"attributes":{"of":"the batch"}}`)
	own := w.ask(200, "POST", path, `{"files":[{"file_id":"`+c+`","attributes":{"of":"its own"}}]}`)
	counts := func(id string, want int) {
		t.Helper()
		got := w.ask(200, "GET", path+"/"+id, "")
		if n, _ := got["file_counts"].(map[string]any); n["completed"] != float64(want) || got["created_at"] != batch["created_at"] && id == batch.text("id") {
			t.Errorf("the batch: %v", got)
		}
	}
	counts(batch.text("id"), 0)
	w.read(a)
	counts(batch.text("id"), 1)
	if got := w.ask(200, "GET", path+"/"+batch.text("id")+"/files?order=asc&limit=1", ""); !slices.Equal(got.ids(), []string{a}) || got["has_more"] != true {
		t.Errorf("the first file of a batch: %v", got)
	}
	if got := w.ask(200, "GET", path+"/"+batch.text("id")+"/files?order=asc&after="+a, ""); !slices.Equal(got.ids(), []string{b}) || got["has_more"] != false {
		t.Errorf("the others: %v", got)
	}
	w.ask(400, "GET", path+"/"+batch.text("id")+"/files?after="+c, "")
	for id, want := range map[string]string{a: "the batch", c: "its own"} {
		d, err := w.store.Document(t.Context(), tenant, assistants.DocumentID(id))
		if err != nil || d.Tags["of"] != want {
			t.Errorf("attributes %v, %v, want %s", d.Tags, err, want)
		}
	}
	w.ask(404, "GET", path+"/"+assistants.NewBatchID(), "")
	w.ask(404, "POST", path+"/"+assistants.NewBatchID()+"/cancel", "")
	if code, _ := w.ask(400, "POST", path+"/"+batch.text("id")+"/cancel", "").fault(); code != "not_available" {
		t.Errorf("cancelled: %s", code)
	}
	w.ask(404, "GET", "/vector_stores/"+w.vectorStore("other")+"/file_batches/"+own.text("id"), "")
	for body, param := range map[string]string{
		`{}`: "file_ids", `{"file_ids":[]}`: "file_ids", `{"file_ids":["x"],"files":[{"file_id":"x"}]}`: "files", `{"files":[{}]}`: "files[0].file_id",
		`{"files":[{"file_id":"x","attributes":{"a":[]}}]}`: "files[0].attributes", `{"files":[{"file_id":"x"}],"attributes":{}}`: "attributes", `{"files":3}`: "files",
	} {
		if _, got := w.ask(400, "POST", path, body).fault(); got != param {
			t.Errorf("%s: param %q, want %q", body, got, param)
		}
	}
	w.mu.Lock()
	w.now = w.now.Add(batchLife)
	w.mu.Unlock()
	w.ask(404, "GET", path+"/"+batch.text("id"), "") // a day later
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	w := newWorld(t)
	store := w.vectorStore("store")
	for _, c := range []struct{ path, body, code, param string }{
		{"/vector_stores", `{"metadata":{"a":1}}`, "invalid_type", "metadata"},
		{"/vector_stores", `{"metadata":[]}`, "invalid_type", "metadata"},
		{"/vector_stores", `{"metadata":{"a":"b","a":"c"}}`, "duplicate_key", "metadata.a"},
		{"/vector_stores", `{"metadata":{"a":"` + strings.Repeat("b", 513) + `"}}`, "invalid_value", "metadata"},
		{"/vector_stores", `{"expires_after":{"anchor":"last_active_at","days":1}}`, "unsupported_parameter", "expires_after"},
		{"/vector_stores", `{"description":"d"}`, "unsupported_parameter", "description"},
		{"/vector_stores", `{"chunking_strategy":{"type":"static","static":{"max_chunk_size_tokens":800,"chunk_overlap_tokens":400}}}`, "invalid_value", "chunking_strategy"},
		{"/vector_stores", `{"chunking_strategy":{}}`, "invalid_value", "chunking_strategy"},
		{"/vector_stores", `{"name":7}`, "invalid_type", "name"},
		{"/vector_stores", `{"name":"a\u0000"}`, "invalid_value", "name"},
		{"/vector_stores", `{"file_ids":[null]}`, "invalid_type", "file_ids"},
		{"/vector_stores", `{"file_ids":["` + strings.Repeat(`x","`, 500) + `x"]}`, "invalid_value", "file_ids"},
		{"/vector_stores", `{"unknown":1}`, "unsupported_parameter", "unknown"},
		{"/vector_stores/" + store, `{"metadata":{"a":null}}`, "invalid_type", "metadata"},
		{"/vector_stores/" + store, `{"metadata":{"a":"\u0000"}}`, "invalid_value", "metadata"},
		{"/vector_stores/" + store + "/files", `{}`, "missing_required_parameter", "file_id"},
		{"/vector_stores/" + store + "/files", `{"file_id":"x","attributes":{"a":{}}}`, "invalid_type", "attributes"},
		{"/vector_stores/" + store + "/files", `{"file_id":"x","attributes":{"a":"1","a":"2"}}`, "duplicate_key", "attributes.a"},
		{"/vector_stores/" + store + "/files", `{"file_id":"x","attributes":{"":"1"}}`, "invalid_value", "attributes"},
		{"/vector_stores/" + store + "/files", `{"file_id":"x","attributes":[]}`, "invalid_type", "attributes"},
	} {
		if code, param := w.ask(400, "POST", c.path, c.body).fault(); code != c.code || param != c.param {
			t.Errorf("%s %s: %s %s, want %s %s", c.path, c.body, code, param, c.code, c.param)
		}
	}
	for _, body := range []string{`{}`, `{"name":null,"metadata":{},"expires_after":null,"description":null,"file_ids":null,"chunking_strategy":{"type":"auto"}}`, `{"name":""}`} {
		if got := w.ask(200, "POST", "/vector_stores", body); got.text("name") != noName {
			t.Errorf("%s: %v", body, got)
		}
	}
	if got := w.ask(200, "POST", "/vector_stores/"+store, `{"name":"renamed"}`); got.text("name") != "renamed" {
		t.Errorf("renamed: %v", got)
	}
}

func TestAVectorStoreKeepsItsMetadata(t *testing.T) {
	w := newWorld(t)
	shows := func(store object, want map[string]any) {
		t.Helper()
		if !reflect.DeepEqual(store["metadata"], any(want)) {
			t.Errorf("metadata %v, want %v", store["metadata"], want)
		}
	}
	made := w.ask(200, "POST", "/vector_stores", `{"name":"store","metadata":{"project":"x"}}`)
	shows(made, map[string]any{"project": "x"})
	path := "/vector_stores/" + made.text("id")
	shows(w.ask(200, "POST", path, `{"name":"renamed","metadata":null}`), map[string]any{"project": "x"})
	shows(w.ask(200, "POST", path, `{"metadata":{"a":"b"}}`), map[string]any{"a": "b"})
	shows(w.ask(200, "GET", path, ""), map[string]any{"a": "b"})
	shows(w.ask(200, "POST", path, `{"metadata":{}}`), map[string]any{})
	shows(w.ask(200, "POST", "/vector_stores", `{}`), map[string]any{})
}

// Attributes come back as what they were given, wherever they are shown.
func TestAttributesKeepTheirTypes(t *testing.T) {
	w := newWorld(t)
	id := w.file("a.md", "# A")
	store := w.vectorStore("store")
	const body = `{"year":2026,"share":-1.5e3,"draft":false,"text":"2026","word":"true"}`
	want := map[string]any{"year": 2026.0, "share": -1500.0, "draft": false, "text": "2026", "word": "true"}
	path := "/vector_stores/" + store + "/files"
	for name, got := range map[string]object{
		"added": w.ask(200, "POST", path, `{"file_id":"`+id+`","attributes":`+body+`}`), "shown": w.ask(200, "GET", path+"/"+id, ""),
		"changed": w.ask(200, "POST", path+"/"+id, `{"attributes":`+body+`}`),
	} {
		if !reflect.DeepEqual(got["attributes"], any(want)) {
			t.Errorf("%s: %v", name, got["attributes"])
		}
	}
	d, err := w.store.UpdateDocument(t.Context(), tenant, assistants.DocumentID(id), func(d *assistants.Document) error {
		d.Tags = map[string]string{"year": "this one", "share": "null", "draft": "no", "text": "\"2026\""} // as the control API does
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.hits = []assistants.Hit{{Document: d, Chunk: assistants.Chunk{Text: "One."}}}
	got, _ := w.ask(200, "POST", "/vector_stores/"+store+"/search", `{"query":"one"}`)["data"].([]any)
	first, _ := got[0].(map[string]any)
	if want := map[string]any{"year": "this one", "share": "null", "draft": "no", "text": "\"2026\""}; !reflect.DeepEqual(first["attributes"], any(want)) {
		t.Errorf("found with %v", first["attributes"])
	}
	w.ask(200, "POST", path+"/"+id, `{"attributes":{"year":"2026"}}`)
	if got := w.ask(200, "GET", path+"/"+id, ""); !reflect.DeepEqual(got["attributes"], any(map[string]any{"year": "2026"})) {
		t.Errorf("a text that was a number: %v", got["attributes"])
	}
}

func TestTheBytesOfAFileAreThoseOfItsDocument(t *testing.T) {
	w := newWorld(t)
	id := w.file("a.md", "# A")
	resp, err := w.server.Client().Get(w.server.URL + "/v1/files/" + id + "/content")
	w.must(err)
	body, err := io.ReadAll(resp.Body)
	w.must(errors.Join(err, resp.Body.Close()))
	if want := "GET /v1.0/documents/" + id + "/download"; resp.StatusCode != 200 || string(body) != want {
		t.Errorf("%d %s, want %s", resp.StatusCode, body, want)
	}
	w.ask(404, "GET", "/files/x/content", "")
	w.caller.Key.Assistants = []assistants.AssistantID{"asst_a"}
	w.ask(403, "GET", "/files/"+id+"/content", "")
}

func TestKeysAndTheAuditLog(t *testing.T) {
	w := newWorld(t)
	id := w.file("a.md", "# A")
	store := w.vectorStore("store", id)
	w.ask(200, "GET", "/files/"+id, "")
	w.ask(404, "DELETE", "/files/"+string(assistants.NewDocumentID()), "")
	actions := []assistants.AuditAction{assistants.AuditDocumentUpload, assistants.AuditCollectionCreate, assistants.AuditDocumentDelete}
	if len(w.events) != 3 || w.begun != 3 {
		t.Fatalf("%d events, %d begun: %+v", len(w.events), w.begun, w.events)
	}
	for i, e := range w.events {
		if e.Action != actions[i] || e.Key != "key_test" || e.RequestID != "req_test" || e.Took <= 0 {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	if e := w.events[0]; e.Status != 200 || !slices.Equal(e.Documents, []assistants.DocumentID{assistants.DocumentID(id)}) {
		t.Errorf("the upload: %+v", e)
	}
	if e := w.events[1]; e.Target != store || !slices.Equal(e.Fields, []string{"file_ids", "name"}) || len(e.Documents) != 1 {
		t.Errorf("the vector store: %+v", e)
	}
	if e := w.events[2]; e.Status != 404 || e.Code != "not_found" {
		t.Errorf("the deletion: %+v", e)
	}

	w.broken = errors.Join(assistants.ErrUnavailable)
	w.ask(503, "DELETE", "/files/"+id, "") // what cannot be noted is not done
	w.ask(200, "GET", "/files/"+id, "")
	w.broken = nil

	admin := w.caller
	for name, c := range map[string]struct {
		change func()
		status int
	}{
		"no key":                      {func() { w.caller.Anonymous = true }, 401},
		"another scope":               {func() { w.caller.Key.Scopes = []assistants.Scope{assistants.ScopeSearch} }, 403},
		"a key bound to an assistant": {func() { w.caller.Key.Assistants = []assistants.AssistantID{"asst_a"} }, 403},
		"another tenant":              {func() { w.caller.Tenant = "other" }, 404},
	} {
		w.caller = admin
		c.change()
		for _, path := range []string{"/files/" + id, "/vector_stores/" + store, "/vector_stores/" + store + "/files/" + id} {
			if w.ask(c.status, "GET", path, ""); t.Failed() {
				t.Fatal(name)
			}
		}
	}
}
