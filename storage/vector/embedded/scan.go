package embedded

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"footnote/assistants"
	"footnote/storage/vector"
	"footnote/storage/vector/dot"
)

const (
	// pieceSlots is the number of vectors that one core compares at a time, and between
	// two checks of ctx.
	pieceSlots = 1 << 11
	// parallelBytes is the amount of memory from which a second core helps.
	parallelBytes = 8 << 20
	// belowAll is less than any cosine.
	belowAll = -2
)

// A piece is slots from–to of a segment.
type piece struct {
	arena    *arena
	segment  int
	from, to int
}

// A nearVector may be among the nearest. upper is an upper bound of its cosine.
type nearVector struct {
	arena *arena
	slot  uint32
	upper float32
}

// A scan finds the k vectors nearest to a question's. It reads the codes of all
// vectors. The error of each approximate cosine is bounded, so that no nearest
// vector is missed. The vectors that may be among the nearest are then compared as
// floats.
type scan struct {
	query   []float32
	padded  []float32
	codes   []int8
	scale   float32
	spread  float32 // the error of a cosine is at most distance·spread + slack
	slack   float32
	rounded float32 // bound of the rounding error of float products
	k       int
	exact   bool // read the vectors instead of their codes
	pieces  []piece
	next    atomic.Int64
}

func newScan(q []float32, space assistants.Space, k int) *scan {
	s := &scan{query: q, padded: make([]float32, dot.PadFloats(len(q))), codes: make([]int8, dot.PadCodes(len(q))), k: k}
	copy(s.padded, q)
	var distance float32
	s.scale, distance = dot.Quantise(s.codes, q)
	length := float32(math.Sqrt(vector.Cosine(q, q)))
	// x = sc+r and q = tp+e, so |xq − st·cp| ≤ |sc||e| + |r||q| ≤ |x||e| +
	// |r|(|e|+|q|), plus a little for the rounding of float32.
	s.spread = (distance + length) * (1 + 1e-5)
	s.slack = (1+vector.LengthTolerance)*distance + 1e-5
	s.rounded = float32(space.Dimensions+8) / (1 << 23)
	return s
}

// add adds slots from–to of an arena to the scan.
func (s *scan) add(a *arena, from, to int) {
	for from < to {
		n := from >> a.shift
		end := min(to, (n+1)<<a.shift, from+pieceSlots)
		s.pieces = append(s.pieces, piece{a, n, from - n<<a.shift, end - n<<a.shift})
		from = end
	}
}

// run adds the nearest vectors to top.
func (s *scan) run(ctx context.Context, top *top) error {
	bytes := 0
	for _, p := range s.pieces {
		bytes += (p.to - p.from) * p.arena.codes
	}
	n := 1
	if bytes >= parallelBytes {
		n = min(runtime.GOMAXPROCS(0), len(s.pieces))
	}
	workers, errs := make([]worker, n), make([]error, n)
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { errs[i] = workers[i].work(ctx, s) })
	}
	errs[0] = workers[0].work(ctx, s)
	wg.Wait()
	if err := cmp.Or(ctx.Err(), errors.Join(errs...)); err != nil {
		return err
	}
	var lowest kLargest
	var found []nearVector
	for _, w := range workers {
		for _, lower := range w.lowest.values {
			lowest.offer(lower, s.k)
		}
		found = append(found, w.found...)
	}
	found = slices.DeleteFunc(found, func(n nearVector) bool { return n.upper < lowest.least(s.k) })
	return s.compareFloats(ctx, found, top)
}

// compareFloats compares the vectors that may be among the nearest as floats.
func (s *scan) compareFloats(ctx context.Context, found []nearVector, top *top) error {
	var lowest kLargest
	var product [1]float32
	for i := range found {
		if i%pieceSlots == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n := &found[i]
		segment, at := n.arena.at(n.slot)
		dot.Floats(product[:], segment.vectors[at*n.arena.floats:(at+1)*n.arena.floats], s.padded)
		n.upper = product[0] + s.rounded
		lowest.offer(product[0]-s.rounded, s.k)
	}
	for _, n := range found {
		if n.upper < lowest.least(s.k) {
			continue
		}
		owner := n.arena.owners[n.slot]
		in, _ := owner.vectorsIn(n.arena.space)
		top.offer(vector.Cosine(s.query, n.arena.vector(n.slot)), owner, int(n.slot-in.first))
	}
	return nil
}

