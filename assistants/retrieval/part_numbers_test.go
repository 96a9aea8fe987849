package retrieval

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"footnote/assistants"
)

// TestNumbersOfPartsStayThoseOfAnEarlierIndex while questions still use it.
func TestNumbersOfPartsStayThoseOfAnEarlierIndex(t *testing.T) {
	first := newNameIndex(nil, catalogue(10, 0), 1, time.Time{})
	known := maps.Clone(first.parts.known)
	second := newNameIndex(first, catalogue(20, 0), 2, time.Time{})
	if !maps.Equal(first.parts.known, known) {
		t.Error("a later index changed the numbers of an earlier one")
	}
	for part, number := range known {
		if second.parts.known[part] != number {
			t.Errorf("%q has the number %d, then %d", part, number, second.parts.known[part])
		}
	}
}

// TestPartsThatAreGoneAreForgotten: names that change all the time take no more and more
// memory.
func TestPartsThatAreGoneAreForgotten(t *testing.T) {
	var x *nameIndex
	for generation := range 150 { // with more numbers than are kept
		list := catalogue(200, 0)
		for i := range list {
			list[i].Name = fmt.Sprintf("word%da%d.pdf", generation, i)
		}
		list = append(list, assistants.DocumentName{ID: "last", Name: fmt.Sprintf("Report of %d.pdf", 1900+generation)})
		x = newNameIndex(x, list, uint64(generation), time.Time{})
		if c := x.choose(fmt.Sprintf("What does the report of %d say?", 1900+generation), nil); len(c.best) != 1 || c.best[0].ID != "last" {
			t.Errorf("%d chose %v", generation, c.best)
		}
	}
	if n := len(x.parts.known); n > 2*fewNumbers {
		t.Errorf("%d numbers are kept", n)
	}
}
