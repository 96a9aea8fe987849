package embedding

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"footnote/assistants"
)

func TestTheOtherModelWeighsWhatTheEnglishOneDoesNotKnow(t *testing.T) {
	for _, c := range []struct {
		trust, knownWords float64
		english, other    float64
	}{
		{1, 1, 1, 0},
		{1, 0.5, 1, 0},
		{1, 0, 0, 1}, // an English question, and documents in another language
		{0, 1, 0, 0.4},
		{0, 0.5, 0, 0.7},
		{0, 0, 0, 1},
		{0.125, 0.5, 0.125, 0.875 * 0.7},
		{0.6, 0.15, 0.3, 0.7 * 0.91},
	} {
		w := modelWeightsOf(c.trust, c.knownWords)
		if math.Abs(w.english-c.english) > 1e-9 || math.Abs(w.other-c.other) > 1e-9 {
			t.Errorf("trust %v, share of known words %v: %+v, want %v and %v", c.trust, c.knownWords, w, c.english, c.other)
		}
		half := float32(math.Sqrt2 / 2)
		got := w.apply(assistants.QueryVector{Vector: []float32{half, 0, 0, half}}, 2)
		length := math.Hypot(c.english, c.other)
		if want := []float32{float32(c.english / length), 0, 0, float32(c.other / length)}; !near(got.Vector, want, 1e-6) {
			t.Errorf("trust %v, share of known words %v: vector %v, want %v", c.trust, c.knownWords, got.Vector, want)
		}
	}
}

// However two models are weighed, a passage's score is the mean of the scores that
// either would give, weighted by how far each is trusted.
func TestAnAdaptedVectorScoresAsTheWeightedMeanOfBothModels(t *testing.T) {
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
		q1, q2 := unit("question, English", 3), unit("question, other", 4)
		p1, p2 := unit("passage, English", 3), unit("passage, other", 4)
		c := assistants.Calibration{Low: rapid.Float64Range(0, 0.3).Draw(rt, "low"), High: rapid.Float64Range(0.5, 0.9).Draw(rt, "high")}
		worth := modelWeightsOf(rapid.Float64Range(0, 1).Draw(rt, "trust"), rapid.Float64Range(0, 1).Draw(rt, "known"))
		got := worth.apply(assistants.QueryVector{Vector: halves(q1, q2)}, 3)

		if l := length(wide(got.Vector)); math.Abs(l-1) > 1e-5 {
			rt.Fatalf("length %v", l)
		}
		if got.Trust > 1+1e-9 || worth.english < 0 || worth.other < 0 {
			rt.Fatalf("weights %+v", worth)
		}
		mean := (worth.english*product(q1, p1) + worth.other*product(q2, p2)) / (worth.english + worth.other)
		want := c.Score(mean)
		if score := got.Calibration(c).Score(product(wide(got.Vector), wide(halves(p1, p2)))); math.Abs(score-want) > 1e-4 {
			rt.Fatalf("score %v, want %v", score, want)
		}
	})
}

func product(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func length(v []float64) float64 { return math.Sqrt(product(v, v)) }

// halves is the vector of a pair, of those of its models.
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
