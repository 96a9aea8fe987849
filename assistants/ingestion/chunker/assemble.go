package chunker

import "footnote/assistants/tokens"

// worth scores the kind of boundary at a chunk's end. With these numbers and those
// below, a paragraph's end wins over a sentence's end unless the chunk would be
// less than about half as full, and a page's end wins over both.
var worth = [...]float64{
	cutGrapheme: 0, cutWord: 5, cutSpace: 10, cutLine: 20, cutSentence: 40, cutParagraph: 60, cutPage: 90,
}

const (
	worthSection = 100 // the section's end
	worthFull    = 50  // a chunk of the target length; shorter ones in proportion
	costShort    = 60  // shorter than Min, and not the section's end
	costCrossing = 60  // a page break inside
	costTail     = 60  // leaves a rest shorter than Min; the shorter the rest, the more
)

// A piece is the range of a chunk and its length in tokens.
type piece struct {
	Range
	tokens int
}

// cut divides a section into the pieces that become chunks.
func (s *splitter) cut(r Range) []piece {
	var out []piece
	for _, us := range onPages(s.units(r)) {
		out = s.appendChunks(out, us)
	}
	return out
}

// leastOfPage is how many tokens of a section a page must have to become chunks of
// their own. A heading at the foot of a page, for example, is useless without the
// text that follows it.
const leastOfPage = 12

// onPages divides the units of a section where pages end, so that a citation names
// the page that holds its text. A sentence that continues on the next page stays
// in the chunk that it begins in.
func onPages(us []unit) [][]unit {
	var out [][]unit
	from, length, over := 0, 0, false
	for i, u := range us {
		length += u.tokens
		over = over || u.page && length >= leastOfPage
		if over && u.end >= cutSentence && i+1 < len(us) {
			out = append(out, us[from:i+1])
			from, length, over = i+1, 0, false
		}
	}
	if length < leastOfPage && len(out) > 0 {
		last := out[len(out)-1]
		out[len(out)-1] = us[from-len(last):]
		return out
	}
	return append(out, us[from:])
}

// appendChunks divides units that belong together.
func (s *splitter) appendChunks(out []piece, us []unit) []piece {
	rest := 0 // tokens of us
	for _, u := range us {
		rest += u.tokens
	}
	for len(us) > 0 {
		n := s.best(us, rest)
		// The units' lengths add up to a little more or less than the length of the
		// chunk, so the chunk is counted as a whole.
		length := s.length(us[:n])
		for n > 1 && length > s.opt.Max {
			n--
			length = s.length(us[:n])
		}
		for _, u := range us[:n] {
			rest -= u.tokens
		}
		out = append(out, piece{Range{us[0].Start, us[n-1].End}, length})
		us = us[n:]
	}
	return out
}

func (s *splitter) length(us []unit) int {
	return tokens.Count(s.in.Text[us[0].Start:us[len(us)-1].End])
}

// best returns how many of the units make the best chunk, at least one. It looks at
// no more than Max tokens, so the time for a section is linear in its length.
func (s *splitter) best(us []unit, rest int) int {
	var (
		n, top   = 1, -1e9
		length   int
		crossing float64
	)
	for i, u := range us {
		length += u.tokens
		if i > 0 && length > s.opt.Max {
			break
		}
		points := worth[u.end] + worthFull*min(1, float64(length)/float64(s.opt.Target)) - crossing
		left := rest - length
		switch {
		case left == 0:
			points += worthSection - worth[u.end]
		case length < s.opt.Min:
			points -= costShort
		case left < s.opt.Min:
			points -= costTail * (1 - float64(left)/float64(s.opt.Min))
		}
		if points >= top {
			n, top = i+1, points
		}
		if u.page {
			crossing = costCrossing
		}
	}
	return n
}
