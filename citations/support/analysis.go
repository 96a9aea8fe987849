package support

type tokenKind uint8

const (
	wordToken   tokenKind = iota
	numberToken           // its numeral is in numerals
	codeToken             // letters and digits: A320, Q3
	signToken             // a currency, % or °
	gramToken             // two characters of a script without spaces
)

type tokenMarks uint32

const (
	hasCapital   tokenMarks = 1 << iota
	allCapitals             // two letters at least
	innerCapital            // iPhone, GmbH
	beginsSentence
	gluedToLast // no text, or a hyphen, separates it from the token before
	afterHyphen
	contracted // don't: it negates
	isName
	mayBeName  // a name or a noun
	likelyName // a name rather than a noun
	negated    // a negation governs it
	denied     // the direct object of a negation
	isContent  // it has a meaning of its own
	inFact     // part of a date or amount
	afterSlash
	mayBeFact  // a number, or a word that may be part of one or of a date
	reserved   // what its sentence says of it may not be so
	future     // its ending makes it a future
	notSo      // its ending negates it
	lacking    // its ending says that the rest is missing
	owner      // it stands before a denied verb of having
	eitherWay  // two negations cancel each other
	infinitive // its ending is that of an infinitive
	tells      // a verb of saying
	hearsay    // according to
	told       // what its sentence says of it is what somebody says
	announces  // a verb of saying that may have an object: reported a loss
	pastForm   // it has a form of the past, or is a participle
	gainsays   // a verb of denying
	gainsaid   // somebody denies what its sentence says of it
	exceptive  // a word of a condition without which something holds: unless
)

// A token is a word, number, sign or pair of characters of a text.
type token struct {
	start, end         int32
	foldStart, foldEnd int32  // in folded
	raw                uint64 // hash of the folded word
	key                uint64 // hash of its stem, or of its synonyms
	sentence, clause   int32
	numeral            int32
	at                 int32     // see place
	next               int32     // the next token with this key; -1: none
	entry              int32     // in the lexicon, -1: none; a pointer would make the collector read all tokens
	class              wordClass // of its word in the language of its text
	marks              tokenMarks
	concept, part      uint16 // part: of the sentence, see place
	sign               int8
	kind               tokenKind
	mean               meaning // of its word
	said               meaning // of its word and the next; see meaningAt
}

func (t *token) is(m tokenMarks) bool { return t.marks&m != 0 }

// sense returns the meaning of a token's word.
func (a *analysed) sense(t *token) *sense {
	return a.lex.in(a.lex.at(t.entry), a.language)
}

// A textSpan is a sentence or a clause as half-open ranges of bytes and tokens.
type textSpan struct {
	start, end  int32
	first, last int32
}

// analysed is a text with its tokens, sentences and facts.
type analysed struct {
	lex       *lexicon
	raw       string
	folded    []byte
	tokens    []token
	sentences []textSpan
	clauses   []textSpan
	numerals  []numeral
	facts     []fact

	words      wordTable // content tokens by key
	roots      partTable // by their first five letters
	shortRoots partTable // by their first four
	tails      partTable // by their last letters
	slots      []int32   // of these tables

	language language
	sure     bool      // the language was found by its own words
	unknown  bool      // its small words are not listed, so nothing is known of negations
	classes  wordClass // of all words
	steps    int       // bytes and tokens that were looked at, for tests
	tables   []grid
	tabled   bool // tables is known
}

const (
	maxTokensInSentence = 160 // a longer one is cut
	maxFacts            = 1000
	maxVoters           = 127 // words that choose the language, with two votes at most
)

// analyse analyses a text. fallback is the language of a text whose words do not
// show it.
func analyse(raw string, fallback language) *analysed {
	a := &analysed{
		tokens: make([]token, 0, len(raw)/5+4),
		folded: make([]byte, 0, len(raw)+len(raw)/8),
	}
	clauses, sentences := len(raw)/40+2, len(raw)/100+1
	spans := make([]textSpan, clauses+sentences)
	a.clauses, a.sentences = spans[:0:clauses], spans[clauses:clauses]
	a.read(raw, fallback)
	a.buildIndex(true)
	return a
}

