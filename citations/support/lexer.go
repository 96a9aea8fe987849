package support

import (
	"unicode"
	"unicode/utf8"
)

// A lexer splits a text into tokens.
type lexer struct {
	*analysed
	votes    [languages]int
	lanes    [2]uint64 // the votes while they are counted, a byte each
	voters   int
	words    int    // with letters
	proved   uint16 // a bit for each language that alone has one of the words
	likely   uint16 // a bit for each language that alone has one of them, or has it with an accent
	strange  int    // of them, in a script of which no language is known
	pos      int
	sentence textSpan
	clause   textSpan
	lineAt   int // where the current line begins
	fresh    bool
	glue     int // where the last token ended
	prev     rune
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
			l.nonASCII()
		}
	}
	l.endSentence(len(l.raw))
}

// nonASCII takes a character beyond ASCII.
func (l *lexer) nonASCII() {
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

// bridge glues the next token to the last one, as a hyphen does.
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
	case ',', ';', ':', '(', ')', '[', ']', '|':
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

// add appends a token that spans start to end.
func (l *lexer) add(t *token, start, end int) {
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
	l.tokens = append(l.tokens, *t)
	l.prev, l.glue, l.pos = 0, end, end
}

func (l *lexer) sign(size int) {
	start := l.pos
	l.add(&token{kind: signToken, entry: -1, raw: hashOf([]byte(l.raw[start : start+size]))}, start, start+size)
}

// word takes a word: letters, digits, and parts joined by an apostrophe.
func (l *lexer) word() {
	start, i := l.pos, l.pos
	raw, folded := l.raw, l.folded
	t := token{kind: wordToken, foldStart: int32(len(folded))}
	upper, letters, strange := 0, 0, false
	h := uint64(hashSeed)
	for {
		n, sum := lowerLetters(raw[i:], h)
		h = sum
		folded, letters, i = append(folded, raw[i:i+n]...), letters+n, i+n
		if i == len(raw) {
			break
		}
		c := raw[i]
		if c < utf8.RuneSelf {
			switch {
			case c >= 'A' && c <= 'Z':
				t.addCapital(letters)
				upper++
				c |= 0x20
			case isDigit(c):
				t.kind = codeToken
			case c == '-' && letters == len("non") && string(folded[t.foldStart:]) == "non" && i+1 < len(raw) && isLetter(raw[i+1]):
				i++ // non-refundable is nonrefundable
				continue
			default:
				goto done
			}
			letters++
			folded = append(folded, c)
			h = (h ^ uint64(c)) * hashPrime
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(raw[i:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || unspaced(r) {
			break
		}
		if unicode.IsUpper(r) {
			t.addCapital(letters)
			upper++
		}
		letters++
		l.letter(r)
		strange = r > 'ԯ' && r < 'ᴀ' // neither Latin nor Cyrillic nor Greek
		from := len(folded)
		folded = appendFoldedRune(folded, r)
		for _, c := range folded[from:] {
			h = (h ^ uint64(c)) * hashPrime
		}
		i += size
	}
done:
	if upper == letters && letters > 1 {
		t.marks |= allCapitals
	}
	l.folded = folded
	t.raw, t.foldEnd = h, int32(len(folded))
	t.entry = l.lex.words.get(h)
	if e := l.lex.at(t.entry); e != nil {
		l.vote(e, letters == i-start)
	}
	l.words++
	if strange {
		l.strange++
	}
	end := i
	l.add(&t, start, end)
	l.apostrophe(end)
}

// addCapital notes a capital behind some letters of a word.
func (t *token) addCapital(letters int) {
	if letters == 0 {
		t.marks |= hasCapital
	} else {
		t.marks |= innerCapital
	}
}

// lowerLetters returns with how many lower-case letters of ASCII a text begins, and adds them to a
// hash. Inside of its caller the loop would keep its variables in memory.
//
//go:noinline
func lowerLetters(s string, h uint64) (n int, hash uint64) {
	for i := range len(s) {
		c := s[i]
		if c-'a' > 'z'-'a' {
			return i, h
		}
		h = (h ^ uint64(c)) * hashPrime
	}
	return len(s), h
}

// vote counts a word for the languages that have it as a small word. bare: it is written without accents.
func (l *lexer) vote(e *wordEntry, bare bool) {
	if e.votes != 0 && l.voters < maxVoters {
		l.voters++
		l.lanes[0] += e.lanes[0]
		l.lanes[1] += e.lanes[1]
	}
	l.likely |= e.proves
	if bare {
		l.proved |= e.proves &^ e.marked // bada is not the Swedish båda
		return
	}
	l.proved |= e.proves
}

// lettersOf are letters that only one of the languages has; Swedish and Danish share one.
var lettersOf = map[language]string{
	german: "ßẞ", french: "œŒ", spanish: "ñÑ", portuguese: "ãõÃÕ", polish: "łąęśźżńŁŚŻŹ", czech: "řěůŘĚŮ", swedish: "åÅ", danish: "øæØÆ",
	russian: "ыэёЭЁ", ukrainian: "іїєґІЇЄҐ", turkish: "ğışĞİŞ",
}

// languageOfLetter has the language of each of them, by its number.
var languageOfLetter = letterTable()

func letterTable() (table [0x500 - 0xC0]language) {
	for l, letters := range lettersOf {
		for _, r := range letters {
			if r < 0x500 {
				table[r-0xC0] = l
			}
		}
	}
	return table
}

// letter lets a letter that only one language has vote for that language.
func (l *lexer) letter(r rune) {
	if r < 0xC0 || r >= 0x500 {
		return
	}
	of := languageOfLetter[r-0xC0]
	l.voteFor(of)
	if of == swedish {
		l.voteFor(danish)
	}
}

func (l *lexer) voteFor(of language) {
	if of != english && l.voters < maxVoters {
		l.voters++
		l.lanes[of/8] += 1 << (8 * (of % 8))
		l.proved |= 1 << of
	}
}

// apostrophe takes the text after an apostrophe: 's and 'll are not words, n't
// negates, l' and d' are words of their own.
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
	t := token{kind: gramToken, entry: -1, raw: h, key: h}
	if !unicode.Is(unicode.Hiragana, a) || b > 0 && !unicode.Is(unicode.Hiragana, b) {
		t.marks |= isContent
	}
	l.add(&t, start, end)
}
