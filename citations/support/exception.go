package support

import "slices"

// What is excepted from all of the things may stand behind them or at the end: "All rooms but the
// cellar are heated", "All rooms are heated, except the cellar". Two such sentences say the same if
// they have the same words in the same order, apart from the place of the exception.

// maxItems bounds the words of a sentence that are compared.
const maxItems = 40

// An allBut is a sentence that says something of all things but some: its words, without articles, the
// word for all and the one that excepts.
type allBut struct {
	items [maxItems]uint64
	count int
	at    int // where the exception stands
}

// readAllBut reads a sentence. found is false if it does not except something from all of one kind
// of things, and from nothing else.
func (a *analysed) readAllBut(first, last int32) (s allBut, found bool) {
	all, marks := int32(-1), 0
	for i := first; i < last; i++ {
		t := &a.tokens[i]
		if t.is(reserved | gainsaid) {
			return s, false
		}
		if a.means(i, meansAll) {
			if all >= 0 {
				return s, false
			}
			all = i
		}
	}
	if all < 0 {
		return s, false
	}
	for i := first; i < last; i++ {
		if end := a.exceptionMark(i, last, all); end > i {
			if marks++; marks > 1 || !a.ofAll(i, first, all) {
				return s, false
			}
			s.at, i = s.count, end-1
			continue
		}
		item := a.plainItem(i, i == all)
		if item == 0 {
			continue
		}
		if s.count == maxItems {
			return s, false
		}
		s.items[s.count], s.count = item, s.count+1
	}
	return s, marks == 1
}

// plainItem returns what a word says, whatever its form: 0 for an article or the word for all.
func (a *analysed) plainItem(i int32, all bool) uint64 {
	t := &a.tokens[i]
	if t.kind != wordToken || t.is(inFact) {
		return t.raw
	}
	switch next := a.token(int(i) + 1); {
	case all && next != nil && (next.is(isContent) || next.class&(classArticle|classOf) != 0), t.class&classArticle != 0 && t.class&(classNegator|classPreposition) == 0:
		return 0
	case t.is(isContent):
		return a.stem(t)
	case a.sense(t).helps != 0:
		return salted(uint64(a.sense(t).helps), saltConcept)
	}
	return t.raw
}

// exceptionMark returns the token behind the words that begin an exception at a token, 0 if they do not:
// except, apart from, with the exception of, "but" behind all of the things.
func (a *analysed) exceptionMark(i, last, all int32) int32 {
	t := &a.tokens[i]
	switch {
	case t.kind != wordToken:
		return 0
	case t.said == meansExcept && a.language == german: // bis auf
		return i + 2
	case a.language == english && a.isWord(int(i), "but"):
		if all < i && a.contentIn(all+1, i) == 1 && a.tokens[i-1].is(isContent) && a.tokens[i-1].clause == t.clause {
			return i + 1
		}
		return 0
	}
	end := i
	for end < min(last, i+3) && a.classAt(int(end))&(classPreposition|classArticle) != 0 && !a.sense(&a.tokens[end]).bars {
		end++ // with the exception
	}
	if end == last || !a.sense(&a.tokens[end]).bars || a.tokens[end].kind != wordToken {
		return 0
	}
	end++
	if end < last && (a.classAt(int(end))&(classOf|classBy) != 0 || a.isWord(int(end), "from") || a.isWord(int(end), "for") || a.tokens[end-1].said == meansWithout) {
		end++
	}
	return end
}

// ofAll reports whether an exception is one of all the things, and of no other noun: it opens the
// sentence, stands behind them, or behind what they do with nothing but one thing or a time: all
// machines have a guard, all rooms are heated on Sundays.
func (a *analysed) ofAll(mark, first, all int32) bool {
	if mark == first || all < mark && a.contentIn(all+1, mark) == 1 {
		return true
	}
	words, single := 0, false
	for i := all + 1; i < mark; i++ {
		t := &a.tokens[i]
		switch {
		case a.oneOf(int(i)), a.isWord(int(i), "an"):
			single = true
		case t.is(inFact):
		case t.is(isContent) && !single:
			words++
		case t.class&(classPreposition|classAnd|classVerb) != 0:
			single = false
		}
	}
	return all < mark && words <= 2
}

// sameException reports whether a claim and a sentence say the same of all things but the same ones.
func (k *Checker) sameException(c *analysed, r *reading) bool {
	if r.first < 0 || len(c.sentences) != 1 || !k.inFocus(c, 0) || !k.inFocus(c, int32(len(c.tokens))-1) {
		return false
	}
	p := k.passage(r.passage)
	s := p.sentences[r.first]
	if c.language != p.language || c.unknown || p.unknown || p.inTable(s) || s.last-s.first > maxItems+10 || len(c.tokens) > maxItems+10 {
		return false
	}
	one, found := c.readAllBut(0, int32(len(c.tokens)))
	if !found {
		return false
	}
	other, found := p.readAllBut(s.first, s.last)
	if !found || one.count != other.count {
		return false
	}
	for n := 1; one.at+n <= one.count && other.at+n <= other.count; n++ {
		if !slices.Equal(one.items[one.at:one.at+n], other.items[other.at:other.at+n]) {
			return false
		}
		if one.without(n) == other.without(n) {
			return true
		}
	}
	return false
}

// without returns the words of a sentence without those of its exception.
func (s *allBut) without(n int) [maxItems]uint64 {
	var rest [maxItems]uint64
	copy(rest[copy(rest[:], s.items[:s.at]):], s.items[s.at+n:s.count])
	return rest
}
