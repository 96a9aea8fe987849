package retrieval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"footnote/assistants"
)

func TestTheBestPassagesComeInOrder(t *testing.T) {
	x, s := world(10)
	res := retrieve(t, New(x, s, Options{}), query("How many vacation days?"))
	if got := ids(res.Hits); got != "00 01 02" {
		t.Errorf("hits %s", got)
	}
	want := assistants.Search{
		Tenant: "t1", Collections: []assistants.CollectionID{"c1"}, Terms: []string{"vacat", "day"}, Limit: assistants.MaxMatches, MinScore: 0.3, TextWeight: 0.3,
	}
	if len(x.asked) != 1 || fmt.Sprint(x.asked[0]) != fmt.Sprint(want) {
		t.Errorf("asked %+v", x.asked)
	}
	if !slices.Equal(s.batches, []int{3}) {
		t.Errorf("the store was asked for %v passages", s.batches)
	}
}

func TestTheTraceTellsWhatRan(t *testing.T) {
	x, s := world(1)
	r := New(x, s, Options{})
	clock := time.Unix(0, 0)
	r.now = func() time.Time { clock = clock.Add(time.Millisecond); return clock }
	trace := retrieve(t, r, query("vacation")).Trace
	if trace.Mode != assistants.SearchFullText || !slices.Equal(trace.Queries, []string{"vacation"}) ||
		trace.Duration != 6*time.Millisecond || trace.Stages[StageText] != time.Millisecond || trace.Stages[StageFetch] != time.Millisecond {
		t.Errorf("%+v", trace)
	}
}

func TestTopKIsClamped(t *testing.T) {
	for topK, want := range map[int]int{-1: 1, 0: 1, 7: 7, 1e9: assistants.MaxMatches} {
		x, s := world(assistants.MaxMatches)
		q := query("vacation")
		q.TopK = topK
		if got := len(retrieve(t, New(x, s, Options{}), q).Hits); got != want {
			t.Errorf("top k %d gives %d hits, want %d", topK, got, want)
		}
	}
}

func TestWhatLiesUnderTheThresholdIsLeftOut(t *testing.T) {
	x, s := world(10)
	q := query("vacation")
	q.Threshold, q.TopK = 0.98, 10
	if got := ids(retrieve(t, New(x, s, Options{}), q).Hits); got != "00 01 02" {
		t.Errorf("hits %s", got)
	}
	q.Threshold = 1.01
	if got := retrieve(t, New(x, s, Options{}), q); len(got.Hits) != 0 {
		t.Errorf("hits %s", ids(got.Hits))
	}
}

// TestFurtherPassagesNeedLess: if one has the threshold, the documents have something about the
// question, and what is said a little differently belongs to it. Otherwise nothing is shown.
func TestFurtherPassagesNeedLess(t *testing.T) {
	scores := []float64{0.6, 0.5, 0.42, 0.39}
	for threshold, want := range map[float64]string{0.5: "00 01 02", 0.45: "00 01 02 03", 0.6: "00 01", 0.61: ""} {
		x, s := world(len(scores))
		matches, _ := x.answer(t.Context(), assistants.Search{})
		for i := range matches {
			matches[i].Score = scores[i]
		}
		x.answer = anyway(matches)
		q := query("vacation")
		q.Threshold, q.TopK, q.Lenient = threshold, 10, true
		if got := ids(retrieve(t, New(x, s, Options{}), q).Hits); got != want {
			t.Errorf("with a threshold of %g: %q, want %q", threshold, got, want)
		}
		if x.asked[0].MinScore != 0.8*threshold {
			t.Errorf("searched for scores of %g and more", x.asked[0].MinScore)
		}
		q.Whole = wholeArchive() // another part of it may have a passage with the threshold
		if res := retrieve(t, New(x, s, Options{}), q); len(res.Hits) < 2 || res.Unsure != (want == "") {
			t.Errorf("a part with a threshold of %g: %q, unsure %t", threshold, ids(res.Hits), res.Unsure)
		}
	}
	if q := NewQuery("t1", "c1", assistants.DefaultSettings()); !q.Lenient {
		t.Error("a query of an assistant's settings is not lenient")
	}
}

// TestNothingMoreIsSearchedForAQuestionWithoutAnAnswer: passages near the threshold are no reason to look
// for those of other documents.
func TestNothingMoreIsSearchedForAQuestionWithoutAnAnswer(t *testing.T) {
	x, s := world(assistants.MaxMatches)
	matches, _ := x.answer(t.Context(), assistants.Search{})
	for i := range matches {
		matches[i].Score, matches[i].DocumentID = 0.28, "doc00"
	}
	x.answer = anyway(matches)
	q := query("vacation")
	q.Lenient, q.PerDocument, q.Undivided = true, 1, true
	if res := retrieve(t, New(x, s, Options{}), q); len(res.Hits) > 0 || len(x.asked) != 1 {
		t.Errorf("%d hits after %d searches", len(res.Hits), len(x.asked))
	}
}

func TestWithoutWordsOrCollectionsNothingIsSearched(t *testing.T) {
	for _, q := range []Query{query(""), query("??? \n"), query("What is it?"), {Text: "vacation", TopK: 3}} {
		x, s := world(3)
		res := retrieve(t, New(x, s, Options{}), q)
		if len(res.Hits) != 0 || len(x.asked) != 0 || len(res.Trace.Queries) != 0 {
			t.Errorf("%+v: %+v", q, res)
		}
	}
}

