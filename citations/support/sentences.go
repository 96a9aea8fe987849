package support

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// terminator takes a . ! or ? at a position.
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

// continues reports whether the full stop at a position does not end a sentence.
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
	case last.entry < 0:
		return false
	}
	for lang := range languages {
		if l.lex.in(l.lex.at(last.entry), lang).class&classAbbreviation != 0 {
			// "no." is an abbreviation only before a number, "St." and "Inc." before
			// anything.
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
	if e := l.lex.find(&l.lex.words, hashOf(appendFolded(room[:0], l.raw[at:end]))); e != nil && (l.lex.in(e, german).class&(classMonth|classQuarter) != 0 || l.lex.in(e, german).unit > 0) {
		return true
	}
	if n := len(l.tokens); n >= 2 {
		return l.lex.in(l.lex.at(l.tokens[n-2].entry), german).class&classArticle != 0
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
	if ends || isRow(strings.TrimSpace(l.raw[l.lineAt:at])) {
		l.endSentence(at)
	}
	l.lineAt = l.pos
}

func (l *lexer) beginSentence(at int) {
	l.sentence = textSpan{start: int32(at), first: int32(len(l.tokens))}
	l.clause = l.sentence
	l.fresh, l.glue = true, -1
}

func (l *lexer) endClause(at int) {
	if int(l.clause.first) < len(l.tokens) {
		l.clause.end, l.clause.last = int32(at), int32(len(l.tokens))
		l.clauses = append(l.clauses, l.clause)
		l.clause = textSpan{start: int32(at), first: int32(len(l.tokens))}
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
