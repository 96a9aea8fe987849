package support

import "bytes"

// findNames marks the tokens that name a person or thing. In English and French, a
// capital inside a sentence marks a name. In German every noun has a capital, so a
// name needs a title, a company of capitals, capitals throughout, or an entry in the
// list; other capitalised words may be names.
func (a *analysed) findNames() {
	for _, s := range a.sentences {
		if a.isHeading(s) {
			continue
		}
		for i := s.first; i < s.last; i++ {
			t := &a.tokens[i]
			if t.kind != wordToken || !t.is(hasCapital) || !t.is(isContent) || t.is(inFact) {
				continue
			}
			switch c := t.class; {
			case c&classTitle != 0 && !a.capitalAt(int(i)-1, s):
			case t.is(allCapitals) && t.foldEnd-t.foldStart <= 6, t.is(innerCapital) && !t.is(allCapitals):
				t.marks |= isName
			case c&classPlace != 0:
				t.marks |= isName
			case a.commonWord(t) || c&(classKnown|classGeneric|classTitle|classUnit) != 0:
				if a.language != german && !t.is(beginsSentence) && c&(classKnown|classUnit) == 0 {
					t.marks |= mayBeName // of a title: Annual Report
				}
			case a.language == german:
				a.germanName(int(i), s)
			case !t.is(beginsSentence) && !t.is(afterHyphen):
				t.marks |= isName
			case a.capitalAt(int(i)+1, s):
				t.marks |= isName
			case c == 0:
				t.marks |= mayBeName
				if a.doesSomething(int(i)+1, s) && !hasNounEnding(a.word(t)) {
					t.marks |= likelyName
				}
			}
		}
	}
}

// commonWord reports whether a word belongs to the language although it has a
// capital. A word that only ends like one, or is rare, may be a name: Sayed does not
// come from say.
func (a *analysed) commonWord(t *token) bool {
	s := a.sense(t)
	return t.concept != 0 && (a.language == german || t.is(beginsSentence) || s.concept != 0 && !s.rare)
}

// isHeading reports whether nearly every word of a sentence has a capital, as in an
// English title, where capitals mean nothing.
func (a *analysed) isHeading(s textSpan) bool {
	if a.language == german {
		return false
	}
	small, all, most := 0, 0, int(s.last-s.first)
	for i := s.first; i < s.last; i++ {
		if t := &a.tokens[i]; t.kind == wordToken && t.is(isContent) {
			all++
			if !t.is(hasCapital) {
				if small++; small*10 > most {
					return false
				}
			}
		}
	}
	return all >= 5 && small*10 <= all
}

// capitalAt reports whether the token at i continues a name.
func (a *analysed) capitalAt(i int, s textSpan) bool {
	if i < 0 || i >= len(a.tokens) || i < int(s.first) || i >= int(s.last) {
		return false
	}
	t := &a.tokens[i]
	return t.kind == wordToken && t.is(hasCapital) && t.is(isContent) && !t.is(inFact)
}

// germanName marks a word with a capital in a German text.
func (a *analysed) germanName(i int, s textSpan) {
	t := &a.tokens[i]
	noun := hasNounEnding(a.word(t))
	before := &unlisted
	if i > int(s.first) {
		before = a.senseAt(i - 1)
	}
	switch {
	case before.class&classTitle != 0:
		t.marks |= isName
	case noun && before.class&classArticle == 0 && i > int(s.first) && a.tokens[i-1].is(isName) && t.concept == 0:
		t.marks |= isName // Karl Reinking
	case noun || before.class&classArticle != 0:
		// der Vertrag, eine Zahlung
	case a.capitalAt(i-1, s) && a.tokens[i-1].clause == t.clause && before.class&(classUnit|classMonth) == 0 && !t.is(afterHyphen):
		t.marks |= isName
		if j := i - 1; a.tokens[j].concept == 0 && a.classAt(j) == 0 && !hasNounEnding(a.word(&a.tokens[j])) && a.classAt(j-1)&classArticle == 0 {
			a.tokens[j].marks |= isName
		}
	case !a.adjectiveBefore(i, s) && t.concept == 0:
		t.marks |= mayBeName
	}
}

// adjectiveBefore reports whether a lower-case word with the ending of an adjective
// precedes a token.
func (a *analysed) adjectiveBefore(i int, s textSpan) bool {
	if i <= int(s.first) {
		return false
	}
	t := &a.tokens[i-1]
	if t.kind != wordToken || t.is(hasCapital) || !t.is(isContent) || t.clause != a.tokens[i].clause {
		return t.is(inFact) // drei Tage
	}
	switch word := a.word(t); string(word[max(0, len(word)-2):]) {
	case "en", "er", "es", "em", "te", "le", "ge", "he", "ne", "re", "se", "de":
		return true
	}
	return false
}

