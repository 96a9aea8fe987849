package vector

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"footnote/assistants"
)

// Parameters of BM25; see the package comment.
const (
	K1 = 1.2
	B  = 0.5
)

// Needed returns how many terms of a question, the rarest ones, a chunk needs for a score of 1. A
// question that tells a story says more than any passage does. A pasted text of a hundred words has many
// that all passages have, so it needs more.
func Needed(terms int) int {
	const all, long = 8, 16
	return min(terms, all) + max(0, terms-long)/3
}

// MinCandidates is the least number of chunks that the search for words and the
// search for meaning each contribute to a hybrid search.
const MinCandidates = 100

// Grain is the smallest difference between sums that counts. Smaller ones come
// from the order in which the parts were added, and must not decide between
// passages of the same worth.
const Grain = 1e-9

// Rounded rounds a BM25 sum to a multiple of Grain.
func Rounded(sum float64) float64 { return math.Round(sum/Grain) * Grain }

// A Weight is a term of a question that occurs in the collections searched.
type Weight struct {
	Term string
	IDF  float64
	Gain float64 // the most that the term contributes, however often it occurs
}

// A Plan scores chunks for the terms of a question, by the statistics of the
// collections searched.
type Plan struct {
	Weights []Weight // by descending IDF, then by term, so that sums are added in one order
	Sum     float64  // of the IDF of the rarest terms of the question, as many as are Needed, including those that do not occur
	Flat    float64  // K1·(1−B)
	Slope   float64  // K1·B/L
}

// NewPlan weighs the distinct terms of a question. Count returns how many of the
// chunks have the i-th term; words is the length of all chunks together.
func NewPlan(terms []string, count func(i int) int, chunks, words int) Plan {
	p := Plan{Flat: K1 * (1 - B), Slope: K1 * B * float64(chunks) / float64(words)}
	all := make([]float64, len(terms))
	for i, term := range terms {
		found := count(i)
		idf := math.Log(1 + float64(chunks+1)/float64(found+1))
		all[i] = idf
		if found > 0 {
			p.Weights = append(p.Weights, Weight{term, idf, idf * (K1 + 1)})
		}
	}
	slices.SortFunc(all, func(x, y float64) int { return cmp.Compare(y, x) })
	for _, idf := range all[:Needed(len(all))] {
		p.Sum += idf
	}
	slices.SortFunc(p.Weights, func(x, y Weight) int {
		return cmp.Or(cmp.Compare(y.IDF, x.IDF), strings.Compare(x.Term, y.Term))
	})
	return p
}

// Part returns what a term adds to the sum of a chunk that has length words.
func (p Plan) Part(gain float64, halves, length uint32) float64 {
	tf := float64(halves) / BodyHalves
	return gain * tf / (tf + p.Flat + p.Slope*float64(length))
}

// cosineMillionths returns a cosine in whole millionths, so that the order of
// additions does not matter.
func cosineMillionths(cosine float64) float64 { return math.Round(cosine * 1e6) }

// A Scored is a match with what orders those that have the same score.
type Scored struct {
	assistants.Match
	Sum   float64 // BM25 sum; orders matches whose text score is 1
	Index int     // of the chunk
	Place int     // of the chunk in its document
}

// Word adds the BM25 sum of a wording. The best wording counts.
func (s *Scored) Word(p Plan, sum float64) {
	if score := min(1, sum/p.Sum); sum > 0 && (score > s.TextScore || score == s.TextScore && sum > s.Sum) {
		s.TextScore, s.Sum = score, sum
	}
}

// Best returns the best matches by descending score. Scores end at 1; beyond it
// the sum and the cosine still distinguish passages that are nearly the same.
func Best(all []Scored, limit int) []assistants.Match {
	slices.SortFunc(all, func(x, y Scored) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.Sum, x.Sum), cmp.Compare(cosineMillionths(y.Cosine), cosineMillionths(x.Cosine)),
			strings.Compare(string(x.DocumentID), string(y.DocumentID)), cmp.Compare(x.Index, y.Index), cmp.Compare(x.Place, y.Place))
	})
	out := make([]assistants.Match, min(len(all), limit))
	for i := range out {
		out[i] = all[i].Match
	}
	return out
}
