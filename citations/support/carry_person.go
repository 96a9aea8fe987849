package support

// Who is meant by "you" and "we". A document tells its readers what you may do, and an answer says
// what tenants, visitors or patients may do, or the reverse; what we offer, the company offers.

// A person is who speaks or is spoken to, a set.
type person uint8

const (
	speaker       person = 1 << iota // we, our
	addressee                        // you, your
	speakerNoun                      // the company, the authors
	addresseeNoun                    // the tenant, visitors
)

var personNames = map[string]person{"speaker": speaker, "addressee": addressee, "speaker-noun": speakerNoun, "addressee-noun": addresseeNoun}

// personAt returns who a word may stand for.
func (a *analysed) personAt(i int32) person {
	t := &a.tokens[i]
	if t.kind != wordToken {
		return 0
	}
	p := a.sense(t).person
	if a.language == german && p == addressee && !t.is(hasCapital) && string(a.word(t)[:1]) != "d" {
		return 0 // sie: they
	}
	return p
}

// personsIn returns who is spoken of in a range.
func (a *analysed) personsIn(first, last int32) person {
	var all person
	for i := first; i < last; i++ {
		all |= a.personAt(i)
	}
	return all
}

// asPerson reports whether a word of the claim names who says "we" in the sentence, or is told "you".
func (w *carrying) asPerson(tok int32) bool {
	if w.c.language != w.p.language || w.c.tokens[tok].is(isName) {
		return false
	}
	here := w.c.personAt(tok) & (speakerNoun | addresseeNoun)
	if here == 0 {
		return false
	}
	s := w.p.sentences[w.sentence]
	there := w.p.personsIn(s.first, s.last)
	return here&speakerNoun != 0 && there&speaker != 0 || here&addresseeNoun != 0 && there&addressee != 0
}

// forPerson reports whether a word of the passage names somebody whom the claim calls "you".
func (w *carrying) forPerson(i int32) bool {
	return w.p.personAt(i)&addresseeNoun != 0 && w.c.personsIn(w.part.first, w.part.last)&addressee != 0
}
