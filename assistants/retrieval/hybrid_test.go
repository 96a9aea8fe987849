package retrieval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

var space = assistants.Space{Model: "test", Dimensions: 2}

// An embedder makes the same vector of everything, or fails.
type embedder struct {
	trust float64
	err   error
	wait  bool // until its context ends
	mu    sync.Mutex
	asked []string // in any order: the searches of a retrieval are at once
}

func (e *embedder) EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error) {
	e.mu.Lock()
	e.asked = append(e.asked, text)
	e.mu.Unlock()
	if e.wait {
		<-ctx.Done()
		return assistants.QueryVector{}, ctx.Err()
	}
	return assistants.QueryVector{Vector: []float32{1, 0}, Space: space, Trust: e.trust}, e.err
}

// grounds are the spaces of collections.
type grounds []assistants.Collection

func (g grounds) Collections(context.Context, assistants.TenantID, []assistants.CollectionID) ([]assistants.Collection, error) {
	return g, nil
}

func known(low float64) grounds {
	return grounds{{ID: "c1", Space: space, Calibration: assistants.Calibration{Low: low, High: 0.9}}}
}

// One invoice means what the other means: its number decides.
func TestANumberThatIsKnownWeighsMoreThanMeaning(t *testing.T) {
	for question, want := range map[string]float64{
		"What is the total due on invoice 7052?": 0.6, "And the part AB-7?": 0.3, "Where is pt100?": 0.6,
		"What was the total in 2023?":            0.3,
		"What is the total due on invoice 7053?": 0.3, "What are the 12 rules?": 0.3, "What is the total due?": 0.3,
	} {
		x, s := world(1)
		k := glossaryIndex{x, []string{"invoic", "total", "7052", "12", "rule", "pt100", "2023"}}
		retrieve(t, New(k, s, Options{Embedder: &embedder{trust: 1}, Spaces: known(0.2)}), query(question))
		if got := x.asked[0].TextWeight; got != want {
			t.Errorf("%s words weigh %v, want %v", question, got, want)
		}
	}
	for _, set := range []float64{0.9, 0} {
		x, s := world(1)
		q := query("What is the total due on invoice 7052?")
		q.TextWeight = set
		retrieve(t, New(glossaryIndex{x, []string{"7052"}}, s, Options{Embedder: &embedder{trust: 1}, Spaces: known(0.2)}), q)
		if got := x.asked[0].TextWeight; got != set {
			t.Errorf("what is set to weigh %v weighs %v", set, got)
		}
	}
}

func TestAHybridSearchHasWordsAndMeaning(t *testing.T) {
	x, s := world(5)
	e := &embedder{trust: 1}
	res := retrieve(t, New(x, s, Options{Embedder: e, Spaces: known(0.2)}), query("How many vacation days?"))
	q := x.asked[0]
	if len(q.Terms) != 2 || len(q.Vector) != 2 || q.Space != space || q.Calibration.Low != 0.2 || q.TextWeight != 0.3 {
		t.Errorf("asked %+v", q)
	}
	if res.Trace.Mode != assistants.SearchHybrid || !slices.Equal(e.asked, []string{"How many vacation days?"}) {
		t.Errorf("%+v, embedded %q", res.Trace, e.asked)
	}
	for _, stage := range []string{StageEmbed, StageText, StageVector, StageFetch} {
		if _, ok := res.Trace.Stages[stage]; !ok {
			t.Errorf("no stage %s in %v", stage, res.Trace.Stages)
		}
	}
}

func TestEachModeSearchesWhatItSays(t *testing.T) {
	for mode, want := range map[assistants.SearchMode][2]bool{
		assistants.SearchFullText: {true, false}, assistants.SearchVector: {false, true}, assistants.SearchHybrid: {true, true},
	} {
		x, s := world(3)
		q := query("vacation")
		q.Mode = mode
		res := retrieve(t, New(x, s, Options{Embedder: &embedder{trust: 1}, Spaces: known(0)}), q)
		if got := x.asked[0]; len(got.Terms) > 0 != want[0] || len(got.Vector) > 0 != want[1] || res.Trace.Mode != mode {
			t.Errorf("%s asked %+v and says %s", mode, got, res.Trace.Mode)
		}
	}
}

