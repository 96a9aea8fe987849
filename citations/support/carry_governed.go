package support

import "strings"

// What a sentence says only under another word is not said by it: "postponed approving the
// bypass", "considered buying the quarry", "insists its pump is silent". The word above must be
// the claim's, too, or one that implies what it governs, such as "managed to".

const verbReach = 3 // tokens between a verb and the infinitive that it governs

// checkGoverned looks for words of the part that hang on a word which the claim lacks.
func (w *carrying) checkGoverned() {
	for i := range w.mates {
		if m := &w.mates[i]; m.hit >= 0 && (w.inInfinitive(m) || w.inObject(m) || w.inGerund(m) || w.another(m) || w.onlyNamed(m)) {
			w.fail(otherReserve)
			return
		}
	}
	if w.underThat() || w.underVerb() || w.multiplied() || w.otherCause() || w.past() {
		w.fail(otherReserve)
	}
}

// above reports whether a word of the passage may govern what follows: one that the claim lacks
// and that does not imply it.
func (w *carrying) above(i int32) bool {
	t := w.p.token(int(i))
	return t != nil && t.kind == wordToken && t.is(isContent) && !t.is(inFact) && !w.k.marked[i] && !w.p.little(i) && !w.p.holds(i) &&
		!(t.is(tells) && w.k.claimSays.marks&(tells|hearsay) != 0)
}

// holds reports whether a word implies what it governs.
func (a *analysed) holds(i int32) bool {
	m, _ := a.meaningAt(int(i))
	return m == meansHolds
}

// afterParticle reports whether a verb follows "to", "zu", "te".
func (a *analysed) afterParticle(i int32) bool {
	before, t := a.token(int(i)-1), &a.tokens[i]
	if before == nil || before.kind != wordToken || a.lex.particles[a.language] != before.raw || before.clause != t.clause || t.is(hasCapital) {
		return false
	}
	word := a.word(t)
	last := word[len(word)-1]
	switch a.language {
	case english:
		return last != 's' || endsWith(word, []byte("ss"))
	case german, dutch:
		return last == 'n'
	}
	return true
}

// inInfinitive reports whether a word is an infinitive in the passage and no infinitive in the
// claim, and what governs it there is not in the claim.
func (w *carrying) inInfinitive(m *mate) bool {
	t, u := &w.c.tokens[m.tok], &w.p.tokens[m.at]
	particle := w.p.afterParticle(m.at)
	if !particle && !u.is(infinitive) || w.c.afterParticle(m.tok) || t.is(infinitive) || w.c.language != w.p.language || t.kind != wordToken {
		return false
	}
	at := m.at
	if particle {
		at--
	} else if sameForm(w.c.word(t), w.p.word(u), w.p.language) {
		return false
	}
	for i := at - 1; i >= max(0, at-verbReach) && w.p.tokens[i].clause == u.clause; i-- {
		means, _ := w.p.meaningAt(int(i))
		if means == meansHolds || means.isModal() || w.p.isWord(int(i), "used") && w.p.classAt(int(i)-1)&classVerb != 0 {
			return false
		}
	}
	if t.raw == u.raw {
		return w.above(at - 1)
	}
	return !w.nominal(m.tok)
}

// inObject reports whether a word is what somebody only asks for or plans, by a verb that the claim
// lacks: has proposed a tax.
func (w *carrying) inObject(m *mate) bool {
	const reach = 3
	for i := m.at - 1; i >= max(0, m.at-reach) && w.p.tokens[i].clause == w.p.tokens[m.at].clause; i-- {
		t := &w.p.tokens[i]
		switch {
		case t.kind != wordToken:
			return false
		case t.mean == meansAsks && !w.k.marked[i]:
			return !w.p.nounAt(i)
		case t.is(isContent) && i < m.at-1, t.class&(classArticle|classPreposition) == 0 && !t.is(isContent):
			return false // but: applied for a permit
		}
	}
	return false
}

