package retrieval

import (
	"context"
	"errors"
	"slices"
	"testing"

	"footnote/assistants"
)

// byCollection lists documents by collection.
type byCollection map[assistants.CollectionID][]string

func (n byCollection) DocumentNames(_ context.Context, _ assistants.TenantID, collections []assistants.CollectionID, _ []assistants.DocumentName) (list []assistants.DocumentName, err error) {
	for _, c := range collections {
		for _, name := range n[c] {
			list = append(list, assistants.DocumentName{ID: assistants.DocumentID(name), Name: name})
		}
	}
	return list, nil
}

// archive has the newer reports in one collection and the older ones in another.
var archive = byCollection{
	"c1": {"Hamilton-2021-FinancialReport.pdf", "Hamilton-2022-FinancialReport.pdf", "Ajax-2023-FinancialStatements.pdf"},
	"c2": {"Hamilton-2014-FinancialReport.pdf", "Hamilton-2017-FinancialReport.pdf", "Essex-2017-FinancialStatements.pdf"},
}

// partly returns a retriever that finds a passage of each document of a collection, the first
// one best, and the query for it.
func partly(collection assistants.CollectionID, question string, whole *Whole) (*Retriever, *store, Query) {
	s := &store{chunks: map[assistants.ChunkID]assistants.Chunk{}}
	var matches []assistants.Match
	for i, name := range archive[collection] {
		c := assistants.Chunk{ID: assistants.ChunkID(name), DocumentID: assistants.DocumentID(name), Version: 1, Text: "text of " + name}
		s.chunks[c.ID] = c
		matches = append(matches, assistants.Match{ChunkID: c.ID, DocumentID: c.DocumentID, Version: 1, Score: 0.9 - float64(i)/100})
	}
	q := query(question)
	q.Collections, q.Whole = []assistants.CollectionID{collection}, whole
	return New(&index{answer: anyway(matches)}, s, Options{Names: archive}), s, q
}

func wholeArchive() *Whole { return &Whole{Parts: []Part{{Collection: "c1"}, {Collection: "c2"}}} }

// TestWhatAQuestionLeavesOpenIsJudgedOverAllThatIsSearched: a collection without the report
// that is meant neither warns nor brings its own reports to the front.
func TestWhatAQuestionLeavesOpenIsJudgedOverAllThatIsSearched(t *testing.T) {
	for _, c := range []struct {
		question string
		warnings []string // of both collections
		alike    []string // of c2
	}{
		{"What was Hamilton's landfill liability in 2022?", nil, nil},
		{"What was Hamilton's landfill liability?", nil, []string{"Hamilton-2014-FinancialReport.pdf", "Hamilton-2017-FinancialReport.pdf"}},
		{"What was Hamilton's landfill liability in 2023?", []string{"No document of 2023 was found for Hamilton; its documents are of 2014, 2017, 2021 and 2022."}, nil},
	} {
		whole := wholeArchive()
		for collection := range archive {
			r, _, q := partly(collection, c.question, whole)
			res := retrieve(t, r, q)
			if !slices.Equal(res.Trace.Warnings, c.warnings) {
				t.Errorf("%s\n%s warns %q, want %q", c.question, collection, res.Trace.Warnings, c.warnings)
			}
			if collection == "c2" && !slices.Equal(res.Trace.Alike, c.alike) {
				t.Errorf("%s\nfits %q, want %q", c.question, res.Trace.Alike, c.alike)
			}
		}
	}
}

func TestTheNewestIsPreferredOfAllThatIsSearched(t *testing.T) {
	const question = "What is the latest liability of Hamilton?"
	best := func(collection assistants.CollectionID, whole *Whole) float64 {
		r, _, q := partly(collection, question, whole)
		return retrieve(t, r, q).Hits[0].Score
	}
	if alone, together := best("c2", nil), best("c2", wholeArchive()); together >= alone {
		t.Errorf("a report of 2017 scores %f, and %f although there is one of 2022", alone, together)
	}
	if newest, older := best("c1", wholeArchive()), best("c2", wholeArchive()); older >= newest {
		t.Errorf("the older collection scores %f, the newer one %f", older, newest)
	}
}

