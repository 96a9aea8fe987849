package control_test

import (
	"context"
	"errors"
	"testing"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/proxy/control"
)

// A spaceOf is an embedder that has a space and does nothing.
type spaceOf struct {
	space assistants.Space
	err   error
}

func (s *spaceOf) Space(context.Context) (assistants.Space, error) { return s.space, s.err }

func (s *spaceOf) Status() assistants.EmbedderStatus {
	return assistants.EmbedderStatus{Space: s.space}
}

func (s *spaceOf) EmbedPassages(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("not used in this test")
}

func embedderWorld(t *testing.T) (*world, *spaceOf) {
	e := &spaceOf{space: assistants.Space{Model: "one", Dimensions: 3}}
	w := newWorld(t, func(d *control.Deps) {
		library, ok := d.Library.(*ingestion.Library)
		if !ok {
			t.Fatal("another library")
		}
		library.Embedder = e
		d.Embedder = e
	})
	return w, e
}

func (w *world) collectionOf(assistant string) string {
	w.t.Helper()
	id, _ := w.call("GET", "/assistants/"+assistant, "").object(200)["collection_id"].(string)
	return id
}

// embedAll records vectors for documents without, as the worker does.
func (w *world) embedAll(collection string, space assistants.Space) {
	w.t.Helper()
	ctx := w.t.Context()
	_, err := w.store.ClaimSpace(ctx, assistants.DefaultTenant, assistants.CollectionID(collection), space)
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.store.EachLive(ctx, func(d assistants.Document) error {
		return w.store.Embedded(ctx, assistants.VersionRef{Tenant: d.TenantID, Document: d.ID, Number: d.Live}, space, noon)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestACollectionShowsItsSpace(t *testing.T) {
	w, e := embedderWorld(t)
	mine := w.assistant("mine", "")
	coll := w.collectionOf(mine)
	fresh := w.call("GET", "/collections/"+coll, "").object(200)
	if fresh["id"] != coll || fresh["assistant_id"] != mine || fresh["space"] != nil || fresh["needs_reprocess"] != false {
		t.Errorf("%v", fresh)
	}
	w.publish(w.document(mine, "a.txt", "the text of a document"), "the text of a document")
	w.document(mine, "b.txt", "another one that is pending")
	w.embedAll(coll, e.space)
	var got struct {
		Space     assistants.Space
		Documents struct{ Total, None, Text, Full, Queued int }
		Passages  struct{ Total, Embedded int }
	}
	w.call("GET", "/collections/"+coll, "").into(200, &got)
	if got.Space != e.space || got.Documents.Total != 2 || got.Documents.None != 1 || got.Documents.Full != 1 || got.Passages.Embedded != got.Passages.Total || got.Passages.Total == 0 {
		t.Errorf("%+v", got)
	}
	var list struct{ Data []struct{ ID string } }
	w.assistant("other", "")
	w.call("GET", "/collections", "").into(200, &list)
	if len(list.Data) != 2 || list.Data[0].ID != coll && list.Data[1].ID != coll {
		t.Errorf("%+v", list)
	}
	for _, id := range []string{"coll_nowhere", "coll_", "asst_x", "x"} {
		w.call("GET", "/collections/"+id, "").fails(404, "not_found", "")
		w.call("POST", "/collections/"+id+"/reprocess", "").fails(404, "not_found", "")
	}
}

// Documents whose vectors could not be compared are refused, with the remedy.
func TestDocumentsForAnotherModelAreRefusedUntilTheCollectionIsReprocessed(t *testing.T) {
	w, e := embedderWorld(t)
	mine := w.assistant("mine", "")
	coll := w.collectionOf(mine)
	doc := w.document(mine, "a.txt", "the text of a document")
	w.publish(doc, "the text of a document")
	w.embedAll(coll, e.space)
	before := e.space
	e.space = assistants.Space{Model: "two", Dimensions: 4}
	if got := w.call("GET", "/collections/"+coll, "").object(200); got["needs_reprocess"] != true {
		t.Errorf("%v", got)
	}
	w.upload("POST", "/assistants/"+mine+"/documents", part{"file", "b.txt", "refused"}).fails(409, "embedding_dimension_mismatch", "")
	w.upload("PUT", "/documents/"+doc+"/file", part{"file", "a.txt", "refused, too"}).fails(409, "embedding_dimension_mismatch", "")
	w.call("POST", "/documents/"+doc+"/reprocess", "").fails(409, "embedding_dimension_mismatch", "")

	var got struct {
		Space        assistants.Space
		Reprocessing struct {
			Space          assistants.Space
			Documents      int
			DocumentsTotal int `json:"documents_total"`
		}
		Documents struct{ Full, Queued int }
	}
	w.call("POST", "/collections/"+coll+"/reprocess", "").into(202, &got)
	if got.Space != before || got.Reprocessing.Space != e.space || got.Reprocessing.DocumentsTotal != 1 || got.Documents.Queued != 1 || got.Documents.Full != 1 {
		t.Errorf("%+v", got)
	}
	w.upload("POST", "/assistants/"+mine+"/documents", part{"file", "b.txt", "taken now"}).want(202)
	w.call("POST", "/documents/"+doc+"/reprocess", "").want(202)

	e.err = assistants.ErrNoEmbedder
	w.call("POST", "/collections/"+coll+"/reprocess", "").fails(503, "embedder_unavailable", "")
	w.upload("POST", "/assistants/"+mine+"/documents", part{"file", "c.txt", "taken, to be found by its words"}).want(202)
}

// The number of waiting documents is limited.
func TestUploadsBeyondTheQueueGetRetryAfter(t *testing.T) {
	w := newWorld(t, func(d *control.Deps) {
		if library, ok := d.Library.(*ingestion.Library); ok {
			library.MaxQueue = 2
		}
	})
	mine := w.assistant("mine", "")
	doc := w.document(mine, "a.txt", "one")
	w.document(mine, "b.txt", "two")
	for _, got := range []reply{w.upload("POST", "/assistants/"+mine+"/documents", part{"file", "c.txt", "three"}), w.upload("PUT", "/documents/"+doc+"/file", part{"file", "a.txt", "four"})} {
		got.fails(503, "overloaded", "")
		if got.header.Get("Retry-After") != "10" {
			t.Errorf("headers %v", got.header)
		}
	}
	if n, err := w.store.CountJobs(t.Context()); err != nil || n != 2 {
		t.Errorf("%d jobs, %v", n, err)
	}
	w.call("DELETE", "/documents/"+doc, "").want(204)
	w.upload("POST", "/assistants/"+mine+"/documents", part{"file", "c.txt", "three"}).want(202)
}
