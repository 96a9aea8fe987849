package retrieval

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"footnote/assistants"
)

// Two models embed every question alike, the first as [1 0] and the second as [0 1].
type twoModels struct{ fit float64 }

func (p twoModels) EmbedQuery(context.Context, string) (assistants.QueryVector, error) {
	half := float32(math.Sqrt2 / 2)
	return assistants.QueryVector{Vector: []float32{half, 0, 0, half}, Space: space, Fit: p.fit, Split: 2}, nil
}

func TestASecondModelWeighsWhatTheFirstDoesNotKnow(t *testing.T) {
	for _, c := range []struct {
		fit          float64
		words        []string // that passages have
		text         float64  // weight of the words
		first, other float64  // of the vector
	}{
		{1, []string{"vacat", "day"}, 0.3, 1, 0},
		{1, nil, 0, 0, 1}, // an English question, and passages in another language
		{0, []string{"vacat", "day"}, 1 - 0.7*0.4, 0, 1},
		{0, []string{"vacat"}, 1 - 0.7*0.7, 0, 1},
		{0, nil, 0, 0, 1},
		{0.5, []string{"vacat"}, 0.3 + 0.7*(1-0.125-0.875*0.7), 0.125 / math.Hypot(0.125, 0.875*0.7), 0.875 * 0.7 / math.Hypot(0.125, 0.875*0.7)},
	} {
		x, s := world(1)
		retrieve(t, New(glossaryIndex{x, c.words}, s, Options{Embedder: twoModels{c.fit}, Spaces: known(0.1)}), query("Vacation days?"))
		got := x.asked[0]
		want := []float64{c.first, 0, 0, c.other}
		if math.Abs(got.TextWeight-c.text) > 1e-6 || !slices.EqualFunc(got.Vector, want, func(x float32, y float64) bool { return math.Abs(float64(x)-y) < 1e-6 }) {
			t.Errorf("fit %v, %q known: words weigh %v, want %v; vector %v, want %v", c.fit, c.words, got.TextWeight, c.text, got.Vector, want)
		}
	}
}

func TestASecondModelIsTrustedHalfWayWhereNobodyKnowsTheWords(t *testing.T) {
	x, s := world(1)
	retrieve(t, New(x, s, Options{Embedder: twoModels{0}, Spaces: known(0.1)}), query("Vacation days?"))
	if got := x.asked[0].TextWeight; math.Abs(got-(0.3+0.7*0.3)) > 1e-6 {
		t.Errorf("words weigh %v", got)
	}
}

func TestWordsAloneStayAloneWithASecondModel(t *testing.T) {
	x, s := world(1)
	q := query("Vacation days?")
	q.TextWeight = 1
	retrieve(t, New(glossaryIndex{x, nil}, s, Options{Embedder: twoModels{0}, Spaces: known(0.1)}), q)
	if got := x.asked[0].TextWeight; got != 1 {
		t.Errorf("words weigh %v", got)
	}
}

// However two models are mixed, a passage's score is the mean of what either
// would give, weighted by how far each is trusted.
func TestAMixedVectorScoresAsTheWeightedMeanOfBothModels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		numbers := rapid.Float64Range(-1, 1)
		unit := func(name string, n int) []float64 {
			v := rapid.SliceOfN(numbers, n, n).Filter(func(v []float64) bool { return length(v) > 0.1 }).Draw(rt, name)
			l := length(v)
			for i := range v {
				v[i] /= l
			}
			return v
		}
		q1, q2, p1, p2 := unit("question, first", 3), unit("question, second", 4), unit("passage, first", 3), unit("passage, second", 4)
		c := assistants.Calibration{Low: rapid.Float64Range(0, 0.3).Draw(rt, "low"), High: rapid.Float64Range(0.5, 0.9).Draw(rt, "high")}
		v := assistants.QueryVector{Vector: halves(q1, q2), Fit: rapid.Float64Range(0, 1).Draw(rt, "fit"), Split: 3}
		share := rapid.Float64Range(0, 1).Draw(rt, "known")
		worth := trustOf(v, func() float64 { return share })
		mixed, calibration := worth.mix(v, c)

		if l := length(wide(mixed)); math.Abs(l-1) > 1e-5 {
			rt.Fatalf("length %v", l)
		}
		if sum := worth.first + worth.second; sum > 1+1e-9 || worth.first < 0 || worth.second < 0 {
			rt.Fatalf("trust %+v", worth)
		}
		mean := (worth.first*dot(q1, p1) + worth.second*dot(q2, p2)) / (worth.first + worth.second)
		want := c.Score(mean)
		if got := calibration.Score(dot(wide(mixed), wide(halves(p1, p2)))); math.Abs(got-want) > 1e-4 {
			rt.Fatalf("score %v, want %v", got, want)
		}
	})
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func length(v []float64) float64 { return math.Sqrt(dot(v, v)) }

// halves are the vector of both models.
func halves(a, b []float64) []float32 {
	var out []float32
	for _, x := range slices.Concat(a, b) {
		out = append(out, float32(x/math.Sqrt2))
	}
	return out
}

func wide(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}
