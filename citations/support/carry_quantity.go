package support

import "math"

// Of how many things a part speaks.

// checkQuantifiers compares how many of the things are meant.
func (w *carrying) checkQuantifiers() {
	for i := w.part.first; i < w.part.last; i++ {
		m, size := w.c.meaningAt(int(i))
		if !m.quantifies() || m == meansNo || w.c.beginsPhrase(int(i)-1) || int(i)+size > int(w.part.last) {
			continue
		}
		if !w.carriesQuantifier(i+int32(size), m) {
			w.fail(otherQuantity)
		}
	}
	for i := range w.mates {
		m := &w.mates[i]
		if m.hit >= 0 && m.at > 0 && w.p.ordinalAt(m.at-1) && !w.isMate(m.at-1) {
			w.fail(otherQuantity) // the second longest
		}
		given, share := w.p.quantifierOf(m.at)
		if !given.limits() || given != meansPart && w.c.tokens[m.tok].is(inFact) || given == meansPart && w.isMate(share) {
			continue
		}
		if claimed, _ := w.c.quantifierOf(m.tok); claimed == meansNothing || claimed == meansNo {
			w.fail(otherQuantity)
		}
	}
}

// carriesQuantifier reports whether the noun after a quantifier has one in the passage that
// entails it.
func (w *carrying) carriesQuantifier(head int32, claimed meaning) bool {
	someDays := false
	for i := head; i < min(w.part.last, head+headReach); i++ {
		t := &w.c.tokens[i]
		if !t.is(isContent | inFact) {
			continue
		}
		if claimed == meansAll && w.isRate(t) && !someDays {
			if someDays = w.isDay(t) && w.onSomeDays(); !someDays {
				return true // every week, weekly
			}
		}
		for j := range w.mates {
			if m := &w.mates[j]; i >= m.tok && i < m.last {
				given, _ := w.p.quantifierOf(m.at)
				if entails(given, claimed) || claimed == meansOnly && w.noneBut(m.at) {
					return true
				}
				break
			}
		}
	}
	return w.sentenceHas(claimed)
}

// onSomeDays reports whether the sentence names a day of the week that the claim lacks: every day, where
// it is from Monday to Wednesday.
func (w *carrying) onSomeDays() bool {
	for i := range w.p.facts {
		if g := &w.p.facts[i]; g.kind == weekdayFact && w.p.tokens[g.first].sentence == w.sentence && !w.isMate(g.first) {
			return true
		}
	}
	return false
}

// isDay reports whether a word is the unit of a day.
func (w *carrying) isDay(t *token) bool {
	const day = 86400
	return w.c.sense(t).measure().factor == day && w.isRate(t)
}

// isRate reports whether a word is a unit of time.
func (w *carrying) isRate(t *token) bool {
	d := w.c.sense(t).measure().dim
	return d == duration || d == calendar
}

// sentenceHas reports whether the part of the sentence with most mates has a quantifier that
// stands alone: most of them.
func (w *carrying) sentenceHas(claimed meaning) bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if w.k.parts[i-s.first] != w.main {
			continue
		}
		m, size := w.p.meaningAt(int(i))
		if size > 0 && entails(m, claimed) {
			if next := w.p.token(int(i) + size); next == nil || !next.is(isContent) {
				return true
			}
		}
	}
	return false
}

// quantifierOf returns the quantifier before a noun and its last token: also meansPart for a share
// or a number of the things.
func (a *analysed) quantifierOf(at int32) (m meaning, share int32) {
	clause, of := a.tokens[at].clause, false
	for i := at - 1; i >= max(0, at-headReach) && a.tokens[i].clause == clause; i-- {
		m, size := a.meaningAt(int(i))
		if m.quantifies() && int(i)+size <= int(at) {
			return m, i
		}
		t := &a.tokens[i]
		switch {
		case t.is(inFact):
			if first, share := a.isShare(i, of); share {
				return meansPart, i
			} else if !of {
				return a.outOf(first) // nine out of the twelve
			}
			return meansNothing, i
		case of && m == meansPart:
			return meansPart, i
		case t.kind == wordToken && t.class&classOf != 0:
			if of = true; t.is(beginsSentence) {
				return a.shareBehind(at) // of the pumps, two failed
			}
		case t.is(isContent) && (of || i < at-1), t.kind == wordToken && t.class&(classVerb|classPreposition) != 0:
			return meansNothing, i
		}
	}
	return meansNothing, at
}

// shareBehind returns meansPart if a number follows a noun in its sentence.
func (a *analysed) shareBehind(at int32) (meaning, int32) {
	s := a.sentences[a.tokens[at].sentence]
	for i := at + 1; i < s.last; i++ {
		if a.counts(i) {
			return meansPart, i
		}
	}
	return meansNothing, at
}

// isShare reports whether a number counts out of more: half of, two of, 3 out of 10. It begins at
// the token first.
func (a *analysed) isShare(i int32, of bool) (first int32, share bool) {
	for j := range a.facts {
		if f := &a.facts[j]; f.first <= i && i < f.last {
			return f.first, f.kind == amountFact && (of || !math.IsNaN(f.ratio))
		}
	}
	return i, false
}

// counts reports whether a token is part of a number, or a word for a share.
func (a *analysed) counts(i int32) bool {
	if !a.tokens[i].is(inFact) {
		return a.means(i, meansPart)
	}
	_, share := a.isShare(i, true)
	return share
}

// outOf returns meansPart if a number and "of" stand before another number.
func (a *analysed) outOf(number int32) (meaning, int32) {
	of := false
	for i := number - 1; i >= max(0, number-headReach) && a.tokens[i].clause == a.tokens[number].clause; i-- {
		t := &a.tokens[i]
		if of && a.counts(i) {
			return meansPart, i
		}
		if of = of || t.kind == wordToken && t.class&classOf != 0; t.is(isContent | inFact) {
			break
		}
	}
	return meansNothing, number
}

// limits reports whether a quantifier is less than all of the things.
func (m meaning) limits() bool {
	return m == meansSome || m == meansFew || m == meansMost || m == meansMany || m == meansPart
}

// entails reports whether what is said of one share of the things is true of another.
func entails(given, claimed meaning) bool {
	switch {
	case given == claimed:
		return true
	case claimed == meansSome:
		return given == meansAll || given == meansMost || given == meansMany || given == meansPart
	case claimed == meansMany:
		return given == meansAll || given == meansMost
	case claimed == meansMost:
		return given == meansAll
	}
	return false
}