func TestRepeatedPassagesCountOnce(t *testing.T) {
	x, s := world(10)
	for _, id := range []assistants.ChunkID{"chunk01", "chunk02", "chunk04"} {
		s.text(id, s.chunks["chunk00"].Text)
	}
	res := retrieve(t, New(x, s, Options{}), query("vacation"))
	if got := ids(res.Hits); got != "00 03 05" || res.Trace.Repeated != 3 {
		t.Errorf("hits %s, %d repeated", got, res.Trace.Repeated)
	}
	if !slices.Equal(s.batches, []int{3, 3}) {
		t.Errorf("the store was asked for %v passages", s.batches)
	}
}

func TestAPassageThatIsGoneIsSearchedForOnceMore(t *testing.T) {
	x, s := world(10)
	delete(s.chunks, "chunk01")
	res := retrieve(t, New(x, s, Options{}), query("vacation"))
	if got := ids(res.Hits); got != "00 02 03" || len(x.asked) != 2 {
		t.Errorf("hits %s after %d searches", got, len(x.asked))
	}
	// The document was replaced meanwhile: the second search finds its new chunks.
	x, s = world(10)
	stale := x.answer
	s.text("new", "new text")
	delete(s.chunks, "chunk00")
	x.answer = func(ctx context.Context, q assistants.Search) ([]assistants.Match, error) {
		if len(x.asked) == 1 {
			return stale(ctx, q)
		}
		return []assistants.Match{{ChunkID: "new", Score: 0.9}}, nil
	}
	if got := ids(retrieve(t, New(x, s, Options{}), query("vacation")).Hits); got != "new" {
		t.Errorf("hits %s", got)
	}
}

func TestFailuresKeepTheirKind(t *testing.T) {
	x, s := world(3)
	x.answer = func(context.Context, assistants.Search) ([]assistants.Match, error) {
		return nil, fmt.Errorf("index: %w", assistants.ErrUnavailable)
	}
	res, err := New(x, s, Options{}).Retrieve(t.Context(), query("vacation"))
	if !errors.Is(err, assistants.ErrUnavailable) || len(res.Trace.Queries) != 1 {
		t.Errorf("%v, %+v", err, res)
	}
	x, s = world(3)
	s.err = fmt.Errorf("database: %w", assistants.ErrUnavailable)
	if _, err := New(x, s, Options{}).Retrieve(t.Context(), query("vacation")); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
}

func TestASlowIndexIsGivenUpAfterTheBudget(t *testing.T) {
	x, s := world(3)
	x.answer = func(ctx context.Context, _ assistants.Search) ([]assistants.Match, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r := New(x, s, Options{})
	r.budget = time.Millisecond
	if _, err := r.Retrieve(t.Context(), query("vacation")); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("after the budget: %v", err)
	}
	r.budget = Budget
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Retrieve(ctx, query("vacation")); !errors.Is(err, context.Canceled) || errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("after the caller gave up: %v", err)
	}
}

func TestLongQuestionsAreCutBetweenCharacters(t *testing.T) {
	for _, unit := range []string{"a ", "é", "有", "😀"} {
		text := "vacation " + strings.Repeat(unit, MaxQueryBytes) + " salary"
		got := clip(text)
		if len(got) > MaxQueryBytes || !utf8.ValidString(got) || !strings.HasPrefix(got, "vacation ") || !strings.HasSuffix(got, " salary") {
			t.Errorf("%q…: %d bytes", unit, len(got))
		}
	}
	if clip("short") != "short" {
		t.Error("a short question is changed")
	}
	x, s := world(1)
	res := retrieve(t, New(x, s, Options{}), query(strings.Repeat("words ", 1<<18)))
	if len(res.Trace.Queries[0]) > MaxQueryBytes {
		t.Errorf("searched for %d bytes", len(res.Trace.Queries[0]))
	}
}

func TestAnAssistantWithoutDocumentsSaysSo(t *testing.T) {
	for _, c := range []struct {
		chunks int
		unread bool
		want   []string
	}{{0, false, []string{warnNoDocuments}}, {0, true, []string{warnNoneRead}}, {1, false, nil}} {
		x, s := world(c.chunks)
		s.unread = c.unread
		x.answer = func(context.Context, assistants.Search) ([]assistants.Match, error) { return nil, nil }
		if res := retrieve(t, New(x, s, Options{}), query("vacation")); !slices.Equal(res.Trace.Warnings, c.want) {
			t.Errorf("%+v: %q", c, res.Trace.Warnings)
		}
	}
}

// TestAPanicOfASearchIsAnErrorOfItsQuery: a plan of two searches runs one of them in a goroutine
// of its own, where a panic would end the program.
func TestAPanicOfASearchIsAnErrorOfItsQuery(t *testing.T) {
	x, s := world(3)
	x.answer = func(context.Context, assistants.Search) ([]assistants.Match, error) { panic("a bug") }
	q := query("Parental leave?")
	q.Before = said("What was the revenue growth in 2022?")
	res, err := New(x, s, Options{}).Retrieve(t.Context(), q)
	if err == nil || !strings.Contains(err.Error(), "panic: a bug") || len(res.Trace.Queries) != 2 {
		t.Errorf("%v, searched %q", err, res.Trace.Queries)
	}
}
