package retrieval

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"footnote/assistants"
)

// A reader of names counts how often it reads those of each collection.
type namesReader struct {
	lists nameLists
	reads map[assistants.CollectionID]int
}

func (r *namesReader) get(t *testing.T, generation uint64, collections ...assistants.CollectionID) *nameIndex {
	t.Helper()
	var now time.Time
	now = now.Add(time.Duration(generation) * time.Hour) //nolint:gosec // a few
	x, err := r.lists.get(t.Context(), "t1", collections, generation, now, func(context.Context, []assistants.DocumentName) ([]assistants.DocumentName, error) {
		r.reads[collections[0]]++
		return []assistants.DocumentName{{ID: assistants.DocumentID(collections[0]), Name: "a.pdf"}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func collection(i int) assistants.CollectionID { return assistants.CollectionID(fmt.Sprint("c", i)) }

// TestNamesOfManySetsAreReadOnce: a server with more assistants than some number does not read
// all names anew with every question, and a change reads those of its own set only.
func TestNamesOfManySetsAreReadOnce(t *testing.T) {
	r := namesReader{lists: newNameLists(), reads: map[assistants.CollectionID]int{}}
	const sets = 100
	for range 3 {
		for i := range sets {
			r.get(t, 1, collection(i))
		}
	}
	r.get(t, 2, collection(7))
	for i := range sets {
		r.get(t, 1, collection(i))
	}
	for i := range sets {
		want := 1
		if i == 7 {
			want = 2
		}
		if got := r.reads[collection(i)]; got != want {
			t.Errorf("the names of set %d were read %d times, want %d", i, got, want)
		}
	}
}

func TestOfTooManyNamesThoseUsedLastAreKept(t *testing.T) {
	r := namesReader{lists: newNameLists(), reads: map[assistants.CollectionID]int{}}
	size := r.get(t, 1, collection(0)).size()
	r.lists.known.most = 3 * size
	for _, i := range []int{1, 2, 0, 3, 0, 2, 3} { // 3 takes the place of 1
		r.get(t, 1, collection(i))
	}
	r.get(t, 1, collection(1))
	if r.reads["c0"] != 1 || r.reads["c1"] != 2 || r.reads["c2"] != 1 || r.reads["c3"] != 1 {
		t.Errorf("read %v times", r.reads)
	}
	r.lists.known.most = size / 2
	for range 3 { // too large by itself, but in use
		r.get(t, 1, collection(4))
	}
	if r.reads["c4"] != 1 {
		t.Errorf("names above the bound were read %d times", r.reads["c4"])
	}
}

// TestNamesOfASetOfManyCollectionsAreKept: and two sets whose ids join to the same text are two.
func TestNamesOfASetOfManyCollectionsAreKept(t *testing.T) {
	r := namesReader{lists: newNameLists(), reads: map[assistants.CollectionID]int{}}
	many := slices.Repeat([]assistants.CollectionID{"coll_0123456789abcdef"}, 1000)
	r.get(t, 1, many...)
	r.get(t, 1, many...)
	if n := r.reads[many[0]]; n != 1 {
		t.Errorf("read %d times", n)
	}
	r.get(t, 1, "a b")
	r.get(t, 1, "a", "b")
	if r.reads["a b"] != 1 || r.reads["a"] != 1 {
		t.Errorf("read %v times", r.reads)
	}
}
