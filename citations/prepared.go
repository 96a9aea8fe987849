package citations

import "footnote/citations/support"

// A Prepared is a source with what every answer needs of it: its excerpt and citation
// line, its text and header in a prompt, its JSON, and its analysis by the support
// check, once a claim cites it. It is safe for concurrent use.
type Prepared struct {
	source Source
	origin string // in the prompt, after its number
	text   string // in the prompt
	inside string // that text inside of a JSON string
	clean  bool   // the text has no number in brackets
	plain  bool   // the text cannot have the code of a block
	check  *support.Passage

	document, shown, place string // its JSON before the score, before the URL and after it
}

// Prepare prepares a source without a number, and returns how many bytes that takes.
// grown is told later how many bytes the analysis takes. Score and rerank score of
// the source do not count.
func Prepare(src Source, grown func(bytes int)) (p *Prepared, bytes int) {
	src.complete(0)
	p = &Prepared{source: src, origin: origin(&src), text: promptText(&src)}
	p.clean, p.plain = !hasNumber(p.text), !mayHaveCode(p.text)
	p.check = support.NewPassage(src.headed(), grown)
	var w writer
	w.inside(p.text)
	copied := 0
	if p.inside = string(w.b); p.inside == p.text {
		p.inside = p.text // one copy
	} else {
		copied = len(p.inside)
	}
	w.b = w.b[:0]
	w.document(&src)
	before := len(w.b)
	w.text(`,"excerpt":`, src.Excerpt)
	middle := len(w.b)
	w.place(&src)
	all := string(w.b)
	p.document, p.shown, p.place = all[:before], all[before:middle], all[middle:]
	p.source.prepared = p
	const fixed = 800 // the structures
	return p, fixed + len(p.origin) + len(p.text) + copied + len(all) + len(src.Citation) + len(src.TableHeader)
}

// Source returns the source with the scores of an answer.
func (p *Prepared) Source(score float64, rerank *float64) Source {
	src := p.source
	src.Score, src.RerankScore = score, rerank
	return src
}

// whole returns the text that claims are compared with, and its analysis, nil if
// nothing is prepared.
func (s *Source) whole() (text string, known *support.Passage) {
	if s.prepared != nil {
		known = s.prepared.check
	}
	return s.headed(), known
}
