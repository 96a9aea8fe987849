package embedded

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"footnote/assistants"
	"footnote/storage/vector/dot"
)

// An arena keeps the vectors that the documents of a partition have in one space, each
// as floats and, for the scan, as codes of one byte. They are in segments that the
// garbage collector does not scan. A document's vectors have consecutive slots.
// Slots of removed documents are reused.
type arena struct {
	space     assistants.Space
	floats    int // length of a vector, padded
	codes     int // length of its codes, padded
	shift     int // a segment has 1<<shift slots
	segments  []segment
	owners    []*entry // by slot; nil if it is free
	free      []extent // ascending; adjacent extents are merged
	documents int
	live      int // vectors
}

// A segment is the memory of some slots. The first segment of an arena begins small
// and is replaced by larger ones; full-size segments stay in place.
type segment struct {
	memory    block
	vectors   []float32
	codes     []int8
	scales    []float32 // code times scale approximates the value
	distances []float32 // from the vector to its approximation by codes; freeDistance if the slot is free
}

// An extent is n slots, starting at first.
type extent struct{ first, n uint32 }

// freeDistance is the distance of a free slot. It makes the bound of the slot's
// cosine less than every other.
var freeDistance = float32(math.Inf(-1))

const (
	segmentBytes = 16 << 20 // least size of a segment
	firstSlots   = 64       // in the smallest segment
)

func newArena(space assistants.Space) *arena {
	a := &arena{space: space, floats: dot.PadFloats(space.Dimensions), codes: dot.PadCodes(space.Dimensions)}
	for a.shift = 6; a.slotBytes()<<a.shift < segmentBytes; a.shift++ {
	}
	return a
}

func (a *arena) slotBytes() int { return 4*a.floats + a.codes + 8 }

// newSegment allocates free slots.
func (a *arena) newSegment(slots int) segment {
	s := segment{memory: allocate(slots * a.slotBytes())}
	from := s.memory.bytes
	take := func(n int) unsafe.Pointer {
		p := unsafe.Pointer(unsafe.SliceData(from))
		from = from[n:]
		return p
	}
	s.vectors = unsafe.Slice((*float32)(take(4*slots*a.floats)), slots*a.floats)
	s.codes = unsafe.Slice((*int8)(take(slots*a.codes)), slots*a.codes)
	s.scales = unsafe.Slice((*float32)(take(4*slots)), slots)
	s.distances = unsafe.Slice((*float32)(take(4*slots)), slots)
	for i := range s.distances {
		s.distances[i] = freeDistance
	}
	return s
}

// grow allocates memory for n slots.
func (a *arena) grow(n int) {
	whole := 1 << a.shift
	if have := a.slots(); have < whole && have < n {
		size := max(firstSlots, have)
		for size < min(n, whole) {
			size *= 2
		}
		larger := a.newSegment(size)
		if have > 0 {
			small := a.segments[0]
			copy(larger.vectors, small.vectors)
			copy(larger.codes, small.codes)
			copy(larger.scales, small.scales)
			copy(larger.distances, small.distances)
			small.memory.release()
			a.segments = a.segments[:0]
		}
		a.segments = append(a.segments, larger)
	}
	for a.slots() < n {
		a.segments = append(a.segments, a.newSegment(whole))
	}
}

// slots returns the number of slots that have memory.
func (a *arena) slots() int {
	switch n := len(a.segments); n {
	case 0:
		return 0
	case 1:
		return len(a.segments[0].scales)
	default:
		return n << a.shift
	}
}

// release frees all memory.
func (a *arena) release() {
	for _, s := range a.segments {
		s.memory.release()
	}
	*a = arena{space: a.space}
}

