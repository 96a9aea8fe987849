package support

// A right number next to the wrong word is wrong: "revenue fell to 190 million" if
// revenue is 4.2 billion and cash flow fell to 190 million. So the words of the
// claim vote: which value of the kind is nearest to each of them, in the claim and
// in the passage? A word that is nearest to another value in the passage votes
// against the claim.

// Distances between words, by what separates them.
const (
	stepAnd      = 2
	stepClause   = 4
	stepSentence = 30
)

// place gives every token its distance from the beginning of the text and the number
// of its part of the sentence. Parts end at commas and at words like "while", not at
// brackets.
func (a *analysed) place() {
	at, part := int32(0), uint16(0)
	for i := range a.tokens {
		t := &a.tokens[i]
		at++
		if i > 0 {
			last := &a.tokens[i-1]
			switch {
			case t.sentence != last.sentence:
				at, part = at+stepSentence, part+1
			case t.clause != last.clause && !a.isBracket(t.clause), t.kind == wordToken && t.class&classBreak != 0 && a.language != german: // eignet sich aber nicht
				at, part = at+stepClause, part+1
			case t.kind == wordToken && t.class&classAnd != 0:
				at += stepAnd
			}
		}
		t.at, t.part = at, part
	}
}

// isBracket reports whether a bracket begins a clause.
func (a *analysed) isBracket(clause int32) bool {
	if int(clause) >= len(a.clauses) {
		return false
	}
	c := a.raw[a.clauses[clause].start]
	return c == '(' || c == ')' || c == '[' || c == ']'
}

func (a *analysed) distance(first, last, tok int32) int32 {
	at := a.tokens[tok].at
	switch from, to := a.tokens[first].at, a.tokens[last-1].at; {
	case at < from:
		return from - at
	case at > to:
		return at - to
	}
	return 0
}

const farAway = 1 << 20

// nearest returns the distance from a token to the nearest fact of a list.
func (a *analysed) nearest(facts []int32, tok int32) int32 {
	best := int32(farAway)
	for _, i := range facts {
		best = min(best, a.distance(a.facts[i].first, a.facts[i].last, tok))
	}
	return best
}

// ballot counts votes.
type ballot struct {
	pro, con, name float64
	beside         bool // a word of the claim stands next to its value, in a list of such values
}

const maxCandidates = 24

// attachFact reports whether a fact of the claim belongs to other words in the
// passage.
func (k *Checker) attachFact(c, p *analysed, r *reading, i int) doubt {
	f := &c.facts[i]
	k.equals, k.rivals, k.others = k.equals[:0], k.rivals[:0], k.others[:0]
	for j, st := range k.standings(p, i) {
		g := &p.facts[j]
		if st != same && st != rival || !r.has(p.tokens[g.first].sentence) {
			continue
		}
		switch {
		case st == same && len(k.equals) < maxCandidates:
			k.equals = append(k.equals, int32(j))
		case st == rival && !g.soft && len(k.rivals) < maxCandidates:
			k.rivals = append(k.rivals, int32(j))
		}
	}
	if len(k.rivals) == 0 || len(k.equals) == 0 || k.namesTheSame(c, p, f) {
		return none
	}
	for j := range c.facts {
		if g := &c.facts[j]; j != i && len(k.others) < maxCandidates && g.kind == f.kind && g.dim == f.dim {
			k.others = append(k.others, int32(j))
		}
	}
	var b ballot
	k.wordsVote(c, p, r, f, &b)
	k.factsVote(c, p, r, i, &b)
	switch {
	case b.con >= 1 && b.con > 1.5*b.pro && !b.beside:
		return contradict
	case b.con >= 1 && b.con > 1.5*b.pro, b.con > b.pro && b.con > genericWeight, b.name > 0:
		return suspicion
	}
	return none
}

// namesTheSame reports whether a number names what stands before it in both texts, version 4.2, and
// no other one of these is named in the passage. Then it does not belong to the words behind it.
func (k *Checker) namesTheSame(c, p *analysed, f *fact) bool {
	named := c.namedBy(f)
	if named == nil {
		return false
	}
	for _, i := range k.equals {
		if by := p.namedBy(&p.facts[i]); by == nil || by.key != named.key {
			return false
		}
	}
	for _, i := range k.rivals {
		if by := p.token(int(p.facts[i].first) - 1); by != nil && by.kind == wordToken && by.key == named.key {
			return false
		}
	}
	return true
}

