package support

// read aligns the claim with a passage. It leaves the hits in k.hits and adds
// what it found to the terms' coverage.
func (k *Checker) read(c *analysed, passage int) reading {
	p := k.passage(passage)
	r := reading{passage: passage, first: -1, second: -1, foreign: c.sure && p.sure && c.language != p.language}
	k.meet(c, p)
	k.scoreSentences(c, p)
	for s, score := range k.scores {
		if score > 0 && (r.first < 0 || score > k.scores[r.first]+1e-9) {
			r.first = int32(s)
		}
	}
	if r.first < 0 {
		return r
	}
	k.chooseSecond(&r)
	k.cover(c, p, &r)
	r.verbatim = k.findVerbatim(c, p, &r)
	return r
}

// meet finds the words and values of the claim in a passage. It keeps them, since several
// passages of one claim are compared in turn.
func (k *Checker) meet(c, p *analysed) {
	k.mates = zeroed(k.mates, len(k.terms))
	k.anywhere = zeroed(k.anywhere, len(k.terms))
	k.met = p
	for i := range k.meetings {
		if m := &k.meetings[i]; m.passage == p {
			k.hits, k.marked, k.compared, k.equal = m.hits, m.marked, m.compared, m.equal
			return
		}
	}
	var m *meeting
	k.meetings, m = another(k.meetings)
	k.hits = m.hits[:0]
	for n := range k.terms {
		k.lookUp(c, int32(n), p)
	}
	k.marked = zeroed(m.marked, len(p.tokens))
	for i := range k.hits {
		k.marked[k.hits[i].tok] = true
	}
	k.compared = zeroed(m.compared, len(c.facts)*len(p.facts))
	k.equal = m.equal[:0]
	k.compareAll(c, p)
	*m = meeting{p, k.hits, k.marked, k.compared, k.equal, -1}
}

// another returns a list with one more element, which keeps the memory it had before.
func another[T any](list []T) ([]T, *T) {
	n := len(list)
	if n < cap(list) {
		list = list[:n+1]
	} else {
		list = append(list, *new(T))
	}
	return list, &list[n]
}

// scoreSentences weighs every sentence by the words and facts that it shares with
// the claim.
func (k *Checker) scoreSentences(c, p *analysed) {
	k.scores = zeroed(k.scores, len(p.sentences))
	k.seen = zeroed(k.seen, len(p.sentences))
	for i := range k.hits {
		h := &k.hits[i]
		s := h.sentence
		if k.seen[s] == h.term+1 {
			continue
		}
		k.seen[s] = h.term + 1
		t := &k.terms[h.term]
		weight := t.weight
		if !t.focus {
			weight *= contextWeight
		}
		k.scores[s] += weight * h.quality
	}
	of, last := int32(-1), int32(-1)
	for _, e := range k.equal {
		s := p.tokens[p.facts[e.passage].first].sentence
		if e.claim == of && s == last {
			continue
		}
		of, last = e.claim, s
		weight := factWeight
		if !k.inFocus(c, c.facts[of].first) {
			weight *= contextWeight
		}
		k.scores[s] += weight
	}
}

// chooseSecond takes the nearby sentence that adds most to the first.
func (k *Checker) chooseSecond(r *reading) {
	const reach = 2
	var gain [2*reach + 1]float64
	k.covered = zeroed(k.covered, len(k.terms))
	for i := range k.hits {
		if h := &k.hits[i]; h.sentence == r.first {
			k.covered[h.term] = max(k.covered[h.term], h.quality)
		}
	}
	var last [2*reach + 1]int32
	for i := range k.hits {
		h := &k.hits[i]
		d := h.sentence - r.first + reach
		if d < 0 || d > 2*reach || d == reach || last[d] == h.term+1 || !k.terms[h.term].focus {
			continue
		}
		last[d] = h.term + 1
		gain[d] += k.terms[h.term].weight * max(0, h.quality-k.covered[h.term])
	}
	best := -1
	for d, g := range gain {
		if g > 0 && (best < 0 || g > gain[best] || g == gain[best] && d == reach+1) {
			best = d
		}
	}
	if best >= 0 && gain[best] >= .15*k.total {
		r.second = r.first + int32(best-reach)
	}
}

