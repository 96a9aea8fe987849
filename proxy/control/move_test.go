package control_test

import (
	"testing"
	"time"

	"footnote/assistants"
)

// idle ends all open jobs.
func (w *world) idle() {
	w.t.Helper()
	for {
		job, ok, err := w.store.ClaimJob(w.t.Context(), time.Now().Add(time.Hour), time.Minute, assistants.JobFilter{})
		if err == nil && ok {
			err = w.store.FinishJob(w.t.Context(), job)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		if !ok {
			return
		}
	}
}

func TestADocumentIsMovedToAnotherCollection(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", ""), w.assistant("other", "")
	to, common := w.collectionOf(other), w.shared("Common")
	doc := w.document(mine, "a.txt", "some text")
	move := "/documents/" + doc + "/move"
	body := `{"collection_id":"` + to + `"}`
	w.call("POST", move, body).fails(409, "conflict", "") // it is being processed
	w.publish(doc, "some text")
	w.idle()
	for sent, want := range map[string][2]string{
		`{}`: {"missing_required_parameter", "collection_id"}, `{"collection_id":7}`: {"invalid_type", "collection_id"},
		`{"collection_id":"coll_none"}`: {"invalid_value", "collection_id"}, `{"collection_id":"other"}`: {"invalid_value", "collection_id"},
	} {
		w.call("POST", move, sent).fails(400, want[0], want[1])
	}
	stale := w.tag("/documents/" + doc)
	got := w.call("POST", move, body)
	if moved := got.object(200); moved["collection_id"] != to || moved["searchable"] != "text" || got.header.Get("ETag") != w.tag("/documents/"+doc) {
		t.Errorf("moved: %v", moved)
	}
	w.noted("document.move", map[string]string{"target_id": doc, "result": "ok", "assistant_id": mine, "collection_ids": "[" + w.collectionOf(mine) + " " + to + "]"})
	w.call("POST", move, body).want(200) // it is there
	w.conditional("POST", move, `{"collection_id":"`+common+`"}`, "If-Match", stale).fails(412, "precondition_failed", "")
	if list := w.documents("mine"); len(list) != 0 {
		t.Errorf("still listed: %v", list)
	}
	if list := w.documents("other"); len(list) != 1 {
		t.Errorf("not listed: %v", list)
	}

	w.idle()
	again := w.document(mine, "b.txt", "some text")
	w.idle()
	w.call("POST", "/documents/"+again+"/move", body).fails(409, "conflict", "collection_id") // its bytes are there

	// A key that is bound to assistants moves documents between these.
	bound := w.storeKey(func(k *assistants.Key) {
		k.Assistants = []assistants.AssistantID{assistants.AssistantID(mine), assistants.AssistantID(other)}
	})
	w.as(bound, "POST", move, `{"collection_id":"`+common+`"}`).fails(400, "invalid_value", "collection_id")
	w.call("DELETE", "/documents/"+again, "").want(204)
	w.as(bound, "POST", move, `{"collection_id":"`+w.collectionOf(mine)+`"}`).want(200)
	w.idle()
	w.call("POST", move, `{"collection_id":"`+common+`"}`).want(200)
	w.idle()
	w.as(bound, "POST", move, body).fails(404, "not_found", "") // it is in a shared collection now
}

func TestManyDocumentsAreMovedAtOnce(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", ""), w.assistant("other", "")
	a, b, twin := w.document(mine, "a.txt", "a"), w.document(mine, "b.txt", "b"), w.document(mine, "c.txt", "c")
	w.document(other, "c.txt", "c")
	w.idle()
	to := `,"collection_id":"` + w.collectionOf(other) + `"`
	w.call("POST", "/assistants/mine/documents/bulk", `{"action":"move","documents":["`+a+`"]}`).fails(400, "missing_required_parameter", "collection_id")
	w.call("POST", "/assistants/mine/documents/bulk", `{"action":"delete","documents":["`+a+`"]`+to+`}`).fails(400, "invalid_value", "collection_id")
	if got := w.bulk("mine", "move", []string{a, twin, "doc_none", b}, to); got != "200 409:conflict 404:not_found 200" {
		t.Errorf("results %s", got)
	}
	if left, there := w.documents("mine"), w.documents("other"); len(left) != 1 || len(there) != 3 {
		t.Errorf("%d are left, %d are there", len(left), len(there))
	}
}
