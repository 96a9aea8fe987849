package ingestion

import (
	"testing"

	"footnote/assistants"
)

// A partial embedding is never evicted: a document that lost its vectors between
// turns would never be finished.
func TestPartialEmbeddingsAreNotEvicted(t *testing.T) {
	var l partialEmbeddings
	space := assistants.Space{Model: "m", Dimensions: 1 << 18}
	some := func(vectors int) partialEmbedding {
		return partialEmbedding{space: space, vectors: make([][]float32, vectors)}
	} // 1 MiB each
	var kept, refused []assistants.DocumentID
	for range 40 {
		id := assistants.NewDocumentID()
		if l.keep(id, some(3)) {
			kept = append(kept, id)
		} else {
			refused = append(refused, id)
		}
	}
	if len(kept) != 21 || len(refused) != 19 {
		t.Errorf("%d kept, %d refused", len(kept), len(refused))
	}
	if !l.keep(kept[0], some(4)) || l.keep(kept[0], some(5)) { // in the place of its own
		t.Error("a partial embedding does not replace the earlier one of its document")
	}
	for i, id := range kept {
		want := 3
		if i == 0 {
			want = 4
		}
		if got := l.take(id); len(got.vectors) != want {
			t.Errorf("%d vectors of document %d are left", len(got.vectors), i)
		}
	}
	if len(l.take(refused[0]).vectors) > 0 || l.size != 0 || len(l.kept) != 0 {
		t.Errorf("at the end %d bytes of %d documents", l.size, len(l.kept))
	}
}
