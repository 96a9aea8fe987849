package vector

import (
	"context"
	"slices"

	"footnote/assistants"
)

// An arena keeps the vectors that the documents of a shelf have in one space.
type arena struct {
	space     assistants.Space
	flat      []float32 // by slot, one vector after the other
	owners    []*held   // by slot; nil: the vector is gone
	documents int
	live      int // vectors that are not gone
}

func newArena(space assistants.Space) *arena { return &arena{space: space} }

// add puts the vectors of a document's chunks into consecutive slots and
// returns the first.
func (a *arena) add(h *held, vectors [][]float32) (first uint32) {
	first = uint32(len(a.owners))
	for _, v := range vectors {
		a.flat = append(a.flat, v...)
		a.owners = append(a.owners, h)
	}
	a.live += len(vectors)
	return first
}

// remove frees n slots.
func (a *arena) remove(first uint32, n int) {
	if n == 0 {
		return // first may be a slot that is no more
	}
	clear(a.owners[first : int(first)+n])
	if a.live -= n; len(a.owners) > 2*a.live+minGaps {
		a.compact()
	}
}

// compact moves the vectors together.
func (a *arena) compact() {
	dims := a.space.Dimensions
	n := 0
	var last *held
	for slot, h := range a.owners {
		if h == nil {
			continue
		}
		if h != last {
			for i := range h.vectors {
				if h.vectors[i].arena == a {
					h.vectors[i].first = uint32(n)
				}
			}
			last = h
		}
		copy(a.flat[n*dims:(n+1)*dims], a.flat[slot*dims:])
		a.owners[n] = h
		n++
	}
	clear(a.owners[n:])
	a.owners, a.flat = a.owners[:n], a.flat[:n*dims]
}

// vector returns the vector in a slot.
func (a *arena) vector(slot uint32) []float32 {
	dims := a.space.Dimensions
	return a.flat[int(slot)*dims : (int(slot)+1)*dims]
}

// sample copies at most n vectors, spread over all.
func (a *arena) sample(n int) [][]float32 {
	n = min(n, a.live)
	out := make([][]float32, 0, max(n, 0))
	seen := 0
	for slot, h := range a.owners {
		if h == nil {
			continue
		}
		if len(out) < n && seen*n >= len(out)*a.live {
			out = append(out, slices.Clone(a.vector(uint32(slot))))
		}
		seen++
	}
	return out
}

// cosine multiplies two vectors of length 1. Sums of float64 in one order give
// the same cosine on every machine.
func cosine(x, y []float32) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(v) * float64(y[i])
	}
	return sum
}

// scanAtOnce is how many vectors are compared before ctx is asked.
const scanAtOnce = 1 << 10

// scan adds the vectors next to q to top, of the documents that are allowed.
func (a *arena) scan(ctx context.Context, q []float32, allows func(*held) bool, top *top) error {
	for slot, h := range a.owners {
		if slot%scanAtOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if h == nil || !allows(h) {
			continue
		}
		in, _ := h.in(a.space)
		top.offer(cosine(q, a.vector(uint32(slot))), h, slot-int(in.first))
	}
	return nil
}
