package citations

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// claims finds the sentence that each marker supports while the text is scanned. A
// sentence ends at a terminator before white space, or with its block. Markers that
// follow a terminator on the same line belong to the sentence before it, unless a
// lower-case letter follows them: then they begin the next one. It keeps positions
// and open markers only; the scanner keeps the text of the sentence.
type claims struct {
	off      bool  // sentences are not needed
	start    place // of the sentence; nowhere if none has begun
	last     place // where the last line's text ended
	open     []*mark
	cites    bool // a marker of the sentence has a source
	state    claimState
	sentence func(sentence) // called for each sentence; may be nil

	// While a sentence may have ended:
	ended      place // where it ends if what follows confirms it
	weak       bool  // the full stop of an abbreviation, which ends a sentence only at the end of a line
	wide       bool  // the terminator needs no white space after it
	marked     bool  // it directly follows a marker, which no abbreviation does
	spaced     bool  // white space followed
	newLine    bool  // and a line break
	ordinal    bool  // the terminator follows one or two digits: "31. März"
	after      []*mark
	afterCites bool
	afterStart place // of the first marker that follows; nowhere: none
	afterEnd   place // of the last one
	opener     place // of brackets, emphasis or a tag that a marker may stand in; nowhere: none

	edge   int // end of the last marker in the client's text, without white space that was removed with it
	behind int // the same in the model's text

	// The rune, or the word, that decides:
	word   []byte
	wordAt place
}

type claimState int

const (
	inSentence claimState = iota
	ending                // after a terminator, its closing quotes and white space
	inRune                // reading a rune that may close a quotation
	inOrdinal             // reading the word that may be a month
)

// idle reports whether plain characters can be skipped without a look at each.
func (c *claims) idle() bool { return c.off || c.state == inSentence && c.start.at >= 0 }

// begin starts a sentence at pos, unless one has begun.
func (c *claims) begin(pos place) {
	if c.start.at < 0 {
		c.start = pos
	}
}

// char takes one byte of text, from pos to end, while a sentence begins or may have
// ended.
func (c *claims) char(b byte, pos, end place) {
	space := isBlank(b)
	switch c.state {
	case inSentence:
		if !space {
			c.begin(pos)
		}
	case ending:
		switch {
		case space:
			c.spaced = true
		case c.quotes() && strings.IndexByte("\"')*_", b) >= 0:
			c.ended = end
		case c.closes(pos) && strings.IndexByte(")*_", b) >= 0:
			c.afterEnd = end
		case strings.IndexByte("(*_", b) >= 0 || c.closes(pos) && strings.IndexByte(",;", b) >= 0: // ([1], [2])
			c.noteOpener(pos)
		case c.opener.at >= 0:
			c.decide('(', c.opening(pos))
		case b >= utf8.RuneSelf:
			c.state, c.word, c.wordAt = inRune, append(c.word[:0], b), pos
		default:
			c.decide(rune(b), pos)
		}
	case inRune:
		if c.word = append(c.word, b); !utf8.FullRune(c.word) {
			return
		}
		c.state = ending
		switch r, _ := utf8.DecodeRune(c.word); {
		case unicode.Is(unicode.Zs, r):
			c.spaced = true
		case c.quotes() && (unicode.In(r, unicode.Pe, unicode.Pf) || r == '“'):
			c.ended = end
		case c.closes(c.wordAt) && unicode.Is(unicode.Pe, r):
			c.afterEnd = end
		case r == '（':
			c.noteOpener(c.wordAt)
		default:
			c.decide(r, c.wordAt)
		}
	case inOrdinal:
		const longest = 12 // bytes of the name of a month
		if isLetter(b) || b >= utf8.RuneSelf {
			if len(c.word) <= longest {
				c.word = append(c.word, b)
			}
			return
		}
		c.decideByWord()
	}
}

// quotes reports whether a closing quotation mark would still belong to the sentence.
func (c *claims) quotes() bool { return !c.spaced && c.afterStart.at < 0 && c.opener.at < 0 }

