package vectortest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"footnote/assistants"
)

// Two spaces of few dimensions.
var (
	small = assistants.Space{Model: "small", Dimensions: 3}
	other = assistants.Space{Model: "other", Dimensions: 2}
)

// unitVector is the vector of length 1 in the direction of parts.
func unitVector(parts ...int) []float32 {
	length := 0.0
	for _, p := range parts {
		length += float64(p * p)
	}
	out := make([]float32, len(parts))
	for i, p := range parts {
		out[i] = float32(float64(p) / math.Sqrt(length))
	}
	return out
}

// withVector adds a vector to a question.
func withVector(q assistants.Search, space assistants.Space, vector []float32) assistants.Search {
	q.Space, q.Vector, q.TextWeight = space, vector, 0.5
	return q
}

func expectNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func findsMeanings(t *testing.T, x Index) {
	ctx := context.Background()
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "apples", "holiday", "…")))
	must(t, x.Apply(ctx, Doc("c1", "d2", ""), 1, Points("d2", 1, "vacation")))
	must(t, x.ApplyVectors(ctx, "d1", 1, small, [][]float32{unitVector(1, 0, 0), unitVector(3, 4, 0), unitVector(0, 1, 0)}))
	// A search by meaning alone finds no chunk without a vector, but one without words.
	got := find(t, x, withVector(Ask("", "c1"), small, unitVector(0, 1, 0)))
	expect(t, got, "d1", "d1")
	expectNear(t, "the nearest's cosine", got[0].Cosine, 1)
	expectNear(t, "the second's cosine", got[1].Cosine, 0.8)
	expectNear(t, "the second's score", got[1].Score, 0.8)
	if got[0].ChunkID != assistants.NewChunkID("d1", 1, 2) || got[0].TextScore != 0 {
		t.Errorf("nearest is %+v", got[0])
	}
	// A search by both: each match has both scores, but for d2, which has no vector.
	got = find(t, x, withVector(Ask("vacation", "c1"), small, unitVector(0, 1, 0)))
	expect(t, got, "d2", "d1", "d1")
	words := find(t, x, Ask("vacation", "c1"))[0].Score
	expectNear(t, "the score of what has words only", got[0].Score, words)
	expectNear(t, "the score of what has a vector only", got[1].Score, 0.5)
	q := withVector(Ask("holiday", "c1"), small, unitVector(0, 1, 0))
	q.TextWeight, q.Calibration = 0.25, assistants.Calibration{Low: 0.6, High: 1}
	got = find(t, x, q)
	text := find(t, x, Ask("holiday", "c1"))[0].Score
	expectNear(t, "text score", got[1].TextScore, text)
	expectNear(t, "the score of both", got[1].Score, 0.25*text+0.75*0.5)
	// A chunk that scores 0, or less than the minimum, does not match.
	q.Vector = unitVector(0, 0, 1)
	q.Terms = nil
	expect(t, find(t, x, q))
	q.Vector, q.MinScore = unitVector(0, 1, 0), 0.6
	expect(t, find(t, x, q), "d1")
}

// ordersFullScores checks that the nearest comes first among passages that all
// have the score 1, such as those of contracts made from one template.
func ordersFullScores(t *testing.T, x Index) {
	ctx := context.Background()
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "apples", "pears", "plums", "grapes")))
	must(t, x.ApplyVectors(ctx, "d1", 1, small, [][]float32{unitVector(8, 1, 0), unitVector(9, 0, 1), unitVector(9, 1, 0), unitVector(1, 9, 0)}))
	for place, direction := range map[int][]float32{0: unitVector(8, 1, 0), 1: unitVector(9, 0, 1), 2: unitVector(9, 1, 0)} {
		q := withVector(Ask("", "c1"), small, direction)
		q.Calibration = assistants.Calibration{Low: 0.2, High: 0.9}
		got := find(t, x, q)
		if got[0].Score != 1 || got[2].Score != 1 || got[0].ChunkID != assistants.NewChunkID("d1", 1, place) {
			t.Errorf("nearest to passage %d: %+v", place, got)
		}
	}
}

