// Package vectortest is the contract suite of every index. It tests what an index
// promises, not how it works, and compares scores with a simple reference
// implementation ([Reference]).
package vectortest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// An Index is the index under test. It has the methods that all packages need
// together, so it is larger than their own interfaces.
type Index interface {
	Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error
	Remove(ctx context.Context, id assistants.DocumentID) error
	ApplyEmbedded(ctx context.Context, d assistants.Document, version int, points []assistants.Point, space assistants.Space, vectors [][]float32) error
	ApplyVectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space, vectors [][]float32) error
	DropVectors(ctx context.Context, collection assistants.CollectionID, space assistants.Space) error
	Versions(ctx context.Context) (map[assistants.DocumentID]assistants.Indexed, error)
	Search(ctx context.Context, q assistants.Search) (assistants.Found, error)
	Sample(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, space assistants.Space, n int) ([][]float32, error)
	Close() error
}

// Run runs the suite. open opens the index in a directory. After Close, it opens the
// same index again.
func Run(t *testing.T, open func(t testing.TB, dir string) Index) {
	fresh := func(t *testing.T) Index {
		x := open(t, t.TempDir())
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
		return x
	}
	t.Run("finds words and nothing for nonsense", func(t *testing.T) { findsWords(t, fresh(t)) })
	t.Run("the best wording of a question counts", func(t *testing.T) { takesTheBestWording(t, fresh(t)) })
	t.Run("a long question needs its rarest words only", func(t *testing.T) { takesLongQuestions(t, fresh(t)) })
	t.Run("a document is replaced as a whole", func(t *testing.T) { replaces(t, fresh(t)) })
	t.Run("a removed document is gone", func(t *testing.T) { removes(t, fresh(t)) })
	t.Run("collections and tenants are apart", func(t *testing.T) { isolates(t, fresh(t)) })
	t.Run("no tenant finds what is another's", func(t *testing.T) { keepsTenantsApart(t, fresh(t)) })
	t.Run("finds meanings as well as words", func(t *testing.T) { findsMeanings(t, fresh(t)) })
	t.Run("orders passages with full scores", func(t *testing.T) { ordersFullScores(t, fresh(t)) })
	t.Run("vectors belong to their version", func(t *testing.T) { bindsVectors(t, fresh(t)) })
	t.Run("words and vectors are replaced at once", func(t *testing.T) { replacesEmbedded(t, fresh(t)) })
	t.Run("bad vectors are refused", func(t *testing.T) { refusesVectors(t, fresh(t)) })
	t.Run("spaces are apart", func(t *testing.T) { keepsSpacesApart(t, fresh(t)) })
	t.Run("only the documents asked for are searched", func(t *testing.T) { filters(t, fresh(t)) })
	t.Run("a sample is of the collection and the space", func(t *testing.T) { samples(t, fresh(t)) })
	t.Run("words and vectors bring a hundred candidates each", func(t *testing.T) { bringsCandidates(t, fresh(t)) })
	t.Run("limits are clamped", func(t *testing.T) { clamps(t, fresh(t)) })
	t.Run("equal scores have one order", func(t *testing.T) { breaksTies(t, fresh(t)) })
	t.Run("bad documents are refused", func(t *testing.T) { refuses(t, fresh(t)) })
	t.Run("a cancelled call changes nothing", func(t *testing.T) { cancels(t, fresh(t)) })
	t.Run("a restart keeps everything", func(t *testing.T) { survives(t, open) })
	t.Run("after Close calls fail as unavailable", func(t *testing.T) { closes(t, open(t, t.TempDir())) })
	t.Run("searches during changes see whole versions", func(t *testing.T) { seesWholeVersions(t, fresh(t)) })
	t.Run("a document is found by its meaning while it is replaced", func(t *testing.T) { seesVectorsAllTheTime(t, fresh(t)) })
	t.Run("writers of one document leave it whole", func(t *testing.T) { writesWhole(t, fresh(t)) })
	t.Run("any history gives the reference's answers", func(t *testing.T) { equalsReference(t, open) })
}

// Doc is a document of tenant t1 for tests.
func Doc(collection, id, name string) assistants.Document {
	return assistants.Document{
		ID: assistants.DocumentID(id), TenantID: "t1", CollectionID: assistants.CollectionID(collection), Name: name,
	}
}

// Points makes points of texts.
func Points(id string, version int, texts ...string) []assistants.Point {
	out := make([]assistants.Point, len(texts))
	for i, text := range texts {
		out[i] = assistants.Point{
			ChunkID: assistants.NewChunkID(assistants.DocumentID(id), version, i), Index: i, Text: text,
		}
	}
	return out
}

