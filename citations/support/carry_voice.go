package support

import "slices"

// Who does something and to whom it is done, by the voice of the verb.

// unknownDoer reports whether the claim names who did something by a word that the sentence lacks, while
// the sentence says of another subject that it did it.
func (w *carrying) unknownDoer() bool {
	return w.c.language == w.p.language && !w.passiveHere() && !w.bothDoers() && w.opensWithOther(w.main) &&
		slices.ContainsFunc(w.open, func(tok int32) bool { return w.c.doer(tok) && !w.hasMate(tok+1) }) // by CFO Priya Raman
}

// suffers reports whether the subject of a passive in the claim is the subject of an active sentence that
// does it to another noun: der Rat wurde geschlossen, der Rat schloss das Bad.
func (w *carrying) suffers() bool {
	s := w.p.sentences[w.sentence]
	if w.c.language == english || w.c.language != w.p.language || !w.c.passiveSaid(w.part.first, w.part.last) || w.p.passiveSaid(s.first, s.last) || w.c.doerIn(w.part.first, w.part.last) {
		return false
	}
	m := &w.mates[0]
	if m.hit < 0 || w.c.contentIn(w.part.first, m.tok) > 0 || w.p.contentIn(w.p.clauseFirst(m.at), m.at) > 0 || w.p.prepositionOf(m.at) != nil && w.p.classAt(int(m.at)-1)&classArticle == 0 {
		return false
	}
	for i := m.end; i < s.last && w.p.tokens[i].clause == w.p.tokens[m.at].clause; i++ {
		if w.unmatched(i) && w.p.classAt(int(i)-1)&classArticle != 0 && w.p.classAt(int(i)-2)&classPreposition == 0 && i-1 >= m.end && (w.p.language != german || w.p.classAt(int(i)-1)&classPreposition == 0) {
			return true
		}
	}
	return false
}

// passiveSaid reports whether a range has the helping word of a passive.
func (a *analysed) passiveSaid(first, last int32) bool {
	helps := helperBecomes | helperBecame | helperBeen
	if a.language.romance() {
		helps |= helperWas
	}
	for i := first; i < last; i++ {
		if t := &a.tokens[i]; t.kind == wordToken && !t.is(inFact) && (a.sense(t).helps&helps != 0 || a.language == dutch && t.mean == meansPast) {
			return true
		}
	}
	return false
}

// romance reports whether "was" and a participle say what was done to somebody.
func (l language) romance() bool {
	return l == french || l == spanish || l == italian || l == portuguese
}
