package support

import "slices"

// Whether the words of a part have the same order in the sentence.

// checkOrder compares the order of the words: it says who does what to whom. A passive in
// one of the two turns the order around. What follows a preposition may stand anywhere.
func (w *carrying) checkOrder() {
	turned := w.c.doerIn(w.part.first, w.part.last) != w.passiveHere()
	w.checkCases(turned)
	inversions, pairs, verb := 0, 0, w.ownerless()
	done, to := w.samePatient()
	ties := w.tiesOfMates()
	for i := range w.mates {
		if i == done || i == to || ties[i].free {
			continue
		}
		for j := i + 1; j < len(w.mates); j++ {
			a, b := &w.mates[i], &w.mates[j]
			if j == done || j == to || ties[j].free || w.mayInvert(a, b, &ties[i], &ties[j]) || b.at == verb || w.clausesMoved(a, b) {
				continue
			}
			pairs++
			if a.at > b.at {
				inversions++
				if w.complementMoved(a, b) || !turned && w.openBetween(a.last, b.tok) && w.unmatchedIn(b.end, a.at) && !w.adjunct(a) && !w.adjunct(b) {
					w.fail(otherRoles)
				}
			}
		}
	}
	if w.otherDoer() || w.otherVoice() || w.unknownDoer() || w.suffers() {
		w.fail(otherRoles)
	}
	if w.conditionsSwapped() {
		w.fail(otherRoles)
	}
	switch {
	case w.alike:
	case inversions > 0 && !turned, turned && pairs > 0 && inversions == 0 && w.bothDoers():
		w.fail(otherOrder)
	}
}

// The ties of a mate are what it belongs to in the claim and in the passage.
type ties struct {
	free           bool // it may stand anywhere
	claimed, given holding
}

// tiesOfMates finds the ties of all mates.
func (w *carrying) tiesOfMates() []ties {
	all := zeroed(w.k.tieRoom, len(w.mates))
	for i := range w.mates {
		if m := &w.mates[i]; w.free(m) {
			all[i].free = true
		} else {
			all[i].claimed, all[i].given = w.c.holdingOf(m.tok, false), w.p.holdingOf(m.at, false)
		}
	}
	w.k.tieRoom = all
	return all
}

// samePatient returns the mates that are a verb and what it is done to, where the part of the claim
// begins with the verb and the sentence names no doer: samples are taken, and takes samples. -1:
// there are none.
func (w *carrying) samePatient() (verb, patient int) {
	if w.c.language != english || w.p.language != english || w.c.doerIn(w.part.first, w.part.last) || w.passiveHere() {
		return -1, -1
	}
	for i := range w.mates {
		v := &w.mates[i]
		if v.hit < 0 || w.c.nounAt(v.tok) || w.c.contentIn(w.part.first, v.tok) > 0 {
			continue
		}
		for j := range w.mates {
			n := &w.mates[j]
			if n.hit >= 0 && j != i && w.p.undergone(n.at, v.at) && w.c.objectOf(v.tok, n.tok) {
				return i, j
			}
		}
	}
	return -1, -1
}

// otherVoice reports whether something is done to a noun in one sentence, which does it in the other
// one: the company was sued, sued the supplier.
func (w *carrying) otherVoice() bool {
	if w.c.language != english || w.p.language != english {
		return false
	}
	for i := range w.mates {
		for j := range w.mates {
			n, v := &w.mates[i], &w.mates[j]
			if i != j && n.hit >= 0 && v.hit >= 0 && (w.c.undergone(n.tok, v.tok) && w.p.actsOn(n.at, v.at) || w.p.undergone(n.at, v.at) && w.c.actsOn(n.tok, v.tok)) {
				return true
			}
		}
	}
	return false
}

