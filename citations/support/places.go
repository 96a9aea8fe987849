package support

// Names in each other's place: "the camera came from Leiden, the lens from Padua"
// does not say that the camera came from Padua, although it contains all of those
// words.

const (
	crossedSure = 2 // weight of words in another part from which a name is wrong
	placeSure   = 3 // neighbours that make a place the same one
	placeLikely = 2
	longestName = 12
	partReach   = 120 // tokens on either side of a word that are searched for its part
)

// misplacedNames looks for names of the claim that the sentence has in another
// place.
func (k *Checker) misplacedNames(c, p *analysed, r *reading) doubt {
	k.splitParts(p, p.sentences[r.first])
	worst, suspects, looked := none, 0, 0
	for i := int32(0); int(i) < len(c.tokens) && looked < maxCandidates; {
		ph := c.nameFrom(i)
		if ph.first == ph.last {
			i++
			continue
		}
		i = ph.last
		if !k.inFocus(c, ph.first) {
			continue
		}
		looked++
		worst = max(worst, k.crossed(c, p, r, ph), k.mixed(c, p, ph))
		if d := k.otherInPlace(c, p, r, ph); d != none {
			worst = max(worst, d)
			suspects++
		}
	}
	if suspects > 1 {
		return contradict // exchanged
	}
	return worst
}

// nameFrom returns the name that begins at a token. In German, a noun without an
// article may be one.
func (a *analysed) nameFrom(i int32) phrase {
	ph := phrase{i, i, -1}
	for int(ph.last) < len(a.tokens) && ph.last-i < longestName {
		t := &a.tokens[ph.last]
		if !t.is(isName|mayBeName) && !(a.language == german && ph.last == i && a.properNoun(t)) || ph.last > i && t.clause != a.tokens[i].clause {
			break
		}
		ph.last++
	}
	return ph
}

// properNoun reports whether a word has a capital and no meaning in the lists.
func (a *analysed) properNoun(t *token) bool {
	return t.kind == wordToken && t.is(hasCapital) && t.is(isContent) && !t.is(inFact|beginsSentence) && t.concept == 0 && t.class == 0
}

// splitParts numbers the parts of a sentence, which end at commas and at "and".
func (k *Checker) splitParts(p *analysed, s textSpan) {
	if k.split == p && k.splitAt == s.first {
		return
	}
	k.split, k.splitAt = p, s.first
	k.parts, k.says = zeroed(k.parts, int(s.last-s.first)), wordsSaid{}
	part := int32(0)
	for i := s.first; i < s.last; i++ {
		t := &p.tokens[i]
		if t.kind == wordToken {
			k.says.add(t, p.sense(t))
		}
		if i > s.first && (t.part != p.tokens[i-1].part || t.kind == wordToken && t.class&classAnd != 0) {
			part++
		}
		k.parts[i-s.first] = part
	}
	k.steps += len(k.parts)
}

// wordsSaid are the roles and meanings of the words of a sentence: what it lacks need not be
// looked for.
type wordsSaid struct {
	classes wordClass
	means   uint64
	marks   tokenMarks
	bars    bool // one says that what follows is excepted
}

// add adds a word with its meaning.
func (s *wordsSaid) add(t *token, of *sense) {
	s.classes |= t.class
	s.means |= 1<<(t.mean&63) | 1<<(t.said&63)
	s.marks |= t.marks
	s.bars = s.bars || of.bars
}

func (s *wordsSaid) has(m meaning) bool { return s.means&(1<<m) != 0 }

// mayExcept reports whether one of the words may except something in a language; see exceptsAt. Dutch
// does so with two words of which neither says so alone: op … na.
func (s *wordsSaid) mayExcept(l language) bool {
	return s.bars || s.means&(1<<meansExcept|1<<meansOnly|1<<meansAll) != 0 || l == dutch
}

