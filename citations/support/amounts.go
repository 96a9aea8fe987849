package support

import (
	"math"
	"strings"
	"unicode/utf8"
)

// amountAt reads an amount: a currency, a number in digits or words, its scale, its unit.
func (a *analysed) amountAt(i int) (fact, int) {
	f := fact{other: math.NaN(), ratio: math.NaN()}
	j := i
	if c := a.currencySign(j); c > 0 {
		f.dim, f.currency, j = money, c, j+1
	} else if u := a.senseAt(j).measure(); u.dim == money && a.tokens[j].is(allCapitals) && a.numeralAt(j+1) != nil {
		f.dim, f.currency, j = money, u.currency, j+1
	}
	var ok bool
	if n := a.numeralAt(j); n != nil {
		j, ok = a.digitsAt(j, n, &f), true
	} else if f.dim == countless {
		if j, ok = a.numberWords(j, &f); !ok {
			j, ok = a.oneAndHalf(j, &f)
		}
	}
	if !ok {
		if a.partOf(i) == codeToken {
			return fact{kind: codeFact, other: math.NaN(), ratio: math.NaN()}, 1
		}
		return fact{}, 0
	}
	if f.kind == ordinalFact {
		f.count = f.value
		return f, j - i
	}
	if k := a.halfAfter(j); k > j && a.isUnitAfter(k-1) {
		f.value, j = f.value+.5, k // two and a half hours
	}
	j = a.scaleAt(j, &f)
	f.count = f.value
	if f.dim == countless {
		j = a.unitAt(j, &f)
		j = a.halfMore(j, &f)
	}
	if f.dim == countless && j == i+1 {
		if next, ok := a.ratioAt(j, &f); ok {
			j = next
		}
	}
	return f, j - i
}

// oneAndHalf reads the unit of "an hour and a half" as one, to which the half is added.
func (a *analysed) oneAndHalf(j int, f *fact) (next int, ok bool) {
	if a.senseAt(j).measure().dim != duration && a.senseAt(j).measure().dim != calendar || a.classAt(j-1)&classArticle == 0 || a.halfAfter(j+1) == j+1 {
		return j, false
	}
	f.value, f.digits = 1, 1
	return j, true
}

// halfMore adds the half of "two hours and a half".
func (a *analysed) halfMore(j int, f *fact) int {
	k := a.halfAfter(j)
	if u := a.senseAt(j - 1).measure(); k > j && u.dim == f.dim && (f.dim == duration || f.dim == calendar) {
		f.value, f.count = f.value+u.factor/2, f.count+.5
		f.soft, f.digits = false, f.digits+1
		return k
	}
	return j
}

// halfAfter returns the token behind "and a half", j if that does not stand there.
func (a *analysed) halfAfter(j int) int {
	if a.classAt(j)&classAnd == 0 {
		return j
	}
	k := j + 1
	if a.classAt(k)&classArticle != 0 {
		k++
	}
	s := a.senseAt(k)
	half := s.class&classFraction != 0 && s.part == .5
	for _, word := range [...]string{"media", "medio", "mezza", "mezzo", "meia", "meio"} {
		half = half || a.isWord(k, word)
	}
	if !half || a.classAt(k+1)&classOf != 0 {
		return j
	}
	return k + 1
}

// digitsAt takes a number in digits.
func (a *analysed) digitsAt(j int, n *numeral, f *fact) int {
	f.value, f.other = n.in(a.language)
	f.digits, f.minus, f.hash = n.digits, n.minus, n.hash
	for v := n.value; n.places == 0 && f.digits > 1 && v == float64(int64(v)) && int64(v)%10 == 0 && v < 1e15; v /= 10 {
		f.digits--
	}
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
	f.by = max(f.by, 1) * by
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
		r, size := utf8.DecodeRuneInString(a.raw[t.start:t.end])
		if scale := easternScale(r); scale > 0 {
			f.scale(scale)
			j++
			r, _ = utf8.DecodeRuneInString(a.raw[int(t.start)+size : t.end])
			if c := currencyOf(r); c > 0 {
				f.dim, f.currency = money, c
			}
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

// unitAt takes the unit after a number.
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
	u := a.senseAt(k).measure()
	if u.dim == countless || k > j && u.dim != money {
		return j
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

// ratioAt reads "out of 10" after a 3.
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
		between := a.classAt(int(f.last))
		joined := g.first == f.last && a.tokens[g.first].is(afterHyphen)
		if g.first == f.last && !joined || g.first > f.last && between&(classRange|classAnd) == 0 {
			continue
		}
		sharesScale := !f.scaled && g.scaled && f.value < 1000 && (joined || between&classRange != 0 || a.betweenBefore(int(f.first)))
		if f.dim != countless && f.dim != g.dim || f.dim == countless && g.dim == countless && !sharesScale {
			continue
		}
		if sharesScale {
			f.scale(g.by)
			f.count *= g.by
		}
		if f.dim == countless {
			f.dim, f.currency = g.dim, g.currency
			if u := a.unitOf(g); u > 0 {
				f.value *= u
			}
		}
	}
}

// joinUnits makes one amount of "2 h 8 min 41 s" and "3 hours and 10 minutes".
func (a *analysed) joinUnits() {
	n := 0 // facts that stay
	for i := range a.facts {
		g := &a.facts[i]
		if n > 0 && a.goesOn(&a.facts[n-1], g) {
			f := &a.facts[n-1]
			f.value, f.count, f.last, f.digits = f.value+g.value, f.value+g.value, g.last, f.digits+g.digits
			continue
		}
		if n < i {
			a.facts[n] = *g
		}
		n++
	}
	a.facts = a.facts[:n]
}

// oneIn makes a ratio of "one in 10,000", "einem von hundert".
func (a *analysed) oneIn() {
	for i := range a.facts {
		f := &a.facts[i]
		first := int(f.first)
		if f.kind != amountFact || f.dim != countless || f.value < 2 || !math.IsNaN(f.ratio) ||
			!a.isWord(first-1, "in") && !a.isWord(first-1, "von") && !a.isWord(first-1, "sur") || !a.oneOf(first-2) {
			continue
		}
		f.ratio, f.value, f.count, f.soft = 100/f.value, 1, 1, false
	}
}

// goesOn reports whether an amount adds smaller units to the amount before it.
func (a *analysed) goesOn(f, g *fact) bool {
	if f.kind != amountFact || g.kind != amountFact || f.dim != g.dim || f.dim != duration && f.dim != calendar && f.dim != length {
		return false
	}
	between := g.first - f.last
	if between > 1 || between == 1 && a.classAt(int(f.last))&classAnd == 0 || a.tokens[f.first].clause != a.tokens[g.first].clause {
		return false
	}
	unit := a.unitOf(f)
	return unit > a.unitOf(g) && g.value < unit && a.unitOf(g) > 0
}

func (a *analysed) betweenBefore(i int) bool {
	return a.isWord(i-1, "between") || a.isWord(i-1, "zwischen") || a.isWord(i-1, "entre")
}

// unitOf is the factor of the unit an amount ends with, 0 if none.
func (a *analysed) unitOf(f *fact) float64 {
	if u := a.senseAt(int(f.last) - 1).measure(); u.dim != countless && f.dim == u.dim {
		return u.factor
	}
	return 0
}