// actsOn reports whether a noun stands before a verb as its subject, and an object behind it.
func (a *analysed) actsOn(noun, verb int32) bool {
	if noun >= verb {
		return false
	}
	for i := noun + 1; i < verb; i++ {
		if t := &a.tokens[i]; t.clause != a.tokens[verb].clause || t.kind != wordToken || t.is(isContent|inFact) || t.class&(classPreposition|classAnd) != 0 || a.sense(t).helps != 0 || a.means(i, meansNow) || a.means(i, meansPast) {
			return false
		}
	}
	for i := verb + 1; int(i) < len(a.tokens) && a.tokens[i].clause == a.tokens[verb].clause; i++ {
		switch t := &a.tokens[i]; {
		case t.kind != wordToken || t.class&(classPreposition|classOf|classBy|classAnd) != 0:
			return false
		case t.is(isContent):
			return !t.is(inFact) && a.nounAt(i)
		}
	}
	return false
}

// undergone reports whether nothing but a form of "be" stands between a noun and a verb behind it.
func (a *analysed) undergone(noun, verb int32) bool {
	if noun >= verb || a.tokens[noun].clause != a.tokens[verb].clause || endsWith(a.word(&a.tokens[verb]), []byte("ing")) {
		return false
	}
	be := false
	for i := noun + 1; i < verb; i++ {
		if a.tokens[i].kind != wordToken || a.tokens[i].is(isContent|inFact) || a.tokens[i].class&(classPreposition|classArticle) != 0 {
			return false
		}
		be = be || a.means(i, meansNow) || a.means(i, meansPast) || a.isWord(int(i), "be") || a.isWord(int(i), "been")
	}
	return be
}

// objectOf reports whether a noun follows a verb with nothing but small words, numbers and one word
// that describes it between them.
func (a *analysed) objectOf(verb, noun int32) bool {
	if noun <= verb || a.tokens[noun].clause != a.tokens[verb].clause {
		return false
	}
	for i := verb + 1; i < noun; i++ {
		if a.tokens[i].class&(classPreposition|classOf|classAnd|classBy) != 0 {
			return false
		}
	}
	return a.contentIn(verb+1, noun) <= 1
}

// otherDoer reports whether somebody does something in one of the two, and is only part of it in the
// other: was sent to the court by the clerk, sent to the clerk. Nor is a doer what it is done to.
func (w *carrying) otherDoer() bool {
	if (w.k.claimSays.classes|w.k.says.classes)&classBy == 0 {
		return false
	}
	for i := range w.mates {
		m := &w.mates[i]
		if m.hit < 0 || w.isRate(&w.c.tokens[m.tok]) || w.isRate(&w.p.tokens[m.at]) {
			continue
		}
		does, did := w.c.doer(m.tok), w.p.doer(m.at)
		switch {
		case does == did:
		case does && w.p.complement(m.at), did && w.c.complement(m.tok) && w.c.relationOf(m.tok) != meansFrom:
			return true
		case did && w.c.language == w.p.language && w.undergoes(m):
			return true
		}
	}
	return false
}

// complement reports whether a preposition other than "of" stands before a word.
func (a *analysed) complement(i int32) bool {
	t := a.prepositionOf(i)
	return t != nil && t.class&classOf == 0
}

// undergoes reports whether something is done to a word of the claim: "is" or "was" and the verb of
// the passive follow it.
func (w *carrying) undergoes(m *mate) bool {
	for i := m.last; i < w.part.last && !w.c.tokens[i].is(isContent|inFact); i++ {
		if w.c.means(i, meansNow) || w.c.means(i, meansPast) {
			for j := range w.mates {
				if v := &w.mates[j]; v.tok > i && v.at < m.at && v.hit >= 0 && w.c.contentIn(i, v.tok) == 0 && w.c.tokens[v.tok].raw == w.p.tokens[v.at].raw {
					return true
				}
			}
		}
	}
	return false
}

// checkReplaced looks for a word without a counterpart between two neighbours, where the sentence
// has another word between them: the council closed the pool, where it renovated the pool. Much
// of a short claim is then open.
func (w *carrying) checkReplaced() {
	for _, tok := range w.open {
		if len(w.k.terms) <= 8 && w.inPlaceOf(tok) {
			w.fail(otherWord)
		}
	}
	if w.otherPeriod() {
		w.fail(otherWord)
	}
	const short = 6 // words of a claim
	if len(w.k.terms) > short {
		return
	}
	for i := 1; i < len(w.mates) && len(w.mates) < fewWords; i++ {
		a, b := &w.mates[i-1], &w.mates[i]
		if a.end <= b.at && a.seg == b.seg && w.openBetween(a.last, b.tok) && w.otherIn(a.end, b.at) && w.isExact(a) && w.isExact(b) && !w.lackBetween(a, b) {
			w.fail(otherWord)
		}
	}
}

