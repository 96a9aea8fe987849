package retrieval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

// crowd is an index and a store of documents with so many passages each, which are found
// in this order, document by document.
func crowd(passages ...int) (*index, *store) {
	s := &store{chunks: map[assistants.ChunkID]assistants.Chunk{}}
	var all []assistants.Match
	for d, n := range passages {
		document := assistants.DocumentID(fmt.Sprintf("doc%d", d))
		s.documents = append(s.documents, document)
		for i := range n {
			id := assistants.ChunkID(fmt.Sprintf("chunk%c%d", 'a'+d, i))
			s.chunks[id] = assistants.Chunk{ID: id, DocumentID: document, Version: 1, Index: i, CharStart: 100 * i, CharEnd: 100*i + 20, Text: "text of " + string(id)}
			all = append(all, assistants.Match{ChunkID: id, DocumentID: document, Version: 1, Score: 1 - float64(len(all))/1000})
		}
	}
	x := &index{generation: 1, answer: func(_ context.Context, q assistants.Search) ([]assistants.Match, error) {
		matches := slices.Clone(all)
		if q.Documents != nil {
			matches = slices.DeleteFunc(matches, func(m assistants.Match) bool { return !slices.Contains(q.Documents, m.DocumentID) })
		}
		return matches[:min(len(matches), q.Limit)], nil
	}}
	return x, s
}

func TestADocumentHasAtMostSoManyHits(t *testing.T) {
	for _, c := range []struct {
		passages   []int
		most, topK int
		hits       string
		searches   int
	}{
		{[]int{4, 2, 1}, 0, 5, "a0 a1 a2 a3 b0", 1},
		{[]int{4, 2, 1}, 1, 5, "a0 b0 c0", 1},
		{[]int{4, 2, 1}, 2, 5, "a0 a1 b0 b1 c0", 1},
		{[]int{4, 2, 1}, 2, 3, "a0 a1 b0", 1},
		{[]int{4, 2, 1}, 100, 50, "a0 a1 a2 a3 b0 b1 c0", 1},
		{[]int{60, 2, 1}, 0, 5, "a0 a1 a2 a3 a4", 1},
		{[]int{60, 2, 1}, 2, 2, "a0 a1", 1}, // there are enough
		{[]int{60, 2, 1}, 2, 5, "a0 a1 b0 b1 c0", 2},
		{[]int{48, 60, 60, 1}, 1, 4, "a0 b0 c0 d0", 3},
		{[]int{60, 60, 60, 1}, 1, 4, "a0 b0 c0 d0", 4},
		{[]int{60}, 3, 10, "a0 a1 a2", 1}, // there are no others
	} {
		x, s := crowd(c.passages...)
		q := query("miller")
		q.TopK, q.PerDocument = c.topK, c.most
		if hits := retrieve(t, New(x, s, Options{}), q).Hits; ids(hits) != c.hits || len(x.asked) != c.searches {
			t.Errorf("%v, at most %d of one, %d in all: %s after %d searches, want %s after %d", c.passages, c.most, c.topK, ids(hits), len(x.asked), c.hits, c.searches)
		}
	}
}

// The further searches keep to the documents that may be searched, and are bounded.
func TestFurtherSearchesKeepToTheFilter(t *testing.T) {
	x, s := crowd(60, 3, 3)
	s.documents = []assistants.DocumentID{"doc0", "doc2"}
	q := query("miller")
	q.PerDocument, q.Filter = 2, assistants.Filter{Labels: assistants.LabelFilter{Required: []string{"hr"}}}
	if hits := retrieve(t, New(x, s, Options{}), q).Hits; ids(hits) != "a0 a1 c0" || len(s.filtered) != 1 {
		t.Errorf("%s, filters %v", ids(hits), s.filtered)
	}
	x, s = crowd(slices.Repeat([]int{60}, 20)...)
	q = query("miller")
	q.PerDocument, q.TopK = 1, 20
	if hits := retrieve(t, New(x, s, Options{}), q).Hits; len(hits) != 1+maxFurther || len(x.asked) != 1+maxFurther {
		t.Errorf("%s after %d searches", ids(hits), len(x.asked))
	}
}

