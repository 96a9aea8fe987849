package vector

import (
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
}

// A shelfKey names a collection. The tenant is part of it: whatever ids two
// tenants have, neither can find what is on a shelf of the other.
type shelfKey struct {
	tenant     assistants.TenantID
	collection assistants.CollectionID
}

// A shelf is the postings of one collection. It guards nothing: see [Embedded].
type shelf struct {
	shelfKey
	numbers   map[string]uint32 // term → index in lists
	lists     [][]posting       // ascending by chunk
	lengths   []uint32          // by chunk; 0: the chunk is gone
	owners    []*held           // by chunk; nil: the chunk is gone
	documents int
	live      int // chunks that are not gone
	total     int // sum of their lengths
}

func newShelf(key shelfKey) *shelf {
	return &shelf{shelfKey: key, numbers: map[string]uint32{}}
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
		s.total += c.length
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
		s.total -= c.length
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
