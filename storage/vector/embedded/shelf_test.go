package embedded

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector"
)

func TestNumbersOfGoneChunksAreReclaimed(t *testing.T) {
	s := newPartition(partitionKey{"t", "c"})
	version := func(id string, number int) vector.Document {
		var points []assistants.Point
		for i := range 500 {
			points = append(points, assistants.Point{
				ChunkID: assistants.ChunkID(fmt.Sprint(id, number, i)), Index: i, Text: fmt.Sprintf("apple %s word%d only%dx%d", id, i, number, i),
			})
		}
		return vector.Analyse(assistants.Document{ID: assistants.DocumentID(id)}, number, points)
	}
	stays := s.add(version("stays", 1))
	h := s.add(version("changes", 0))
	for n := range 60 {
		s.remove(h)
		h = s.add(version("changes", n+1))
	}
	if len(s.owners) > 2*1000+minGaps+500 {
		t.Errorf("%d numbers for 1000 chunks", len(s.owners))
	}
	if len(s.lists) > 10_000 || len(s.lists) != len(s.numbers) { // without reclaiming, more than 30,000
		t.Errorf("%d lists for %d terms", len(s.lists), len(s.numbers))
	}
	for _, entry := range []*entry{stays, h} {
		for _, n := range entry.terms {
			if !slices.ContainsFunc(s.lists[n].postings, func(p posting) bool { return s.owners[p.chunk()] == entry }) {
				t.Fatal("a document's term points to another list")
			}
		}
	}
	_, apple := s.list("appl")
	_, word := s.list("word7")
	if s.live != 1000 || s.documents != 2 || apple.live != 1000 || word.live != 2 {
		t.Errorf("%d chunks, %d documents, %d and %d postings", s.live, s.documents, apple.live, word.live)
	}
	total := 0
	for n := range s.lists {
		checkList(t, s, uint32(n))
	}
	for i, l := range s.lengths {
		if s.owners[i] != nil {
			total += int(l)
		}
	}
	if total != s.totalWords {
		t.Errorf("total length %d, counted %d", s.totalWords, total)
	}
}

// checkList looks whether a list says of itself what its postings do.
func checkList(t *testing.T, s *partition, n uint32) {
	t.Helper()
	l, live := s.lists[n], 0
	for i, p := range l.postings {
		if i > 0 && l.postings[i-1].chunk() >= p.chunk() {
			t.Fatal("a list is out of order")
		}
		halves, length := s.halves(n, p), s.lengths[p.chunk()]
		for j, b := range append(slices.Clone(l.blocks), l.whole) {
			if (j == i/blockSize || j == len(l.blocks)) && (halves > b.halves || length < b.length) {
				t.Fatal("a posting is beyond its bound")
			}
		}
		owner := s.owners[p.chunk()]
		if owner == nil {
			continue
		}
		live++
		if place := p.chunk() - owner.first; int(place) >= len(owner.chunks) || length != uint32(owner.chunks[place].Length) {
			t.Fatal("a posting points to another chunk")
		}
	}
	if live != l.live || len(l.blocks) != len(l.postings)/blockSize {
		t.Fatalf("%d of %d postings in %d blocks; %d are live", l.live, len(l.postings), len(l.blocks), live)
	}
}

func TestOnlyTheBeginningOfAnEndlessChunkIsIndexed(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	apply(t, x, "c1", "d1", "first "+strings.Repeat("é ", 1<<20)+" last")
	if found(t, x, "first") != 1 || found(t, x, "last") != 0 {
		t.Error("the text is not cut at its limit")
	}
}
