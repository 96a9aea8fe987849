package support

// A short text may not show which of several languages it is in. If its small words belong to
// languages that are known, and none of them denies anything in any, that does not matter.

// plain reports whether the sentences at hand need no language: neither has a word that denies or
// limits something in some language, and what the passage has in no list the claim has as well.
func (k *Checker) plain(c *analysed, r *reading) bool {
	p := k.passage(r.passage)
	s := p.sentences[r.first]
	return c.smallWords(0, int32(len(c.tokens)), c) && p.smallWords(s.first, s.last, c)
}

// smallWords reports whether some tokens have two small words of known languages, none that says
// something, and no other word that another text lacks.
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