// closes reports whether the byte at pos, directly after a marker, can close what
// surrounds the marker.
func (c *claims) closes(pos place) bool { return c.afterStart.at >= 0 && c.afterEnd.at == pos.at }

// noteOpener notes a character that can surround a marker. The next one decides.
func (c *claims) noteOpener(pos place) {
	if c.opener.at < 0 {
		c.opener = pos
	}
}

// opening is pos, or the start of what was taken for the surroundings of markers.
func (c *claims) opening(pos place) place {
	if c.opener.at >= 0 {
		pos, c.opener = c.opener, nowhere
	}
	return pos
}

// tag takes bytes of a tag from pos to end.
func (c *claims) tag(pos, end place) {
	switch {
	case c.off:
	case c.state != ending || c.newLine || c.weak:
		c.opaque(pos)
	case c.closes(pos) && c.opener.at < 0:
		c.afterEnd = end
	default:
		c.noteOpener(pos)
		c.spaced = true
	}
}

// decide interprets the first character after a terminator.
func (c *claims) decide(r rune, pos place) {
	switch {
	case c.weak && !c.newLine,
		!c.spaced && !c.wide && c.afterStart.at < 0, // 4.2, example.test
		unicode.IsLower(r) && !c.wide && !c.marked:
		c.resume(pos)
	case c.ordinal && c.spaced && unicode.IsLetter(r):
		if r < utf8.RuneSelf {
			c.word = append(c.word[:0], byte(r))
		}
		c.state, c.wordAt = inOrdinal, pos
	default:
		c.end(pos)
	}
}

// decideByWord decides by the word after an ordinal number: "31. März" goes on.
func (c *claims) decideByWord() {
	if isMonth(c.word) {
		c.resume(c.wordAt)
		return
	}
	c.end(c.wordAt)
}

// resume undoes the terminator: the sentence continues at pos. Markers that followed
// the terminator begin a sentence of their own: "X grew. [2] says so."
func (c *claims) resume(pos place) {
	c.state = inSentence
	if c.afterStart.at >= 0 {
		c.close(c.ended)
		c.start = c.afterStart
		c.open, c.cites = append(c.open, c.after...), c.afterCites
	}
	c.begin(pos)
}

// end confirms the end of the sentence; the next starts at pos.
func (c *claims) end(pos place) {
	c.confirm()
	c.start = pos
}

// confirm ends the sentence with the markers that follow it.
func (c *claims) confirm() {
	end := c.ended
	if c.afterStart.at >= 0 {
		end = c.afterEnd
		c.open, c.cites = append(c.open, c.after...), c.cites || c.afterCites
	}
	c.close(end)
	c.state = inSentence
}

// close gives the open markers their claim.
func (c *claims) close(end place) {
	for _, m := range c.open {
		m.claimFrom, m.claimTo = c.start.unit, max(end.unit, m.to)
		end.at = max(end.at, m.end)
	}
	if c.sentence != nil {
		c.sentence(sentence{c.start, end, c.open, c.cites})
	}
	c.open, c.cites, c.start = c.open[:0], false, nowhere
}

// decidePending resolves a pending decision before something at pos that forces it:
// code, a marker after a line break, another terminator.
func (c *claims) decidePending(pos place) {
	pos = c.opening(pos)
	switch {
	case c.state == ending && c.weak && !c.newLine:
		c.resume(pos)
	case c.state == ending:
		c.end(pos)
	case c.state == inRune:
		c.end(c.wordAt)
	case c.state == inOrdinal:
		c.decideByWord()
	}
}

// opaque takes something at pos that belongs to the sentence but cannot end it:
// code, math, links, tags.
func (c *claims) opaque(pos place) {
	if c.off {
		return
	}
	c.decidePending(pos)
	c.begin(pos)
}

