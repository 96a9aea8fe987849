package support

const (
	pronounReach = 1   // sentences
	rivalFrom    = .35 // share of words from which another name in the sentence is suspect
)

// weighFacts looks for the claim's facts in a passage.
func (k *Checker) weighFacts(c *analysed, r *reading, own bool) {
	p := k.passage(r.passage)
	k.takenFacts(p, r)
	for i := range c.facts {
		f := &c.facts[i]
		if !k.inFocus(c, f.first) {
			continue
		}
		finding := &k.facts[i]
		at, rivalled, dated := absent, false, false
		for j, st := range k.standings(p, i) {
			if st == unlike || st == rival && (rivalled || k.taken[j]) {
				continue
			}
			g := &p.facts[j]
			inside := r.has(p.tokens[g.first].sentence)
			switch {
			case st == same && inside:
				at = present
			case st == same:
				at = max(at, elsewhere)
			case st == near && k.yearElsewhere(f, g, p):
				at, dated = max(at, elsewhere), dated || inside
			case st == near:
				at = max(at, almost)
			case st == rival && inside:
				rivalled = true
			}
		}
		finding.best = max(finding.best, at)
		finding.rival = finding.rival || rivalled && !dated // closed in March 2024 and opened again in April
		if at >= elsewhere {
			finding.own = finding.own || own
			r.facts += .2
		}
	}
}

// takenFacts marks the passage's facts that the claim has; they contradict nothing.
func (k *Checker) takenFacts(p *analysed, r *reading) {
	k.taken = zeroed(k.taken, len(p.facts))
	for _, e := range k.equal {
		if r.has(p.tokens[p.facts[e.passage].first].sentence) {
			k.taken[e.passage] = true
		}
	}
}

// yearElsewhere accepts a passage's "March 5" for "March 5, 2024" if another date of
// the passage has the year.
func (k *Checker) yearElsewhere(f, g *fact, p *analysed) bool {
	if f.kind != dateFact || g.kind != dateFact || g.date.year > 0 || f.date.year == 0 {
		return false
	}
	without := f.date
	without.year = 0
	if without.compare(g.date) != agrees {
		return false
	}
	for i := range p.facts {
		if p.facts[i].kind == dateFact && p.facts[i].date.year == f.date.year {
			return true
		}
	}
	return false
}

// doubtOfFacts sums up the doubt from the claim's facts.
func (k *Checker) doubtOfFacts(c *analysed, words float64) doubt {
	worst := none
	for i := range k.facts {
		f := &k.facts[i]
		if !k.inFocus(c, c.facts[i].first) {
			continue
		}
		d := none
		switch {
		case f.best == present:
		case f.best == elsewhere && !f.rival:
		case f.best == elsewhere && words < sameFrom:
			d = suspicion
		case f.best == almost && !f.rival:
			d = suspicion
		case c.facts[i].soft && (!f.rival || c.facts[i].kind == amountFact && c.facts[i].count <= 1):
		case !f.rival, words < mismatchFrom:
			d = suspicion
		case c.facts[i].soft && words < sameFrom:
			d = suspicion
		default:
			d = contradict
		}
		worst = max(worst, d)
	}
	return worst
}

