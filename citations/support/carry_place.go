package support

// Whether the words of a part belong together in the sentence as they do in the claim.

// chooseMain finds the part of the sentence with most of the mates.
func (w *carrying) chooseMain() {
	s := w.p.sentences[w.sentence]
	best := 0
	for i := range w.mates {
		w.mates[i].seg = w.k.parts[w.mates[i].at-s.first]
	}
	for i := range w.mates {
		n := 0
		for j := range w.mates {
			if w.mates[j].seg == w.mates[i].seg {
				n++
			}
		}
		if n > best {
			best, w.main = n, w.mates[i].seg
		}
	}
}

// checkTogether looks for another subject between the words: "the landlord cleans the
// stairs", where the landlord repairs the heating and the tenant cleans the stairs.
func (w *carrying) checkTogether() {
	s := w.p.sentences[w.sentence]
	spread := false
	for i := range w.mates {
		seg := w.mates[i].seg
		spread = spread || seg != w.main
		if seg != w.main && (w.opensWithOther(seg) || w.opensWithPart(seg)) {
			w.fail(otherSubject)
		}
	}
	if spread && w.opensWithOther(w.main) {
		w.fail(otherSubject)
	}
	if spread && w.valuesApart() {
		w.fail(otherRoles)
	}
	if w.part.first > 0 && !w.opensNew() && (w.main > 0 && w.opensWithOther(w.main) || w.main == 0 && !w.opensReason() && w.takesOther()) {
		w.fail(otherSubject)
	}
	if w.part.first > 0 && w.main > 0 && w.opensNew() && len(w.mates) == 1 && w.opensWithOther(w.main) {
		w.fail(otherSubject) // and a sauna, where the spa has a sauna
	}
	if w.ofAnotherHead() {
		w.fail(otherRoles)
	}
	if w.outside > 0 && w.otherBefore(s.first, w.firstMate()) {
		w.fail(otherSubject)
	}
}

// ofAnotherHead reports whether the subject of the claim only belongs to that of the sentence: the
// bridge, where the road to the bridge was closed.
func (w *carrying) ofAnotherHead() bool {
	m := &w.mates[0]
	t := &w.p.tokens[m.at]
	if m.hit < 0 || m.at != w.firstMate() || t.is(isName) || w.c.contentIn(w.part.first, m.tok) > 0 || w.c.linkBefore(m.tok) >= 0 {
		return false
	}
	link := w.p.linkBefore(m.at)
	if link < 0 || !w.above(link-1) || w.p.tokens[link-1].clause != t.clause || w.p.classAt(int(link-1))&classGeneric != 0 || w.p.tokens[link-1].mean == meansPart {
		return false
	}
	for i := link - 2; i >= w.p.sentences[w.sentence].first && w.p.tokens[i].clause == t.clause; i-- {
		if w.p.classAt(int(i))&classArticle == 0 {
			return false
		}
	}
	return true
}

// linkBefore returns the preposition or the article of a genitive before a noun, -1 if there is
// none.
func (a *analysed) linkBefore(i int32) int32 {
	for j := i - 1; j >= max(0, i-3) && a.tokens[j].clause == a.tokens[i].clause; j-- {
		switch c := a.classAt(int(j)); {
		case c&(classPreposition|classOf) != 0 && (a.language != german || c&classArticle == 0 || j > 0 && a.tokens[j-1].is(isContent)):
			return j
		case c&classArticle == 0:
			return -1
		}
	}
	return -1
}

// valuesApart reports whether a value stands in another part of the sentence than the words of
// its part, which have a value of the same kind beside them.
func (w *carrying) valuesApart() bool {
	s := w.p.sentences[w.sentence]
	for i := range w.mates {
		v := &w.mates[i]
		if v.hit >= 0 || v.seg == w.main {
			continue
		}
		for j := range w.p.facts {
			g := &w.p.facts[j]
			if g.first >= s.first && g.first < s.last && w.k.parts[g.first-s.first] == w.main && !w.isMate(g.first) && w.rivals(v.tok, j) {
				return true
			}
		}
	}
	return false
}

// rivals reports whether a value of the passage has the kind of the claim's value at a token,
// and is another.
func (w *carrying) rivals(tok int32, j int) bool {
	for i := range w.c.facts {
		if w.c.facts[i].first == tok {
			return w.k.standing(w.p, i, j) == rival
		}
	}
	return false
}