// read analyses a text, but for its index, and reuses the memory of the one before.
func (a *analysed) read(raw string, fallback language) {
	*a = analysed{
		lex: theLexicon(), raw: raw, folded: a.folded[:0], tokens: a.tokens[:0], sentences: a.sentences[:0], clauses: a.clauses[:0],
		numerals: a.numerals[:0], facts: a.facts[:0], slots: a.slots,
	}
	l := lexer{analysed: a, glue: -1}
	l.run()
	l.chooseLanguage(fallback)
	a.classify()
	a.findFacts()
	a.findNames()
	a.findNegations()
	a.findLacks()
	a.findEitherWay()
	a.findReserves()
	a.place()
	for i := range a.facts {
		a.facts[i].bound = a.boundOf(&a.facts[i])
	}
	a.steps += len(raw) + 4*len(a.tokens)
}

// chooseLanguage takes the language whose small words the text has. A text without a word that
// only this language has may be in a language that is not known.
func (l *lexer) chooseLanguage(fallback language) {
	const several = 3 // votes with which a word may lack its accents
	for lang := range languages {
		votes := int(l.lanes[lang/8] >> (8 * (lang % 8)) & 0xFF)
		if lang > french && lang != fallback && votes > 0 {
			votes-- // they share many words with the first three
		}
		l.votes[lang] = votes
	}
	best, second := fallback, 0
	for lang, votes := range l.votes {
		switch {
		case language(lang) == fallback:
		case votes > l.votes[best]:
			best, second = language(lang), max(second, l.votes[best])
		default:
			second = max(second, votes)
		}
	}
	l.language, l.sure = best, l.votes[best] >= 2+second+second/2
	if l.votes[best] >= several {
		l.proved |= l.likely
	}
	tied := best > french && best != fallback && second >= l.votes[best]
	l.unknown = tied || l.strange*2 > l.words || l.proved&(1<<best) == 0 && len(l.tokens) > 0 && l.words > 0 || best == fallback && best <= french && l.votes[best] <= 2 && l.fewKnown(best)
}

// fewKnown reports whether most words of a text with one small word at most are in no group of a language:
// "plan" is an English word, "Rada odrzuci plan" is not English.
func (l *lexer) fewKnown(of language) bool {
	known, all := 0, 0
	for i := range l.tokens {
		t := &l.tokens[i]
		if t.kind != wordToken || t.is(hasCapital) && !t.is(beginsSentence) {
			continue
		}
		all++
		e := l.lex.at(t.entry)
		if e == nil {
			e = l.lex.find(&l.lex.stems, stemHash(l.analysed.word(t)))
		}
		if e != nil && e.senses[of] != 0 {
			known++
		}
	}
	return 2*known < all
}

// classify gives every token its meaning in the language found.
func (a *analysed) classify() {
	lex := a.lex
	ends := &lex.lastLetters[a.language]
	for i := range a.tokens {
		t := &a.tokens[i]
		if t.kind != wordToken {
			t.marks |= mayBeFact
		}
		switch t.kind {
		case codeToken:
			t.key, t.class = t.raw, a.sense(t).class
			t.marks |= isContent
		case wordToken:
			if t.foldEnd-t.foldStart == 1 && t.end-t.start > 1 && (a.language == italian || a.language == portuguese) {
				t.entry = -1 // è and é are verbs, not "and"
			}
			if t.is(hasCapital) && a.beginsCode(i) {
				t.entry = -1 // NO-603 denies nothing
			}
			e := lex.at(t.entry)
			s := lex.in(e, a.language)
			t.class, t.mean = s.class, s.mean
			t.marks |= s.marks
			if ends[a.raw[t.end-1]] {
				noun := a.classAt(i-1)&(classArticle|classPreposition) != 0
				a.markEndings(t, lex.endings[a.language], noun)
			}
			if e != nil {
				t.key = e.stem
				if e.opens&(1<<a.language) != 0 {
					t.said = a.pairAt(i)
				}
			} else {
				t.key = stemHash(a.folded[t.foldStart:t.foldEnd])
			}
			t.concept, t.sign = s.concept, s.sign
			if s.concept == 0 && t.foldEnd-t.foldStart >= 5 && s.class&classStop == 0 {
				if e = lex.find(&lex.stems, t.key); e != nil {
					in := lex.in(e, a.language)
					t.concept, t.sign = in.concept, in.sign
				}
			}
			if s.class&classOfFacts != 0 || a.language == german && s.class == 0 && mayBeGermanNumber(a.word(t)) {
				t.marks |= mayBeFact
			}
			if t.concept > 0 && s.class&classStop == 0 {
				t.key = salted(uint64(t.concept), saltConcept)
			}
			if s.class&(classStop|classNegator) == 0 && t.foldEnd-t.foldStart > 1 && !t.is(contracted) || a.isLabel(i) {
				t.marks |= isContent
			}
			a.classes |= s.class
		}
	}
}

