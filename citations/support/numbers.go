package support

import (
	"math"
	"strings"
	"unicode/utf8"
)

const maxDigits = 40

// number takes a number: digits with separators, and the letters glued to them.
func (l *lexer) number() {
	start := l.pos
	if start > 0 && start < len(l.raw) && l.glue == start && l.prev == 0 && l.tokens[len(l.tokens)-1].kind == signToken {
		l.prev = 0
	}
	n := numeral{other: math.NaN()}
	end, done := numericDate(l.raw, start, &n)
	if !done {
		end = l.digitGroups(start, &n)
	}
	n.minus = !done && minusBefore(l.raw, start)
	t := token{kind: numberToken, entry: -1, numeral: int32(len(l.numerals))}
	end = l.behindDigits(end, &n, &t)
	foldStart := len(l.folded)
	l.folded = appendFolded(l.folded, l.raw[start:end])
	t.foldStart, t.foldEnd = int32(foldStart), int32(len(l.folded))
	t.raw = hashOf(l.folded[foldStart:])
	if l.numerals == nil {
		l.numerals = make([]numeral, 0, len(l.raw)/64+4)
	}
	l.numerals = append(l.numerals, n)
	l.add(&t, start, end)
}

// minusBefore reports whether a minus sign stands before a number.
func minusBefore(s string, start int) bool {
	switch {
	case start >= 3 && s[start-3:start] == "−":
		return true
	case start >= 1 && s[start-1] == '-':
		return start == 1 || s[start-2] == ' ' || s[start-2] == '(' || s[start-2] == '\n' || s[start-2] == '|'
	}
	return false
}

// digitAt returns the digit at a position, in full width as well; size 0 if there is
// none.
func digitAt(s string, i int) (digit byte, size int) {
	if i >= len(s) {
		return 0, 0
	}
	if isDigit(s[i]) {
		return s[i] - '0', 1
	}
	if s[i] == 0xEF {
		if r, size := utf8.DecodeRuneInString(s[i:]); r >= '０' && r <= '９' {
			return byte(r - '０'), size
		}
	}
	return 0, 0
}

// separatorAt returns the separator between two groups of digits.
func separatorAt(s string, i int) (kind byte, size int) {
	if i >= len(s) {
		return 0, 0
	}
	switch s[i] {
	case '.', ',', '\'', ' ':
		return s[i], 1
	}
	switch r, size := utf8.DecodeRuneInString(s[i:]); r {
	case '\u00a0', '\u202f', '\u2009':
		return ' ', size
	case '’':
		return '\'', size
	case '，', '．':
		return '.', 0 // full width: never inside of a number here
	}
	return 0, 0
}

// A group is digits without a separator.
type digitGroup struct {
	from, to int
	count    int
}

// digitsAlone reads digits without a separator, as most numbers are; 0 if there are others.
func (l *lexer) digitsAlone(start int, n *numeral) (end int) {
	rest := l.raw[start:]
	i, whole := 0, 0.0
	h, digits := uint64(hashSeed), int16(0)
	for ; i < len(rest) && i < maxDigits && isDigit(rest[i]); i++ {
		d := rest[i] - '0'
		whole = whole*10 + float64(d)
		h = (h ^ uint64(d)) * hashPrime
		if d != 0 || digits > 0 {
			digits++
		}
	}
	if behind := rest[i:]; i == 0 || behind != "" && (behind[0] >= utf8.RuneSelf || strings.IndexByte(".,' ", behind[0]) >= 0 && len(behind) > 1 && (behind[1] >= utf8.RuneSelf || isDigit(behind[1]))) {
		return 0
	}
	n.plain, n.hash, n.digits, n.value = true, h, digits, whole
	return start + i
}

// digitGroups reads groups of digits and decides what their separators mean.
func (l *lexer) digitGroups(start int, n *numeral) int {
	if end := l.digitsAlone(start, n); end > 0 {
		return end
	}
	const maxGroups = 8
	var groups [maxGroups]digitGroup
	var seps [maxGroups]byte
	count, i := 0, start
	for count < maxGroups {
		g := digitGroup{from: i}
		for g.count < maxDigits {
			_, size := digitAt(l.raw, i)
			if size == 0 {
				break
			}
			i, g.count = i+size, g.count+1
		}
		g.to = i
		groups[count], count = g, count+1
		sep, size := separatorAt(l.raw, i)
		if size == 0 || count == maxGroups {
			break
		}
		if _, digit := digitAt(l.raw, i+size); digit == 0 || sep == ',' && start > 0 && l.raw[start-1] == ',' {
			break
		}
		if sep == ' ' || sep == '\'' {
			if g.count > 3 || exactly(l.raw, i+size) != 3 || count > 1 && seps[count-2] != sep || count == 1 && g.count == 0 {
				break
			}
		}
		seps[count-1], i = sep, i+size
	}
	used := usableGroups(groups[:count], seps[:count-1])
	l.readGroups(groups[:used], seps[:used-1], n)
	return groups[used-1].to
}

