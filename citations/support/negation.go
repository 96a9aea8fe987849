package support

// findNegations marks the tokens that a negation governs: those of its clause, and
// of the short parts that continue a list. "Without" governs only what follows, "refused"
// also a clause behind its own.
func (a *analysed) findNegations() {
	for _, s := range a.sentences {
		if !a.mayDeny(s) {
			continue
		}
		negatedBefore, denies := false, false
		for first := s.first; first < s.last; {
			last, broken := a.segment(first, s.last)
			at, forward := a.negator(first, last)
			a.markObject(at, first, last)
			switch {
			case at >= 0 && forward:
				a.negate(at, a.withoutEnd(at, first, last))
				negatedBefore, denies = false, false
			case at >= 0 && a.permit(first, last):
				negatedBefore, denies = false, false
			case at >= 0:
				a.negate(first, last)
				m, _ := a.meaningAt(int(at))
				negatedBefore, denies = true, m == meansDeny
			case a.forbid(first, last):
				negatedBefore, denies = true, true
			case denies && !broken && a.isComplement(first, last):
				a.negate(first, last)
				denies = false
			case negatedBefore && !broken && !a.inTable(s) && a.contentIn(first, last) <= 2 && !a.newSubject(first):
				a.negate(first, last)
			default:
				negatedBefore, denies = false, false
			}
			first = last
		}
	}
}

// mayDeny reports whether a sentence has a word that negates or forbids something.
func (a *analysed) mayDeny(s textSpan) bool {
	const (
		classes = classNegator | classNeNegator | classWithout
		means   = 1<<meansDeny | 1<<meansCease | 1<<meansWithout | 1<<meansExcept
	)
	for i := s.first; i < s.last; i++ {
		t := &a.tokens[i]
		if t.class&classes != 0 || t.is(contracted|notSo) || (uint64(1)<<(t.mean&63)|1<<(t.said&63))&means != 0 || t.kind == gramToken || a.forbids(t) {
			return true
		}
	}
	return false
}

// isComplement reports whether a clause says what is done or so: that the hall is closed, die
// Halle zu vermieten.
func (a *analysed) isComplement(first, last int32) bool {
	if a.tokens[first].kind == wordToken && a.tokens[first].mean == meansThat {
		return true
	}
	for i := first; i < last; i++ {
		if m, _ := a.meaningAt(int(i)); m == meansTo && a.language == german {
			return true
		}
	}
	return false
}

// withoutEnd returns where the reach of "without" ends. Where a verb follows what opens its
// sentence, that is behind the first noun: "statt der Brücke baut die Stadt eine Fähre".
func (a *analysed) withoutEnd(at, first, last int32) int32 {
	const reach = 6
	last = min(last, at+reach)
	if at != first {
		return last
	}
	switch a.language {
	case german, dutch, swedish, danish:
		for i := at + 1; i < last; i++ {
			if t := &a.tokens[i]; t.is(isContent) && (a.language != german || t.is(hasCapital)) {
				return i + 1
			}
		}
	}
	return last
}

// ingBehind reports whether a verb in -ing follows: stopped working.
func (a *analysed) ingBehind(i int) bool {
	next := a.token(i + 1)
	return next != nil && next.kind == wordToken && endsWith(a.word(next), []byte("ing"))
}

// segment returns the end of the clause that begins at a token. broken: a word like
// "but" begins it.
func (a *analysed) segment(first, end int32) (last int32, broken bool) {
	broken = a.tokens[first].class&classBreak != 0
	content := false
	for last = first; last < end; last++ {
		t := &a.tokens[last]
		if t.clause != a.tokens[first].clause || content && t.kind == wordToken && (t.class&classBreak != 0 || a.newVerb(last)) {
			break
		}
		content = content || t.is(isContent|inFact)
	}
	return last, broken
}

// newSubject reports whether "and the driver" begins a clause of its own.
func (a *analysed) newSubject(i int32) bool {
	return a.tokens[i].class&classAnd != 0 && a.classAt(int(i)+1)&classArticle != 0
}

// newVerb reports whether "and is", "et n'a" begins something else.
func (a *analysed) newVerb(i int32) bool {
	next := a.token(int(i) + 1)
	return a.tokens[i].class&classAnd != 0 && next != nil && (next.class&classVerb != 0 || next.mean == meansNo) // and nobody was hurt
}

func (a *analysed) contentIn(first, last int32) int {
	n := 0
	for i := first; i < last; i++ {
		if a.tokens[i].is(isContent | inFact) {
			n++
		}
	}
	return n
}