// add stores the vectors of a document's chunks in consecutive slots and returns the
// first slot.
func (a *arena) add(h *entry, vectors [][]float32) (first uint32) {
	first = a.take(uint32(len(vectors)))
	each := max(fillAtOnce, (len(vectors)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for from := each; from < len(vectors); from += each {
		wg.Go(func() { a.fill(h, first+uint32(from), vectors[from:min(from+each, len(vectors))]) })
	}
	a.fill(h, first, vectors[:min(each, len(vectors))])
	wg.Wait()
	a.live += len(vectors)
	return first
}

// fillAtOnce is the number of vectors from which a goroutine pays off.
const fillAtOnce = 32

// fill writes vectors into reserved slots.
func (a *arena) fill(h *entry, first uint32, vectors [][]float32) {
	for i, v := range vectors {
		slot := first + uint32(i)
		a.owners[slot] = h
		s, at := a.at(slot)
		to := s.vectors[at*a.floats : (at+1)*a.floats]
		clear(to[copy(to, v):])
		s.scales[at], s.distances[at] = dot.Quantise(s.codes[at*a.codes:(at+1)*a.codes], v)
	}
}

// take reserves n consecutive slots in the smallest gap that has room, or else at
// the end.
func (a *arena) take(n uint32) (first uint32) {
	if n == 0 {
		return 0
	}
	best := -1
	for i, gap := range a.free {
		if gap.n >= n && (best < 0 || gap.n < a.free[best].n) {
			best = i
		}
	}
	if best < 0 {
		first = uint32(len(a.owners))
		a.grow(len(a.owners) + int(n))
		a.owners = append(a.owners, make([]*entry, n)...)
		return first
	}
	gap := &a.free[best]
	first = gap.first
	if gap.first, gap.n = gap.first+n, gap.n-n; gap.n == 0 {
		a.free = slices.Delete(a.free, best, best+1)
	}
	return first
}

// remove frees n slots.
func (a *arena) remove(first uint32, n int) {
	if n == 0 {
		return // first is not a slot
	}
	for slot := first; slot < first+uint32(n); slot++ {
		a.owners[slot] = nil
		s, at := a.at(slot)
		s.distances[at] = freeDistance
	}
	a.live -= n
	a.freeExtent(extent{first, uint32(n)})
	if len(a.owners) > 2*a.live+minGaps {
		a.compact()
	}
}

// freeExtent adds an extent to the free ones, or shortens the arena if the extent is
// at the end.
func (a *arena) freeExtent(e extent) {
	i, _ := slices.BinarySearchFunc(a.free, e, func(x, y extent) int { return cmp.Compare(x.first, y.first) })
	a.free = slices.Insert(a.free, i, e)
	if i+1 < len(a.free) && a.free[i].first+a.free[i].n == a.free[i+1].first {
		a.free[i].n += a.free[i+1].n
		a.free = slices.Delete(a.free, i+1, i+2)
	}
	if i > 0 && a.free[i-1].first+a.free[i-1].n == a.free[i].first {
		a.free[i-1].n += a.free[i].n
		a.free = slices.Delete(a.free, i, i+1)
	}
	if last := a.free[len(a.free)-1]; int(last.first+last.n) == len(a.owners) {
		a.free = a.free[:len(a.free)-1]
		a.truncate(int(last.first))
	}
}

// truncate shortens the arena to n slots and frees the segments after them.
func (a *arena) truncate(n int) {
	clear(a.owners[n:])
	a.owners = a.owners[:n]
	keep := max(1, (n+1<<a.shift-1)>>a.shift)
	for _, s := range a.segments[keep:] {
		s.memory.release()
	}
	clear(a.segments[keep:])
	a.segments = a.segments[:keep]
}

// compact closes the gaps between the vectors.
func (a *arena) compact() {
	n := uint32(0)
	var last *entry
	for slot := range uint32(len(a.owners)) {
		h := a.owners[slot]
		if h == nil {
			continue
		}
		if h != last {
			for i := range h.vectors {
				if h.vectors[i].arena == a {
					h.vectors[i].first = n
				}
			}
			last = h
		}
		if n != slot {
			a.move(n, slot)
		}
		n++
	}
	a.free = nil
	a.truncate(int(n))
}

// move moves a vector into a free slot.
func (a *arena) move(to, from uint32) {
	t, i := a.at(to)
	f, j := a.at(from)
	copy(t.vectors[i*a.floats:(i+1)*a.floats], f.vectors[j*a.floats:])
	copy(t.codes[i*a.codes:(i+1)*a.codes], f.codes[j*a.codes:])
	t.scales[i], t.distances[i] = f.scales[j], f.distances[j]
	f.distances[j] = freeDistance
	a.owners[to], a.owners[from] = a.owners[from], nil
}

// at returns the segment of a slot and the index in it.
func (a *arena) at(slot uint32) (s *segment, at int) {
	return &a.segments[slot>>a.shift], int(slot & (1<<a.shift - 1))
}

// vector returns the vector in a slot.
func (a *arena) vector(slot uint32) []float32 {
	s, at := a.at(slot)
	return s.vectors[at*a.floats:][:a.space.Dimensions]
}

// sample copies at most n vectors, spread evenly.
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
