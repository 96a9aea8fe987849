package support

// What may stand at the beginning of a sentence or at its end, and says the same there: "For each
// day an item is late, the library charges 20 pence"; "Geht die Batterie zur Neige, piept der Melder".

// fronted reports whether one of two words that have changed their order belongs to an adjunct or a
// clause that opens the sentence in one text and stands behind the rest in the other.
func (w *carrying) fronted(a, b *mate) bool {
	return w.p.opensWith(b.at, a.at) && w.c.adjunctBetween(a.last, b.tok) || w.c.opensWith(a.tok, b.tok) && w.p.adjunctBetween(b.end, a.at) ||
		w.participleFirst(a, b)
}

// participleFirst reports whether a participle opens the sentence and is said of its subject in the
// claim: founded by Anna, the firm has 40 employees; the firm was founded by Anna.
func (w *carrying) participleFirst(a, b *mate) bool {
	first := w.p.sentences[w.sentence].first
	if !w.p.tokens[first].is(pastForm) || w.p.tokens[b.at].clause != w.p.tokens[first].clause || w.p.tokens[a.at].clause == w.p.tokens[first].clause {
		return false
	}
	for i := a.last; i < w.part.last; i++ {
		if t := &w.c.tokens[i]; t.kind == wordToken && w.c.sense(t).helps&(helperIs|helperWas|helperBeen) != 0 {
			return w.c.contentIn(a.last, i) == 0
		}
	}
	return false
}

// opensWith reports whether a word stands in what opens its sentence, up to a comma, and another one
// behind that.
func (a *analysed) opensWith(i, behind int32) bool {
	s := a.sentences[a.tokens[i].sentence]
	return behind > i && a.tokens[behind].clause != a.tokens[i].clause && a.tokens[i].clause == a.tokens[s.first].clause && a.opensAdjunct(s.first)
}

// adjunctBetween reports whether an adjunct or a clause begins in a range or just behind it.
func (a *analysed) adjunctBetween(first, last int32) bool {
	for i := first; i <= last && int(i) < len(a.tokens); i++ {
		if a.opensAdjunct(i) && a.classAt(int(i))&(classBy|classOf) == 0 {
			return true
		}
	}
	return false
}

// opensAdjunct reports whether a word begins an adjunct or a clause that depends on another one.
func (a *analysed) opensAdjunct(i int32) bool {
	t := &a.tokens[i]
	if t.kind != wordToken {
		return false
	}
	m, _ := a.meaningAt(int(i))
	return t.class&(classPreposition|classCondition|classBreak|classSide) != 0 || m.relates() || m == meansIf || m == meansCause || m == meansAs || m == meansAll && a.isRateAt(i+1)
}

// isRateAt reports whether a unit of time stands at a token: every evening, each month.
func (a *analysed) isRateAt(i int32) bool {
	if int(i) >= len(a.tokens) {
		return false
	}
	d := a.senseAt(int(i)).measure().dim
	return d == duration || d == calendar || a.means(i, meansOften)
}

// markVerbFirst marks a German verb that opens a sentence as a condition does: "Geht die Batterie zur
// Neige, piept er".
func (a *analysed) markVerbFirst() {
	if a.language != german {
		return
	}
	for _, s := range a.sentences {
		if s.last-s.first < 4 || a.asks(s) {
			continue
		}
		t, next := &a.tokens[s.first], &a.tokens[s.first+1]
		if t.kind != wordToken || next.kind != wordToken || next.class&(classArticle|classPronoun) == 0 && !a.isWord(int(s.first)+1, "man") || !a.finiteGerman(s.first) {
			continue
		}
		for i := s.first + 2; i+1 < s.last; i++ {
			if a.tokens[i].clause == t.clause {
				continue
			}
			if u := &a.tokens[i]; a.finiteGerman(i) && !u.is(hasCapital) || a.isWord(int(i), "so") {
				t.mean = meansIf
			}
			break
		}
	}
}

// finiteGerman reports whether a word may be a finite German verb, so far as its form shows.
func (a *analysed) finiteGerman(i int32) bool {
	t := &a.tokens[i]
	if t.kind != wordToken || t.class&(classArticle|classPreposition|classPronoun|classAnd|classBreak|classCondition) != 0 {
		return false
	}
	if t.class&classVerb != 0 || a.sense(t).helps != 0 || t.mean.isModal() {
		return true
	}
	word := a.word(t)
	return t.class&classStop == 0 && (endsWith(word, []byte("t")) || endsWith(word, []byte("en")) || endsWith(word, []byte("te")) || t.is(pastForm))
}
