package support

type tokenKind uint8

const (
	wordToken   tokenKind = iota
	numberToken           // its numeral is in numerals
	codeToken             // letters and digits: A320, Q3
	signToken             // a currency, % or °
	gramToken             // two characters of a script without spaces
)

type tokenMarks uint16

const (
	hasCapital   tokenMarks = 1 << iota
	allCapitals             // two letters at least
	innerCapital            // iPhone, GmbH
	beginsSentence
	gluedToLast // nothing, or a hyphen, between it and the token before
	afterHyphen
	contracted // don't: it negates
	isName
	mayBeName  // a name, or a noun
	likelyName // a name rather than a noun
	negated    // a negation governs it
	denied     // it is what the negation denies
	isContent  // it says something by itself
	inFact     // part of a date or amount
	afterSlash
	mayBeFact // a number, or a word that may be part of one or of a date
)

// A token is a word, number, sign or pair of characters of a text.
type token struct {
	start, end         int32
	foldStart, foldEnd int32  // in folded
	raw                uint64 // hash of the folded word
	key                uint64 // hash of its stem, or of its synonyms
	sentence, clause   int32
	numeral            int32
	at, part           int32 // see place
	next               int32 // the next token with this key; -1: none
	entry              *wordEntry
	sign               int8
	concept            uint16
	kind               tokenKind
	marks              tokenMarks
}

func (t *token) is(m tokenMarks) bool { return t.marks&m != 0 }

// sense is what the token's word means in the language of its text.
func (t *token) sense(l language) sense {
	if t.entry == nil {
		return sense{}
	}
	return t.entry.senses[l]
}

// A stretch is a sentence or clause: its bytes and its tokens, half open.
type stretch struct {
	start, end  int32
	first, last int32
}

// analysed is a text taken apart, once.
type analysed struct {
	raw       string
	folded    []byte
	tokens    []token
	sentences []stretch
	clauses   []stretch
	numerals  []numeral
	facts     []fact
	words     index // of content tokens by key
	roots     index // by their first letters
	tails     index // by their last letters
	language  language
	sure      bool // the language was found by its own words
	steps     int  // bytes and tokens looked at, for tests
}

const (
	maxTokensInSentence = 160 // a longer one is cut
	maxFacts            = 1000
)

// analyse takes a text apart; fallback is the language of a text whose words
// do not tell.
func analyse(raw string, fallback language) *analysed {
	a := &analysed{
		tokens: make([]token, 0, len(raw)/5+8),
		folded: make([]byte, 0, len(raw)+len(raw)/8),
	}
	a.read(raw, fallback)
	return a
}

// read takes a text apart, in the room of the one before.
func (a *analysed) read(raw string, fallback language) {
	*a = analysed{
		raw: raw, folded: a.folded[:0], tokens: a.tokens[:0], sentences: a.sentences[:0], clauses: a.clauses[:0],
		numerals: a.numerals[:0], facts: a.facts[:0], words: a.words, roots: a.roots, tails: a.tails,
	}
	l := lexer{analysed: a, lex: theLexicon(), glue: -1}
	l.run()
	l.chooseLanguage(fallback)
	a.classify(l.lex)
	a.findFacts()
	a.findNames()
	a.findNegations()
	a.place()
	a.buildIndex()
	a.steps += len(raw) + 4*len(a.tokens)
}

func (l *lexer) chooseLanguage(fallback language) {
	best, second := english, 0
	for lang := range languages {
		if l.votes[lang] > l.votes[best] {
			best = lang
		}
	}
	for lang := range languages {
		if lang != best {
			second = max(second, l.votes[lang])
		}
	}
	if l.votes[best] == 0 || l.votes[best] == second {
		l.language = fallback
		return
	}
	l.language, l.sure = best, l.votes[best] >= 2+2*second
}

// classify gives every token its meaning in the language found.
func (a *analysed) classify(lex *lexicon) {
	for i := range a.tokens {
		t := &a.tokens[i]
		if t.kind != wordToken {
			t.marks |= mayBeFact
		}
		switch t.kind {
		case codeToken:
			t.key = t.raw
			t.marks |= isContent
		case wordToken:
			s := t.sense(a.language)
			t.key = stemHash(a.folded[t.foldStart:t.foldEnd])
			if s.concept == 0 && t.foldEnd-t.foldStart >= 5 {
				if e := lex.find(&lex.stems, t.key); e != nil && s.class&classStop == 0 {
					s.concept, s.sign = e.senses[a.language].concept, e.senses[a.language].sign
				}
			}
			t.concept, t.sign = s.concept, s.sign
			if s.class&classOfFacts != 0 || a.language == german && s.class == 0 && mayBeGermanNumber(a.word(t)) {
				t.marks |= mayBeFact
			}
			if s.concept > 0 && s.class&classStop == 0 {
				t.key = salted(uint64(s.concept), saltConcept)
			}
			if s.class&(classStop|classNegator) == 0 && t.foldEnd-t.foldStart > 1 && !t.is(contracted) {
				t.marks |= isContent
			}
		}
	}
}
