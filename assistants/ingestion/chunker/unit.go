package chunker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/lexical"
	"footnote/assistants/tokens"
	"github.com/rivo/uniseg"
)

// A cut is the kind of boundary at the end of a unit. A higher cut is a
// better place to end a chunk.
type cut int

const (
	cutGrapheme cut = iota // inside a word too long for a chunk
	cutWord
	cutSpace
	cutLine
	cutSentence // also the end of a table row, a list item or a line of code
	cutParagraph
	cutPage
)

// A unit is a piece of text that chunks never split. Only white space lies between
// two units.
type unit struct {
	Range
	tokens int // including the white space before it
	end    cut
	page   bool // a page ends here
}

type splitter struct {
	in        Input
	opt       Options
	nextLines int // index of the next block in in.Lines
	nextBreak int // index of the next page break in in.Breaks
}

// units divides a section.
func (s *splitter) units(r Range) []unit {
	var us []unit
	for r.Start < r.End {
		para := s.paragraph(r)
		before := len(us)
		if s.startsInLines(para) {
			us = s.appendLines(us, para)
		} else {
			us = s.appendSentences(us, para)
		}
		if len(us) > before {
			s.endParagraph(&us[len(us)-1], para)
		}
		r.Start = para.End
	}
	for i := range us {
		if u := &us[i]; u.end < cutPage && strings.ContainsRune(":：", lastRune(s.in.Text[u.Start:u.End])) {
			u.end = min(u.end, cutLine) // it announces what follows
		}
	}
	s.count(us)
	return us
}

func lastRune(text string) rune {
	last, _ := utf8.DecodeLastRuneInString(text)
	return last
}

// paragraph returns the range from r.Start to the next blank line, block of
// [Lines] or page break.
func (s *splitter) paragraph(r Range) Range {
	for s.nextBreak < len(s.in.Breaks) && s.in.Breaks[s.nextBreak] <= r.Start {
		s.nextBreak++
	}
	if s.nextBreak < len(s.in.Breaks) {
		r.End = min(r.End, s.in.Breaks[s.nextBreak])
	}
	for s.nextLines < len(s.in.Lines) && s.in.Lines[s.nextLines].End <= r.Start {
		s.nextLines++
	}
	if s.nextLines < len(s.in.Lines) {
		block := s.in.Lines[s.nextLines]
		if block.Start > r.Start {
			r.End = min(r.End, block.Start)
		} else {
			return Range{r.Start, min(r.End, block.End)}
		}
	}
	return Range{r.Start, r.Start + blankLine(s.in.Text[r.Start:r.End])}
}

// blankLine returns the length of text up to and including the first blank line
// after other text.
func blankLine(text string) int {
	seen := false // something other than white space
	for at := 0; at < len(text); {
		n := strings.IndexByte(text[at:], '\n') + 1
		if n == 0 {
			return len(text)
		}
		blank := strings.TrimSpace(text[at:at+n]) == ""
		at += n
		if blank && seen {
			return at
		}
		seen = seen || !blank
	}
	return len(text)
}

func (s *splitter) startsInLines(r Range) bool {
	return s.nextLines < len(s.in.Lines) && s.in.Lines[s.nextLines].Start <= r.Start
}

func (s *splitter) endParagraph(u *unit, para Range) {
	u.end = cutParagraph
	if s.nextBreak < len(s.in.Breaks) && para.End == s.in.Breaks[s.nextBreak] {
		u.page = true
		u.end = cutPage
		if s.runsOn(u.End, para.End) {
			u.end = cutSpace
		}
	}
}

// runsOn reports whether a sentence seems to continue after a page break.
func (s *splitter) runsOn(end, next int) bool {
	last, _ := utf8.DecodeLastRuneInString(s.in.Text[:end])
	if !unicode.IsLetter(last) && last != ',' && last != ';' && last != '-' {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s.in.Text[next:], unicode.IsSpace))
	return unicode.IsLower(first)
}

func (s *splitter) appendLines(us []unit, r Range) []unit {
	for at := r.Start; at < r.End; {
		n := strings.IndexByte(s.in.Text[at:r.End], '\n') + 1
		if n == 0 {
			n = r.End - at
		}
		if line := (Range{at, at + n}); n > s.opt.Max && tokens.Count(s.in.Text[at:at+n]) > s.opt.Max {
			us = s.appendSentences(us, line)
		} else {
			us = s.appendUnit(us, line, cutSentence)
		}
		at += n
	}
	return us
}

