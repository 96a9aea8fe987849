package retrieval

import (
	"maps"
	"math"
	"slices"
	"strings"

	"footnote/assistants/lexical"
)

// weighParts returns the weights of the parts of a question for each document that has
// some, and the terms of the question that they are. What documents are counts only where
// it finds others than their names do: documents that look alike share it, so with it their
// names would weigh less. A name of a file in the question counts before titles that have
// a rarer word of it: the latest credit rating of Vancouver is not in a rating of Windsor.
func (x *nameIndex) weighParts(parts map[string]bool, names func() []nameAsked) (scores map[int32]float64, named map[string]bool) {
	plain, named := map[int32]float64{}, map[string]bool{}
	described := false
	for part := range parts {
		found, of := x.with(part)
		described = described || len(of) > 0
		if len(found) == 0 || len(found) == len(x.documents) {
			continue
		}
		weight := x.rarity(len(found))
		for _, i := range found {
			plain[i] += weight
		}
		if !isNumber(part) {
			for _, term := range lexical.QueryTerms(part) {
				named[term] = true
			}
		}
	}
	if !described {
		return plain, named
	}
	both, titled := map[int32]float64{}, maps.Clone(named)
	for part := range parts {
		in, of := x.with(part)
		if found := len(in) + len(of); found == 0 || found == len(x.documents) {
			continue
		}
		weight := x.rarity(len(in) + len(of))
		for _, i := range in {
			both[i] += weight
		}
		for _, i := range of {
			both[i] += describedWorth * weight
		}
		if len(of) > 0 && !isNumber(part) && !strings.HasPrefix(part, kindPart("")) {
			for _, term := range lexical.QueryTerms(part) {
				titled[term] = true
			}
		}
	}
	if len(plain) > 0 && (len(both) == 0 || maps.Equal(bestIn(plain), bestIn(both)) || lackNames(bestIn(both), names())) {
		return plain, named
	}
	return both, titled
}

// rarity is the weight of a part that some of the documents have.
func (x *nameIndex) rarity(found int) float64 {
	return math.Log(float64(len(x.documents)) / float64(found))
}

func mostOf(scores map[int32]float64) float64 { return slices.Max(slices.Collect(maps.Values(scores))) }

// bestIn returns the documents with the best scores.
func bestIn(scores map[int32]float64) map[int32]bool {
	best := map[int32]bool{}
	if len(scores) == 0 {
		return best
	}
	most := mostOf(scores)
	for i, score := range scores {
		if score >= wholeFit*most {
			best[i] = true
		}
	}
	return best
}

// lackNames reports whether a question has names, and none of some documents has one.
func lackNames(documents map[int32]bool, names []nameAsked) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(n nameAsked) bool {
		return slices.ContainsFunc(n.documents, func(i int32) bool { return documents[i] })
	})
}