// takesOther reports whether the sentence has, before the words of a part without a subject,
// another one than the parts before it: the mill was built and sold, where the barn was sold.
func (w *carrying) takesOther() bool {
	other, pronoun, adjunct := false, false, false
	for i := w.p.sentences[w.sentence].first; i < w.firstMate(); i++ {
		t := &w.p.tokens[i]
		switch {
		case w.k.marked[i] && t.is(isContent):
			return false
		case t.kind == wordToken && t.class&classPreposition != 0:
			adjunct = true
		case t.kind == wordToken && t.class&classPronoun != 0:
			pronoun = pronoun || !other
		case w.foreignWord(i):
			other, adjunct = other || !adjunct, false
		}
	}
	return other && !pronoun
}

// opensNew reports whether the part has a subject of its own, so far as an article shows.
func (w *carrying) opensNew() bool {
	for i := w.part.first; i < min(w.part.last, w.part.first+2); i++ {
		t := &w.c.tokens[i]
		if t.kind == wordToken && t.class&classArticle != 0 || t.is(isName) {
			return true
		}
	}
	return false
}

// opensReason reports whether the part begins with a word such as "as" or "after", which a subject
// follows.
func (w *carrying) opensReason() bool {
	m, _ := w.c.meaningAt(int(w.part.first))
	return m == meansCause || m == meansAs || m == meansIf || m.relates() || w.c.classAt(int(w.part.first))&classBreak != 0
}

// opensWithOther reports whether a part of the sentence has, before its first mate, a word
// that the claim lacks.
func (w *carrying) opensWithOther(seg int32) bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if w.k.parts[i-s.first] != seg {
			continue
		}
		if w.isMate(i) {
			return false
		}
		if w.foreignWord(i) {
			return true
		}
	}
	return false
}

// opensWithPart reports whether a part of the sentence has, before its first mate, a name of
// another part of the claim: Mia scored twice, where Zoe scored twice.
func (w *carrying) opensWithPart(seg int32) bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if w.k.parts[i-s.first] != seg {
			continue
		}
		if w.isMate(i) {
			return false
		}
		if w.k.marked[i] && w.p.tokens[i].is(isName) {
			return true
		}
	}
	return false
}

func (w *carrying) isMate(i int32) bool {
	for j := range w.mates {
		if i >= w.mates[j].at && i < w.mates[j].end {
			return true
		}
	}
	return false
}

// unmatched reports whether a word of the passage is none of the claim's.
func (w *carrying) unmatched(i int32) bool {
	return w.p.tokens[i].is(isContent) && (!w.k.marked[i] || w.opposes(i)) && !w.p.little(i)
}

// opposes reports whether a word is the opposite of one of the claim's, and no counterpart: buyer,
// where the seller is meant.
func (w *carrying) opposes(i int32) bool {
	if w.isMate(i) {
		return false
	}
	opposite := false
	for j := range w.k.hits {
		if h := &w.k.hits[j]; h.tok == i {
			if !h.opposite {
				return false
			}
			opposite = true
		}
	}
	return opposite
}

// unmatchedIn reports whether a range has a word that the claim lacks.
func (w *carrying) unmatchedIn(first, last int32) bool {
	for i := first; i < last; i++ {
		if w.unmatched(i) {
			return true
		}
	}
	return false
}

// foreignWord reports whether a word of the passage is none of the claim's and may be a
// subject.
func (w *carrying) foreignWord(i int32) bool {
	t := &w.p.tokens[i]
	switch {
	case w.unmatched(i):
		return !w.p.adverb(i) && t.mean != meansPart
	case t.kind == wordToken && !t.is(isContent|inFact):
		switch m := t.mean; m {
		case meansFew, meansNo:
			return true
		}
	}
	return false
}

// adverb reports whether the form of a word shows that it is no subject: in German the small
// letter, in English the ending of quickly.
func (a *analysed) adverb(i int32) bool {
	const shortest = 6 // letters: family and supply are nouns
	t := &a.tokens[i]
	switch a.language {
	case german:
		return t.kind == wordToken && !t.is(hasCapital|inFact)
	case english:
		return t.kind == wordToken && (t.mean == meansOften || t.end-t.start > shortest && endsWith(a.word(t), []byte("ly")))
	}
	return false
}

// otherBefore reports whether the tokens of a range have a word that the claim lacks.
func (w *carrying) otherBefore(first, last int32) bool {
	for i := first; i < last; i++ {
		if w.foreignWord(i) {
			return true
		}
	}
	return false
}