// sameForm reports whether two words differ as a noun and its plural do.
func sameForm(one, other []byte, l language) bool {
	const plural = 2 // letters
	shared := sharedLetters(one, other)
	if l == english || l == german {
		if len(one) != len(other) {
			longer := one
			if len(one) < len(other) {
				longer = other
			}
			switch string(longer[min(shared, len(longer)):]) {
			case "d", "ed", "te", "t", "ten":
				return false
			}
		}
	}
	if len(one) == len(other) {
		return shared >= len(one)-1 && l != spanish && l != portuguese // mare, mari; but vivir, vivió
	}
	return shared == len(other) && len(one)-len(other) <= plural
}

// nominal reports whether a word of the claim is a noun made of a verb, which does not say that
// it is done: smoking, the construction.
func (w *carrying) nominal(tok int32) bool {
	t := &w.c.tokens[tok]
	if w.c.language == german {
		return t.is(hasCapital)
	}
	word := w.c.word(t)
	if w.c.language == english && endsWith(word, []byte("ing")) {
		return w.c.classAt(int(tok)-1)&classVerb == 0
	}
	return hasNounEnding(word)
}

// inGerund reports whether a verb in -ing hangs on a word before it, where the claim has another
// form of it.
func (w *carrying) inGerund(m *mate) bool {
	ing := []byte("ing")
	return w.p.language == english && m.at > 0 && endsWith(w.p.word(&w.p.tokens[m.at]), ing) && !endsWith(w.c.word(&w.c.tokens[m.tok]), ing) &&
		w.p.tokens[m.at-1].clause == w.p.tokens[m.at].clause && !w.p.tokens[m.at-1].is(hasCapital) && w.above(m.at-1)
}

// onlyNamed reports whether the passage names an act, of which it says something else: the
// mayor's resignation was rejected.
func (w *carrying) onlyNamed(m *mate) bool {
	t, u := &w.c.tokens[m.tok], &w.p.tokens[m.at]
	if t.raw == u.raw || t.kind != wordToken || m.tok == w.part.first || w.c.language != w.p.language {
		return false
	}
	if !w.p.nounAt(m.at) || w.c.nounAt(m.tok) || w.c.prepositionOf(m.tok) != nil || sameForm(w.c.word(t), w.p.word(u), w.p.language) {
		return false
	}
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if i > m.at && w.p.tokens[i].clause == u.clause && w.p.holds(i) {
			return false // the launch was carried out
		}
		if w.k.parts[i-s.first] == m.seg && w.above(i) && w.p.prepositionOf(i) == nil && !w.p.nounAt(i) {
			return true
		}
	}
	return false
}

// nounAt reports whether an article or a possessive precedes a token.
func (a *analysed) nounAt(i int32) bool {
	before := a.token(int(i) - 1)
	if before == nil || before.kind != wordToken || before.clause != a.tokens[i].clause {
		return false
	}
	rest := a.raw[before.end:]
	return before.class&(classArticle|classPronoun) != 0 || strings.HasPrefix(rest, "'s") || strings.HasPrefix(rest, "’s")
}

// another reports whether a word makes what follows it something else: the former mayor.
func (w *carrying) another(m *mate) bool {
	return m.at > 0 && w.p.means(m.at-1, meansOther) && !(m.tok > 0 && w.c.means(m.tok-1, meansOther))
}

// means reports whether a token is a word with a meaning.
func (a *analysed) means(i int32, m meaning) bool {
	t := &a.tokens[i]
	return t.kind == wordToken && t.mean == m
}

// otherCause reports whether the claim says why, and the sentences at hand do not.
func (w *carrying) otherCause() bool {
	if !w.c.means(w.part.first, meansCause) || w.c.language != w.p.language {
		return false
	}
	first, last := w.p.sentences[max(0, w.sentence-1)].first, w.p.sentences[min(len(w.p.sentences)-1, int(w.sentence)+1)].last
	for i := first; i < last; i++ {
		if m := w.p.tokens[i].mean; m == meansCause || m == meansAfter {
			return false
		}
	}
	return true
}