// namedBy returns the word before a number that it names a thing with: Version 4.2, Table 3. It is
// nil if the number has a unit, or the word has no capital of its own.
func (a *analysed) namedBy(f *fact) *token {
	if f.kind != amountFact || f.dim != 0 || f.first == 0 || a.language == german {
		return nil
	}
	t := &a.tokens[f.first-1]
	if t.kind != wordToken || !t.is(isContent) || !t.is(hasCapital) || t.clause != a.tokens[f.first].clause {
		return nil
	}
	return t
}

// wordsVote lets the words of the claim vote on fact f.
func (k *Checker) wordsVote(c, p *analysed, r *reading, f *fact, b *ballot) {
	for from := 0; from < len(k.hits); {
		n := k.hits[from].term
		pro, con := int32(farAway), int32(farAway)
		to := from
		for ; to < len(k.hits) && k.hits[to].term == n; to++ {
			tok := k.hits[to].tok
			if k.hits[to].sentence == r.first {
				pro = min(pro, p.nearest(k.equals, tok))
				con = min(con, p.nearest(k.rivals, tok))
				k.steps += len(k.equals) + len(k.rivals)
			}
		}
		from = to
		t := &k.terms[n]
		here := c.distance(f.first, f.last, t.tok)
		if c.tokens[t.tok].next >= 0 || k.ofBoth(c, f, t.tok) {
			continue // the word occurs twice, or is said of all values
		}
		if pro == con || pro >= stepSentence && con >= stepSentence || here >= c.nearest(k.others, t.tok) {
			continue
		}
		weight := t.weight / (1 + float64(here)/6)
		if pro < con {
			b.pro += weight
			b.beside = b.beside || pro <= stepAnd && con > stepClause && p.continues(k.equals)
			continue
		}
		b.con += weight
		if (c.tokens[t.tok].is(isName) || n == 0) && con <= stepClause && pro > con+stepClause {
			b.name += weight
		}
	}
}

// ofBoth reports whether a word stands before, or after, a fact and the others of
// its kind, so that it may belong to all of them.
func (k *Checker) ofBoth(c *analysed, f *fact, tok int32) bool {
	if len(k.others) == 0 {
		return false
	}
	for _, i := range k.others {
		if (tok < f.first) != (tok < c.facts[i].first) {
			return false
		}
	}
	return true
}

// factsVote lets the other facts of the claim vote on fact i.
func (k *Checker) factsVote(c, p *analysed, r *reading, i int, b *ballot) {
	f := &c.facts[i]
	for j := range c.facts {
		g := &c.facts[j]
		if g.kind == f.kind && g.dim == f.dim || k.ofBoth(c, f, g.first) {
			continue
		}
		pro, con := int32(farAway), int32(farAway)
		for _, e := range k.equal {
			h := &p.facts[e.passage]
			if int(e.claim) == j && r.has(p.tokens[h.first].sentence) {
				pro = min(pro, p.nearest(k.equals, h.first), p.nearest(k.equals, h.last-1))
				con = min(con, p.nearest(k.rivals, h.first), p.nearest(k.rivals, h.last-1))
			}
		}
		here := min(c.distance(f.first, f.last, g.first), c.distance(f.first, f.last, g.last-1))
		if pro == con || here >= min(c.nearest(k.others, g.first), c.nearest(k.others, g.last-1)) {
			continue
		}
		if weight := factWeight / (1 + float64(here)/6); pro < con {
			b.pro += weight
		} else {
			b.con += weight
		}
	}
}

// attachNames reports whether the claim's names have exchanged their places, or one
// has the place of another name.
func (k *Checker) attachNames(c, p *analysed, r *reading) doubt {
	if r.first < 0 || k.comparesAlike(c, p, r.first) {
		return none
	}
	k.listNames(c, p)
	worst := k.swappedRoles(c, p)
	worst = max(worst, k.swappedNames(c, p, r), k.misplacedNames(c, p, r))
	for n := range k.phrases {
		worst = max(worst, k.displacedName(c, p, r, n), k.otherTitle(c, p, n))
	}
	return worst
}

