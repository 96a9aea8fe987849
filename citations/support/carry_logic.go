package support

import "slices"

// What the small words of a part say: limits, modals, relations.

// checkLimits looks for a condition or another choice that the claim lacks: the pool may be used
// only after the inspection, visitors need a passport or a visa.
func (w *carrying) checkLimits() {
	const bounds = 1<<meansLeast | 1<<meansAtMost | 1<<meansMore | 1<<meansLess | 1<<meansBefore | 1<<meansFrom | 1<<meansAgainst
	if w.k.says.classes&classEither == 0 && w.k.says.means&(bounds|1<<meansOnly|1<<meansThat) == 0 {
		return
	}
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if w.p.classAt(int(i))&classEither != 0 && w.drops(i) {
			w.fail(otherQuantity)
		}
		m, size := w.p.meaningAt(int(i))
		if m.bounds() && w.narrows(i, int32(size)) {
			w.fail(otherQuantity)
		}
		if (m == meansBefore || m == meansFrom || m == meansAtMost) && (m != meansAtMost && w.k.claimSays.has(meansNow) || w.otherTense()) && w.k.parts[i-s.first] == w.main && w.p.datedAt(i+1) && !w.isMate(i+1) {
			w.fail(otherReserve) // is open until 31 March
		}
		if m == meansAgainst && !w.k.claimSays.has(meansAgainst) && w.opposesAt(i) {
			w.fail(otherPolarity)
		}
		if w.p.isOnly(i, m) && w.k.parts[i-s.first] == w.main && w.onlyOther(i, int(i)+size) {
			w.fail(otherReserve)
		}
	}
}

// opposesAt reports whether a word such as "against" stands before a word of the claim, which
// lacks it: warn patients against taking the pill.
func (w *carrying) opposesAt(i int32) bool {
	for j := i + 1; int(j) < len(w.p.tokens) && w.p.tokens[j].clause == w.p.tokens[i].clause; j++ {
		if w.isMate(j) || w.p.tokens[j].is(isContent|inFact) && !endsWith(w.p.word(&w.p.tokens[j]), []byte("ing")) {
			return w.isMate(j) && !w.p.tokens[j].is(negated)
		}
	}
	return false
}

// datedAt reports whether a date or an hour begins at a token.
func (a *analysed) datedAt(i int32) bool {
	for j := range a.facts {
		if f := &a.facts[j]; f.first == i {
			return f.kind == dateFact || f.kind == clockFact || f.kind == weekdayFact
		}
	}
	return false
}

// onlyOther reports whether "only" belongs to a word that the claim lacks. A number without a
// preposition says how much.
func (w *carrying) onlyOther(only int32, next int) bool {
	clause, behind, last := w.p.tokens[only].clause, false, true
	s := w.p.sentences[w.sentence]
	for j := int32(next); j < s.last && w.p.tokens[j].clause == clause; j++ {
		t := &w.p.tokens[j]
		if t.is(isContent | inFact) {
			if last = false; !w.isMate(j) && (behind || w.unmatched(j) && t.mean != meansOften || t.is(inFact) && t.kind == wordToken && t.class&classNumeral == 0) {
				return true
			}
		}
		behind = behind || w.p.classAt(int(j))&classPreposition != 0 || w.p.relates(int(j))
	}
	for j := only - 1; last && j >= s.first && w.p.tokens[j].clause == clause; j-- {
		if w.p.tokens[j].is(isContent | inFact) {
			return !w.isMate(j) // in standby mode only
		}
	}
	return false
}

// isOnly reports whether a token limits what it belongs to: only, or the French "que" of "ne … que".
func (a *analysed) isOnly(i int32, m meaning) bool {
	if m != meansThat || a.language != french {
		return m == meansOnly
	}
	for j := i - 1; j >= 0 && a.tokens[j].clause == a.tokens[i].clause; j-- {
		switch c := a.classAt(int(j)); {
		case c&classNegator != 0:
			return false
		case c&classNe != 0:
			return true
		}
	}
	return false
}

// ordinalAt reports whether an ordinal stands at a token.
func (a *analysed) ordinalAt(i int32) bool {
	if !a.tokens[i].is(inFact) {
		return false
	}
	for j := range a.facts {
		if f := &a.facts[j]; f.first <= i && i < f.last {
			return f.kind == ordinalFact && f.value > 1
		}
	}
	return false
}

// narrows reports whether a bound behind a word of the claim says of which things: children under
// six, firms with more than fifty employees.
func (w *carrying) narrows(i, size int32) bool {
	const oldest = 100
	at, having := i-1, false
	for at > 0 && w.p.classAt(int(at))&classPreposition != 0 {
		having = having || slices.ContainsFunc(wordsForWith, func(word string) bool { return w.p.isWord(int(at), word) })
		at--
	}
	if at < 0 || !w.isMate(at) || w.p.tokens[at].is(inFact) || w.p.tokens[at].clause != w.p.tokens[i].clause {
		return false
	}
	for j := range w.p.facts {
		f := &w.p.facts[j]
		if f.first >= i+size && f.first <= i+size+1 {
			return f.kind == amountFact && (having || (f.dim == countless || f.dim == calendar) && f.count < oldest && !f.counted) && !w.isMate(f.first)
		}
	}
	return false
}

