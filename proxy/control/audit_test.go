package control_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/control"
	"footnote/storage/db/postgrestest"
)

// audit lists the audit log, the newest event first.
func (w *world) audit(query string) []map[string]any {
	w.t.Helper()
	var p struct{ Data []map[string]any }
	w.call("GET", "/audit?"+query, "").into(200, &p)
	return p.Data
}

// noted checks the newest event of an action.
func (w *world) noted(action string, want map[string]string) {
	w.t.Helper()
	list := w.audit("limit=1&action=" + action)
	if len(list) == 0 {
		w.t.Errorf("%s: there is no event", action)
		return
	}
	want["key_name"], want["request_id"], want["address"] = "FOOTNOTE_ADMIN_KEY", "req_test", "127.0.0.1"
	for name, value := range want {
		if got := fmt.Sprint(list[0][name]); got != value {
			w.t.Errorf("%s: %s is %q, want %q in %v", action, name, got, value, list[0])
		}
	}
}

func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	for name, database := range map[string]string{"sqlite": "sqlite::memory:", "postgres": postgrestest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOn(t, database)
			mine := w.assistant("mine", `{"enable_rag":true}`)
			w.noted("assistant.create", map[string]string{"result": "ok", "status": "201", "target_id": mine, "assistant_id": mine, "fields": "[name settings.enable_rag]"})
			w.call("PATCH", "/assistants/mine/settings", `{"retrieval_top_k":7,"model":"m"}`).want(200)
			w.noted("settings.update", map[string]string{"result": "ok", "target_id": mine, "fields": "[model retrieval_top_k]"})
			w.call("PATCH", "/assistants/mine/settings", `{"retrieval_top_k":0}`).want(400)
			w.noted("settings.update", map[string]string{"result": "refused", "status": "400", "code": "invalid_value", "fields": "[]"})
			doc := w.document("mine", "a.txt", "text of a document")
			w.noted("document.upload", map[string]string{"status": "202", "assistant_id": mine, "document_ids": "[" + doc + "]"})
			w.call("PATCH", "/documents/"+doc, `{"labels":["x"]}`).want(200)
			w.noted("document.update", map[string]string{"target_id": doc, "assistant_id": mine, "fields": "[labels]"})
			w.call("POST", "/assistants/mine/documents/bulk", `{"action":"label","documents":["`+doc+`"],"add":["y"]}`).want(200)
			w.noted("documents.bulk", map[string]string{"document_ids": "[" + doc + "]", "fields": "[label]"})
			w.call("DELETE", "/documents/"+doc, "").want(204)
			w.noted("document.delete", map[string]string{"target_id": doc, "status": "204"})
			w.call("DELETE", "/documents/"+doc, "").want(404)
			w.noted("document.delete", map[string]string{"target_id": doc, "result": "refused", "code": "not_found"})
			key := w.call("POST", "/keys", `{"name":"k","scopes":["chat"]}`).object(201)
			w.noted("key.create", map[string]string{"target_id": key["id"].(string), "fields": "[name scopes]"})
			w.call("DELETE", "/keys/"+key["id"].(string), "").want(204)
			w.noted("key.revoke", map[string]string{"target_id": key["id"].(string)})
			up := w.call("POST", "/upstreams", `{"name":"far","base_url":"http://127.0.0.1:9/v1","api_key":"sk-canary"}`).object(201)
			w.noted("upstream.create", map[string]string{"target_id": up["id"].(string), "fields": "[api_key base_url name]"})
			shared := w.call("POST", "/collections", `{"name":"shared"}`).object(201)
			w.noted("collection.create", map[string]string{"target_id": shared["id"].(string)})
			if all := w.call("GET", "/audit?limit=1000", ""); strings.Contains(string(all.raw), "sk-canary") || strings.Contains(string(all.raw), key["key"].(string)) || strings.Contains(string(all.raw), "text of a document") {
				t.Errorf("a secret or a passage is in the audit log: %s", all.raw)
			}
		})
	}
}

func TestARepeatedAnswerIsNotedWithWhatWasMadeAtFirst(t *testing.T) {
	w := newWorld(t)
	send := func() reply {
		return w.send("POST", "/assistants", adminKey, strings.NewReader(`{"name":"mine"}`), "Content-Type", "application/json", "Idempotency-Key", "one")
	}
	made := send().object(201)["id"].(string)
	send().want(201)
	list := w.audit("action=assistant.create")
	if len(list) != 2 || list[0]["target_id"] != made || list[1]["target_id"] != made {
		t.Errorf("events %v", list)
	}
}

func TestASearchIsNotedWithItsQuestionAndWhatWasFound(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	doc := w.document("mine", "a.txt", "the text")
	w.found = retrieval.Result{Hits: []assistants.Hit{
		{Chunk: assistants.Chunk{ID: "chunk_a", Text: "a passage"}, Document: assistants.Document{ID: assistants.DocumentID(doc), Name: "a.txt"}},
		{Chunk: assistants.Chunk{ID: "chunk_b", Text: "a passage"}, Document: assistants.Document{ID: assistants.DocumentID(doc), Name: "a.txt"}},
	}}
	w.call("POST", "/assistants/mine/retrieve", `{"query":"How many days?"}`).want(200)
	w.noted("search", map[string]string{"query": "How many days?", "assistant_id": mine, "result_count": "2", "document_ids": "[" + doc + "]", "target_id": "<nil>", "fields": "[]"})
	collection := w.call("GET", "/assistants/mine", "").object(200)["collection_id"]
	w.noted("search", map[string]string{"collection_ids": fmt.Sprintf("[%s]", collection)})
	w.fails = assistants.ErrUnavailable
	w.call("POST", "/assistants/mine/retrieve", `{"query":"And then?"}`).want(503)
	w.noted("search", map[string]string{"query": "And then?", "result": "failed", "code": "retrieval_unavailable", "document_ids": "[]"})
}

