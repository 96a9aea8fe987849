package support

// A small word behind a verb can be half of its meaning: switches on, switches off; legt an, legt ab.

// particleOf returns the particle of a verb, nil if there is none.
func (a *analysed) particleOf(i int32) *token {
	t := &a.tokens[i]
	if t.kind != wordToken || t.is(inFact|isName) {
		return nil
	}
	switch a.language {
	case english:
		return a.particleBehind(i)
	case german:
		if t.is(hasCapital) {
			return nil
		}
		last := i
		for int(last)+1 < len(a.tokens) && a.tokens[last+1].clause == t.clause && a.tokens[last+1].class&classAnd == 0 {
			last++
		}
		if u := &a.tokens[last]; last > i && u.kind == wordToken && a.sense(u).particle {
			return u
		}
	}
	return nil
}

// particleBehind returns the particle behind an English verb or behind its "it" or "itself", unless a
// noun or a value follows, which makes it a preposition.
func (a *analysed) particleBehind(i int32) *token {
	for j := int(i) + 1; j <= int(i)+2; j++ {
		u, next := a.token(j), a.token(j+1)
		switch {
		case u == nil || u.kind != wordToken || u.clause != a.tokens[i].clause:
			return nil
		case a.sense(u).particle:
			if next != nil && next.clause == u.clause && (next.kind != wordToken || next.is(isContent|inFact) || next.class&(classArticle|classPronoun) != 0) {
				return nil
			}
			return u
		case u.class&classPronoun == 0 && !a.isWord(j, "itself") && !a.isWord(j, "themselves"):
			return nil
		}
	}
	return nil
}

// predicateOf returns the particle that says how the subject of a range is: the lamp is on. It is nil
// if there is none.
func (a *analysed) predicateOf(first, last int32) *token {
	for i := first + 1; i < last; i++ {
		t := &a.tokens[i]
		if t.kind != wordToken || !a.sense(t).particle || a.tokens[i-1].kind != wordToken || t.clause != a.tokens[i-1].clause {
			continue
		}
		if next := a.token(int(i) + 1); next != nil && next.clause == t.clause && (next.kind != wordToken || next.is(isContent|inFact) || next.class&(classArticle|classPronoun) != 0 || next.mean == meansTo || next.mean.quantifies()) {
			continue // the lamp is on the table, on all floors, up to 40 euros
		}
		if i > first+1 && (a.isWord(int(i)-1, "switched") || a.isWord(int(i)-1, "turned")) {
			return t // the lamp is switched on
		}
		if a.sense(&a.tokens[i-1]).helps&helperBeen != 0 || a.means(i-1, meansNow) || a.means(i-1, meansPast) || a.tokens[i-1].is(contracted) || a.classAt(int(i)-1)&classNegator != 0 {
			return t
		}
	}
	return nil
}

// checkParticles looks for a verb with another particle, and for a lamp that is off, not on.
func (w *carrying) checkParticles() {
	if here := w.c.predicateOf(w.part.first, w.part.last); here != nil && w.c.language == w.p.language {
		s := w.p.sentences[w.sentence]
		if there := w.p.predicateOf(s.first, s.last); there == nil || there.raw != here.raw {
			w.fail(otherWord)
		}
	}
	if w.c.language != w.p.language || w.c.language > german {
		return
	}
	for i := range w.mates {
		m := &w.mates[i]
		if m.hit < 0 || !w.isExact(m) {
			continue
		}
		if claimed := w.c.particleOf(m.tok); claimed != nil {
			if given := w.p.particleOf(m.at); given != nil && given.raw != claimed.raw {
				w.fail(otherWord)
			}
		}
	}
}
