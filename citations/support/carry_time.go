package support

import "slices"

// When something is so. "Is being demolished" does not carry "was demolished", nor "will resign"
// "has resigned": the time of a verb shows in the helping words before it and in its ending.

// helper is what a helping word of a verb says, a set.
type helper uint16

const (
	helperIs helper = 1 << iota
	helperWas
	helperHas
	helperHad
	helperBeen
	helperBeing
	helperBecomes // wird: of a passive
	helperBecame  // wurde
	helperWill
	helperWould
	helperDid
	helperUsed // used to
	helperTo   // of an infinitive
)

var helperNames = map[string]helper{
	"is": helperIs, "was": helperWas, "has": helperHas, "had": helperHad, "been": helperBeen, "being": helperBeing,
	"becomes": helperBecomes, "became": helperBecame, "will": helperWill, "would": helperWould, "did": helperDid, "used": helperUsed, "to": helperTo,
}

// times is a set of the times that a form of a verb can have.
type times uint8

const (
	timePast   times = 1 << iota // it was done, or has been
	timeBecame                   // the same, in the passive
	timeState                    // it is in the state that it was brought to
	timeNow                      // it is done
	timeGoesOn                   // it is being done
	timeComing                   // it will be done
	timeSimple                   // told of in the present
)

// germanic reports whether helping words may stand anywhere in a clause.
func (l language) germanic() bool { return l == german || l == dutch }

// beMoves reports whether "is" and a participle may say what was done: ist gegangen, est parti.
func (l language) beMoves() bool { return l != english && l != spanish && l != portuguese }

// timesOf returns the times of a verb, 0 if its form does not show them.
func (a *analysed) timesOf(i int32) times {
	t := &a.tokens[i]
	if t.kind != wordToken || t.is(inFact|isName|tells) || endsWith(a.word(t), []byte("eed")) || a.language == german && t.is(hasCapital) || a.nounAt(i) {
		return 0
	}
	h, sure := a.helpersOf(i)
	ing := a.language == english && endsWith(a.word(t), []byte("ing"))
	switch {
	case !sure, h&helperWould != 0, h == helperTo, h == 0 && t.is(infinitive):
		return 0
	case h&helperWill != 0:
		return timeComing
	case h&(helperDid|helperUsed) != 0:
		return timePast
	case h&helperBeing != 0 && h&helperIs != 0:
		return timeGoesOn
	case ing && h&helperIs != 0:
		return timeGoesOn | timeNow
	case ing && h&helperHas != 0:
		return timeGoesOn | timeNow | timePast
	case ing && h&helperWas == 0:
		return 0
	case h&(helperWas|helperHad) != 0:
		return timePast | timeBecame
	case h&helperBecame != 0:
		return timeBecame
	case h&helperBecomes != 0:
		return timeGoesOn | timeNow
	case h&helperBeen != 0:
		return timePast | timeBecame | timeState
	case h&helperHas != 0:
		return timePast | timeBecame | timeState
	case h&helperIs != 0 && a.language.beMoves():
		return timeState | timeNow | timePast
	case h&helperIs != 0:
		return timeState | timeNow
	case t.is(pastForm):
		if a.onlyVerb(i) {
			return timePast | timeBecame
		}
		return 0
	case a.presentAt(i):
		return timeNow | timeGoesOn | timeSimple
	}
	return 0
}

// helpersOf returns the helping words of a verb. sure is false if another word than a helping one,
// such as a modal, stands among them.
func (a *analysed) helpersOf(i int32) (h helper, sure bool) {
	const reach = 5
	t := &a.tokens[i]
	for j := i - 1; j >= max(0, i-reach) && a.tokens[j].clause == t.clause; j-- {
		u := &a.tokens[j]
		switch {
		case u.kind != wordToken && a.language.germanic():
			continue
		case u.kind != wordToken || u.class&classAnd != 0:
			return h, true
		}
		s := a.sense(u)
		if s.helps == 0 && u.mean.isModal() && !u.is(isContent) || u.mean == meansSubjunctive && u.end-u.start > u.foldEnd-u.foldStart {
			return 0, false
		}
		if h |= s.helps; s.helps == helperUsed && (h&helperTo == 0 || !a.onlyVerb(j)) {
			return 0, false // the method used to measure it
		}
		if !a.language.germanic() && s.helps == 0 && (u.is(isContent|inFact) && !a.adverb(j) && !a.little(j) || u.class&(classArticle|classPronoun|classPreposition) != 0) {
			break
		}
	}
	if !a.language.germanic() {
		return h, true
	}
	for j := i + 1; int(j) < len(a.tokens) && a.tokens[j].clause == t.clause && a.tokens[j].class&classAnd == 0; j++ {
		if a.tokens[j].kind == wordToken {
			h |= a.sense(&a.tokens[j]).helps
		}
	}
	return h, true
}