// A brokenLog takes no events.
type brokenLog struct{ recorded []assistants.AuditEvent }

func (*brokenLog) Begin(context.Context, assistants.AuditEvent) error {
	return assistants.ErrDatabaseUnavailable
}
func (b *brokenLog) Record(e assistants.AuditEvent) { b.recorded = append(b.recorded, e) }
func (*brokenLog) Flush(context.Context) error      { return assistants.ErrDatabaseUnavailable }

func TestWhatCannotBeNotedIsNotChanged(t *testing.T) {
	broken := &brokenLog{}
	w := newWorld(t, func(d *control.Deps) { d.Audit = broken })
	w.call("POST", "/assistants", `{"name":"mine"}`).fails(503, "database_unavailable", "")
	if found, err := w.store.FindAssistants(t.Context(), assistants.DefaultTenant, assistants.AssistantQuery{}, assistants.List{}); err != nil || len(found.Items) != 0 {
		t.Errorf("made: %v, %v", found.Items, err)
	}
	if len(broken.recorded) != 1 || broken.recorded[0].Status != 503 || broken.recorded[0].Result() != assistants.AuditFailed {
		t.Errorf("recorded %+v", broken.recorded)
	}
	w.call("GET", "/assistants", "").want(200)
	w.call("GET", "/audit", "").fails(503, "database_unavailable", "")
}

func TestTheAuditLogIsFilteredAndPaged(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	w.assistant("other", "")
	secret := w.key(`{"name":"second","scopes":["admin"]}`)
	w.as(secret, "PATCH", "/assistants/mine", `{"name":"Mine"}`).want(200)
	w.as(secret, "DELETE", "/keys/key_none", "").want(404)
	actions := func(query string) (list []string) {
		for _, e := range w.audit(query) {
			list = append(list, e["action"].(string))
		}
		return list
	}
	second := w.audit("action=key.revoke")[0]["key_id"].(string)
	for query, want := range map[string][]string{
		"":                                         {"key.revoke", "assistant.update", "key.create", "assistant.create", "assistant.create"},
		"sort=created_at&limit=2":                  {"assistant.create", "assistant.create"},
		"key_id=" + second:                         {"key.revoke", "assistant.update"},
		"key_id=key_configured_admin":              {"key.create", "assistant.create", "assistant.create"},
		"assistant_id=" + mine:                     {"assistant.update", "assistant.create"},
		"result=refused":                           {"key.revoke"},
		"action=key.create&action=key.revoke":      {"key.revoke", "key.create"},
		"to=2026-03-04T12:00:00Z":                  nil,
		"from=2026-03-04T13:00:00%2B01:00&limit=1": {"key.revoke"},
	} {
		if got := actions(query); !slices.Equal(got, want) {
			t.Errorf("%q lists %v, want %v", query, got, want)
		}
	}
	for query, param := range map[string]string{
		"action=chats": "action", "result=good": "result", "key_id=fn-1": "key_id", "assistant_id=mine": "assistant_id", "from=yesterday": "from", "to=2026-03-04": "to",
		"sort=name": "sort", "result=ok&result=ok": "result", "cursor=x": "cursor", "limit=0": "limit",
	} {
		if got := w.call("GET", "/audit?"+query, ""); got.status != 400 || !strings.Contains(string(got.raw), `"param":"`+param+`"`) {
			t.Errorf("%q: %d %s", query, got.status, got.raw)
		}
	}
	first := w.call("GET", "/audit?limit=4", "").object(200)
	rest := w.audit("limit=4&cursor=" + first["next_cursor"].(string))
	if len(rest) != 1 || rest[0]["action"] != "assistant.create" {
		t.Errorf("the second page has %v", rest)
	}
}

func TestTheAuditLogIsExportedAsCSV(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	var events []assistants.AuditEvent
	for i := range 1500 {
		events = append(events, assistants.AuditEvent{
			ID: assistants.NewAuditID(), TenantID: assistants.DefaultTenant, CreatedAt: noon.Add(-time.Duration(i+1) * time.Second), Action: assistants.AuditChat, Status: 200,
			Query: []string{"=HYPERLINK(\"http://evil\")", "two\nlines, and \"quotes\"", "@x", "-1", "plain ☂"}[i%5],
		})
	}
	if err := w.store.SaveAudit(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	got := w.call("GET", "/audit.csv?action=chat", "").want(200)
	if got.header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(got.header.Get("Content-Disposition"), `filename="audit.csv"`) {
		t.Errorf("headers %v", got.header)
	}
	r := csv.NewReader(strings.NewReader(string(got.raw)))
	head, err := r.Read()
	if err != nil || !slices.Contains(head, "query") || !slices.Contains(head, "response_time_ms") {
		t.Fatal(head, err)
	}
	query, rows := slices.Index(head, "query"), 0
	for ; ; rows++ {
		row, err := r.Read()
		if err == io.EOF { //nolint:errorlint // csv returns it as it is
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"'=HYPERLINK(\"http://evil\")", "two\nlines, and \"quotes\"", "'@x", "'-1", "plain ☂"}[rows%5]; row[query] != want {
			t.Fatalf("row %d has the query %q, want %q", rows, row[query], want)
		}
	}
	if rows != 1500 {
		t.Errorf("%d rows", rows)
	}
	w.as(w.key(`{"name":"k","scopes":["chat"]}`), http.MethodGet, "/audit.csv", "").fails(403, "permission_denied", "")
}
