package ingestion

import (
	"testing"

	"footnote/assistants"
)

// TestAFileIsReadOnceItIsMoved uploads a file into the collection of files, where it
// waits, and moves it into a collection that is searched and back again.
func TestAFileIsReadOnceItIsMoved(t *testing.T) {
	w, embedder := newEmbeddingWorld(t)
	files := assistants.FilesCollection(assistants.DefaultTenant)
	w.must(w.store.CreateCollection(t.Context(), assistants.Collection{ID: files, TenantID: assistants.DefaultTenant, Name: "Files", CreatedAt: w.clock()}))
	upload := w.upload("report.md", "# Report\n\nSome words.")
	upload.Collection = files
	d, _, err := w.library.Add(t.Context(), upload)
	w.must(err)
	w.drain(w.worker)
	w.restart()
	if got := w.document(d.ID); got.Status != assistants.StatusPending || got.Live != 0 {
		t.Errorf("it was read before it was moved: %+v", got)
	}
	if found, _ := w.findings(true, false); len(found) > 0 {
		t.Errorf("a file that waits is taken for damage: %q", found)
	}

	move := func(to assistants.CollectionID) assistants.Document {
		_, err := w.store.MoveDocument(t.Context(), assistants.DefaultTenant, d.ID, to, nil)
		w.must(err)
		w.drain(w.worker)
		w.must(w.worker.embedMissing(t.Context()))
		w.drain(w.worker)
		return w.document(d.ID)
	}
	if got := move(w.collection); got.Status != assistants.StatusReady || got.Searchable() != assistants.SearchableFull {
		t.Errorf("moved: %+v", got)
	}
	asked := len(embedder.passages())
	if got := move(files); got.Searchable() != assistants.SearchableText || len(embedder.passages()) != asked {
		t.Errorf("moved back, where nothing searches it: %s, %d passages embedded", got.Searchable(), len(embedder.passages())-asked)
	}
	w.restart()
	if got := w.document(d.ID); got.Searchable() != assistants.SearchableText || len(embedder.passages()) != asked {
		t.Errorf("after a restart: %s, %d passages embedded", got.Searchable(), len(embedder.passages())-asked)
	}
	if got := move(w.collection); got.Searchable() != assistants.SearchableFull {
		t.Errorf("moved once more: %s", got.Searchable())
	}
	w.consistent()
}
