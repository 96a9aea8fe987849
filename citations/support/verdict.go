package support

import "slices"

// Weights and thresholds of the verdict; FORMAT.md lists them.
const (
	factWeight     = 1.5 // of a number or date; a word has 1
	softWeight     = .5  // of one, first, half
	nameWeight     = 1.5
	genericWeight  = .5
	gramWeight     = .5
	contextWeight  = .3 // of words outside the focus, when sentences are chosen
	elsewhereShare = .4 // of a word in another sentence of the passage
	thinFocus      = 2  // weight below which the rest of the sentence counts too
	thinWeight     = .4

	supportedFrom = .48 // share of the claim's words and facts
	weakFrom      = .3
	ownWeak       = .3 // share that a marker in a group needs of its own
	ownNothing    = .12

	mismatchFrom = .3   // share of words from which a different value contradicts
	wordsFrom    = .35  // share of words that numbers cannot replace
	sameFrom     = .6   // share of words from which a sentence counts as the same
	sameWords    = .995 // share of words that leaves no other word in the claim
	unknownPart  = 3    // of a whole part of the sentence
	unknownRun   = 3.5  // weight of words in a row without any in the passage
	polarityFrom = .45  // share of words whose polarity differs

	echoFrom = .5 // share of neighbours from which a claim repeats the passage
	fewWords = 3  // that make a claim whose order tells who does what
	ownWords = .9 // share of words in the same form below which their order may differ
)

// judge compares the claim with the passages, its own first, and decides.
func (k *Checker) judge(c *analysed, all []int, own int) judgement {
	k.prepare(c)
	k.prepareComparison(c)
	k.splitClaim(c)
	k.readings, k.meetings = k.readings[:0], k.meetings[:0]
	for i, passage := range all {
		r := k.read(c, passage)
		k.weighFacts(c, &r, i < own)
		k.weighNames(c, &r)
		k.attach(c, &r)
		k.readings = append(k.readings, r)
	}
	best := &k.readings[0]
	for i := range own {
		if r := &k.readings[i]; r.verbatim && !best.verbatim || r.verbatim == best.verbatim && r.share+r.facts > best.share+best.facts {
			best = r
		}
	}
	nearest := best
	for i := range k.readings {
		if r := &k.readings[i]; r.verbatim && !nearest.verbatim || r.share+r.facts > nearest.share+nearest.facts+.05 {
			nearest = r
		}
	}
	words := k.unionShare()
	polarity := doubtOfPolarity(nearest, words)
	if nearest.contrary == 0 && !k.rowless(&judgement{best: nearest}) {
		polarity = min(polarity, suspicion) // what a cell denies is for judgeTables
	}
	against := max(k.doubtOfFacts(c, words), k.doubtOfNames(words), polarity, attachment(nearest, words), k.doubtOfParts(c))
	relevance := k.relevance(c, words, false)
	if nearest.verbatim {
		relevance, against = 1, none
	}
	if against == none && (k.unchecked || !k.enoughWords(c, words, relevance)) {
		against = suspicion
	}
	weighed := against
	if weighed == contradict && k.rowless(&judgement{best: nearest}) && k.inOwnWords(c) {
		weighed = suspicion // a row has few neighbours to repeat
	}
	j := k.decide(c, best, relevance, weighed, own < len(all))
	if !nearest.verbatim {
		k.turnBurden(c, &j, all[:own], relevance)
		k.askMeaning(c, &j, against)
		k.consultTables(c, all, &j)
	}
	return j
}

// turnBurden takes back a verdict that no passage carries, and gives back one that several
// passages carry together, whatever else one of them says.
func (k *Checker) turnBurden(c *analysed, j *judgement, own []int, relevance float64) {
	if j.level != Supported && (k.similarity == nil || j.level != Weak) && (len(k.readings) == 1 || len(k.claimParts) == 1) {
		return
	}
	if j.level != Supported && k.similarity == nil && k.lacksSomething(c) {
		return
	}
	k.carry(c, j.best)
	for i := len(k.readings) - 1; i >= 0 && !(j.level == Supported && k.carriesAll()); i-- {
		if r := &k.readings[i]; r != j.best && r.share+r.facts > 0 {
			k.carry(c, r)
		}
	}
	switch {
	case j.level == Supported && (!k.carriesAll() || k.unknownTongue(j)):
		j.level, j.score = Weak, scoreOf(Weak, relevance)
	case j.level != Supported && k.sharedOut(own):
		j.level, j.score = Supported, scoreOf(Supported, relevance)
	}
}

