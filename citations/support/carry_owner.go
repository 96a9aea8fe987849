package support

import "strings"

// Whose a thing is. The board rejected the proposal of the CEO: it did not reject the CEO, the CEO
// rejected nothing, and the CEO's board is another one.

// A holding is the noun that a word belongs to, as a half-open range of tokens: the proposal, of
// the CEO. It is empty if there is none.
type holding struct{ first, last int32 }

func (h holding) found() bool { return h.first < h.last }

func (h holding) has(i int32) bool { return h.first <= i && i < h.last }

// holdingOf returns the noun that a word belongs to. An adjective may stand before a word that is
// known to be a noun: of the old mill.
func (a *analysed) holdingOf(i int32, noun bool) holding {
	t := &a.tokens[i]
	if t.kind != wordToken {
		return holding{}
	}
	if a.ownsNext(i) {
		last := i + 1
		for int(last) < len(a.tokens) && last < i+3 && a.tokens[last].clause == t.clause && a.tokens[last].is(isContent) {
			last++
		}
		return holding{i + 1, last}
	}
	link := a.ofBefore(i, noun)
	if link < 1 || a.tokens[link-1].clause != t.clause || !a.headAt(link-1) {
		return holding{}
	}
	return holding{link - 1, link}
}

// ownsNext reports whether a word has the ending of an owner: Anna's, the tenants'.
func (a *analysed) ownsNext(i int32) bool {
	if a.language != english {
		return false
	}
	rest := a.raw[a.tokens[i].end:]
	if rest == "" || rest[0] != '\'' && rest[0] != "’"[0] {
		return false
	}
	return a.owns(i) || endsWith(a.word(&a.tokens[i]), []byte("s")) && (strings.HasPrefix(rest, "' ") || strings.HasPrefix(rest, "’ "))
}

// ofBefore returns the word that links a noun to the one before it: of, the article of a genitive.
// It is -1 if there is none.
func (a *analysed) ofBefore(i int32, noun bool) int32 {
	const reach = 3
	for j := i - 1; j >= max(0, i-reach) && a.tokens[j].clause == a.tokens[i].clause; j-- {
		t := &a.tokens[j]
		switch c := t.class; {
		case t.kind != wordToken:
			return -1
		case c&classOf != 0 && (a.language != german || a.genitiveAt(j)):
			return j
		case c&(classArticle|classPronoun) != 0, noun && t.is(isContent) && j == i-1 && a.language != german: // of the old mill
		case t.is(isContent) && a.language == german && !t.is(hasCapital):
		default:
			return -1
		}
	}
	return -1
}

// genitiveAt reports whether a German article stands between two nouns: der Antrag des Vereins.
func (a *analysed) genitiveAt(i int32) bool {
	before := a.token(int(i) - 1)
	return before != nil && before.kind == wordToken && before.is(isContent) && before.is(hasCapital) && before.clause == a.tokens[i].clause && !a.isWord(int(i), "von")
}

// headAt reports whether a token may be a thing that belongs to something, so far as its form and
// the words before it show: no number, no share, and no verb such as consists.
func (a *analysed) headAt(i int32) bool {
	t := &a.tokens[i]
	if t.kind != wordToken || !t.is(isContent) || t.is(inFact) || t.class&(classGeneric|classUnit) != 0 && !t.is(isName) || t.mean == meansPart || t.mean == meansCause || a.sense(t).itself {
		return false
	}
	if a.language == german {
		return t.is(hasCapital)
	}
	for j := i - 1; j >= max(0, i-2) && a.tokens[j].clause == t.clause; j-- {
		u := &a.tokens[j]
		if u.kind != wordToken || u.class&(classArticle|classPronoun|classPreposition|classOf|classBy) != 0 || a.owns(j) {
			return true
		}
		if !u.is(isContent) {
			return false
		}
	}
	return t.is(beginsSentence) || i > 0 && a.tokens[i-1].is(beginsSentence) && a.tokens[i-1].is(isContent)
}

