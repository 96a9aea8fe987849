package citations

import (
	"unicode"
	"unicode/utf8"
)

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
	mayBeName // a name, or a noun
	negated   // a negation governs it
	isContent // it says something by itself
	inFact    // part of a date or amount
	afterSlash
)

// A token is a word, number, sign or pair of characters of a text.
type token struct {
	start, end         int32
	foldStart, foldEnd int32  // in folded
	raw                uint64 // hash of the folded word
	key                uint64 // hash of its stem, or of its synonyms
	sentence, clause   int32
	numeral            int32
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
	return t.entry[l]
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

// lexer takes a text apart.
type lexer struct {
	*analysed
	lex      *lexicon
	votes    [languages]int
	pos      int
	sentence stretch
	clause   stretch
	lineAt   int // where the current line begins
	fresh    bool
	glue     int // where the last token ended
	prev     rune
}

// analyse takes a text apart; fallback is the language of a text whose words
// do not tell.
func analyse(raw string, fallback language) *analysed {
	a := &analysed{raw: raw}
	room := len(raw)/5 + 8
	a.tokens = make([]token, 0, room)
	a.folded = make([]byte, 0, len(raw)+len(raw)/8)
	l := lexer{analysed: a, lex: theLexicon(), glue: -1}
	l.run()
	l.chooseLanguage(fallback)
	a.classify(l.lex)
	a.findFacts()
	a.findNames()
	a.findNegations()
	a.buildIndex()
	a.steps += len(raw) + 4*len(a.tokens)
	return a
}

func (l *lexer) run() {
	l.beginSentence(0)
	for l.pos < len(l.raw) {
		c := l.raw[l.pos]
		switch {
		case isLetter(c):
			l.word()
		case isDigit(c):
			l.number()
		case c < utf8.RuneSelf:
			l.punctuation(c)
		default:
			l.wide()
		}
	}
	l.endSentence(len(l.raw))
}

// wide takes a character beyond ASCII.
func (l *lexer) wide() {
	r, size := utf8.DecodeRuneInString(l.raw[l.pos:])
	switch {
	case unspaced(r):
		l.grams()
	case r >= '０' && r <= '９':
		l.number()
	case unicode.IsLetter(r) && !unicode.In(r, unicode.Lm):
		l.word()
	case currencyOf(r) > 0:
		l.sign(size)
	case r == '°' || r == '‰' || r == '％':
		l.sign(size)
	case r == '。' || r == '！' || r == '？':
		l.pos += size
		l.endSentence(l.pos)
	case r == '，' || r == '、' || r == '；' || r == '：' || r == '—' || r == '–' || r == '…' || r == '（' || r == '）':
		if r == '–' && l.pos > 0 && isDigit(l.raw[l.pos-1]) {
			l.pos += size // 5–10
			l.bridge()
			return
		}
		l.endClause(l.pos)
		l.pos += size
	default:
		l.pos += size
	}
}

// bridge makes the next token one that is glued to the last, as by a hyphen.
func (l *lexer) bridge() {
	if len(l.tokens) > 0 && l.glue >= 0 {
		l.glue = l.pos
		l.prev = '-'
	}
}

func (l *lexer) punctuation(c byte) {
	at := l.pos
	l.pos++
	switch c {
	case '.', '!', '?':
		l.terminator(c, at)
	case '\n':
		l.lineBreak(at)
	case ',', ';', ':', '(', ')', '|':
		l.endClause(at)
	case '-', '/':
		if l.glue == at && l.pos < len(l.raw) && (isLetter(l.raw[l.pos]) || isDigit(l.raw[l.pos]) || l.raw[l.pos] >= utf8.RuneSelf) {
			l.bridge()
			l.prev = rune(c)
			return
		}
		if at > 0 && l.raw[at-1] == ' ' && l.pos < len(l.raw) && l.raw[l.pos] == ' ' {
			l.endClause(at)
		}
	case '$', '%':
		l.pos = at
		l.sign(1)
	case '"':
		l.fresh = l.fresh && len(l.tokens) == int(l.sentence.first)
	}
}

// terminator takes . ! or ? at a position.
func (l *lexer) terminator(c byte, at int) {
	for l.pos < len(l.raw) && (l.raw[l.pos] == '.' || l.raw[l.pos] == '!' || l.raw[l.pos] == '?') {
		l.pos++
	}
	end := l.pos
	for end < len(l.raw) && (l.raw[end] == '"' || l.raw[end] == '\'' || l.raw[end] == ')' || l.raw[end] == '*' || l.raw[end] == '_') {
		end++
	}
	for {
		r, size := utf8.DecodeRuneInString(l.raw[end:])
		if r != '”' && r != '“' && r != '»' && r != '’' && r != '」' {
			break
		}
		end += size
	}
	if end < len(l.raw) && l.raw[end] != ' ' && l.raw[end] != '\n' && l.raw[end] != '\t' && l.raw[end] != '\r' {
		return
	}
	if c == '.' && l.pos == at+1 && l.continues(at) {
		return
	}
	l.endSentence(end)
	l.pos = end
}

// continues reports whether the full stop at a position ends no sentence.
func (l *lexer) continues(at int) bool {
	if len(l.tokens) == 0 {
		return true
	}
	last := &l.tokens[len(l.tokens)-1]
	if int(last.end) != at {
		return false
	}
	next, _ := utf8.DecodeRuneInString(l.raw[skipSpaces(l.raw, at+1):])
	switch {
	case unicode.IsLower(next):
		return true
	case last.kind == numberToken:
		if last.end-last.start > 2 || next == utf8.RuneError {
			return false
		}
		return last.is(beginsSentence) || l.ordinalBefore(next)
	case last.kind != wordToken:
		return false
	case last.end-last.start == 1:
		return last.is(hasCapital) || unicode.IsDigit(next)
	case last.entry == nil:
		return false
	}
	for lang := range languages {
		if last.entry[lang].class&classAbbreviation != 0 {
			// "no." is one before a number only, "St." and "Inc." before anything.
			return last.end-last.start > 2 || last.is(hasCapital) || unicode.IsDigit(next)
		}
	}
	return false
}

// ordinalBefore reports whether the number before a full stop is an ordinal:
// "31. März", "am 3. Platz".
func (l *lexer) ordinalBefore(next rune) bool {
	if !unicode.IsUpper(next) {
		return false
	}
	at := skipSpaces(l.raw, l.pos)
	end := at
	for end < len(l.raw) && end-at < 24 && (isLetter(l.raw[end]) || l.raw[end] >= utf8.RuneSelf) {
		end++
	}
	var room [32]byte
	if e := l.lex.words[hashOf(appendFolded(room[:0], l.raw[at:end]))]; e != nil && (e[german].class&(classMonth|classQuarter) != 0 || e[german].unit > 0) {
		return true
	}
	if n := len(l.tokens); n >= 2 {
		return l.tokens[n-2].sense(german).class&classArticle != 0
	}
	return false
}

func skipSpaces(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// lineBreak ends a sentence at a blank line, before an item of a list, a row
// or a heading, and after a short line that looks like a title.
func (l *lexer) lineBreak(at int) {
	const wrapped = 50 // bytes: lines of running text are longer
	i := l.pos
	for i < len(l.raw) && (l.raw[i] == ' ' || l.raw[i] == '\t' || l.raw[i] == '\r') {
		i++
	}
	ends := i >= len(l.raw)
	if !ends {
		next, _ := utf8.DecodeRuneInString(l.raw[i:])
		switch {
		case next == '\n' || next == '#' || next == '|' || next == '>' || next == '•':
			ends = true
		case next == '-' || next == '*' || next == '+':
			ends = i+1 < len(l.raw) && l.raw[i+1] == ' '
		case unicode.IsUpper(next) || unicode.IsDigit(next):
			ends = at-l.lineAt < wrapped
		}
	}
	if at > 0 && l.raw[at-1] == '|' || ends {
		l.endSentence(at)
	}
	l.lineAt = l.pos
}

func (l *lexer) beginSentence(at int) {
	l.sentence = stretch{start: int32(at), first: int32(len(l.tokens))}
	l.clause = l.sentence
	l.fresh, l.glue = true, -1
}

func (l *lexer) endClause(at int) {
	if int(l.clause.first) < len(l.tokens) {
		l.clause.end, l.clause.last = int32(at), int32(len(l.tokens))
		l.clauses = append(l.clauses, l.clause)
		l.clause = stretch{start: int32(at), first: int32(len(l.tokens))}
	}
	l.glue = -1
}

func (l *lexer) endSentence(at int) {
	l.endClause(at)
	if int(l.sentence.first) < len(l.tokens) {
		l.sentence.end, l.sentence.last = int32(at), int32(len(l.tokens))
		l.sentences = append(l.sentences, l.sentence)
	}
	l.beginSentence(at)
}

// add appends a token that stands from start to end.
func (l *lexer) add(t token, start, end int) *token {
	if len(l.tokens)-int(l.sentence.first) >= maxTokensInSentence {
		l.endSentence(start)
	}
	t.start, t.end = int32(start), int32(end)
	t.sentence, t.clause = int32(len(l.sentences)), int32(len(l.clauses))
	t.next = -1
	if l.glue == start {
		t.marks |= gluedToLast
		switch l.prev {
		case '-':
			t.marks |= afterHyphen
		case '/':
			t.marks |= afterSlash
		}
	}
	if l.fresh {
		t.marks |= beginsSentence
		l.fresh = false
	}
	l.prev, l.glue, l.pos = 0, end, end
	l.tokens = append(l.tokens, t)
	return &l.tokens[len(l.tokens)-1]
}

func (l *lexer) sign(size int) {
	start := l.pos
	l.add(token{kind: signToken, raw: hashOf([]byte(l.raw[start : start+size]))}, start, start+size)
}

// word takes a word: letters, with digits, and what an apostrophe joins.
func (l *lexer) word() {
	start, i := l.pos, l.pos
	foldStart := len(l.folded)
	t := token{kind: wordToken}
	upper, letters := 0, 0
	h := uint64(hashSeed)
	for i < len(l.raw) {
		c := l.raw[i]
		if c < utf8.RuneSelf {
			switch {
			case c >= 'a' && c <= 'z':
			case c >= 'A' && c <= 'Z':
				if letters == 0 {
					t.marks |= hasCapital
				} else {
					t.marks |= innerCapital
				}
				upper++
				c |= 0x20
			case isDigit(c):
				t.kind = codeToken
			default:
				goto done
			}
			letters++
			l.folded = append(l.folded, c)
			h = (h ^ uint64(c)) * hashPrime
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(l.raw[i:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || unspaced(r) {
			break
		}
		if unicode.IsUpper(r) {
			if letters == 0 {
				t.marks |= hasCapital
			} else {
				t.marks |= innerCapital
			}
			upper++
		}
		letters++
		from := len(l.folded)
		l.folded = appendFoldedRune(l.folded, r)
		for _, c := range l.folded[from:] {
			h = (h ^ uint64(c)) * hashPrime
		}
		i += size
	}
done:
	if upper == letters && letters > 1 {
		t.marks |= allCapitals
	}
	t.raw = h
	t.foldStart, t.foldEnd = int32(foldStart), int32(len(l.folded))
	t.entry = l.lex.words[h]
	l.vote(t.entry)
	end := i
	l.add(t, start, end)
	l.apostrophe(end)
}

// apostrophe takes what follows a word's apostrophe: 's and 'll are no words,
// n't negates, l' and d' are words of their own.
func (l *lexer) apostrophe(at int) {
	size := 1
	if at < len(l.raw) && l.raw[at] != '\'' {
		if size = 3; at+3 > len(l.raw) || l.raw[at:at+3] != "’" {
			return
		}
	}
	i := at + size
	if i >= len(l.raw) || !isLetter(l.raw[i]) && l.raw[i] < utf8.RuneSelf {
		return
	}
	last := &l.tokens[len(l.tokens)-1]
	end := i
	for end < len(l.raw) && isLetter(l.raw[end]) {
		end++
	}
	folded := l.folded[last.foldStart:last.foldEnd]
	switch suffix := l.raw[i:end]; {
	case len(folded) > 1 && folded[len(folded)-1] == 'n' && (suffix == "t" || suffix == "T"):
		last.marks |= contracted
		l.pos, l.glue = end, -1
	case len(suffix) <= 2 && len(folded) > 1 && string(folded) != "qu":
		l.pos, l.glue = end, -1
	default:
		l.pos, l.glue = i, -1
	}
}

func (l *lexer) vote(e *wordEntry) {
	if e == nil {
		return
	}
	for lang := range languages {
		only := true
		for other := range languages {
			only = only && (other == lang || e[other].class&classStop == 0)
		}
		if e[lang].class&classStop != 0 && only {
			l.votes[lang]++
		}
	}
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

// grams takes a run of a script without spaces as pairs of characters.
func (l *lexer) grams() {
	first, size := utf8.DecodeRuneInString(l.raw[l.pos:])
	start := l.pos
	i := start + size
	if currencyOf(first) > 0 {
		l.sign(size)
		return
	}
	count := 0
	for i < len(l.raw) {
		next, n := utf8.DecodeRuneInString(l.raw[i:])
		if !unspaced(next) {
			break
		}
		l.gram(first, next, start, i+n)
		start, first, i = i, next, i+n
		count++
	}
	if count == 0 {
		l.gram(first, 0, start, i)
	}
	l.pos, l.glue = i, i
}

func (l *lexer) gram(a, b rune, start, end int) {
	h := salted(uint64(a)<<32|uint64(b), saltGram)
	t := token{kind: gramToken, raw: h, key: h}
	if !unicode.Is(unicode.Hiragana, a) || b > 0 && !unicode.Is(unicode.Hiragana, b) {
		t.marks |= isContent
	}
	l.add(t, start, end)
}

// classify gives every token its meaning in the language found.
func (a *analysed) classify(lex *lexicon) {
	for i := range a.tokens {
		t := &a.tokens[i]
		switch t.kind {
		case codeToken:
			t.key = t.raw
			t.marks |= isContent
		case wordToken:
			s := t.sense(a.language)
			t.key = stemHash(a.folded[t.foldStart:t.foldEnd])
			if s.concept == 0 && t.foldEnd-t.foldStart >= 5 {
				if e := lex.stems[t.key]; e != nil && s.class&classStop == 0 {
					s.concept, s.sign = e[a.language].concept, e[a.language].sign
				}
			}
			t.concept, t.sign = s.concept, s.sign
			if s.concept > 0 && s.class&classStop == 0 {
				t.key = salted(uint64(s.concept), saltConcept)
			}
			if s.class&(classStop|classNegator) == 0 && t.foldEnd-t.foldStart > 1 && !t.is(contracted) {
				t.marks |= isContent
			}
		}
	}
}