// crossed reports whether the words that the claim connects with a name stand in
// another part of the sentence with a name of its own, while the name's part says
// something else.
func (k *Checker) crossed(c, p *analysed, r *reading, ph phrase) doubt {
	s := p.sentences[r.first]
	mate := k.mateOf(c, p, ph, s)
	if mate < 0 || c.language == german && !c.tokens[ph.last-1].is(isName) && !c.hasRole(ph.first) {
		return none
	}
	other, moved := k.saysOther(c, p, s, k.parts[mate-s.first], c.tokens[ph.first].part)
	if !other && !moved {
		return none
	}
	rival := func(i int32) bool { // a name that the claim lacks, or has in another part
		t := &p.tokens[i]
		return t.is(isName|mayBeName) && (other && !k.marked[i] || moved && k.marked[i] && c.elsewhere(t, c.tokens[ph.first].part))
	}
	con := 0.0
	for n := range k.terms {
		t := &k.terms[n]
		word := &c.tokens[t.tok]
		if k.mates[n] == 0 || !t.focus || p.tokens[k.hits[k.mates[n]-1].tok].sentence != r.first || word.is(isName) || word.part != c.tokens[ph.first].part || t.tok >= ph.first && t.tok < ph.last {
			continue
		}
		if k.ofAnother(c, p, ph, t.tok, k.hits[k.mates[n]-1].tok, rival) {
			con += t.weight
		}
	}
	for m := range c.facts {
		f := &c.facts[m]
		if f.soft || !k.inFocus(c, f.first) || c.tokens[f.first].part != c.tokens[ph.first].part {
			continue
		}
		for j := range p.facts {
			if g := &p.facts[j]; g.first >= s.first && g.first < s.last && k.standing(p, m, j) == same {
				if k.ofAnother(c, p, ph, f.first, g.first, rival) {
					con++
				}
				break
			}
		}
	}
	switch {
	case con >= crossedSure:
		return contradict
	case con >= 1:
		return suspicion
	}
	return none
}

// mateOf returns the first token of the sentence with a name's last word, -1 if
// there is none.
func (k *Checker) mateOf(c, p *analysed, ph phrase, s textSpan) int32 {
	for tok := ph.last - 1; tok >= ph.first; tok-- {
		for i := range k.hits {
			if h := &k.hits[i]; c.tokens[k.terms[h.term].tok].key == c.tokens[tok].key && h.tok >= s.first && h.tok < s.last && p.tokens[h.tok].is(hasCapital) {
				return h.tok
			}
		}
	}
	return -1
}

// saysOther reports whether a part has a word or number that the claim lacks, and
// whether it has one that the claim has in another part.
func (k *Checker) saysOther(c, p *analysed, s textSpan, part int32, of uint16) (other, moved bool) {
	for i := s.first; i < s.last; i++ {
		t := &p.tokens[i]
		if k.parts[i-s.first] == part && !t.is(isName) && (t.is(isContent) || t.kind == numberToken) {
			other = other || !k.marked[i] && !c.hasRaw(t)
			moved = moved || c.elsewhere(t, of)
		}
	}
	return other, moved
}

// elsewhere reports whether a text has a word of another text outside a part.
func (a *analysed) elsewhere(t *token, part uint16) bool {
	tok := a.words.get(t.key)
	found := tok >= 0
	for count := 0; tok >= 0 && count < maxHits; count++ {
		found = found && a.tokens[tok].part != part
		tok = a.tokens[tok].next
	}
	return found
}

func (a *analysed) hasRaw(t *token) bool {
	for tok := a.words.get(t.key); tok >= 0; tok = a.tokens[tok].next {
		if a.tokens[tok].raw == t.raw {
			return true
		}
	}
	return false
}

// ofAnother reports whether the part of the sentence that has a word of the claim
// connects it with another name, on the same side and in the same role, and not with
// this one.
func (k *Checker) ofAnother(c, p *analysed, ph phrase, here, there int32, rival func(int32) bool) bool {
	s := p.sentences[p.tokens[there].sentence]
	part, found := k.parts[there-s.first], false
	for i := max(s.first, there-partReach); i < min(s.last, there+partReach); i++ {
		t := &p.tokens[i]
		if k.parts[i-s.first] != part {
			continue
		}
		k.steps++
		for tok := ph.first; tok < ph.last; tok++ {
			if c.tokens[tok].key == t.key {
				return false
			}
		}
		if !rival(i) {
			continue
		}
		role := p.hasPlace(p.nameStart(i))
		found = found || role == c.hasPlace(ph.first) && ((i < there) == (ph.first < here) || p.language == german)
	}
	return found
}

