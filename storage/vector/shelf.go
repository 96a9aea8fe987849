package vector

import (
	"cmp"
	"slices"
	"sort"

	"footnote/assistants"
)

// A posting is a chunk of a term's list. Chunks are numbered within the shelf in
// the order of their arrival.
type posting struct {
	chunk  uint32
	halves uint32 // twice the term frequency
}

// A held is a document on a shelf: its chunks have the numbers first,
// first+1 ….
type held struct {
	id      assistants.DocumentID
	version int
	shelf   *shelf
	first   uint32
	chunks  []chunk
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
// [Embedded].
type shelf struct {
	shelfKey
	numbers   map[string]uint32 // term → index in lists
	lists     [][]posting       // ascending by chunk
	lengths   []uint32          // by chunk
	owners    []*held           // by chunk; nil: the chunk is gone
	arenas    map[assistants.Space]*arena
	documents int
	live      int // chunks that are not gone
	worded    int // of these, the chunks with words
	total     int // sum of their lengths
}

func newShelf(key shelfKey) *shelf {
	return &shelf{shelfKey: key, numbers: map[string]uint32{}, arenas: map[assistants.Space]*arena{}}
}

// add puts a document on the shelf that is not there.
func (s *shelf) add(d document) *held {
	h := &held{
		id: d.id, version: d.version, shelf: s, chunks: d.chunks,
		first: uint32(len(s.owners)), terms: make([]uint32, len(d.terms)),
	}
	for _, c := range d.chunks {
		s.lengths = append(s.lengths, uint32(c.length))
		s.owners = append(s.owners, h)
		s.count(c, 1)
	}
	for i, t := range d.terms {
		n, ok := s.numbers[t.term]
		if !ok {
			n = uint32(len(s.lists))
			s.numbers[t.term] = n
			s.lists = append(s.lists, nil)
		}
		h.terms[i] = n
		for _, o := range t.in {
			s.lists[n] = append(s.lists[n], posting{h.first + uint32(o.chunk), uint32(o.halves)})
		}
	}
	s.live += len(d.chunks)
	s.documents++
	return h
}

// count adds a chunk to the statistics n times.
func (s *shelf) count(c chunk, n int) {
	if c.length > 0 {
		s.worded += n
		s.total += n * c.length
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

// remove takes a document off the shelf.
func (s *shelf) remove(h *held) {
	end := h.first + uint32(len(h.chunks))
	for _, n := range h.terms {
		list := s.lists[n]
		from := sort.Search(len(list), func(i int) bool { return list[i].chunk >= h.first })
		to := from
		for to < len(list) && list[to].chunk < end {
			to++
		}
		s.lists[n] = slices.Delete(list, from, to)
	}
	for i, c := range h.chunks {
		s.lengths[h.first+uint32(i)] = 0
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

// dropTerms forgets the terms that no chunk has any more, and returns the new
// places of the others' lists.
func (s *shelf) dropTerms() []uint32 {
	places := make([]uint32, len(s.lists))
	var lists [][]posting
	for term, n := range s.numbers {
		if len(s.lists[n]) == 0 {
			delete(s.numbers, term)
			continue
		}
		places[n] = uint32(len(lists))
		s.numbers[term] = places[n]
		lists = append(lists, s.lists[n])
	}
	s.lists = lists
	return places
}

// compact numbers the chunks anew without gaps.
func (s *shelf) compact() {
	renumbered := make([]uint32, len(s.owners))
	lengths := make([]uint32, 0, s.live)
	owners := make([]*held, 0, s.live)
	for i, h := range s.owners {
		if h == nil {
			continue
		}
		renumbered[i] = uint32(len(owners))
		lengths = append(lengths, s.lengths[i])
		owners = append(owners, h)
	}
	places := s.dropTerms()
	var last *held
	for _, h := range owners {
		if h != last {
			h.first = renumbered[h.first]
			for i, n := range h.terms {
				h.terms[i] = places[n]
			}
			last = h
		}
	}
	for _, list := range s.lists {
		for i := range list {
			list[i].chunk = renumbered[list[i].chunk]
		}
	}
	s.lengths, s.owners = lengths, owners
}

// list returns the postings of a term.
func (s *shelf) list(term string) []posting {
	if n, ok := s.numbers[term]; ok {
		return s.lists[n]
	}
	return nil
}

// halves returns twice the term frequency of a term in a chunk.
func (s *shelf) halves(term string, number uint32) uint32 {
	list := s.list(term)
	i, found := slices.BinarySearchFunc(list, number, func(p posting, n uint32) int { return cmp.Compare(p.chunk, n) })
	if !found {
		return 0
	}
	return list[i].halves
}
