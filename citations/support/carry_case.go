package support

// Who does something to whom, where the form of a noun or the word before it shows that, whatever
// the order: "den Mann biss der Hund" says that the dog did it.

// grammaticalCase is a set of cases.
type grammaticalCase uint8

const (
	nominative grammaticalCase = 1 << iota
	accusative
	dative
	genitive
)

// An articleForm is what the article of a noun looks like.
type articleForm uint8

const (
	noArticle articleForm = iota
	formDer               // der
	formDen               // den, einen
	formDem               // dem, einem
	formDes               // des, eines
	formDie               // die, eine
	formDas               // das
	formEin               // ein
	formEiner             // einer
)

// articleForms are the endings of ein, kein, mein and so on, and the forms of der.
var articleForms = map[string]articleForm{
	"der": formDer, "den": formDen, "dem": formDem, "des": formDes, "die": formDie, "das": formDas,
	"": formEin, "en": formDen, "em": formDem, "es": formDes, "e": formDie, "er": formEiner,
}

// articleOf returns the form of the article before a German noun, with adjectives between them;
// noArticle if there is none or if a preposition precedes it.
func (a *analysed) articleOf(i int32) articleForm {
	const reach = 3
	t := &a.tokens[i]
	if t.kind != wordToken || !t.is(hasCapital) || t.is(inFact) || a.isWord(int(i)+1, postposed) {
		return noArticle
	}
	for j := i - 1; j >= max(0, i-reach) && a.tokens[j].clause == t.clause; j-- {
		u := &a.tokens[j]
		if u.kind != wordToken || u.is(hasCapital) && !u.is(beginsSentence) {
			return noArticle
		}
		if form := articleFormOf(a.word(u)); form != noArticle {
			before := a.token(int(j) - 1)
			switch {
			case before == nil || before.clause != t.clause:
			case before.class&(classPreposition|classBy) != 0:
				return noArticle
			case form == formDer && (before.is(inFact|hasCapital) || before.mean.quantifies()):
				return formDes // two of the pumps
			}
			return form
		}
		if !u.is(isContent) {
			return noArticle
		}
	}
	return noArticle
}

func articleFormOf(word []byte) articleForm {
	if form := articleForms[string(word)]; form != noArticle && len(word) == 3 {
		return form
	}
	for _, stem := range [...]string{"ein", "kein", "mein", "sein", "ihr", "unser"} {
		if n := len(stem); len(word) >= n && len(word) <= n+2 && string(word[:n]) == stem {
			return articleForms[string(word[n:])]
		}
	}
	return noArticle
}

// casesOf returns the cases that two articles of one noun show, which show its gender together.
func casesOf(one, other articleForm) (first, second grammaticalCase) {
	feminine := one == formDie || other == formDie || one == formEiner || other == formEiner
	neuter := one == formDas || other == formDas
	of := func(f articleForm) grammaticalCase {
		switch f {
		case formDen:
			if feminine {
				return dative // of a plural
			}
			return accusative
		case formDem:
			return dative
		case formDes:
			return genitive
		case formDie, formDas:
			return nominative | accusative
		case formEiner:
			return dative | genitive
		case formDer:
			if feminine {
				return dative | genitive
			}
			return nominative
		case formEin:
			if neuter {
				return nominative | accusative
			}
			return nominative
		}
		return 0
	}
	return of(one), of(other)
}

// germanCases returns the cases of a noun in the claim and in the passage, 0 where they do not show.
// "Die Mieter" and "der Mieter" differ in number.
func (w *carrying) germanCases(m *mate) (claimed, given grammaticalCase) {
	one, other := w.c.articleOf(m.tok), w.p.articleOf(m.at)
	if one == noArticle || other == noArticle {
		return 0, 0
	}
	if plural := one == formDie || other == formDie; plural && one != other && w.c.samePlural(m.tok) {
		return 0, 0
	}
	return casesOf(one, other)
}

// samePlural reports whether the plural of a German noun may look like its singular.
func (a *analysed) samePlural(i int32) bool {
	word := a.word(&a.tokens[i])
	for _, ending := range [...]string{"er", "en", "el"} {
		if endsWith(word, []byte(ending)) {
			return true
		}
	}
	return false
}