// hasPlace reports whether a preposition, other than that of a doer, precedes a
// name.
func (a *analysed) hasPlace(first int32) bool {
	return a.hasRole(first) && !a.passive(max(a.sentenceStart(first), first-3), first)
}

func (a *analysed) sentenceStart(tok int32) int32 {
	return a.sentences[a.tokens[tok].sentence].first
}

// otherInPlace reports whether the sentence has another name between the neighbours
// of this one.
func (k *Checker) otherInPlace(c, p *analysed, r *reading, ph phrase) doubt {
	s := p.sentences[r.first]
	own, other := 0, 0
	for i := s.first; i < s.last; {
		there := p.nameFrom(i)
		if there.first == there.last {
			i++
			continue
		}
		i = there.last
		k.steps += 4
		n, says := sharedNeighbours(c, ph, p, there)
		switch {
		case sharesWord(c, ph, p, there):
			own = max(own, n)
		case says && !p.listed(there):
			other = max(other, n)
		}
	}
	switch {
	case other >= placeSure && own <= other-placeLikely:
		return contradict
	case other >= placeLikely && own == 0:
		return suspicion
	}
	return none
}

func sharesWord(c *analysed, ph phrase, p *analysed, there phrase) bool {
	for i := ph.first; i < ph.last; i++ {
		for j := there.first; j < there.last; j++ {
			if c.tokens[i].key == p.tokens[j].key {
				return true
			}
		}
	}
	return false
}

// listed reports whether a name is one of several joined by "and", whose order means
// nothing.
func (a *analysed) listed(ph phrase) bool {
	return a.classAt(int(ph.first)-1)&classAnd != 0 || int(ph.last) < len(a.tokens) && a.classAt(int(ph.last))&classAnd != 0
}

// sharedNeighbours counts the consecutive neighbours that two names share, and
// reports whether one of them is a content word.
func sharedNeighbours(c *analysed, ph phrase, p *analysed, there phrase) (n int, says bool) {
	for _, side := range [...]struct{ here, there, step int32 }{{ph.first, there.first, -1}, {ph.last - 1, there.last - 1, 1}} {
		for d := side.step; d == side.step || d == 2*side.step; d += side.step {
			t, u := c.token(int(side.here+d)), p.token(int(side.there+d))
			if t != nil && t.sentence != c.tokens[side.here].sentence {
				t = nil
			}
			if u != nil && u.sentence != p.tokens[side.there].sentence {
				u = nil
			}
			if t == nil && u == nil && d == side.step {
				n++
			}
			if t == nil || u == nil || t.raw != u.raw || t.part != c.tokens[side.here].part || u.part != p.tokens[side.there].part {
				break
			}
			n++
			says = says || t.is(isContent|inFact)
		}
	}
	return n, says
}

// mixed reports whether a name has the first name of one and the last of another.
func (k *Checker) mixed(c, p *analysed, ph phrase) doubt {
	const near = 3 // Anna Weber, Anna M. Weber
	for tok := ph.first; tok+1 < ph.last; tok++ {
		if !c.tokens[tok].is(isName) || !c.tokens[tok+1].is(isName) || p.words.get(c.tokens[tok+1].key) < 0 {
			continue
		}
		other, together := false, false
		for i := p.words.get(c.tokens[tok].key); i >= 0 && !together; i = p.tokens[i].next {
			k.steps++
			for d := int32(1); d <= near && int(i+d) < len(p.tokens); d++ {
				next := &p.tokens[i+d]
				if !next.is(hasCapital) || next.clause != p.tokens[i].clause {
					break
				}
				together = together || next.key == c.tokens[tok+1].key
			}
			next := p.token(int(i) + 1)
			other = other || next != nil && next.is(isName) && next.clause == p.tokens[i].clause
		}
		if other && !together {
			return contradict
		}
	}
	return none
}
