package support

import "bytes"

// "The bread contains no nuts", "it is baked without nuts" and "nut-free" say the same. The first
// denies its whole clause, the others only the nuts; so the subject of a verb of having is not
// compared by what is denied, if both deny the same thing.

// findLacks marks the words before a denied verb of having, and what a word says to be missing
// whose ending says so: sugar-free, zuckerfrei.
func (a *analysed) findLacks() {
	for i := range a.tokens {
		t := &a.tokens[i]
		switch {
		case t.kind != wordToken || !t.is(negated|afterHyphen|lacking):
		case t.is(negated) && a.sense(t).has:
			for j := i - 1; j >= 0 && a.tokens[j].clause == t.clause && a.tokens[j].is(negated); j-- {
				a.tokens[j].marks |= owner
			}
		case t.is(afterHyphen) && i > 0 && len(a.withoutLack(a.word(t))) == 0:
			a.tokens[i-1].marks |= negated | denied
			t.marks &^= isContent
		case t.is(lacking) && t.entry < 0 && t.concept == 0:
			t.marks |= negated | denied
			t.key = stemHash(a.withoutLack(a.word(t)))
		}
	}
}

// findEitherWay marks the words of "is not allowed without a helmet", whose two negations cancel
// each other, so that "forbidden" does not contradict them.
func (a *analysed) findEitherWay() {
	if a.classes&classWithout == 0 {
		return
	}
	for i := range a.tokens {
		if t := &a.tokens[i]; t.kind != wordToken || t.class&classWithout == 0 || t.is(negated) {
			continue
		}
		for j := i - 1; j >= 0 && a.tokens[j].clause == a.tokens[i].clause; j-- {
			a.tokens[j].marks |= eitherWay
		}
	}
}

// mayForbid reports whether antonyms say the same because one of them stands in a sentence of two
// negations, of which the other has the second as well.
func mayForbid(c, p *analysed, t, u *token) bool {
	return t.is(eitherWay) && p.says(u.sentence, classWithout) || u.is(eitherWay) && c.says(t.sentence, classWithout)
}

// says reports whether a sentence has a word of a class.
func (a *analysed) says(sentence int32, class wordClass) bool {
	s := a.sentences[sentence]
	for i := s.first; i < s.last; i++ {
		if a.tokens[i].kind == wordToken && a.tokens[i].class&class != 0 {
			return true
		}
	}
	return false
}

// withoutLack returns a word without the ending that says that it is missing.
func (a *analysed) withoutLack(word []byte) []byte {
	for _, e := range a.lex.endings[a.language] {
		if e.says&lacking != 0 && bytes.HasSuffix(word, []byte(e.letters)) {
			return word[:len(word)-len(e.letters)]
		}
	}
	return word
}

// lackAgrees reports whether a word of the claim and its match, of which one is denied, are the
// subjects of what lacks the same thing, which stands near the one that is not denied.
func (k *Checker) lackAgrees(c, p *analysed, t, u *token) bool {
	if !t.is(owner) && !u.is(owner) {
		return false
	}
	for i := range k.hits {
		h := &k.hits[i]
		thing, there := &c.tokens[k.terms[h.term].tok], &p.tokens[h.tok]
		if h.opposite || there.sentence != u.sentence || !thing.is(negated) || !thing.is(denied) || !there.is(negated) || !there.is(denied) {
			continue
		}
		if t.is(owner) && p.near(u, there) || u.is(owner) && c.near(t, thing) {
			return true
		}
	}
	return false
}

// near reports whether one word at most stands between a word and what it lacks: is baked without
// nuts, but not: has rooms without a pool.
func (a *analysed) near(t, thing *token) bool {
	between := 0
	for i := range a.tokens {
		if u := &a.tokens[i]; u.start > t.start && u.start < thing.start && u.is(isContent) && !u.is(negated) {
			between++
		}
	}
	return t.sentence == thing.sentence && between <= 1
}

// lackBetween reports whether the words between two neighbours only say, in both, that the first
// lacks the second: contains no, is free of.
func (w *carrying) lackBetween(a, b *mate) bool {
	return w.c.tokens[b.tok].is(negated) && w.p.tokens[b.at].is(negated) && w.c.onlyHas(a.last, b.tok) && w.p.onlyHas(a.end, b.at)
}

// onlyHas reports whether all words of meaning in a range are of having.
func (a *analysed) onlyHas(first, last int32) bool {
	for i := first; i < last; i++ {
		if t := &a.tokens[i]; t.is(isContent|inFact) && !a.sense(t).has {
			return false
		}
	}
	return true
}