func (r *reading) has(sentence int32) bool {
	return sentence == r.first || sentence == r.second && r.second >= 0
}

// cover adds up how much of the claim's words the two sentences contain, and how
// their polarity compares.
func (k *Checker) cover(c, p *analysed, r *reading) {
	k.covered = zeroed(k.covered, len(k.terms))
	for i := range k.hits {
		h := &k.hits[i]
		if h.quality > k.anywhere[h.term] {
			k.anywhere[h.term] = h.quality
		}
		s := h.sentence
		if !r.has(s) {
			continue
		}
		quality := h.quality
		if s == r.first {
			quality += .01
		}
		if s == r.first && k.agrees(c, p, h) {
			quality += .02
		}
		if quality > k.covered[h.term] {
			k.covered[h.term], k.mates[h.term] = quality, int32(i+1)
		}
	}
	reconciled := false
	for _, m := range k.mates {
		if m > 0 {
			h := &k.hits[m-1]
			reconciled = reconciled || h.opposite && k.agrees(c, p, h)
		}
	}
	for n := range k.terms {
		t := &k.terms[n]
		if !t.focus {
			continue
		}
		r.whole += t.weight * k.anywhere[n]
		k.elsewhere[n] = max(k.elsewhere[n], k.anywhere[n])
		m := k.mates[n]
		if m == 0 {
			continue
		}
		h := &k.hits[m-1]
		r.share += t.weight * h.quality
		r.common++
		k.union[n] = max(k.union[n], h.quality)
		switch {
		case k.agrees(c, p, h):
			r.agreed += t.weight
		case h.sentence != r.first:
		case h.opposite:
			r.contrary += t.weight
		case reconciled:
		default:
			r.opposed += t.weight
			r.denied = r.denied || p.tokens[h.tok].is(denied) || c.tokens[t.tok].is(denied)
		}
	}
	r.share, r.whole = r.share/k.total, r.whole/k.total
	k.opposedWords(c, p, r)
}

// agrees reports whether a word and its match say the same: both or neither are
// negated, or an antonym makes up for the difference.
func (k *Checker) agrees(c, p *analysed, h *hit) bool {
	t, u := &c.tokens[k.terms[h.term].tok], &p.tokens[h.tok]
	switch {
	case h.opposite == (t.is(negated) != u.is(negated)):
		return true
	case h.opposite:
		return mayForbid(c, p, t, u) || t.is(negated) == u.is(negated) && k.comparesAlike(c, p, u.sentence)
	}
	return k.lackAgrees(c, p, t, u)
}

// opposedWords compares small words with opposites (before and after, more and less)
// that are followed by the same word or fact.
func (k *Checker) opposedWords(c, p *analysed, r *reading) {
	for i := range c.tokens {
		t := &c.tokens[i]
		if t.concept == 0 || t.sign == 0 || t.is(isContent) || !k.inFocus(c, int32(i)) {
			continue
		}
		likes, opposes := false, false
		s := p.sentences[r.first]
		k.steps += int(s.last - s.first)
		for j := s.first; j < s.last; j++ {
			if u := &p.tokens[j]; u.concept == t.concept && u.sign != 0 {
				likes = likes || u.sign == t.sign
				opposes = opposes || u.sign != t.sign && t.is(negated) == u.is(negated) && sameNeighbour(c, i, p, int(j))
			}
		}
		if opposes && !likes && !k.comparesAlike(c, p, r.first) {
			r.contrary++
		}
	}
}

// sameNeighbour reports whether two tokens are followed by the same word or number,
// or else preceded by it.
func sameNeighbour(c *analysed, i int, p *analysed, j int) bool {
	for d := 1; d <= 2; d++ {
		for _, side := range [...]int{d, -d} {
			t, u := c.token(i+side), p.token(j+side)
			if t != nil && u != nil && (t.raw == u.raw || t.key == u.key) && t.is(isContent|inFact) {
				return true
			}
		}
	}
	return false
}

