package support

// What somebody says, and what is so according to somebody, is not said by the passage itself: its
// words are reserved, and told. They carry a claim that tells them, too.

const (
	tellReach  = 6 // tokens between "said" and its "that": told reporters on Friday that
	shortTells = 5 // words of meaning of a clause that only says who said it

	postposed = "zufolge" // stands behind who says it
)

// tell marks what somebody says in a statement.
func (a *analysed) tell(first, i, last int32) {
	for ; i < last; i++ {
		t := &a.tokens[i]
		from, to := int32(-1), last
		switch {
		case t.is(hearsay), t.said == meansTold:
			if a.hearsayAt(i, last) {
				says, said := a.source(i, last)
				a.markTold(first, says)
				from = said
			}
		case t.is(tells):
			from, to = a.toldBy(first, i, last)
		case t.is(gainsays):
			for j := i + 1; j < last; j++ {
				a.tokens[j].marks |= gainsaid
			}
		}
		if from >= 0 {
			a.markTold(from, to)
			return
		}
	}
}

func (a *analysed) markTold(first, last int32) {
	for i := first; i < last; i++ {
		a.tokens[i].marks |= reserved | told
	}
}

// source returns the tokens that say according to whom.
func (a *analysed) source(i, last int32) (from, to int32) {
	if from, to = i, i+1; a.isWord(int(i), postposed) {
		return a.clauseFirst(i), to
	}
	clause := a.tokens[i].clause
	for to < last && a.tokens[to].clause == clause && !a.tokens[to-1].is(isContent) {
		to++
	}
	for to < last && a.tokens[to].clause == clause && a.tokens[to].is(isName) {
		to++
	}
	return from, to
}

// toldBy returns which tokens of a statement are told by a verb of saying; from is -1 for none.
func (a *analysed) toldBy(first, i, last int32) (from, to int32) {
	t := &a.tokens[i]
	if a.nounAt(i) || a.language == german && t.is(hasCapital) || a.ruleSays(i) {
		return -1, 0 // in the report, the contract says
	}
	for j := i + 1; j < min(last, i+1+tellReach); j++ {
		if a.tokens[j].kind == wordToken && a.tokens[j].mean == meansThat && (a.opensClauseAt(j+1, last) || j+1 < last && (a.tokens[j].clause != t.clause || a.classAt(int(j)+1)&classPreposition != 0)) {
			return j, last
		}
	}
	if to := a.token(int(i) + 1); a.language == english && to != nil && i+1 < last && to.kind == wordToken && to.mean == meansTo {
		return i + 1, last // is said to have left
	}
	next := i + 1
	for next < last && a.tokens[next].clause == t.clause {
		next++
	}
	switch begin := a.clauseFirst(i); {
	case begin > first && next == last && a.contentIn(begin, last) <= shortTells:
		return first, begin // the tram is safe, the mayor said
	case a.language == german && next < last && a.contentIn(first, i) > 0 && a.onlyFacts(i+1, next) && a.nounPhraseAt(next, last):
		return next, last // behauptet, die Ware sei geliefert
	case a.language == english && a.nounPhraseAt(i+1, last) && (!t.is(announces) || a.finiteBehind(i+2, last)):
		return i + 1, last // said the parts were shipped
	}
	return -1, 0
}

// ruleSays reports whether a rule or a record is the subject of a verb of saying.
func (a *analysed) ruleSays(i int32) bool {
	for j := a.clauseFirst(i); j < i; j++ {
		if t := &a.tokens[j]; t.kind == wordToken && t.is(isContent) && a.sense(t).rule && !a.holdingOf(j, true).found() {
			return true
		}
	}
	return false
}

// onlyFacts reports whether a range has no word of meaning but dates: sagte am 3. Mai.
func (a *analysed) onlyFacts(first, last int32) bool {
	for i := first; i < last; i++ {
		if a.tokens[i].is(isContent) && !a.tokens[i].is(inFact) {
			return false
		}
	}
	return true
}

// clauseFirst returns the first token of the clause of a token.
func (a *analysed) clauseFirst(i int32) int32 {
	for i > 0 && a.tokens[i-1].clause == a.tokens[i].clause {
		i--
	}
	return i
}

// opensClauseAt reports whether a subject begins at a token of a statement.
func (a *analysed) opensClauseAt(i, last int32) bool {
	return i < last && a.opensClause(i)
}

// nounPhraseAt reports whether an article, a pronoun or a name stands at a token.
func (a *analysed) nounPhraseAt(i, last int32) bool {
	if i >= last {
		return false
	}
	t := &a.tokens[i]
	return t.kind != wordToken || t.class&(classArticle|classPronoun) != 0 || t.is(hasCapital|isContent)
}

// finiteBehind reports whether an auxiliary or a verb in the past follows in a statement.
func (a *analysed) finiteBehind(i, last int32) bool {
	for ; i < last; i++ {
		t := &a.tokens[i]
		if t.kind == wordToken && (t.class&classVerb != 0 || t.mean.isModal() && !t.is(isContent)) {
			return true
		}
	}
	return false
}

// hearsayAt reports whether "according to" names somebody, and neither a rule, as in "according to
// the contract", nor an order: sorted according to size.
func (a *analysed) hearsayAt(i, last int32) bool {
	begin := a.clauseFirst(i)
	if a.isWord(int(i), postposed) {
		return a.contentIn(begin, i) > 0
	}
	if a.contentIn(begin, i) > 0 {
		return false
	}
	for j := i + 1; j < last && a.tokens[j].clause == a.tokens[i].clause; j++ {
		if t := &a.tokens[j]; t.is(isContent) {
			return !a.sense(t).rule
		}
	}
	return true
}

// otherSpeech reports whether a word of the claim and its counterpart differ in being told: what is
// told, supposed or asked for is not so, and what is denied is not what somebody says.
func otherSpeech(t, u *token, claim tokenMarks) bool {
	switch {
	case u.is(gainsaid) && t.is(told) && !t.is(gainsaid):
		return true
	case u.is(told) && !u.is(gainsaid) && claim&(tells|hearsay) != 0:
		return false
	}
	return u.is(reserved) && !t.is(reserved)
}

// toldHere reports whether somebody says something in the sentence.
func (w *carrying) toldHere() bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if w.p.tokens[i].is(told) {
			return true
		}
	}
	return false
}

// tellsToo reports whether somebody says something in both, and denies nothing.
func (w *carrying) tellsToo(given tokenMarks) bool {
	return given&gainsaid == 0 && w.k.claimSays.marks&(tells|hearsay) != 0 && w.toldHere()
}