func bindsVectors(t *testing.T, x Index) {
	ctx := context.Background()
	one := [][]float32{unitVector(1, 0, 0)}
	if err := x.ApplyVectors(ctx, "d1", 1, small, one); !errors.Is(err, assistants.ErrConflict) {
		t.Errorf("a document that is not there: %v", err)
	}
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 2, Points("d1", 2, "apples")))
	for _, version := range []int{1, 3} {
		if err := x.ApplyVectors(ctx, "d1", version, small, one); !errors.Is(err, assistants.ErrConflict) {
			t.Errorf("version %d: %v", version, err)
		}
	}
	versions(t, x, map[assistants.DocumentID]int{"d1": 2})
	must(t, x.ApplyVectors(ctx, "d1", 2, small, one))
	must(t, x.ApplyVectors(ctx, "d1", 2, small, [][]float32{unitVector(0, 1, 0)})) // the later ones count
	q := withVector(Ask("", "c1"), small, unitVector(0, 1, 0))
	got := find(t, x, q)
	expect(t, got, "d1")
	expectNear(t, "cosine", got[0].Cosine, 1)
	indexed(t, x, map[assistants.DocumentID]assistants.Indexed{"d1": {Version: 2, Spaces: []assistants.Space{small}}})
	// Applying the same version again removes its vectors, because its text may differ.
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 2, Points("d1", 2, "apples")))
	expect(t, find(t, x, q))
	versions(t, x, map[assistants.DocumentID]int{"d1": 2})
	must(t, x.ApplyVectors(ctx, "d1", 2, small, one))
	must(t, x.Remove(ctx, "d1"))
	expect(t, find(t, x, withVector(Ask("apple", "c1"), small, unitVector(1, 0, 0))))
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 2, Points("d1", 2, "apples")))
	expect(t, find(t, x, withVector(Ask("", "c1"), small, unitVector(1, 0, 0))))
}

// replacesEmbedded replaces words and vectors in one step.
func replacesEmbedded(t *testing.T, x Index) {
	ctx := context.Background()
	apply := func(version int, space assistants.Space, vector []float32, texts ...string) error {
		return x.ApplyEmbedded(ctx, Doc("c1", "d1", ""), version, Points("d1", version, texts...), space, [][]float32{vector})
	}
	must(t, apply(1, small, unitVector(1, 0, 0), "apples")) // a document that was not there
	must(t, x.ApplyVectors(ctx, "d1", 1, other, [][]float32{unitVector(0, 1)}))
	must(t, apply(2, small, unitVector(0, 1, 0), "pears"))
	expect(t, find(t, x, Ask("apple", "c1")))
	got := find(t, x, withVector(Ask("pear", "c1"), small, unitVector(0, 1, 0)))
	expect(t, got, "d1")
	if got[0].Version != 2 || got[0].TextScore == 0 {
		t.Errorf("%+v", got)
	}
	expectNear(t, "cosine", got[0].Cosine, 1)
	expect(t, find(t, x, withVector(Ask("", "c1"), small, unitVector(1, 0, 0))))
	want := map[assistants.DocumentID]assistants.Indexed{"d1": {Version: 2, Spaces: []assistants.Space{small}}}
	indexed(t, x, want)
	// Invalid vectors change nothing, not even the words.
	for what, err := range map[string]error{
		"more points than vectors": apply(3, small, unitVector(1, 0, 0), "plums", "quinces"),
		"fewer":                    apply(3, small, unitVector(1, 0, 0)),
		"another space":            apply(3, small, unitVector(1, 0), "plums"),
		"no direction":             apply(3, small, []float32{0, 0, 0}, "plums"),
		"no number":                apply(3, small, []float32{float32(math.NaN()), 0, 0}, "plums"),
	} {
		if !errors.Is(err, assistants.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	indexed(t, x, want)
	expect(t, find(t, x, Ask("pear", "c1")), "d1")
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 3, Points("d1", 3, "plums"))) // without vectors
	expect(t, find(t, x, withVector(Ask("", "c1"), small, unitVector(0, 1, 0))))
}

