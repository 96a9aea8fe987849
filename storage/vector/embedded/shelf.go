package embedded

import (
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/storage/vector"
)

// A posting is a chunk of a term's list, and in the low byte twice the term
// frequency; [frequent] stands for a larger one that is looked up. Chunks are
// numbered within the shelf in the order of their arrival.
type posting uint32

const (
	frequent  = 1<<8 - 1
	maxChunks = 1<<24 - 1 // how many numbers a shelf has; the one behind the last is a bound
)

func (p posting) chunk() uint32 { return uint32(p) >> 8 }

// A list is the postings of a term, ascending. Those of chunks that are gone stay
// until the shelf is compacted.
type list struct {
	postings []posting
	blocks   []bound // of each blockSize postings, as long as they are full
	whole    bound   // of all postings
	live     int     // postings of chunks that are not gone
}

// blockSize is how many postings share a bound.
const blockSize = 128

// A bound is what no posting of many is beyond: the more often a term is in a
// chunk, and the shorter the chunk, the higher the score.
type bound struct {
	halves uint32 // at most
	length uint32 // at least
}

func (b *bound) cover(halves, length uint32) {
	b.halves = max(b.halves, halves)
	if length < b.length || b.length == 0 {
		b.length = length
	}
}

// A held is a document on a shelf: its chunks have the numbers first,
// first+1 ….
type held struct {
	id      assistants.DocumentID
	version int
	shelf   *shelf
	first   uint32
	chunks  []vector.Chunk
	terms   []uint32
	vectors []placed
}

// in returns where the document's vectors of a space are.
func (h *held) in(space assistants.Space) (placed, bool) {
	for _, p := range h.vectors {
		if p.arena.space == space {
			return p, true
		}
	}
	return placed{}, false
}

// A placed is where in an arena a document's vectors are: those of its chunks
// have the slots first, first+1 ….
type placed struct {
	arena *arena
	first uint32
}

// A shelfKey names a collection. The tenant is part of it: whatever ids two
// tenants have, neither can find what is on a shelf of the other.
type shelfKey struct {
	tenant     assistants.TenantID
	collection assistants.CollectionID
}

// A shelf is the postings and vectors of one collection. It guards nothing: see
// [Index].
type shelf struct {
	shelfKey
	numbers   map[string]uint32 // term → index in lists
	lists     []list
	many      map[place]uint32 // twice the term frequency, where it is too large for a posting
	lengths   []uint32         // by chunk
	owners    []*held          // by chunk; nil: the chunk is gone
	arenas    map[assistants.Space]*arena
	documents int
	live      int // chunks that are not gone
	worded    int // of these, the chunks with words
	total     int // sum of their lengths
}

// A place is a term in a chunk.
type place struct{ term, chunk uint32 }

func newShelf(key shelfKey) *shelf {
	return &shelf{shelfKey: key, numbers: map[string]uint32{}, many: map[place]uint32{}, arenas: map[assistants.Space]*arena{}}
}

// add puts a document on the shelf that is not there.
func (s *shelf) add(d vector.Document) *held {
	if len(s.owners)+len(d.Chunks) > maxChunks {
		s.compact()
	}
	h := &held{
		id: d.ID, version: d.Version, shelf: s, chunks: d.Chunks,
		first: uint32(len(s.owners)), terms: make([]uint32, len(d.Terms)),
	}
	for _, c := range d.Chunks {
		s.lengths = append(s.lengths, uint32(c.Length))
		s.owners = append(s.owners, h)
		s.count(c, 1)
	}
	for i, t := range d.Terms {
		n, ok := s.numbers[t.Term]
		if !ok {
			n = uint32(len(s.lists))
			s.numbers[strings.Clone(t.Term)] = n // not to hold on to what it is part of
			s.lists = append(s.lists, list{})
		}
		h.terms[i] = n
		for _, o := range t.In {
			s.append(n, h.first+o.Chunk, o.Halves)
		}
	}
	s.live += len(d.Chunks)
	s.documents++
	return h
}

// count adds a chunk to the statistics n times.
func (s *shelf) count(c vector.Chunk, n int) {
	if c.Length > 0 {
		s.worded += n
		s.total += n * c.Length
	}
}

// setVectors makes vectors, one for each chunk of h, those that h has of a space.
func (s *shelf) setVectors(h *held, space assistants.Space, vectors [][]float32) {
	s.dropVectors(h, space)
	a := s.arenas[space]
	if a == nil {
		a = newArena(space)
		s.arenas[space] = a
	}
	h.vectors = append(h.vectors, placed{a, a.add(h, vectors)})
	a.documents++
}

