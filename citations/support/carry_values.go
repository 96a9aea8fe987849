package support

// Whether the numbers, dates and codes of a part are carried.

// findValues finds the counterparts of the part's numbers, dates and codes.
func (w *carrying) findValues() {
	k := w.k
	for i := range w.c.facts {
		f := &w.c.facts[i]
		if f.first < w.part.first || f.first >= w.part.last {
			continue
		}
		best, elsewhere, other := -1, false, false
		for j := range w.p.facts {
			st := k.standing(w.p, i, j)
			if st == unlike {
				continue
			}
			g := &w.p.facts[j]
			inside := w.p.tokens[g.first].sentence == w.sentence
			switch {
			case st == same && inside && (best < 0 || w.betterValue(f, g, &w.p.facts[best])):
				best = j
			case st == same || st == near && k.yearElsewhere(f, g, w.p):
				elsewhere = true
			case st == rival && inside:
				other = true
			}
		}
		switch {
		case best >= 0:
			g := &w.p.facts[best]
			w.mates = append(w.mates, mate{tok: f.first, last: f.last, at: g.first, end: g.last, hit: -1})
			if !w.sameBound(f, g) && !(f.kind == dateFact && w.k.compares.found()) {
				w.fail(boundOff)
			}
			if w.ofOtherThing(f, g) {
				w.fail(boundOff)
			}
			if !w.sameCounted(f, g) {
				w.fail(countedOff)
			}
		case elsewhere && !other && f.kind != amountFact:
			w.outside++
			w.dateOutside = w.dateOutside || f.kind == dateFact
		case f.soft && f.value == 1 && !other:
		case f.soft && !other && !(f.value > 1 && w.rated(f.last)):
			w.fail(looseEnd)
		default:
			w.fail(valueOpen)
		}
	}
}

// rated reports whether "a year" or "per year" begins at a token: twice a year is not yearly.
func (w *carrying) rated(i int32) bool {
	unit := w.c.token(int(i) + 1)
	return unit != nil && unit.kind == wordToken && w.c.tokens[i].kind == wordToken && !w.c.tokens[i].is(isContent|inFact) && w.isRate(unit)
}

// betterValue reports whether a value of the passage stands beside the same word as the
// claim's, which another equal value does not.
func (w *carrying) betterValue(f, g, than *fact) bool {
	return w.beside(f, g) > w.beside(f, than)
}

// beside counts the words next to a value of the claim that stand near a value of the passage.
func (w *carrying) beside(f, g *fact) int {
	const window = 4
	n := 0
	for _, at := range [...]int{int(f.first) - 2, int(f.first) - 1, int(f.last), int(f.last) + 1} {
		t := w.c.token(at)
		if t == nil || !t.is(isContent) {
			continue
		}
		for j := max(0, int(g.first)-window); j < int(g.last)+window; j++ {
			if u := w.p.token(j); u != nil && u.key == t.key && u.is(isContent) && u.clause == w.p.tokens[g.first].clause {
				n++
				break
			}
		}
	}
	return n
}

// sameCounted reports whether a number counts the same things in both: four lanes and two
// tracks are not two lanes.
func (w *carrying) sameCounted(f, g *fact) bool {
	if f.kind != amountFact || !f.counted || !g.counted || w.k.marked[g.last] && w.p.tokens[g.last].key == w.c.tokens[f.last].key {
		return true
	}
	if one, other := w.c.namedBy(f), w.p.namedBy(g); one != nil && other != nil && one.key == other.key {
		return true
	}
	const window = 3
	t := &w.c.tokens[f.last]
	for i := range w.k.hits {
		h := &w.k.hits[i]
		if w.k.terms[h.term].tok == f.last && h.tok >= g.first-window && h.tok < g.last+window && w.p.tokens[h.tok].clause == w.p.tokens[g.first].clause {
			return true
		}
	}
	return w.c.little(f.last) || t.is(inFact)
}

// ofOtherThing reports whether an amount is one of another thing in the sentence, which has the claim's
// thing elsewhere: 500 g of flour, 500 g of sugar and 200 g of flour.
func (w *carrying) ofOtherThing(f, g *fact) bool {
	claimed, given := w.c.thingOf(f), w.p.thingOf(g)
	if claimed < 0 || given < 0 || w.k.marked[given] || w.k.marked[min(int(given)+1, len(w.k.marked)-1)] {
		return false
	}
	for i := range w.k.hits {
		if h := &w.k.hits[i]; w.k.terms[h.term].tok == claimed && w.p.tokens[h.tok].sentence == w.sentence {
			return true
		}
	}
	return false
}

// thingOf returns the word behind an amount and "of", or right behind the amount; -1 if there is none.
func (a *analysed) thingOf(f *fact) int32 {
	i := f.last
	if f.kind != amountFact || f.dim < length || f.dim > mass {
		return -1
	}
	for int(i) < len(a.tokens) && i < f.last+2 && a.classAt(int(i))&(classOf|classArticle) != 0 {
		i++
	}
	if t := a.token(int(i)); t == nil || t.clause != a.tokens[f.first].clause || !t.is(isContent) || t.kind != wordToken || i == f.last && a.language != german {
		return -1
	}
	return i
}

// sameBound reports whether a bound such as "at least" is carried: a number carries each
// bound that includes it, but no bound carries a number.
func (w *carrying) sameBound(f, g *fact) bool {
	if w.p.compares(g) && !w.c.compares(f) {
		return false
	}
	given := g.bound
	switch f.bound {
	case given:
		return true
	case meansLeast:
		return given == meansNothing || given == meansMore
	case meansAtMost:
		return given == meansNothing || given == meansLess
	}
	return false
}

// compares reports whether a number says by how much one thing exceeds another: two hours longer
// than.
func (a *analysed) compares(f *fact) bool {
	m, size := a.meaningAt(int(f.last))
	return (m == meansMore || m == meansLess) && size == 2 && f.dim != percent
}

// boundOf returns the bound that stands before or behind a number.
func (a *analysed) boundOf(f *fact) meaning {
	for i := int(f.first) - 1; i >= max(0, int(f.first)-3) && a.tokens[i].clause == a.tokens[f.first].clause; i-- {
		if m, size := a.meaningAt(i); m.bounds() && i+size <= int(f.first) {
			return m
		}
		if a.tokens[i].is(isContent|inFact) && !a.beginsPhrase(i-1) { // "least" has a meaning of its own
			break
		}
	}
	if m, size := a.meaningAt(int(f.last)); m.bounds() && a.endsClause(int(f.last)+size-1) {
		return m
	}
	return meansNothing
}

func (a *analysed) endsClause(i int) bool {
	next := a.token(i + 1)
	return next == nil || next.clause != a.tokens[i].clause
}
