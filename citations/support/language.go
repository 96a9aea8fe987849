package support

import (
	"strconv"
	"strings"
)

// A meaning is what a small word says about the words beside it. Those of a claim must
// be carried like its other words.
type meaning uint8

const (
	meansNothing meaning = iota
	meansAll             // quantifiers
	meansMost
	meansMany
	meansSome
	meansFew
	meansNo
	meansOnly
	meansMay // modals
	meansMust
	meansShould
	meansWill
	meansLeast // bounds of a number
	meansAtMost
	meansMore
	meansLess
	meansBefore // relations
	meansAfter
	meansWithin
	meansWithout
	meansAgainst
	meansFrom
	meansTo
	meansOnto        // the same as to, but no verb follows
	meansAt          // before a value that stays: at 3 percent
	meansBy          // before a value: by how much
	meansLittle      // a verb or adverb that a claim may add
	meansDeny        // what follows is not so: refused to, yet to
	meansCease       // the same before a verb in -ing
	meansOpen        // what its statement says may not be so: allegedly
	meansNearly      // the same of what follows, if that is no number: almost
	meansIf          // the same, unless the claim says when it is so
	meansSubjunctive // the same, with its accent: wäre
	meansHad         // the same at the beginning of a sentence
	meansAsks        // the same of what "to" follows: asked
	meansDoubtful    // the same of what "that" follows: wrong
	meansThat
	meansPart   // a share of what "of" follows: part, portion
	meansExcept // what follows is not so, where all is said before: all but
	meansHolds  // what hangs on it is so: managed to, found that
	meansAs     // behind a number: half as much, three times
	meansOften  // an adverb of time, which is no subject
	meansOther  // the word behind it is another one with it: former, deputy
	meansCause  // why: because
	meansNow    // that something is so: is
	meansPast   // that it was: was
	meansTold   // two words for according to
	meansLink   // a verb that links a row to one of its cells: costs, offers
)

var meaningNames = map[string]meaning{
	"all": meansAll, "most": meansMost, "many": meansMany, "some": meansSome, "few": meansFew, "no": meansNo, "only": meansOnly,
	"may": meansMay, "must": meansMust, "should": meansShould, "will": meansWill,
	"least": meansLeast, "atmost": meansAtMost, "more": meansMore, "less": meansLess,
	"before": meansBefore, "after": meansAfter, "within": meansWithin, "without": meansWithout, "against": meansAgainst,
	"from": meansFrom, "to": meansTo, "onto": meansOnto, "at": meansAt, "by": meansBy,
	"deny": meansDeny, "cease": meansCease, "open": meansOpen, "nearly": meansNearly, "if": meansIf, "subjunctive": meansSubjunctive, "had": meansHad, "asks": meansAsks,
	"doubtful": meansDoubtful, "that": meansThat, "part": meansPart, "except": meansExcept, "holds": meansHolds, "as": meansAs, "often": meansOften, "other": meansOther, "cause": meansCause, "now": meansNow, "past": meansPast, "link": meansLink, "told": meansTold,
}

func (m meaning) quantifies() bool { return m >= meansAll && m <= meansOnly }
func (m meaning) isModal() bool    { return m >= meansMay && m <= meansWill }
func (m meaning) bounds() bool     { return m >= meansLeast && m <= meansLess }
func (m meaning) relates() bool    { return m >= meansBefore && m <= meansBy }

// harmless reports whether a word with this meaning neither denies nor limits anything.
func (m meaning) harmless() bool {
	switch m {
	case meansNothing, meansLittle, meansLink, meansNow, meansPast:
		return true
	}
	return m.relates()
}

var endingNames = map[string]tokenMarks{"future": future, "negated-ending": notSo, "lacking": lacking, "infinitive": infinitive, "past-ending": pastForm}

// wordMarks are marks that words have by themselves.
var wordMarks = map[string]tokenMarks{"tells": tells, "announces": tells | announces, "hearsay": hearsay, "gainsays": gainsays, "past": pastForm, "unless": exceptive}

// addLanguage adds the file of a language. A line such as "[month]" begins the words of a
// class, "[mean some]" those of a meaning, where two words are joined by a hyphen, and
// "[unit duration 86400]" those of a unit.
func (x *lexicon) addLanguage(l language, text string) {
	x.phrases[l] = map[uint64]meaning{}
	add := func(string) { panic("citations: a word before the first heading") }
	for line := range lines(text) {
		if heading, ok := strings.CutPrefix(line, "["); ok {
			add = x.underHeading(l, strings.TrimSuffix(heading, "]"))
			continue
		}
		for w := range strings.FieldsSeq(line) {
			add(w)
		}
	}
}

