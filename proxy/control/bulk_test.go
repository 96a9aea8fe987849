package control_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"footnote/assistants"
)

// bulk sends a request about many documents and returns status and code of each,
// such as "200 404:not_found". The results must be in the order of the request.
func (w *world) bulk(assistant, action string, documents []string, more string) string {
	w.t.Helper()
	ids, err := json.Marshal(documents)
	if err != nil {
		w.t.Fatal(err)
	}
	var got struct {
		Data []struct {
			ID     string
			Status int
			Error  *struct{ Code, Message string }
		}
		Next *string `json:"next_cursor"`
	}
	w.call("POST", "/assistants/"+assistant+"/documents/bulk", fmt.Sprintf(`{"action":%q,"documents":%s%s}`, action, ids, more)).into(200, &got)
	if len(got.Data) != len(documents) || got.Next != nil {
		w.t.Fatalf("%d results for %d documents", len(got.Data), len(documents))
	}
	results := make([]string, len(got.Data))
	for i, r := range got.Data {
		if r.ID != documents[i] || (r.Error == nil) != (r.Status == 200) {
			w.t.Errorf("result %d is %+v, want one of %s", i, r, documents[i])
		}
		results[i] = fmt.Sprint(r.Status)
		if r.Error != nil {
			results[i] += ":" + r.Error.Code
		}
	}
	return strings.Join(results, " ")
}

func (w *world) labels(document string) string {
	w.t.Helper()
	return fmt.Sprint(w.call("GET", "/documents/"+document, "").object(200)["labels"])
}

func TestManyDocumentsAreLabelledAtOnce(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", ""), w.assistant("other", "")
	a, b, foreign := w.document(mine, "a.txt", "a"), w.document(mine, "b.txt", "b"), w.document(other, "c.txt", "c")
	w.call("PATCH", "/documents/"+b, `{"labels":["old","kept"]}`).want(200)
	documents := []string{b, "doc_nowhere", foreign, "not an id", a, b, ""}
	for range 2 { // it may be repeated
		if got := w.bulk("mine", "label", documents, `,"add":["new","kept"],"remove":["old"]`); got != "200 404:not_found 404:not_found 404:not_found 200 200 404:not_found" {
			t.Errorf("results %s", got)
		}
		if w.labels(a) != "[new kept]" || w.labels(b) != "[kept new]" || w.labels(foreign) != "[]" {
			t.Errorf("labels %s, %s, %s", w.labels(a), w.labels(b), w.labels(foreign))
		}
	}
	tag := w.tag("/documents/" + a)
	w.bulk("mine", "label", []string{a}, `,"remove":["nothing"]`)
	if w.tag("/documents/"+a) != tag {
		t.Error("nothing was to change, and it did")
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint("label ", i)
	}
	raw, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	w.call("PATCH", "/documents/"+b, `{"labels":null}`).want(200)
	if got := w.bulk("mine", "label", []string{a, b}, `,"add":`+string(raw)); got != "400:invalid_value 200" { // a has two already
		t.Errorf("too many labels: %s", got)
	}
	if w.woken == 0 {
		t.Error("the worker was not woken")
	}
}

func TestManyDocumentsAreReprocessedAndDeletedAtOnce(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", ""), w.assistant("other", "")
	a, b, foreign := w.document(mine, "a.txt", "a"), w.document(mine, "b.txt", "b"), w.document(other, "c.txt", "c")
	w.publish(a, "a")
	if got := w.bulk("mine", "reprocess", []string{a, foreign, b, a}, ""); got != "200 404:not_found 200 200" {
		t.Errorf("reprocessed: %s", got)
	}
	if got := w.call("GET", "/documents/"+a, "").object(200)["status"]; got != "pending" {
		t.Errorf("the document is %v", got)
	}
	versions := len(w.call("GET", "/documents/"+a+"/log", "").object(200)["data"].([]any))
	if w.bulk("mine", "reprocess", []string{a}, ""); len(w.call("GET", "/documents/"+a+"/log", "").object(200)["data"].([]any)) != versions {
		t.Error("a document that waits was queued again")
	}
	if got := w.bulk("mine", "delete", []string{a, foreign, a}, ""); got != "200 404:not_found 200" {
		t.Errorf("deleted: %s", got)
	}
	if got := w.bulk("mine", "delete", []string{a, b}, ""); got != "404:not_found 200" {
		t.Errorf("deleted again: %s", got)
	}
	w.call("GET", "/documents/"+b, "").fails(404, "not_found", "")
	w.call("GET", "/documents/"+foreign, "").want(200)
}

