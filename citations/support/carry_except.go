package support

import "slices"

// What a statement says of all things but some, or only if something else holds.

// excepts reports whether a statement of which a range is part excepts something from what it says.
func (a *analysed) excepts(first, last int) bool {
	s := a.sentences[a.tokens[first].sentence]
	from, to := a.statementStart(s.first, int32(first)), a.statementEnd(int32(last-1), s.last)
	for i := from; i < to; i++ {
		if a.exceptsAt(i, to) {
			return true
		}
	}
	return false
}

// speaksOfAll reports whether a range has a word such as all, every or no.
func (a *analysed) speaksOfAll(first, last int) bool {
	for i := first; i < last; i++ {
		if m, _ := a.meaningAt(i); m == meansAll || m == meansNo {
			return true
		}
	}
	return false
}

// speaksOfRate reports whether a text has a word such as daily.
func (a *analysed) speaksOfRate() bool {
	for i := range a.tokens {
		if t := &a.tokens[i]; t.concept != 0 && slices.Contains(a.lex.periods, t.concept) {
			return true
		}
	}
	return false
}

// exceptsAt reports whether what follows a token is excepted from what is said before: except, all
// but, "nur die in Kiel nicht".
func (a *analysed) exceptsAt(i, last int32) bool {
	t := &a.tokens[i]
	if t.kind != wordToken {
		return false
	}
	m, size := a.meaningAt(int(i))
	switch {
	case a.sense(t).bars, m == meansExcept && (size == 2 || a.allBefore(i, last) || a.shortClause(i)):
		return true
	case i > 1 && a.restricts(i), a.language == dutch && a.isWord(int(i), "op") && a.endsWithNa(i):
		return true
	case m == meansOnly && i > 0 && a.tokens[i-1].clause != t.clause && !t.is(beginsSentence):
		for j := i + 1; j < last && a.tokens[j].clause == t.clause; j++ {
			if a.classAt(int(j))&classNegator != 0 {
				return true
			}
		}
	}
	return false
}

// endsWithNa reports whether "na" ends what begins with "op", at the beginning of a clause: op de bakker
// na. The verb follows it, or nothing.
func (a *analysed) endsWithNa(i int32) bool {
	const reach = 6
	if i > 0 && a.tokens[i-1].clause == a.tokens[i].clause && !a.tokens[i].is(beginsSentence) {
		return false
	}
	for j := i + 2; int(j) < len(a.tokens) && j < i+reach && a.tokens[j].clause == a.tokens[i].clause; j++ {
		if a.isWord(int(j), "na") {
			next := a.token(int(j) + 1)
			return next == nil || next.clause != a.tokens[i].clause || next.mean == meansNow || next.mean == meansPast || next.mean.isModal() || a.sense(next).has
		}
	}
	return false
}

// restricts reports whether a word begins a clause that says which of all the things are meant: all
// tenants who signed.
func (a *analysed) restricts(i int32) bool {
	if !a.tokens[i-1].is(isContent) || a.tokens[i-1].clause != a.tokens[i].clause {
		return false
	}
	for _, word := range [...]string{"who", "whose", "that", "which", "qui", "que", "che"} {
		if a.isWord(int(i), word) {
			m, _ := a.quantifierOf(i - 1)
			return m == meansAll
		}
	}
	return false
}

// noneBut reports whether a word is all that a sentence excepts from what it says of none: no room
// except the kitchen.
func (w *carrying) noneBut(at int32) bool {
	const reach = 3
	s := w.p.sentences[w.sentence]
	for i := at - 1; i >= max(s.first, at-reach); i-- {
		if w.p.exceptsAt(i, s.last) {
			for ; i >= s.first; i-- {
				if w.p.means(i, meansNo) || w.p.classAt(int(i))&classNegator != 0 {
					return true
				}
			}
		}
	}
	return false
}

// shortClause reports whether a token begins a clause of a noun and no verb: ", menos el Prado".
func (a *analysed) shortClause(i int32) bool {
	const longest = 2 // words
	if i == 0 || a.tokens[i-1].clause == a.tokens[i].clause {
		return false
	}
	last := i
	for ; int(last) < len(a.tokens) && a.tokens[last].clause == a.tokens[i].clause; last++ {
		if a.classAt(int(last))&classVerb != 0 {
			return false
		}
	}
	return a.contentIn(i, last) <= longest
}

// checkExceptions looks for an exception that the claim lacks, or has from another thing, and for
// what is denied unless something holds: no entry without a helmet.
func (w *carrying) checkExceptions() {
	first, last := int(w.part.first), int(w.part.last)
	claimed := w.k.claimSays.mayExcept(w.c.language) && w.c.excepts(first, last)
	given := w.k.says.mayExcept(w.p.language) && w.p.excepts(int(w.mates[0].at), int(w.mates[0].at)+1)
	if claimed && len(w.open) > 0 || given && !claimed {
		w.fail(otherQuantity)
	}
	if s := w.p.sentences[w.sentence]; claimed && given && w.c.negators(w.part.first, w.part.last) != w.p.negators(s.first, s.last) {
		w.fail(otherPolarity) // all but one are open, all but one are not open
	}
	const limits = 1<<meansOnly | 1<<meansIf | 1<<meansMust
	if w.k.claimSays.classes&classWithout != 0 || w.k.claimSays.means&limits != 0 {
		return
	}
	for i := range w.mates {
		if m := &w.mates[i]; w.p.tokens[m.at].is(eitherWay) && !w.c.tokens[m.tok].is(eitherWay) {
			w.fail(otherReserve)
			return
		}
	}
}

// negators counts the words of a range that deny something.
func (a *analysed) negators(first, last int32) int {
	n := 0
	for i := first; i < last; i++ {
		if t := &a.tokens[i]; t.kind == wordToken && (t.class&classNegator != 0 || t.is(contracted)) {
			n++
		}
	}
	return n
}
