package support

// A condition may stand before what depends on it or behind it: "Fees are waived unless the card is
// lost", "Unless the card is lost, fees are waived". But what is the condition of what must stay.

// conditionOf returns the hash of the word that begins the condition which a token belongs to, 0 if
// it belongs to none.
func (a *analysed) conditionOf(i int32) uint64 {
	if t := a.conditionWord(i); t != nil {
		return t.raw
	}
	return 0
}

// conditionWord returns the word that begins the condition which a token belongs to, nil if it
// belongs to none.
func (a *analysed) conditionWord(i int32) *token {
	for j := i - 1; j >= 0 && a.tokens[j].clause == a.tokens[i].clause; j-- {
		if m, _ := a.meaningAt(int(j)); m == meansIf || a.classAt(int(j))&classCondition != 0 {
			return &a.tokens[j]
		}
	}
	return nil
}

// clausesMoved reports whether one of two words belongs to a condition, the other to what depends on
// it, in both texts alike.
func (w *carrying) clausesMoved(a, b *mate) bool {
	if one, other := w.c.tokens[a.tok].marks&told, w.c.tokens[b.tok].marks&told; one != other && one == w.p.tokens[a.at].marks&told && other == w.p.tokens[b.at].marks&told {
		return true // the mayor said
	}
	if w.k.claimSays.classes&classCondition == 0 && !w.k.claimSays.has(meansIf) {
		return false
	}
	one, other := w.c.conditionOf(a.tok), w.c.conditionOf(b.tok)
	return one != other && one == w.p.conditionOf(a.at) && other == w.p.conditionOf(b.at)
}

// conditionsSwapped reports whether a word of the claim's condition is, in the sentence, none of the
// condition that begins with the same word, or the reverse.
func (w *carrying) conditionsSwapped() bool {
	if w.k.claimSays.classes&classCondition == 0 && !w.k.claimSays.has(meansIf) {
		return false
	}
	s := w.p.sentences[w.sentence]
	for i := range w.mates {
		m := &w.mates[i]
		one, other := w.c.conditionWord(m.tok), w.p.conditionWord(m.at)
		if one != nil && other != nil && one.is(exceptive) != other.is(exceptive) {
			return true // unless it rains, if it rains
		}
		here, there := w.c.conditionOf(m.tok), w.p.conditionOf(m.at)
		switch {
		case here == there:
		case here == 0 && hasRaw(w.c.tokens, there), there == 0 && hasRaw(w.p.tokens[s.first:s.last], here):
			return true
		}
	}
	return false
}

func hasRaw(tokens []token, raw uint64) bool {
	for i := range tokens {
		if tokens[i].raw == raw {
			return true
		}
	}
	return false
}