// refusesVectors applies vectors as faulty embedding servers return them.
func refusesVectors(t *testing.T, x Index) {
	ctx := context.Background()
	must(t, x.Apply(ctx, Doc("c1", "d1", ""), 1, Points("d1", 1, "apples", "pears")))
	good := [][]float32{unitVector(1, 0, 0), unitVector(0, 1, 0)}
	must(t, x.ApplyVectors(ctx, "d1", 1, small, good))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for what, bad := range map[string][]float32{
		"not a number": {1, nan, 0}, "nothing but no numbers": {nan, nan, nan}, "infinite": {1, inf, 0}, "zero": {0, 0, 0}, "short": {0.5, 0, 0}, "long": {1, 1, 0},
		"huge": {math.MaxFloat32, 0, 0}, "too few dimensions": {1, 0}, "too many": {1, 0, 0, 0}, "none": {},
	} {
		for _, vectors := range [][][]float32{{bad, good[1]}, {good[0], bad}} {
			if err := x.ApplyVectors(ctx, "d1", 1, small, vectors); !errors.Is(err, assistants.ErrInvalid) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if len(bad) > 0 {
			if _, err := x.Search(ctx, withVector(Ask("", "c1"), small, bad)); !errors.Is(err, assistants.ErrInvalid) {
				t.Errorf("a question that is %s: %v", what, err)
			}
		}
	}
	for _, vectors := range [][][]float32{nil, good[:1], append(slices.Clone(good), good[0])} {
		if err := x.ApplyVectors(ctx, "d1", 1, small, vectors); !errors.Is(err, assistants.ErrInvalid) {
			t.Errorf("%d vectors for two points: %v", len(vectors), err)
		}
	}
	for _, space := range []assistants.Space{{}, {Dimensions: 3}, {Model: "m"}, {Model: "m", Dimensions: -3}, {Model: "m", Dimensions: 2}} {
		if err := x.ApplyVectors(ctx, "d1", 1, space, good); !errors.Is(err, assistants.ErrInvalid) {
			t.Errorf("%+v: %v", space, err)
		}
	}
	expect(t, find(t, x, withVector(Ask("", "c1"), small, unitVector(1, 1, 0))), "d1", "d1")
	indexed(t, x, map[assistants.DocumentID]assistants.Indexed{"d1": {Version: 1, Spaces: []assistants.Space{small}}})
}

func keepsSpacesApart(t *testing.T, x Index) {
	ctx := context.Background()
	wider := assistants.Space{Model: small.Model, Dimensions: 4}
	for _, collection := range []string{"c1", "c2"} {
		id := "of-" + collection
		must(t, x.Apply(ctx, Doc(collection, id, ""), 1, Points(id, 1, "apples")))
		must(t, x.ApplyVectors(ctx, assistants.DocumentID(id), 1, small, [][]float32{unitVector(1, 0, 0)}))
		must(t, x.ApplyVectors(ctx, assistants.DocumentID(id), 1, wider, [][]float32{unitVector(0, 0, 0, 1)}))
	}
	must(t, x.ApplyVectors(ctx, "of-c1", 1, other, [][]float32{unitVector(1, 0)}))
	indexed(t, x, map[assistants.DocumentID]assistants.Indexed{
		"of-c1": {Version: 1, Spaces: []assistants.Space{small, wider, other}}, "of-c2": {Version: 1, Spaces: []assistants.Space{small, wider}},
	})
	both := []assistants.CollectionID{"c1", "c2"}
	expect(t, find(t, x, withVector(Ask("", both...), small, unitVector(1, 0, 0))), "of-c1", "of-c2")
	expect(t, find(t, x, withVector(Ask("", both...), wider, unitVector(0, 0, 0, 1))), "of-c1", "of-c2")
	expect(t, find(t, x, withVector(Ask("", both...), other, unitVector(1, 0))), "of-c1")
	expect(t, find(t, x, withVector(Ask("", both...), assistants.Space{Model: "unknown", Dimensions: 3}, unitVector(1, 0, 0))))
	// In a space without vectors, only words are searched.
	got := find(t, x, withVector(Ask("apple", both...), assistants.Space{Model: "unknown", Dimensions: 3}, unitVector(1, 0, 0)))
	expect(t, got, "of-c1", "of-c2")
	if got[0].Score != got[0].TextScore || got[0].Cosine != 0 {
		t.Errorf("a cosine across spaces: %+v", got[0])
	}
	must(t, x.DropVectors(ctx, "c1", small))
	must(t, x.DropVectors(ctx, "c1", small))
	must(t, x.DropVectors(ctx, "never there", small))
	expect(t, find(t, x, withVector(Ask("", both...), small, unitVector(1, 0, 0))), "of-c2")
	expect(t, find(t, x, withVector(Ask("", both...), wider, unitVector(0, 0, 0, 1))), "of-c1", "of-c2")
	indexed(t, x, map[assistants.DocumentID]assistants.Indexed{
		"of-c1": {Version: 1, Spaces: []assistants.Space{wider, other}}, "of-c2": {Version: 1, Spaces: []assistants.Space{small, wider}},
	})
}

func filters(t *testing.T, x Index) {
	ctx := context.Background()
	for _, id := range []string{"d1", "d2", "d3"} {
		must(t, x.Apply(ctx, Doc("c1", id, ""), 1, Points(id, 1, "apples", "pears")))
		must(t, x.ApplyVectors(ctx, assistants.DocumentID(id), 1, small, [][]float32{unitVector(1, 0, 0), unitVector(0, 1, 0)}))
	}
	must(t, x.Apply(ctx, Doc("c2", "elsewhere", ""), 1, Points("elsewhere", 1, "apples")))
	whole := find(t, x, Ask("apple", "c1"))[0].Score
	for _, q := range []assistants.Search{
		Ask("apple", "c1"), withVector(Ask("", "c1"), small, unitVector(1, 0, 0)), withVector(Ask("apple", "c1"), small, unitVector(1, 0, 0)),
	} {
		q.Documents = []assistants.DocumentID{"d3", "unknown", "d1", "elsewhere", "d1"}
		got := find(t, x, q)
		expect(t, got, "d1", "d3")
		if len(q.Terms) > 0 {
			expectNear(t, "the text score, whatever the filter", got[0].TextScore, whole)
		}
		q.Documents = []assistants.DocumentID{}
		expect(t, find(t, x, q))
		q.Documents = []assistants.DocumentID{"elsewhere"}
		expect(t, find(t, x, q))
	}
}

func samples(t *testing.T, x Index) {
	ctx := context.Background()
	sample := func(collection assistants.CollectionID, n int) [][]float32 {
		t.Helper()
		got, err := x.Sample(ctx, "t1", collection, small, n)
		must(t, err)
		return got
	}
	if got := sample("c1", 5); len(got) != 0 {
		t.Errorf("a sample of nothing: %v", got)
	}
	for i := range 10 {
		id := fmt.Sprintf("d%d", i)
		must(t, x.Apply(ctx, Doc("c1", id, ""), 1, Points(id, 1, "apples", "pears")))
		must(t, x.ApplyVectors(ctx, assistants.DocumentID(id), 1, small, [][]float32{unitVector(1, 2*i, 0), unitVector(1, 2*i+1, 0)}))
		must(t, x.ApplyVectors(ctx, assistants.DocumentID(id), 1, other, [][]float32{unitVector(1, i), unitVector(0, 1)}))
	}
	for n, want := range map[int]int{-1: 0, 0: 0, 1: 1, 7: 7, 20: 20, 1000: 20} {
		distinct := map[string]bool{}
		for _, v := range sample("c1", n) {
			distinct[fmt.Sprint(v)] = true
			if len(v) != small.Dimensions {
				t.Fatalf("%v is of another space", v)
			}
		}
		if len(distinct) != want {
			t.Errorf("asked for %d, got %d", n, len(distinct))
		}
	}
	if got, err := x.Sample(ctx, "t2", "c1", small, 5); err != nil || len(got) > 0 {
		t.Errorf("another tenant's sample: %v, %v", got, err)
	}
	if len(sample("c2", 5)) > 0 {
		t.Error("a sample of another collection")
	}
}

// bringsCandidates searches an index in which far more chunks match by words, and
// by meaning, than become candidates.
func bringsCandidates(t *testing.T, x Index) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(7, 7))
	h := &history{x: x}
	for d := range 12 {
		id := assistants.DocumentID(fmt.Sprintf("d%02d", d))
		var texts []string
		var vectors [][]float32
		for range 50 {
			text := ""
			for range 1 + rng.IntN(8) {
				text += []string{"apple ", "pear ", "plum ", "fig "}[rng.IntN(4)]
			}
			texts = append(texts, text)
			vectors = append(vectors, unitVector(rng.IntN(2000)-1000, rng.IntN(2000)-1000, 1+rng.IntN(1000)))
		}
		points := Points(string(id), 1, texts...)
		must(t, x.Apply(ctx, Doc("c1", string(id), ""), 1, points))
		h.ref.Apply(Doc("c1", string(id), ""), 1, points)
		if d%4 > 0 {
			must(t, x.ApplyVectors(ctx, id, 1, small, vectors))
			h.ref.ApplyVectors(id, 1, small, vectors)
		}
	}
	for n := range 60 {
		q := Ask([]string{"apple", "pear fig", "plum quince apple", ""}[n%4], "c1")
		q = withVector(q, small, unitVector(rng.IntN(100)-50, rng.IntN(100)-50, 1))
		q.TextWeight = float64(n%5) / 4
		q.Limit = 1 + n%assistants.MaxMatches
		h.compare(t, q)
	}
}
