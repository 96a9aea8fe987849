package embedding

import (
	"math"

	"footnote/assistants"
)

// modelWeights is how far each model of a [Pair] is trusted with a question, 0–1
// and together at most 1.
type modelWeights struct{ english, other float64 }

// modelWeightsOf weighs the models by how far the English one can be trusted with
// the question, and by the share of the question's words that the documents
// contain. A small share means that the documents are probably in another
// language. Then the English model has nothing to compare, however well it knows
// the question, and the other model gets more. The numbers were measured on the
// gold set.
func modelWeightsOf(trust, knownWords float64) modelWeights {
	const least, few = 0.4, 0.3
	english := trust * min(1, knownWords/few)
	return modelWeights{english, (1 - english) * (1 - (1-least)*knownWords)}
}

// apply scales each model's part of the question's vector by its weight and the
// whole to length 1. The English model's numbers come first. In the vectors of
// passages each part has length √½, so cosines with the result are the models' own
// times CosineScale.
func (w modelWeights) apply(q assistants.QueryVector, english int) assistants.QueryVector {
	length := math.Hypot(w.english, w.other)
	weighed := make([]float32, len(q.Vector))
	for i, x := range q.Vector {
		weight := w.english
		if i >= english {
			weight = w.other
		}
		weighed[i] = float32(float64(x) * math.Sqrt2 * weight / length)
	}
	trust := w.english + w.other
	return assistants.QueryVector{Vector: weighed, Space: q.Space, Trust: trust, CosineScale: trust / (math.Sqrt2 * length)}
}
