package qdrant

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"footnote/assistants"
	"footnote/assistants/lexical"
	"footnote/storage/vector/qdranttest"
	"footnote/storage/vector/vectortest"
)

// A server that comes back empty gets its collections again. It says that it has no documents, so
// that a comparison puts all of them back.
func TestAQdrantThatComesBackEmptyIsFilledAgain(t *testing.T) {
	ctx := context.Background()
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	space := assistants.Space{Model: "m", Dimensions: 2}
	fill := func() {
		t.Helper()
		applied(t, x, "c1", "d1", "apples")
		if err := x.ApplyVectors(ctx, "d1", 1, space, [][]float32{{1, 0}}); err != nil {
			t.Fatal(err)
		}
	}
	fill()
	s.Wipe()
	if _, err := x.Search(ctx, vectortest.Ask("apple", "c1")); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("the first search: %v", err)
	}
	if got, err := x.Versions(ctx); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	fill()
	if got, err := x.Search(ctx, vectortest.Ask("apple", "c1")); err != nil || len(got.Matches) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// A loss is found by the documents that are missing. The number of points does not show it, because
// points that belong to no document count, too.
func TestALossIsSeenBesidePointsOfNobody(t *testing.T) {
	s := qdranttest.New(t)
	x := qdrantOn(t, s)
	applied(t, x, "c1", "d1", "apples")
	applied(t, x, "c1", "d2", "apples")
	s.Lose("footnote_words", func(p map[string]*qdrant.Value) bool { return p["document"].GetStringValue() == "d1" })
	s.Lose("footnote_documents", func(p map[string]*qdrant.Value) bool { return p["document"].GetStringValue() == "d2" })
	if got, err := x.Versions(context.Background()); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// A server that comes back empty must not look like one that finds nothing.
func TestLostCollectionsAreReportedAndNotSearched(t *testing.T) {
	s := qdranttest.New(t)
	var lost atomic.Int32
	x := openAs(t, s, "mine", func() { lost.Add(1) })
	applied(t, x, "c", "doc1", "words of a document")
	if lost.Load() != 0 {
		t.Fatal("the first start is no loss")
	}
	search := func() (int, error) {
		found, err := x.Search(t.Context(), assistants.Search{Tenant: vectortest.Doc("c", "doc1", "n").TenantID, Collections: []assistants.CollectionID{"c"}, Terms: lexical.QueryTerms("words"), Limit: 5})
		return len(found.Matches), err
	}
	if n, err := search(); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	s.Wipe()
	for range 3 {
		if n, err := search(); !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("%d matches, %v", n, err)
		}
	}
	if lost.Load() != 1 {
		t.Errorf("reported %d times", lost.Load())
	}
	if x.Restored(0) {
		t.Error("what was filled before the loss counts as restored")
	}
	applied(t, x, "c", "doc1", "words of a document")
	if !x.Restored(x.Losses()) {
		t.Error("it is not restored")
	}
	if n, err := search(); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// Without the vectors of one model a search would silently use words only.
func TestALostCollectionOfVectorsIsReported(t *testing.T) {
	s := qdranttest.New(t)
	var lost atomic.Int32
	x := openAs(t, s, "mine", func() { lost.Add(1) })
	applied(t, x, "c", "doc1", "words of a document")
	space := assistants.Space{Model: "small", Dimensions: 3}
	if err := x.ApplyVectors(t.Context(), "doc1", 1, space, [][]float32{{1, 0, 0}}); err != nil {
		t.Fatal(err)
	}
	q := assistants.Search{Tenant: vectortest.Doc("c", "doc1", "n").TenantID, Collections: []assistants.CollectionID{"c"}, Space: space, Vector: []float32{1, 0, 0}, Limit: 5}
	if found, err := x.Search(t.Context(), q); err != nil || len(found.Matches) != 1 {
		t.Fatal(found, err)
	}
	s.Drop(x.spaceCollection(space))
	for range 2 {
		if found, err := x.Search(t.Context(), q); !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("%v %v", found.Matches, err)
		}
	}
	if lost.Load() == 0 {
		t.Error("not reported")
	}
	have, err := x.Versions(t.Context())
	if err != nil || len(have["doc1"].Spaces) != 0 {
		t.Errorf("%+v %v", have, err)
	}
}