// past reports whether the claim says that something is so of which the sentence says that it was.
func (w *carrying) past() bool {
	if !w.k.says.has(meansPast) || !w.k.claimSays.has(meansNow) {
		return false
	}
	now, past := false, false
	for i := w.part.first; i < w.part.last; i++ {
		now = now || w.c.means(i, meansNow)
	}
	s := w.p.sentences[w.sentence]
	for i := s.first; now && i < s.last; i++ {
		if w.k.parts[i-s.first] == w.main {
			now, past = now && !w.p.means(i, meansNow), past || w.p.means(i, meansPast)
		}
	}
	return now && past
}

// underThat reports whether words of the part stand behind a "that" which hangs on a word that
// the claim lacks.
func (w *carrying) underThat() bool {
	if !w.k.says.has(meansThat) || w.k.claimSays.has(meansThat) || !w.p.knowsHolding() {
		return false
	}
	s := w.p.sentences[w.sentence]
	for i := s.first + 1; i+1 < s.last; i++ {
		if !w.p.means(i, meansThat) || !w.governs(i) || !w.p.opensClause(i+1) {
			continue
		}
		for j := range w.mates {
			if at := w.mates[j].at; at > i {
				return true
			}
		}
	}
	return false
}

// governs reports whether the nearest word before a "that" is one that the claim lacks.
func (w *carrying) governs(that int32) bool {
	const reach = 5
	for i := that - 1; i >= max(w.p.sentences[w.sentence].first, that-reach); i-- {
		if w.p.tokens[i].is(isContent | inFact) {
			return w.above(i)
		}
	}
	return false
}

// knowsHolding reports whether the words that imply what they govern are listed: in the first
// languages only.
func (a *analysed) knowsHolding() bool { return a.language <= dutch }

// opensClause reports whether a subject begins at a token, so far as its form shows.
func (a *analysed) opensClause(i int32) bool {
	t := &a.tokens[i]
	return t.kind != wordToken || t.class&(classArticle|classPronoun) != 0 || t.is(hasCapital) || t.is(isContent)
}

// underVerb reports whether a verb that the claim lacks precedes the subject of the part: an
// English "that" may be left out.
func (w *carrying) underVerb() bool {
	first := w.firstMate()
	s := w.p.sentences[w.sentence]
	clause := w.p.tokens[first].clause
	at := first - 1
	for at > s.first && w.p.tokens[at].clause == clause && w.p.classAt(int(at))&(classArticle|classPronoun) != 0 {
		at--
	}
	if w.p.language != english || at == first-1 || at <= s.first || w.mates[0].at != first {
		return false
	}
	if w.p.tokens[at].clause != clause || w.p.classAt(int(at))&classGeneric != 0 || !w.above(at) {
		return false
	}
	start := at
	for start > s.first && w.p.tokens[start-1].clause == clause {
		start--
	}
	if w.p.classAt(int(start))&(classPreposition|classBreak) != 0 || w.p.relates(int(start)) {
		return false
	}
	return len(w.mates) > 2 || w.verbBehind(first)
}

// verbBehind reports whether an auxiliary stands between the mates of a clause.
func (w *carrying) verbBehind(first int32) bool {
	for i := first; i < w.mates[len(w.mates)-1].at; i++ {
		if w.p.classAt(int(i))&classVerb != 0 {
			return true
		}
	}
	return false
}

// multiplied reports whether the part of the sentence with most mates compares with a number that
// the claim lacks: half as much as.
func (w *carrying) multiplied() bool {
	if !w.k.says.has(meansAs) {
		return false
	}
	s := w.p.sentences[w.sentence]
	for i := s.first + 1; i < s.last; i++ {
		if t := &w.p.tokens[i]; t.mean == meansAs && t.kind == wordToken && w.p.tokens[i-1].is(inFact) && !w.isMate(i-1) && w.k.parts[i-s.first] == w.main {
			return true
		}
	}
	return false
}
