package support

// What may, must, should and will be. Each carries itself. What must be need not be done, what may
// be is not so, and "need not" is another thing than "must not".

// modals is a set of modals.
type modals uint8

const (
	mayBe modals = 1 << iota // in the order of their meanings
	mustBe
	shouldBe
	willBe
	duty = mustBe | shouldBe
)

func (s *modals) add(m meaning) {
	if m.isModal() {
		*s |= 1 << (m - meansMay)
	}
}

// saidModals are the modals of a part and of the sentences around it. Words of meaning such as
// "required" count less: they have synonyms.
type saidModals struct {
	claimed, claim  modals // of the part and of the claim
	given, sentence modals // of the parts of the sentence with mates, and of all of it
	open            modals // words of meaning of the claim without a counterpart
	dropped         modals // words of meaning of the sentence that the claim lacks
}

// checkModals compares what may, must, should and will be. A part without a modal can share
// that of the part before.
func (w *carrying) checkModals() {
	m := w.modals()
	if w.sameExemption() { // must not, is not allowed to
		for _, s := range [...]*modals{&m.claimed, &m.claim, &m.given, &m.sentence, &m.open, &m.dropped} {
			*s &= willBe
		}
	}
	w.compareModals(m.claimed&^m.sentence&^(m.open|m.dropped), m.given&^m.claim&^(m.open|m.dropped), m.claimed, m.sentence)
	here, there := m.claimed|m.open, m.given|m.dropped
	if m.open&^there|m.dropped&^here|(m.open|m.dropped)&willBe != 0 {
		w.fail(looseEnd)
	}
	switch {
	case m.dropped&willBe != 0 && (m.claim|m.open)&willBe == 0, // plans to build
		here&mustBe != 0 && there&duty == shouldBe, here&mustBe != 0 && there == mayBe && !w.denies(), w.exempts():
		w.fail(otherModal)
	}
}

func (w *carrying) modals() (m saidModals) {
	claim := w.c.tokens
	if !w.k.claimSays.mayBeModal(w.c.language) {
		claim = nil
	}
	for i := range claim {
		here := int32(i) >= w.part.first && int32(i) < w.part.last
		modal := w.c.modalAt(int32(i))
		if w.c.planned(int32(i)) {
			if here && !w.hasMate(int32(i)) {
				m.open.add(modal)
			}
			continue
		}
		m.claim.add(modal)
		if here {
			m.claimed.add(modal)
		}
	}
	if !w.k.says.mayBeModal(w.p.language) {
		return m
	}
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		modal := w.p.modalAt(i)
		if modal == meansNothing {
			continue
		}
		here := w.hasMateIn(w.k.parts[i-s.first])
		if w.p.planned(i) {
			if here && !w.k.marked[i] {
				m.dropped.add(modal)
			}
			continue
		}
		m.sentence.add(modal)
		if here {
			m.given.add(modal)
		}
	}
	return m
}

// planned reports whether a modal is a word of meaning, such as plans or required, and neither an
// ending nor a helping word such as going to.
func (a *analysed) planned(i int32) bool {
	t := &a.tokens[i]
	return t.is(isContent) && !t.is(future) && t.said != meansMust && (t.said != meansWill || a.sense(t).helps&helperWill == 0)
}

// denies reports whether a mate is denied in one of the two.
func (w *carrying) denies() bool {
	for i := range w.mates {
		if w.c.tokens[w.mates[i].tok].is(negated) || w.p.tokens[w.mates[i].at].is(negated) {
			return true
		}
	}
	return false
}

// exempts reports whether one of the two says that something need not be, and the other that it must
// not be.
func (w *carrying) exempts() bool {
	if !w.denies() {
		return false
	}
	s := w.p.sentences[w.sentence]
	claimed, given := w.c.exemption(w.part.first, w.part.last), w.p.exemption(s.first, s.last)
	return claimed != 0 && given != 0 && claimed != given
}

