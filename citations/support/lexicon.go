package support

import (
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// language is the language whose word lists apply to a text.
type language uint8

const (
	english language = iota
	german
	french
	spanish
	italian
	portuguese
	dutch
	polish
	czech
	swedish
	danish
	russian
	ukrainian
	turkish
	languages
)

// wordClass is the set of roles that a listed word can have.
type wordClass uint32

const (
	classStop         wordClass = 1 << iota // has no meaning of its own
	classGeneric                            // has little meaning
	classNegator                            // not, kein, jamais
	classNeNegator                          // negates with ne only: plus
	classMonth                              // num: 1–12
	classWeekday                            // num: 1–7
	classNumeral                            // a written-out number; num: its value
	classScale                              // million; num: its value
	classOrdinal                            // third; num: its value
	classFraction                           // half; num: its value
	classUnit                               // unit: which
	classHedge                              // about, over: the number is not exact
	classTitle                              // a name follows
	classKnown                              // not a name even with a capital
	classPlace                              // a name in every language
	classQuarter                            // quarter of a year, after an ordinal
	classBreak                              // begins a clause: but, while
	classCondition                          // must not be cut from a quotation: if, unless
	classBy                                 // the doer of a passive follows
	classArticle                            // in German, no name follows
	classPreposition                        // a name may follow in German
	classRange                              // to, bis, à: between two numbers
	classAbbreviation                       // its full stop does not end a sentence
	classVerb                               // of a clause of its own, after "and"
	classPronoun                            // stands for a name
	classNe                                 // ne, n'
	classWithout                            // negates what follows it
	classOnly                               // takes a negation back: not only
	classAnd
	classOf     // a share of what follows: two of the pumps
	classEither // or
	classSide   // where: under, beside; num: one for each place
)

// classOfFacts are the words that begin a date or an amount.
const classOfFacts = classMonth | classWeekday | classOrdinal | classNumeral | classScale | classFraction | classUnit

// A sense is what a word means in one language.
type sense struct {
	class    wordClass
	num      float64    // of numerals, scales and ordinals
	part     float64    // of fractions
	day      uint8      // of months and weekdays: which
	unit     uint16     // of units, from 1
	concept  uint16     // of a group of synonyms, from 1
	sign     int8       // the side among its antonyms
	also     uint16     // a second group of synonyms, from 1
	side     int8       // the side in it
	rare     bool       // a name if it has a capital inside a sentence
	has      bool       // of having and containing, also what is free of something
	bars     bool       // what follows is excepted: except, sauf
	helps    helper     // of helping words of verbs
	than     bool       // the other side of a comparison follows
	compared bool       // the same: compared with
	grades   bool       // a comparative: more, plus
	exempts  bool       // of a duty, which "not" takes away: need not
	itself   bool       // of a thing that is meant all the same: the city of, the construction of
	particle bool       // half of a verb: on, off
	rule     bool       // a contract or law, which is so by itself
	person   person     // who speaks or is spoken to
	mean     meaning    // what a small word says about the words beside it
	marks    tokenMarks // of each token with this word
}

type wordEntry struct {
	senses [languages]int32 // in the lexicon; 0 where the word is not listed
	votes  uint16           // a bit for each language that has it as a small word
	proves uint16           // a bit for each language that alone has it as a small word, or has it in a group
	lanes  [2]uint64        // the same as votes, a byte each: 2 if only one language has it
	stem   uint64           // the hash of the word's stem
	opens  uint16           // a bit for each language in which it is the first of a listed pair
	marked uint16           // a bit for each language that writes it with accents, and never without
	bare   uint16           // a bit for each language that writes it without
}

// in returns what a word means in a language.
func (x *lexicon) in(e *wordEntry, l language) *sense {
	if e == nil {
		return &unlisted
	}
	return &x.senses[e.senses[l]]
}

// unlisted is the meaning of words that are in no list.
var unlisted sense

// of returns the sense of a word in a language, to be changed before the next one is made.
func (x *lexicon) of(e *wordEntry, l language) *sense {
	if e.senses[l] == 0 {
		e.senses[l] = int32(len(x.senses))
		x.senses = append(x.senses, sense{})
	}
	return &x.senses[e.senses[l]]
}

// A lexicon holds the word lists by the hash of the folded word, and the
// synonyms also by the hash of their stem.
type lexicon struct {
	words       index // of entries
	stems       index
	entries     []wordEntry
	senses      []sense // the first is none; without pointers, which the collector would follow
	concepts    uint16
	units       []unit
	trend       uint16                        // the group of "increase"
	degree      uint16                        // the group of "more"
	course      uint16                        // the group of "start" and "end"
	sequence    uint16                        // the group of "before" and "later"
	permits     uint16                        // the group of "allow"
	periods     []uint16                      // the groups of year, month, week, day
	measures    []uint16                      // the groups of verbs that say what is measured
	phrases     [languages]map[uint64]meaning // of two words, by their hash
	endings     [languages][]ending
	lastLetters [languages][256]bool // the last bytes of the endings
	particles   [languages]uint64    // the hash of the word before an infinitive: to; 0: there is none
}

// An ending is what the last letters of a verb say.
type ending struct {
	letters string
	says    tokenMarks
}

// maxWords exceeds the number of words in the lists.
const maxWords = 24000

func (x *lexicon) entry(table *index, h uint64) *wordEntry {
	at := table.get(h)
	if at < 0 {
		at = int32(len(x.entries))
		x.entries = append(x.entries, wordEntry{})
		table.put(h, at)
	}
	return &x.entries[at]
}

// word returns the entry of a word.
func (x *lexicon) word(word string) *wordEntry {
	folded := appendFolded(nil, word)
	e := x.entry(&x.words, hashOf(folded))
	e.stem = stemHash(folded)
	return e
}

// find returns the entry of a hash in a table, nil if there is none.
func (x *lexicon) find(table *index, h uint64) *wordEntry {
	return x.at(table.get(h))
}

// at returns an entry by its position, nil if it is negative.
func (x *lexicon) at(i int32) *wordEntry {
	if i < 0 {
		return nil
	}
	return &x.entries[i]
}

// spell notes whether a language writes a word with accents.
func (e *wordEntry) spell(word string, l language) *wordEntry {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			e.marked |= 1 << l
			return e
		}
	}
	e.bare |= 1 << l
	return e
}

