package support

import "slices"

// What another sentence than the nearest one says.

// saidElsewhere reports whether the marker's own passages carry every word of the claim, each part
// in one sentence, although the sentence that shares most words with the claim says something else:
// the seal should be wiped, it must not be oiled.
func (k *Checker) saidElsewhere(own []int) bool {
	const least = 2 // words and values
	found := 0
	for i := range k.claimParts {
		if part := &k.claimParts[i]; part.hasContent {
			if c := &part.carriage; c.cost > 0 || c.outside > 0 && !c.spoken || !slices.Contains(own, c.passage) {
				return false
			}
			found += part.carriage.found
		}
	}
	return found >= least
}

// differsFrom returns the share of words from which another value contradicts: a row has few of them.
func (k *Checker) differsFrom(nearest *reading) float64 {
	if k.rowless(&judgement{best: nearest}) {
		return mismatchFrom
	}
	return renamedFrom
}