// markObject marks the direct object of a negation: two words after it, or else one
// before.
func (a *analysed) markObject(at, first, last int32) {
	if at < 0 {
		return
	}
	count := 0
	for i := at + 1; i < last && count < 2; i++ {
		if a.tokens[i].is(isContent | inFact) {
			a.tokens[i].marks |= denied
			count++
		}
	}
	if count > 0 {
		return
	}
	for i := at - 1; i >= first; i-- {
		if a.tokens[i].is(isContent | inFact) {
			a.tokens[i].marks |= denied
			return
		}
	}
}

func (a *analysed) negate(first, last int32) {
	for i := first; i < last; i++ {
		a.tokens[i].marks |= negated
	}
}

// negator finds the negation of a segment; -1 if there is none, or two that cancel
// each other. forward: it governs only what follows.
func (a *analysed) negator(first, last int32) (at int32, forward bool) {
	at = -1
	ne := false
	for i := first; i < last; i++ {
		t := &a.tokens[i]
		if t.kind == gramToken {
			if a.easternNegation(t) {
				return i, false
			}
			continue
		}
		if t.kind != wordToken {
			continue
		}
		c := t.class
		ne = ne || c&classNe != 0 && a.language == french
		m, size := a.meaningAt(int(i))
		denies := m == meansDeny || m == meansCease && a.ingBehind(int(i))
		without := c&classWithout != 0 || m == meansWithout && size == 2 || m == meansExcept && (a.allBefore(i, last) || size == 2 && !a.numberBehind(i+1))
		if !t.is(contracted|notSo) && c&classNegator == 0 && !without && !denies && !(ne && c&classNeNegator != 0) || a.harmlessNegation(int(i)) {
			continue
		}
		if at >= 0 && (without || denies) && !(forward && without) {
			return -1, false // not without, "may not … without consent", did not fail to
		}
		if at < 0 {
			at, forward = i, without
		}
	}
	return at, forward
}

// allBefore reports whether the clause speaks of all things before a word such as "but", and has
// no verb behind it.
func (a *analysed) allBefore(i, last int32) bool {
	for j := i + 1; j < last; j++ {
		if a.classAt(int(j))&classVerb != 0 {
			return false
		}
	}
	for j := i - 1; j >= 0 && a.tokens[j].clause == a.tokens[i].clause; j-- {
		if m, _ := a.meaningAt(int(j)); m == meansAll || a.isWord(int(j), "any") {
			return true
		}
	}
	return false
}

// harmlessNegation reports whether a negative word negates nothing: "not only", "no
// later than", "No. 5", "no doubt", "whether or not".
func (a *analysed) harmlessNegation(i int) bool {
	switch {
	case a.classAt(i+1)&classOnly != 0 && !a.isWord(i+1, "que") && !a.isWord(i+1, "qu"):
		return true
	case a.isWord(i, "no") && a.numeralAt(i+1) != nil, a.isWord(i, "pas") && a.isWord(i-1, "le"):
		return true
	case a.isWord(i+2, "than") || a.isWord(i+2, "als") || a.isWord(i, "pas") && (a.isWord(i+1, "plus") || a.isWord(i+1, "moins")) && a.isWord(i+2, "de"):
		return true // no more than
	case a.untilBehind(i):
		return true // not … until: it does, from then on
	case a.isWord(i+1, "doubt") || a.isWord(i+1, "zweifel") || a.isWord(i+1, "doute"):
		return true
	}
	if a.isWord(i, "plus") {
		before := a.senseAt(i - 1)
		return a.isWord(i-1, "au") || before.class&classArticle != 0 || a.isWord(i-1, "de") || a.isWord(i-1, "le") || a.isWord(i-1, "la") || a.isWord(i-1, "les") || a.isWord(i+1, "de") && a.numberBehind(int32(i)+1)
	}
	return a.isWord(i-1, "or") && a.isWord(i-2, "whether")
}

// untilBehind reports whether an English "until" follows soon after a negation, in its clause.
func (a *analysed) untilBehind(i int) bool {
	const soon = 12
	for k := i + 1; k < min(i+soon, len(a.tokens)) && a.tokens[k].clause == a.tokens[i].clause; k++ {
		if a.isWord(k, "until") || a.isWord(k, "till") {
			return true
		}
	}
	return false
}

// easternNegation recognises the negations of Chinese and Japanese.
func (a *analysed) easternNegation(t *token) bool {
	for i, r := range a.raw[t.start:t.end] {
		switch r {
		case '不', '没', '沒', '無', '无', '未':
			return true
		case 'な':
			return i == 0 && (hasPrefixAt(a.raw, int(t.start), "ない") || hasPrefixAt(a.raw, int(t.start), "なかっ"))
		case 'ま':
			return i == 0 && hasPrefixAt(a.raw, int(t.start), "ません")
		}
	}
	return false
}

func hasPrefixAt(s string, i int, prefix string) bool {
	return len(s)-i >= len(prefix) && s[i:i+len(prefix)] == prefix
}
