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

// buildIndex indexes the content words of a text. Tokens are put in reverse, so that
// those with the same key form a list in the order of the text.
func (a *analysed) buildIndex() {
	words, roots, tails := 0, 0, 0
	for i := range a.tokens {
		t := &a.tokens[i]
		if !t.is(isContent) {
			continue
		}
		words++
		if t.kind == wordToken {
			if t.foldEnd-t.foldStart >= shortRoot {
				roots += 2
			}
			if t.foldEnd-t.foldStart >= compoundMin {
				tails++
			}
		}
	}
	a.words.reset(words)
	a.roots.reset(roots)
	a.tails.reset(tails)
	for i := int32(len(a.tokens)) - 1; i >= 0; i-- {
		t := &a.tokens[i]
		if !t.is(isContent) {
			continue
		}
		t.next = a.words.put(t.key, i)
		if t.kind != wordToken {
			continue
		}
		word := a.word(t)
		if len(word) >= rootLength {
			a.roots.put(hashOf(word[:rootLength]), i)
		}
		if len(word) >= shortRoot {
			a.roots.put(hashOf(word[:shortRoot]), i)
		}
		if len(word) >= compoundMin {
			a.tails.put(hashOf(word[len(word)-tailLength:]), i)
		}
	}
}

// word is a token's folded form.
func (a *analysed) word(t *token) []byte { return a.folded[t.foldStart:t.foldEnd] }
