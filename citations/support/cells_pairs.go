package support

import (
	"math/bits"
	"slices"
)

// A claim that names two columns and has two values says which value stands in which column:
// "111.4 in 2022 and 121.9 in 2023". A cell of the row for each value is not enough.

// A cellValue is a value of the claim that some cells have, and others of its kind do not.
type cellValue struct {
	f            *fact
	equal, could columns
}

// A mention is a word or value of the claim that names some of the columns in question.
type mention struct {
	tok     int32
	columns columns
}

// pairValues pairs each value with a column that the claim names.
func (t *tableReading) pairValues() {
	t.fromTo()
	var question columns
	for _, v := range t.values {
		if bits.OnesCount32(uint32(v.could)) > 1 {
			question |= v.could
		}
	}
	names, spoken := t.mentions(question), columns(0)
	for _, m := range names {
		spoken |= m.columns
	}
	values := slices.DeleteFunc(slices.Clone(t.values), func(v cellValue) bool { return bits.OnesCount32(uint32(v.could&spoken)) < 2 })
	if len(names) < 2 || len(values) < 2 {
		return
	}
	if len(names) == len(values) {
		names = t.besideColons(names, values)
	}
	for i, v := range values {
		at := i
		if len(names) != len(values) {
			at = t.nameBeside(names, v.f.first)
		}
		switch {
		case at < 0:
			t.open++
		case v.equal != 0 && v.equal&names[at].columns == 0:
			t.wrong = true
		}
	}
}

// besideColons moves the names before a colon to the place of the value behind it: 80 (2022:
// 90) in 2023.
func (t *tableReading) besideColons(names []mention, values []cellValue) []mention {
	for _, m := range slices.Clone(names) {
		end := int(t.c.tokens[m.tok].end)
		to := slices.IndexFunc(values, func(v cellValue) bool { return v.f.first > m.tok })
		if to < 0 || end >= len(t.c.raw) || t.c.raw[end] != ':' {
			continue
		}
		at := slices.Index(names, m)
		names = slices.Insert(slices.Delete(names, at, at+1), to, m)
	}
	return names
}

// mentions returns what names some of the columns and not all of them, in the order of the
// claim. Words between two values name one column together: the price in 2022.
func (t *tableReading) mentions(question columns) []mention {
	var list []mention
	add := func(tok int32, item items) {
		m := mention{tok: tok}
		for j := 1; j < len(t.headers); j++ {
			if t.named[j]&item != 0 {
				m.columns |= 1 << j & question
			}
		}
		if m.columns != 0 && m.columns != question && !slices.Contains(t.labels, tok) {
			list = append(list, m)
		}
	}
	for n := range t.k.terms {
		if tok := t.k.terms[n].tok; t.within(tok) {
			add(tok, items(1)<<(n%64))
		}
	}
	for i := range t.c.facts {
		if tok := t.c.facts[i].first; t.within(tok) {
			add(tok, items(1)<<((len(t.k.terms)+i)%64))
		}
	}
	slices.SortFunc(list, func(a, b mention) int { return int(a.tok - b.tok) })
	joined := list[:0]
	for _, m := range list {
		if n := len(joined); n > 0 && joined[n-1].columns&m.columns != 0 && !t.valueBetween(joined[n-1].tok, m.tok) {
			joined[n-1] = mention{m.tok, joined[n-1].columns & m.columns}
			continue
		}
		joined = append(joined, m)
	}
	return joined
}

func (t *tableReading) valueBetween(first, last int32) bool {
	return slices.ContainsFunc(t.values, func(v cellValue) bool { return v.f.first > first && v.f.first < last })
}

// nameBeside returns the only name in the clause of a value, -1 if there is none or several.
func (t *tableReading) nameBeside(names []mention, tok int32) int {
	only := -1
	for i, m := range names {
		if t.c.tokens[m.tok].clause != t.c.tokens[tok].clause {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}

// fromTo compares the two values of "rose from 5 to 7".
func (t *tableReading) fromTo() {
	if t.trend == 0 || len(t.values) != 2 {
		return
	}
	before, after := t.values[0].f, t.values[1].f
	if t.c.saysBefore(after, meansFrom) {
		before, after = after, before
	}
	if !t.c.saysBefore(before, meansFrom) || before.dim != after.dim || before.value == after.value {
		return
	}
	t.trended = true
	t.wrong = t.wrong || (after.value > before.value) != (t.trend > 0)
}

// saysBefore reports whether the word before a value has a meaning.
func (a *analysed) saysBefore(f *fact, m meaning) bool {
	return f.first > 0 && a.means(f.first-1, m)
}
