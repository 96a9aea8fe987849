package support

import "math/bits"

// A claim is supported only if each of its parts is carried: every word, value, quantifier,
// modal and comparison of the part has its counterpart in one sentence of one passage, and
// there they belong together in the same way. What is not carried makes a claim weak.

// gap is the set of reasons why a part is not carried.
type gap uint16

const (
	nameOpen      gap = 1 << iota // a name is missing
	valueOpen                     // a number, date or code is missing
	boundOff                      // a number has another bound or sense: at least, at most; by, to
	countedOff                    // a number counts something else
	otherSubject                  // another subject stands between the words
	otherOrder                    // the words have another order
	otherPolarity                 // one is denied, the other not
	otherQuantity                 // another quantifier
	otherModal                    // another modal
	otherReserve                  // the sentence only supposes, asks or hears it
	looseEnd                      // a modal that what is said may imply, a word like "half" that it may contain
	otherRelation                 // another preposition
	otherWord                     // another word stands between two of them
	otherRoles                    // the words on either side of a verb have changed places
	nothingShared                 // no sentence has any of it

	carried gap = 0
)

const (
	maxParts     = 12 // parts of a claim; the rest counts as one
	triedFor     = 2  // sentences of a passage that are compared with one part
	contextReach = 3  // sentences before the one at hand that may name its subject
	headReach    = 4  // tokens between a quantifier and its noun
	minCompound  = 4  // letters of the other word in a compound
	costOfGap    = 3  // in words
	dear         = 1 << 20
)

// claimPart is a part of a claim in one clause.
type claimPart struct {
	first, last int32 // tokens
	carriage    carriage
	hasContent  bool
}

// carriage is how much of a part the best sentence carries.
type carriage struct {
	gap     gap
	found   int // words and values with a counterpart
	open    int // words without one
	run     int // most of them in a row
	exact   int // words that stand there, in any form
	cost    int // of what is missing; a value or relation costs more than a word
	passage int // -1: none
}

// carrying is the comparison of one part of the claim with one sentence of a passage.
type carrying struct {
	k                        *Checker
	c, p                     *analysed
	part                     *claimPart
	sentence                 int32
	mates                    []mate // of the part's words and values that the sentence has, in the order of the claim
	outside                  int    // words that are only in another sentence
	nameOutside, dateOutside bool   // a name is one of them, or a date
	alike                    bool   // it compares the same things the other way round
	main                     int32  // the part of the sentence with most mates
	reason                   gap
	open                     []int32 // words without a counterpart
}

// mate is a word or value of the claim and its counterpart.
type mate struct {
	tok, last int32 // of the claim
	at, end   int32 // of the passage
	hit       int32 // in hits, -1 for a value
	seg       int32
}

func (w *carrying) fail(g gap) bool {
	w.reason |= g
	return false
}

// splitClaim divides the focus of a claim into parts.
func (k *Checker) splitClaim(c *analysed) {
	k.claimParts, k.echoed = k.claimParts[:0], 0
	first, content, within := int32(-1), 0, int32(0)
	for i := range c.tokens {
		t := &c.tokens[i]
		if !k.inFocus(c, int32(i)) {
			continue
		}
		within = c.factEnd(int32(i), within)
		starts := first < 0 || content > 0 && int32(i) >= within && len(k.claimParts) < maxParts-1 &&
			(t.part != c.tokens[i-1].part || t.kind == wordToken && t.class&classAnd != 0 && !c.beginsPhrase(i) && !c.joinsPlaces(int32(i)) && c.contentIn(int32(i), c.partEnd(int32(i))) > 0)
		if starts {
			if first >= 0 {
				k.addPart(c, first, int32(i))
			}
			first, content = int32(i), 0
		}
		if t.is(isContent | inFact) {
			content++
		}
	}
	if first >= 0 {
		last := first
		for int(last) < len(c.tokens) && k.inFocus(c, last) {
			last++
		}
		k.addPart(c, first, last)
	}
}

// factEnd returns where the fact ends that a token belongs to but does not begin; if there is
// none, where the one before ended.
func (a *analysed) factEnd(i, before int32) int32 {
	if i == 0 || !a.tokens[i].is(inFact) || i < before {
		return before
	}
	for j := range a.facts {
		if f := &a.facts[j]; f.first < i && i < f.last {
			return f.last
		}
	}
	return before
}