// lacksSomething reports whether no passage has some word or value of the claim, so that they
// cannot carry it together.
func (k *Checker) lacksSomething(c *analysed) bool {
	for n := range k.terms {
		tok := k.terms[n].tok
		if k.terms[n].focus && k.elsewhere[n] == 0 && k.inFocus(c, tok) && !c.little(tok) && !c.comparedAsSmall(tok) {
			return true
		}
	}
	for i := range k.facts {
		if k.facts[i].best < elsewhere && !c.facts[i].soft && k.inFocus(c, c.facts[i].first) {
			return true
		}
	}
	return false
}

// unknownTongue reports whether the claim and its passage may be in a language whose negations
// are not known.
func (k *Checker) unknownTongue(j *judgement) bool {
	const few = 8 // words of a text that need not show its language
	p := k.passage(j.best.passage)
	if k.claim.unknown && p.deniesMore(p.sentences[j.best.first], k.claim) {
		return true
	}
	return k.otherTongue(p) || p.unknown && (k.claim.unknown && !k.plain(k.claim, j.best) || len(p.tokens) > few) || k.claim.unknown && len(k.claim.tokens) > few ||
		p.unknown && !p.goesAlong(p.sentences[j.best.first], k.claim)
}

// otherTongue reports whether the claim shows its language and the passage, read in another one,
// does not: the small words were not compared.
func (k *Checker) otherTongue(p *analysed) bool {
	return p.unknown && !k.claim.unknown && k.claim.language != p.language
}

// sharedOut reports whether several passages carry the parts of the claim, each part word by
// word by one of them, and one of the marker's own carries a part.
func (k *Checker) sharedOut(own []int) bool {
	const least = 2 // words and values of a part
	first, several, share := -1, false, false
	for i := range k.claimParts {
		part := &k.claimParts[i]
		if !part.hasContent {
			continue
		}
		if part.carriage.cost > 0 || part.carriage.found < least {
			return false
		}
		share = share || slices.Contains(own, part.carriage.passage)
		several = several || first >= 0 && part.carriage.passage != first
		first = part.carriage.passage
	}
	return several && share
}

// consultTables compares a claim that no sentence carries with the tables of the passages.
func (k *Checker) consultTables(c *analysed, all []int, j *judgement) {
	for i, passage := range all {
		k.rowsAgree = false // else it overrules what sentences say
		level, row := k.judgeTables(c, passage)
		if level == "" || level == Weak && j.level == Unsupported && !k.rowsAgree || level != Supported && k.rowless(j) && j.level == Supported {
			continue
		}
		j.level, j.row, j.best = level, row, &k.readings[i]
		switch level {
		case Supported:
			j.score = scoreOf(Supported, 1)
			return
		case Weak:
			j.score = scoreOf(Weak, 1)
		default:
			j.score = scoreOf(Unsupported, 1)
			j.quotable = true
		}
	}
}

// rowless reports whether the best sentence is none of a table.
func (k *Checker) rowless(j *judgement) bool {
	if j.best == nil || j.best.first < 0 {
		return true
	}
	p := k.passage(j.best.passage)
	return !p.inTable(p.sentences[j.best.first])
}

// carriesAll reports whether every part of the claim is carried.
func (k *Checker) carriesAll() bool {
	for i := range k.claimParts {
		if part := &k.claimParts[i]; part.hasContent && part.carriage.cost > 0 && !k.reworded(&part.carriage) {
			return false
		}
	}
	return true
}

// reworded reports whether a part that is not carried word by word says the same in words of
// its own. A claim that repeats the passage must not differ from it in anything; one that
// shares few of its neighbours can have half of its words from elsewhere, as long as nothing
// that can be checked is missing or different.
func (k *Checker) reworded(c *carriage) bool {
	const tolerated = otherRelation | countedOff | looseEnd
	allowed := tolerated
	if float64(c.exact) < ownWords*float64(c.found+c.open) && (c.open > 0 || c.found > fewWords) {
		allowed |= otherOrder | otherSubject
	}
	return k.echoed < echoFrom && c.gap&^allowed == 0 && (c.open == 0 || c.found >= 2 && c.open <= c.found)
}