// findVerbatim reports whether the passage contains the claim word by word, without
// a negation in the rest of its sentence.
func (k *Checker) findVerbatim(c, p *analysed, r *reading) bool {
	const longest = 240
	n := len(c.tokens)
	if n < 3 || n > longest || r.first < 0 {
		return false
	}
	s := p.sentences[r.first]
	for from := max(0, int(s.first)-n); from < int(s.last) && from+n <= len(p.tokens); from++ {
		i := 0
		for i < n && c.tokens[i].raw == p.tokens[from+i].raw && c.tokens[i].is(contracted) == p.tokens[from+i].is(contracted) {
			i++
		}
		k.steps += i + 1
		if i == n {
			return samePolarity(c, p, from)
		}
	}
	return false
}

// limitedBefore reports whether what precedes the shared words may limit them: half of the pumps
// work, critics believe the pumps work. What it says is then compared word by word.
func limitedBefore(c, p *analysed, from int) bool {
	if before := p.token(from - 1); before != nil && !p.unknown && before.clause == p.tokens[from].clause &&
		(before.mean == meansThat || before.kind == wordToken && before.class&(classPreposition|classOf) != 0 || before.is(isContent) && !p.little(int32(from)-1) && !p.holds(int32(from)-1)) {
		return true // lawyers believe the court lifted the ban, the road to the bridge was closed
	}
	for i := range c.tokens {
		if !c.tokens[i].is(isContent | inFact) {
			continue
		}
		given, _ := p.quantifierOf(int32(from + i))
		claimed, _ := c.quantifierOf(int32(i))
		return claimed != given && (given.limits() || given == meansNo)
	}
	return false
}

// limitedAfter reports whether what follows may limit what was said: only after, or.
func (a *analysed) limitedAfter(i int) bool {
	next := a.token(i)
	if next == nil || next.kind != wordToken || next.sentence != a.tokens[i-1].sentence {
		return false
	}
	if i > 1 && a.senseAt(i-1).particle && !a.tokens[i-2].is(isContent) && next.clause == a.tokens[i-1].clause && next.class&(classAnd|classBreak) == 0 {
		return true // is on, is on the table
	}
	const reach = 8
	for j := i; j < min(i+reach, len(a.tokens)) && a.tokens[j].clause == next.clause; j++ {
		m, _ := a.meaningAt(j)
		if m == meansOnly || m.bounds() || a.classAt(j)&classEither != 0 || (m == meansBefore || m == meansFrom) && a.datedAt(int32(j)+1) {
			return true
		}
	}
	return false
}

// samePolarity reports whether no other word of the sentences denies the shared
// words, takes a denial back or limits of how many they are said. If a sentence begins with
// them, a negation among them may reach less far only because the sentence continues.
func samePolarity(c, p *analysed, from int) bool {
	if limitedBefore(c, p, from) || p.limitedAfter(from+len(c.tokens)) || p.ownsNext(int32(from+len(c.tokens)-1)) && !c.ownsNext(int32(len(c.tokens)-1)) {
		return false
	}
	if (c.speaksOfAll(0, len(c.tokens)) || c.speaksOfRate()) && p.excepts(from, from+len(c.tokens)) && !c.excepts(0, len(c.tokens)) {
		return false
	}
	opens := from == int(p.sentences[p.tokens[from].sentence].first)
	for i := range c.tokens {
		t, u := &c.tokens[i], &p.tokens[from+i]
		if t.is(negated) != u.is(negated) && (!opens || u.is(negated)) || otherSpeech(t, u, 0) || u.is(eitherWay) && !t.is(eitherWay) || t.kind == numberToken && c.numerals[t.numeral].minus != p.numerals[u.numeral].minus {
			return false
		}
	}
	return true
}
