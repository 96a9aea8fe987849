package retrieval

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}

// An index answers with what its function says, or else finds what it is given
// by words: the share of the terms that a text has.
type index struct {
	mu         sync.Mutex
	answer     func(ctx context.Context, q assistants.Search) ([]assistants.Match, error)
	asked      []assistants.Search
	generation uint64
}

func (x *index) Search(ctx context.Context, q assistants.Search) (assistants.Found, error) {
	x.mu.Lock()
	x.asked = append(x.asked, q)
	x.mu.Unlock()
	matches, err := x.answer(ctx, q)
	if q.Documents != nil {
		matches = slices.DeleteFunc(matches, func(m assistants.Match) bool { return !slices.Contains(q.Documents, m.DocumentID) })
	}
	return assistants.Found{Matches: matches}, err
}

func (x *index) Generation() uint64 { return x.generation }

// A store has chunks by id; batches are the sizes of the requests it got.
type store struct {
	chunks    map[assistants.ChunkID]assistants.Chunk
	err       error
	batches   []int
	documents []assistants.DocumentID // that a filter selects
	filtered  []assistants.Filter
	foreign   []assistants.DocumentID
	unread    bool // no document can be searched
	ranges    []assistants.PassageRange
}

func (s *store) text(id assistants.ChunkID, text string) {
	c := s.chunks[id]
	c.ID, c.Text = id, text
	s.chunks[id] = c
}

func (s *store) Hits(_ context.Context, _ assistants.TenantID, _ []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error) {
	s.batches = append(s.batches, len(matches))
	var out []assistants.Hit
	for _, m := range matches {
		if c, ok := s.chunks[m.ChunkID]; ok {
			out = append(out, assistants.Hit{Chunk: c, Document: assistants.Document{ID: c.DocumentID}, Score: m.Score})
		}
	}
	return out, s.err
}

func (s *store) FilterDocuments(_ context.Context, _ assistants.TenantID, _ []assistants.CollectionID, f assistants.Filter) ([]assistants.DocumentID, error) {
	s.filtered = append(s.filtered, f)
	return s.documents, s.err
}

func (s *store) Holdings(context.Context, assistants.TenantID, []assistants.CollectionID) (documents, searchable bool, err error) {
	return s.unread || len(s.chunks) > 0, len(s.chunks) > 0, s.err
}

func (s *store) Passages(_ context.Context, _ assistants.TenantID, ranges []assistants.PassageRange) ([]assistants.Chunk, error) {
	s.ranges = append(s.ranges, ranges...)
	var out []assistants.Chunk
	for _, c := range s.chunks {
		if slices.ContainsFunc(ranges, func(r assistants.PassageRange) bool {
			return r.Document == c.DocumentID && r.Version == c.Version && r.First <= c.Index && c.Index <= r.Last
		}) {
			out = append(out, c)
		}
	}
	return out, s.err
}

func (s *store) ForeignDocuments(context.Context, assistants.TenantID, []assistants.CollectionID, []assistants.DocumentID) ([]assistants.DocumentID, error) {
	return s.foreign, nil
}

// world makes n matches of falling score, all of them in the store.
func world(n int) (*index, *store) {
	s := &store{chunks: map[assistants.ChunkID]assistants.Chunk{}}
	var matches []assistants.Match
	for i := range n {
		id := assistants.ChunkID(fmt.Sprintf("chunk%02d", i))
		s.chunks[id] = assistants.Chunk{ID: id, DocumentID: assistants.DocumentID(fmt.Sprintf("doc%02d", i)), Version: 1, Text: "text of " + string(id)}
		matches = append(matches, assistants.Match{ChunkID: id, DocumentID: s.chunks[id].DocumentID, Version: 1, Score: 1 - float64(i)/100})
	}
	return &index{answer: func(context.Context, assistants.Search) ([]assistants.Match, error) {
		return slices.Clone(matches), nil
	}}, s
}

func query(text string) Query {
	return Query{Tenant: "t1", Collections: []assistants.CollectionID{"c1"}, Text: text, TopK: 3, Threshold: 0.3, Mode: assistants.SearchHybrid, TextWeight: 0.3}
}

func retrieve(t *testing.T, r *Retriever, q Query) Result {
	t.Helper()
	res, err := r.Retrieve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func ids(hits []assistants.Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, strings.TrimPrefix(string(h.Chunk.ID), "chunk"))
	}
	return strings.Join(out, " ")
}

// anyway answers every search alike.
func anyway(matches []assistants.Match) func(context.Context, assistants.Search) ([]assistants.Match, error) {
	return func(context.Context, assistants.Search) ([]assistants.Match, error) {
		return slices.Clone(matches), nil
	}
}
