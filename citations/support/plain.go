package support

// A short text may not show which of several languages it is in. If its small words belong to
// languages that are known, none of them denies anything in any, and claim and passage have the
// same words in the same order, that does not matter.

// plain reports whether the claim and the sentence at hand need no language.
func (k *Checker) plain(c *analysed, r *reading) bool {
	p := k.passage(r.passage)
	s := p.sentences[r.first]
	return c.smallWords(0, int32(len(c.tokens)), c) && p.smallWords(s.first, s.last, c) && p.goesAlong(s, c)
}

// smallWords reports whether some tokens have two small words of known languages, none that denies
// something, and no unknown word that another text lacks.
func (a *analysed) smallWords(first, last int32, other *analysed) bool {
	const least = 2
	small := 0
	for i := first; i < last; i++ {
		t := &a.tokens[i]
		e := a.lex.at(t.entry)
		switch {
		case t.kind == gramToken:
			return false
		case t.kind != wordToken:
		case e == nil:
			if !other.hasWord(t.raw) {
				return false
			}
		case a.lex.denies(e):
			return false
		case e.votes != 0:
			small++
		}
	}
	return small >= least
}

func (a *analysed) hasWord(raw uint64) bool {
	for i := range a.tokens {
		if a.tokens[i].raw == raw {
			return true
		}
	}
	return false
}

// goesAlong reports whether a sentence has the words of a claim in their order. Values are
// compared elsewhere.
func (a *analysed) goesAlong(s textSpan, claim *analysed) bool {
	at := s.first
	for i := range claim.tokens {
		t := &claim.tokens[i]
		if t.kind != wordToken || t.is(inFact) {
			continue
		}
		for at < s.last && a.tokens[at].raw != t.raw {
			at++
		}
		if at == s.last {
			return false
		}
		at++
	}
	return true
}

// deniesMore reports whether a sentence has a word that the claim lacks and that denies something in some
// language.
func (a *analysed) deniesMore(s textSpan, claim *analysed) bool {
	for i := s.first; i < s.last; i++ {
		t := &a.tokens[i]
		e := a.lex.at(t.entry)
		if e == nil || t.kind != wordToken || claim.hasWord(t.raw) {
			continue
		}
		for l := range languages {
			if a.lex.in(e, l).class&(classNegator|classNe) != 0 {
				return true
			}
		}
	}
	return false
}

// denies reports whether a word denies or limits something in some language.
func (x *lexicon) denies(e *wordEntry) bool {
	for l := range languages {
		s := x.in(e, l)
		if s.class&(classNegator|classNeNegator|classNe|classWithout|classOnly|classCondition) != 0 || !s.mean.harmless() {
			return true
		}
	}
	return false
}