// listNames collects the names of the claim that the passage has.
func (k *Checker) listNames(c, p *analysed) {
	k.phrases = k.phrases[:0]
	for n := range k.terms {
		tok := k.terms[n].tok
		t := &c.tokens[tok]
		if !t.is(isName) && !(t.is(mayBeName) && k.mates[n] > 0 && p.tokens[k.hits[k.mates[n]-1].tok].is(isName)) {
			continue
		}
		if last := len(k.phrases) - 1; last >= 0 && k.phrases[last].last == tok && !t.is(afterSlash) && c.tokens[tok-1].clause == t.clause {
			k.phrases[last].last = tok + 1
			if k.phrases[last].mate < 0 && k.mates[n] > 0 {
				k.phrases[last].mate = k.hits[k.mates[n]-1].tok
			}
			continue
		}
		if len(k.phrases) == maxCandidates {
			break
		}
		ph := phrase{tok, tok + 1, -1}
		if ph.mate = k.anyHit(n); k.mates[n] > 0 {
			ph.mate = k.hits[k.mates[n]-1].tok
		}
		k.phrases = append(k.phrases, ph)
	}
	kept := k.phrases[:0]
	for _, ph := range k.phrases {
		if ph.mate >= 0 {
			kept = append(kept, ph)
		}
	}
	k.phrases = kept
}

// anyHit returns a token of the passage that matches a term, -1 if there is none.
func (k *Checker) anyHit(n int) int32 {
	if k.anywhere[n] > 0 {
		for i := range k.hits {
			if int(k.hits[i].term) == n {
				return k.hits[i].tok
			}
		}
	}
	return -1
}

// swappedRoles finds "B bought A", or "A was bought by B", where the claim has "A bought B".
func (k *Checker) swappedRoles(c, p *analysed) doubt {
	worst := none
	for i := 0; i+1 < len(k.phrases); i++ {
		a, b := k.phrases[i], k.phrases[i+1]
		if p.tokens[a.mate].sentence != p.tokens[b.mate].sentence {
			continue
		}
		from, to := min(a.mate, b.mate), max(a.mate, b.mate)
		for n := range k.terms {
			t := k.terms[n].tok
			if k.mates[n] == 0 || t < a.last || t >= b.first {
				continue
			}
			m := k.hits[k.mates[n]-1].tok
			here, there := c.tokens[a.first].part == c.tokens[b.first].part, p.tokens[a.mate].part == p.tokens[b.mate].part
			switch {
			case m <= from || m >= to || !here && !there:
			case from == b.mate && c.passive(a.last, b.first) == p.passive(from, to):
				if here && there {
					return contradict
				}
				worst = suspicion
			case from == a.mate && c.passive(t, b.first) != p.passive(m, to):
				worst = suspicion // "by" may also be a place
			}
		}
	}
	return worst
}

// turned reports whether one sentence says in the passive what the other says in the
// active: in one of them a doer is named between a word and a name, and only there a
// preposition precedes the name.
func (k *Checker) turned(c, p *analysed, here, name, there, mate int32) bool {
	return p.tokens[there].sentence == p.tokens[mate].sentence && c.hasRole(name) != p.hasRole(p.nameStart(mate)) &&
		c.passive(min(here, name), max(here, name)) != p.passive(min(there, mate), max(there, mate))
}

// passive reports whether a doer is named between two tokens: "by".
func (a *analysed) passive(first, last int32) bool {
	for i := first; i < last; i++ {
		if a.tokens[i].kind == wordToken && a.tokens[i].class&classBy != 0 {
			return true
		}
	}
	return false
}

// swappedNames lets words vote which of the claim's names they belong to. A claim in
// other words may order the names differently; with the same words, another order
// says something else.
func (k *Checker) swappedNames(c, p *analysed, r *reading) doubt {
	if len(k.phrases) < 2 {
		return none
	}
	pro, con := 0.0, 0.0
	for n := range k.terms {
		t := &k.terms[n]
		if k.mates[n] == 0 || c.tokens[t.tok].is(isName) || !t.focus {
			continue
		}
		m := k.hits[k.mates[n]-1].tok
		here := nearestPhrase(c, k.phrases, t.tok, false)
		there := nearestPhrase(p, k.phrases, m, true)
		switch {
		case here < 0 || there < 0 || !r.has(p.tokens[m].sentence):
		case (t.tok < k.phrases[here].first) != (m < k.phrases[here].mate) && k.turned(c, p, t.tok, k.phrases[here].first, m, k.phrases[here].mate):
		case here == there:
			pro += t.weight
		case p.oneGroup(k.phrases[here].mate, k.phrases[there].mate):
		default:
			con += t.weight
		}
	}
	if con >= 1 && con >= pro && r.share >= sameWords {
		return suspicion
	}
	return none
}

