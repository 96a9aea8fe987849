package support

// newIndex returns an index with room for n keys.
func newIndex(n int) index {
	var x index
	x.reset(n)
	return x
}

// reset empties an index and gives it room for n keys.
func (x *index) reset(n int) {
	size := 8
	for size < n+n/2 {
		size *= 2
	}
	x.slots = zeroed(x.slots, size)
	x.mask = uint64(size - 1)
}

// find returns the slot of a key, or the free slot where it belongs.
func (x *index) find(key uint64) *slot {
	i := (key ^ key>>29) & x.mask
	for x.slots[i].at != 0 && x.slots[i].key != key {
		i = (i + 1) & x.mask
	}
	return &x.slots[i]
}

// put sets the position of a key and returns the one before, or -1.
func (x *index) put(key uint64, at int32) int32 {
	s := x.find(key)
	before := s.at - 1
	s.key, s.at = key, at+1
	return before
}

// get returns the last position that was put under a key, or -1.
func (x *index) get(key uint64) int32 {
	if len(x.slots) == 0 {
		return -1
	}
	return x.find(key).at - 1
}

// A tokenTable finds tokens with open addressing. It keeps their positions alone: what is
// looked for stands in the tokens.
type tokenTable struct {
	slots  []int32 // plus 1; 0 if free
	tokens []token
	folded []byte
}

// A wordTable finds tokens by their keys.
type wordTable struct{ tokenTable }

// get returns the first token with a key, or -1.
func (x *wordTable) get(key uint64) int32 {
	if len(x.slots) == 0 {
		return -1
	}
	return *x.find(key) - 1
}

func (x *wordTable) find(key uint64) *int32 {
	mask := uint64(len(x.slots) - 1)
	for i := (key ^ key>>29) & mask; ; i = (i + 1) & mask {
		if at := &x.slots[i]; *at == 0 || x.tokens[*at-1].key == key {
			return at
		}
	}
}

// A partTable finds tokens by as many of their letters: the first ones, or the last.
type partTable struct {
	tokenTable
	last bool
}

// get returns the first token with some letters, or -1.
func (x *partTable) get(letters []byte) int32 {
	if len(x.slots) == 0 {
		return -1
	}
	return *x.find(letters, hashOf(letters)) - 1
}

func (x *partTable) find(letters []byte, h uint64) *int32 {
	mask := uint64(len(x.slots) - 1)
	for i := (h ^ h>>29) & mask; ; i = (i + 1) & mask {
		at := &x.slots[i]
		if *at == 0 {
			return at
		}
		from := int(x.tokens[*at-1].foldStart)
		if x.last {
			from = int(x.tokens[*at-1].foldEnd) - len(letters)
		}
		if string(x.folded[from:from+len(letters)]) == string(letters) {
			return at
		}
	}
}

// slotsFor returns the size of a table with room for n tokens.
func slotsFor(n int) int {
	if n == 0 {
		return 0
	}
	size := 8
	for size < n+n/2 {
		size *= 2
	}
	return size
}

// makeTables empties the tables of a text and gives them room, all in one piece of memory.
func (a *analysed) makeTables(words, roots, shortRoots, tails int) {
	words, roots, shortRoots, tails = slotsFor(words), slotsFor(roots), slotsFor(shortRoots), slotsFor(tails)
	a.slots = zeroed(a.slots, words+roots+shortRoots+tails)
	rest := a.slots
	next := func(size int) tokenTable {
		t := tokenTable{rest[:size], a.tokens, a.folded}
		rest = rest[size:]
		return t
	}
	a.words, a.roots, a.shortRoots, a.tails = wordTable{next(words)}, partTable{next(roots), false}, partTable{next(shortRoots), false}, partTable{next(tails), true}
}

// buildIndex indexes the content words of a text. Tokens are put in reverse, so that
// those with the same key form a list in the order of the text. The words of a claim are looked
// for in passages, and its own letters are not indexed.
func (a *analysed) buildIndex(letters bool) {
	words, roots, shortRoots, tails := 0, 0, 0, 0
	for i := range a.tokens {
		t := &a.tokens[i]
		if !t.is(isContent) {
			continue
		}
		words++
		if letters && t.kind == wordToken {
			switch n := t.foldEnd - t.foldStart; {
			case n >= compoundMin:
				tails++
				fallthrough
			case n >= rootLength:
				roots++
				fallthrough
			case n >= shortRoot:
				shortRoots++
			}
		}
	}
	a.makeTables(words, roots, shortRoots, tails)
	for i := int32(len(a.tokens)) - 1; i >= 0; i-- {
		t := &a.tokens[i]
		if !t.is(isContent) {
			continue
		}
		at := a.words.find(t.key)
		t.next, *at = *at-1, i+1
		if !letters || t.kind != wordToken {
			continue
		}
		word := a.word(t)
		if len(word) < shortRoot {
			continue
		}
		h := hashOf(word[:shortRoot])
		*a.shortRoots.find(word[:shortRoot], h) = i + 1
		if len(word) >= rootLength {
			*a.roots.find(word[:rootLength], (h^uint64(word[shortRoot]))*hashPrime) = i + 1
		}
		if len(word) >= compoundMin {
			tail := word[len(word)-tailLength:]
			*a.tails.find(tail, hashOf(tail)) = i + 1
		}
	}
}

// word is a token's folded form.
func (a *analysed) word(t *token) []byte { return a.folded[t.foldStart:t.foldEnd] }