// isLabel reports whether a token is a single capital that tells things apart: pump A,
// model X.
func (a *analysed) isLabel(i int) bool {
	t := &a.tokens[i]
	if t.end-t.start != 1 || !t.is(hasCapital) || t.is(beginsSentence|gluedToLast|contracted) || i == 0 || a.language == english && a.raw[t.start] == 'I' {
		return false
	}
	before := &a.tokens[i-1]
	return before.kind == wordToken && before.is(isContent) && before.clause == t.clause && (int(t.end) >= len(a.raw) || a.raw[t.end] != '.' || int(t.end)+1 >= len(a.raw))
}

// beginsCode reports whether a token with a capital is the letters of a code: SI-004, NO-603.
func (a *analysed) beginsCode(i int) bool {
	next := a.token(i + 1)
	return next != nil && next.kind == numberToken && next.is(afterHyphen)
}

type factKind uint8

const (
	amountFact  factKind = iota // 15%, $4.2 billion, three
	dateFact                    // a day, month, quarter, year
	clockFact                   // 15:30
	weekdayFact                 // Monday
	ordinalFact                 // third
	codeFact                    // A320
)

// A fact is a checkable part of a text: an amount, a date, a code. Names are checked
// as well, but found differently.
type fact struct {
	value    float64 // in the first unit of its dimension
	count    float64 // as value, in the unit as written
	other    float64 // the other reading of "1.500"; NaN if there is none
	ratio    float64 // 3 out of 10: 30; NaN: none
	by       float64 // the scale
	hash     uint64  // of its digits
	glued    uint64  // the word before a hyphen: COVID-19
	first    int32   // its tokens, half open
	last     int32
	digits   int16
	date     date
	kind     factKind
	dim      dimension
	currency uint8
	bare     bool    // a year that may be an amount: "1500 people"
	soft     bool    // one, first, half: it need not be in the passage
	hedged   bool    // about, nearly
	scaled   bool    // written as thousand, million
	minus    bool    // below zero
	counted  bool    // a content word follows: 15 people
	named    bool    // a capitalised word precedes: Ariane 5
	bound    meaning // before or behind it: at least, at most
}

// A numeral is a number as it is written in digits.
type numeral struct {
	value   float64
	other   float64 // value of the other reading of "1.500" or "1,500"; NaN if there is none
	hash    uint64  // of the digits
	digits  int16   // significant ones
	places  int16   // after the decimal sign
	clock   int16   // minutes of the day of 15:30, plus 1
	date    date    // 2024-03-05, 05.03.2024, 3/5/2024
	comma   bool    // value reads a comma as the decimal sign
	plain   bool    // digits only
	minus   bool
	ordinal bool
	decade  bool
	suffix  byte // a letter directly behind: 4.2B
}

type slot struct {
	key uint64
	at  int32 // plus 1; 0 if free
}

// An index maps the hash of a word to a position, with open addressing.
type index struct {
	slots []slot
	mask  uint64
}

type hit struct {
	term     int32
	tok      int32
	sentence int32 // of tok
	opposite bool  // an antonym, or the same word with un-
	quality  float64
}

// A term is a content word of a claim.
type term struct {
	tok    int32
	weight float64
	focus  bool
}