// dropVectors forgets the vectors that h has of a space, if any.
func (s *shelf) dropVectors(h *held, space assistants.Space) {
	p, ok := h.in(space)
	if !ok {
		return
	}
	h.vectors = slices.DeleteFunc(h.vectors, func(x placed) bool { return x == p })
	p.arena.remove(p.first, len(h.chunks))
	if p.arena.documents--; p.arena.documents == 0 {
		delete(s.arenas, space)
		p.arena.release()
	}
}

// append adds a posting to list n.
func (s *shelf) append(n, chunk, halves uint32) {
	l, low := &s.lists[n], min(halves, frequent)
	if low == frequent {
		s.many[place{n, chunk}] = halves
	}
	l.postings = append(l.postings, posting(chunk<<8|low))
	l.live++
	l.whole.cover(halves, s.lengths[chunk])
	if full := len(l.postings); full%blockSize == 0 {
		var b bound
		for _, p := range l.postings[full-blockSize:] {
			b.cover(s.halves(n, p), s.lengths[p.chunk()])
		}
		l.blocks = append(l.blocks, b)
	}
}

// halves returns twice the term frequency of a posting of list n.
func (s *shelf) halves(n uint32, p posting) uint32 {
	if low := uint32(p) & frequent; low < frequent {
		return low
	}
	return s.many[place{n, p.chunk()}]
}

// remove takes a document off the shelf.
func (s *shelf) remove(h *held) {
	end := h.first + uint32(len(h.chunks))
	for _, n := range h.terms {
		l := &s.lists[n]
		l.live -= seek(l.postings, seek(l.postings, 0, h.first), end) - seek(l.postings, 0, h.first)
	}
	for i, c := range h.chunks {
		s.owners[h.first+uint32(i)] = nil
		s.count(c, -1)
	}
	for len(h.vectors) > 0 {
		s.dropVectors(h, h.vectors[0].arena.space)
	}
	s.live -= len(h.chunks)
	s.documents--
	if len(s.owners) > 2*s.live+minGaps {
		s.compact()
	}
}

// minGaps is how many numbers of chunks that are gone are always tolerated.
const minGaps = 1 << 12

// compact numbers the chunks anew without gaps, and forgets the postings of
// those that are gone and the terms that no chunk has any more.
func (s *shelf) compact() {
	old := *s
	s.lengths, s.owners = make([]uint32, 0, s.live), make([]*held, 0, s.live)
	renumbered := make([]uint32, len(old.owners))
	for i, h := range old.owners {
		if h == nil {
			continue
		}
		renumbered[i] = uint32(len(s.owners))
		s.lengths = append(s.lengths, old.lengths[i])
		s.owners = append(s.owners, h)
	}
	s.numbers, s.lists, s.many = make(map[string]uint32, len(old.numbers)), nil, map[place]uint32{}
	terms := make([]uint32, len(old.lists))
	for term, n := range old.numbers {
		l := old.lists[n]
		if l.live == 0 {
			continue
		}
		terms[n] = uint32(len(s.lists))
		s.numbers[term] = terms[n]
		s.lists = append(s.lists, list{postings: make([]posting, 0, l.live)})
		for _, p := range l.postings {
			if old.owners[p.chunk()] != nil {
				s.append(terms[n], renumbered[p.chunk()], old.halves(n, p))
			}
		}
		old.lists[n] = list{} // as much memory as possible is free again
	}
	var last *held
	for _, h := range s.owners {
		if h == last {
			continue
		}
		last = h
		h.first = renumbered[h.first]
		for i, n := range h.terms {
			h.terms[i] = terms[n]
		}
	}
}

// list returns the postings of a term, nil when no chunk has it.
func (s *shelf) list(term string) (n uint32, l *list) {
	n, ok := s.numbers[term]
	if !ok || s.lists[n].live == 0 {
		return 0, nil
	}
	return n, &s.lists[n]
}

// seek returns the place of the first posting from place from on whose chunk is
// not below number. What is near is found soonest.
func seek(postings []posting, from int, number uint32) int {
	wanted := posting(number << 8)
	step := 1
	for from+step < len(postings) && postings[from+step] < wanted {
		from += step
		step *= 2
	}
	end := min(from+step, len(postings))
	for from < end {
		if middle := int(uint(from+end) >> 1); postings[middle] < wanted {
			from = middle + 1
		} else {
			end = middle
		}
	}
	return from
}
