package citations

import (
	"bytes"
	"unicode/utf8"
)

// A scanner finds the markers of a text that arrives in pieces, in one pass over the
// bytes. Outside Markdown's literal zones (code, math, links, URLs, HTML tags; see
// FORMAT.md) it looks at brackets, and reports the ends of sentences to a claims
// tracker. The result does not depend on the cuts: every step is decided by the text
// before it and by at most a marker and two bytes after it, and waits for those.
type scanner struct {
	buf    []byte // history, then the undecided bytes
	at     int    // first undecided byte of buf
	offset int    // of buf[at] in the whole text, in bytes
	taken  int    // bytes of buf that the ruler has read
	ruler  ruler
	found  func(found) (m *mark, cites bool) // m is nil when the marker is not listed
	edit   func(match) []byte                // returns the replacement of a marker; nil if none is replaced
	claim  claims

	zone   zone
	resume zone // the zone to continue after the line's prefix; zonePrefix if none
	line   line

	info    bool // on the line that opened a fence
	run     int  // of backticks or tildes being counted; position in a link or tag
	fence   int  // length that closes a fence or inline code
	fenceBy byte // '`' or '~'
	quote   byte // that closes a quoted value
	depth   int  // of parentheses in a link's destination or a URL
	tag     []byte
	element []byte // what closes literal HTML
	across  bool   // it continues over blank lines
	numbers []int

	defined map[label]bool // definitions seen so far; nil if none
}

// found is a marker in the text.
type found struct {
	start, end place
	match
}

// A zone is the scanner's position in the structure of the text.
type zone int

const (
	zonePrefix zone = iota // at the start of a line
	zoneText
	zoneTicks       // counting backticks
	zoneCode        // inline code
	zoneCodeTicks   // counting backticks inside inline code
	zoneFence       // fenced code
	zoneFenceRun    // counting what may close it
	zoneFenceTail   // after that
	zoneIndented    // a line of indented code
	zoneMath        // $…$
	zoneMathBlock   // $$…$$
	zoneMathParen   // \(…\)
	zoneMathBracket // \[…\]
	zoneDestination // (…) of a link
	zoneTitle       // quoted in it
	zoneLabel       // […] of a reference link
	zoneDefinition  // rest of a definition's line
	zoneURL
	zoneTagName
	zoneTag
	zoneAttribute // quoted value
	zoneLiteral   // inside <code>, <pre>, <script> …
	zoneAside     // a comment or similar
)

// begin prepares the scanner for a new text and keeps its memory.
func (s *scanner) begin(unit OffsetUnit, report func(found) (*mark, bool)) {
	*s = scanner{
		buf: s.buf[:0], numbers: s.numbers[:0], tag: s.tag[:0], element: s.element[:0],
		ruler: ruler{unit: unit, last: '\n', drained: '\n'}, found: report, claim: claims{start: nowhere, afterStart: nowhere, opener: nowhere},
	}
	s.line.reset()
}

// write scans the next piece of the text.
func (s *scanner) write(text string) {
	const piece = worthTrimming
	if s.buf == nil {
		s.buf = make([]byte, 0, 3*piece) // so it seldom grows
	}
	for len(text) > 0 {
		n := min(len(text), piece)
		s.buf = append(s.buf, text[:n]...)
		text = text[n:]
		s.scan(false)
	}
}

// finish decides what is still open, because nothing follows.
func (s *scanner) finish() {
	s.scan(true)
	if end := s.here(); s.zone != zonePrefix { // else the last line has no text
		s.claim.lineEnd(end, s.buf[:s.at])
	}
	s.claim.blockEnd()
}

// scan takes steps until the rest of the buffer cannot be decided.
func (s *scanner) scan(final bool) {
	for s.at < len(s.buf) {
		if !s.step(final) {
			break
		}
	}
	if s.edit != nil {
		s.here()
	}
	s.trim()
}

const (
	// history is the number of bytes that are kept before the undecided ones.
	history = 16
	// maxSentence is the number of bytes that are kept of a sentence; the last ones
	// count.
	maxSentence = 2 << 10
	// worthTrimming is the number of bytes that are dropped at once, so that small
	// pieces cost no copies.
	worthTrimming = 512
)

// trim drops decided text, except for the sentence that has begun.
func (s *scanner) trim() {
	keep := s.at - history
	if begun := s.claim.start.at; begun >= 0 && !s.claim.off {
		keep = min(keep, max(s.index(begun), s.at-maxSentence))
	}
	if keep < worthTrimming {
		return
	}
	s.here()
	n := copy(s.buf, s.buf[keep:])
	s.buf, s.at, s.taken = s.buf[:n], s.at-keep, s.taken-keep
}