// checkOwners compares what the words of the claim belong to.
func (w *carrying) checkOwners() {
	if w.c.language != w.p.language {
		return
	}
	for i := range w.mates {
		m := &w.mates[i]
		if m.hit < 0 {
			continue
		}
		noun := w.c.nounAt(m.tok)
		given := w.p.holdingOf(m.at, noun)
		if !given.found() {
			continue
		}
		claimed := w.c.holdingOf(m.tok, noun)
		switch {
		case claimed.found():
			if !w.sameHolding(claimed, given) {
				w.fail(otherRoles)
			}
		case w.ofOther(m, given):
			w.fail(otherRoles)
		case w.c.prepositionOf(m.tok) != nil:
			if w.holds(given) == nil && w.samePlace(m, given) {
				w.fail(otherRoles) // to the patient, to the family of the patient
			}
		case w.besides(m, given):
		case w.holds(given) == nil, w.keepsNoun(given):
			w.fail(otherRoles)
		}
	}
}

// holds returns a word of the claim that stands for one of the nouns that something belongs to in
// the passage, nil if there is none.
func (w *carrying) holds(h holding) *mate {
	for i := range w.mates {
		if m := &w.mates[i]; m.at >= h.first && m.at < h.last {
			return m
		}
	}
	return nil
}

// sameHolding reports whether a word belongs to the same noun in both, or in the claim to one that
// the sentence lacks: that may be another word for it.
func (w *carrying) sameHolding(claimed, given holding) bool {
	known := false
	for i := range w.k.hits {
		h := &w.k.hits[i]
		u := &w.p.tokens[h.tok]
		if u.sentence != w.sentence {
			continue
		}
		key := w.c.tokens[w.k.terms[h.term].tok].key
		for j := claimed.first; j < claimed.last; j++ {
			if w.c.tokens[j].key != key {
				continue
			}
			if h.tok >= given.first && h.tok < given.last && (j == claimed.first || h.tok == given.first) {
				return true
			}
			known = known || w.c.tokens[j].raw == u.raw
		}
	}
	return !known
}

// keepsNoun reports whether the claim has the noun that something belongs to in the passage as the
// same noun, and not as the verb that it comes from.
func (w *carrying) keepsNoun(h holding) bool {
	m := w.holds(h)
	t, u := &w.c.tokens[m.tok], &w.p.tokens[m.at]
	return t.raw == u.raw && !w.c.hasBetween(w.part.first, w.part.last)
}

// hasBetween reports whether a range has a verb of having: the firm has its seat in Basel.
func (a *analysed) hasBetween(first, last int32) bool {
	for i := first; i < last; i++ {
		if a.tokens[i].kind == wordToken && a.sense(&a.tokens[i]).has {
			return true
		}
	}
	return false
}

// besides reports whether a noun of the claim stands beside the one that it belongs to in the
// passage: the city council, the council of the city.
func (w *carrying) besides(m *mate, h holding) bool {
	head := w.holds(h)
	return head != nil && (head.tok == m.last || m.tok == head.last)
}

// ofOther reports whether a word stands behind "of" in the claim, but not of the noun of the claim
// that it belongs to in the passage.
func (w *carrying) ofOther(m *mate, h holding) bool {
	link, head := w.c.ofBefore(m.tok, true), w.holds(h)
	return link > 0 && head != nil && (link < head.tok || link > head.last) && w.c.tokens[link-1].kind == wordToken
}

// samePlace reports whether the preposition before a word of the claim stands before the noun that it
// belongs to in the passage. What is in a part of a place is in the place.
func (w *carrying) samePlace(m *mate, h holding) bool {
	here, there := w.c.prepositionOf(m.tok), w.p.prepositionOf(h.first)
	if h.first > m.at {
		there = w.p.prepositionOf(m.at)
	}
	if here == nil || there == nil || here.raw != there.raw || here.class&classOf != 0 {
		return false
	}
	switch string(w.c.word(here)) {
	case "in", "at", "on", "im", "am", "an", "en", "dans", "a", "em", "no", "na", "nel", "nella", "w":
		return w.ownsHere(m)
	}
	return true
}

// ownsHere reports whether a word has the ending of an owner in the passage alone.
func (w *carrying) ownsHere(m *mate) bool { return w.p.ownsNext(m.at) && !w.c.ownsNext(m.tok) }
