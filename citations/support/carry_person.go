package support

import (
	"slices"
	"strings"
)

// "We may terminate your contract" does not say which of the two the employee is.

// A person is who speaks or is spoken to, a set.
type person uint8

const (
	speaker   person = 1 << iota // we, our
	addressee                    // you, your
)

var personNames = map[string]person{"speaker": speaker, "addressee": addressee}

// personAt returns who is meant by a word such as "we" or "your".
func (a *analysed) personAt(i int32) person {
	t := &a.tokens[i]
	if t.kind != wordToken || t.is(isName) {
		return 0
	}
	who := a.sense(t).person
	if who == addressee && a.language == german && (!t.is(hasCapital) || t.is(beginsSentence)) && strings.IndexByte("sSiI", a.raw[t.start]) >= 0 {
		return 0 // sie: they
	}
	return who
}

// personsIn returns who speaks and who is spoken to in a range.
func (a *analysed) personsIn(first, last int32) (all person) {
	for i := first; i < last; i++ {
		all |= a.personAt(i)
	}
	return all
}

// eitherPerson reports whether somebody in the part has no counterpart, and may be one or the other of
// those that the sentence calls "we" and "you".
func (w *carrying) eitherPerson() bool {
	const both = speaker | addressee
	if len(w.open) == 0 || !slices.ContainsFunc(w.open, w.mayAct) {
		return false
	}
	s := w.p.sentences[w.sentence]
	return w.p.personsIn(s.first, s.last) == both && w.c.personsIn(w.part.first, w.part.last) != both
}

// mayAct reports whether a word of the claim may be who does something: it opens the part, stands
// behind "by", or is a noun without a preposition.
func (w *carrying) mayAct(tok int32) bool {
	return w.c.contentIn(w.part.first, tok) == 0 || w.c.doer(tok) || w.c.nounAt(tok) && w.c.prepositionOf(tok) == nil
}
