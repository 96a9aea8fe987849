package citations

import (
	"unicode"
	"unicode/utf8"
)

// Limits of the grammar; see FORMAT.md.
const (
	maxNumber      = 999 // larger numbers are text: years, mostly
	maxRange       = 10  // numbers in a range
	maxMarkerBytes = 256 // of one marker; bounds the bytes that are held back
)

// A verdict is the parser's decision about the bytes seen so far.
type verdict int

const (
	no   verdict = iota // not a marker, whatever follows
	yes                 // a marker
	more                // undecided until more bytes come
)

// A form is how a marker is written, as far as the text after it depends on it.
type form int

const (
	formNumber   form = iota // [1], [1, 2], [1-3]
	formFootnote             // [^1]
	formOther                // with a word, other brackets
)

// A match is a marker as written; it may have no source.
type match struct {
	form    form
	size    int // bytes, brackets included
	numbers []int
	// The numbers as written, from the first digit to the last: bytes of the marker.
	first, last int
	text        []byte // as written, where markers are rewritten
}

// A label names a footnote or the target of a link.
type label struct {
	form   form
	number int // 0: the marker cannot be a label, such as a list of numbers
}

func (m match) label() label {
	if m.form > formFootnote || len(m.numbers) != 1 {
		return label{formOther, 0}
	}
	return label{m.form, m.numbers[0]}
}

// parser reads one marker from the start of b. final: nothing follows b.
type parser struct {
	b     []byte
	i     int
	final bool
	// before is what stands before the first number and may repeat before the others.
	before []string
	m      match
}

// parseMarker reads a marker at the start of b, which begins with "[", "\[",
// "【" or "［". numbers is reused for the result.
func parseMarker(b []byte, final bool, numbers []int) (match, verdict) {
	if len(b) > maxMarkerBytes {
		b, final = b[:maxMarkerBytes], true
	}
	if len(b) > 2 && b[2] == ']' && b[0] == '[' && b[1] >= '1' && b[1] <= '9' { // the most frequent form
		return match{form: formNumber, size: 3, numbers: append(numbers[:0], int(b[1]-'0')), first: 1, last: 2}, yes
	}
	p := parser{b: b, final: final, m: match{numbers: numbers[:0]}}
	v := p.marker()
	p.m.size = p.i
	return p.m, v
}

func (p *parser) marker() verdict {
	switch {
	case p.b[0] == '\\':
		p.i, p.m.form = 2, formOther
		return p.body(`\]`)
	case p.b[0] != '[':
		opening, n := utf8.DecodeRune(p.b)
		p.i, p.m.form = n, formOther
		if opening == '【' {
			return p.body("】")
		}
		return p.body("］")
	}
	p.i = 1
	if v := p.invisible(); v != yes {
		return v
	}
	switch c, v := p.peek(); {
	case v != yes:
		return v
	case c == '[':
		p.i, p.m.form = p.i+1, formOther
		return p.body("]]")
	case c == '^':
		p.i, p.m.form, p.before = p.i+1, formFootnote, footnoteSign
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		p.m.form, p.before = formOther, words
		if v := p.anyOf(words); v != yes {
			return v
		}
	}
	return p.body("]")
}

// peek is the next byte; more or no when there is none.
func (p *parser) peek() (byte, verdict) {
	if p.i < len(p.b) {
		return p.b[p.i], yes
	}
	return 0, p.end()
}

func (p *parser) end() verdict {
	if p.final {
		return no
	}
	return more
}

// What may stand before a number, in lower case; of two words with the same beginning the
// longer one first.
var (
	words        = []string{"doc", "sources", "source", "id:", "citation:", "quellen", "quelle"}
	footnoteSign = []string{"^"}
)

// literal reads s, letters in any case.
func (p *parser) literal(s string) verdict {
	for k := range len(s) {
		if p.i+k >= len(p.b) {
			return p.end()
		}
		if lower(p.b[p.i+k]) != s[k] {
			return no
		}
	}
	p.i += len(s)
	return yes
}

// body reads spaces, a list of numbers and ranges, and the closing bracket.
func (p *parser) body(closing string) verdict {
	for {
		if v := p.item(); v != yes {
			return v
		}
		if p.i >= len(p.b) {
			return p.end()
		}
		if closing == "】" {
			if v := p.dagger(); v != no {
				return v
			}
		}
		if v := p.page(); v == more {
			return more
		}
		if v := p.literal(closing); v != no {
			return v
		}
		if v := p.separator(); v != yes {
			return v
		}
		if p.anyOf(p.before) == more {
			return more
		}
	}
}

// separator reads what stands between two numbers: a comma, "and" between spaces, or both.
func (p *parser) separator() verdict {
	comma := p.anyOf(commas)
	if comma == more || comma == no && p.b[p.i-1] != ' ' {
		return comma
	}
	if v := p.spaces(); v != yes {
		return v
	}
	if v := p.anyOf(ands); v == more || comma == no {
		return v
	}
	return yes
}

// page reads the page of a source, ", page 12" or ", pp. 12-14", which is none of the numbers.
// no means that there is none.
func (p *parser) page() verdict {
	if p.m.form != formOther || p.before == nil {
		return no
	}
	from := p.i
	v := p.commaAndPage()
	if v == no {
		p.i = from
	}
	return v
}

func (p *parser) commaAndPage() verdict {
	steps := [...]func() verdict{
		func() verdict { return p.anyOf(commas) }, p.spaces, func() verdict { return p.anyOf(pageWords) }, p.spaces, p.digits,
	}
	for _, step := range steps {
		if v := step(); v != yes {
			return v
		}
	}
	switch p.anyOf(dashes) {
	case more:
		return more
	case yes:
		if v := p.digits(); v != yes {
			return v
		}
	}
	return p.spaces()
}