func (w *carrying) firstMate() int32 {
	first := w.mates[0].at
	for i := range w.mates {
		first = min(first, w.mates[i].at)
	}
	return first
}

// checkOrder compares the order of the words, which tells who does what to whom. A passive
// in one of the two turns it around. What follows a preposition may stand anywhere.
func (w *carrying) checkOrder() {
	turned := w.c.doerIn(w.part.first, w.part.last) != w.passiveHere()
	inversions, pairs, verb := 0, 0, w.ownerless()
	for i := range w.mates {
		if w.free(&w.mates[i]) {
			continue
		}
		for j := i + 1; j < len(w.mates); j++ {
			a, b := &w.mates[i], &w.mates[j]
			if w.free(b) || w.mayInvert(a, b) || b.at == verb {
				continue
			}
			pairs++
			if a.at > b.at {
				inversions++
				if !turned && w.openBetween(a.last, b.tok) && w.unmatchedIn(b.end, a.at) && !w.adjunct(a) && !w.adjunct(b) {
					w.fail(otherRoles)
				}
			}
		}
	}
	for i := range w.mates {
		if m := &w.mates[i]; m.hit >= 0 && w.k.claimSays.classes&classBy != 0 && w.c.doer(m.tok) && !w.p.doer(m.at) && w.p.prepositionOf(m.at) != nil {
			w.fail(otherRoles)
		}
	}
	switch {
	case inversions > 0 && !turned, turned && pairs > 0 && inversions == 0 && w.bothDoers():
		w.fail(otherOrder)
	}
}

// checkReplaced looks for a word without a counterpart between two neighbours, where the sentence
// has another word between them: the council closed the pool, where it renovated the pool. Much
// of a short claim is then open.
func (w *carrying) checkReplaced() {
	const short = 6 // words of a claim
	if len(w.k.terms) > short {
		return
	}
	for i := 1; i < len(w.mates) && len(w.mates) < fewWords; i++ {
		a, b := &w.mates[i-1], &w.mates[i]
		if a.end <= b.at && a.seg == b.seg && w.openBetween(a.last, b.tok) && w.unmatchedIn(a.end, b.at) && w.isExact(a) && w.isExact(b) {
			w.fail(otherWord)
		}
	}
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
func (w *carrying) mayInvert(a, b *mate) bool {
	switch w.c.language {
	case english, french, german: // of which only nouns are compared
		return a.last == b.tok
	}
	return w.c.contentIn(a.last, b.tok) == 0
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
	for i := s.first; i < s.last; i++ {
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
	for j := i - 1; j >= max(0, i-3) && !a.tokens[j].is(isContent|inFact); j-- {
		if a.passive(j, j+1) {
			return true
		}
	}
	return false
}

// free reports whether the place of a word tells nothing: a value, a word behind the same
// preposition in both sentences, and in German each that is not a noun.
func (w *carrying) free(m *mate) bool {
	if m.hit < 0 {
		return true
	}
	t := &w.c.tokens[m.tok]
	if w.c.language == german && !t.is(hasCapital) || w.isRate(t) || t.mean == meansOften {
		return true
	}
	here, there := w.c.prepositionOf(m.tok), w.p.prepositionOf(m.at)
	return here != nil && there != nil && (here.raw == there.raw || w.c.language != w.p.language)
}

// prepositionOf returns the preposition before a word in its group, nil if there is none or
// if a doer follows it.
func (a *analysed) prepositionOf(i int32) *token {
	clause := a.tokens[i].clause
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
		case c&classStop != 0 && c&classArticle == 0, t.is(isContent) && j < i-2:
			return nil
		}
	}
	return nil
}

// checkPolarity compares what is denied, and what may not be so.
func (w *carrying) checkPolarity() {
	opposed, reconciled := false, false
	for i := range w.mates {
		if m := &w.mates[i]; w.p.tokens[m.at].is(reserved) && !w.c.tokens[m.tok].is(reserved) && !w.saysWhen() {
			w.fail(otherReserve)
		}
		m := &w.mates[i]
		if m.hit < 0 {
			opposed = opposed || w.p.tokens[m.at].is(negated) && !w.c.tokens[m.tok].is(negated)
		} else {
			h := &w.k.hits[m.hit]
			if !w.k.agrees(w.c, w.p, h) {
				opposed = opposed || w.p.tokens[m.at].is(negated) != w.c.tokens[m.tok].is(negated) || h.opposite
			} else if h.opposite {
				reconciled = true
			}
		}
	}
	if opposed && !reconciled {
		w.fail(otherPolarity)
	}
}
