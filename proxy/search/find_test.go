package search

import (
	"reflect"
	"slices"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

// TestThatThereIsNothingToSearchIsSaidOfAllCollectionsOnly has collections that are empty
// beside others, which says nothing of the search.
func TestThatThereIsNothingToSearchIsSaidOfAllCollectionsOnly(t *testing.T) {
	const empty, unread, other = "This assistant has no documents yet.", "None of this assistant's documents can be searched yet; their status says why.", "Something else."
	for name, c := range map[string]struct {
		parts [][]string // the warnings of each collection
		want  []string
	}{
		"all are empty":           {[][]string{{empty}, {empty}}, []string{empty}},
		"some are not read yet":   {[][]string{{empty}, {unread}}, []string{empty, unread}},
		"one is empty":            {[][]string{{empty, other}, nil}, []string{other}},
		"one is not read yet":     {[][]string{nil, {unread}}, nil},
		"other warnings are kept": {[][]string{{other}, {other}}, []string{other}},
	} {
		t.Run(name, func(t *testing.T) {
			_, h := newSightWorld()
			j := &job{Handler: h, settings: assistants.DefaultSettings()}
			var parts []*part
			for _, warnings := range c.parts {
				parts = append(parts, &part{result: retrieval.Result{Trace: retrieval.Trace{Warnings: warnings}}})
			}
			all, err := j.merge(parts, 10)
			if err != nil || !slices.Equal(all.warnings, c.want) {
				t.Errorf("%v, %q", err, all.warnings)
			}
		})
	}
}

// TestWhatIsNearTheThresholdIsShownIfAnyCollectionHasAPassageWithIt.
func TestWhatIsNearTheThresholdIsShownIfAnyCollectionHasAPassageWithIt(t *testing.T) {
	near := assistants.Hit{Score: 0.28, Chunk: assistants.Chunk{ID: "near"}, Document: assistants.Document{ID: "doc_a", Name: "a"}}
	sure := assistants.Hit{Score: 0.9, Chunk: assistants.Chunk{ID: "sure"}, Document: assistants.Document{ID: "doc_b", Name: "b"}}
	for answered, want := range map[bool]int{true: 2, false: 0} {
		_, h := newSightWorld()
		j := &job{Handler: h, settings: assistants.DefaultSettings()}
		other := retrieval.Result{Unsure: true}
		if answered {
			other = retrieval.Result{Hits: []assistants.Hit{sure}}
		}
		all, err := j.merge([]*part{{result: retrieval.Result{Hits: []assistants.Hit{near}, Unsure: true}}, {result: other}}, 10)
		if err != nil || len(all.hits) != want {
			t.Errorf("answered %t: %v, %+v", answered, err, all.hits)
		}
	}
}

// TestDocumentsThatFitAlikeAreNamedOfAllCollections: each collection may have one of them.
func TestDocumentsThatFitAlikeAreNamedOfAllCollections(t *testing.T) {
	const warning = "The question fits several documents: lease 2021.pdf, lease 2022.pdf. Name the year, version or number that you mean."
	for name, c := range map[string]struct {
		parts [][]string // the documents of each collection
		want  []string
	}{
		"one in each":           {[][]string{{"lease 2022.pdf"}, {"lease 2021.pdf"}}, []string{warning}},
		"both in one":           {[][]string{{"lease 2021.pdf", "lease 2022.pdf"}, nil}, []string{warning}},
		"the same through both": {[][]string{{"lease 2021.pdf"}, {"lease 2021.pdf"}}, nil},
		"none":                  {[][]string{nil, nil}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, h := newSightWorld()
			j := &job{Handler: h, settings: assistants.DefaultSettings()}
			var parts []*part
			for _, alike := range c.parts {
				parts = append(parts, &part{result: retrieval.Result{Trace: retrieval.Trace{Alike: alike}}})
			}
			all, err := j.merge(parts, 10)
			if err != nil || !slices.Equal(all.warnings, c.want) {
				t.Errorf("%v, %q", err, all.warnings)
			}
		})
	}
}

// TestCollectionsAreSearchedAsPartsOfAWhole: each query knows what the others search, as far
// as the key sees it. A single one is no part of anything.
func TestCollectionsAreSearchedAsPartsOfAWhole(t *testing.T) {
	open := assistants.Filter{Labels: assistants.LabelFilter{Required: []string{"open"}}}
	w, h := newSightWorld()
	j := &job{Handler: h, settings: assistants.DefaultSettings(), sight: sight{
		order:   []assistants.CollectionID{"coll_a", "coll_b"},
		filters: map[assistants.CollectionID][]assistants.Filter{"coll_a": {open}, "coll_b": {{}}},
	}}
	if _, err := j.find(t.Context(), "What was the liability?", 3, nil); err != nil {
		t.Fatal(err)
	}
	want := []retrieval.Part{{Collection: "coll_a", Filter: open.And(assistants.Filter{})}, {Collection: "coll_b"}}
	if len(w.asked) != 2 || w.asked[0].Whole == nil || w.asked[0].Whole != w.asked[1].Whole || !reflect.DeepEqual(w.asked[0].Whole.Parts, want) {
		t.Errorf("asked %+v", w.asked)
	}
	w.asked, j.sight.order = nil, j.sight.order[:1]
	if _, err := j.find(t.Context(), "What was the liability?", 3, nil); err != nil || len(w.asked) != 1 || w.asked[0].Whole != nil {
		t.Errorf("%v, asked %+v", err, w.asked)
	}
}
