package embedded

import (
	"context"
	"sync"

	"footnote/storage/vector"
)

// window is the number of chunks that are added up at a time, so that their sums
// stay in the fastest cache.
const window = 1 << 11

// A wordSearch searches one partition for words. It reads the chunks window by window
// and skips those that can no longer be among the best. Some terms are too common to
// bring a chunk among the best by themselves; they are only looked up for chunks that
// another term found. A window is skipped if all terms together cannot bring any of
// its chunks among the best. Each term has a bound for its whole list, and one for
// each block of the list.
type wordSearch struct {
	vector.Plan
	minMatch  float64 // least BM25 sum of a match
	partition *partition
	top       *top
	cursors   []cursor
	rest      []float64 // rest[i] is the most that cursor i and those after it can add
	*sums
}

// A cursor is a position in a term's list.
type cursor struct {
	vector.Weight
	*list
	number       uint32
	at           int       // index of the first posting not yet read
	inWindow     []posting // postings in the window
	most         float64   // the most it can add to any chunk
	mostInWindow float64   // the most it can add to a chunk in the window
}

// sums are the BM25 sums of a window's chunks, all 0 between two windows.
type sums struct {
	byChunk   [window]float64
	touched   []uint32 // the chunks whose sum is not 0
	remaining []uint32 // the touched chunks that may still be among the best
}

// sumsPool recycles sums.
var sumsPool = sync.Pool{New: func() any { return new(sums) }}

// addPartition adds the matches of a partition to top. If only is not nil, it searches those
// documents, which are in the order of their chunks.
func addPartition(ctx context.Context, p vector.Plan, minMatch float64, s *partition, only []*entry, top *top) error {
	r := &wordSearch{Plan: p, minMatch: minMatch, partition: s, top: top, sums: sumsPool.Get().(*sums)}
	defer sumsPool.Put(r.sums)
	for _, w := range p.Weights {
		if n, l := s.list(w.Term); l != nil {
			r.cursors = append(r.cursors, cursor{Weight: w, list: l, number: n, most: p.Part(w.Gain, l.whole.halves, l.whole.length)})
		}
	}
	r.rest = make([]float64, len(r.cursors)+1)
	if only == nil {
		return r.read(ctx, 0, uint32(len(s.owners)))
	}
	for _, h := range only {
		if err := r.read(ctx, h.first, h.first+uint32(len(h.chunks))); err != nil {
			return err
		}
	}
	return nil
}

// minSum is the sum below which a chunk is dropped, minus a little for rounding.
func (r *wordSearch) minSum() float64 { return max(r.minMatch, r.top.least()-vector.Grain) }

// read searches the chunks from–to.
func (r *wordSearch) read(ctx context.Context, from, to uint32) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		required := r.requiredTerms(func(c *cursor) float64 { return c.most })
		next := to
		for i := range r.cursors[:required] {
			c := &r.cursors[i]
			if c.at = seek(c.postings, c.at, from); c.at < len(c.postings) {
				next = min(next, c.postings[c.at].chunk())
			}
		}
		if next >= to {
			return nil
		}
		from = min(next+window, to)
		r.searchWindow(next, from)
	}
}

// requiredTerms returns n, so that a chunk without any of the first n terms cannot be
// among the best: the terms after them together add too little.
func (r *wordSearch) requiredTerms(most func(*cursor) float64) int {
	minSum, n := r.minSum(), len(r.cursors)
	for i := n - 1; i >= 0; i-- {
		if r.rest[i] = r.rest[i+1] + most(&r.cursors[i]); r.rest[i] < minSum {
			n = i
		}
	}
	return n
}

// searchWindow searches the chunks from–to, which are at most a window.
func (r *wordSearch) searchWindow(from, to uint32) {
	for i := range r.cursors {
		r.advance(&r.cursors[i], from, to)
	}
	required := r.requiredTerms(func(c *cursor) float64 { return c.mostInWindow })
	if required == 0 {
		return
	}
	r.touched = r.touched[:0]
	for i := range r.cursors[:required] {
		r.addAll(&r.cursors[i], from, to)
	}
	r.remaining = append(r.remaining[:0], r.touched...)
	r.prune(from, r.rest[required])
	for i := required; i < len(r.cursors) && len(r.remaining) > 0; i++ {
		r.addSome(&r.cursors[i], from)
		r.prune(from, r.rest[i+1])
	}
	for _, chunk := range r.remaining {
		owner := r.partition.owners[chunk]
		if v := vector.Rounded(r.sums.byChunk[chunk-from]); owner != nil && v >= r.top.least() {
			r.top.offer(v, owner, int(chunk-owner.first))
		}
	}
	for _, chunk := range r.touched {
		r.sums.byChunk[chunk-from] = 0
	}
}

// advance moves a cursor past the chunks from–to and notes their postings.
func (r *wordSearch) advance(c *cursor, from, to uint32) {
	begin := seek(c.postings, c.at, from)
	c.at = seek(c.postings, begin, to)
	c.inWindow, c.mostInWindow = c.postings[begin:c.at], 0
	if len(c.inWindow) == 0 {
		return
	}
	for i := begin / blockSize; i <= (c.at-1)/blockSize; i++ {
		b := c.whole
		if i < len(c.blocks) {
			b = c.blocks[i]
		}
		c.mostInWindow = max(c.mostInWindow, r.Part(c.Gain, b.halves, b.length))
	}
}

// addAll adds a term's contribution to the chunks from–to. A search spends most of
// its time here, so the loop repeats the code of Part and halves.
func (r *wordSearch) addAll(c *cursor, from, to uint32) {
	lengths, byChunk := r.partition.lengths[from:to], &r.sums.byChunk
	for _, p := range c.inWindow {
		i := p.chunk() - from
		halves := uint32(p) & frequent
		if halves == frequent {
			halves = r.partition.halves(c.number, p)
		}
		sum := byChunk[i%window]
		if sum == 0 {
			r.touched = append(r.touched, p.chunk())
		}
		tf := float64(halves) / vector.BodyHalves
		byChunk[i%window] = sum + c.Gain*tf/(tf+r.Flat+r.Slope*float64(lengths[i]))
	}
}

// lookupRatio is the ratio of postings to chunks from which looking up each chunk is
// faster than reading all postings.
const lookupRatio = 8

// addSome adds a term's contribution to the remaining chunks, and possibly to other
// touched ones.
func (r *wordSearch) addSome(c *cursor, from uint32) {
	if len(r.remaining)*lookupRatio > len(c.inWindow) {
		for _, p := range c.inWindow {
			if i := p.chunk() - from; r.sums.byChunk[i] != 0 {
				r.sums.byChunk[i] += r.Part(c.Gain, r.partition.halves(c.number, p), r.partition.lengths[p.chunk()])
			}
		}
		return
	}
	for _, chunk := range r.remaining {
		if i := seek(c.inWindow, 0, chunk); i < len(c.inWindow) && c.inWindow[i].chunk() == chunk {
			r.sums.byChunk[chunk-from] += r.Part(c.Gain, r.partition.halves(c.number, c.inWindow[i]), r.partition.lengths[chunk])
		}
	}
}

// prune drops the chunks that cannot be among the best even if rest is added to their
// sums.
func (r *wordSearch) prune(from uint32, rest float64) {
	minSum, n := r.minSum()-rest-vector.Grain, 0
	for _, chunk := range r.remaining {
		if r.sums.byChunk[chunk-from] >= minSum {
			r.remaining[n] = chunk
			n++
		}
	}
	r.remaining = r.remaining[:n]
}
