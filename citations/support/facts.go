package support

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Reading tokens of one sentence.

func (a *analysed) token(i int) *token {
	if i < 0 || i >= len(a.tokens) {
		return nil
	}
	return &a.tokens[i]
}

// partOf returns the kind of a token, signToken outside the text.
func (a *analysed) partOf(i int) tokenKind {
	if t := a.token(i); t != nil {
		return t.kind
	}
	return signToken
}

func (a *analysed) isWord(i int, word string) bool {
	t := a.token(i)
	return t != nil && t.kind == wordToken && string(a.word(t)) == word
}

// isSign reports whether a token's text begins with a sign.
func (a *analysed) isSign(i int, sign string) bool {
	t := a.token(i)
	return t != nil && strings.HasPrefix(a.raw[t.start:], sign)
}

func (a *analysed) numeralAt(i int) *numeral {
	if a.partOf(i) != numberToken {
		return nil
	}
	return &a.numerals[a.tokens[i].numeral]
}

// smallNumber returns the value of a number of one or two digits, and 0 otherwise.
func (a *analysed) smallNumber(i int) int16 {
	if n := a.numeralAt(i); n != nil && n.plain && n.value < 100 && n.date.year == 0 && n.clock == 0 && !n.decade && n.suffix == 0 {
		return int16(n.value)
	}
	return 0
}

// classAt returns the roles of a word, and none for other tokens.
func (a *analysed) classAt(i int) wordClass {
	if t := a.token(i); t != nil && t.kind == wordToken {
		return t.class
	}
	return 0
}

// senseAt returns the meaning of a word, and the zero sense for other tokens.
func (a *analysed) senseAt(i int) *sense {
	if t := a.token(i); t != nil && t.kind == wordToken {
		return a.sense(t)
	}
	return &unlisted
}

func (a *analysed) isUnitAfter(i int) bool {
	s := a.senseAt(i + 1)
	return s.unit > 0 || s.class&classScale != 0 || a.isSign(i+1, "%") || a.isSign(i+1, "€") || a.isSign(i+1, "$")
}

// findFacts lists the facts of a text in their order.
func (a *analysed) findFacts() {
	if cap(a.facts) < len(a.numerals) {
		a.facts = make([]fact, 0, min(len(a.numerals)+8, maxFacts))
	}
	for i := 0; i < len(a.tokens) && len(a.facts) < maxFacts; {
		if !a.tokens[i].is(mayBeFact) {
			i++
			continue
		}
		f, count := a.factAt(i)
		if count == 0 {
			i++
			continue
		}
		f.first, f.last = int32(i), int32(i+count)
		f.hedged = f.hedged || a.hedgedBefore(i)
		f.named = i > 0 && a.tokens[i].kind == numberToken && a.tokens[i-1].is(hasCapital) && a.tokens[i-1].is(isContent) && a.tokens[i-1].clause == a.tokens[i].clause
		if next := a.token(i + count); next != nil {
			f.counted = next.kind == wordToken && next.is(isContent) && next.clause == a.tokens[i].clause
		}
		for j := i; j < i+count; j++ {
			a.tokens[j].marks = a.tokens[j].marks&^isContent | inFact
		}
		a.facts = append(a.facts, f)
		i += count
	}
	a.shareUnits()
	a.joinUnits()
	a.oneIn()
}

func (a *analysed) hedgedBefore(i int) bool {
	for j := i - 1; j >= max(0, i-2); j-- {
		if a.classAt(j)&classHedge != 0 {
			return true
		}
	}
	return false
}

// factAt reads the fact that begins at token i and returns its number of tokens.
func (a *analysed) factAt(i int) (fact, int) {
	if n := a.numeralAt(i); n != nil && n.clock > 0 {
		return a.clockAt(i, int(n.clock)-1)
	}
	if n := a.numeralAt(i); n != nil && n.plain && n.value < 25 {
		if f, count := a.hourAt(i, int(n.value)); count > 0 {
			return f, count
		}
	}
	t := &a.tokens[i]
	if t.kind == wordToken {
		s := a.sense(t)
		if s.class&classWeekday != 0 && t.is(hasCapital) || s.class&classWeekday != 0 && a.language != english && a.language != german {
			return fact{kind: weekdayFact, value: float64(s.day), other: math.NaN(), ratio: math.NaN()}, 1
		}
	}
	if !a.currencyBefore(i) && !a.glued(i) {
		if d, count := a.dateAt(i); count > 0 && !(count == 1 && d.month == 0 && d.quarter == 0 && d.half == 0 && d.yearEnd == 0 && a.numeralAt(i) != nil && a.isUnitAfter(i)) {
			f := fact{kind: dateFact, date: d, other: math.NaN(), ratio: math.NaN()}
			if n := a.numeralAt(i); n != nil && count == 1 && isYear(n) {
				f.value, f.bare = n.value, true
				if last := a.secondYear(i); last > 0 {
					f.date.yearEnd, f.bare, count = last, false, 2
				}
			}
			return f, count
		}
	}
	return a.amountAt(i)
}

// secondYear reads the 24 of 2023/24.
func (a *analysed) secondYear(i int) int16 {
	t := a.token(i + 1)
	if t == nil || !t.is(afterSlash|afterHyphen) {
		return 0
	}
	n := a.numeralAt(i + 1)
	year := int16(a.numerals[a.tokens[i].numeral].value)
	if n == nil || !n.plain || int16(min(n.value, 9999)) != (year+1)%100 {
		return 0
	}
	return year + 1
}

func (a *analysed) glued(i int) bool {
	return a.tokens[i].is(afterHyphen) && i > 0 && (a.tokens[i-1].kind == wordToken || a.tokens[i-1].kind == codeToken)
}

func (a *analysed) currencyBefore(i int) bool {
	return i > 0 && a.tokens[i-1].kind == signToken && a.currencySign(i-1) > 0
}

// currencySign is the currency of a sign, 0 if it is none.
func (a *analysed) currencySign(i int) uint8 {
	t := a.token(i)
	if t == nil || t.kind != signToken {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(a.raw[t.start:t.end])
	return currencyOf(r)
}

// clockAt reads 3:30 pm, 15:30 Uhr.
func (a *analysed) clockAt(i, minutes int) (fact, int) {
	f := fact{kind: clockFact, value: float64(minutes), other: math.NaN(), ratio: math.NaN()}
	switch {
	case a.isWord(i+1, "pm") || a.isWord(i+1, "p") && a.isWord(i+2, "m"):
		if minutes < 12*60 {
			f.value += 12 * 60
		}
		return f, 2
	case a.isWord(i+1, "am"), a.isWord(i+1, "uhr"):
		return f, 2
	}
	if minutes < 12*60 {
		f.other = f.value + 12*60
	}
	return f, 1
}

// hourAt reads 3 pm, 15 Uhr.
func (a *analysed) hourAt(i, hour int) (fact, int) {
	f := fact{kind: clockFact, value: float64(60 * hour), other: math.NaN(), ratio: math.NaN()}
	switch {
	case a.isWord(i+1, "uhr"):
		return f, 2
	case hour <= 12 && (a.isWord(i+1, "pm") || a.isWord(i+1, "p") && a.isWord(i+2, "m")):
		f.value += float64(12 * 60 * (1 - hour/12))
		return f, 2
	case hour <= 12 && (a.isWord(i+1, "am") && a.tokens[i+1].is(gluedToLast) || a.isWord(i+1, "a") && a.isWord(i+2, "m")):
		f.value -= float64(12 * 60 * (hour / 12))
		return f, 2
	}
	return f, 0
}
