package embedding

import "math"

// blockPieces is how many pieces go through the model at once. More would not
// fit into the processor's caches; fewer would read the weights more often.
// Together with ngramReach pieces on either side they fill whole tiles.
const blockPieces = 64*tileHeight - 2*ngramReach

// margin is the number of zero rows before and after the rows of a branch.
const margin = 2

// An ngramScratch is the memory of one text on its way through the
// multilingual model. It grows to what the longest text needed.
type ngramScratch struct {
	cutting
	wide  []float32 // the pieces, one row each, each followed by its branches
	inner []float32 // the input of all branches, one row per piece
	seen  []float32 // the input of one branch, between margins
	again []float32 // the output of its first step, the input of its second
	sum   []float32 // over all pieces
	begin []float32 // of the last network
	end   []float32
	out   []float32
}

// An ngramPass computes the rows of consecutive pieces of one text.
type ngramPass struct {
	*ngramModel
	*ngramScratch
	kernels *kernels
	tokens  int
	rows    int // tokens, filled up to whole tiles
}

// forward makes the vector, of any length, of the pieces of a text. between is
// called before each part of the work; its error ends it.
func (m *ngramModel) forward(ids []int32, s *ngramScratch, k *kernels, vector []float32, between func() error) error {
	width := m.joined()
	grow(&s.sum, tileHeight*width)
	clear(s.sum)
	for from := 0; from < len(ids); from += blockPieces {
		to := min(len(ids), from+blockPieces)
		// A piece's row depends only on the pieces within its reach.
		first, last := max(0, from-ngramReach), min(len(ids), to+ngramReach)
		p := &ngramPass{ngramModel: m, ngramScratch: s, kernels: k, tokens: last - first}
		p.start(ids[first:last])
		for i := range p.branches {
			if err := between(); err != nil {
				return err
			}
			p.computeBranch(i)
		}
		for row := from - first; row < to-first; row++ {
			r := p.wide[row*width:][:width]
			m.norm.apply(r)
			addTo(s.sum[:width], r)
		}
	}
	m.finish(len(ids), s, k, vector)
	return nil
}

// start fills wide with the vectors of the pieces, and inner with the input of
// the branches.
func (p *ngramPass) start(ids []int32) {
	p.rows = upTo(p.tokens, tileHeight)
	width, all := p.joined(), len(orders)*p.Branch
	grow(&p.wide, p.rows*width)
	grow(&p.inner, p.rows*all)
	grow(&p.seen, (p.rows+2*margin)*p.Branch)
	grow(&p.again, (p.rows+2*margin)*p.Branch)
	for at, id := range ids {
		scale, offset := p.scale[int(id)%p.Blocks], p.offset[int(id)%p.Blocks]
		row := p.wide[at*width:][:p.Width]
		for i, v := range p.table[int(id)*p.Width:][:p.Width] {
			row[i] = float32(v)*scale + offset
		}
	}
	clear(p.wide[p.tokens*width:])
	p.kernels.multiply(matrix{p.inner, all}, matrix{p.wide, width}, p.project.panels, p.rows, all, p.Width)
	for at := range p.tokens {
		row := p.inner[at*all:][:all]
		addTo(row, p.project.bias)
		p.projected.apply(row)
	}
}

// computeBranch computes one branch of all pieces. Beyond the ends of the text
// its input is zero.
func (p *ngramPass) computeBranch(i int) {
	b, length, before := p.Branch, orders[i].length, orders[i].before
	clear(p.seen)
	for at := range p.tokens {
		copy(p.seen[(margin+at)*b:][:b], p.inner[at*len(orders)*b+i*b:])
	}
	// The rows of neighbouring pieces are adjacent in memory, so a window of them is
	// one row of the matrix that is multiplied.
	around := func(rows []float32) matrix { return matrix{rows[(margin-before)*b:], b} }
	again := matrix{p.again[margin*b:], b}
	p.kernels.multiply(again, around(p.seen), p.branches[i].first.panels, p.rows, b, length*b)
	for at := range p.tokens {
		rectify(again.data[at*b:][:b], p.branches[i].first.bias, p.seen[(margin+at)*b:])
	}
	clear(p.again[:margin*b])
	clear(again.data[p.tokens*b:])
	out := matrix{p.wide[p.Width+i*b:], p.joined()}
	p.kernels.multiply(out, around(p.again), p.branches[i].second.panels, p.rows, b, length*b)
	for at := range p.tokens {
		rectify(out.data[at*out.stride:][:b], p.branches[i].second.bias, again.data[at*b:])
	}
}

// rectify sets row = max(row+bias, 0) + other.
func rectify(row, bias, other []float32) {
	bias, other = bias[:len(row)], other[:len(row)]
	for i, v := range row {
		row[i] = max(v+bias[i], 0) + other[i]
	}
}

// finish makes the vector from the sum over all pieces. Only the first row of
// each tile is used; the others are zeros.
func (m *ngramModel) finish(tokens int, s *ngramScratch, k *kernels, vector []float32) {
	both := m.Width + m.Inner
	for _, rows := range []*[]float32{&s.begin, &s.end, &s.out} {
		grow(rows, tileHeight*both)
		clear(*rows)
	}
	step := func(c, a []float32, panels []float32, cols, depth, stride int) {
		k.multiply(matrix{c, both}, matrix{a, stride}, panels, tileHeight, cols, depth)
	}
	step(s.begin, s.sum, m.mean.panels, m.Width, m.joined(), m.joined())
	root := float32(math.Sqrt(float64(tokens)))
	for i, v := range m.mean.bias {
		s.begin[i] = s.begin[i]/root + v*root
	}
	step(s.begin[m.Width:], s.begin, m.enter, m.Inner, m.Width, both)
	positive(s.begin[m.Width:both])
	step(s.end, s.begin, m.first, m.Inner, both, both)
	positive(s.end[:m.Inner])
	step(s.end[m.Inner:], s.end, m.widen, m.Width, m.Inner, both)
	positive(s.end[m.Inner:both])
	step(s.out, s.end, m.last, m.Width, both, both)
	for i := range vector {
		vector[i] = float32(math.Tanh(float64(s.out[i])))
	}
}

func positive(row []float32) {
	for i, v := range row {
		row[i] = max(v, 0)
	}
}