// joinsPlaces reports whether "and" joins the two ends of "between".
func (a *analysed) joinsPlaces(and int32) bool {
	const between, reach = 9, 8 // see [side] in words
	for i := and - 1; i >= max(0, and-reach) && a.tokens[i].clause == a.tokens[and].clause; i-- {
		switch t := &a.tokens[i]; {
		case t.kind != wordToken:
		case t.class&classAnd != 0:
			return false
		case t.class&classSide != 0 && a.sense(t).num == between:
			return true
		}
	}
	return false
}

// beginsPhrase reports whether a word is the first of two that say one thing: or more.
func (a *analysed) beginsPhrase(i int) bool {
	_, size := a.meaningAt(i)
	return size == 2
}

func (k *Checker) addPart(c *analysed, first, last int32) {
	k.claimParts = append(k.claimParts, claimPart{first: first, last: last, carriage: carriage{gap: nothingShared, cost: dear, passage: -1}, hasContent: c.contentIn(first, last) > 0})
}

// partEnd returns the token after the part that a token belongs to.
func (a *analysed) partEnd(i int32) int32 {
	last := i
	for int(last) < len(a.tokens) && a.tokens[last].part == a.tokens[i].part {
		last++
	}
	return last
}

// carry finds what a passage carries of each part of the claim.
func (k *Checker) carry(c *analysed, r *reading) {
	p := k.passage(r.passage)
	missing := false
	for i := range k.claimParts {
		missing = missing || k.claimParts[i].carriage.cost > 0
	}
	if !missing {
		return
	}
	if k.met != p {
		k.meet(c, p)
	}
	missing = false
	for i := range k.claimParts {
		part := &k.claimParts[i]
		if part.carriage.cost == 0 {
			continue
		}
		if found := k.carryPart(c, p, part); found.cost < part.carriage.cost {
			part.carriage = found
			part.carriage.passage = r.passage
		}
		missing = missing || part.carriage.cost > 0
	}
	if missing || k.similarity != nil {
		k.echoed = max(k.echoed, k.echo(c, p))
	}
}

// inOwnWords reports whether a claim that is not short repeats little of any passage. What seems
// to contradict it may then speak of something else.
func (k *Checker) inOwnWords(c *analysed) bool {
	const (
		short    = 5  // words and values; fewer have too few neighbours
		repeated = .3 // share of neighbours
	)
	if len(k.terms)+len(k.facts) < short {
		return false
	}
	for i := range k.readings {
		p := k.passage(k.readings[i].passage)
		if k.met != p {
			k.meet(c, p)
		}
		if k.echo(c, p) >= repeated {
			return false
		}
	}
	return true
}

// echo returns the share of the claim's pairs of neighbours that are neighbours in the
// passage at hand, too. Pairs of small words do not count.
func (k *Checker) echo(c, p *analysed) float64 {
	for i := range k.meetings {
		if m := &k.meetings[i]; m.passage == p {
			if m.echo < 0 {
				m.echo = k.countEcho(c, p)
			}
			return m.echo
		}
	}
	return k.countEcho(c, p)
}

func (k *Checker) countEcho(c, p *analysed) float64 {
	k.pairs = zeroed(k.pairs, len(c.tokens)+1)
	mark := func(tok, at int32) {
		if next, there := c.token(int(tok)+1), p.token(int(at)+1); next != nil && there != nil && next.raw == there.raw {
			k.pairs[tok+1] = true
		}
		if before, there := c.token(int(tok)-1), p.token(int(at)-1); before != nil && there != nil && before.raw == there.raw {
			k.pairs[tok] = true
		}
	}
	for i := range k.hits {
		h := &k.hits[i]
		for tok := k.terms[h.term].tok; tok >= 0; tok = c.tokens[tok].next {
			if c.tokens[tok].raw == p.tokens[h.tok].raw {
				mark(tok, h.tok)
			}
		}
	}
	for _, e := range k.equal {
		f, g := &c.facts[e.claim], &p.facts[e.passage]
		mark(f.first, g.first)
		mark(f.last-1, g.last-1)
	}
	n, all := 0, 0
	for i := 1; i < len(c.tokens); i++ {
		if !k.inFocus(c, int32(i)) || !k.inFocus(c, int32(i-1)) || !c.tokens[i].is(isContent|inFact) && !c.tokens[i-1].is(isContent|inFact) {
			continue
		}
		all++
		if k.pairs[i] {
			n++
		}
	}
	return float64(n) / float64(max(1, all))
}

