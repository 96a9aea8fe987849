package support

// Whether the sentence at hand speaks of something else than the claim, although other sentences or parts of it
// have the claim's words.

// speaksOfAnother reports whether the sentence names somebody or something that the claim does not, and has
// no pronoun for what a sentence before it names: "Chair: Anna Weber", "Treasurer: Karl Lang".
func (w *carrying) speaksOfAnother() bool {
	s := w.p.sentences[w.sentence]
	named := false
	for i := s.first; i < s.last; i++ {
		t := &w.p.tokens[i]
		if t.kind == wordToken && t.class&classPronoun != 0 {
			return false
		}
		named = named || t.is(isName) && w.foreignWord(i)
	}
	return named
}

// atAnotherTime reports whether the sentence has a word such as "later", so that a date before it is not
// that of what it says.
func (w *carrying) atAnotherTime() bool {
	s := w.p.sentences[w.sentence]
	for i := s.first; i < s.last; i++ {
		if t := &w.p.tokens[i]; t.kind == wordToken && t.concept != 0 && t.concept == w.p.lex.sequence && !w.isMate(i) {
			return true
		}
	}
	return false
}

// labelsAnother reports whether the claim has a label of the sentence, but nothing of what stands behind it up
// to the next one: "Chair: Anna Weber, Treasurer: Karl Lang".
func (w *carrying) labelsAnother() bool {
	s := w.p.sentences[w.sentence]
	for i := range w.mates {
		at := w.mates[i].end
		if w.mates[i].hit < 0 || !w.p.labels(at-1) || w.c.labels(w.mates[i].tok) {
			continue
		}
		shared := false
		for ; at < s.last && !shared && !w.p.labels(at); at++ {
			shared = w.isMate(at)
		}
		if !shared && len(w.mates) > 1 {
			return true
		}
	}
	return false
}

// labels reports whether a token is a word before a colon that something follows.
func (a *analysed) labels(i int32) bool {
	t := &a.tokens[i]
	return t.kind == wordToken && int(t.end)+1 < len(a.raw) && a.raw[t.end] == ':' && a.raw[t.end+1] == ' '
}