// wordsForWith say what a thing has.
var wordsForWith = []string{"with", "mit", "avec", "con", "com", "met", "med"}

// drops reports whether the claim has one side of an "or", or both, but not the "or". Of what may
// be so, each choice may be so.
func (w *carrying) drops(or int32) bool {
	t := &w.p.tokens[or]
	s := w.p.sentences[w.sentence]
	if t.said != meansNothing || t.is(negated) || w.p.language == french && t.end-t.start > t.foldEnd-t.foldStart { // où
		return false
	}
	before, after := or-1, or+1
	for before > s.first && !w.p.tokens[before].is(isContent|inFact) {
		before--
	}
	for after < s.last-1 && !w.p.tokens[after].is(isContent|inFact) {
		after++
	}
	if after >= s.last || !w.isMate(before) && !w.isMate(after) {
		return false
	}
	for i := range w.c.tokens {
		if w.c.classAt(i)&classEither != 0 {
			return false
		}
	}
	for i := s.first; i < s.last; i++ {
		if w.p.modalAt(i) == meansMay {
			return false
		}
	}
	return true
}

func (a *analysed) relates(i int) bool {
	m, _ := a.meaningAt(i)
	return m.relates()
}

func (w *carrying) hasMate(tok int32) bool {
	for i := range w.mates {
		if tok >= w.mates[i].tok && tok < w.mates[i].last {
			return true
		}
	}
	return false
}

func (w *carrying) hasMateIn(seg int32) bool {
	for i := range w.mates {
		if w.mates[i].seg == seg {
			return true
		}
	}
	return false
}

// checkRelations compares prepositions that say when, by how much, or where: within 14 days is
// not after 14 days, and under the road not over it.
func (w *carrying) checkRelations() {
	if w.turnedAround() {
		w.fail(otherRoles)
	}
	for i := range w.mates {
		m := &w.mates[i]
		claimed, given := w.c.relationOf(m.tok), w.p.relationOf(m.at)
		switch {
		case claimed == given, claimed.directs() || given.directs():
			switch {
			case claimed == given || claimed == meansNothing || given == meansNothing:
			case m.hit < 0 && w.c.language <= german && claimed != meansFrom && given != meansFrom:
				w.fail(boundOff) // "de" is by, from and of
			default:
				w.fail(otherRelation)
			}
		case claimed == meansWithin && given == meansNothing && w.p.tokens[m.at].is(inFact), given == meansWithin && claimed == meansNothing:
		case m.hit < 0 && min(claimed, given) == meansAfter && max(claimed, given) == meansWithin:
			w.fail(boundOff) // after 30 minutes, within 30 minutes
		default:
			w.fail(otherRelation)
		}
		if m.hit >= 0 && (w.k.says.classes|w.k.claimSays.classes)&classSide != 0 && w.otherSide(m) {
			w.fail(otherRelation)
		}
	}
}

// turnedAround reports whether one value stands behind "from" in the claim and behind "to" in the sentence,
// and another the other way round.
func (w *carrying) turnedAround() bool {
	from, to := false, false
	for i := range w.mates {
		m := &w.mates[i]
		if m.hit >= 0 {
			continue
		}
		claimed, given := w.c.relationOf(m.tok), w.p.relationOf(m.at)
		from = from || claimed == meansFrom && given == meansTo
		to = to || claimed == meansTo && given == meansFrom
	}
	return from && to
}

// directs reports whether a relation says from where, to where or by how much.
func (m meaning) directs() bool {
	return m == meansFrom || m == meansTo || m == meansBy || m == meansAt
}

// otherSide reports whether the prepositions before a word say different places, and each text
// has one.
func (w *carrying) otherSide(m *mate) bool {
	if w.c.language != w.p.language {
		return false
	}
	here, place := w.c.sideOf(m.tok)
	there, given := w.p.sideOf(m.at)
	return here && there && place != given
}

// sideOf returns the place that the preposition before a word says, 0 for none in particular.
func (a *analysed) sideOf(at int32) (found bool, place float64) {
	clause := a.tokens[at].clause
	for i := at - 1; i >= max(0, at-3) && a.tokens[i].clause == clause && !a.tokens[i].is(isContent|inFact); i-- {
		switch c := a.classAt(int(i)); {
		case c&classSide != 0:
			return true, a.sense(&a.tokens[i]).num
		case c&classPreposition != 0:
			found = true
		}
	}
	return found, 0
}

// relationOf returns the relation that the preposition of a word or value expresses.
func (a *analysed) relationOf(at int32) meaning {
	clause := a.tokens[at].clause
	for i := at - 1; i >= max(0, at-3) && a.tokens[i].clause == clause; i-- {
		if a.tokens[i].is(isContent | inFact) {
			break
		}
		if m, size := a.meaningAt(int(i)); size == 1 && m.relates() && (m != meansBy && m != meansAt || a.tokens[at].is(inFact)) {
			if m == meansOnto {
				return meansTo
			}
			return m
		}
	}
	return meansNothing
}
