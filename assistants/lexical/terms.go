package lexical

// Terms returns the terms of a document's text, by ascending start.
func Terms(text string) []Term {
	out := make([]Term, 0, len(text)/6)
	EachTerm(text, func(t Term) { out = append(out, t) })
	return out
}

// EachTerm calls yield for the terms of a document's text, as [Terms] returns
// them. The text of a term may share the memory of the whole text.
func EachTerm(text string, yield func(Term)) {
	m := stemCaches.Get().(stemCache)
	defer stemCaches.Put(m)
	ws := make([]word, 0, len(text)/6+1)
	eachWord(text, func(w word) { ws = append(ws, w) })
	in := tallyOf(ws).languages()
	for _, w := range ws {
		switch w.kind {
		case kindRun:
			eachPair(w, func(t Term) {
				if t.Text != "" {
					yield(t)
				}
			})
		case kindNumber:
			yield(Term{w.text, w.start, w.end})
		default:
			if !functionWords[w.text] && !isFunction(w.text, in) {
				eachStem(m, w, in, yield)
			}
		}
	}
}

// isFunction reports whether a word is a function word of the text's only language.
// In a text of several languages none is.
func isFunction(text string, in languageSet) bool {
	for l := range languages {
		if in == 1<<l {
			return functionIn[l][text]
		}
	}
	return false
}

// englishAndGerman are the languages of the stems of an English or a German text.
const englishAndGerman = languageSet(1<<languageEnglish | 1<<languageGerman)

// eachStem yields the distinct stems of a word in the languages of its text. Any
// text may have English words, and an English one may have German words.
func eachStem(m stemCache, w word, in languageSet, yield func(Term)) {
	if in |= 1 << languageEnglish; in|englishAndGerman == englishAndGerman {
		in = englishAndGerman
	}
	s := m.stems(w.text, in)
	for l := range languages {
		if in.has(l) && !s.repeats(l, in) {
			yield(Term{s.by[l], w.start, w.end})
		}
	}
}