// decide turns the findings into a level and a score.
func (k *Checker) decide(c *analysed, best *reading, relevance float64, against doubt, grouped bool) judgement {
	j := judgement{best: best, quotable: best.first >= 0 && best.share+best.facts > .2}
	level := Supported
	switch {
	case relevance < weakFrom:
		level = Unsupported
	case relevance < supportedFrom:
		level = Weak
	}
	switch {
	case k.total == 0 && len(k.facts) == 0:
		level, relevance = Weak, .5 // the claim has nothing that can be checked
	case best.foreign && against != contradict && (best.common > 0 || best.facts > 0) && level == Unsupported:
		level = Weak // another language: words cannot decide
	case against == contradict:
		level = Unsupported
	case against == suspicion && level == Supported:
		level = Weak
	}
	if grouped && !best.verbatim {
		switch alone := k.ownRelevance(c, best); {
		case alone < ownNothing:
			level = Unsupported
		case alone < ownWeak && level == Supported:
			level = Weak
		}
	}
	j.level, j.score = level, scoreOf(level, relevance)
	return j
}

// enoughWords keeps numbers alone from carrying a claim: the sentence must share
// some of its words as well, fewer if it has two of the numbers.
func (k *Checker) enoughWords(c *analysed, words, relevance float64) bool {
	if k.total < thinFocus {
		return true
	}
	return words >= wordsFrom || k.hardFacts(c) >= 2 && words >= wordsFrom/3
}

// hardFacts counts the numbers and dates that the matching sentences have.
func (k *Checker) hardFacts(c *analysed) int {
	n := 0
	for i := range k.facts {
		if k.facts[i].best == present && !c.facts[i].soft && k.inFocus(c, c.facts[i].first) {
			n++
		}
	}
	return n
}

// scoreOf maps the relevance into the band of its level.
func scoreOf(level string, relevance float64) float64 {
	relevance = min(max(relevance, 0), 1)
	switch level {
	case Supported:
		return .65 + .35*max(0, relevance-supportedFrom)/(1-supportedFrom)
	case Weak:
		return .35 + .25*relevance
	}
	return .3 * relevance
}

// prepare lists the claim's terms, each word once, with their weights.
func (k *Checker) prepare(c *analysed) {
	k.terms, k.total, k.claimSays = k.terms[:0], 0, wordsSaid{}
	for i := range c.tokens {
		t := &c.tokens[i]
		if t.kind == wordToken {
			k.claimSays.add(t, c.sense(t))
		}
		if !t.is(isContent) || t.is(inFact) || k.standsFor(c, t) != int32(i) {
			continue
		}
		n := term{tok: int32(i), weight: termWeight(c, t), focus: k.inFocus(c, int32(i))}
		if n.focus {
			k.total += n.weight
		}
		k.terms = append(k.terms, n)
	}
	if k.total < thinFocus {
		for i := range k.terms {
			if n := &k.terms[i]; !n.focus {
				n.focus, n.weight = true, n.weight*thinWeight
				k.total += n.weight
			}
		}
	}
	k.union = zeroed(k.union, len(k.terms))
	k.elsewhere = zeroed(k.elsewhere, len(k.terms))
	k.facts = zeroed(k.facts, len(c.facts))
	k.names = zeroed(k.names, len(k.terms))
}

// standsFor returns the first token with the same meaning, in the focus if possible.
// Antonyms do not count.
func (k *Checker) standsFor(c *analysed, t *token) int32 {
	first := int32(-1)
	for tok := c.words.get(t.key); tok >= 0; tok = c.tokens[tok].next {
		if c.tokens[tok].sign != t.sign || c.onlySynonyms(t, c, &c.tokens[tok]) || t.concept > 0 && !c.sameStem(t, &c.tokens[tok]) {
			continue
		}
		if k.inFocus(c, tok) {
			return tok
		}
		if first < 0 {
			first = tok
		}
	}
	return first
}

// sameStem reports whether two words of a group of synonyms are forms of one word: the board and
// the managers are two.
func (a *analysed) sameStem(t, u *token) bool {
	return t.raw == u.raw || a.stem(t) == a.stem(u)
}

func (a *analysed) stem(t *token) uint64 {
	if e := a.lex.at(t.entry); e != nil {
		return e.stem
	}
	return stemHash(a.word(t))
}

func termWeight(c *analysed, t *token) float64 {
	switch {
	case t.kind == gramToken:
		return gramWeight
	case t.is(isName):
		return nameWeight
	case t.class&classGeneric != 0:
		return genericWeight
	}
	return 1
}