// Ask makes the query for a question in collections of tenant t1.
func Ask(question string, collections ...assistants.CollectionID) assistants.Search {
	return assistants.Search{
		Tenant: "t1", Collections: collections, Terms: lexical.QueryTerms(question), Limit: assistants.MaxMatches,
	}
}

func must(t require, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// require is the part of testing.T that stops a test. rapid.T has it, too.
type require interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func find(t require, x Index, q assistants.Search) []assistants.Match {
	t.Helper()
	got, err := x.Search(context.Background(), q)
	must(t, err)
	return got.Matches
}

func expect(t require, got []assistants.Match, want ...string) {
	t.Helper()
	var ids []string
	for _, m := range got {
		ids = append(ids, string(m.DocumentID))
	}
	if !slices.Equal(ids, want) {
		t.Fatalf("found %q, want %q", ids, want)
	}
}

func findsWords(t *testing.T, x Index) {
	ctx := context.Background()
	expect(t, find(t, x, Ask("vacation", "c1")))
	must(t, x.Apply(ctx, Doc("c1", "d1", "Handbook.md"), 1, Points("d1", 1, "Employees have 25 vacation days a year.", "Rent is paid monthly.")))
	must(t, x.Apply(ctx, Doc("c1", "d2", "旅費.md"), 1, Points("d2", 1, "差旅费用的报销需要收据。")))
	for question, want := range map[string]string{
		"How many vacation days do I get?": "d1", "employee": "d1", "报销": "d2", "旅費": "d2",
	} {
		got := find(t, x, Ask(question, "c1"))
		if len(got) == 0 || string(got[0].DocumentID) != want {
			t.Fatalf("%q finds %+v, want %s", question, got, want)
		}
		m := got[0]
		if m.Version != 1 || m.Score <= 0 || m.Score > 1 || m.TextScore != m.Score || m.Cosine != 0 ||
			m.ChunkID != assistants.NewChunkID(m.DocumentID, 1, 0) {
			t.Errorf("%q finds %+v", question, m)
		}
	}
	for _, nonsense := range []string{"xyzzy plugh", "", "the of and"} {
		expect(t, find(t, x, Ask(nonsense, "c1")))
	}
	expect(t, find(t, x, Ask("vacation")))
	expect(t, find(t, x, Ask("vacation", "unknown")))
}

func replaces(t *testing.T, x Index) {
	ctx := context.Background()
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "apples", "pears")))
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 2, Points("d1", 2, "cherries")))
	expect(t, find(t, x, Ask("apple pear", "c1")))
	got := find(t, x, Ask("cherry", "c1"))
	expect(t, got, "d1")
	if got[0].Version != 2 {
		t.Fatalf("version %d", got[0].Version)
	}
	// Applying the same version again duplicates nothing. An earlier version may
	// return. A document may move to another collection, and may have no words.
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 2, Points("d1", 2, "cherries")))
	expect(t, find(t, x, Ask("cherry", "c1")), "d1")
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "apples", "pears")))
	expect(t, find(t, x, Ask("cherry", "c1")))
	must(t, x.Apply(ctx, Doc("c2", "d1", ""), 3, Points("d1", 3, "plums")))
	expect(t, find(t, x, Ask("apple pear plum", "c1")))
	expect(t, find(t, x, Ask("plum", "c2")), "d1")
	must(t, x.Apply(ctx, Doc("c2", "d1", ""), 4, Points("d1", 4, " \n", "\x00\x01", "…")))
	expect(t, find(t, x, Ask("plum", "c2")))
	versions(t, x, map[assistants.DocumentID]int{"d1": 4})
}

// versions compares what the index has with documents that have no vectors.
func versions(t require, x Index, want map[assistants.DocumentID]int) {
	t.Helper()
	have := map[assistants.DocumentID]assistants.Indexed{}
	for id, version := range want {
		have[id] = assistants.Indexed{Version: version}
	}
	indexed(t, x, have)
}

func indexed(t require, x Index, want map[assistants.DocumentID]assistants.Indexed) {
	t.Helper()
	got, err := x.Versions(context.Background())
	must(t, err)
	for _, all := range []map[assistants.DocumentID]assistants.Indexed{got, want} {
		for _, have := range all {
			slices.SortFunc(have.Spaces, func(x, y assistants.Space) int {
				return cmp.Or(cmp.Compare(x.Model, y.Model), cmp.Compare(x.Dimensions, y.Dimensions))
			})
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) { // fmt sorts maps
		t.Fatalf("versions %v, want %v", got, want)
	}
}

func removes(t *testing.T, x Index) {
	ctx := context.Background()
	must(t, x.Remove(ctx, "never there"))
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "apples")))
	must(t, x.Apply(ctx, Doc("c1", "d2", ""), 1, Points("d2", 1, "apples and pears")))
	must(t, x.Remove(ctx, "d1"))
	must(t, x.Remove(ctx, "d1"))
	expect(t, find(t, x, Ask("apple", "c1")), "d2")
	must(t, x.Remove(ctx, "d2"))
	expect(t, find(t, x, Ask("apple", "c1")))
	versions(t, x, nil)
}

