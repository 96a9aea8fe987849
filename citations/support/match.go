package support

const (
	qualityStem     = .95
	qualitySynonym  = .85
	qualityRoot     = .75
	qualityCompound = .6
	minNameLetters  = 3  // letters that a name shares at least with another form of it
	maxHits         = 48 // tokens of a passage that one word of a claim is compared with
)

// lookUp adds the hits of a claim's token in a passage.
func (k *Checker) lookUp(c *analysed, n int32, p *analysed) {
	t := &c.tokens[k.terms[n].tok]
	if k.addHits(t, n, p, p.words.get(t.key), 0) || t.kind != wordToken || k.addSecondHits(c, t, n, p) {
		return
	}
	word := c.word(t)
	if tok := p.findByRoot(word); tok >= 0 && (!t.is(isName) || len(word) > rootLength) {
		k.addHits(t, n, p, tok, qualityRoot)
		return
	}
	if len(word) >= tailLength { // Wachstum in Umsatzwachstum
		tok := p.tails.get(word[len(word)-tailLength:])
		if tok >= 0 && endsWith(p.word(&p.tokens[tok]), word) && !isNegating(p.word(&p.tokens[tok]), word) {
			k.addHits(t, n, p, tok, qualityCompound)
			return
		}
	}
	if t.is(isName) {
		return
	}
	if len(word) >= compoundMin { // Umsatzwachstum where Wachstum stands
		for cut := 4; cut <= len(word)-rootLength; cut++ {
			if tok := p.findByRoot(word[cut:]); tok >= 0 && !isNegating(word, word[cut:]) {
				k.addHits(t, n, p, tok, qualityCompound)
				return
			}
		}
	}
	k.matchPrefixed(t, word, n, p)
}

// addHits adds a token and the others with its key as hits of term n, and reports
// whether there were any. With quality 0 it finds the quality of each by comparing.
func (k *Checker) addHits(t *token, n int32, p *analysed, tok int32, quality float64) bool {
	found := false
	for count := 0; tok >= 0 && count < maxHits; count++ {
		other := &p.tokens[tok]
		if k.claim.onlySynonyms(t, p, other) {
			tok = other.next
			continue
		}
		q := quality
		switch {
		case q > 0:
		case t.raw == other.raw:
			q = 1
		case t.concept > 0:
			q = qualitySynonym
		default:
			q = qualityStem
		}
		k.hits = append(k.hits, hit{n, tok, other.sentence, t.concept == other.concept && t.sign*other.sign < 0, q})
		tok, found = other.next, true
		k.steps++
	}
	return found
}

// addSecondHits adds the words of the second group that a word belongs to: built, where the passage
// has manufactured.
func (k *Checker) addSecondHits(c *analysed, t *token, n int32, p *analysed) bool {
	s := c.sense(t)
	if s.also == 0 || t.is(isName) {
		return false
	}
	found := false
	tok := p.words.get(salted(uint64(s.also), saltConcept))
	for count := 0; tok >= 0 && count < maxHits; count++ {
		if other := &p.tokens[tok]; other.sign == s.side {
			k.hits = append(k.hits, hit{n, tok, other.sentence, false, qualitySynonym})
			found = true
		}
		tok = p.tokens[tok].next
		k.steps++
	}
	return found
}

// onlySynonyms reports whether t is a name and u at most a synonym of it. They do not
// match, because names have no synonyms.
func (a *analysed) onlySynonyms(t *token, b *analysed, u *token) bool {
	return t.concept > 0 && t.is(isName|mayBeName) && !t.is(allCapitals) && !a.commonWord(t) && sharedLetters(a.word(t), b.word(u)) < minNameLetters
}

// findByRoot returns a word with the same beginning, which is long enough for both to
// belong to the same family; -1 if there is none.
func (a *analysed) findByRoot(word []byte) int32 {
	for _, n := range [...]int{rootLength, shortRoot} {
		if len(word) < n {
			continue
		}
		starts := &a.roots
		if n == shortRoot {
			starts = &a.shortRoots
		}
		tok := starts.get(word[:n])
		if tok < 0 {
			continue
		}
		other := a.word(&a.tokens[tok])
		shared := sharedLetters(word, other)
		if shared*10 >= 7*min(len(word), len(other)) && shared*10 >= 4*max(len(word), len(other)) {
			return tok
		}
	}
	return -1
}

func endsWith(word, tail []byte) bool {
	return len(word) > len(tail) && string(word[len(word)-len(tail):]) == string(tail)
}