// addRoles adds words with roles. A line such as "[month german]" begins those of a class
// in a language; without a language they are of all. "april=4" is a word and its number.
func (x *lexicon) addRoles(text string) {
	var class wordClass
	var of []language
	for line := range lines(text) {
		if heading, ok := strings.CutPrefix(line, "["); ok {
			name, in, _ := strings.Cut(strings.TrimSuffix(heading, "]"), " ")
			class, of = classNames[name], languagesNamed[in]
			if class == 0 || of == nil {
				panic("citations: no class or no language: " + line)
			}
			continue
		}
		for w := range strings.FieldsSeq(line) {
			w, value, _ := strings.Cut(w, "=")
			e := x.word(w)
			for _, l := range of {
				x.of(e.spell(w, l), l).add(class, value)
			}
		}
	}
}

// add gives a word a role. Some roles have a number, such as a month.
func (s *sense) add(class wordClass, value string) {
	s.class |= class
	if value == "" {
		return
	}
	num, err := strconv.ParseFloat(value, 64)
	if err != nil {
		panic("citations: not a number: " + value)
	}
	switch class {
	case classFraction:
		s.part = num
	case classMonth, classWeekday:
		s.day = uint8(num)
	default:
		s.num = num
	}
}

// addGroups adds groups of synonyms, one per line: words of English; German; French, and so on
// in the order of the languages.
// Antonyms follow a bar, in each language. A line that begins with "+" extends the
// group of its first word, one that begins with "~" gives the words behind it that group as their
// second one.
func (x *lexicon) addGroups(text string, rare bool) {
	for line := range lines(text) {
		if rest, second := strings.CutPrefix(line, "~"); second {
			x.addSecond(rest)
			continue
		}
		concept, sign := x.concepts+1, int8(1)
		if rest, goesOn := strings.CutPrefix(line, "+"); goesOn {
			line = rest
			concept, sign = x.groupOf(rest)
		} else {
			x.concepts++
		}
		for l, list := range strings.Split(line, ";") {
			same, opposite, _ := strings.Cut(list, "|")
			x.addGroup(language(l), same, sense{concept: concept, sign: sign, rare: rare})
			x.addGroup(language(l), opposite, sense{concept: concept, sign: -sign, rare: rare})
		}
	}
}