// oneGroup reports whether only small words stand between two names: the University of Leiden.
func (a *analysed) oneGroup(one, other int32) bool {
	const most = 2
	first, last := a.nameEnd(min(one, other)), a.nameStart(max(one, other))
	for i := first; i < last; i++ {
		if i-first >= most || a.tokens[i].is(isContent|inFact) || a.tokens[i].clause != a.tokens[first-1].clause || a.classAt(int(i))&classAnd != 0 {
			return false
		}
	}
	return true
}

// nearestPhrase returns the phrase nearest to a token, -1 if two are equally near.
func nearestPhrase(a *analysed, phrases []phrase, tok int32, mates bool) int {
	best, second, which := int32(farAway), int32(farAway), -1
	for i, ph := range phrases {
		first, last := ph.first, ph.last
		if mates {
			first, last = a.nameStart(ph.mate), a.nameEnd(ph.mate)
		}
		d := a.distance(first, last, tok)
		switch {
		case d < best:
			best, second, which = d, best, i
		case d < second:
			second = d
		}
	}
	if best == second {
		return -1
	}
	return which
}

// displacedName reports whether the passage has another name where the claim has
// this one: the nearest on the same side of the words that refer to it, and with a
// preposition before it only if this one has a preposition.
func (k *Checker) displacedName(c, p *analysed, r *reading, n int) doubt {
	ph := k.phrases[n]
	b := ballot{}
	count := func(here, there int32, weight float64) {
		switch k.nameVote(c, p, n, here, there) {
		case 1:
			b.pro += weight
		case -1:
			b.con += weight
		}
	}
	for m := range k.terms {
		t := &k.terms[m]
		if k.mates[m] == 0 || c.tokens[t.tok].is(isName) || !t.focus {
			continue
		}
		count(t.tok, k.hits[k.mates[m]-1].tok, t.weight)
	}
	for m := range c.facts {
		f := &c.facts[m]
		if f.soft || !k.inFocus(c, f.first) {
			continue
		}
		for j := range p.facts {
			if g := &p.facts[j]; k.standing(p, m, j) == same && p.tokens[g.first].sentence == r.first {
				count(f.first, g.first, factWeight)
				break
			}
		}
	}
	switch inside := p.tokens[ph.mate].sentence == r.first; {
	case b.con >= 2 && b.pro == 0 && inside:
		return contradict
	case b.con >= 1.5 && b.con >= 2*b.pro && (inside || !p.hasPronoun(p.sentences[r.first])):
		return suspicion
	}
	return none
}

// nameVote lets a word of the claim, and the same word in the passage, vote on name n: 1
// for it, -1 against it, 0 for neither.
func (k *Checker) nameVote(c, p *analysed, n int, here, there int32) int {
	ph := k.phrases[n]
	if len(k.phrases) > 1 && nearestPhrase(c, k.phrases, here, false) != n {
		return 0
	}
	step, end := int32(-1), p.sentences[p.tokens[there].sentence].first-1
	if here < ph.first {
		step, end = 1, p.sentences[p.tokens[there].sentence].last
	}
	role := c.hasRole(ph.first)
	if k.turned(c, p, here, ph.first, there, ph.mate) { // the doer is on the other side, with or without "by"
		role = !role
		if step = -step; step > 0 {
			end = p.sentences[p.tokens[there].sentence].last
		} else {
			end = p.sentences[p.tokens[there].sentence].first - 1
		}
	}
	for i := there + step; i != end; i += step {
		k.steps++
		t := &p.tokens[i]
		switch {
		case !t.is(isName):
		case k.marked[i]:
			if p.tokens[ph.mate].raw == t.raw {
				return 1
			}
			return 0
		case t.part != p.tokens[there].part:
			return 0
		case p.hasRole(p.nameStart(i)) == role:
			return -1
		}
	}
	return 0
}

// continues reports whether one of some facts stands behind "and", so that the words before may be
// said of it, too: the new pump uses 12 kW and the old one 18.
func (a *analysed) continues(facts []int32) bool {
	const reach = 5
	for _, i := range facts {
		first := a.facts[i].first
		for j := first - 1; j >= max(0, first-reach) && a.tokens[j].sentence == a.tokens[first].sentence; j-- {
			if a.tokens[j].kind == wordToken && a.tokens[j].class&classAnd != 0 {
				return true
			}
		}
	}
	return false
}