// sameExemption reports whether both say that something must not be, or both that it need not be.
func (w *carrying) sameExemption() bool {
	if !w.denies() {
		return false
	}
	s := w.p.sentences[w.sentence]
	claimed := w.c.exemption(w.part.first, w.part.last)
	return claimed != 0 && claimed == w.p.exemption(s.first, s.last)
}

// exemption returns mustBe if a range denies a duty, mayBe if it denies a permission, 0 if neither
// or both.
func (a *analysed) exemption(first, last int32) modals {
	found := modals(0)
	for i := first; i < last; i++ {
		t := &a.tokens[i]
		m, size := a.meaningAt(int(i))
		switch {
		case t.kind != wordToken:
		case a.forbids(t):
			if !t.is(negated) {
				found |= mayBe
			}
		case !t.is(negated|contracted) || !a.negatedBy(i):
		case a.sense(t).exempts:
			found |= mustBe
		case m == meansMay, m == meansMust && size == 1:
			found |= mayBe
		}
	}
	if found == mustBe|mayBe {
		return 0
	}
	return found
}

// compareModals judges the modals that the claim adds and those that it drops. What is so can
// be so, and "Do not open it" is a duty.
func (w *carrying) compareModals(added, dropped, claimed, sentence modals) {
	switch {
	case added|dropped == 0:
	case dropped&^duty == 0 && (dropped == 0 || claimed&duty != 0) &&
		added&^duty&^mayBe == 0 && (added&duty == 0 || sentence&duty != 0 || w.demands()):
		w.fail(looseEnd)
	default:
		w.fail(otherModal)
	}
}

// demands reports whether the sentence begins with its verb, as a demand does.
func (w *carrying) demands() bool {
	s := w.p.sentences[w.sentence]
	t := &w.p.tokens[s.first]
	if w.p.language == german {
		return int(s.first)+1 < int(s.last) && w.p.isWord(int(s.first)+1, "sie")
	}
	return t.kind == wordToken && (t.is(isContent) || w.p.isWord(int(s.first), "do") || w.p.isWord(int(s.first), "ne") || w.p.isWord(int(s.first), "never"))
}

// mayBeModal reports whether one of the words may be a modal in a language; see
// modalAt.
func (s *wordsSaid) mayBeModal(l language) bool {
	return s.means&(1<<meansMay|1<<meansMust|1<<meansShould|1<<meansWill) != 0 || s.marks&future != 0 || l == german
}

// modalAt returns the modal at a token, also one that is the ending of a verb.
func (a *analysed) modalAt(i int32) meaning {
	t := &a.tokens[i]
	if t.kind != wordToken || t.is(inFact) {
		return meansNothing // in May
	}
	m, _ := a.meaningAt(int(i))
	if a.language == german && a.germanFuture(i) {
		return meansWill
	}
	if !m.isModal() && t.is(future) {
		return meansWill
	}
	return m
}

// germanFuture reports whether "wird" begins a future: its clause ends with an infinitive.
func (a *analysed) germanFuture(i int32) bool {
	if !a.isWord(int(i), "wird") && !a.isWord(int(i), "werden") {
		return false
	}
	last := i
	for int(last)+1 < len(a.tokens) && a.tokens[last+1].clause == a.tokens[i].clause && a.tokens[last+1].class&classAnd == 0 {
		last++
	}
	word := a.word(&a.tokens[last])
	n := len(word)
	return last > i && n > 4 && !a.tokens[last].is(hasCapital) && word[n-1] == 'n' && string(word[:2]) != "ge" && string(word) != "worden" && a.tokens[last].kind == wordToken
}

// negatedBy reports whether the clause of a token has a word such as not, and not only one that
// takes something away, such as "free of".
func (a *analysed) negatedBy(i int32) bool {
	for j := a.clauseFirst(i); int(j) < len(a.tokens) && a.tokens[j].clause == a.tokens[i].clause; j++ {
		if t := &a.tokens[j]; t.kind == wordToken && (t.is(contracted) || t.class&classNegator != 0) {
			return true
		}
	}
	return false
}