// weighNames looks for the claim's names in a passage.
func (k *Checker) weighNames(c *analysed, r *reading) {
	p := k.passage(r.passage)
	const maxAcronyms = 8
	listed, acronyms := false, 0
	for n := range k.terms {
		t := &c.tokens[k.terms[n].tok]
		f := &k.names[n]
		if k.terms[n].focus && !t.is(isName) && k.anywhere[n] == 0 {
			if k.likeWord(c, p, r, k.terms[n].tok) {
				f.rival, f.sure = true, true
				continue
			}
			f.replaced = f.replaced || k.replacedWord(c, p, r, k.terms[n].tok)
		}
		if !k.terms[n].focus || !t.is(isName|mayBeName) {
			continue
		}
		switch {
		case k.mates[n] > 0 && (p.tokens[k.hits[k.mates[n]-1].tok].sentence == r.first || f.best == present):
			f.best = present
			continue
		case k.anywhere[n] > 0 && k.firstName(c, p, r, n):
			f.best = present
			continue
		case k.anywhere[n] > 0:
			f.best = max(f.best, elsewhere)
		case t.is(allCapitals) && acronyms < maxAcronyms:
			if acronyms++; p.acronymOf(c.word(t)) {
				f.best = max(f.best, elsewhere)
				continue
			}
		}
		if !listed {
			k.listRivals(p, r)
			listed = true
		}
		for _, i := range k.others {
			inPlace := sameSurroundings(c, int(k.terms[n].tok), p, int(i))
			known := k.anywhere[n] > 0                                                 // a pronoun may stand for it
			doer := !known && t.is(beginsSentence) && p.classAt(int(i)-1)&classBy != 0 // Kowalski, where it was by Lindner
			f.rival = f.rival || doer || t.is(isName) && !known || inPlace > 1 || inPlace > 0 && c.language != german || t.is(isName|likelyName) && p.tokens[i].is(isName) && (!known || !k.spokenOf(p, r, n) && !k.byKind(c, p, r, k.terms[n].tok))
			f.sure = f.sure || t.is(isName) && p.tokens[i].is(isName) && !known || inPlace > 1
		}
	}
}

// firstName reports whether a name precedes, in the passage, one that the sentence
// has: Rafael Ortega, where the sentence only has Ortega.
func (k *Checker) firstName(c, p *analysed, r *reading, n int) bool {
	if n+1 == len(k.terms) || k.terms[n+1].tok != k.terms[n].tok+1 || k.mates[n+1] == 0 || p.tokens[k.hits[k.mates[n+1]-1].tok].sentence != r.first {
		return false
	}
	last := c.tokens[k.terms[n+1].tok].key
	for i := range k.hits {
		if h := &k.hits[i]; int(h.term) == n && int(h.tok)+1 < len(p.tokens) && p.tokens[h.tok+1].key == last {
			return true
		}
	}
	return false
}

// byKind reports whether the sentence refers to a name by its common noun: "the
// group" for Halden Marine Group.
func (k *Checker) byKind(c, p *analysed, r *reading, tok int32) bool {
	if c.language == german {
		return false
	}
	first, last := c.nameStart(tok), c.nameEnd(tok)
	for i := range k.hits {
		h := &k.hits[i]
		if at := k.terms[h.term].tok; at >= first && at <= last && p.tokens[h.tok].sentence == r.first && !p.tokens[h.tok].is(hasCapital) && c.tokens[at].is(hasCapital) {
			return true
		}
	}
	return false
}

func (a *analysed) endsSentence(i int) bool {
	next := a.token(i + 1)
	return next == nil || next.sentence != a.tokens[i].sentence
}

// replacedWord reports whether an unknown word stands between the same words where
// the passage has another word that the claim lacks. It may be a name without a
// capital.
func (k *Checker) replacedWord(c, p *analysed, r *reading, tok int32) bool {
	const enough = 3 // words around it
	word, before := &c.tokens[tok], c.token(int(tok)-1)
	noun := c.language == german && word.is(hasCapital)
	if r.first < 0 || word.concept > 0 || word.kind != wordToken || before == nil || !before.is(isContent) && !noun {
		return false
	}
	for i := p.sentences[r.first].first; i < p.sentences[r.first].last; i++ {
		k.steps++
		t := &p.tokens[i]
		if t.kind == wordToken && t.is(isContent) && t.concept == 0 && !k.marked[i] && i > 0 && p.tokens[i-1].raw == before.raw && sameSurroundings(c, int(tok), p, int(i)) >= enough {
			return true
		}
	}
	return false
}

