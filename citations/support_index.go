package citations

// An index finds the tokens of a text by a key: open addressing, the first
// token of each key; others with the same key hang on it.
type index struct {
	keys []uint64
	at   []int32
}

func newIndex(n int) index {
	size := 8
	for size < 2*n {
		size *= 2
	}
	x := index{keys: make([]uint64, size), at: make([]int32, size)}
	return x
}

// slot is where a key is, or would be.
func (x *index) slot(key uint64) int {
	mask := len(x.keys) - 1
	i := int((key ^ key>>32) & uint64(mask))
	for x.at[i] != 0 && x.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

// put adds a token under a key and returns the one that was there, or -1.
func (x *index) put(key uint64, tok int32) int32 {
	i := x.slot(key)
	before := x.at[i] - 1
	x.keys[i], x.at[i] = key, tok+1
	return before
}

// get returns the token put last under a key, or -1.
func (x *index) get(key uint64) int32 {
	if len(x.keys) == 0 {
		return -1
	}
	return x.at[x.slot(key)] - 1
}

// buildIndex indexes the content words of a text. Tokens are put in reverse,
// so that chains go forward.
func (a *analysed) buildIndex() {
	a.words = newIndex(len(a.tokens))
	a.roots = newIndex(len(a.tokens))
	a.tails = newIndex(len(a.tokens))
	for i := int32(len(a.tokens)) - 1; i >= 0; i-- {
		t := &a.tokens[i]
		if !t.is(isContent) {
			continue
		}
		t.next = a.words.put(t.key, i)
		if t.kind != wordToken {
			continue
		}
		word := a.folded[t.foldStart:t.foldEnd]
		if len(word) >= rootLength {
			a.roots.put(salted(hashOf(word[:rootLength]), saltRoot), i)
		}
		if len(word) >= compoundMin {
			a.tails.put(salted(hashOf(word[len(word)-tailLength:]), saltTail), i)
		}
	}
}

// word is a token's folded form.
func (a *analysed) word(t *token) []byte { return a.folded[t.foldStart:t.foldEnd] }

// text is a token's bytes.
func (a *analysed) text(t *token) string { return a.raw[t.start:t.end] }
