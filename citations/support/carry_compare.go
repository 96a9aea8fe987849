package support

// What is compared with what. "Higher in 2022 than in 2023" says that it was lower in 2023 than in
// 2022, and not the reverse: an opposite turns the two sides around.

// A comparison is a statement with "than", as half-open ranges of tokens: all of it, and what stands
// on the other side.
type comparison struct {
	first, last int32
	other, end  int32
}

func (x comparison) found() bool { return x.first < x.last }

// behind reports whether a token is on the other side of a comparison.
func (x comparison) behind(i int32) bool { return i >= x.other && i < x.end }

// comparisonIn finds the comparison of a range of tokens.
func (a *analysed) comparisonIn(first, last int32) comparison {
	for i := first; i < last; i++ {
		t := &a.tokens[i]
		if t.kind != wordToken {
			continue
		}
		switch s := a.sense(t); {
		case s.than && a.comparative(first, i) && !a.amountBehind(i+1) && !(i > first && (a.isWord(int(i)-1, "rather") || a.isWord(int(i)-1, "other") || a.isWord(int(i)-1, "later") && a.datedAt(i+1))):
			end := i + 1
			for end < last && a.tokens[end].clause == t.clause && a.tokens[end].class&(classAnd|classBreak) == 0 {
				end++
			}
			return comparison{first, last, i + 1, end}
		case s.compared && a.graded(first, last):
			end := i + 1
			for end < last && a.tokens[end].clause == t.clause {
				end++
			}
			return comparison{first, last, i + 1, end}
		}
	}
	return comparison{}
}

// amountBehind reports whether an amount begins at a token or behind the next one: than 300.
func (a *analysed) amountBehind(i int32) bool {
	for j := range a.facts {
		if f := &a.facts[j]; f.kind == amountFact && !(f.soft && f.value == 1) && (f.first == i || f.first == i+1 && !a.tokens[i].is(isContent)) && !f.bare {
			return true
		}
	}
	return false
}

// comparative reports whether a word such as more, higher or plus stands soon before "than".
func (a *analysed) comparative(first, than int32) bool {
	const reach = 10
	if a.language == english {
		return true
	}
	for i := than - 1; i >= max(first, than-reach); i-- {
		if a.grades(i) {
			return true
		}
	}
	return false
}

func (a *analysed) graded(first, last int32) bool {
	for i := first; i < last; i++ {
		if a.grades(i) {
			return true
		}
	}
	return false
}

// grades reports whether a word is a comparative, by itself or by its ending.
func (a *analysed) grades(i int32) bool {
	t := &a.tokens[i]
	if t.kind != wordToken {
		return false
	}
	if a.sense(t).grades {
		return true
	}
	const least = 5 // letters
	switch a.language {
	case english, german, dutch:
		return t.end-t.start >= least && !t.is(hasCapital) && endsWith(a.word(t), []byte("er"))
	case polish:
		return endsWith(a.word(t), []byte("szy")) || endsWith(a.word(t), []byte("sza")) || endsWith(a.word(t), []byte("sze"))
	}
	return false
}

// prepareComparison finds the comparison of the claim at hand.
func (k *Checker) prepareComparison(c *analysed) {
	k.compares = c.comparisonIn(0, int32(len(c.tokens)))
}

// comparedIn returns the comparison of a sentence, if the claim has one, too.
func (k *Checker) comparedIn(p *analysed, sentence int32) comparison {
	if !k.compares.found() {
		return comparison{}
	}
	if k.comparedBy != p || k.comparedAt != sentence {
		s := p.sentences[sentence]
		k.comparedBy, k.comparedAt, k.comparedWith = p, sentence, p.comparisonIn(s.first, s.last)
	}
	return k.comparedWith
}

// reversed reports whether two comparisons have opposite words, such as higher and lower, more and less.
func (k *Checker) reversed(c, p *analysed, given comparison) bool {
	opposite := false
	for i := k.compares.first; i < k.compares.last; i++ {
		t := &c.tokens[i]
		if t.concept == 0 || t.sign == 0 || hasRaw(p.tokens[given.first:given.last], t.raw) {
			continue
		}
		for j := given.first; j < given.last; j++ {
			if u := &p.tokens[j]; u.concept == t.concept && t.sign*u.sign < 0 && !hasRaw(c.tokens[k.compares.first:k.compares.last], u.raw) {
				opposite = !opposite
				break
			}
		}
	}
	if less, given := c.lessIn(k.compares), p.lessIn(given); less != given && !opposite {
		return true // saltier, less salty
	}
	return opposite
}

// lessIn reports whether a comparison has a word such as less before an adjective.
func (a *analysed) lessIn(x comparison) bool {
	for i := x.first; i < x.last; i++ {
		if t := &a.tokens[i]; t.concept == a.lex.degree && t.sign < 0 && t.kind == wordToken && !a.isWord(int(i), "fewer") {
			return true
		}
	}
	return false
}

// sides counts the words and values that stand on one side of the claim's comparison: kept on the
// same side in the sentence, and moved to the other one. What stands on both sides does not count.
func (k *Checker) sides(c, p *analysed, given comparison) (kept, moved int) {
	count := func(tok, at int32) {
		here, there := k.compares.behind(tok), given.behind(at)
		switch {
		case !here && !there:
		case here == there:
			kept++
		default:
			moved++
		}
	}
	for i := range k.hits {
		h := &k.hits[i]
		tok := k.terms[h.term].tok
		if h.tok >= given.first && h.tok < given.last && !h.opposite && !c.onBothSides(k.compares, tok) && !p.onBothSides(given, h.tok) {
			count(tok, h.tok)
		}
	}
	for _, e := range k.equal {
		if g := &p.facts[e.passage]; g.first >= given.first && g.first < given.last {
			count(c.facts[e.claim].first, g.first)
		}
	}
	return kept, moved
}

// onBothSides reports whether a word stands on both sides of a comparison.
func (a *analysed) onBothSides(x comparison, i int32) bool {
	for j := x.first; j < x.last; j++ {
		if a.tokens[j].raw == a.tokens[i].raw && x.behind(j) != x.behind(i) {
			return true
		}
	}
	return false
}

// comparesAlike reports whether the claim compares the same things as a sentence, with an opposite
// word the other way round.
func (k *Checker) comparesAlike(c, p *analysed, sentence int32) bool {
	given := k.comparedIn(p, sentence)
	if !given.found() || !k.reversed(c, p, given) {
		return false
	}
	kept, moved := k.sides(c, p, given)
	return moved > 0 && kept == 0
}

// checkComparison looks for things that have changed sides.
func (w *carrying) checkComparison() {
	given := w.k.comparedIn(w.p, w.sentence)
	if !given.found() {
		if x := w.k.compares; x.found() && x.other >= w.part.first && x.other < w.part.last && !w.saysMore() {
			w.fail(otherRoles)
		}
		return
	}
	turned := w.k.reversed(w.c, w.p, given)
	kept, moved := w.k.sides(w.c, w.p, given)
	if turned && kept > 0 || !turned && moved > 0 {
		w.fail(otherRoles)
	}
}

// saysMore reports whether the sentence compares at all: by a word such as more, rose or above.
func (w *carrying) saysMore() bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		t := &w.p.tokens[i]
		if t.kind == wordToken && (w.p.grades(i) || t.concept != 0 && (t.concept == w.p.lex.trend || t.concept == w.p.lex.degree)) {
			return true
		}
		if m, _ := w.p.meaningAt(int(i)); m.bounds() {
			return true
		}
	}
	return false
}
