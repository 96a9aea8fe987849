package support

// within reports whether a bound of the claim includes another value of the passage that has none
// and counts the same: four people are at least three.
func within(c *analysed, f *fact, p *analysed, g *fact) bool {
	const most = 10 // times the bound; other numbers mean something else
	bound := f.bound
	if bound != meansLeast && bound != meansAtMost || g.bound != meansNothing || f.dim == countless && !sameNoun(c, f, p, g) {
		return false
	}
	if bound == meansLeast {
		return g.value >= f.value && g.value <= most*f.value
	}
	return g.value <= f.value && g.value >= f.value/most
}

// sameNoun reports whether the same word follows two numbers.
func sameNoun(c *analysed, f *fact, p *analysed, g *fact) bool {
	t, u := c.token(int(f.last)), p.token(int(g.last))
	return f.counted && g.counted && t != nil && u != nil && t.key == u.key
}