// carryPart compares one part with the sentences that have most of it.
func (k *Checker) carryPart(c, p *analysed, part *claimPart) carriage {
	k.scores = zeroed(k.scores, len(p.sentences))
	k.seen = zeroed(k.seen, len(p.sentences))
	for i := range k.hits {
		h := &k.hits[i]
		if tok := k.terms[h.term].tok; tok < part.first || tok >= part.last || k.looseHit(c, p, h) {
			continue
		}
		if s := h.sentence; k.seen[s] != h.term+1 {
			k.seen[s] = h.term + 1
			k.scores[s]++
		}
	}
	of, last := int32(-1), int32(-1)
	for _, e := range k.equal {
		f, s := &c.facts[e.claim], p.tokens[p.facts[e.passage].first].sentence
		if f.first >= part.first && f.first < part.last && (e.claim != of || s != last) {
			k.scores[s]++
			of, last = e.claim, s
		}
	}
	best, top := carriage{gap: nothingShared, cost: dear}, 0.0
	for range triedFor {
		s := -1
		for i, score := range k.scores {
			if score > 0 && (s < 0 || score > k.scores[s]) {
				s = i
			}
		}
		if s < 0 {
			break
		}
		if top = max(top, k.scores[s]); 2*k.scores[s] < top {
			break
		}
		k.scores[s] = 0
		if p.inTable(p.sentences[s]) {
			continue // see judgeTables
		}
		w := carrying{k: k, c: c, p: p, part: part, sentence: int32(s), mates: k.mateRoom[:0], open: k.openRoom[:0]}
		w.compare(best.cost)
		k.mateRoom, k.openRoom = w.mates[:0], w.open[:0]
		if found := w.result(); found.cost < best.cost {
			best = found
		}
		if best.cost == 0 {
			break
		}
	}
	return best
}

// result sums up a comparison.
func (w *carrying) result() carriage {
	r := carriage{gap: w.reason, found: len(w.mates), open: len(w.open)}
	run := 0
	for i, tok := range w.open {
		if run++; i > 0 && w.c.contentIn(w.open[i-1]+1, tok) > 0 {
			run = 1
		}
		r.run = max(r.run, run)
	}
	for i := range w.mates {
		if w.isExact(&w.mates[i]) {
			r.exact++
		}
	}
	r.cost = r.open + costOfGap*bits.OnesCount16(uint16(r.gap))
	return r
}

// compare fills in the reason why the sentence does not carry the part.
// It stops where another sentence is known to carry more.
func (w *carrying) compare(least int) {
	w.alike = w.k.comparesAlike(w.c, w.p, w.sentence)
	w.findWords()
	w.findValues()
	if w.reason&(nameOpen|valueOpen|boundOff) != 0 || len(w.open) >= least {
		return
	}
	if len(w.mates) == 0 || w.outside > len(w.mates) {
		w.fail(nothingShared)
		return
	}
	w.sortMates()
	w.k.splitParts(w.p, w.p.sentences[w.sentence])
	w.chooseMain()
	w.checkPolarity()
	if w.reason == carried {
		w.checkQuantifiers()
		w.checkLimits()
		w.checkExceptions()
	}
	if w.reason&(otherPolarity|otherReserve|otherQuantity) != 0 {
		return
	}
	w.checkTogether()
	w.checkOwners()
	w.checkComparison()
	w.checkOrder()
	w.checkReplaced()
	w.checkParticles()
	w.checkRelations()
	w.checkModals()
	w.checkTimes()
	w.checkGoverned()
}

// little reports whether a word of the claim says nothing of its own.
func (a *analysed) little(tok int32) bool {
	t := &a.tokens[tok]
	return t.kind == wordToken && t.mean == meansLittle && !t.is(isName)
}

// comparedAsSmall reports whether a word of the claim is a modal, a quantifier or part of a
// bound, which are compared as such.
func (a *analysed) comparedAsSmall(tok int32) bool {
	m, _ := a.meaningAt(int(tok))
	_, size := a.meaningAt(int(tok) - 1)
	return m.isModal() || m.quantifies() || m.bounds() || size == 2
}

// sortMates puts the mates into the order of the claim.
func (w *carrying) sortMates() {
	for i := 1; i < len(w.mates); i++ {
		for j := i; j > 0 && w.mates[j].tok < w.mates[j-1].tok; j-- {
			w.mates[j], w.mates[j-1] = w.mates[j-1], w.mates[j]
		}
	}
}
