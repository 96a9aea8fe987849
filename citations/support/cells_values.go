package support

import (
	"math/bits"
	"strings"
)

// The values of a claim and those of the cells of a row.

// findValue looks for a value in the columns that the claim speaks of.
func (t *tableReading) findValue(f *fact, item items) {
	var equal, other columns
	for j, cell := range t.cells {
		for i := range cell.facts {
			switch t.compare(f, j, cell, &cell.facts[i]) {
			case same:
				equal |= 1 << j
			case rival:
				other |= 1 << j
			}
		}
	}
	if equal.has(0) || t.inHeader(item) && equal == 0 {
		return // of the row's label, or of a header
	}
	if equal == 0 && t.equalIn(f, t.title) {
		return
	}
	t.used, t.valued = t.used|equal, t.valued|equal
	meant := t.meant((equal | other) &^ 1)
	fits := equal & meant
	switch {
	case fits != 0 && (t.sameNames(meant&^equal, fits) || t.unusedNames(fits) != 0 && (t.trend == 0 || f.dim != percent)), fits == 0 && meant == 0:
		t.open++
	case fits != 0:
		t.checkTrend(fits&-fits, f)
	case meant&other != 0 && t.named[bits.TrailingZeros32(uint32(meant&other))] != 0:
		t.wrong = true
	default:
		t.open++
	}
}

// inHeader reports whether a value stands in a header.
func (t *tableReading) inHeader(item items) bool {
	for _, named := range t.named {
		if named&item != 0 {
			return true
		}
	}
	return false
}

// meant returns those of some columns that the claim names best: of which it has no less than of
// another of them.
func (t *tableReading) meant(list columns) columns {
	best := list
	for j := range t.cells {
		if list.has(j) && t.moreNamed(j)&list != 0 {
			best &^= 1 << j
		}
	}
	return best
}

// sameNames reports whether the claim has the same of the headers of two columns, so that it
// does not tell which of the two it speaks of.
func (t *tableReading) sameNames(list, others columns) bool {
	for i := range t.cells {
		for j := range t.cells {
			if list.has(i) && others.has(j) && t.named[i] == t.named[j] {
				return true
			}
		}
	}
	return false
}

// unusedNames returns columns that the claim names better than each of the given ones, and of
// whose cells it has nothing.
func (t *tableReading) unusedNames(list columns) columns {
	more := ^columns(0)
	for j := range t.cells {
		if list.has(j) {
			more &= t.moreNamed(j)
		}
	}
	return more &^ t.used
}

func (t *tableReading) equalIn(f *fact, a *analysed) bool {
	for i := range a.facts {
		if compareFacts(t.c, f, a, &a.facts[i]) == same {
			return true
		}
	}
	return false
}

// compare compares a value of the claim with one of a cell, whose unit and scale the header
// or the title may name.
func (t *tableReading) compare(f *fact, column int, cell *analysed, g *fact) standing {
	if g.kind == dateFact && g.bare && f.kind == amountFact {
		g = &fact{kind: amountFact, value: g.value, count: g.value, other: g.other, ratio: g.ratio, digits: 4}
	}
	st := compareFacts(t.c, f, cell, g)
	if st == same && f.kind == amountFact && g.kind == amountFact && f.dim == countless && g.dim != countless {
		return near // twice, where the cell says 2 mg
	}
	if f.kind != amountFact || g.kind != amountFact || g.dim != countless || f.dim == percent {
		return st
	}
	if f.dim == countless && f.by <= 1 {
		if st == unlike {
			return rival
		}
		return st
	}
	if !t.unitOf(f, t.headers[column]) && !t.unitOf(f, t.title) {
		return unlike
	}
	if x := f.count / max(f.by, 1); equal(x, g.value) || equal(f.count, g.value) && f.by > 1 {
		return same
	}
	return rival
}

// unitOf reports whether a header or title names the unit and the scale of a value.
func (t *tableReading) unitOf(f *fact, a *analysed) bool {
	unit, scale := f.dim == countless, f.by <= 1
	for i := range a.tokens {
		tok := &a.tokens[i]
		s := a.sense(tok)
		u := s.measure()
		unit = unit || u.dim == f.dim && u.dim != countless && (f.dim != money || u.currency == f.currency) || f.dim == money && a.currencySign(i) == f.currency
		scale = scale || s.class&classScale != 0 && s.num == f.by
	}
	return unit && scale
}

// checkTrend compares the value with that of the year before, or reads the sign of a change.
func (t *tableReading) checkTrend(column columns, f *fact) {
	if t.trend == 0 {
		return
	}
	at := bits.TrailingZeros32(uint32(column))
	now := t.cells[at].amount()
	if now == nil {
		return
	}
	if f.dim == percent {
		t.trended = true
		t.wrong = t.wrong || (now.minus || strings.HasPrefix(t.cells[at].raw, "−")) != (t.trend < 0)
		return
	}
	year := t.headers[at].year()
	for j, h := range t.headers {
		if j >= len(t.cells) || year == 0 || h.year() != year-1 {
			continue
		}
		if before := t.cells[j].amount(); before != nil && before.value != now.value {
			t.trended = true
			t.wrong = t.wrong || (now.value > before.value) != (t.trend > 0)
		}
	}
}

// amount returns the first amount of a cell.
func (a *analysed) amount() *fact {
	for i := range a.facts {
		if a.facts[i].kind == amountFact {
			return &a.facts[i]
		}
	}
	return nil
}

// year returns the year that a header names, 0 if none.
func (a *analysed) year() int16 {
	for i := range a.facts {
		if a.facts[i].kind == dateFact {
			return a.facts[i].date.year
		}
	}
	return 0
}

// answers are the words and signs of a cell that says yes or no to its header.
var answers = map[string]meaning{
	"yes": meansAll, "y": meansAll, "ja": meansAll, "oui": meansAll, "si": meansAll, "sim": meansAll, "tak": meansAll, "ano": meansAll, "да": meansAll, "так": meansAll,
	"evet": meansAll, "x": meansAll, "✓": meansAll, "✔": meansAll, "✅": meansAll, "true": meansAll, "included": meansAll, "available": meansAll,
	"no": meansNo, "n": meansNo, "nein": meansNo, "non": meansNo, "nee": meansNo, "nao": meansNo, "nie": meansNo, "ne": meansNo, "nej": meansNo, "нет": meansNo, "ні": meansNo, "hayir": meansNo,
	"-": meansNo, "–": meansNo, "—": meansNo, "✗": meansNo, "✘": meansNo, "❌": meansNo, "false": meansNo, "none": meansNo,
}

// answer returns what a cell says that has no other word than yes or no.
func (a *analysed) answer() meaning {
	return answers[string(appendFolded(nil, strings.TrimSpace(a.raw)))]
}