// index returns the index in buf of an offset of the text; negative if it was
// dropped.
func (s *scanner) index(offset int) int { return offset - s.offset + s.at }

// textOf returns the kept text of a sentence and the offset of its first byte.
func (s *scanner) textOf(se sentence) (text []byte, offset int) {
	begin := max(s.index(se.start.at), 0)
	end := max(s.index(se.end.at), begin)
	return s.buf[begin:end], s.offset - s.at + begin
}

// here returns the place of the first undecided byte.
func (s *scanner) here() place {
	switch n := s.at - s.taken; {
	case n == 1 && !s.ruler.edits && s.buf[s.taken] < utf8.RuneSelf: // the usual case
		s.ruler.units++
		s.taken++
	case n > 0:
		s.ruler.copyText(s.buf[s.taken:s.at])
		s.taken = s.at
	}
	return place{s.offset, s.ruler.units}
}

// rest returns the undecided bytes.
func (s *scanner) rest() []byte { return s.buf[s.at:] }

// before returns the byte k places before the undecided ones, 0 if there is none.
func (s *scanner) before(k int) byte {
	if s.at < k {
		return 0
	}
	return s.buf[s.at-k]
}

// skip takes n bytes as decided.
func (s *scanner) skip(n int) {
	s.at += n
	s.offset += n
}

// text takes n bytes as decided; they belong to a sentence.
func (s *scanner) text(n int) {
	if s.claim.idle() {
		s.skip(n)
		return
	}
	pos := s.here()
	for range n {
		b := s.buf[s.at]
		s.skip(1)
		end := s.here()
		s.claim.char(b, pos, end)
		pos = end
	}
}

// literal takes n bytes of a literal zone; they belong to a sentence but cannot end
// it.
func (s *scanner) literal(n int) {
	if s.claim.idle() {
		s.skip(n)
		return
	}
	pos := s.here()
	if s.zone != zoneTagName && s.zone != zoneTag {
		s.claim.opaque(pos)
		s.skip(n)
		return
	}
	s.skip(n)
	s.claim.tag(pos, s.here())
}

// step decides at least one byte; false means that it needs more.
func (s *scanner) step(final bool) bool {
	switch s.zone {
	case zoneText:
		return s.inline(final)
	case zonePrefix:
		return s.prefix(final)
	case zoneTicks, zoneCode, zoneCodeTicks:
		return s.code()
	case zoneFence, zoneFenceRun, zoneFenceTail, zoneIndented:
		return s.verbatim()
	case zoneMath, zoneMathBlock, zoneMathParen, zoneMathBracket:
		return s.math(final)
	case zoneDestination, zoneTitle, zoneLabel, zoneDefinition, zoneURL:
		return s.link()
	default:
		return s.html()
	}
}

// special bytes end a stretch of plain text.
var special = func() (t [256]uint8) {
	for _, b := range []byte("[]`\\$<:.!?\n\xE3\xEF") {
		t[b] = 1
	}
	return t
}()

// ordinaryBytes returns the number of bytes of b before the first special one.
func ordinaryBytes(b []byte) int {
	n := 0
	for len(b)-n >= 4 {
		next := b[n : n+4]
		if special[next[0]]|special[next[1]]|special[next[2]]|special[next[3]] != 0 {
			break
		}
		n += 4
	}
	for n < len(b) && special[b[n]] == 0 {
		n++
	}
	return n
}

// inline scans text, where markers count.
func (s *scanner) inline(final bool) bool {
	b := s.rest()
	if s.claim.idle() {
		n := ordinaryBytes(b)
		s.skip(n)
		if b = b[n:]; len(b) == 0 {
			return true
		}
	} else if special[b[0]] == 0 {
		s.text(1)
		return true
	}
	switch b[0] {
	case '\n':
		s.newline()
	case '`':
		s.zone, s.run = zoneTicks, 0
	case '[':
		return s.bracket(final)
	case '\\':
		return s.escape(final)
	case '$':
		return s.dollar(final)
	case '<':
		return s.angle(final)
	case ']':
		return s.closeBracket(final)
	case ':':
		return s.colon(final)
	case 0xE3, 0xEF:
		return s.wideBracket(final)
	case '.':
		s.dot()
	default: // ! and ?
		s.terminator(b[0], 1)
	}
	return true
}