// onlyVerb reports whether a form of the past without a helping word is the verb of its clause, and
// no participle that belongs to a noun: the bridge built in 1900 is closed.
func (a *analysed) onlyVerb(i int32) bool {
	t := &a.tokens[i]
	for j := a.clauseFirst(i); int(j) < len(a.tokens) && a.tokens[j].clause == t.clause; j++ {
		if u := &a.tokens[j]; j != i && u.kind == wordToken && !u.is(inFact) && (u.is(pastForm) || a.sense(u).helps&^helperTo != 0 || u.class&classVerb != 0) {
			return false
		}
	}
	return a.contentIn(a.clauseFirst(i), i) > 0
}

// presentAt reports whether a word without a helping word is the verb of its clause, so far as the
// words around it show: the airport opens in May.
func (a *analysed) presentAt(i int32) bool {
	t, before, next := &a.tokens[i], a.token(int(i)-1), a.token(int(i)+1)
	if before == nil || before.clause != t.clause || before.kind != wordToken || before.class&classPreposition != 0 {
		return false
	}
	switch a.language {
	case english:
		subject := before.is(isContent) && !before.is(inFact) || before.class&classPronoun != 0
		helped := next != nil && next.clause == t.clause && next.kind == wordToken && (a.sense(next).helps != 0 || next.class&classVerb != 0)
		return subject && !helped && a.onlyVerb(i)
	case french, spanish, italian, portuguese, polish:
		return before.is(isContent) && !before.is(inFact) && !t.is(future|infinitive) && a.onlyVerb(i)
	case german:
		word := a.word(t)
		return (before.is(hasCapital) || before.class&classPronoun != 0) && word[len(word)-1] == 't' && a.onlyVerb(i)
	}
	return false
}

// checkTimes compares when something is said to be so.
func (w *carrying) checkTimes() {
	if w.c.language != w.p.language {
		return
	}
	if w.had() || slices.ContainsFunc(w.open, w.c.ended) {
		w.fail(otherModal)
	}
	for i := range w.mates {
		m := &w.mates[i]
		if m.hit < 0 || w.p.tokens[m.at].kind != wordToken {
			continue
		}
		claimed := w.c.timesOf(m.tok)
		if claimed == 0 {
			continue
		}
		given := w.p.timesOf(m.at)
		switch {
		case given == 0, given == timeComing && claimed&timeNow != 0: // see checkModals
		case claimed == timeComing && given&(timeNow|timeGoesOn) != 0:
		case given&timeSimple != 0 && claimed&timePast != 0 && !w.dated():
		case claimed&given == 0:
			w.fail(otherModal)
			return
		}
	}
}

// ended reports whether a word says that something is over, as the predicate of its
// clause: is completed.
func (a *analysed) ended(i int32) bool {
	t := &a.tokens[i]
	if t.concept == 0 || t.concept != a.lex.course || t.sign > 0 || a.prepositionOf(i) != nil {
		return false
	}
	h, _ := a.helpersOf(i)
	return h&(helperIs|helperWas|helperHas|helperBeen) != 0
}

// dated reports whether the part has a date. What is told of in the present, without one, may be
// told of in the past.
func (w *carrying) dated() bool {
	for i := range w.mates {
		if m := &w.mates[i]; m.hit < 0 && w.c.datedAt(m.tok) {
			return true
		}
	}
	return false
}

// had reports whether the claim says that something has what the sentence says that it had.
func (w *carrying) had() bool {
	if w.c.language != english || !w.c.owned(w.part.first, w.part.last, helperHas) {
		return false
	}
	s := w.p.sentences[w.sentence]
	return w.p.owned(s.first, s.last, helperHad) && !w.p.owned(s.first, s.last, helperHas)
}

// owned reports whether a range has a form of "have" that is no helping word.
func (a *analysed) owned(first, last int32, form helper) bool {
	const reach = 3
	for i := first; i < last; i++ {
		if t := &a.tokens[i]; t.kind != wordToken || a.sense(t).helps != form {
			continue
		}
		helping := false
		for j := i + 1; j < min(last, i+1+reach); j++ {
			u := &a.tokens[j]
			helping = helping || u.is(pastForm) || u.kind == wordToken && a.sense(u).helps != 0
			if u.is(isContent) || u.class&classArticle != 0 {
				break
			}
		}
		if !helping {
			return true
		}
	}
	return false
}

// otherTense reports whether a word without an article has another form in a language of whose verbs
// few times are known: sells, sold until 1990.
func (w *carrying) otherTense() bool {
	if w.c.language <= german || w.c.language != w.p.language {
		return false
	}
	for i := range w.mates {
		m := &w.mates[i]
		t := &w.c.tokens[m.tok]
		if m.hit >= 0 && w.c.contentIn(w.part.first, m.tok) > 0 && !w.c.nounAt(m.tok) && w.c.prepositionOf(m.tok) == nil && !t.is(hasCapital) && t.raw != w.p.tokens[m.at].raw {
			return true
		}
	}
	return false
}
