package citations

// spot is where a fact or name of the claim was found.
type spot uint8

const (
	absent    spot = iota
	almost         // near a value, or less precise
	elsewhere      // in the passage, not in the sentences that match
	present
)

// factFinding is what became of a fact of the claim, over all passages.
type factFinding struct {
	best  spot
	rival bool // the matching sentences have another value of its kind
	own   bool // found in a passage of the marker itself
}

// weighFacts looks for the claim's facts in a passage that was read.
func (k *checker) weighFacts(c *analysed, r *reading, own bool) {
	p := k.passage(r.passage)
	k.takenFacts(c, p, r)
	for i := range c.facts {
		f := &c.facts[i]
		if !k.inFocus(c, f.first) {
			continue
		}
		finding := &k.facts[i]
		at, rivalled := absent, false
		for j := range p.facts {
			g := &p.facts[j]
			k.steps++
			inside := r.has(p.tokens[g.first].sentence)
			switch st := compareFacts(c, f, p, g); {
			case st == same && inside:
				at = present
			case st == same, st == near && k.yearElsewhere(f, g, p):
				at = max(at, elsewhere)
			case st == near:
				at = max(at, almost)
			case st == rival && inside && !k.taken[j]:
				rivalled = true
			}
		}
		finding.best = max(finding.best, at)
		finding.rival = finding.rival || rivalled
		if at >= elsewhere {
			finding.own = finding.own || own
			r.facts += .2
		}
	}
}

// takenFacts marks the passage's facts that the claim has: they contradict nothing.
func (k *checker) takenFacts(c, p *analysed, r *reading) {
	k.taken = zeroed(k.taken, len(p.facts))
	for j := range p.facts {
		if !r.has(p.tokens[p.facts[j].first].sentence) {
			continue
		}
		for i := range c.facts {
			k.steps++
			if compareFacts(c, &c.facts[i], p, &p.facts[j]) == same {
				k.taken[j] = true
				break
			}
		}
	}
}

// yearElsewhere lets "March 5, 2024" be a passage's "March 5" when its year
// stands in another date of the passage.
func (k *checker) yearElsewhere(f, g *fact, p *analysed) bool {
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

// doubtOfFacts is what the claim's facts say against it.
func (k *checker) doubtOfFacts(c *analysed, words float64) doubt {
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
		case !f.rival && c.facts[i].soft:
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

// nameFinding is what became of a name of the claim.
type nameFinding struct {
	best  spot
	rival bool
	sure  bool // the claim's word is a name, and so is the one in its place
}

// weighNames looks for the claim's names in a passage that was read.
func (k *checker) weighNames(c *analysed, r *reading) {
	p := k.passage(r.passage)
	rivals, sure := -1, false
	for n := range k.terms {
		t := &c.tokens[k.terms[n].tok]
		if !k.terms[n].focus || !t.is(isName|mayBeName) {
			continue
		}
		f := &k.names[n]
		switch {
		case k.mates[n] > 0:
			f.best = present
			continue
		case k.anywhere[n] > 0:
			f.best = max(f.best, elsewhere)
		case t.is(allCapitals) && p.acronymOf(c.word(t)):
			f.best = max(f.best, elsewhere)
			continue
		}
		if rivals < 0 {
			rivals, sure = k.rivalNames(p, r)
		}
		if rivals > 0 {
			f.rival = true
			f.sure = f.sure || t.is(isName) && sure
		}
	}
}

// rivalNames counts the names in the matching sentence that the claim lacks.
func (k *checker) rivalNames(p *analysed, r *reading) (count int, sure bool) {
	if r.first < 0 {
		return 0, false
	}
	s := p.sentences[r.first]
	k.marked = zeroed(k.marked, int(s.last-s.first))
	for i := range k.hits {
		if tok := k.hits[i].tok; tok >= s.first && tok < s.last {
			k.marked[tok-s.first] = true
		}
	}
	for i := s.first; i < s.last; i++ {
		if t := &p.tokens[i]; t.is(isName|mayBeName) && !k.marked[i-s.first] {
			count++
			sure = sure || t.is(isName)
		}
	}
	return count, sure
}

// doubtOfNames is what the claim's names say against it.
func (k *checker) doubtOfNames(words float64) doubt {
	worst := none
	for n := range k.names {
		f := &k.names[n]
		t := &k.claim.tokens[k.terms[n].tok]
		if !k.terms[n].focus || !t.is(isName|mayBeName) || f.best == present {
			continue
		}
		d := none
		switch {
		case f.best == elsewhere && f.rival && f.sure && words >= sameFrom:
			d = suspicion
		case f.best == elsewhere:
		case f.rival && f.sure && words >= mismatchFrom:
			d = contradict
		case t.is(isName), f.rival:
			d = suspicion
		}
		worst = max(worst, d)
	}
	return worst
}
