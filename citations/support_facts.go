package citations

import (
	"math"
	"strings"
	"unicode/utf8"
)

type factKind uint8

const (
	amountFact  factKind = iota // 15%, $4.2 billion, three
	dateFact                    // a day, month, quarter, year
	clockFact                   // 15:30
	weekdayFact                 // Monday
	ordinalFact                 // third
	codeFact                    // A320
)

// A fact is something of a text that is right or wrong: an amount, a date, a
// code. Names are facts too, but found otherwise.
type fact struct {
	kind     factKind
	first    int32 // its tokens, half open
	last     int32
	value    float64 // in the first unit of its dimension
	count    float64 // as value, in the unit as written
	other    float64 // the other reading of "1.500"; NaN: none
	ratio    float64 // 3 out of 10: 30; NaN: none
	dim      dimension
	currency uint8
	digits   int
	date     date
	bare     bool   // a year that may be an amount: "1500 people"
	soft     bool   // one, first, half: it need not be in the passage
	hedged   bool   // about, nearly
	scaled   bool   // written as thousand, million
	minus    bool   // below zero
	glued    uint64 // the word before a hyphen: COVID-19
}

// Reading tokens of one sentence.

func (a *analysed) token(i int) *token {
	if i < 0 || i >= len(a.tokens) {
		return nil
	}
	return &a.tokens[i]
}

// partOf is the kind of a token, signToken of one that is not there.
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

// smallNumber is the value of a number of one or two digits, 0 of all else.
func (a *analysed) smallNumber(i int) int {
	if n := a.numeralAt(i); n != nil && n.plain && n.value < 100 && n.date.year == 0 && n.clock == 0 && !n.decade && n.suffix == 0 {
		return int(n.value)
	}
	return 0
}

// senseAt is what a word means, nothing for what is no word.
func (a *analysed) senseAt(i int) sense {
	if t := a.token(i); t != nil && t.kind == wordToken {
		return t.sense(a.language)
	}
	return sense{}
}

func (a *analysed) isUnitAfter(i int) bool {
	s := a.senseAt(i + 1)
	return s.unit > 0 || s.class&classScale != 0 || a.isSign(i+1, "%") || a.isSign(i+1, "€") || a.isSign(i+1, "$")
}

// findFacts lists the facts of a text in their order.
func (a *analysed) findFacts() {
	for i := 0; i < len(a.tokens) && len(a.facts) < maxFacts; {
		f, count := a.factAt(i)
		if count == 0 {
			i++
			continue
		}
		f.first, f.last = int32(i), int32(i+count)
		f.hedged = f.hedged || a.hedgedBefore(i)
		for j := i; j < i+count; j++ {
			a.tokens[j].marks = a.tokens[j].marks&^isContent | inFact
		}
		a.facts = append(a.facts, f)
		i += count
	}
	a.shareUnits()
}

func (a *analysed) hedgedBefore(i int) bool {
	for j := i - 1; j >= max(0, i-2); j-- {
		if a.senseAt(j).class&classHedge != 0 {
			return true
		}
	}
	return false
}

