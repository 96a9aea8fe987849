package support

import (
	"slices"
	"strings"
)

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
	if spread && (w.opensWithOther(w.main) || w.opensWithPart(w.main)) {
		w.fail(otherSubject)
	}
	if spread && (w.valuesApart() || w.wordsApart()) {
		w.fail(otherRoles)
	}
	if w.part.first > 0 && !w.opensNew() && (w.main > 0 && w.opensWithOther(w.main) || w.main == 0 && !w.opensReason() && w.takesOther()) {
		w.fail(otherSubject)
	}
	if w.part.first > 0 && w.opensNew() && len(w.mates) == 1 && (w.main > 0 && w.opensWithOther(w.main) || w.main == 0 && w.takesOther()) {
		w.fail(otherSubject) // and a sauna, where the spa has a sauna
	}
	if w.ofAnotherHead() || w.eitherPerson() {
		w.fail(otherRoles)
	}
	if w.outside > 0 && w.otherBefore(s.first, w.firstMate()) || w.nameOutside && w.speaksOfAnother() || w.dateOutside && w.atAnotherTime() || w.labelsAnother() {
		w.fail(otherSubject)
	}
}

// ofAnotherHead reports whether the subject of the claim only belongs to that of the sentence: the
// bridge, where the road to the bridge was closed; Anna, where Anna's brother did it.
func (w *carrying) ofAnotherHead() bool {
	m := &w.mates[0]
	t := &w.p.tokens[m.at]
	if m.hit < 0 || m.at != w.firstMate() || w.c.contentIn(w.part.first, m.tok) > 0 || w.c.linkBefore(m.tok) >= 0 {
		return false
	}
	if w.p.owns(m.at) && !w.c.owns(m.tok) && w.above(m.at+1) {
		return true
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

// owns reports whether a word has the ending of an owner: Anna's.
func (a *analysed) owns(i int32) bool {
	rest := a.raw[a.tokens[i].end:]
	return strings.HasPrefix(rest, "'s ") || strings.HasPrefix(rest, "’s ")
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

// valuesApart reports whether a value of the claim stands in another part of the sentence than
// the claim's words, and those words have another value of the same kind.
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

// wordsApart reports whether a word of the claim stands in another part of the sentence than the claim's
// value, and that part has another value of the same kind: 5 mg for children and 10 mg for adults.
func (w *carrying) wordsApart() bool {
	s := w.p.sentences[w.sentence]
	for i := range w.mates {
		v := &w.mates[i]
		if v.hit >= 0 {
			continue
		}
		for k := range w.mates {
			m := &w.mates[k]
			if m.seg == v.seg {
				continue
			}
			for j := range w.p.facts {
				g := &w.p.facts[j]
				if g.first >= s.first && g.first < s.last && w.k.parts[g.first-s.first] == m.seg && !w.leads(m, v, g.first) && !w.claimHas(j) && w.rivals(v.tok, j) {
					return true
				}
			}
		}
	}
	return false
}

// leads reports whether a word stands before all values of the sentence, and the claim's value has a word
// of the claim in its own part: sales were 4 million in 2022 and 5 million in 2023.
func (w *carrying) leads(m, value *mate, rival int32) bool {
	return m.seg == 0 && m.at < rival && slices.ContainsFunc(w.mates, func(o mate) bool { return o.hit >= 0 && o.seg == value.seg })
}

// claimHas reports whether a value of the passage is one of the claim's.
func (w *carrying) claimHas(j int) bool {
	for i := range w.c.facts {
		if w.k.standing(w.p, i, j) == same {
			return true
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
		case w.k.marked[i] && t.is(isContent) && (!other || w.opensClaim(i)):
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

// opensClaim reports whether a token is the claim's first word.
func (w *carrying) opensClaim(i int32) bool {
	return slices.ContainsFunc(w.k.hits, func(h hit) bool { return h.term == 0 && h.tok == i })
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
// another part of the claim, or the word that one begins with: Mia scored twice, where Zoe scored
// twice; the guest pays for dinner, where the hotel pays for it.
func (w *carrying) opensWithPart(seg int32) bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if w.k.parts[i-s.first] != seg {
			continue
		}
		if w.isMate(i) {
			return false
		}
		if w.k.marked[i] && (w.p.tokens[i].is(isName) || w.beginsAnother(i)) {
			return true
		}
	}
	return false
}

// beginsAnother reports whether a word of the passage is the first of another part of the claim.
func (w *carrying) beginsAnother(i int32) bool {
	for n := range w.k.hits {
		h := &w.k.hits[n]
		tok := w.k.terms[h.term].tok
		if h.tok != i || h.opposite || tok >= w.part.first && tok < w.part.last {
			continue
		}
		for j := range w.k.claimParts {
			if part := &w.k.claimParts[j]; tok >= part.first && tok < part.last && w.c.contentIn(part.first, tok) == 0 {
				return true
			}
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

// checkPolarity compares what is denied, and what may not be so.
func (w *carrying) checkPolarity() {
	opposed, reconciled := false, false
	for i := range w.mates {
		if m := &w.mates[i]; otherSpeech(&w.c.tokens[m.tok], &w.p.tokens[m.at], w.k.claimSays.marks) && !w.saysWhen() && !w.tellsToo(w.p.tokens[m.at].marks) {
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
