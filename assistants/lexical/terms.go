package lexical

// A Term is a term of a text and the half-open range of bytes it was made from.
// Several terms may come from one word, and ranges may overlap.
type Term struct {
	Text       string
	Start, End int
}

// Terms returns the terms of a document's text, by ascending start.
func Terms(text string) []Term {
	out := make([]Term, 0, len(text)/6)
	EachTerm(text, func(t Term) { out = append(out, t) })
	return out
}

// EachTerm calls yield for the terms of a document's text, as [Terms] returns
// them. The text of a term may share the memory of the whole text.
func EachTerm(text string, yield func(Term)) {
	m := memos.Get().(memo)
	defer memos.Put(m)
	eachWord(text, func(w word) {
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
			if functionWords[w.text] {
				return
			}
			s := m.stems(w.text)
			yield(Term{s.english, w.start, w.end})
			if s.german != s.english {
				yield(Term{s.german, w.start, w.end})
			}
		}
	})
}
