package embedded

import (
	"cmp"
	"strings"
)

// top keeps the best candidates that it is offered.
type top struct {
	limit int
	found []candidate // a heap with the worst first
}

// A candidate is a chunk with the number that orders it: a BM25 sum or a cosine.
type candidate struct {
	sum   float64
	owner *entry
	place int // of the chunk in its document
}

func newTop(limit int) *top { return &top{limit: limit, found: make([]candidate, 0, limit)} }

// least is the sum below which candidates are dropped.
func (t *top) least() float64 {
	if len(t.found) < t.limit {
		return 0
	}
	return t.found[0].sum
}

// compare orders candidates from the best to the worst.
func compare(x, y candidate) int {
	if bySum := cmp.Compare(y.sum, x.sum); bySum != 0 {
		return bySum // nearly always, and this is asked for each chunk that is found
	}
	return cmp.Or(
		strings.Compare(string(x.owner.id), string(y.owner.id)),
		cmp.Compare(x.owner.chunks[x.place].Index, y.owner.chunks[y.place].Index),
		cmp.Compare(x.place, y.place),
	)
}

func (t *top) offer(sum float64, owner *entry, place int) {
	c := candidate{sum, owner, place}
	if len(t.found) < t.limit {
		t.found = append(t.found, c)
		t.up(len(t.found) - 1)
		return
	}
	if compare(c, t.found[0]) < 0 {
		t.found[0] = c
		t.down(0)
	}
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if compare(t.found[i], t.found[parent]) <= 0 {
			return
		}
		t.found[i], t.found[parent] = t.found[parent], t.found[i]
		i = parent
	}
}

func (t *top) down(i int) {
	for {
		worst := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(t.found) && compare(t.found[child], t.found[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.found[i], t.found[worst] = t.found[worst], t.found[i]
		i = worst
	}
}