func (s *splitter) appendSentences(us []unit, r Range) []unit {
	text := s.in.Text[r.Start:r.End]
	at := 0
	for _, span := range lexical.Sentences(text) {
		if end := span.End; end > at && graphemeBoundary(text, end) {
			us = s.appendUnit(us, Range{r.Start + at, r.Start + end}, cutSentence)
			at = end
		}
	}
	return s.appendUnit(us, Range{r.Start + at, r.End}, cutSentence)
}

// appendUnit adds a trimmed range. It splits a range that is too long for a chunk.
// A token has at least one byte, so short ranges need not be counted.
func (s *splitter) appendUnit(us []unit, r Range, end cut) []unit {
	r = trim(s.in.Text, r)
	if r.Start == r.End {
		return us
	}
	if r.End-r.Start > s.opt.Max && tokens.Count(s.in.Text[r.Start:r.End]) > s.opt.Max {
		return s.appendPieces(us, r, end)
	}
	return append(us, unit{Range: r, end: end})
}

// Lengths in bytes of the pieces of an overlong sentence. A piece ends at the first
// white space after pieceLen. Without white space it ends before pieceMax, after
// the last whole word or else inside the word.
const (
	pieceLen = 48
	pieceMax = 512
)

func (s *splitter) appendPieces(us []unit, r Range, end cut) []unit {
	limit := min(pieceMax, s.opt.Max)
	for r.Start < r.End {
		n, kind := firstPiece(s.in.Text[r.Start:r.End], limit)
		if n == r.End-r.Start {
			kind = end
		}
		if p := trim(s.in.Text, Range{r.Start, r.Start + n}); p.Start < p.End {
			us = append(us, unit{Range: p, end: kind})
		} else if len(us) > 0 {
			us[len(us)-1].end = max(us[len(us)-1].end, kind)
		}
		r.Start += n
	}
	return us
}

// firstPiece returns the length of the first piece of text and the cut at its end.
func firstPiece(text string, limit int) (int, cut) {
	var (
		rest, state = text[:min(len(text), limit+maxCluster)], -1
		at, word    int
	)
	for at < len(text) {
		cluster, after, flags, next := uniseg.StepString(rest, state)
		if at > 0 && at+len(cluster) > limit {
			break
		}
		if len(cluster) > maxCluster {
			return cutRunes(text, maxCluster), cutGrapheme
		}
		at += len(cluster)
		rest, state = after, next
		blank := strings.TrimSpace(cluster) == ""
		switch {
		case blank && cluster == "\n" && at >= pieceLen/2:
			return at, cutLine
		case blank && at >= pieceLen:
			return at, cutSpace
		case flags&uniseg.MaskWord != 0:
			word = at
		}
	}
	switch {
	case at == len(text):
		return at, cutSpace
	case word > 0:
		return word, cutWord
	}
	return at, cutGrapheme
}

// maxCluster is the longest grapheme cluster that is not split, in bytes. No script
// has longer ones, but a hostile file may put a thousand accents on a letter.
const maxCluster = 64

func cutRunes(text string, n int) int {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// trim removes white space at both ends of a range, except white space that carries
// a combining mark.
func trim(text string, r Range) Range {
	for r.Start < r.End {
		c, n := utf8.DecodeRuneInString(text[r.Start:r.End])
		if !unicode.IsSpace(c) || c != '\n' && !graphemeBoundary(text, r.Start+n) {
			break
		}
		r.Start += n
	}
	for r.Start < r.End {
		c, n := utf8.DecodeLastRuneInString(text[r.Start:r.End])
		if !unicode.IsSpace(c) || !graphemeBoundary(text, r.End) && c != '\n' {
			break
		}
		r.End -= n
	}
	return r
}

// graphemeBoundary reports whether position at of text lies between two
// grapheme clusters. It looks at the surrounding characters only.
func graphemeBoundary(text string, at int) bool {
	if at <= 0 || at >= len(text) {
		return true
	}
	if a, b := text[at-1], text[at]; a < utf8.RuneSelf && b < utf8.RuneSelf {
		return a != '\r' || b != '\n'
	}
	from := at
	for n := 0; n < 32 && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	rest, state, pos := text[from:min(len(text), at+utf8.UTFMax)], -1, from
	for pos < at {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		pos += len(cluster)
	}
	return pos == at
}

// count sets the units' lengths in tokens.
func (s *splitter) count(us []unit) {
	for i := range us {
		from := us[i].Start
		if i > 0 {
			from = us[i-1].End
		}
		us[i].tokens = tokens.Count(s.in.Text[from:us[i].End])
	}
}
