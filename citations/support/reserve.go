package support

import "strings"

// What a sentence only supposes, asks for, hears or denies is not said by it: "the manager was
// told to close the branch", "if the valve leaks", "critics said". Its words are reserved: they
// carry those of a claim only where the claim has the same reserve.

const (
	linkReach       = 6  // tokens between "asked" and its "to"
	germanLinkReach = 15 // which ends its clause in German
)

// reserving are the meanings of words for which what is said may not be so.
const reserving uint64 = 1<<meansOpen | 1<<meansNearly | 1<<meansIf | 1<<meansSubjunctive | 1<<meansHad | 1<<meansAsks | 1<<meansDoubtful | 1<<meansThat | 1<<meansTold

// findReserves marks the tokens of statements that say what may not be so.
func (a *analysed) findReserves() {
	for _, s := range a.sentences {
		if a.asks(s) {
			a.reserve(s.first, s.last)
			continue
		}
		for i := s.first; i < s.last; {
			if t := &a.tokens[i]; (1<<(t.mean&63)|1<<(t.said&63))&reserving == 0 && !t.is(tells|hearsay|gainsays) {
				i++
				continue
			}
			first, last := a.statementStart(s.first, i), a.statementEnd(i, s.last)
			if from := a.reserveIn(first, i, last); from >= 0 {
				a.reserve(from, a.reserveEnd(from, last))
			}
			a.tell(first, i, last)
			i = last
		}
	}
}

// asks reports whether a sentence is a question.
func (a *analysed) asks(s textSpan) bool {
	text := a.raw[s.start:s.end]
	return strings.IndexByte(text, '?') >= 0 && strings.HasSuffix(strings.TrimRight(text, " \n\"”»)*_"), "?")
}

func (a *analysed) reserve(first, last int32) {
	for i := first; i < last; i++ {
		a.tokens[i].marks |= reserved
	}
}

// statementEnd returns the end of the statement that a token belongs to. Commas do not end it,
// but ", and" and "but" do.
func (a *analysed) statementEnd(i, end int32) int32 {
	for i++; i < end && !a.beginsStatement(i); i++ {
		continue
	}
	return i
}

// statementStart returns where the statement begins that a token belongs to.
func (a *analysed) statementStart(first, i int32) int32 {
	for i > first && !a.beginsStatement(i) {
		i--
	}
	return i
}

func (a *analysed) beginsStatement(i int32) bool {
	t := &a.tokens[i]
	return t.class&classBreak != 0 && t.class&classCondition == 0 ||
		t.clause != a.tokens[i-1].clause && (t.class&classAnd != 0 || a.raw[a.clauseStart(i)] == ';')
}

// clauseStart returns where the clause of a token starts: at the sign before it.
func (a *analysed) clauseStart(i int32) int32 {
	if c := int(a.tokens[i].clause); c < len(a.clauses) {
		return a.clauses[c].start
	}
	return a.tokens[i].start
}

// reserveIn returns from which token on a statement is reserved, -1 if it is not. Before a token
// none of its words makes it so.
func (a *analysed) reserveIn(first, i, last int32) int32 {
	for ; i < last; i++ {
		t := &a.tokens[i]
		m, _ := a.meaningAt(int(i))
		switch {
		case m == meansOpen, m == meansIf, m == meansSubjunctive && t.end-t.start > t.foldEnd-t.foldStart, m == meansHad && t.is(beginsSentence):
			return first
		case m == meansAsks && a.linked(i, last), m == meansDoubtful && (a.thatBehind(i, last) || a.isLabelled(i)), m == meansNearly && !a.numberBehind(i):
			return i
		case m == meansThat && i > first && a.tokens[i-1].is(negated) && !t.is(negated):
			return i
		}
	}
	return -1
}

// reserveEnd returns where a reserve ends that begins at a token. Of what is almost so the rest of
// the statement may be so: when the tank is almost empty, the lamp shines.
func (a *analysed) reserveEnd(from, last int32) int32 {
	if m, _ := a.meaningAt(int(from)); m != meansNearly {
		return last
	}
	end := from
	for end < last && a.tokens[end].clause == a.tokens[from].clause {
		end++
	}
	return end
}

// numberBehind reports whether a number follows a word such as "almost".
func (a *analysed) numberBehind(i int32) bool {
	next := a.token(int(i) + 1)
	return next != nil && (next.kind == numberToken || next.is(inFact))
}

// linked reports whether "to" and a verb follow a word such as "asked".
func (a *analysed) linked(i, last int32) bool {
	reach := int32(linkReach)
	if a.language == german {
		reach = germanLinkReach
	}
	for j := i + 1; j < min(last, i+1+reach); j++ {
		if m, _ := a.meaningAt(int(j)); m != meansTo && m != meansThat {
			continue
		}
		if next := a.token(int(j) + 1); next != nil && j+1 < last && next.kind == wordToken && !next.is(hasCapital) && next.class&classArticle == 0 {
			return true
		}
	}
	return false
}

// thatBehind reports whether "that" follows a word, with one between them at most.
func (a *analysed) thatBehind(i, last int32) bool {
	for j := i + 1; j < min(last, i+3); j++ {
		if m, _ := a.meaningAt(int(j)); m == meansThat {
			return true
		}
	}
	return false
}

// isLabelled reports whether "to" or a colon follows a word such as "wrong" or "myth".
func (a *analysed) isLabelled(i int32) bool {
	rest := strings.TrimLeft(a.raw[a.tokens[i].end:], " *_\u00a0\u202f")
	next := a.token(int(i) + 1)
	return strings.HasPrefix(rest, ":") || next != nil && next.kind == wordToken && next.mean == meansTo
}

// saysWhen reports whether the part of a claim has words of the sentence's condition and of what
// depends on it: not during pregnancy, where it is not if you are pregnant.
func (w *carrying) saysWhen() bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if m, _ := w.p.meaningAt(int(i)); m != meansIf {
			continue
		}
		inside, outside := false, false
		for j := range w.mates {
			at := w.mates[j].at
			here := at > i && w.p.tokens[at].clause == w.p.tokens[i].clause
			inside, outside = inside || here, outside || !here
		}
		return inside && outside
	}
	return false
}