func (k *Checker) unionShare() float64 {
	if k.total == 0 {
		return 0
	}
	sum := 0.0
	for n, quality := range k.union {
		if k.terms[n].focus {
			if quality == 0 && k.elsewhere[n] > 0 {
				quality = k.elsewhere[n] * elsewhereShare
				if k.claim.tokens[k.terms[n].tok].is(isName) {
					quality = k.elsewhere[n]
				}
			}
			sum += k.terms[n].weight * min(1, quality)
		}
	}
	return sum / k.total
}

// relevance is the common share of words and facts. alone: of the marker's own
// passages only.
func (k *Checker) relevance(c *analysed, words float64, alone bool) float64 {
	weight, sum := k.total, words*k.total
	for i := range k.facts {
		f := &k.facts[i]
		if !k.inFocus(c, c.facts[i].first) || c.facts[i].soft && f.best < elsewhere {
			continue
		}
		one := factWeight
		if c.facts[i].soft {
			one = softWeight
		}
		weight += one
		if f.best >= elsewhere && (!alone || f.own) {
			sum += one
		}
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

func (k *Checker) ownRelevance(c *analysed, best *reading) float64 {
	return k.relevance(c, best.share, true)
}

// askMeaning lets a similarity from outside decide about a claim that the words leave open:
// nothing contradicts it, and all that can be checked is there. Claim and sentence must not
// be near copies, since a similarity does not see one word that was replaced.
func (k *Checker) askMeaning(c *analysed, j *judgement, against doubt) {
	const open = otherRelation | countedOff | looseEnd | nothingShared
	if k.similarity == nil || j.level != Weak || against == contradict || j.best.first < 0 || j.best.foreign || k.echoed >= echoFrom || k.unchecked {
		return
	}
	found := 0
	for i := range k.claimParts {
		if part := &k.claimParts[i]; part.hasContent {
			if part.carriage.gap&^open != 0 {
				return
			}
			found += part.carriage.found
		}
	}
	p := k.passage(j.best.passage)
	if p.inTable(p.sentences[j.best.first]) || found == 0 || k.otherTongue(p) || k.claim.unknown && p.unknown {
		return
	}
	s := p.sentences[j.best.first]
	if like := k.similarity(c.raw, p.raw[s.start:s.end]); like >= Alike { // false for what is no number
		j.level, j.score = Supported, scoreOf(Supported, min(like, 1))
	}
}

// doubtOfPolarity compares what is affirmed with what is denied.
func doubtOfPolarity(r *reading, words float64) doubt {
	sum := r.agreed + r.opposed + r.contrary
	switch {
	case sum == 0:
		return none
	case r.contrary >= genericWeight && words >= sameFrom, r.opposed >= polarityFrom*sum && words >= mismatchFrom && (r.denied || words >= sameFrom):
		return contradict
	case r.contrary > 0 && words >= mismatchFrom, r.opposed >= .3*sum, r.denied:
		return suspicion
	}
	return none
}

// attachment sums up the evidence from the places of facts and names.
func attachment(r *reading, words float64) doubt {
	if words < sameFrom {
		return min(r.attached, suspicion)
	}
	return r.attached
}

// doubtOfParts suspects a claim with consecutive words that the passage lacks, or a
// whole part of its sentence: only the rest may be true.
func (k *Checker) doubtOfParts(c *analysed) doubt {
	most := unknownRun + min(.5*float64(k.hardFacts(c)), 1)
	run, part, found := 0.0, 0.0, false // weight in a row, in this part; whether the part shares a word or number with the passage
	n := 0
	for i := range c.tokens {
		t := &c.tokens[i]
		if i > 0 && t.part != c.tokens[i-1].part {
			if !found && part >= unknownPart {
				return suspicion
			}
			part, found = 0, false
		}
		if t.is(inFact) && k.inFocus(c, int32(i)) {
			run, found = 0, true
		}
		if n == len(k.terms) || k.terms[n].tok != int32(i) {
			continue
		}
		if k.terms[n].focus {
			run += k.terms[n].weight
			part += k.terms[n].weight
			if k.union[n] > 0 || k.elsewhere[n] > 0 {
				run, found = 0, true
			}
		}
		n++
		if run >= most {
			return suspicion
		}
	}
	if !found && part >= unknownPart {
		return suspicion
	}
	return none
}