func TestWordsWeighMoreWhereTheModelDoesNotKnowThem(t *testing.T) {
	for trust, want := range map[float64]float64{1: 0.3, 0: 1, 0.125: 0.9125, 2: 0.3, -1: 1} {
		x, s := world(1)
		retrieve(t, New(x, s, Options{Embedder: &embedder{trust: trust}, Spaces: known(0)}), query("Urlaubsanspruch"))
		if got := x.asked[0].TextWeight; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("trust %v: weight %v, want %v", trust, got, want)
		}
	}
}

func TestWithoutVectorsWordsAreSearched(t *testing.T) {
	down := fmt.Errorf("embedder: %w", assistants.ErrUnavailable)
	other := grounds{{ID: "c1", Space: assistants.Space{Model: "other", Dimensions: 3}}}
	for name, c := range map[string]struct {
		e       *embedder
		spaces  grounds
		warning string
	}{
		"none is set up":      {&embedder{err: assistants.ErrNoEmbedder}, known(0), ""},
		"it fails":            {&embedder{err: down}, known(0), warnEmbedder},
		"it is slow":          {&embedder{wait: true}, known(0), warnEmbedder},
		"nothing is embedded": {&embedder{trust: 1}, grounds{{ID: "c1"}}, ""},
		"another model":       {&embedder{trust: 1}, other, warnSpace},
	} {
		x, s := world(3)
		r := New(x, s, Options{Embedder: c.e, Spaces: c.spaces})
		if c.e.wait {
			r.budget = time.Minute // the embedder has its part of the usual one; the rest is for a busy machine
		}
		res := retrieve(t, r, query("vacation"))
		if len(x.asked) != 1 || len(x.asked[0].Vector) != 0 || len(x.asked[0].Terms) == 0 || res.Trace.Mode != assistants.SearchFullText || len(res.Hits) == 0 {
			t.Errorf("%s: asked %+v, %+v", name, x.asked, res.Trace)
		}
		if got := strings.Join(res.Trace.Warnings, " "); got != c.warning {
			t.Errorf("%s: warnings %q", name, got)
		}
	}
}