func isolates(t *testing.T, x Index) {
	ctx := context.Background()
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "apples and pears")))
	must(t, x.Apply(ctx, Doc("c2", "d2", ""), 1, Points("d2", 1, "apples")))
	before := find(t, x, Ask("apple pear", "c1"))
	for i := range 20 {
		id := fmt.Sprintf("other%d", i)
		must(t, x.Apply(ctx, Doc("c2", id, ""), 1, Points(id, 1, "pears pears pears")))
	}
	after := find(t, x, Ask("apple pear", "c1"))
	expect(t, after, "d1")
	if before[0].Score != after[0].Score {
		t.Errorf("another collection moves the score from %v to %v", before[0].Score, after[0].Score)
	}
	q := Ask("apple", "c1", "c2")
	q.Tenant = "t2"
	expect(t, find(t, x, q))
	expect(t, find(t, x, Ask("apple", "c2", "c1", "c2")), "d2", "d1")
}

func clamps(t *testing.T, x Index) {
	var texts []string
	for i := range 2 * assistants.MaxMatches {
		texts = append(texts, fmt.Sprintf("apple number %d", i))
	}
	must(t, x.Apply(context.Background(), Doc("c1", "d1", ""), 1, Points("d1", 1, texts...)))
	for limit, want := range map[int]int{
		-1: 1, 0: 1, 1: 1, 7: 7, 50: 50, 51: assistants.MaxMatches, 1e9: assistants.MaxMatches, math.MaxInt: assistants.MaxMatches,
	} {
		q := Ask("apple", "c1")
		q.Limit = limit
		if got := find(t, x, q); len(got) != want {
			t.Errorf("limit %d gives %d matches, want %d", limit, len(got), want)
		}
	}
	q := Ask("apple pie", "c1")
	all := find(t, x, q)
	q.MinScore = all[0].Score
	if got := find(t, x, q); len(got) == 0 {
		t.Error("a match that just reaches the minimum is left out")
	}
	q.MinScore = 1.1
	expect(t, find(t, x, q))
}

func breaksTies(t *testing.T, x Index) {
	ctx := context.Background()
	for _, id := range []string{"d3", "d1", "d2"} {
		must(t, x.Apply(ctx, Doc("c1", id, ""), 1, Points(id, 1, "same words", "same words")))
	}
	for range 3 {
		got := find(t, x, Ask("same words", "c1"))
		expect(t, got, "d1", "d1", "d2", "d2", "d3", "d3")
		if got[0].ChunkID != assistants.NewChunkID("d1", 1, 0) {
			t.Fatal("the second chunk comes before the first")
		}
		must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "same words", "same words")))
	}
	q := Ask("same words", "c1")
	q.Limit = 3
	expect(t, find(t, x, q), "d1", "d1", "d2")
}

func refuses(t *testing.T, x Index) {
	ok := Doc("c1", "d1", "")
	noID, noTenant, noCollection := ok, ok, ok
	noID.ID, noTenant.TenantID, noCollection.CollectionID = "", "", ""
	for _, d := range []assistants.Document{noID, noTenant, noCollection} {
		if err := x.Apply(context.Background(), d, 1, nil); !errors.Is(err, assistants.ErrInvalid) {
			t.Errorf("%+v: %v", d, err)
		}
		if err := x.ApplyEmbedded(context.Background(), d, 1, nil, small, nil); !errors.Is(err, assistants.ErrInvalid) {
			t.Errorf("%+v with vectors: %v", d, err)
		}
	}
	if err := x.Apply(context.Background(), ok, 0, nil); !errors.Is(err, assistants.ErrInvalid) {
		t.Errorf("version 0: %v", err)
	}
}

