package support

import "math"

// The unit and the scale of a cell often stand in its header, or in the title above the table:
// "Weight (kg)", "in millions of euros".

// A cellUnit is what a header or title says of the numbers below it.
type cellUnit struct {
	fact
	found bool
}

// unitFor returns the unit that a text names for a value, and its scale.
func (a *analysed) unitFor(f *fact) (u cellUnit) {
	u.by = 1
	for i := range a.tokens {
		if s := a.sense(&a.tokens[i]); s.class&classScale != 0 && s.num > 1 {
			u.by = s.num
		}
		g := fact{value: 1, other: math.NaN()}
		a.unitAt(i, &g)
		if g.dim != countless && g.dim == f.dim && (g.currency == f.currency || g.currency == 0 || f.currency == 0) && !u.found {
			u.dim, u.currency, u.value, u.found = g.dim, g.currency, g.value, true
		}
	}
	return u
}

// unitOf returns the unit and the scale of a value below a header.
func (t *tableReading) unitOf(f *fact, column int) cellUnit {
	u, above := t.headers[column].unitFor(f), t.title.unitFor(f)
	switch {
	case !u.found:
		above.by = max(above.by, u.by)
		return above
	case u.by == 1 && (above.found || f.dim == money):
		u.by = above.by
	}
	return u
}

// compare compares a value of the claim with one of a cell, whose unit and scale the header
// or the title may name.
func (t *tableReading) compare(f *fact, column int, cell *analysed, g *fact) standing {
	if g.kind == dateFact && g.bare && f.kind == amountFact {
		g = &fact{kind: amountFact, value: g.value, count: g.value, other: g.other, ratio: g.ratio, digits: 4}
	}
	st := compareFacts(t.c, f, cell, g)
	if f.kind != amountFact || g.kind != amountFact {
		return st
	}
	switch {
	case f.dim == countless && g.dim != countless:
		if st == same {
			return near // twice, where the cell says 2 mg
		}
		return st
	case f.dim == percent || g.dim != countless && (g.dim != money || f.dim != money || g.scaled):
		return st
	}
	u := t.unitOf(f, column)
	switch {
	case f.dim == countless && (f.by <= 1 || u.by == 1):
		if st == unlike && f.by <= 1 {
			return rival
		}
		return st
	case g.dim == countless && f.dim != countless && !u.found:
		return unlike
	case u.by > 1 && f.by <= 1 && f.dim == money && equal(f.count, g.count):
		return near // 1,200 euros below "in millions"
	case g.dim != countless:
		u.value, u.dim, u.currency = 1, g.dim, g.currency
	}
	full := *g
	full.dim, full.currency, full.by, full.scaled = f.dim, u.currency, max(g.by, 1)*u.by, u.by > 1 || g.scaled
	full.value *= u.by
	full.count *= u.by
	if f.dim != countless {
		full.value *= u.value
	}
	said := *f
	said.other, full.other = math.NaN(), math.NaN() // both are read in the language of the claim
	return compareFacts(t.c, &said, cell, &full)
}
