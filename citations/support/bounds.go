package support

// within reports whether a bound of the claim includes another value of the passage, which counts
// the same and has no bound or a weaker one on the same side: four people are at least three, at
// least ten minutes more than five. Of the same bound with two values, one is wrong: who moves more
// than 25 km away may leave.
func within(c *analysed, f *fact, p *analysed, g *fact) bool {
	const most = 10 // times the bound; other numbers mean something else
	bound := c.boundOf(f)
	if !bound.bounds() || f.dim == countless && !sameNoun(c, f, p, g) {
		return false
	}
	given := p.boundOf(g)
	if bound == given {
		return false
	}
	switch bound {
	case meansLeast, meansMore:
		return g.value >= f.value && g.value <= most*f.value && includes(bound, given, g.value > f.value)
	case meansAtMost, meansLess:
		return g.value <= f.value && g.value >= f.value/most && includes(bound, given, g.value < f.value)
	}
	return false
}

// includes reports whether a bound of the claim includes what the passage says of its value, which
// may lie beyond the claim's.
func includes(claimed, given meaning, beyond bool) bool {
	switch claimed {
	case meansLeast:
		return given == meansNothing || given == meansLeast || given == meansMore
	case meansMore:
		return given == meansMore || beyond && (given == meansNothing || given == meansLeast)
	case meansAtMost:
		return given == meansNothing || given == meansAtMost || given == meansLess
	case meansLess:
		return given == meansLess || beyond && (given == meansNothing || given == meansAtMost)
	}
	return claimed == given
}

// sameNoun reports whether the same word follows two numbers.
func sameNoun(c *analysed, f *fact, p *analysed, g *fact) bool {
	t, u := c.token(int(f.last)), p.token(int(g.last))
	return f.counted && g.counted && t != nil && u != nil && t.key == u.key
}