// terminator takes one of . ! ? (wide false) or 。！？ from pos to end. before is the
// text before it, as far as it was kept.
func (c *claims) terminator(b byte, pos, end place, before []byte) {
	if c.off {
		return
	}
	if c.state == ending && c.quotes() {
		c.ended, c.weak = end, false // "?!", "..."
		return
	}
	c.decidePending(pos)
	c.begin(pos)
	word := lastWord(before)
	c.weak = b == '.' && abbreviated(word)
	c.state, c.ended, c.wide = ending, end, b == 0
	c.marked = pos.at > 0 && pos.at == c.behind
	c.spaced, c.newLine = false, false
	c.after, c.afterCites, c.afterStart = c.after[:0], false, nowhere
	c.ordinal = b == '.' && len(word) > 0 && len(word) <= 2 && isDigit(word[0])
}

// marker takes a marker; m is nil when it is not listed.
func (c *claims) marker(m *mark, cites bool, start, end place) {
	if c.off {
		return
	}
	c.edge, c.behind = end.unit, end.at
	if c.state == ending && !c.newLine && !c.weak {
		if start = c.opening(start); c.afterStart.at < 0 {
			c.afterStart = start
		}
		c.afterEnd, c.afterCites = end, c.afterCites || cites
		if m != nil {
			c.after = append(c.after, m)
		}
		return
	}
	c.decidePending(start)
	c.begin(start)
	c.cites = c.cites || cites
	if m != nil {
		c.open = append(c.open, m)
	}
}

// lineEnd takes a line break at pos.
func (c *claims) lineEnd(pos place, before []byte) {
	if c.off {
		return
	}
	if c.state == inOrdinal || c.state == inRune || c.opener.at >= 0 {
		c.decidePending(pos)
	}
	before = tail(before)
	space := 0
	for space < len(before) && isBlank(before[len(before)-1-space]) {
		space++
	}
	c.last = place{pos.at - space, max(pos.unit-space, c.edge)}
	c.spaced, c.newLine = true, true
}

// blockEnd ends the sentence with its block.
func (c *claims) blockEnd() {
	if c.off {
		return
	}
	if c.state == ending {
		c.confirm()
	}
	if c.start.at >= 0 {
		c.close(later(c.start, c.last))
	}
}

// tail is the part of the preceding text that decisions may use. It is bounded, so
// that decisions do not depend on how the text was cut.
func tail(before []byte) []byte { return before[max(0, len(before)-history):] }

// lastWord is the word at the end of the text: letters with the full stops
// inside, or digits.
func lastWord(before []byte) []byte {
	before = tail(before)
	i := len(before)
	if i > 0 && isDigit(before[i-1]) {
		for i > 0 && isDigit(before[i-1]) {
			i--
		}
		return before[i:]
	}
	for i > 0 && (isLetter(before[i-1]) || before[i-1] == '.' || before[i-1] >= utf8.RuneSelf) {
		i--
	}
	return before[i:]
}

// abbreviations are words whose full stop rarely ends a sentence, in lower case, in
// English, German and French.
var abbreviations = setOf(`dr mr mrs ms prof st jr sr vs etc fig figs no nos vol pp ch sec eq approx ca cf inc ltd co corp dept est
	jan feb mar apr jun jul aug sep sept oct nov dec bzw usw nr abs art vgl ggf inkl evtl str tel mio mrd ff hrsg bsp`)

// abbreviated reports whether a full stop after word belongs to the word: an
// abbreviation, an initial, or letters separated by stops (e.g, z.B).
func abbreviated(word []byte) bool {
	if len(word) == 0 || isDigit(word[0]) {
		return false
	}
	const longest = 6
	return len(word) <= longest && (len(word) == 1 || bytes.IndexByte(word[1:], '.') >= 0 || among(abbreviations, word))
}

// months can follow an ordinal number with a full stop.
var months = setOf("januar jänner februar märz april mai juni juli august september oktober november dezember")

func isMonth(word []byte) bool { return among(months, word) }

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// among reports whether a set has a word, in any case.
func among(set map[string]bool, word []byte) bool {
	var room [history]byte
	lower := room[:0]
	for _, c := range word {
		if c >= utf8.RuneSelf {
			return set[string(bytes.ToLower(word))]
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower = append(lower, c)
	}
	return set[string(lower)]
}