// A worker scans pieces.
type worker struct {
	lowest kLargest
	found  []nearVector
}

// buffers recycles the memory that a worker needs for a piece.
var buffers = sync.Pool{New: func() any { return new(scanBuffer) }}

type scanBuffer struct {
	codes  [pieceSlots + 2*dot.Group]int32
	floats [pieceSlots]float32
}

// work scans pieces until none is left. A panic is an error also in the goroutine of the search:
// the others still read memory that the index may free after the search.
func (w *worker) work(ctx context.Context, s *scan) (err error) {
	defer assistants.CatchPanic(&err)
	out := buffers.Get().(*scanBuffer)
	defer buffers.Put(out)
	for ctx.Err() == nil {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.pieces) {
			break
		}
		p := s.pieces[i]
		if s.exact {
			w.readVectors(s, p, out.floats[:p.to-p.from])
		} else {
			w.readCodes(s, p, &out.codes)
		}
	}
	return nil
}

func (w *worker) readCodes(s *scan, p piece, out *[pieceSlots + 2*dot.Group]int32) {
	segment := &p.arena.segments[p.segment]
	// Codes are in groups, and a segment ends with a whole group.
	from, to := p.from&^(dot.Group-1), (p.to+dot.Group-1)&^(dot.Group-1)
	dot.Codes(out[:to-from], segment.codes[from*p.arena.codes:to*p.arena.codes], s.codes)
	products := out[p.from-from:][:p.to-p.from]
	scales, distances := segment.scales[p.from:p.to], segment.distances[p.from:p.to]
	least := w.lowest.least(s.k)
	for i, product := range products {
		value := float32(product) * (scales[i] * s.scale)
		bound := distances[i]*s.spread + s.slack
		if value+bound < least {
			continue
		}
		w.found = append(w.found, nearVector{p.arena, uint32(p.segment<<p.arena.shift + p.from + i), value + bound})
		w.lowest.offer(value-bound, s.k)
		least = w.lowest.least(s.k)
	}
}

func (w *worker) readVectors(s *scan, p piece, out []float32) {
	segment := &p.arena.segments[p.segment]
	dot.Floats(out, segment.vectors[p.from*p.arena.floats:p.to*p.arena.floats], s.padded)
	least := w.lowest.least(s.k)
	for i, value := range out {
		if value+s.rounded < least || segment.distances[p.from+i] == freeDistance {
			continue
		}
		w.found = append(w.found, nearVector{p.arena, uint32(p.segment<<p.arena.shift + p.from + i), value + s.rounded})
		w.lowest.offer(value-s.rounded, s.k)
		least = w.lowest.least(s.k)
	}
}

// kLargest keeps the k largest numbers offered, as a heap with the least first.
type kLargest struct{ values []float32 }

// least returns the k-th largest number, or belowAll if there are fewer.
func (b *kLargest) least(k int) float32 {
	if len(b.values) < k {
		return belowAll
	}
	return b.values[0]
}

func (b *kLargest) offer(x float32, k int) {
	v := b.values
	if len(v) < k {
		v = append(v, x)
		for i := len(v) - 1; i > 0 && v[i] < v[(i-1)/2]; i = (i - 1) / 2 {
			v[i], v[(i-1)/2] = v[(i-1)/2], v[i]
		}
		b.values = v
		return
	}
	if x <= v[0] {
		return
	}
	v[0] = x
	for i := 0; ; {
		child := 2*i + 1
		if child >= k {
			return
		}
		if child+1 < k && v[child+1] < v[child] {
			child++
		}
		if v[i] <= v[child] {
			return
		}
		v[i], v[child] = v[child], v[i]
		i = child
	}
}