// underHeading returns what adds the words under a heading of a language's file.
func (x *lexicon) underHeading(l language, heading string) func(word string) {
	entry := func(w string) *sense { return x.of(x.word(w).spell(w, l), l) }
	name, rest, _ := strings.Cut(heading, " ")
	switch class := classNames[name]; {
	case name == "light":
		return func(w string) { entry(w).mean = meansLittle }
	case name == "barring":
		return func(w string) { entry(w).bars = true }
	case name == "than":
		return func(w string) { entry(w).than = true }
	case name == "compared":
		return func(w string) { entry(w).compared = true }
	case name == "comparative":
		return func(w string) { entry(w).grades = true }
	case name == "exempts":
		return func(w string) { entry(w).exempts = true }
	case name == "itself":
		return func(w string) { entry(w).itself = true }
	case name == "verb-particle":
		return func(w string) { entry(w).particle = true }
	case name == "rule":
		return func(w string) { entry(w).rule = true }
	case personNames[name] != 0:
		return func(w string) { entry(w).person |= personNames[name] }
	case name == "helper" && helperNames[rest] != 0:
		return func(w string) { entry(w).helps |= helperNames[rest] }
	case wordMarks[name] != 0:
		return func(w string) { entry(w).marks |= wordMarks[name] }
	case name == "has":
		return func(w string) { entry(w).has = true }
	case name == "mean" && meaningNames[rest] > 0:
		return func(w string) {
			if one, two, pair := strings.Cut(w, "-"); pair {
				x.word(one).opens |= 1 << l
				x.phrases[l][pairHash(hashOf(appendFolded(nil, one)), hashOf(appendFolded(nil, two)))] = meaningNames[rest]
				return
			}
			entry(w).means(meaningNames[rest])
		}
	case name == "unit":
		x.units = append(x.units, unitNamed(rest))
		u := uint16(len(x.units))
		return func(w string) { s := entry(w); s.class, s.unit = s.class|classUnit, u }
	case name == "particle":
		return func(w string) { x.particles[l] = hashOf(appendFolded(nil, w)) }
	case endingNames[name] != 0:
		says := endingNames[name]
		return func(w string) {
			x.endings[l] = append(x.endings[l], ending{w, says})
			x.lastLetters[l][w[len(w)-1]] = true
		}
	case class != 0:
		return func(w string) {
			w, value, _ := strings.Cut(w, "=")
			entry(w).add(class, value)
		}
	}
	panic("citations: no heading of a language: " + heading)
}

// means gives a word a meaning unless it has one; the first that is listed counts.
func (s *sense) means(m meaning) {
	if s.mean == meansNothing {
		s.mean = m
	}
}

// unitNamed reads "duration 86400".
func unitNamed(text string) unit {
	name, factor, _ := strings.Cut(text, " ")
	f, err := strconv.ParseFloat(factor, 64)
	if err != nil || dimensionNames[name] == countless {
		panic("citations: no unit: " + text)
	}
	return unit{dim: dimensionNames[name], factor: f}
}

func pairHash(one, two uint64) uint64 { return (one*hashPrime ^ two) * hashPrime }

// meaningAt returns what the word at a position says, or that word and the next one:
// "at least". size is the number of words, 0 if they say nothing.
func (a *analysed) meaningAt(i int) (m meaning, size int) {
	if i < 0 || i >= len(a.tokens) {
		return meansNothing, 0
	}
	t := &a.tokens[i]
	switch {
	case t.said != meansNothing:
		return t.said, 2
	case t.mean != meansNothing && t.mean != meansLittle:
		return t.mean, 1
	}
	return meansNothing, 0
}

// pairAt returns what a word that opens a pair and the next one say, if they are listed.
func (a *analysed) pairAt(i int) meaning {
	t := &a.tokens[i]
	next := a.token(i + 1)
	if next == nil || next.kind != wordToken || next.clause != t.clause {
		return meansNothing
	}
	return a.lex.phrases[a.language][pairHash(t.raw, next.raw)]
}

// markEndings marks a verb whose ending, with its accents, says something. A noun has no time.
func (a *analysed) markEndings(t *token, endings []ending, noun bool) {
	word := a.raw[t.start:t.end]
	for i := range endings {
		if e := &endings[i]; word[len(word)-1] == e.letters[len(e.letters)-1] && len(word) > len(e.letters)+2 && strings.HasSuffix(word, e.letters) && !(noun && e.says&(future|pastForm) != 0) {
			t.marks |= e.says
		}
	}
}
