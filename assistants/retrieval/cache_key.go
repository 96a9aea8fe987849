package retrieval

import (
	"encoding/binary"
	"math"

	"footnote/assistants"
)

// A cacheKey is everything that a cached value depends on. Lengths keep two lists apart
// whose texts join to the same bytes.
type cacheKey []byte

// cacheKey is everything that a search depends on.
func (w *run) cacheKey(p plan, t spaceSet, documents []assistants.DocumentID, among scope) cacheKey {
	k := make(cacheKey, 0, 512)
	k.texts(string(w.q.Tenant), string(w.q.Mode))
	texts(&k, w.q.Collections)
	k.texts(p.question) // its instructions choose documents
	k.numbers(float64(len(p.list)), flag(documents != nil), flag(w.q.Undivided))
	texts(&k, documents)
	if w.q.Whole != nil {
		texts(&k, among.collections)
		k.numbers(flag(among.permitted != nil))
		texts(&k, among.permitted)
	}
	for _, a := range p.list {
		k.texts(a.text)
		k.texts(a.terms...)
		k.texts(a.whole...)
		k.numbers(a.share, float64(a.group))
	}
	k.numbers(w.q.Threshold, w.least, w.q.TextWeight, float64(len(w.synonyms)))
	if w.q.PerDocument > 0 { // it may lead to further searches, until there are TopK
		k.numbers(float64(w.q.PerDocument), float64(w.q.TopK))
	}
	for _, t := range w.synonyms {
		k.numbers(float64(t.number))
	}
	for _, c := range t.collections {
		k.texts(string(c.ID), c.Space.Model)
		k.numbers(float64(c.Space.Dimensions), c.Calibration.Low, c.Calibration.High)
	}
	return k
}

func (k *cacheKey) texts(list ...string) { texts(k, list) }

func texts[S ~string](k *cacheKey, list []S) {
	*k = binary.AppendUvarint(*k, uint64(len(list)))
	for _, s := range list {
		*k = append(binary.AppendUvarint(*k, uint64(len(s))), s...)
	}
}

func (k *cacheKey) numbers(list ...float64) {
	for _, x := range list {
		*k = binary.BigEndian.AppendUint64(*k, math.Float64bits(x))
	}
}

// flag is what stands in a key for whether something is so.
func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