// otherIn reports whether a range has a word of meaning that the claim lacks, however little it says.
func (w *carrying) otherIn(first, last int32) bool {
	for i := first; i < last; i++ {
		if t := &w.p.tokens[i]; w.unmatched(i) || t.is(isContent) && !w.k.marked[i] && w.p.little(i) {
			return true
		}
	}
	return false
}

// otherPeriod reports whether the claim has a period that the sentence lacks, and the sentence another
// one: a month, where it is a year.
func (w *carrying) otherPeriod() bool {
	for _, tok := range w.open {
		if !slices.Contains(w.c.lex.periods, w.c.tokens[tok].concept) {
			continue
		}
		s := w.p.sentences[w.sentence]
		for i := s.first; i < s.last; i++ {
			if u := &w.p.tokens[i]; w.k.parts[i-s.first] == w.main && !w.k.marked[i] && u.kind == wordToken && !u.is(inFact) && slices.Contains(w.p.lex.periods, u.concept) {
				return true
			}
		}
	}
	return false
}

// inPlaceOf reports whether the sentence has another word where the claim has a word without a
// counterpart: in winter, where it is in summer; new members, where they are old.
func (w *carrying) inPlaceOf(tok int32) bool {
	for i := range w.mates {
		if m := &w.mates[i]; m.tok == tok+1 && m.hit >= 0 && m.at > 0 && w.unmatched(m.at-1) && w.p.tokens[m.at-1].clause == w.p.tokens[m.at].clause {
			return true
		}
	}
	here := w.c.prepositionOf(tok)
	if here == nil || here.class&classOf != 0 || w.isRate(&w.c.tokens[tok]) {
		return false
	}
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if there := w.p.prepositionOf(i); there != nil && there.raw == here.raw && w.unmatched(i) {
			return true
		}
	}
	return false
}

// isExact reports whether a word of the claim stands in the passage, in any form.
func (w *carrying) isExact(m *mate) bool {
	return m.hit < 0 || w.k.hits[m.hit].quality >= qualityStem
}

// openBetween reports whether a word without a counterpart stands between two of the claim.
func (w *carrying) openBetween(first, last int32) bool {
	for _, tok := range w.open {
		if tok >= first && tok < last {
			return true
		}
	}
	return false
}

// adjunct reports whether a preposition precedes a word in one of the two.
func (w *carrying) adjunct(m *mate) bool {
	return w.c.prepositionOf(m.tok) != nil || w.p.prepositionOf(m.at) != nil
}

// complementMoved reports whether the preposition before the second of two words stands before the first
// in the sentence, and neither of them has another: foxes hunt for stoats, stoats hunt for foxes.
func (w *carrying) complementMoved(a, b *mate) bool {
	here, there := w.c.prepositionOf(b.tok), w.p.prepositionOf(a.at)
	return here != nil && there != nil && here.raw == there.raw && here.class&classOf == 0 && w.c.prepositionOf(a.tok) == nil && w.p.prepositionOf(b.at) == nil &&
		w.c.contentIn(w.part.first, a.tok) == 0
}

// ownerless returns the first mate of the sentence if it has no subject but a pronoun, so that
// what it is done to can be the claim's subject: "We keep backups", backups are kept. -1: it
// has one.
func (w *carrying) ownerless() int32 {
	first := w.firstMate()
	s := w.p.sentences[w.sentence]
	pronoun := first == s.first
	for i := s.first; i < first; i++ {
		if w.k.parts[i-s.first] != w.k.parts[first-s.first] {
			continue
		}
		t := &w.p.tokens[i]
		if t.is(isContent|inFact) || t.class&(classArticle|classPreposition) != 0 {
			return -1
		}
		pronoun = pronoun || t.kind == wordToken
	}
	if !pronoun || w.p.tokens[first].is(isName|inFact) {
		return -1
	}
	return first
}