// addSecond adds words to a second group: that of the line's first word.
func (x *lexicon) addSecond(line string) {
	concept, sign := x.groupOf(line)
	_, line, _ = strings.Cut(line, " ")
	for l, list := range strings.Split(line, ";") {
		for w := range strings.FieldsSeq(list) {
			s := x.of(x.word(w).spell(w, language(l)), language(l))
			s.also, s.side = concept, sign
		}
	}
}

// groupOf returns the group of a line's first word and the word's side in it.
func (x *lexicon) groupOf(line string) (concept uint16, sign int8) {
	word, _, _ := strings.Cut(line, " ")
	s := x.in(x.word(word), english)
	if s.concept == 0 {
		panic("citations: a word of no group: " + word)
	}
	return s.concept, s.sign
}

func (x *lexicon) addGroup(l language, words string, in sense) {
	for _, w := range strings.Fields(words) {
		e := x.word(w).spell(w, l)
		x.of(e, l).join(in)
		x.of(x.entry(&x.stems, e.stem), l).join(in)
	}
}

// join puts a word into a group of synonyms unless it is in one.
func (s *sense) join(in sense) {
	if s.concept == 0 {
		s.concept, s.sign, s.rare = in.concept, in.sign, in.rare
	}
}

// smallSomewhere reports whether a word has little meaning in some language, or links a row to a
// cell, and says nothing in any: a few words do not show their language.
func (x *lexicon) smallSomewhere(entry int32) bool {
	const says = classNegator | classNeNegator | classNe | classWithout | classOnly | classCondition | classOfFacts
	small := false
	for l := range languages {
		s := x.in(x.at(entry), l)
		if s.class&says != 0 || !s.mean.harmless() {
			return false
		}
		small = small || s.mean == meansLink || s.class&classStop != 0 && s.concept == 0
	}
	return small
}

// markVotes finds the languages that have each word as a small word, or as one of numbers and
// dates, and those that have it in a group of synonyms.
func (x *lexicon) markVotes() {
	const small = classStop | classNegator | classMonth | classWeekday | classNumeral | classScale | classUnit
	for i := range x.entries {
		e, known := &x.entries[i], uint16(0)
		e.marked &^= e.bare
		for l := range languages {
			s := x.in(e, l)
			if s.class&small != 0 || s.mean != meansNothing && s.mean <= meansLittle {
				e.votes |= 1 << l
			}
			if s.concept > 0 {
				known |= 1 << l
			}
		}
		one := uint64(1)
		if bits.OnesCount16(e.votes) == 1 {
			one, e.proves = 2, e.votes
		}
		e.proves |= known
		for l := range languages {
			e.lanes[l/8] |= one * uint64(e.votes>>l&1) << (8 * (l % 8))
		}
	}
}

var theLexicon = sync.OnceValue(func() *lexicon {
	x := &lexicon{words: newIndex(maxWords), stems: newIndex(maxWords), entries: make([]wordEntry, 0, maxWords), senses: make([]sense, 1, maxWords)}
	x.addRoles(roles)
	for l, text := range ofLanguages() {
		x.addLanguage(l, text)
	}
	x.addUnits(units)
	x.addGroups(synonyms, false)
	x.addGroups(vocabulary, true)
	x.markVotes()
	x.trend, _ = x.groupOf("increase")
	x.permits, _ = x.groupOf("allow")
	x.degree, _ = x.groupOf("more")
	x.course, _ = x.groupOf("start")
	x.sequence, _ = x.groupOf("later")
	for _, word := range []string{"yearly", "monthly", "weekly", "daily"} {
		concept, _ := x.groupOf(word)
		x.periods = append(x.periods, concept)
	}
	for _, word := range []string{"cost", "employee"} {
		concept, _ := x.groupOf(word)
		x.measures = append(x.measures, concept)
	}
	return x
})
