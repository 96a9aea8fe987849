package vectortest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"footnote/assistants"
	"footnote/assistants/lexical"

	"pgregory.net/rapid"
)

// A history applies the same changes to an index and to the reference.
type history struct {
	open    func(t testing.TB, dir string) Index
	t       testing.TB
	dir     string
	x       Index
	ref     Reference
	version int
}

// equalsReference applies random histories with restarts to the index and to
// the reference, and compares every answer.
func equalsReference(t *testing.T, open func(t testing.TB, dir string) Index) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{open: open, t: t, dir: t.TempDir()}
		h.x = open(t, h.dir)
		defer func() { must(rt, h.x.Close()) }()
		rt.Repeat(map[string]func(*rapid.T){
			"apply": h.apply, "apply embedded": h.applyEmbedded, "apply vectors": h.applyVectors, "drop vectors": h.dropVectors, "remove": h.remove, "reopen": h.reopen,
			"": h.ask,
		})
	})
}

var (
	drawDocument   = rapid.SampledFrom([]assistants.DocumentID{"d1", "d2", "d3", "d4", "d5"})
	drawCollection = rapid.SampledFrom([]assistants.CollectionID{"c1", "c2", "c3"})
	drawSpace      = rapid.SampledFrom([]assistants.Space{small, other})
)

func (h *history) apply(rt *rapid.T) {
	d, points := h.draw(rt)
	must(rt, h.x.Apply(context.Background(), d, h.version, points))
	h.ref.Apply(d, h.version, points)
}

func (h *history) applyEmbedded(rt *rapid.T) {
	d, points := h.draw(rt)
	space := drawSpace.Draw(rt, "space")
	vectors := make([][]float32, len(points))
	for i := range vectors {
		vectors[i] = drawVector(rt, space)
	}
	must(rt, h.x.ApplyEmbedded(context.Background(), d, h.version, points, space, vectors))
	h.ref.Apply(d, h.version, points)
	h.ref.ApplyVectors(d.ID, h.version, space, vectors)
}

// draw draws the next version of a document.
func (h *history) draw(rt *rapid.T) (assistants.Document, []assistants.Point) {
	h.version++
	id := drawDocument.Draw(rt, "id")
	d := Doc(string(drawCollection.Draw(rt, "collection")), string(id), words(rt, "name", 2)+".pdf")
	texts := make([]string, rapid.IntRange(0, 4).Draw(rt, "chunks"))
	for i := range texts {
		texts[i] = words(rt, "text", 12)
	}
	return d, Points(string(id), h.version, texts...)
}

// applyVectors gives vectors to the stored version of a document. Sometimes the
// version or the number of vectors is wrong.
func (h *history) applyVectors(rt *rapid.T) {
	id, space := drawDocument.Draw(rt, "id"), drawSpace.Draw(rt, "space")
	a := h.ref.documents[id]
	version := a.version - rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1}).Draw(rt, "too old")
	vectors := make([][]float32, len(a.points)+rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1}).Draw(rt, "too many"))
	for i := range vectors {
		vectors[i] = drawVector(rt, space)
	}
	err := h.x.ApplyVectors(context.Background(), id, version, space, vectors)
	if h.ref.ApplyVectors(id, version, space, vectors) {
		must(rt, err)
	} else if !errors.Is(err, assistants.ErrConflict) && !errors.Is(err, assistants.ErrInvalid) {
		rt.Fatalf("%d vectors for version %d of %+v: %v", len(vectors), version, a, err)
	}
}

func (h *history) dropVectors(rt *rapid.T) {
	collection, space := drawCollection.Draw(rt, "collection"), drawSpace.Draw(rt, "space")
	must(rt, h.x.DropVectors(context.Background(), collection, space))
	h.ref.DropVectors(collection, space)
}

func (h *history) remove(rt *rapid.T) {
	id := drawDocument.Draw(rt, "id")
	must(rt, h.x.Remove(context.Background(), id))
	h.ref.Remove(id)
}

func (h *history) reopen(rt *rapid.T) {
	must(rt, h.x.Close())
	h.x = h.open(h.t, h.dir)
}