// digits reads a number of any size.
func (p *parser) digits() verdict {
	from := p.i
	for p.i < len(p.b) && isDigit(p.b[p.i]) {
		p.i++
	}
	switch {
	case p.i >= len(p.b):
		return p.end()
	case p.i == from:
		return no
	}
	return yes
}

// Separators between numbers, and words of a page, in lower case. Models also write
// non-breaking hyphens and spaces.
var (
	commas    = []string{",", ";", "，", "、", "；", "&"}
	ands      = []string{"and ", "und ", "et ", "& "}
	dashes    = []string{"-", "–", "\u2010", "\u2011", "\u2212"}
	pageWords = []string{"pages ", "page ", "pp.", "p.", "seiten ", "seite ", "s."}
)

func (p *parser) anyOf(list []string) verdict {
	if p.i >= len(p.b) {
		return p.end()
	}
	for _, s := range list {
		if s[0] != lower(p.b[p.i]) {
			continue
		}
		if v := p.literal(s); v != no {
			return v
		}
	}
	return no
}

// spaces skips white space that does not end the line; yes means that it ended.
func (p *parser) spaces() verdict {
	for p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case c == ' ' || c == '\t':
			p.i++
		case c < utf8.RuneSelf:
			return yes
		case !utf8.FullRune(p.b[p.i:]):
			if p.final {
				return yes
			}
			return more
		default:
			r, size := utf8.DecodeRune(p.b[p.i:])
			if !unicode.Is(unicode.Zs, r) && !isInvisible(r) {
				return yes
			}
			p.i += size
		}
	}
	return yes
}

// invisible skips characters that nobody sees; yes means that another one follows, or that
// the text ends.
func (p *parser) invisible() verdict {
	for p.i < len(p.b) && p.b[p.i] >= utf8.RuneSelf {
		if !utf8.FullRune(p.b[p.i:]) {
			if p.final {
				return yes
			}
			return more
		}
		r, size := utf8.DecodeRune(p.b[p.i:])
		if !isInvisible(r) {
			return yes
		}
		p.i += size
	}
	return yes
}

// isInvisible reports whether a character has no width, or only turns the text around.
func isInvisible(r rune) bool {
	return r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x2064 || r >= 0x2066 && r <= 0x206F || r == 0xFEFF || r == 0xAD
}

// dagger reads OpenAI's "†title】" and ignores the title.
func (p *parser) dagger() verdict {
	if v := p.literal("†"); v != yes {
		return v
	}
	for p.i < len(p.b) {
		if p.b[p.i] == '\n' {
			break
		}
		if v := p.literal("】"); v != no {
			return v
		}
		p.i++
	}
	if p.i < len(p.b) {
		p.i = len(p.b) // the end of a line: not a marker
		return no
	}
	return p.end()
}

// item reads a number or a range, with the spaces around it, and appends its
// numbers.
func (p *parser) item() verdict {
	if v := p.spaces(); v != yes {
		return v
	}
	if len(p.m.numbers) == 0 {
		p.m.first = p.i
	}
	first, v := p.number()
	if v != yes {
		return v
	}
	p.m.last = p.i
	if v := p.spaces(); v != yes {
		return v
	}
	switch p.anyOf(dashes) {
	case more:
		return more
	case no:
		p.m.numbers = append(p.m.numbers, first)
		return yes
	}
	if v := p.spaces(); v != yes {
		return v
	}
	last, v := p.number()
	if v != yes {
		return v
	}
	if last < first || last-first >= maxRange {
		return no
	}
	p.m.last = p.i
	for n := first; n <= last; n++ {
		p.m.numbers = append(p.m.numbers, n)
	}
	return p.spaces()
}

// number reads a number from 1 to maxNumber without leading zeros, in the decimal
// digits of any script.
func (p *parser) number() (int, verdict) {
	n, digits := 0, 0
	for p.i < len(p.b) {
		d, size, v := p.digit()
		if v == more {
			return 0, more
		}
		if v == no {
			break
		}
		if n = n*10 + d; n == 0 || n > maxNumber {
			return 0, no
		}
		p.i += size
		digits++
	}
	switch {
	case p.i >= len(p.b):
		return 0, p.end()
	case digits == 0:
		return 0, no
	default:
		return n, yes
	}
}

// digit reads one decimal digit.
func (p *parser) digit() (value, size int, v verdict) {
	c := p.b[p.i]
	if c < utf8.RuneSelf {
		if c < '0' || c > '9' {
			return 0, 0, no
		}
		return int(c - '0'), 1, yes
	}
	if !utf8.FullRune(p.b[p.i:]) {
		return 0, 0, p.end()
	}
	r, size := utf8.DecodeRune(p.b[p.i:])
	if !unicode.Is(unicode.Nd, r) {
		return 0, 0, no
	}
	return digitValue(r), size, yes
}

// digitValue returns the value of a decimal digit. Unicode keeps the digits of a
// script together and in order; runs of several scripts are aligned to ten.
func digitValue(r rune) int {
	for _, rg := range unicode.Nd.R16 {
		if uint32(r) >= uint32(rg.Lo) && uint32(r) <= uint32(rg.Hi) {
			return int((uint32(r) - uint32(rg.Lo)) % 10)
		}
	}
	for _, rg := range unicode.Nd.R32 {
		if uint32(r) >= rg.Lo && uint32(r) <= rg.Hi {
			return int((uint32(r) - rg.Lo) % 10)
		}
	}
	return 0
}