// factAt reads the fact that begins at token i: how many tokens it has.
func (a *analysed) factAt(i int) (fact, int) {
	if n := a.numeralAt(i); n != nil && n.clock > 0 {
		return a.clockAt(i, n.clock-1)
	}
	t := &a.tokens[i]
	if t.kind == wordToken {
		s := t.sense(a.language)
		if s.class&(classMonth|classOrdinal|classNumeral|classScale|classWeekday|classFraction|classUnit) == 0 {
			if a.language != german {
				return fact{}, 0
			}
		} else if s.class&classWeekday != 0 && t.is(hasCapital) || s.class&classWeekday != 0 && a.language == french {
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
func (a *analysed) secondYear(i int) int {
	t := a.token(i + 1)
	if t == nil || !t.is(afterSlash|afterHyphen) {
		return 0
	}
	n := a.numeralAt(i + 1)
	year := int(a.numerals[a.tokens[i].numeral].value)
	if n == nil || !n.plain || n.value != float64((year+1)%100) {
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

// amountAt reads an amount: a currency, a number in digits or words, its scale, its unit.
func (a *analysed) amountAt(i int) (fact, int) {
	f := fact{other: math.NaN(), ratio: math.NaN()}
	j := i
	if c := a.currencySign(j); c > 0 {
		f.dim, f.currency, j = money, c, j+1
	} else if s := a.senseAt(j); s.unit > 0 && unitList[s.unit-1].dim == money && a.tokens[j].is(allCapitals) && a.numeralAt(j+1) != nil {
		f.dim, f.currency, j = money, unitList[s.unit-1].currency, j+1
	}
	var ok bool
	if n := a.numeralAt(j); n != nil {
		j, ok = a.digitsAt(j, n, &f), true
	} else if f.dim == countless {
		j, ok = a.numberWords(j, &f)
	}
	if !ok {
		if a.partOf(i) == codeToken {
			return fact{kind: codeFact, other: math.NaN(), ratio: math.NaN()}, 1
		}
		return fact{}, 0
	}
	if f.kind == ordinalFact {
		return f, j - i
	}
	j = a.scaleAt(j, &f)
	f.count = f.value
	if f.dim == countless {
		j = a.unitAt(j, &f)
	}
	if f.dim == countless && j == i+1 {
		if next, ok := a.ratioAt(j, &f); ok {
			j = next
		}
	}
	return f, j - i
}

// digitsAt takes a number in digits.
func (a *analysed) digitsAt(j int, n *numeral, f *fact) int {
	f.value, f.other = n.in(a.language)
	f.digits, f.minus = n.digits, n.minus
	if n.ordinal || a.ordinalNumber(j, n) {
		f.kind = ordinalFact
	}
	if a.glued(j) {
		f.glued = a.tokens[j-1].raw
	}
	if n.suffix != 0 {
		scale := scaleLetter(n.suffix)
		switch {
		case n.suffix == 'm' && f.dim == money, n.suffix == 'b' && f.dim == money:
			scale = map[byte]float64{'m': 1e6, 'b': 1e9}[n.suffix]
		case n.suffix == 'm':
			f.dim = length
		case n.suffix == 't':
			f.dim, scale = mass, 1000
		}
		if scale > 0 {
			f.scale(scale)
		}
	}
	return j + 1
}

// ordinalNumber reports whether a number with a full stop is an ordinal: 3. Platz.
func (a *analysed) ordinalNumber(j int, n *numeral) bool {
	t := &a.tokens[j]
	return a.language == german && n.plain && n.value < 100 && int(t.end) < len(a.raw) && a.raw[t.end] == '.' &&
		j+1 < len(a.tokens) && a.tokens[j+1].sentence == t.sentence && a.tokens[j+1].start == t.end+2
}

func (f *fact) scale(by float64) {
	f.value, f.other, f.scaled = f.value*by, f.other*by, true
}

// scaleAt takes million, Mio., milliards.
func (a *analysed) scaleAt(j int, f *fact) int {
	for {
		s := a.senseAt(j)
		if s.class&classScale == 0 || len(a.word(&a.tokens[j])) == 1 && !a.tokens[j].is(gluedToLast) {
			break
		}
		if a.language == french && s.num == 100 && a.isWord(j-1, "pour") {
			break
		}
		f.scale(s.num)
		j++
	}
	if t := a.token(j); t != nil && t.kind == gramToken {
		r, _ := utf8.DecodeRuneInString(a.raw[t.start:t.end])
		if scale := easternScale(r); scale > 0 {
			f.scale(scale)
			j++
		}
	}
	return j
}

// easternScale gives 万, 億 and 兆.
func easternScale(r rune) float64 {
	switch r {
	case '万', '萬', '만':
		return 1e4
	case '億', '亿', '억':
		return 1e8
	case '兆':
		return 1e12
	}
	return 0
}

// unitAt takes the unit behind a number.
func (a *analysed) unitAt(j int, f *fact) int {
	t := a.token(j)
	if t == nil {
		return j
	}
	if t.kind == signToken {
		switch c := a.currencySign(j); {
		case c > 0:
			f.dim, f.currency = money, c
		case a.isSign(j, "%"), a.isSign(j, "％"):
			f.dim = percent
		case a.isSign(j, "‰"):
			f.dim, f.value = percent, f.value/10
		case a.isSign(j, "°"):
			f.dim = temperature
			if a.isWord(j+1, "c") {
				j++
			} else if a.isWord(j+1, "f") {
				f.dim = fahrenheit
				j++
			}
		}
		return j + 1
	}
	k := j
	for range 2 { // millions d'euros, million US dollars
		if !a.isWord(k, "de") && !a.isWord(k, "d") && !a.isWord(k, "us") {
			break
		}
		k++
	}
	switch {
	case (a.isWord(j, "per") || a.isWord(j, "pour")) && a.isWord(j+1, "cent"):
		f.dim = percent
		return j + 2
	case a.isWord(j, "percentage") && a.isWord(j+1, "points"), a.isWord(j, "percentage") && a.isWord(j+1, "point"):
		f.dim = points
		return j + 2
	case (a.isWord(j, "points") || a.isWord(j, "point")) && a.isWord(j+1, "de") && (a.isWord(j+2, "pourcentage") || a.isWord(j+2, "pourcent")):
		f.dim = points
		return j + 3
	case (a.isWord(j, "degrees") || a.isWord(j, "degree") || a.isWord(j, "grad") || a.isWord(j, "degres")):
		f.dim = temperature
		if a.isWord(j+1, "fahrenheit") {
			f.dim = fahrenheit
			return j + 2
		}
		if a.isWord(j+1, "celsius") {
			return j + 2
		}
		return j + 1
	}
	s := a.senseAt(k)
	if s.unit == 0 || k > j && unitList[s.unit-1].dim != money {
		return j
	}
	u := unitList[s.unit-1]
	if len(a.word(&a.tokens[k])) <= 2 && a.tokens[k].end-a.tokens[k].start <= 2 && s.class&classStop != 0 && !a.tokens[k].is(gluedToLast) {
		return j // "5 an" and the like
	}
	f.dim, f.currency = u.dim, u.currency
	f.value, f.other = f.value*u.factor, f.other*u.factor
	if u.dim == length && int(a.tokens[k].end) < len(a.raw) {
		switch rest := a.raw[a.tokens[k].end:]; {
		case strings.HasPrefix(rest, "²"):
			f.dim, f.value = area, f.value*u.factor
		case strings.HasPrefix(rest, "³"):
			f.dim, f.value = volume, f.value*u.factor*u.factor*1000
		case strings.HasPrefix(rest, "/h"):
			f.dim, f.value = speed, f.value/1000
		}
	}
	return k + 1
}

// ratioAt reads "out of 10" behind a 3.
func (a *analysed) ratioAt(j int, f *fact) (int, bool) {
	switch {
	case a.isWord(j, "out") && a.isWord(j+1, "of"):
		j += 2
	case a.isWord(j, "in"), a.isWord(j, "von"), a.isWord(j, "sur"):
		j++
	default:
		return j, false
	}
	whole := fact{other: math.NaN()}
	next := j
	if n := a.numeralAt(j); n != nil {
		if n.date.year > 0 || n.clock > 0 || isYear(n) {
			return j, false
		}
		whole.value, _ = n.in(a.language)
		next++
	} else if k, ok := a.numberWords(j, &whole); ok && whole.kind == amountFact {
		next = k
	} else {
		return j, false
	}
	if whole.value < f.value || whole.value == 0 || a.isUnitAfter(next-1) {
		return j, false
	}
	f.ratio = 100 * f.value / whole.value
	f.digits = 3
	return next, true
}

// shareUnits gives the first number of a range the unit, and the scale, of the
// second: 5–10%, between 4 and 5 million.
func (a *analysed) shareUnits() {
	for i := 0; i+1 < len(a.facts); i++ {
		f, g := &a.facts[i], &a.facts[i+1]
		if f.kind != amountFact || g.kind != amountFact || g.first > f.last+1 || a.tokens[f.first].sentence != a.tokens[g.first].sentence {
			continue
		}
		between := a.senseAt(int(f.last)).class
		joined := g.first == f.last && a.tokens[g.first].is(afterHyphen)
		if g.first == f.last && !joined || g.first > f.last && between&(classRange|classAnd) == 0 {
			continue
		}
		sharesScale := !f.scaled && g.scaled && f.value < 1000 && (joined || between&classRange != 0 || a.betweenBefore(int(f.first)))
		if f.dim != countless && f.dim != g.dim || f.dim == countless && g.dim == countless && !sharesScale {
			continue
		}
		if sharesScale {
			for s := g.value; s >= 1e3; s /= 1e3 {
				f.value, f.count = f.value*1e3, f.count*1e3
			}
			f.scaled = true
		}
		if f.dim == countless {
			f.dim, f.currency = g.dim, g.currency
			if u := a.unitOf(g); u > 0 {
				f.value *= u
			}
		}
	}
}

func (a *analysed) betweenBefore(i int) bool {
	return a.isWord(i-1, "between") || a.isWord(i-1, "zwischen") || a.isWord(i-1, "entre")
}

// unitOf is the factor of the unit an amount ends with, 0 if none.
func (a *analysed) unitOf(f *fact) float64 {
	if s := a.senseAt(int(f.last) - 1); s.unit > 0 && f.dim == unitList[s.unit-1].dim {
		return unitList[s.unit-1].factor
	}
	return 0
}