// mayInvert reports whether two words may change places without another meaning: those that
// touch, and where a verb may stand on either side of its subject, those with only small words
// between them.
func (w *carrying) mayInvert(a, b *mate, of, other *ties) bool {
	if of.claimed.has(b.tok) || other.claimed.has(a.tok) || of.given.has(b.at) || other.given.has(a.at) {
		return true // see checkOwners
	}
	if w.c.tokens[b.tok].concept == w.c.lex.trend && w.c.contentIn(a.last, b.tok) == 0 {
		return true // sales grew, the firm increased its sales
	}
	if w.c.language == english && w.c.nounAt(a.tok) && w.p.nounAt(a.at) && !w.c.ownsNext(a.tok) {
		return false
	}
	switch w.c.language {
	case english, french, german: // of which only nouns are compared
		return a.last == b.tok
	}
	return w.c.contentIn(a.last, b.tok) == 0 && !w.c.doer(b.tok) && !w.p.doer(a.at)
}

// doerIn reports whether a doer is named in a range: "by", without a value behind it.
func (a *analysed) doerIn(first, last int32) bool {
	for i := first; i < last; i++ {
		if a.passive(i, i+1) {
			next := a.token(int(i) + 1)
			if next != nil && next.kind == wordToken && !next.is(isContent|inFact) {
				next = a.token(int(i) + 2)
			}
			if next != nil && !next.is(inFact) {
				return true
			}
		}
	}
	return false
}

// passiveHere reports whether the part of the sentence with most mates names a doer.
func (w *carrying) passiveHere() bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last && w.k.says.classes&classBy != 0; i++ {
		if w.k.parts[i-s.first] == w.main && w.p.doerIn(i, i+1) {
			return true
		}
	}
	return false
}

// bothDoers reports whether the word after "by" is a mate: the doer that the other sentence
// has as its subject.
func (w *carrying) bothDoers() bool {
	for i := range w.mates {
		m := &w.mates[i]
		if m.hit >= 0 && (w.c.doer(m.tok) || w.p.doer(m.at)) {
			return true
		}
	}
	return false
}

// doer reports whether "by" precedes a word, with small words between them.
func (a *analysed) doer(i int32) bool {
	if a.tokens[i].is(isName) {
		i = a.nameStart(i)
	}
	for j := i - 1; j >= max(0, i-3) && !a.tokens[j].is(isContent|inFact); j-- {
		if a.passive(j, j+1) {
			return true
		}
	}
	return false
}

// free reports whether a word may stand anywhere without another meaning: a value, a word
// behind the same preposition in both sentences, and in German each that is not a noun.
func (w *carrying) free(m *mate) bool {
	if m.hit < 0 || w.caseShows(m) {
		return true
	}
	t := &w.c.tokens[m.tok]
	if w.c.language == german && !t.is(hasCapital) || w.isRate(t) || t.mean == meansOften || t.mean == meansCause {
		return true
	}
	here, there := w.c.prepositionOf(m.tok), w.p.prepositionOf(m.at)
	return here != nil && there != nil && (here.raw == there.raw || w.c.language != w.p.language || w.c.causeOf(m.tok) && w.p.causeOf(m.at))
}

// causeOf reports whether a word is the cause of what its clause says: because of, due to.
func (a *analysed) causeOf(i int32) bool {
	const reach = 4
	for j := i - 1; j >= max(0, i-reach) && a.tokens[j].clause == a.tokens[i].clause; j-- {
		if a.means(j, meansCause) {
			return true
		}
	}
	return false
}

// prepositionOf returns the preposition before a word in its group, nil if there is none or
// if a doer follows it. An article begins another group: on Tuesday the board.
func (a *analysed) prepositionOf(i int32) *token {
	clause, begun := a.tokens[i].clause, false
	for j := i - 1; j >= max(0, i-4) && a.tokens[j].clause == clause; j-- {
		t := &a.tokens[j]
		if t.kind != wordToken {
			return nil
		}
		c := t.class
		switch {
		case c&classBy != 0:
			return nil
		case c&classPreposition != 0:
			return t
		case c&classStop != 0 && c&classArticle == 0, t.is(isContent) && j < i-2, t.is(isContent|inFact) && begun:
			return nil
		}
		begun = begun || c&classArticle != 0 && a.language != german
	}
	return nil
}
