package support

import "strings"

// What opens an answer is no part of what it says: "Yes, …", "According to the handbook, …", "The
// leaflet states that …". The passage is the handbook.

const frameReach = 7 // words that name the source

// blankFrame replaces what opens a claim by spaces; positions remain valid.
func (a *analysed) blankFrame(text string) (string, bool) {
	first := a.answerEnd()
	if end := a.sourceEnd(first); end > first {
		first = end
	}
	if first == 0 || first >= len(a.tokens) {
		return text, false
	}
	at := int(a.tokens[first].start)
	return strings.Repeat(" ", at) + text[at:], true
}

// answerEnd returns the token behind a "yes" or "no" that opens a claim, 0 if there is none.
func (a *analysed) answerEnd() int {
	if len(a.tokens) < 3 || !a.senseAt(0).answers || a.tokens[1].start-a.tokens[0].end < 2 {
		return 0 // no pets, and not: No, pets
	}
	return 1
}

// sourceEnd returns the token behind words that name the passage as the source, as in "according to
// the handbook" and "the handbook says that"; first if there are none.
func (a *analysed) sourceEnd(first int) int {
	t := a.token(first)
	if t == nil || t.kind != wordToken {
		return first
	}
	noun := a.sourceNoun(first)
	if noun < 0 {
		return first
	}
	next := a.token(noun + 1)
	if next == nil {
		return first
	}
	if t.is(hearsay) || t.said == meansTold || a.sense(t).frames {
		apart := next.clause != t.clause
		if apart || a.language.germanic() && next.class&(classArticle|classPreposition|classOf|classAnd) == 0 && !next.is(hasCapital) {
			return noun + 1
		}
		return first
	}
	if that := a.token(noun + 2); that != nil && next.is(tells|announces) && that.kind == wordToken && that.mean == meansThat {
		return noun + 3
	}
	return first
}

// sourceNoun returns the noun at the end of the first words of a claim that is a text, such as a
// handbook; -1 if there is none, or a name or a number beside it.
func (a *analysed) sourceNoun(first int) int {
	content := 0
	for i := first; i < min(len(a.tokens), first+frameReach) && a.tokens[i].clause == a.tokens[first].clause; i++ {
		t := &a.tokens[i]
		if t.kind != wordToken || t.is(inFact) || t.is(isName) && !a.sense(t).source {
			return -1
		}
		if s := a.sense(t); s.source || s.rule {
			if next := a.senseAt(i + 1); !next.source && !next.rule {
				return i
			}
			continue
		}
		if t.is(isContent) && !t.is(tells|hearsay) && t.mean != meansLittle {
			if content++; content > 1 {
				return -1
			}
		}
	}
	return -1
}