func TestARequestAboutManyDocumentsIsChecked(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	a := w.document(mine, "a.txt", "a")
	ids := `"documents":["` + a + `"]`
	thousand := strings.TrimSuffix(strings.Repeat(`"`+a+`",`, 1000), ",")
	for body, want := range map[string][2]string{
		`{` + ids + `}`:                                             {"missing_required_parameter", "action"},
		`{"action":"delete"}`:                                       {"missing_required_parameter", "documents"},
		`{"action":"delete","documents":[]}`:                        {"invalid_value", "documents"},
		`{"action":"delete","documents":[` + thousand + `,"x"]}`:    {"invalid_value", "documents"},
		`{"action":"delete","documents":[1]}`:                       {"invalid_type", "documents"},
		`{"action":"delete","documents":[null]}`:                    {"invalid_type", "documents"},
		`{"action":"delete","documents":null}`:                      {"invalid_type", "documents"},
		`{"action":"burn",` + ids + `}`:                             {"invalid_value", "action"},
		`{"action":"label",` + ids + `}`:                            {"missing_required_parameter", "add"},
		`{"action":"label",` + ids + `,"add":[],"remove":[]}`:       {"missing_required_parameter", "add"},
		`{"action":"label",` + ids + `,"add":["x",""]}`:             {"invalid_value", "add[1]"},
		`{"action":"label",` + ids + `,"add":["x"],"remove":["x"]}`: {"invalid_value", "remove[0]"},
		`{"action":"delete",` + ids + `,"add":["x"]}`:               {"invalid_value", "add"},
		`{"action":"delete",` + ids + `,"remove":[]}`:               {"invalid_value", "remove"},
		`{"action":"delete",` + ids + `,"force":true}`:              {"unsupported_parameter", "force"},
	} {
		w.call("POST", "/assistants/mine/documents/bulk", body).fails(400, want[0], want[1])
	}
	w.call("GET", "/documents/"+a, "").want(200)
	w.call("POST", "/assistants/nowhere/documents/bulk", `{"action":"delete",`+ids+`}`).fails(404, "not_found", "")
	bound := w.storeKey(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistants.AssistantID(mine)} })
	w.as(bound, "POST", "/assistants/mine/documents/bulk", `{"action":"delete",`+ids+`}`).want(200)
	w.call("GET", "/documents/"+a, "").fails(404, "not_found", "")
}

// TestAThousandDocumentsAreOneRequest names as many as one request may, of which
// every twentieth is there.
func TestAThousandDocumentsAreOneRequest(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	ids, want := make([]string, 1000), make([]string, 1000)
	for i := range ids {
		ids[i], want[i] = fmt.Sprint("doc_nowhere", i), "404:not_found"
		if i%20 == 0 {
			ids[i], want[i] = w.document(mine, fmt.Sprint(i), fmt.Sprint("content ", i)), "200"
		}
	}
	if got := w.bulk("mine", "label", ids, `,"add":["all"]`); got != strings.Join(want, " ") {
		t.Errorf("labelled: %s", got)
	}
	var listed struct{ Total int }
	if w.call("GET", "/assistants/mine/documents?label=all&limit=1&count=true", "").into(200, &listed); listed.Total != 50 {
		t.Errorf("%d are labelled", listed.Total)
	}
	if got := w.bulk("mine", "delete", ids, ""); got != strings.Join(want, " ") {
		t.Errorf("deleted: %s", got)
	}
	if w.call("GET", "/assistants/mine/documents?count=true", "").into(200, &listed); listed.Total != 0 {
		t.Errorf("%d are left", listed.Total)
	}
}