// TestAPartThatAFilterNarrowsDownIsNoReasonToNameTheRest: the years of documents that a filter
// leaves out are not in the warning. The queries of a whole ask for them once.
func TestAPartThatAFilterNarrowsDownIsNoReasonToNameTheRest(t *testing.T) {
	whole := &Whole{Parts: []Part{{Collection: "c1", Filter: assistants.Filter{Labels: assistants.LabelFilter{Required: []string{"public"}}}}}}
	r, s, q := partly("c1", "What was Hamilton's landfill liability in 2023?", whole)
	s.documents = []assistants.DocumentID{"Hamilton-2021-FinancialReport.pdf", "Ajax-2023-FinancialStatements.pdf"}
	for range 2 {
		res := retrieve(t, r, q)
		if want := []string{"No document of 2023 was found for Hamilton; its documents are of 2021."}; !slices.Equal(res.Trace.Warnings, want) {
			t.Errorf("warns %q, want %q", res.Trace.Warnings, want)
		}
	}
	if len(s.filtered) != 1 {
		t.Errorf("the filter was asked %d times", len(s.filtered))
	}
}

func TestAWholeThatCannotBeReadFailsTheSearch(t *testing.T) {
	whole := &Whole{Parts: []Part{{Collection: "c1", Filter: assistants.Filter{Labels: assistants.LabelFilter{Required: []string{"public"}}}}}}
	r, s, q := partly("c1", "What was Hamilton's landfill liability?", whole)
	s.err = assistants.ErrUnavailable
	if _, err := r.Retrieve(t.Context(), q); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// leaving is a store whose first reader leaves while it filters.
type leaving struct {
	*store
	leave func()
}

func (l *leaving) FilterDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, f assistants.Filter) ([]assistants.DocumentID, error) {
	if leave := l.leave; leave != nil {
		l.leave = nil
		leave()
		return nil, ctx.Err()
	}
	return l.store.FilterDocuments(ctx, tenant, collections, f)
}

// TestAPartWhoseContextEndsDoesNotFailTheOthers: what the parts share is read by the first of them.
func TestAPartWhoseContextEndsDoesNotFailTheOthers(t *testing.T) {
	whole := &Whole{Parts: []Part{{Collection: "c1", Filter: assistants.Filter{Labels: assistants.LabelFilter{Required: []string{"public"}}}}}}
	r, s, q := partly("c1", "What was Hamilton's landfill liability?", whole)
	s.documents = []assistants.DocumentID{"Hamilton-2021-FinancialReport.pdf"}
	ctx, leave := context.WithCancel(t.Context())
	r.store = &leaving{s, leave}
	if _, err := r.Retrieve(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("the part that ends: %v", err)
	}
	for range 2 {
		if res := retrieve(t, r, q); len(res.Hits) == 0 {
			t.Error("the other part finds nothing")
		}
	}
	if len(s.filtered) != 1 {
		t.Errorf("the others filtered %d times", len(s.filtered))
	}
}

// TestAPanicWhileAWholeIsReadPermitsNothing: no documents would mean all of them.
func TestAPanicWhileAWholeIsReadPermitsNothing(t *testing.T) {
	var whole Whole
	for range 2 {
		var err error
		func() {
			defer assistants.CatchPanic(&err)
			_, err = whole.permitted(t.Context(), func(context.Context, []Part) ([]assistants.DocumentID, error) { panic("a bug") })
		}()
		if err == nil {
			t.Error("no error")
		}
	}
}

// TestASearchAloneAndOneAsAPartAreKeptApart: what a question chooses differs.
func TestASearchAloneAndOneAsAPartAreKeptApart(t *testing.T) {
	r, _, q := partly("c2", "What was Hamilton's landfill liability?", nil)
	known, _ := r.search.(*index)
	known.generation = 1
	alone := retrieve(t, r, q)
	q.Whole = wholeArchive()
	first, again := retrieve(t, r, q), retrieve(t, r, q)
	if len(alone.Trace.Warnings) != 1 || alone.Trace.Alike != nil {
		t.Errorf("alone: %q, %q", alone.Trace.Warnings, alone.Trace.Alike)
	}
	if first.Trace.Cached || !again.Trace.Cached || len(first.Trace.Alike) != 2 || !slices.Equal(first.Trace.Alike, again.Trace.Alike) {
		t.Errorf("as a part: %v %q, again %v %q", first.Trace.Cached, first.Trace.Alike, again.Trace.Cached, again.Trace.Alike)
	}
}