// exactly returns the number of consecutive digits at a position.
func exactly(s string, i int) int {
	n := 0
	for n < maxDigits {
		_, size := digitAt(s, i)
		if size == 0 {
			break
		}
		i, n = i+size, n+1
	}
	return n
}

// usableGroups returns how many of the groups form one number: of a list such as
// "1,2,3" only the first.
func usableGroups(groups []digitGroup, seps []byte) int {
	for i := 1; i < len(seps); i++ {
		if seps[i] == ',' && seps[i-1] == ',' && groups[i+1].count != 3 {
			return 1
		}
	}
	return len(groups)
}

// readGroups gives a numeral its value.
func (l *lexer) readGroups(groups []digitGroup, seps []byte, n *numeral) {
	n.plain = len(groups) == 1
	decimal := decimalSign(groups, seps)
	if len(groups) == 2 && l.raw[groups[0].from] == '0' && (seps[0] == '.' || seps[0] == ',') {
		decimal = 0 // 0.125
	}
	whole, places := 0.0, int16(0)
	n.hash = hashSeed
	leading := true
	for g, group := range groups {
		for i := group.from; i < group.to; {
			d, size := digitAt(l.raw, i)
			i += size
			whole = whole*10 + float64(d)
			n.hash = (n.hash ^ uint64(d)) * hashPrime
			if d != 0 {
				leading = false
			}
			if !leading {
				n.digits++
			}
			if decimal >= 0 && g > decimal {
				places++
			}
		}
	}
	n.value, n.places = whole/math.Pow10(int(places)), places
	if len(groups) == 2 && groups[1].count == 3 && groups[0].count <= 3 && (seps[0] == '.' || seps[0] == ',') && l.raw[groups[0].from] != '0' {
		// The language decides between the readings of "1.500" and "1,500"; see in.
		n.value, n.places = whole, 0
		n.other, n.comma = whole/1000, seps[0] == ','
	}
}

// decimalSign returns the index of the decimal separator, or -1.
func decimalSign(groups []digitGroup, seps []byte) int {
	last := len(seps) - 1
	if last < 0 {
		return -1
	}
	sep := seps[last]
	if sep != '.' && sep != ',' {
		return -1
	}
	if groups[last+1].count == 3 {
		same := true
		for _, s := range seps {
			same = same && s == sep
		}
		if same {
			return -1
		}
	}
	if last > 0 && seps[last-1] == sep {
		return -1
	}
	return last
}

// behindDigits reads the letters glued to a number.
func (l *lexer) behindDigits(end int, n *numeral, t *token) int {
	to := end
	for to < len(l.raw) && to-end < 16 && (isLetter(l.raw[to]) || l.raw[to] >= 0xC3 && l.raw[to] <= 0xC5) {
		if isLetter(l.raw[to]) {
			to++
			continue
		}
		r, size := utf8.DecodeRuneInString(l.raw[to:])
		if r < 0xC0 || r >= 0x180 {
			break
		}
		to += size
	}
	if to == end {
		return end
	}
	var room [48]byte
	letters := appendFolded(room[:0], l.raw[end:to])
	switch string(letters) {
	case "st", "nd", "rd", "th", "er", "ere", "re", "e", "eme", "nde", "ieme", "ste", "te", "ten":
		if string(letters) == "er" && n.plain && n.value >= 10 && n.value != 1 && math.Mod(n.value, 10) == 0 {
			n.decade = true
			return to
		}
		n.ordinal = n.plain
		return to
	case "s":
		n.decade = n.plain && math.Mod(n.value, 10) == 0 && n.value >= 10
		return to
	case "k", "m", "b", "t":
		if _, digit := digitAt(l.raw, to); digit == 0 {
			n.suffix = l.raw[end]
			return to
		}
	case "h":
		if minutes, size := clockMinutes(l.raw, to); size > 0 && n.plain && n.value < 25 {
			n.clock = int16(n.value)*60 + int16(minutes) + 1
			return to + size
		}
	}
	if e := l.lex.find(&l.lex.words, hashOf(letters)); e != nil {
		for lang := range languages {
			if l.lex.in(e, lang).class&(classUnit|classScale) != 0 {
				return end // the next token, glued to this one
			}
		}
	}
	if l.raw[end] == 'x' || l.raw[end] == 'X' {
		if to == end+1 {
			return to
		}
		return end
	}
	for to < len(l.raw) && (isLetter(l.raw[to]) || isDigit(l.raw[to])) {
		to++
	}
	t.kind = codeToken
	return to
}

// clockMinutes reads two digits below 60.
func clockMinutes(s string, i int) (minutes, size int) {
	if exactly(s, i) != 2 || i+2 > len(s) || !isDigit(s[i]) {
		return 0, 0
	}
	minutes = int(s[i]-'0')*10 + int(s[i+1]-'0')
	if minutes > 59 {
		return 0, 0
	}
	return minutes, 2
}

// in returns a numeral's value in a language: 1.500 is more than a thousand in
// German and French, and 1,500 is in English.
func (n *numeral) in(l language) (value, other float64) {
	if math.IsNaN(n.other) || n.comma == (l == english) {
		return n.value, n.other
	}
	return n.other, n.value
}