// likeWord finds a word in the same place with the same ending and another
// beginning: velotidine, relotidine; inclusion, exclusion.
func (k *Checker) likeWord(c, p *analysed, r *reading, tok int32) bool {
	word := c.word(&c.tokens[tok])
	if len(word) < compoundMin || c.tokens[tok].kind != wordToken || r.first < 0 {
		return false
	}
	like := p.tails.get(word[len(word)-tailLength:])
	if like < 0 || k.marked[like] || p.tokens[like].sentence != r.first {
		return false
	}
	other := p.word(&p.tokens[like])
	return len(other) <= len(word)+1 && len(other)+1 >= len(word) && sameSurroundings(c, int(tok), p, int(like)) >= 2
}

// spokenOf reports whether a sentence may refer to a name of the claim by a pronoun,
// because the name stands shortly before it.
func (k *Checker) spokenOf(p *analysed, r *reading, n int) bool {
	if !p.hasPronoun(p.sentences[r.first]) {
		return false
	}
	for i := range k.hits {
		if h := &k.hits[i]; int(h.term) == n {
			if d := r.first - p.tokens[h.tok].sentence; d >= 0 && d <= pronounReach {
				return true
			}
		}
	}
	return false
}

// hasPronoun reports whether a sentence has a pronoun that can stand for a name.
func (a *analysed) hasPronoun(s textSpan) bool {
	for i := s.first; i < s.last; i++ {
		if t := &a.tokens[i]; t.kind == wordToken && t.class&classPronoun != 0 {
			return true
		}
	}
	return false
}

// sameSurroundings counts the equal words next to two tokens.
func sameSurroundings(c *analysed, i int, p *analysed, j int) int {
	n := 0
	for _, d := range [...]int{-2, -1, 1, 2} {
		t, u := c.token(i+d), p.token(j+d)
		if t != nil && u != nil && t.raw == u.raw && t.sentence == c.tokens[i].sentence && u.sentence == p.tokens[j].sentence {
			n++
		}
	}
	if c.tokens[i].is(beginsSentence) && p.tokens[j].is(beginsSentence) {
		n++
	}
	if c.endsSentence(i) && p.endsSentence(j) {
		n++
	}
	return n
}

// listRivals lists the names in the matching sentence that the claim lacks.
func (k *Checker) listRivals(p *analysed, r *reading) {
	k.others = k.others[:0]
	if r.first < 0 {
		return
	}
	s := p.sentences[r.first]
	for i := s.first; i < s.last; i++ {
		if p.tokens[i].is(isName|mayBeName) && !k.marked[i] {
			k.others = append(k.others, i)
		}
	}
}

// doubtOfNames sums up the doubt from the claim's names.
func (k *Checker) doubtOfNames(words float64) doubt {
	worst := none
	for n := range k.names {
		f := &k.names[n]
		t := &k.claim.tokens[k.terms[n].tok]
		if f.replaced && k.union[n] == 0 {
			worst = max(worst, suspicion)
		}
		if !k.terms[n].focus || !t.is(isName|mayBeName) && !f.sure || f.best == present {
			continue
		}
		d := none
		switch {
		case f.best == elsewhere && f.sure && words >= sameFrom:
			d = contradict
		case f.best == elsewhere && f.rival && words >= rivalFrom:
			d = suspicion
		case f.best == elsewhere:
		case f.sure && words >= mismatchFrom:
			d = contradict
		case t.is(isName), f.rival:
			d = suspicion
		}
		worst = max(worst, d)
	}
	return worst
}

// attach checks whether the facts and names that were found belong to the same
// words.
func (k *Checker) attach(c *analysed, r *reading) {
	if r.first < 0 || r.verbatim {
		return
	}
	p := k.passage(r.passage)
	r.attached = k.attachNames(c, p, r)
	for i := range c.facts {
		if k.facts[i].best == present && !c.facts[i].soft && k.inFocus(c, c.facts[i].first) {
			r.attached = max(r.attached, k.attachFact(c, p, r, i))
		}
	}
}
