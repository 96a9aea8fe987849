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
	t.values = append(t.values, cellValue{f, equal &^ 1, (equal | other) &^ 1})
	if t.trend != 0 && t.c.saysBefore(f, meansFrom) && t.yearBefore(equal) {
		return // rose from 5 to 7 in 2023
	}
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

// yearBefore reports whether the claim names the year after that of one of the columns.
func (t *tableReading) yearBefore(list columns) bool {
	for i := range t.cells {
		for j, h := range t.headers {
			if list.has(i) && t.named[j] != 0 && h.year() != 0 && h.year() == t.headers[i].year()+1 {
				return true
			}
		}
	}
	return false
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
