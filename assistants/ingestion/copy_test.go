package ingestion

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector/embedded"
)

// A faultyIndex fails at the n-th write from now.
type faultyIndex struct {
	Index
	left int
}

var errPowerCut = errors.New("power cut")

func (i *faultyIndex) fails() bool { i.left--; return i.left == 0 }

func (i *faultyIndex) Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error {
	if i.fails() {
		return errPowerCut
	}
	return i.Index.Apply(ctx, d, version, points)
}

func (i *faultyIndex) ApplyVectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space, vectors [][]float32) error {
	if i.fails() {
		return errPowerCut
	}
	return i.Index.ApplyVectors(ctx, id, version, space, vectors)
}

// An index is copied with the vectors of both spaces while a collection changes from one
// to the other. The copy ends at every write once, and goes on.
func TestACopiedIndexHasTheVectorsOfAllSpaces(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	for i := range 4 {
		w.add(fmt.Sprintf("%d.md", i), long(fmt.Sprintf("Document %d", i), 8))
	}
	w.drain(w.worker)
	two := newTestEmbedder("two")
	w.use(two)
	_, err := w.store.Reembed(t.Context(), assistants.DefaultTenant, w.collection, two.space)
	w.must(err)
	for range 2 { // two documents are in both spaces, two in the first one only
		w.step(assistants.JobEmbed)
	}
	want, err := w.index.Versions(t.Context())
	w.must(err)
	from, err := embedded.OpenReader(filepath.Join(w.dir, "index"))
	w.must(err)
	defer func() { w.must(from.Close()) }()
	to, err := embedded.Open(filepath.Join(w.dir, "copy"), embedded.Options{Log: quiet})
	w.must(err)
	stops := 0
	for n := 1; ; n++ {
		index := &faultyIndex{to, n}
		c := IndexCopy{Store: w.store, From: from, To: index, Progress: func() {}}
		documents, without, err := c.Run(t.Context())
		if err == nil {
			if documents != 4 || without != 0 {
				t.Errorf("%d documents, %d without vectors", documents, without)
			}
			break
		}
		if !errors.Is(err, errPowerCut) {
			t.Fatal(err)
		}
		stops++
	}
	got, err := to.Versions(t.Context())
	if err != nil || !reflect.DeepEqual(got, want) || stops < 3 {
		t.Errorf("%v after %d stops: %v\nwant %v", err, stops, got, want)
	}
	w.must(w.index.Close())
	w.index = to
	for id := range want {
		d := w.document(id)
		w.vectorsFit(d, w.chunks(id))
	}
}

// noVectors is an index that has lost its vectors.
type noVectors struct{}

func (noVectors) Vectors(context.Context, assistants.DocumentID, int, assistants.Space) ([][]float32, error) {
	return nil, nil
}

func TestVectorsThatTheSourceLacksAreMadeByTheNextWorker(t *testing.T) {
	w, _ := newEmbeddingWorld(t)
	w.add("a.md", "# A\n\nOne.")
	w.drain(w.worker)
	w.must(w.index.Close())
	var err error
	w.index, err = embedded.Open(filepath.Join(w.dir, "copy"), embedded.Options{Log: quiet})
	w.must(err)
	c := IndexCopy{Store: w.store, From: noVectors{}, To: w.index, Progress: func() {}}
	if documents, without, err := c.Run(t.Context()); documents != 1 || without != 1 || err != nil {
		t.Errorf("%d %d %v", documents, without, err)
	}
	w.use(w.embedder)
	w.must(w.worker.Reconcile(t.Context()))
	w.drain(w.worker)
	w.consistent()
}

func TestAnIndexWithOtherDocumentsIsNotCopiedTo(t *testing.T) {
	w := newWorld(t)
	w.add("a.md", "# A\n\nOne.")
	w.drain(w.worker)
	w.must(w.index.Apply(t.Context(), assistants.Document{ID: "doc_strange", TenantID: "default", CollectionID: "coll_x", Name: "x"}, 1,
		[]assistants.Point{{ChunkID: "chunk_x", Text: "strange"}}))
	c := IndexCopy{Store: w.store, From: noVectors{}, To: w.index, Progress: func() {}}
	if _, _, err := c.Run(t.Context()); !errors.Is(err, assistants.ErrConflict) {
		t.Error(err)
	}
	if got := w.indexed(); got["doc_strange"] != 1 {
		t.Errorf("%v", got)
	}
}