// terminator takes n bytes that may end a sentence; b is 0 for wide ones.
func (s *scanner) terminator(b byte, n int) {
	if b != 0 && s.claim.idle() && s.at+1 < len(s.buf) && (isDigit(s.buf[s.at+1]) || isLetter(s.buf[s.at+1])) {
		s.skip(n) // 4.2, example.test: claims would find that as well
		return
	}
	before, pos := s.buf[:s.at], s.here()
	s.skip(n)
	s.claim.terminator(b, pos, s.here(), before)
}

// newline ends a line; the start of the next line decides the meaning of the line
// break.
func (s *scanner) newline() {
	s.claim.lineEnd(s.here(), s.buf[:s.at])
	if s.line.alone {
		s.claim.blockEnd()
	}
	s.skip(1)
	s.line.reset()
	s.zone = zonePrefix
}

// dot is a full stop, or ends the "www." that a URL begins with.
func (s *scanner) dot() {
	if s.before(1)|0x20 == 'w' && s.before(2)|0x20 == 'w' && s.before(3)|0x20 == 'w' && !isWordByte(s.before(4)) {
		s.openURL(1, 0)
		return
	}
	s.terminator('.', 1)
}

// colon opens a URL in "scheme://".
func (s *scanner) colon(final bool) bool {
	b := s.rest()
	if n := len(b); n < 3 && !final && string(b) == "://"[:n] {
		return false
	}
	if bytes.HasPrefix(b, []byte("://")) && (isLetter(s.before(1)) || isDigit(s.before(1))) {
		s.openURL(3, 0)
		return true
	}
	s.text(1)
	return true
}

// bracket handles "[": a marker, or text.
func (s *scanner) bracket(final bool) bool {
	b := s.rest()
	m, v := parseMarker(b, final, s.numbers)
	s.numbers = m.numbers
	if v == more {
		return false
	}
	if v == no {
		s.text(1)
		return true
	}
	after := b[m.size:]
	if !final && (len(after) == 0 || len(after) == 1 && (after[0] == '[' || after[0] == ']')) {
		return false
	}
	next := s.follow(m, after)
	if next == followDefinition && m.form != formFootnote {
		switch leadsSomewhere(after[1:], final || len(b) > maxMarkerBytes) {
		case more:
			return false
		case no:
			next = followNothing
		}
	}
	switch next {
	case followDestination:
		s.openDestination(m.size + 1)
	case followLabel:
		s.zone = zoneLabel
		s.literal(m.size + 1)
	case followDefinition:
		s.define(m.label())
		s.zone = zoneDefinition
		s.literal(m.size)
	case followLinkEnd:
		s.literal(m.size)
	default:
		if s.defined[m.label()] {
			s.literal(m.size)
			return true
		}
		s.report(m)
	}
	return true
}

// define records that a label is not a marker from here on.
func (s *scanner) define(l label) {
	if l.number == 0 {
		return
	}
	if s.defined == nil {
		s.defined = map[label]bool{}
	}
	s.defined[l] = true
}

// report reports a marker and takes its bytes.
func (s *scanner) report(m match) {
	start := s.here()
	before := s.before(1)
	s.skip(m.size)
	end := place{at: s.offset}
	if s.edit == nil {
		end = s.here()
	} else {
		s.taken = s.at
		m.text = s.buf[s.at-m.size : s.at]
		start.unit, end.unit = s.ruler.replace(s.edit(m), before)
	}
	mark, cites := s.found(found{start, end, m})
	s.claim.marker(mark, cites, start, end)
}

// closeBracket handles "]"; with "(" after it, it ends the text of a link.
func (s *scanner) closeBracket(final bool) bool {
	b := s.rest()
	if len(b) < 2 && !final {
		return false
	}
	if len(b) > 1 && b[1] == '(' {
		s.openDestination(2)
		return true
	}
	s.text(1)
	return true
}

// wideBracket handles a byte that begins 【 or ［, or a CJK full stop.
func (s *scanner) wideBracket(final bool) bool {
	b := s.rest()
	if len(b) < 3 {
		if !final {
			return false
		}
		s.text(len(b))
		return true
	}
	switch string(b[:3]) {
	case "。", "！", "？", "．":
		s.terminator(0, 3)
		return true
	case "【", "［":
	default:
		s.text(3)
		return true
	}
	return s.mark(final, 3)
}

// mark takes a marker in brackets whose meaning nothing after it can change, or n
// bytes of text if there is none.
func (s *scanner) mark(final bool, n int) bool {
	m, v := parseMarker(s.rest(), final, s.numbers)
	s.numbers = m.numbers
	switch v {
	case more:
		return false
	case no:
		s.text(n)
	case yes:
		s.report(m)
	}
	return true
}
