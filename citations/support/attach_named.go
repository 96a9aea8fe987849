package support

// Numbers that name a thing, and those that count different things.

// countsTheSame reports whether a number counts the same things in both texts, and each other one of the
// sentence something else: 1,312 members, 540 of them children.
func (k *Checker) countsTheSame(c, p *analysed, f *fact) bool {
	if f.dim != countless || !f.counted {
		return false
	}
	thing := c.tokens[f.last].key
	for _, i := range k.equals {
		if g := &p.facts[i]; !g.counted || p.tokens[g.last].key != thing {
			return false
		}
	}
	for _, i := range k.rivals {
		if g := &p.facts[i]; !g.counted || p.tokens[g.last].key == thing {
			return false
		}
	}
	return true
}

// namesTheSame reports whether a number names what stands before it in both texts, version 4.2, and
// no other one of these is named in the passage. Then it does not belong to the words behind it.
func (k *Checker) namesTheSame(c, p *analysed, f *fact) bool {
	named := c.namedBy(f)
	if named == nil {
		return false
	}
	for _, i := range k.equals {
		if by := p.namedBy(&p.facts[i]); by == nil || by.key != named.key {
			return false
		}
	}
	for _, i := range k.rivals {
		if by := p.token(int(p.facts[i].first) - 1); by != nil && by.kind == wordToken && by.key == named.key {
			return false
		}
	}
	return true
}

// namedBy returns the word before a number that it names a thing with: Version 4.2, Table 3. It is
// nil if the number has a unit, or the word has no capital of its own.
func (a *analysed) namedBy(f *fact) *token {
	if f.kind != amountFact || f.dim != 0 || f.first == 0 || a.language == german {
		return nil
	}
	t := &a.tokens[f.first-1]
	if t.kind != wordToken || !t.is(isContent) || !t.is(hasCapital) || t.clause != a.tokens[f.first].clause {
		return nil
	}
	return t
}
