package support

// What is done to something, in the passive in the claim and with its doer in the sentence.

// patientFirst returns the mates that are a verb and what it is done to, where the claim has a passive
// without a doer and the sentence says who does it: the pool was closed, the council closed the pool.
// -1: there are none.
func (w *carrying) patientFirst() (verb, patient int) {
	if w.c.language != english || w.p.language != english || w.c.doerIn(w.part.first, w.part.last) || w.passiveHere() {
		return -1, -1
	}
	for i := range w.mates {
		v := &w.mates[i]
		if v.hit < 0 || !w.sameWord(&w.k.hits[v.hit]) && w.p.nounAt(v.at) || w.p.particleNext(v.at) != w.c.particleNext(v.tok) {
			continue
		}
		for j := range w.mates {
			n := &w.mates[j]
			if n.hit >= 0 && j != i && w.c.undergone(n.tok, v.tok) && w.p.objectOf(v.at, n.at) && w.p.endsNoun(n.at) && w.c.contentIn(w.part.first, n.tok) == w.p.contentIn(v.at+1, n.at) {
				return i, j
			}
		}
	}
	return -1, -1
}

// particleNext returns the word such as up or down behind a verb, 0 if there is none or a date follows
// it: turned down the heating, but closed in May.
func (a *analysed) particleNext(verb int32) uint64 {
	next, behind := a.token(int(verb)+1), a.token(int(verb)+2)
	if next == nil || next.kind != wordToken || next.clause != a.tokens[verb].clause || !a.sense(next).particle || behind != nil && behind.is(inFact) {
		return 0
	}
	return next.raw
}

// endsNoun reports whether a noun is the last word of its group: the pool, but not the pool bar or the
// pool's bar.
func (a *analysed) endsNoun(i int32) bool {
	next := a.token(int(i) + 1)
	return !a.ownsNext(i) && (next == nil || next.clause != a.tokens[i].clause || next.kind != wordToken || !next.is(isContent) || next.is(inFact))
}
