package embedding

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxPieces is how many pieces of a text are read.
const maxPieces = 4096

// unknownPenalty is how far below the lowest score of a piece the score of an
// unknown character is.
const unknownPenalty = 10

// pieces cut texts as SentencePiece does with a model of the kind unigram: of
// all ways to split a word they take the likeliest. Their data is the mapped packed
// file, unchanged.
//
// They are a trie over bytes, stored level by level from the root, which is node
// 0. The children of a node are the nodes from first[node] up to first[node+1],
// by ascending label.
type pieces struct {
	normalizer
	scores []float32 // by piece: logarithm of its probability
	first  []uint32
	ends   []int32 // by node: the piece that ends there, or -1
	labels []byte  // by node: the byte that leads to it
	lowest float64 // the score of an unknown character
}

// A cutting is memory for cutting a text, which is reused. Its text and ids are
// the normalized text and the pieces found so far.
type cutting struct {
	text []byte
	best []float64 // by offset in a word: the score of the likeliest split up to here,
	from []int32   // the offset at which its last piece begins,
	last []int32   // and that piece
	ids  []int32
}

// check refuses a trie that refers to nodes or pieces outside of it.
func (p *pieces) check() error {
	nodes := len(p.labels)
	if nodes == 0 || len(p.ends) != nodes || len(p.first) != nodes+1 || int(p.first[nodes]) != nodes {
		return errDamaged
	}
	for node, end := range p.ends {
		if p.first[node] <= uint32(node) || p.first[node] > p.first[node+1] || end < -1 || int(end) >= len(p.scores) {
			return errDamaged
		}
	}
	lowest := math.Inf(1)
	for _, score := range p.scores {
		lowest = min(lowest, float64(score)) // NaN if a score is NaN
	}
	if math.IsNaN(lowest) || math.IsInf(lowest, 0) {
		return errDamaged
	}
	p.lowest = lowest - unknownPenalty
	return nil
}

// cut returns the pieces of a text, with those that begin and end it. They are
// valid until c is used again.
func (p *pieces) cut(text string, c *cutting) []int32 {
	c.ids = append(c.ids[:0], beginPiece)
	c.text = p.normalize(c.text[:0], text)
	for rest := c.text; len(rest) > 0 && len(c.ids) <= maxPieces; {
		// Pieces have spaces only at their beginning, so words are cut one by one.
		word := rest
		if next := bytes.Index(rest[1:], []byte(pieceSpace)); next >= 0 {
			word = rest[:next+1]
		}
		rest = rest[len(word):]
		p.cutWord(word, c)
	}
	c.ids = append(c.ids[:min(len(c.ids), maxPieces+1)], endPiece)
	return c.ids
}

// cutWord appends the pieces of a word. The scores are 32-bit numbers of about the
// same size, so their sums are exact in double precision, and a word is split in the
// same way wherever it occurs. Of equally likely splits, the one with the longest last
// piece is taken. SentencePiece itself adds in single precision from the beginning of
// the text. Far from the beginning, it may choose another split that is nearly as
// likely.
func (p *pieces) cutWord(word []byte, c *cutting) {
	c.best = append(c.best[:0], 0)
	c.from, c.last = append(c.from[:0], 0), append(c.last[:0], unknownPiece)
	for range word {
		c.best, c.from, c.last = append(c.best, math.Inf(-1)), append(c.from, 0), append(c.last, unknownPiece)
	}
	for at := 0; at < len(word); {
		_, size := utf8.DecodeRune(word[at:])
		if !p.extend(word, at, at+size, c) {
			c.reach(at, at+size, unknownPiece, p.lowest)
		}
		at += size
	}
	before := len(c.ids)
	for at := len(word); at > 0; at = int(c.from[at]) {
		// Unknown characters in a row count as one.
		if id := c.last[at]; id != unknownPiece || c.ids[len(c.ids)-1] != unknownPiece || len(c.ids) == before {
			c.ids = append(c.ids, id)
		}
	}
	slices.Reverse(c.ids[before:])
}

// extend tries every piece that begins at an offset. It reports whether one of
// them is the single character that ends at next.
func (p *pieces) extend(word []byte, at, next int, c *cutting) (single bool) {
	node := uint32(0)
	for i, b := range word[at:] {
		from := p.first[node]
		child := bytes.IndexByte(p.labels[from:p.first[node+1]], b)
		if child < 0 {
			break
		}
		node = from + uint32(child)
		if id := p.ends[node]; id >= 0 {
			end := at + i + 1
			single = single || end == next
			c.reach(at, end, id, float64(p.scores[id]))
		}
	}
	return single
}

// reach records a split up to offset `to` if it is likelier than the best so far.
func (c *cutting) reach(from, to int, id int32, score float64) {
	if score += c.best[from]; score > c.best[to] {
		c.best[to], c.from[to], c.last[to] = score, int32(from), id
	}
}

// newPieces converts a published model into the form that texts are cut with.
func newPieces(m *pieceModel) (*pieces, error) {
	p := &pieces{normalizer: normalizer{m.units, []byte(m.replacements)}, scores: m.scores}
	var sorted []int32 // pieces, by their texts
	for id, kind := range m.kinds {
		if kind == kindNormal || kind == kindUser {
			sorted = append(sorted, int32(id))
		}
	}
	slices.SortFunc(sorted, func(a, b int32) int { return strings.Compare(m.texts[a], m.texts[b]) })
	for i := 1; i < len(sorted); i++ {
		if m.texts[sorted[i]] == m.texts[sorted[i-1]] {
			return nil, errPieces
		}
	}
	p.addNodes(m.texts, sorted)
	return p, p.check()
}

// addNodes makes the trie, level by level: a node is a run of sorted pieces
// that begin alike.
func (p *pieces) addNodes(texts []string, sorted []int32) {
	type run struct{ from, to, depth int }
	queue := []run{{0, len(sorted), 0}}
	p.labels = []byte{0}
	for node := 0; node < len(queue); node++ {
		r := queue[node]
		p.first = append(p.first, uint32(len(queue)))
		end := int32(-1)
		if r.from < r.to && len(texts[sorted[r.from]]) == r.depth {
			end = sorted[r.from]
			r.from++
		}
		p.ends = append(p.ends, end)
		for r.from < r.to {
			label := texts[sorted[r.from]][r.depth]
			to := r.from + 1
			for to < r.to && texts[sorted[to]][r.depth] == label {
				to++
			}
			queue = append(queue, run{r.from, to, r.depth + 1})
			p.labels = append(p.labels, label)
			r.from = to
		}
	}
	p.first = append(p.first, uint32(len(queue)))
}
