package retrieval

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"footnote/assistants"
)

// cacheKey is a digest of everything that a search depends on.
func (w *run) cacheKey(p plan, t spaceSet, documents []assistants.DocumentID, generation uint64) (key [32]byte) {
	if generation == 0 {
		return key
	}
	h := sha256.New()
	// Lengths keep two lists apart whose texts join to the same bytes.
	texts(h, string(w.q.Tenant), string(w.q.Mode))
	texts(h, w.q.Collections...)
	numbers(h, float64(len(p.list)), map[bool]float64{true: 1}[documents != nil])
	texts(h, documents...)
	for _, a := range p.list {
		texts(h, a.text)
		texts(h, a.terms...)
		numbers(h, a.share, float64(a.group))
	}
	numbers(h, w.q.Threshold, w.q.TextWeight)
	for _, c := range t.collections {
		texts(h, string(c.ID), c.Space.Model)
		numbers(h, float64(c.Space.Dimensions), c.Calibration.Low, c.Calibration.High)
	}
	return [32]byte(h.Sum(nil))
}

func texts[S ~string](h hash.Hash, list ...S) {
	numbers(h, float64(len(list)))
	for _, s := range list {
		numbers(h, float64(len(s)))
		h.Write([]byte(s))
	}
}

func numbers(h hash.Hash, list ...float64) {
	for _, x := range list {
		h.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(x)))
	}
}