func cancels(t *testing.T, x Index) {
	ctx, cancel := context.WithCancel(context.Background())
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "apples")))
	cancel()
	if err := x.Apply(ctx, Doc("c1", "d1", ""), 2, Points("d1", 2, "pears")); !errors.Is(err, context.Canceled) {
		t.Errorf("apply: %v", err)
	}
	if err := x.Remove(ctx, "d1"); !errors.Is(err, context.Canceled) {
		t.Errorf("remove: %v", err)
	}
	if err := x.ApplyVectors(ctx, "d1", 1, small, [][]float32{unitVector(1, 0, 0)}); !errors.Is(err, context.Canceled) {
		t.Errorf("apply vectors: %v", err)
	}
	if err := x.ApplyEmbedded(ctx, Doc("c1", "d1", ""), 2, Points("d1", 2, "pears"), small, [][]float32{unitVector(1, 0, 0)}); !errors.Is(err, context.Canceled) {
		t.Errorf("apply embedded: %v", err)
	}
	if err := x.DropVectors(ctx, "c1", small); !errors.Is(err, context.Canceled) {
		t.Errorf("drop vectors: %v", err)
	}
	if _, err := x.Search(ctx, Ask("apple", "c1")); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v", err)
	}
	expect(t, find(t, x, Ask("apple pear", "c1")), "d1")
	versions(t, x, map[assistants.DocumentID]int{"d1": 1})
}

func closes(t *testing.T, x Index) {
	must(t, x.Close())
	must(t, x.Close())
	ctx := context.Background()
	_, search := x.Search(ctx, Ask("apple", "c1"))
	_, sample := x.Sample(ctx, "t1", "c1", small, 1)
	_, list := x.Versions(ctx)
	for what, err := range map[string]error{
		"apply": x.Apply(ctx, Doc("c1", "d1", ""), 1, nil), "remove": x.Remove(ctx, "d1"), "search": search, "versions": list, "sample": sample,
		"apply embedded": x.ApplyEmbedded(ctx, Doc("c1", "d1", ""), 1, nil, small, nil),
		"apply vectors":  x.ApplyVectors(ctx, "d1", 1, small, nil), "drop vectors": x.DropVectors(ctx, "c1", small),
	} {
		if !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func survives(t *testing.T, open func(t testing.TB, dir string) Index) {
	ctx, dir := context.Background(), t.TempDir()
	x := open(t, dir)
	for i := range 30 {
		id := fmt.Sprintf("d%02d", i)
		must(t, x.Apply(ctx, Doc("c1", id, "Notes on Kündigung 年假.md"), i+1, Points(id, i+1, "apples "+id, "pears and "+id, "")))
		if i%3 > 0 {
			must(t, x.ApplyVectors(ctx, assistants.DocumentID(id), i+1, small, [][]float32{unitVector(1, i, 0), unitVector(0, 1, i), unitVector(i, 0, 1)}))
		}
		if i%3 > 1 {
			must(t, x.ApplyVectors(ctx, assistants.DocumentID(id), i+1, other, [][]float32{unitVector(1, i), unitVector(0, 1), unitVector(i, 1)}))
		}
	}
	must(t, x.Remove(ctx, "d07"))
	q := withVector(Ask("apple notes d11 年假", "c1"), small, unitVector(1, 1, 1))
	want := find(t, x, q)
	before, err := x.Versions(ctx)
	must(t, err)
	must(t, x.Close())
	x = open(t, dir)
	indexed(t, x, before)
	if got := find(t, x, q); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("after a restart %v, before it %v", got, want)
	}
	must(t, x.Close())
}

// takesLongQuestions: eight terms of a question are enough for its score, here the three that no
// chunk has and five others. With all twelve the first chunk would have less than a half.
func takesLongQuestions(t *testing.T, x Index) {
	must(t, x.Apply(t.Context(), Doc("c1", "doc1", "a"), 1, Points("doc1", 1,
		"anchor bridge candle dagger engine falcon garden hammer", "anchor bridge candle dagger engine falcon garden hammer island", "anchor bridge candle dagger", "The weather was fine")))
	got := find(t, x, Ask("anchor bridge candle dagger engine falcon garden hammer island jacket kettle ladder", "c1"))
	if len(got) != 3 || got[0].ChunkID != assistants.NewChunkID("doc1", 1, 1) || got[0].TextScore < 0.65 || got[1].TextScore < 0.6 || got[2].TextScore > 0.4 {
		t.Errorf("%+v", got)
	}
}

func takesTheBestWording(t *testing.T, x Index) {
	must(t, x.Apply(t.Context(), Doc("c1", "doc1", "a"), 1, Points("doc1", 1, "Purchases of property and equipment rose", "The capex plan", "The weather was fine")))
	q := Ask("capex of the company", "c1")
	alone := find(t, x, q)
	q.Wordings = [][]string{lexical.QueryTerms("purchases of equipment"), lexical.QueryTerms("nothing of that kind")}
	got := find(t, x, q)
	if len(alone) != 1 || len(got) != 2 || got[0].TextScore < 0.8 || got[1] != alone[0] {
		t.Errorf("alone %+v, with its wordings %+v", alone, got)
	}
}