// The document that a question names may be full, but the others are no better for it.
func TestFurtherSearchesWeighByWhatTheQuestionNames(t *testing.T) {
	x, s := crowd(60, 3)
	q := query("What does Acme pay?")
	q.PerDocument = 1
	hits := retrieve(t, New(x, s, Options{Names: names{"t1": {{ID: "doc0", Name: "Acme.pdf"}, {ID: "doc1", Name: "Bolt.pdf"}}}}), q).Hits
	if ids(hits) != "a0 b0" || hits[0].Score != 1 || hits[1].Score > 0.8 {
		t.Errorf("%+v", hits)
	}
}

func TestAFurtherSearchThatFailsFailsTheRetrieval(t *testing.T) {
	x, s := crowd(60, 3)
	answer := x.answer
	x.answer = func(ctx context.Context, q assistants.Search) ([]assistants.Match, error) {
		if q.Documents != nil {
			return nil, assistants.ErrUnavailable
		}
		return answer(ctx, q)
	}
	q := query("miller")
	q.PerDocument = 1
	if _, err := New(x, s, Options{}).Retrieve(t.Context(), q); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("the index failed: %v", err)
	}
	s.err = assistants.ErrUnavailable
	if _, err := New(x, s, Options{}).Retrieve(t.Context(), q); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("the store failed: %v", err)
	}
}

func TestWhatFurtherSearchesFoundIsKeptForThisLimit(t *testing.T) {
	x, s := crowd(60, 2, 1)
	r := New(x, s, Options{})
	for _, c := range []struct {
		most   int
		hits   string
		cached bool
	}{{1, "a0 b0 c0", false}, {1, "a0 b0 c0", true}, {2, "a0 a1 b0", false}, {0, "a0 a1 a2", false}, {0, "a0 a1 a2", true}} {
		q := query("miller")
		q.PerDocument = c.most
		if res := retrieve(t, r, q); ids(res.Hits) != c.hits || res.Trace.Cached != c.cached {
			t.Errorf("at most %d: %s, cached: %t, want %s", c.most, ids(res.Hits), res.Trace.Cached, c.hits)
		}
	}
}

// A passage over the limit is not given, so the same passage of another document is.
func TestAPassageOverTheLimitRepeatsNothing(t *testing.T) {
	x, s := crowd(2, 2)
	s.text("chunkb0", s.chunks["chunka1"].Text)
	q := query("miller")
	q.PerDocument = 1
	if hits := retrieve(t, New(x, s, Options{}), q).Hits; ids(hits) != "a0 b0" {
		t.Errorf("%s", ids(hits))
	}
	s.text("chunkb0", s.chunks["chunka0"].Text)
	if hits := retrieve(t, New(x, s, Options{}), q).Hits; ids(hits) != "a0 b1" {
		t.Errorf("%s", ids(hits))
	}
}

// A table of contents does not take the place of a passage that it points to.
func TestATableOfContentsCountsAtItsLowerScore(t *testing.T) {
	x, s := crowd(3, 1)
	s.text("chunka0", strings.Repeat("Flour prices .......... 7\n", 6))
	q := query("miller")
	q.PerDocument = 1
	if hits := retrieve(t, New(x, s, Options{}), q).Hits; ids(hits) != "a1 b0" {
		t.Errorf("%s", ids(hits))
	}
	q.PerDocument = 2
	q.TopK = 4
	if hits := retrieve(t, New(x, s, Options{}), q).Hits; ids(hits) != "a1 a2 b0" {
		t.Errorf("%s", ids(hits))
	}
}

func TestNeighboursAreJoinedToTheHitsThatAreLeft(t *testing.T) {
	x, s := crowd(3, 1)
	q := query("miller")
	q.PerDocument, q.Neighbors = 1, 1
	hits := retrieve(t, New(x, s, Options{}), q).Hits
	if ids(hits) != "a0 b0" || hits[0].Given == nil || !strings.Contains(hits[0].Given.Text, "chunka1") {
		t.Errorf("%s with %+v", ids(hits), hits[0].Given)
	}
}
