package embedded

import (
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/storage/vector"
)

// A posting is a chunk in a term's list. Its low byte is twice the term frequency;
// [frequent] stands for a larger value, which is looked up. Chunks are numbered
// within the partition in the order of their arrival.
type posting uint32

const (
	frequent  = 1<<8 - 1
	maxChunks = 1<<24 - 1 // chunks in a partition; one more must fit, too, as the end of a range
)

func (p posting) chunk() uint32 { return uint32(p) >> 8 }

// A list is the postings of a term, ascending. Postings of removed chunks stay until
// the partition is compacted.
type list struct {
	postings []posting
	blocks   []bound // of each full block of blockSize postings
	whole    bound   // of all postings
	live     int     // number of postings whose chunk is not removed
}

// blockSize is the number of postings that share a bound.
const blockSize = 128

// A bound limits the score of many postings: a term scores higher the more often it
// occurs in a chunk, and the shorter the chunk is.
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

// An entry is a document in a partition. Its chunks have the numbers first, first+1 ….
type entry struct {
	id        assistants.DocumentID
	version   int
	partition *partition
	first     uint32
	chunks    []vector.Chunk
	terms     []uint32
	vectors   []placement
}

// vectorsIn returns the placement of the document's vectors in a space.
func (h *entry) vectorsIn(space assistants.Space) (placement, bool) {
	for _, p := range h.vectors {
		if p.arena.space == space {
			return p, true
		}
	}
	return placement{}, false
}

// A placement is the position of a document's vectors in an arena: its chunks have
// the slots first, first+1 ….
type placement struct {
	arena *arena
	first uint32
}

// A partitionKey names a collection. It includes the tenant, so that two tenants never
// share a partition, even with equal ids.
type partitionKey struct {
	tenant     assistants.TenantID
	collection assistants.CollectionID
}

// A partition has the postings and vectors of one collection. It has no lock of its own:
// see [Index].
type partition struct {
	partitionKey
	numbers      map[string]uint32 // term → index in lists
	lists        []list
	largeHalves  map[place]uint32 // twice the term frequency, if it is too large for a posting
	lengths      []uint32         // by chunk
	owners       []*entry         // by chunk; nil if the chunk was removed
	arenas       map[assistants.Space]*arena
	documents    int
	live         int // chunks that were not removed
	wordedChunks int // live chunks that have words
	totalWords   int // total number of words
}

// A place is a term in a chunk.
type place struct{ term, chunk uint32 }

func newPartition(key partitionKey) *partition {
	return &partition{partitionKey: key, numbers: map[string]uint32{}, largeHalves: map[place]uint32{}, arenas: map[assistants.Space]*arena{}}
}

// add adds a new document to the partition.
func (s *partition) add(d vector.Document) *entry {
	if len(s.owners)+len(d.Chunks) > maxChunks {
		s.compact()
	}
	h := &entry{
		id: d.ID, version: d.Version, partition: s, chunks: d.Chunks,
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
			s.numbers[strings.Clone(t.Term)] = n // a clone, so that the key does not keep a larger string alive
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

// count adds a chunk to the statistics n times; n may be -1.
func (s *partition) count(c vector.Chunk, n int) {
	if c.Length > 0 {
		s.wordedChunks += n
		s.totalWords += n * c.Length
	}
}

// setVectors replaces the vectors of a document in a space, one for each chunk.
func (s *partition) setVectors(h *entry, space assistants.Space, vectors [][]float32) {
	s.dropVectors(h, space)
	a := s.arenas[space]
	if a == nil {
		a = newArena(space)
		s.arenas[space] = a
	}
	h.vectors = append(h.vectors, placement{a, a.add(h, vectors)})
	a.documents++
}

// dropVectors removes the vectors of a document in a space, if there are any.
func (s *partition) dropVectors(h *entry, space assistants.Space) {
	p, ok := h.vectorsIn(space)
	if !ok {
		return
	}
	h.vectors = slices.DeleteFunc(h.vectors, func(x placement) bool { return x == p })
	p.arena.remove(p.first, len(h.chunks))
	if p.arena.documents--; p.arena.documents == 0 {
		delete(s.arenas, space)
		p.arena.release()
	}
}

// append adds a posting to list n.
func (s *partition) append(n, chunk, halves uint32) {
	l, low := &s.lists[n], min(halves, frequent)
	if low == frequent {
		s.largeHalves[place{n, chunk}] = halves
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
func (s *partition) halves(n uint32, p posting) uint32 {
	if low := uint32(p) & frequent; low < frequent {
		return low
	}
	return s.largeHalves[place{n, p.chunk()}]
}

// remove removes a document from the partition.
func (s *partition) remove(h *entry) {
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

// minGaps is the number of removed chunks that is always tolerated.
const minGaps = 1 << 12

// compact renumbers the chunks without gaps and drops the postings of removed chunks
// and the terms that no chunk has.
func (s *partition) compact() {
	old := *s
	s.lengths, s.owners = make([]uint32, 0, s.live), make([]*entry, 0, s.live)
	renumbered := make([]uint32, len(old.owners))
	for i, h := range old.owners {
		if h == nil {
			continue
		}
		renumbered[i] = uint32(len(s.owners))
		s.lengths = append(s.lengths, old.lengths[i])
		s.owners = append(s.owners, h)
	}
	s.numbers, s.lists, s.largeHalves = make(map[string]uint32, len(old.numbers)), nil, map[place]uint32{}
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
		old.lists[n] = list{} // frees as much memory as possible now
	}
	var last *entry
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

// list returns the postings of a term, nil if no chunk has it.
func (s *partition) list(term string) (n uint32, l *list) {
	n, ok := s.numbers[term]
	if !ok || s.lists[n].live == 0 {
		return 0, nil
	}
	return n, &s.lists[n]
}

// seek returns the index, not below from, of the first posting whose chunk is at
// least number. It is fastest for a posting near from.
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