// doesSomething reports whether a token may be the verb after a name at the
// beginning of a sentence.
func (a *analysed) doesSomething(i int, s textSpan) bool {
	if i >= int(s.last) || a.tokens[i].clause != a.tokens[i-1].clause || a.tokens[i].kind != wordToken || a.tokens[i].is(hasCapital) {
		return false
	}
	word := a.word(&a.tokens[i])
	return !a.tokens[i].is(isContent) || a.classAt(i)&classGeneric != 0 || a.tokens[i].concept != 0 || len(word) > 3 && string(word[len(word)-2:]) == "ed"
}

var nounEndings = [][]byte{
	[]byte("ung"), []byte("ungen"), []byte("heit"), []byte("heiten"), []byte("keit"), []byte("keiten"), []byte("schaft"), []byte("schaften"),
	[]byte("ness"), []byte("ity"), []byte("ance"), []byte("ence"), []byte("ing"), []byte("ers"), []byte("ies"), []byte("tion"), []byte("tionen"), []byte("tions"), []byte("tat"), []byte("taten"), []byte("ismus"), []byte("nis"), []byte("nisse"), []byte("tum"), []byte("ling"), []byte("linge"),
	[]byte("enz"), []byte("anz"), []byte("ment"), []byte("mente"), []byte("eure"), []byte("eur"), []byte("toren"), []byte("tor"), []byte("zeit"), []byte("zeiten"),
}

func hasNounEnding(word []byte) bool {
	for _, ending := range nounEndings {
		if len(word) > len(ending)+1 && bytes.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// acronymOf reports whether the capitals of words in a row, small words left
// out, spell a short name: "WHO" of "World Health Organization".
func (a *analysed) acronymOf(letters []byte) bool {
	if len(letters) < 2 || len(letters) > 6 {
		return false
	}
	got := 0
	for i := range a.tokens {
		t := &a.tokens[i]
		if t.kind != wordToken {
			got = 0
			continue
		}
		if !t.is(hasCapital) {
			if !t.is(isContent) && got > 0 {
				continue
			}
			got = 0
			continue
		}
		first := a.folded[t.foldStart]
		switch first {
		case letters[got]:
			got++
		case letters[0]:
			got = 1
		default:
			got = 0
		}
		if got == len(letters) {
			return true
		}
	}
	return false
}

// nameStart returns the first token of the name that a token belongs to.
func (a *analysed) nameStart(i int32) int32 {
	for i > 0 && a.tokens[i-1].is(isName) && a.tokens[i-1].clause == a.tokens[i].clause {
		i--
	}
	return i
}

// nameEnd returns the token after the name that a token belongs to.
func (a *analysed) nameEnd(i int32) int32 {
	for i++; int(i) < len(a.tokens) && a.tokens[i].is(isName) && a.tokens[i].clause == a.tokens[i-1].clause; i++ {
		continue
	}
	return i
}

// hasRole reports whether a preposition precedes a name, possibly with an article or
// a title between them.
func (a *analysed) hasRole(first int32) bool {
	for i := first - 1; i >= max(0, first-3) && a.tokens[i].sentence == a.tokens[first].sentence && a.tokens[i].clause == a.tokens[first].clause; i-- {
		s := &a.tokens[i]
		if s.class&classPreposition != 0 {
			return true
		}
		if s.class&(classArticle|classTitle|classStop) == 0 && !a.tokens[i].is(hasCapital) {
			return false
		}
	}
	return false
}

// otherTitle finds a name whose title the passage gives to another name: the CFO
// Anna Weber, where she is the CEO.
func (k *Checker) otherTitle(c, p *analysed, n int) doubt {
	const nearby = 6 // steps, so that a comma may stand between
	ph := k.phrases[n]
	i := ph.first - 1
	if i < 0 || c.tokens[i].clause != c.tokens[ph.first].clause || c.tokens[i].class&classTitle == 0 {
		return none
	}
	other := false
	for h := range k.hits {
		if k.terms[k.hits[h].term].tok != i {
			continue
		}
		title := k.hits[h].tok
		for tok := title + 1; int(tok) < len(p.tokens) && p.tokens[tok].at-p.tokens[title].at <= nearby; tok++ {
			if !p.tokens[tok].is(isName | mayBeName) {
				continue
			}
			if k.marked[tok] {
				return none
			}
			other = true
			break
		}
	}
	if other {
		return contradict
	}
	return none
}
