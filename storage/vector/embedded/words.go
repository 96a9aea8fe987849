package embedded

import (
	"context"
	"sync"

	"footnote/storage/vector"
)

// window is the number of chunks that are added up at a time, so that their sums
// stay in the fastest cache.
const window = 1 << 11

// A reading is a search of one partition for words. It reads the chunks window by window
// and skips what cannot be among the best any more. Terms too common to bring a
// chunk there by themselves are only looked up for chunks that another term found,
// and windows in which all terms together fall short are skipped. The bounds are
// known for the whole list of a term and for its blocks.
type reading struct {
	vector.Plan
	needed    float64 // least BM25 sum that counts
	partition *partition
	top       *top
	cursors   []cursor
	rest      []float64 // by cursor: the most that it and those after it can add
	*sums
}

// A cursor is a position in a term's list.
type cursor struct {
	vector.Weight
	*list
	number   uint32
	at       int       // index of the first posting not yet read
	here     []posting // postings in the window
	most     float64   // the most it can add to any chunk
	mostHere float64   // the most it can add to a chunk in the window
}

// sums are the BM25 sums of a window's chunks, all 0 between two windows.
type sums struct {
	by   [window]float64
	seen []uint32 // the chunks whose sum is not 0
	left []uint32 // those of them that may still be among the best
}

// pages recycles sums.
var pages = sync.Pool{New: func() any { return new(sums) }}

// addPartition adds the matches of a partition to top. If only is not nil, it searches those
// documents, which are in the order of their chunks.
func addPartition(ctx context.Context, p vector.Plan, needed float64, s *partition, only []*entry, top *top) error {
	r := &reading{Plan: p, needed: needed, partition: s, top: top, sums: pages.Get().(*sums)}
	defer pages.Put(r.sums)
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

// needs is the sum below which a chunk does not count, minus a little for rounding.
func (r *reading) needs() float64 { return max(r.needed, r.top.least()-vector.Grain) }

// read searches the chunks from–to.
func (r *reading) read(ctx context.Context, from, to uint32) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := r.requiredTerms(func(c *cursor) float64 { return c.most })
		next := to
		for i := range r.cursors[:some] {
			c := &r.cursors[i]
			if c.at = seek(c.postings, c.at, from); c.at < len(c.postings) {
				next = min(next, c.postings[c.at].chunk())
			}
		}
		if next >= to {
			return nil
		}
		from = min(next+window, to)
		r.window(next, from)
	}
}

// requiredTerms returns how many terms are needed to bring a chunk among the best: the others
// together add too little.
func (r *reading) requiredTerms(most func(*cursor) float64) int {
	needs, n := r.needs(), len(r.cursors)
	for i := n - 1; i >= 0; i-- {
		if r.rest[i] = r.rest[i+1] + most(&r.cursors[i]); r.rest[i] < needs {
			n = i
		}
	}
	return n
}

// window adds up the chunks from–to.
func (r *reading) window(from, to uint32) {
	for i := range r.cursors {
		r.enter(&r.cursors[i], from, to)
	}
	some := r.requiredTerms(func(c *cursor) float64 { return c.mostHere })
	if some == 0 {
		return
	}
	r.seen = r.seen[:0]
	for i := range r.cursors[:some] {
		r.addAll(&r.cursors[i], from, to)
	}
	r.left = append(r.left[:0], r.seen...)
	r.keep(from, r.rest[some])
	for i := some; i < len(r.cursors) && len(r.left) > 0; i++ {
		r.addSome(&r.cursors[i], from)
		r.keep(from, r.rest[i+1])
	}
	for _, chunk := range r.left {
		owner := r.partition.owners[chunk]
		if v := vector.Rounded(r.sums.by[chunk-from]); owner != nil && v >= r.top.least() {
			r.top.offer(v, owner, int(chunk-owner.first))
		}
	}
	for _, chunk := range r.seen {
		r.sums.by[chunk-from] = 0
	}
}

// enter moves a cursor over the chunks from–to.
func (r *reading) enter(c *cursor, from, to uint32) {
	begin := seek(c.postings, c.at, from)
	c.at = seek(c.postings, begin, to)
	c.here, c.mostHere = c.postings[begin:c.at], 0
	if len(c.here) == 0 {
		return
	}
	for i := begin / blockSize; i <= (c.at-1)/blockSize; i++ {
		b := c.whole
		if i < len(c.blocks) {
			b = c.blocks[i]
		}
		c.mostHere = max(c.mostHere, r.Part(c.Gain, b.halves, b.length))
	}
}

// addAll adds a term's contribution to the chunks from–to. A search spends most of
// its time here, so the loop repeats the code of Part and halves.
func (r *reading) addAll(c *cursor, from, to uint32) {
	lengths, by := r.partition.lengths[from:to], &r.sums.by
	for _, p := range c.here {
		i := p.chunk() - from
		halves := uint32(p) & frequent
		if halves == frequent {
			halves = r.partition.halves(c.number, p)
		}
		sum := by[i%window]
		if sum == 0 {
			r.seen = append(r.seen, p.chunk())
		}
		tf := float64(halves) / vector.BodyHalves
		by[i%window] = sum + c.Gain*tf/(tf+r.Flat+r.Slope*float64(lengths[i]))
	}
}

// fewer is the ratio of postings to chunks from which each chunk is looked up
// instead.
const fewer = 8

// addSome adds a term's contribution to the remaining chunks, and possibly to others
// that were seen.
func (r *reading) addSome(c *cursor, from uint32) {
	if len(r.left)*fewer > len(c.here) {
		for _, p := range c.here {
			if i := p.chunk() - from; r.sums.by[i] != 0 {
				r.sums.by[i] += r.Part(c.Gain, r.partition.halves(c.number, p), r.partition.lengths[p.chunk()])
			}
		}
		return
	}
	for _, chunk := range r.left {
		if i := seek(c.here, 0, chunk); i < len(c.here) && c.here[i].chunk() == chunk {
			r.sums.by[chunk-from] += r.Part(c.Gain, r.partition.halves(c.number, c.here[i]), r.partition.lengths[chunk])
		}
	}
}

// keep drops the chunks that cannot be among the best even with rest more.
func (r *reading) keep(from uint32, rest float64) {
	needs, n := r.needs()-rest-vector.Grain, 0
	for _, chunk := range r.left {
		if r.sums.by[chunk-from] >= needs {
			r.left[n] = chunk
			n++
		}
	}
	r.left = r.left[:n]
}
