package support

import (
	"math"
)

// compareAll compares every fact of the claim with every fact of a passage.
func (k *Checker) compareAll(c, p *analysed) {
	k.steps += len(k.compared)
	for i := range c.facts {
		f, row := &c.facts[i], k.standings(p, i)
		for j := range row {
			st := compareFacts(c, f, p, &p.facts[j])
			if row[j] = st; st == same {
				k.equal = append(k.equal, factPair{int32(i), int32(j)})
			}
		}
	}
}

// standing returns the comparison of fact i of the claim with fact j of the passage
// at hand.
func (k *Checker) standing(p *analysed, i, j int) standing {
	return k.compared[i*len(p.facts)+j]
}

// standings returns the comparison of fact i of the claim with every fact of the passage at hand.
func (k *Checker) standings(p *analysed, i int) []standing {
	return k.compared[i*len(p.facts):][:len(p.facts)]
}

// compareFacts compares fact f of claim c with fact g of passage p.
func compareFacts(c *analysed, f *fact, p *analysed, g *fact) standing {
	if f.kind != g.kind {
		switch {
		case f.kind == dateFact && g.kind == amountFact && f.bare:
			return yearAsAmount(c, f, p, g)
		case f.kind == amountFact && g.kind == dateFact && g.bare:
			return yearAsAmount(p, g, c, f)
		case min(f.kind, g.kind) == amountFact && max(f.kind, g.kind) == ordinalFact && g.count == f.count && f.dim+g.dim == countless:
			return same // minute 12, the 12th minute
		}
		return unlike
	}
	switch {
	case f.kind == amountFact:
		return compareAmounts(c, f, p, g)
	case f.kind == dateFact:
		return compareDates(f, g)
	case f.kind == codeFact:
		x, y := c.word(&c.tokens[f.first]), p.word(&p.tokens[g.first])
		if string(x) == string(y) {
			return same
		}
		if len(x) > 0 && len(y) > 0 && (x[0] == y[0] || isDigit(x[0]) && isDigit(y[0])) {
			return rival
		}
		return unlike
	case f.kind == clockFact:
		if f.value == g.value || f.other == g.value || f.value == g.other || f.other == g.other {
			return same
		}
		return rival
	case f.value == g.value:
		return same
	}
	return rival
}

func compareDates(f, g *fact) standing {
	switch f.date.compare(g.date) {
	case agrees:
		return same
	case unknown:
		return near
	}
	return rival
}

// yearAsAmount compares "1500 people" with "1,500 people": y was read as a year in
// text a, but is an amount if the word after it also follows the amount f in b.
func yearAsAmount(a *analysed, y *fact, b *analysed, f *fact) standing {
	if f.dim != countless || f.count != y.value {
		return unlike
	}
	if y.counted && f.counted {
		return same
	}
	s, t := a.token(int(y.last)), b.token(int(f.last))
	if s != nil && t != nil && s.key == t.key && s.is(isContent) {
		return same
	}
	return unlike
}

func compareAmounts(c *analysed, f *fact, p *analysed, g *fact) standing {
	if f.glued != g.glued && f.glued != 0 {
		if before := p.token(int(g.first) - 1); before == nil || before.raw != f.glued {
			return unlike
		}
	}
	if !math.IsNaN(f.ratio) || !math.IsNaN(g.ratio) {
		if s := compareRatios(f, g); s != unlike {
			return s
		}
		if f.dim == countless && g.dim == countless && f.value == g.value {
			return near
		}
		return unlike
	}
	x, y, alike := f.value, g.value, f.dim == g.dim
	switch {
	case alike && f.dim == money && f.currency != g.currency && f.currency > 0 && g.currency > 0:
		return rival
	case alike:
	case f.dim == countless && f.counted && (g.dim == percent || g.dim == money),
		g.dim == countless && g.counted && (f.dim == percent || f.dim == money):
		return unlike
	case f.dim == countless || g.dim == countless:
		x, y = f.count, g.count
	case f.dim+g.dim == percent+points && f.value == g.value:
		return near
	default:
		return unlike
	}
	switch {
	case equal(x, y) && sameDigits(f, g), otherReading(c, f, p, g):
		if f.minus != g.minus || !alike && f.dim == countless && (f.named || g.dim == percent || g.dim == money && !f.scaled) {
			return near
		}
		return same
	case roundedTo(y, x, int(f.digits)):
		if f.hedged || f.digits >= 2 && f.scaled && (!g.scaled || f.digits < g.digits) {
			return same
		}
		return near
	case alike && f.soft && math.Abs(x-y) <= .15*x:
		return near // more than half
	case alike && within(c, f, p, g):
		return same
	case alike && f.glued == g.glued:
		return rival
	}
	return unlike
}

// compareRatios compares "3 out of 10" with another ratio and with 30%.
func compareRatios(f, g *fact) standing {
	x, y := f.ratio, g.ratio
	if math.IsNaN(x) && f.dim == percent {
		x = f.value
	}
	if math.IsNaN(y) && g.dim == percent {
		y = g.value
	}
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return unlike
	case equal(x, y):
		return same
	}
	return rival
}

func equal(x, y float64) bool {
	most := math.Abs(x)
	if other := math.Abs(y); other > most {
		most = other
	}
	return math.Abs(x-y) <= 1e-13*most
}

// sameDigits compares numbers whose digits exceed the precision of their values.
func sameDigits(f, g *fact) bool {
	const exact = 15
	return f.digits <= exact && g.digits <= exact || f.hash == g.hash
}

// otherReading reads "1.500" by the language of the other text, if it is uncertain
// that both write numbers alike.
func otherReading(c *analysed, f *fact, p *analysed, g *fact) bool {
	if c.sure && p.sure && c.language == p.language {
		return false
	}
	return equal(f.other, g.value) || equal(f.value, g.other)
}

// halves are the largest differences that rounding makes, as a share, by the digits that stay.
var halves = [...]float64{1: .51, 2: .051, 3: .0051, 4: .00051}

// roundedTo reports whether rounding y to some digits gives x.
func roundedTo(y, x float64, digits int) bool {
	if x == 0 || y == 0 || digits < 1 || digits > 12 {
		return false
	}
	if diff := math.Abs(y - x); digits == 1 && diff > math.Abs(x)/20 || diff > math.Abs(x)/2 {
		return false // 25 is not about 30
	}
	if digits < len(halves) && math.Abs(y-x) > math.Abs(x)*halves[digits] {
		return false // spares the logarithm
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-float64(digits-1))
	return math.Abs(y-x) <= unit/2*(1+1e-9)
}
