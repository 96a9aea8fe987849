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

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An index answers with what its function says.
type index struct {
	answer func(ctx context.Context, q assistants.Search) ([]assistants.Match, error)
	asked  []assistants.Search
}

func (x *index) Search(ctx context.Context, q assistants.Search) (assistants.Found, error) {
	x.asked = append(x.asked, q)
	matches, err := x.answer(ctx, q)
	return assistants.Found{Matches: matches}, err
}

// A store has chunks by id; batches are the sizes of the requests it got.
type store struct {
	texts   map[assistants.ChunkID]string
	err     error
	batches []int
}

func (s *store) Hits(_ context.Context, _ assistants.TenantID, _ []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error) {
	s.batches = append(s.batches, len(matches))
	var out []assistants.Hit
	for _, m := range matches {
		if text, ok := s.texts[m.ChunkID]; ok {
			out = append(out, assistants.Hit{Chunk: assistants.Chunk{ID: m.ChunkID, Text: text}, Score: m.Score})
		}
	}
	return out, s.err
}

// world makes n matches of falling score, all of them in the store.
func world(n int) (*index, *store) {
	s := &store{texts: map[assistants.ChunkID]string{}}
	var matches []assistants.Match
	for i := range n {
		id := assistants.ChunkID(fmt.Sprintf("chunk%02d", i))
		s.texts[id] = "text of " + string(id)
		matches = append(matches, assistants.Match{ChunkID: id, Score: 1 - float64(i)/100})
	}
	return &index{answer: func(context.Context, assistants.Search) ([]assistants.Match, error) {
		return slices.Clone(matches), nil
	}}, s
}

func query(text string) Query {
	return Query{Tenant: "t1", Collections: []assistants.CollectionID{"c1"}, Text: text, TopK: 3, Threshold: 0.3, Mode: assistants.SearchHybrid}
}

func retrieve(t *testing.T, r *Retriever, q Query) Result {
	t.Helper()
	res, err := r.Retrieve(context.Background(), q)
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

func TestTheBestPassagesComeInOrder(t *testing.T) {
	x, s := world(10)
	res := retrieve(t, New(x, s), query("How many vacation days?"))
	if got := ids(res.Hits); got != "00 01 02" {
		t.Errorf("hits %s", got)
	}
	want := assistants.Search{
		Tenant: "t1", Collections: []assistants.CollectionID{"c1"}, Terms: []string{"vacat", "day"}, Limit: assistants.MaxMatches, MinScore: 0.3,
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
	r := New(x, s)
	clock := time.Unix(0, 0)
	r.now = func() time.Time { clock = clock.Add(time.Millisecond); return clock }
	trace := retrieve(t, r, query("vacation")).Trace
	if trace.Mode != assistants.SearchFullText || !slices.Equal(trace.Queries, []string{"vacation"}) ||
		trace.Duration != 5*time.Millisecond || trace.Stages[StageText] != time.Millisecond || trace.Stages[StageFetch] != time.Millisecond {
		t.Errorf("%+v", trace)
	}
}

func TestTopKIsClamped(t *testing.T) {
	for topK, want := range map[int]int{-1: 1, 0: 1, 7: 7, 1e9: assistants.MaxMatches} {
		x, s := world(assistants.MaxMatches)
		q := query("vacation")
		q.TopK = topK
		if got := len(retrieve(t, New(x, s), q).Hits); got != want {
			t.Errorf("top k %d gives %d hits, want %d", topK, got, want)
		}
	}
}

func TestWhatLiesUnderTheThresholdIsLeftOut(t *testing.T) {
	x, s := world(10)
	q := query("vacation")
	q.Threshold, q.TopK = 0.98, 10
	if got := ids(retrieve(t, New(x, s), q).Hits); got != "00 01 02" {
		t.Errorf("hits %s", got)
	}
	q.Threshold = 1.01
	if got := retrieve(t, New(x, s), q); len(got.Hits) != 0 {
		t.Errorf("hits %s", ids(got.Hits))
	}
}

func TestWithoutWordsOrCollectionsNothingIsSearched(t *testing.T) {
	for _, q := range []Query{query(""), query("??? \n"), query("What is it?"), {Text: "vacation", TopK: 3}} {
		x, s := world(3)
		res := retrieve(t, New(x, s), q)
		if len(res.Hits) != 0 || len(x.asked) != 0 || len(res.Trace.Queries) != 0 {
			t.Errorf("%+v: %+v", q, res)
		}
	}
}

func TestRepeatedPassagesCountOnce(t *testing.T) {
	x, s := world(10)
	for _, id := range []assistants.ChunkID{"chunk01", "chunk02", "chunk04"} {
		s.texts[id] = s.texts["chunk00"]
	}
	if got := ids(retrieve(t, New(x, s), query("vacation")).Hits); got != "00 03 05" {
		t.Errorf("hits %s", got)
	}
	if !slices.Equal(s.batches, []int{3, 3}) {
		t.Errorf("the store was asked for %v passages", s.batches)
	}
}

func TestAPassageThatIsGoneIsSearchedForOnceMore(t *testing.T) {
	x, s := world(10)
	delete(s.texts, "chunk01")
	res := retrieve(t, New(x, s), query("vacation"))
	if got := ids(res.Hits); got != "00 02 03" || len(x.asked) != 2 {
		t.Errorf("hits %s after %d searches", got, len(x.asked))
	}
	// The document was replaced meanwhile: the second search finds its new chunks.
	x, s = world(10)
	stale := x.answer
	s.texts["new"] = "new text"
	delete(s.texts, "chunk00")
	x.answer = func(ctx context.Context, q assistants.Search) ([]assistants.Match, error) {
		if len(x.asked) == 1 {
			return stale(ctx, q)
		}
		return []assistants.Match{{ChunkID: "new", Score: 0.9}}, nil
	}
	if got := ids(retrieve(t, New(x, s), query("vacation")).Hits); got != "new" {
		t.Errorf("hits %s", got)
	}
}

func TestFailuresKeepTheirKind(t *testing.T) {
	x, s := world(3)
	x.answer = func(context.Context, assistants.Search) ([]assistants.Match, error) {
		return nil, fmt.Errorf("index: %w", assistants.ErrUnavailable)
	}
	res, err := New(x, s).Retrieve(context.Background(), query("vacation"))
	if !errors.Is(err, assistants.ErrUnavailable) || len(res.Trace.Queries) != 1 {
		t.Errorf("%v, %+v", err, res)
	}
	x, s = world(3)
	s.err = fmt.Errorf("database: %w", assistants.ErrUnavailable)
	if _, err := New(x, s).Retrieve(context.Background(), query("vacation")); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
}

func TestASlowIndexIsGivenUpAfterTheBudget(t *testing.T) {
	x, s := world(3)
	x.answer = func(ctx context.Context, _ assistants.Search) ([]assistants.Match, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r := New(x, s)
	r.budget = time.Millisecond
	if _, err := r.Retrieve(context.Background(), query("vacation")); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("after the budget: %v", err)
	}
	r.budget = Budget
	ctx, cancel := context.WithCancel(context.Background())
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
	res := retrieve(t, New(x, s), query(strings.Repeat("words ", 1<<18)))
	if len(res.Trace.Queries[0]) > MaxQueryBytes {
		t.Errorf("searched for %d bytes", len(res.Trace.Queries[0]))
	}
}