func (h *history) ask(rt *rapid.T) {
	q := assistants.Search{
		Tenant:   "t1",
		Limit:    rapid.IntRange(1, 10).Draw(rt, "limit"),
		MinScore: rapid.SampledFrom([]float64{0, 0.3, 0.6}).Draw(rt, "min"),
	}
	q.Collections = rapid.SampledFrom([][]assistants.CollectionID{{"c1"}, {"c2"}, {"c1", "c3"}, {"c3", "c2", "c1"}}).Draw(rt, "collections")
	mode := rapid.SampledFrom([]string{"words", "meaning", "both", "both"}).Draw(rt, "way")
	if mode != "meaning" {
		q.Terms = lexical.QueryTerms(words(rt, "question", 12))
		for range rapid.IntRange(0, 2).Draw(rt, "wordings") {
			q.Wordings = append(q.Wordings, lexical.QueryTerms(words(rt, "wording", 6)))
		}
	}
	if mode != "words" {
		q.Space = drawSpace.Draw(rt, "space")
		q.Vector = drawVector(rt, q.Space)
		q.TextWeight = rapid.SampledFrom([]float64{0, 0.5, 0.7, 1}).Draw(rt, "weight")
		q.Calibration = rapid.SampledFrom([]assistants.Calibration{{}, {Low: 0.2, High: 0.8}}).Draw(rt, "calibration")
	}
	if rapid.IntRange(0, 3).Draw(rt, "filtered") == 0 {
		q.Documents = rapid.SliceOfN(drawDocument, 0, 3).Draw(rt, "documents")
	}
	h.compare(rt, q)
	indexed(rt, h.x, h.ref.Versions())
}

// tolerance is how much scores may differ, because an index may keep its vectors,
// or add up its products, as float32.
const tolerance = 1e-5

// compare asks the index and the reference. Where scores are so near that
// rounding decides, any order will do.
func (h *history) compare(t require, q assistants.Search) {
	t.Helper()
	got, all := find(t, h.x, q), h.ref.search(q)
	loose := q
	loose.MinScore -= 2 * tolerance
	possible := map[assistants.ChunkID]assistants.Match{}
	for _, c := range h.ref.search(loose) {
		possible[c.match.ChunkID] = c.match
	}
	fail := func(format string, args ...any) {
		t.Helper()
		for i := range min(len(all), q.Limit) {
			format += fmt.Sprintf("\n%2d wanted %+v", i, all[i].match)
		}
		t.Fatalf("%s\ngot %+v\nasked %+v", fmt.Sprintf(format, args...), got, q)
	}
	seen := map[assistants.ChunkID]bool{}
	for i, m := range got {
		want, ok := possible[m.ChunkID]
		exact := m
		exact.Score, exact.TextScore, exact.Cosine = want.Score, want.TextScore, want.Cosine
		switch {
		case !ok && m.TextScore == 0 && m.Score < tolerance && q.MinScore == 0:
			// A vector at a right angle, but for rounding: the reference leaves it out.
		case !ok || exact != want || seen[m.ChunkID]:
			fail("match %d should not match", i)
		case math.Abs(m.Score-want.Score) > tolerance || math.Abs(m.TextScore-want.TextScore) > 1e-9 || math.Abs(m.Cosine-want.Cosine) > tolerance:
			fail("match %d has other scores than %+v", i, want)
		case len(q.Vector) == 0 && m.ChunkID != all[i].match.ChunkID:
			fail("match %d is out of order", i)
		case i > 0 && m.Score > got[i-1].Score:
			fail("match %d scores more than the one before", i)
		}
		seen[m.ChunkID] = true
	}
	if len(got) > q.Limit {
		fail("more matches than asked for")
	}
	for i, c := range all {
		// A missing chunk must score less than the last match, or be a candidate of
		// neither search.
		full := len(got) == q.Limit && got[len(got)-1].Score >= c.match.Score-tolerance
		brought := c.byText >= 0 && c.byText < 100 || c.byVector >= 0 && c.byVector < 100
		if !seen[c.match.ChunkID] && !full && brought && c.match.Score > q.MinScore+tolerance {
			fail("match %d is missing", i)
		}
	}
}

func words(t *rapid.T, label string, most int) string {
	vocabulary := []string{"apple", "apples", "pear", "年假", "Kündigung", "1,000", "the", "run", "running", "sky", "zebra", "tax", "oak"}
	text := ""
	for _, w := range rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, most).Draw(t, label) {
		text += w + " "
	}
	return text
}

// drawVector draws one of a few directions, so that some are the same.
func drawVector(t *rapid.T, space assistants.Space) []float32 {
	parts := rapid.SliceOfN(rapid.IntRange(-2, 3), space.Dimensions, space.Dimensions).Draw(t, "vector")
	parts[0] = 1 + max(parts[0], -parts[0]) // not all of them 0
	return unitVector(parts...)
}