func TestWhoInsistsOnMeaningGetsAnError(t *testing.T) {
	down := fmt.Errorf("embedder: %w", assistants.ErrUnavailable)
	other := grounds{{ID: "c1", Space: assistants.Space{Model: "other", Dimensions: 3}}}
	strict, only := query("vacation"), query("vacation")
	strict.Strict = true
	only.Mode = assistants.SearchVector
	for name, c := range map[string]struct {
		q      Query
		e      *embedder
		spaces grounds
		fails  bool
	}{
		"strict and it fails":       {strict, &embedder{err: down}, known(0), true},
		"strict and none is set up": {strict, &embedder{err: assistants.ErrNoEmbedder}, known(0), false},
		"Vector and it fails":       {only, &embedder{err: down}, known(0), true},
		"Vector and none is set up": {only, &embedder{err: assistants.ErrNoEmbedder}, known(0), true},
		"Vector and another model":  {only, &embedder{trust: 1}, other, true},
	} {
		x, s := world(3)
		_, err := New(x, s, Options{Embedder: c.e, Spaces: c.spaces}).Retrieve(t.Context(), c.q)
		if errors.Is(err, assistants.ErrUnavailable) != c.fails || (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCollectionsOfAnotherModelAreSearchedByWordsAndMissingOnesAreTold(t *testing.T) {
	x, s := world(3)
	q := query("vacation")
	q.Collections = []assistants.CollectionID{"c1", "c2", "c3"}
	g := append(grounds{{ID: "c2", Space: assistants.Space{Model: "other", Dimensions: 3}}}, known(0.1)...)
	res := retrieve(t, New(x, s, Options{Embedder: &embedder{trust: 1}, Spaces: g}), q)
	if len(x.asked[0].Vector) == 0 || x.asked[0].Calibration.Low != 0.1 {
		t.Errorf("asked %+v", x.asked[0])
	}
	if want := []string{fmt.Sprintf(warnMissing, 1), warnPartly}; !slices.Equal(res.Trace.Warnings, want) {
		t.Errorf("%q", res.Trace.Warnings)
	}
}

func TestOnlyDocumentsThatAFilterSelectsAreSearched(t *testing.T) {
	x, s := world(3)
	q := query("vacation")
	q.Filter = assistants.Filter{Labels: assistants.LabelFilter{Required: []string{"hr"}}}
	s.documents = []assistants.DocumentID{"doc01"}
	retrieve(t, New(x, s, Options{}), q)
	if !slices.Equal(x.asked[0].Documents, s.documents) || len(s.filtered) != 1 {
		t.Errorf("asked %+v", x.asked[0])
	}
	s.documents = nil
	if res := retrieve(t, New(x, s, Options{}), q); len(res.Hits) != 0 || len(x.asked) != 1 {
		t.Errorf("when it selects none: %v after %d searches", ids(res.Hits), len(x.asked))
	}
	retrieve(t, New(x, s, Options{}), query("vacation"))
	if x.asked[1].Documents != nil {
		t.Errorf("without a filter: %+v", x.asked[1])
	}
}

func TestTheSameSearchIsAnsweredFromMemoryUntilTheIndexChanges(t *testing.T) {
	x, s := world(5)
	x.generation = 7
	r := New(x, s, Options{Embedder: &embedder{trust: 1}, Spaces: known(0)})
	first := retrieve(t, r, query("vacation"))
	again := retrieve(t, r, query("vacation"))
	if len(x.asked) != 1 || first.Trace.Cached || !again.Trace.Cached || again.Trace.Mode != first.Trace.Mode || ids(again.Hits) != ids(first.Hits) || again.Trace.Generation != 7 {
		t.Errorf("%d searches, %+v", len(x.asked), again.Trace)
	}
	for what, change := range map[string]func(q *Query){
		"text": func(q *Query) { q.Text = "vacations" }, "tenant": func(q *Query) { q.Tenant = "t2" }, "collections": func(q *Query) { q.Collections = append(q.Collections, "c2") },
		"threshold": func(q *Query) { q.Threshold = 0.2 }, "leniency": func(q *Query) { q.Lenient = true }, "weight": func(q *Query) { q.TextWeight = 0.9 }, "mode": func(q *Query) { q.Mode = assistants.SearchFullText },
		"filter":       func(q *Query) { q.Filter.Labels.Required = []string{"a"} },
		"conversation": func(q *Query) { q.Before = []Turn{{RoleUser, "Who pays for travel?"}} },
	} {
		q, before := query("vacation"), len(x.asked)
		s.documents = []assistants.DocumentID{"doc01"}
		change(&q)
		if retrieve(t, r, q); len(x.asked) == before {
			t.Errorf("another %s is answered from memory", what)
		}
	}
	before := len(x.asked)
	x.generation++
	if res := retrieve(t, r, query("vacation")); res.Trace.Cached || len(x.asked) == before {
		t.Error("a changed index is not asked")
	}
	x.generation = 0
	retrieve(t, r, query("vacation"))
	if res := retrieve(t, r, query("vacation")); res.Trace.Cached {
		t.Error("an index that does not count is not asked")
	}
}

// An index that is swapped while it is searched may have answered from before or
// after: the answer is not taken for that of the new index.
func TestWhatWasFoundWhileTheIndexChangedIsSearchedForAgain(t *testing.T) {
	x, s := world(5)
	x.generation = 7
	old := x.answer
	x.answer = func(ctx context.Context, q assistants.Search) ([]assistants.Match, error) {
		if x.generation == 7 {
			x.generation = 8
			return old(ctx, q)
		}
		return []assistants.Match{{ChunkID: "chunk04", DocumentID: "doc04", Version: 1, Score: 0.9}}, nil
	}
	r := New(x, s, Options{})
	for _, want := range []struct {
		hits       string
		generation uint64
		cached     bool
	}{{"00 01 02", 7, false}, {"04", 8, false}, {"04", 8, true}} {
		res := retrieve(t, r, query("vacation"))
		if ids(res.Hits) != want.hits || res.Trace.Generation != want.generation || res.Trace.Cached != want.cached {
			t.Errorf("%s of generation %d, from memory: %t; want %+v", ids(res.Hits), res.Trace.Generation, res.Trace.Cached, want)
		}
	}
}

func TestWhatWasFoundWithoutTheEmbedderIsNotRemembered(t *testing.T) {
	x, s := world(5)
	x.generation = 1
	e := &embedder{trust: 1, err: assistants.ErrUnavailable}
	r := New(x, s, Options{Embedder: e, Spaces: known(0)})
	retrieve(t, r, query("vacation"))
	e.err = nil
	if res := retrieve(t, r, query("vacation")); res.Trace.Cached || res.Trace.Mode != assistants.SearchHybrid || len(res.Trace.Warnings) != 0 {
		t.Errorf("%+v", res.Trace)
	}
}

func TestARememberedSearchShowsNothingThatIsGone(t *testing.T) {
	x, s := world(5)
	x.generation = 1
	r := New(x, s, Options{})
	retrieve(t, r, query("vacation"))
	delete(s.chunks, "chunk00")
	if res := retrieve(t, r, query("vacation")); ids(res.Hits) != "01 02 03" || res.Trace.Gone != 1 {
		t.Errorf("%s, %+v", ids(res.Hits), res.Trace)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	x, s := world(1)
	x.generation = 1
	r := New(x, s, Options{})
	for i := range 2 * maxCached {
		retrieve(t, r, query(fmt.Sprint("vacation ", i)))
	}
	if n := len(r.cache.known); n != maxCached || r.cache.order.Len() != n {
		t.Errorf("%d and %d are kept", n, r.cache.order.Len())
	}
}

// A glossaryIndex knows some terms.
type glossaryIndex struct {
	*index
	words []string
}

func (x glossaryIndex) Knows(_ assistants.TenantID, _ []assistants.CollectionID, term string) bool {
	return slices.Contains(x.words, term)
}

func TestCompoundsThatNoPassageHasAreSearchedByTheirParts(t *testing.T) {
	for name, c := range map[string]struct{ words, want []string }{
		"it has the parts":    {[]string{"spend", "geld"}, []string{"spend", "geld", "verein"}},
		"it has the compound": {[]string{"spend", "geld", "spendengeld"}, []string{"spendengeld", "verein", "geld"}},
		"it has one part":     {[]string{"geld"}, []string{"spendengeld", "verein", "geld"}},
		"it has nothing":      {nil, []string{"spendengeld", "verein", "geld"}},
	} {
		x, s := world(1)
		retrieve(t, New(glossaryIndex{x, c.words}, s, Options{}), query("Spendengelder, Verein, Geld"))
		if got := x.asked[0].Terms; !slices.Equal(got, c.want) {
			t.Errorf("%s: asked for %q, want %q", name, got, c.want)
		}
	}
}

func TestAVerbThatAQuestionTakesApartIsSearchedWhole(t *testing.T) {
	x, s := world(1)
	retrieve(t, New(glossaryIndex{x, []string{"anmeld", "portal"}}, s, Options{}), query("Wie melde ich mich am Portal an?"))
	if got := x.asked[0].Terms; !slices.Equal(got, []string{"anmeld", "portal"}) {
		t.Errorf("asked for %q", got)
	}
}