// spanishCase returns the case of a Spanish noun: "a" and "al" stand before a person to whom
// something is done.
func (a *analysed) spanishCase(i int32) grammaticalCase {
	t := &a.tokens[i]
	first := a.nameStart(i)
	if t.is(isName) && first > 1 && a.tokens[first-1].is(isContent) && a.classAt(int(first)-2)&classArticle != 0 {
		first-- // la pastelera Olga Mena
	}
	for j := first - 1; j >= max(0, first-2) && a.tokens[j].clause == t.clause; j-- {
		switch u := &a.tokens[j]; {
		case a.isWord(int(j), "al"), a.isWord(int(j), "a"):
			return accusative | dative
		case u.kind != wordToken || u.class&classArticle == 0 && a.personAt(j) == 0:
			return 0
		case j == 0 || a.tokens[j-1].clause != t.clause:
			if a.isWord(int(i)+1, "lo") || a.isWord(int(i)+1, "la") || a.isWord(int(i)+1, "los") || a.isWord(int(i)+1, "las") {
				return accusative
			}
			return nominative
		}
	}
	if t.is(isName) && (first == 0 || a.tokens[first-1].clause != t.clause) {
		return nominative
	}
	return 0
}

// casesOfMate returns the cases of a word in the claim and in the passage.
func (w *carrying) casesOfMate(m *mate) (claimed, given grammaticalCase) {
	switch {
	case m.hit < 0 || w.c.language != w.p.language || !w.sameWord(&w.k.hits[m.hit]):
	case w.c.language == german:
		return w.germanCases(m)
	case w.c.language == spanish:
		return w.c.spanishCase(m.tok), w.p.spanishCase(m.at)
	}
	return 0, 0
}

// caseShows reports whether the cases of a word are known and the same, so that it may stand
// anywhere.
func (w *carrying) caseShows(m *mate) bool {
	claimed, given := w.casesOfMate(m)
	return claimed != 0 && claimed == given && claimed != nominative|accusative
}

// checkCases looks for a noun that has another case in the sentence. A passive turns what is done
// to somebody into a subject.
func (w *carrying) checkCases(turned bool) {
	other := false
	for i := range w.mates {
		switch claimed, given := w.casesOfMate(&w.mates[i]); {
		case claimed == 0, given == 0, claimed == genitive, given == genitive:
		case turned:
			if claimed == nominative && given == nominative && w.bothDoers() && (w.c.language != german || w.onePassive()) {
				w.fail(otherRoles)
			}
		case claimed&given == 0:
			other = true
		}
	}
	if other && w.sameVerb() || !turned && w.declined() {
		w.fail(otherRoles)
	}
}

// sameVerb reports whether a word without an article is the same in both: sales grew, where a firm
// increased its sales, have another verb.
func (w *carrying) sameVerb() bool {
	for i := range w.mates {
		m := &w.mates[i]
		t := &w.c.tokens[m.tok]
		if m.hit >= 0 && t.kind == wordToken && t.raw == w.p.tokens[m.at].raw && !t.is(hasCapital) && !w.c.nounAt(m.tok) && (w.c.language == german || w.c.prepositionOf(m.tok) == nil) {
			return true
		}
	}
	return false
}

// onePassive reports whether one of the two has the helping word of a passive: durch is not always
// a doer's.
func (w *carrying) onePassive() bool {
	s := w.p.sentences[w.sentence]
	return w.c.passiveVoice(w.part.first, w.part.last) != w.p.passiveVoice(s.first, s.last)
}

func (a *analysed) passiveVoice(first, last int32) bool {
	for i := first; i < last; i++ {
		if t := &a.tokens[i]; t.kind == wordToken && a.sense(t).helps&(helperBecomes|helperBecame|helperBeen) != 0 {
			return true
		}
	}
	return false
}

// slavic reports whether the endings of nouns show who does what.
func (l language) slavic() bool {
	return l == polish || l == czech || l == russian || l == ukrainian
}

// declined reports whether the subject of a Slavic claim has another form in the sentence: behind a
// noun that the claim lacks, such as the brother of the mayor, or together with another noun.
func (w *carrying) declined() bool {
	m := &w.mates[0]
	if !w.c.language.slavic() || w.c.language != w.p.language || m.hit < 0 || w.c.contentIn(w.part.first, m.tok) > 0 || !w.otherForm(m) {
		return false
	}
	if m.at > 0 && w.p.tokens[m.at-1].clause == w.p.tokens[m.at].clause && w.unmatched(m.at-1) {
		return true
	}
	for i := 1; i < len(w.mates); i++ {
		if o := &w.mates[i]; o.hit >= 0 && w.otherForm(o) && w.c.prepositionOf(o.tok) == nil {
			return true
		}
	}
	return false
}

func (w *carrying) otherForm(m *mate) bool {
	h := &w.k.hits[m.hit]
	return (h.quality == qualityRoot || w.sameWord(h)) && w.c.tokens[m.tok].raw != w.p.tokens[m.at].raw
}
